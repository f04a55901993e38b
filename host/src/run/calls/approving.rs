//! Calls that a person has approved. A call that is what was shown is sent; any other is asked
//! about again.

use super::approval::{Approval, UnverifiedApproval, must_be_fulfilled_first};
use super::call_context::{CallContext, UncertainCall};
use super::needs::{AgreedBy, AgreedNeed};
use super::open_calls::{CallStage, OpenCall, OpenCalls};
use super::restoring::denied_while_out;
use super::tool_changes::{change_reason, difference};
use crate::model::{
    Ask, AskKind, CallError, CallId, ChangeBaseline, Grant, Need, RecordedDecision, ToolName,
};
use crate::router::{ArgumentsRef, PolicyVerdict, Resolution, RoutedTool};
use crate::store::CallVerdict;
use std::sync::Arc;

impl OpenCalls {
    /// Sends a call that a person has approved. Its need is fulfilled first: only then is the tool
    /// of a grant known. The tool of a call that waited in the journal is looked up first.
    pub(super) fn approve(
        &mut self,
        call: CallId,
        ask: &Ask,
        grant: Option<Grant>,
        decided: &RecordedDecision,
    ) {
        let Some(approval) = Approval::new(ask, decided).map(Arc::new) else { return };
        let Some(OpenCall { mut found, stage: CallStage::Asking(asking), .. }) =
            self.open.remove(&call)
        else {
            return;
        };
        let arguments = asking.arguments;
        if let Some(written) = asking.written {
            let approved = UnverifiedApproval { ask: ask.clone(), decided: decided.clone(), grant };
            let written = self.router.route(written);
            return self.look_up(
                call,
                written,
                arguments,
                CallContext::Approved(Box::new(approved)),
            );
        }
        match found.need.take() {
            Some(need) if must_be_fulfilled_first(Some(&need)) => {
                let by = AgreedBy::Person(Box::new(decided.clone()), approval);
                self.fulfill(call, found, arguments, AgreedNeed::new(Box::new(need), by));
            }
            _ => {
                if let Some(grant) = grant {
                    self.grants.write(grant, decided);
                }
                self.send_approved(call, found, arguments, asking.kind, approval);
            }
        }
    }

    /// Enqueues an approved call. A yes to repeating an uncertain call does not cover a change of
    /// its tool since it was sent.
    fn send_approved(
        &mut self,
        id: CallId,
        found: RoutedTool,
        arguments: String,
        kind: AskKind,
        approval: Arc<Approval>,
    ) -> CallVerdict {
        let change = match kind {
            AskKind::UncertainCall => {
                let verdict = self.router.verdict(&found, ArgumentsRef::Text(&arguments));
                self.decider().change(id, &found, &arguments, &verdict)
            }
            _ => None,
        };
        let Some(change) = change else {
            self.enqueue(id, found, arguments, Some(approval));
            return CallVerdict::Go;
        };
        let (kind, reason) = (AskKind::Integrity, change_reason(change.since).to_owned());
        let found = found.with_need(Need::Change(change));
        self.ask(id, found, arguments, kind, reason.clone());
        CallVerdict::Ask { kind, reason }
    }

    /// Asks again, because the decision is not about this call. The policy comes first, where the
    /// ask is from the journal.
    pub(super) fn ask_again(&mut self, id: CallId) {
        let attempt = self.attempts.count_mismatch(id);
        let Some(OpenCall { found, stage: CallStage::Asking(asking), .. }) = self.open.remove(&id)
        else {
            return;
        };
        if let Err(error) = attempt {
            self.refuse_held(id, asking.arguments.len(), error);
            return;
        }
        let Some(written) = asking.written else {
            self.ask(id, found, asking.arguments, asking.kind, asking.reason);
            return;
        };
        let context = match asking.kind {
            AskKind::UncertainCall => {
                let uncertain = UncertainCall::new(asking.reason, found.resolved, None);
                CallContext::Uncertain(Box::new(uncertain))
            }
            _ => CallContext::Fresh,
        };
        self.look_up(id, self.router.route(written), asking.arguments, context);
    }

    /// Decides on a call that a person has approved, now that its tool is found again. The call is
    /// sent if it is what was shown and the policy does not deny it now. Otherwise it is decided
    /// on again.
    pub(super) fn decide_on_approved(
        &mut self,
        id: CallId,
        found: Result<RoutedTool, CallError>,
        arguments: String,
        approved: UnverifiedApproval,
    ) -> CallVerdict {
        let UnverifiedApproval { ask, decided, grant } = approved;
        let checked = found.and_then(|found| {
            let found = self.not_denied(found, &arguments, ask.kind)?;
            Ok((found, self.arguments.value(id, &arguments)?.into_owned()))
        });
        let (found, value) = match checked {
            Ok(checked) => checked,
            Err(error) => return self.refuse_held(id, arguments.len(), error),
        };
        let Some(approval) = Approval::new(&ask, &decided).map(Arc::new) else {
            return self.decide_again(id, found, arguments, &ask);
        };
        let uncertain = ask.kind == AskKind::UncertainCall;
        let by = || AgreedBy::Person(Box::new(decided.clone()), approval.clone());
        match (&ask.need, &found.need) {
            (Some(need), now) if must_be_fulfilled_first(Some(need)) => {
                let same = match now {
                    Some(now) => now == need && found.tool.as_str() == ask.tool,
                    // The need was fulfilled meanwhile, and more is known of the tool.
                    None => self.means(&ask.tool, &found.tool),
                };
                if !same || !approval.covers(&found, &value) {
                    return self.decide_again(id, found, arguments, &ask);
                }
                let agreed = AgreedNeed::new(Box::new(need.clone()), by());
                if found.need.is_none() {
                    return self.decide_on(id, Ok(found), arguments, CallContext::Agreed(agreed));
                }
                self.fulfill(id, found, arguments, agreed);
                CallVerdict::Find
            }
            (_, None) if approval.covers(&found, &value) => {
                if let Some(grant) = grant {
                    self.grants.write(grant, &decided);
                }
                self.send_approved(id, found, arguments, ask.kind, approval)
            }
            // The person approved the repetition. The new need is decided on separately.
            (None, Some(_)) if uncertain && approval.covers(&found, &value) => {
                self.decide_on(id, Ok(found), arguments, CallContext::Fresh)
            }
            _ => self.decide_again(id, found, arguments, &ask),
        }
    }

    fn not_denied(
        &self,
        found: RoutedTool,
        arguments: &str,
        kind: AskKind,
    ) -> Result<RoutedTool, CallError> {
        match self.router.verdict(&found, ArgumentsRef::Text(arguments)) {
            PolicyVerdict::Deny(error) if kind == AskKind::UncertainCall => {
                Err(denied_while_out(error))
            }
            PolicyVerdict::Deny(error) => Err(error),
            _ => Ok(found),
        }
    }

    /// Reports whether a name means this tool, as far as that is known without a lookup.
    fn means(&self, name: &str, tool: &ToolName) -> bool {
        let Ok(name) = name.parse::<ToolName>() else { return false };
        let resolution = self.router.route(name).look_up();
        matches!(resolution, Resolution::Resolved(found) if found.tool == *tool)
    }

    /// Decides again, because the call that would be sent is not the one that was approved.
    fn decide_again(
        &mut self,
        id: CallId,
        found: RoutedTool,
        arguments: String,
        ask: &Ask,
    ) -> CallVerdict {
        if let Err(error) = self.attempts.count_mismatch(id) {
            return self.refuse_held(id, arguments.len(), error);
        }
        if ask.kind == AskKind::UncertainCall {
            let uncertain = UncertainCall::new(ask.reason.clone(), found.resolved.clone(), None);
            let context = CallContext::Uncertain(Box::new(uncertain));
            return self.decide_on(id, Ok(found), arguments, context);
        }
        match &ask.origin {
            Some(before) if found.need.is_none() && Some(before) != found.origin.as_ref() => {
                let change = difference(&found, before, ChangeBaseline::Decision);
                let (kind, reason) =
                    (AskKind::Integrity, change_reason(ChangeBaseline::Decision).to_owned());
                let found = found.with_need(Need::Change(change));
                self.ask(id, found, arguments, kind, reason.clone());
                CallVerdict::Ask { kind, reason }
            }
            _ => self.decide_on(id, Ok(found), arguments, CallContext::Fresh),
        }
    }
}
