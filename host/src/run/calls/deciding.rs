//! What the door says to a call whose tool was found: it goes, somebody is asked, or it is refused.

use super::approval::{Approval, UnverifiedApproval};
use super::restoring::denied_while_out;
use crate::model::{
    AskKind, CallError, CallId, ChangeBaseline, Constraint, Difference, Effects, Grant, Need,
    ToolChange, ToolOrigin,
};
use crate::run::calls::needs::{AgreedBy, AgreedNeed};
use crate::run::calls::open_calls::OpenCalls;
use crate::store::{AuditEvent, CallVerdict};
use crate::{
    model::ResolvedTool,
    router::{ArgumentsRef, AskReason, PolicyVerdict, RoutedTool},
};
use std::sync::Arc;

/// Why a call is asked about that an earlier run made.
pub(super) const MADE_BEFORE: &str =
    "the earlier run made this call, and nobody knows what became of it";

/// Why a call is asked about whose outcome nobody knows.
pub(super) const UNCERTAIN: &str =
    "it was out when its process ended: nobody knows what became of it";

/// How often a call is asked about the same that it lacks: somebody may say yes before it is there.
pub(super) const PATIENCE: u32 = 3;

/// What is known of a call beside its tool.
pub(super) enum CallContext {
    /// Nothing.
    Fresh,
    /// It went out before, and nobody knows its outcome.
    Uncertain(Box<UncertainCall>),
    /// Somebody has agreed to what it lacked, and that was brought about.
    Agreed(AgreedNeed),
    /// Somebody has approved it, as the journal shows it.
    Approved(Box<UnverifiedApproval>),
}

/// A call that went out before.
pub(super) struct UncertainCall {
    /// Why nobody knows.
    reason: String,
    /// What it went to, as far as that is known: a name to ask about, and no more.
    sent: ResolvedTool,
    /// What somebody has approved about it.
    approval: Option<Arc<Approval>>,
}

impl UncertainCall {
    pub(super) fn new(
        reason: impl Into<String>,
        sent: ResolvedTool,
        approval: Option<Arc<Approval>>,
    ) -> UncertainCall {
        UncertainCall { reason: reason.into(), sent, approval }
    }

    /// What is asked about if the tool cannot be found.
    fn unfound(&self) -> ResolvedTool {
        ResolvedTool { effects: Effects::Unknown, need: None, ..self.sent.clone() }
    }
}

/// What becomes of it.
enum CallAction {
    Send(RoutedTool),
    /// What it lacks is brought about without asking.
    Fulfill(RoutedTool, Box<Need>),
    Ask(RoutedTool, AskKind, String),
}

impl OpenCalls {
    /// Decides on a call whose tool was found, or is known not to be there.
    pub(super) fn decide_on(
        &mut self,
        id: CallId,
        found: Result<RoutedTool, CallError>,
        arguments: String,
        standing: CallContext,
    ) -> CallVerdict {
        let standing = match standing {
            CallContext::Approved(approved) => {
                return self.decide_on_approved(id, found, arguments, *approved);
            }
            standing => standing,
        };
        // Whether it can be made again or not: nobody knows what became of it.
        let found = match (found, &standing) {
            (Err(_), CallContext::Uncertain(uncertain)) => {
                Ok(self.router.attach(uncertain.unfound()))
            }
            (found, _) => found,
        };
        if let (Ok(found), CallContext::Agreed(agreed)) = (&found, &standing) {
            self.notes.extend(agreed.noted(found));
            if found.need.is_none() {
                self.granted.known(found);
            }
        }
        match found.and_then(|found| self.next_of(id, found, &arguments, &standing)) {
            Err(error) => {
                self.released += arguments.len();
                self.refuse(id, error)
            }
            Ok(CallAction::Send(found)) => {
                let approval = match standing {
                    CallContext::Agreed(agreed) => agreed.approval(),
                    CallContext::Uncertain(uncertain) => uncertain.approval,
                    CallContext::Fresh | CallContext::Approved(_) => None,
                };
                self.enqueue(id, found, arguments, approval);
                CallVerdict::Go
            }
            Ok(CallAction::Fulfill(found, need)) => {
                self.meet(id, found, arguments, AgreedNeed { need, by: AgreedBy::Policy });
                CallVerdict::Find
            }
            Ok(CallAction::Ask(found, kind, reason)) => {
                if let Some(Need::Change(change)) = &found.need
                    && change.since == ChangeBaseline::Grant
                {
                    let (tool, differences) = (found.tool.clone(), change.differences.clone());
                    self.notes.push(AuditEvent::Lapsed { tool, differences });
                }
                self.ask(id, found, arguments, kind, reason.clone());
                CallVerdict::Ask { kind, reason }
            }
        }
    }

    fn next_of(
        &self,
        id: CallId,
        mut found: RoutedTool,
        arguments: &str,
        standing: &CallContext,
    ) -> Result<CallAction, CallError> {
        let given = self.parsed.get(&id).map_or(ArgumentsRef::Text(arguments), ArgumentsRef::Value);
        let verdict = self.budget.work_here(arguments.len(), |work| {
            let _stint = work.begin();
            self.router.verdict(&found, given)
        });
        let value = || self.value_of(id, arguments);
        let verdict = match (verdict, standing) {
            (PolicyVerdict::Deny(error), CallContext::Uncertain(_)) => {
                return Err(denied_while_out(error));
            }
            (PolicyVerdict::Deny(error), _) => return Err(error),
            (PolicyVerdict::Ask(_), _) if self.granted.covers(&found, value) => PolicyVerdict::Go,
            (other, _) => other,
        };
        let agreed = match standing {
            CallContext::Agreed(agreed) => Some(agreed),
            _ => None,
        };
        // What was agreed to and is still lacking would be asked about for ever.
        if let (Some(need), Some(agreed)) = (&found.need, agreed)
            && need.kind() == agreed.need.kind()
            && self.met.get(&(id, need.kind())).is_some_and(|times| *times >= PATIENCE)
        {
            return Err(agreed.in_vain());
        }
        let (kind, reason) = match (standing, &verdict, found.need.clone()) {
            (CallContext::Uncertain(uncertain), verdict, _) => {
                if self.may_repeat(id, &found, verdict, arguments, uncertain.approval.as_deref()) {
                    return Ok(CallAction::Send(found));
                }
                // What it lacks is another question: a yes to this one is none to that.
                found.need = None;
                (AskKind::UncertainCall, uncertain.reason.clone())
            }
            (_, PolicyVerdict::Go, Some(need)) if need.kind() == AskKind::Dependency => {
                return Ok(CallAction::Fulfill(found, Box::new(need)));
            }
            (_, verdict, Some(need)) => {
                let again = agreed.is_some_and(|agreed| agreed.need.kind() == need.kind());
                let still = if again { "it is still not there: " } else { "" };
                (need.kind(), format!("{still}{}", reason_of(&need, verdict)))
            }
            (_, verdict, None) => match self.change(id, &found, arguments, verdict) {
                Some(change) => {
                    let reason = match verdict {
                        PolicyVerdict::Ask(why) if why.lapsed.is_some() => why.reason.clone(),
                        _ => since(change.since).to_owned(),
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
        // Nobody is bothered about a call that would be refused afterwards.
        let value = value()?;
        found.check(&value)?;
        Ok(CallAction::Ask(found, kind, reason))
    }

    /// Whether a call that went out may be made again unasked: the tool as it is found now says
    /// that this does no harm, and the policy of now, or a person who was shown this call, lets it
    /// go.
    fn may_repeat(
        &self,
        id: CallId,
        found: &RoutedTool,
        verdict: &PolicyVerdict,
        arguments: &str,
        approval: Option<&Approval>,
    ) -> bool {
        let approved = |approval: &Approval| {
            self.value_of(id, arguments).is_ok_and(|value| approval.covers(found, &value))
        };
        found.effects.repeatable()
            && found.need.is_none()
            && self.change(id, found, arguments, verdict).is_none()
            && (*verdict == PolicyVerdict::Go || approval.is_some_and(approved))
    }

    /// How a tool differs from what it was when somebody relied on it.
    pub(super) fn change(
        &self,
        id: CallId,
        found: &RoutedTool,
        arguments: &str,
        verdict: &PolicyVerdict,
    ) -> Option<ToolChange> {
        let now = found.origin.as_ref();
        if let PolicyVerdict::Ask(AskReason { lapsed: Some(was), .. }) = verdict {
            return Some(self.lapsed(id, found, arguments, was));
        }
        let before = self.origins.get(&found.tool).filter(|before| Some(*before) != now)?;
        // What is not known to be another tool is the same one.
        now.map(|_| self.differing(found, before, ChangeBaseline::EarlierCall))
    }

    /// How a tool, or what conditions mean, differs from what somebody allowed for good.
    fn lapsed(&self, id: CallId, found: &RoutedTool, arguments: &str, was: &Grant) -> ToolChange {
        let before = was.origin.as_ref().filter(|_| !was.is_of(found.origin.as_ref()));
        let mut change = match before {
            Some(before) => self.differing(found, before, ChangeBaseline::Grant),
            None => ToolChange::new(ChangeBaseline::Grant, Vec::new()),
        };
        if was.is_older() {
            let arguments = self.value_of(id, arguments).unwrap_or_default();
            let offers = found.offers(&arguments, &was.constraints);
            let words = |constraints: &[Constraint]| {
                let words: Vec<_> = constraints.iter().map(ToString::to_string).collect();
                words.join(", ")
            };
            let now = match offers.first() {
                Some(offer) => format!("{}; any other argument asks", words(offer)),
                None => "every argument must be named".to_owned(),
            };
            let before = format!("{}; any other argument was free", words(&was.constraints));
            change.differences.push(Difference::new("conditions", Some(before), Some(now)));
            change = change.with_conditions(was.constraints.clone());
        }
        change
    }

    /// What differs between a tool and what it was.
    pub(super) fn differing(
        &self,
        found: &RoutedTool,
        before: &ToolOrigin,
        since: ChangeBaseline,
    ) -> ToolChange {
        let now = found.origin.as_ref();
        let differences = now.map_or_else(Vec::new, |now| found.differences(before, now));
        ToolChange::new(since, differences)
    }
}

/// Why a tool that is another is asked about.
pub(super) fn since(since: ChangeBaseline) -> &'static str {
    match since {
        ChangeBaseline::Grant => {
            "it is not what was allowed for good: its definition or its server has changed since"
        }
        ChangeBaseline::EarlierCall => {
            "its definition or its server has changed since this run called it before"
        }
        _ => "its definition or its server has changed since it was decided about",
    }
}

fn reason_of(need: &Need, verdict: &PolicyVerdict) -> String {
    let policy = match verdict {
        // Whether it is still what was allowed, nobody knows before it is there.
        PolicyVerdict::Ask(why) if why.lapsed.is_none() => format!("; {}", why.reason),
        _ => String::new(),
    };
    match need {
        Need::Install(package) if package.changed => {
            format!("what is installed for server `{}` is not what was installed", package.server)
        }
        Need::Install(package) => format!("server `{}` is not installed{policy}", package.server),
        Need::Variables(variables) => format!(
            "server `{}` needs `{}`: write it into `{}` before you go on{policy}",
            variables.server,
            variables.names.join("`, `"),
            variables.file
        ),
        Need::Trust(trust) => format!("{}{policy}", trust.reason),
        Need::Change(change) => since(change.since).into(),
    }
}
