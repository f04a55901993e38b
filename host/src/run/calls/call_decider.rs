//! Decides on a call whose tool was found: it is sent, its need is fulfilled, a person is asked, or
//! it is refused. Nothing changes here.

use super::approval::Approval;
use super::attempts::Attempts;
use super::call_arguments::CallArguments;
use super::call_context::{CallContext, UncertainCall};
use super::needs::{AgreedBy, AgreedNeed};
use super::restoring::denied_while_out;
use super::run_grants::RunGrants;
use super::tool_changes::{CalledOrigins, change_reason, change_since_grant};
use crate::model::{AskKind, CallError, CallId, Need, ToolChange};
use crate::router::{AskReason, PolicyVerdict, RoutedTool, Router};

/// The next step of a call.
pub(super) enum CallAction {
    Send(RoutedTool),
    /// The need is fulfilled without asking.
    Fulfill(RoutedTool, AgreedNeed),
    Ask(RoutedTool, AskKind, String),
}

/// The parts of a run that a decision depends on.
pub(super) struct CallDecider<'a> {
    pub(super) router: &'a Router,
    pub(super) arguments: &'a CallArguments,
    pub(super) grants: &'a RunGrants,
    pub(super) origins: &'a CalledOrigins,
    pub(super) attempts: &'a Attempts,
}

impl CallDecider<'_> {
    /// Returns the next step of a call, or the error that refuses it.
    pub(super) fn action(
        &self,
        id: CallId,
        mut found: RoutedTool,
        arguments: &str,
        context: &CallContext,
    ) -> Result<CallAction, CallError> {
        let verdict = self.verdict(id, &found, arguments, context)?;
        let agreed = match context {
            CallContext::Agreed(agreed) => Some(agreed),
            _ => None,
        };
        // A need that was fulfilled and is still there would be asked about for ever.
        if let (Some(need), Some(agreed)) = (&found.need, agreed)
            && need.kind() == agreed.need.kind()
            && self.attempts.exhausted(id, need.kind())
        {
            return Err(agreed.not_fulfilled());
        }
        let (kind, reason) = match (context, &verdict, found.need.clone()) {
            (CallContext::Uncertain(uncertain), verdict, _) => {
                if self.may_repeat(id, &found, verdict, arguments, uncertain) {
                    return Ok(CallAction::Send(found));
                }
                // The need is asked about separately: approving the repetition does not cover it.
                found.need = None;
                (AskKind::UncertainCall, uncertain.reason.clone())
            }
            (_, PolicyVerdict::Go, Some(need)) if need.kind() == AskKind::Dependency => {
                let agreed = AgreedNeed::new(Box::new(need), AgreedBy::Policy);
                return Ok(CallAction::Fulfill(found, agreed));
            }
            (_, verdict, Some(need)) => {
                let again = agreed.is_some_and(|agreed| agreed.need.kind() == need.kind());
                let still = if again { "still: " } else { "" };
                (need.kind(), format!("{still}{}", need_reason(&need, verdict)))
            }
            (_, verdict, None) => match unseen_change(agreed)
                .then(|| self.change(id, &found, arguments, verdict))
                .flatten()
            {
                Some(change) => {
                    let reason = match verdict {
                        PolicyVerdict::Ask(why) if why.lapsed.is_some() => why.reason.clone(),
                        _ => change_reason(change.since).to_owned(),
                    };
                    found.need = Some(Need::Change(change));
                    (AskKind::Integrity, reason)
                }
                None => match verdict {
                    PolicyVerdict::Ask(why) if !agreed.is_some_and(AgreedNeed::by_person) => {
                        (AskKind::ToolPermission, why.reason.clone())
                    }
                    _ => return Ok(CallAction::Send(found)),
                },
            },
        };
        // Nobody is asked about a call that would be refused afterwards.
        let value = self.arguments.value(id, arguments)?;
        found.check(&value)?;
        Ok(CallAction::Ask(found, kind, reason))
    }

    /// Returns how a tool differs from the version that a grant, a call or a decision relied on.
    pub(super) fn change(
        &self,
        id: CallId,
        found: &RoutedTool,
        arguments: &str,
        verdict: &PolicyVerdict,
    ) -> Option<ToolChange> {
        let locked = found.change.as_deref().cloned();
        let PolicyVerdict::Ask(AskReason { lapsed: Some(grant), .. }) = verdict else {
            return locked.or_else(|| self.origins.change(found));
        };
        let arguments = || {
            let value = self.arguments.value(id, arguments);
            value.map(std::borrow::Cow::into_owned).unwrap_or_default()
        };
        // A lapsed grant and a difference from the lock are one question.
        let mut change = change_since_grant(found, arguments, grant);
        for difference in locked.into_iter().flat_map(|locked| locked.differences) {
            if change.differences.iter().all(|known| known.part != difference.part) {
                change.differences.push(difference);
            }
        }
        Some(change)
    }

    /// Asks the policy, and the grants of this run. Returns an error if the call is denied.
    fn verdict(
        &self,
        id: CallId,
        found: &RoutedTool,
        arguments: &str,
        context: &CallContext,
    ) -> Result<PolicyVerdict, CallError> {
        let verdict = self.arguments.budget().work_here(arguments.len(), |work| {
            let _slice = work.begin();
            self.router.verdict(found, self.arguments.for_policy(id, arguments))
        });
        let value = || self.arguments.value(id, arguments);
        match (verdict, context) {
            (PolicyVerdict::Deny(error), CallContext::Uncertain(_)) => Err(denied_while_out(error)),
            (PolicyVerdict::Deny(error), _) => Err(error),
            (PolicyVerdict::Ask(_), _) if self.grants.covers(found, value) => Ok(PolicyVerdict::Go),
            (other, _) => Ok(other),
        }
    }

    /// Reports whether a sent call may be repeated without asking: the current tool declares
    /// it repeatable, and the current policy, or a person who was shown this call, allows
    /// it.
    fn may_repeat(
        &self,
        id: CallId,
        found: &RoutedTool,
        verdict: &PolicyVerdict,
        arguments: &str,
        uncertain: &UncertainCall,
    ) -> bool {
        let approved = |approval: &Approval| {
            let value = self.arguments.value(id, arguments);
            value.is_ok_and(|value| approval.covers(found, &value))
        };
        found.effects.repeatable()
            && found.need.is_none()
            && self.change(id, found, arguments, verdict).is_none()
            && (matches!(verdict, PolicyVerdict::Go | PolicyVerdict::GoOverAsk)
                || uncertain.approval.as_deref().is_some_and(approved))
    }
}

/// Reports whether a change of the tool is news to whoever agreed to what the call needs. A person
/// who has agreed to a changed server, with this call, is not asked about its definitions again.
fn unseen_change(agreed: Option<&AgreedNeed>) -> bool {
    !agreed.is_some_and(|agreed| agreed.by_person() && agreed.need.kind() == AskKind::Integrity)
}

/// Returns the reason for asking about a need.
fn need_reason(need: &Need, verdict: &PolicyVerdict) -> String {
    let policy = match verdict {
        // A grant can only be compared with the tool once the tool is there.
        PolicyVerdict::Ask(why) if why.lapsed.is_none() => format!("; {}", why.reason),
        _ => String::new(),
    };
    match need {
        Need::Install(package) if package.changed => {
            format!(
                "the installed package of server `{}` has changed since it was installed",
                package.server
            )
        }
        Need::Install(package) if !package.replaces.is_empty() => format!(
            "server `{}` would be started from another package than was approved",
            package.server
        ),
        Need::Install(package) => format!("server `{}` is not installed{policy}", package.server),
        Need::Variables(variables) => format!(
            "server `{}` needs `{}`, which is not set: write it into `{}` before you go on{policy}",
            variables.server,
            variables.names.join("`, `"),
            variables.file
        ),
        Need::Trust(trust) => format!("{}{policy}", trust.reason),
        Need::Change(change) => change_reason(change.since).into(),
    }
}
