//! Calls that a person has approved, on their way to going out.
//!
//! In flow decisions, and tools as they are found now; out flow calls that are what was shown, and
//! asks about those that are not.

use super::approval::{Approval, UnverifiedApproval, lacks};
use super::deciding::{CallContext, PATIENCE, UncertainCall, since};
use super::restoring::denied_while_out;
use crate::model::{
    Ask, AskKind, CallError, CallId, ChangeBaseline, Code, Grant, Need, RecordedDecision, ToolName,
};
use crate::router::{ArgumentsRef, PolicyVerdict, Resolution, RoutedTool};
use crate::run::calls::needs::{AgreedBy, AgreedNeed};
use crate::run::calls::open_calls::{CallStage, OpenCall, OpenCalls};
use crate::store::CallVerdict;
use std::sync::Arc;

impl OpenCalls {
    /// Lets a call go out that a person has agreed to. What it lacks is brought about first, and
    /// only then is what was allowed for good known for what it is. A call that the journal left
    /// waiting has its tool found first.
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
            return self.find(call, written, arguments, CallContext::Approved(Box::new(approved)));
        }
        match found.need.take() {
            None | Some(Need::Change(_)) => {
                if let Some(grant) = grant {
                    self.granted.keep(grant, decided);
                }
                self.send_again(call, found, arguments, asking.kind, approval);
            }
            Some(need) => {
                let by = AgreedBy::Person(Box::new(decided.clone()), approval);
                self.meet(call, found, arguments, AgreedNeed { need: Box::new(need), by });
            }
        }
    }

    /// Has an approved call go out. A yes to making it again is none to what its tool has become
    /// since it was made.
    fn send_again(
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
                self.change(id, &found, &arguments, &verdict)
            }
            _ => None,
        };
        let Some(change) = change else {
            self.enqueue(id, found, arguments, Some(approval));
            return CallVerdict::Go;
        };
        let (kind, reason) = (AskKind::Integrity, since(change.since).to_owned());
        let found = found.with_need(Need::Change(change));
        self.ask(id, found, arguments, kind, reason.clone());
        CallVerdict::Ask { kind, reason }
    }

    /// What was decided is not about this call: it is put before the policy, and before a person,
    /// again.
    pub(super) fn ask_again(&mut self, id: CallId) {
        let error = self.asked_in_vain(id);
        let Some(OpenCall { found, stage: CallStage::Asking(asking), .. }) = self.open.remove(&id)
        else {
            return;
        };
        if let Some(error) = error {
            self.released += asking.arguments.len();
            self.refuse(id, error);
            return;
        }
        let Some(written) = asking.written else {
            self.ask(id, found, asking.arguments, asking.kind, asking.reason);
            return;
        };
        let standing = match asking.kind {
            AskKind::UncertainCall => {
                let uncertain = UncertainCall::new(asking.reason, found.resolved, None);
                CallContext::Uncertain(Box::new(uncertain))
            }
            _ => CallContext::Fresh,
        };
        self.find(id, self.router.route(written), asking.arguments, standing);
    }

    /// Decides on a call that somebody has approved, now that its tool is found again: it goes out
    /// if it is what they were shown and the policy does not deny it by now. Else it is decided
    /// about anew.
    pub(super) fn decide_on_approved(
        &mut self,
        id: CallId,
        found: Result<RoutedTool, CallError>,
        arguments: String,
        approved: UnverifiedApproval,
    ) -> CallVerdict {
        let UnverifiedApproval { ask, decided, grant } = approved;
        let seen = found.and_then(|found| {
            let found = self.not_denied(found, &arguments, ask.kind)?;
            Ok((found, self.value_of(id, &arguments)?.into_owned()))
        });
        let (found, value) = match seen {
            Ok(seen) => seen,
            Err(error) => {
                self.released += arguments.len();
                return self.refuse(id, error);
            }
        };
        let Some(approval) = Approval::new(&ask, &decided).map(Arc::new) else {
            return self.decide_again(id, found, arguments, &ask);
        };
        let uncertain = ask.kind == AskKind::UncertainCall;
        let by = || AgreedBy::Person(Box::new(decided.clone()), approval.clone());
        match (&ask.need, &found.need) {
            (Some(need), now) if lacks(Some(need)) => {
                let same = match now {
                    Some(now) => now == need && found.tool.as_str() == ask.tool,
                    // It was brought about meanwhile, and more is known of the tool.
                    None => self.means(&ask.tool, &found.tool),
                };
                if !same || !approval.covers(&found, &value) {
                    return self.decide_again(id, found, arguments, &ask);
                }
                let agreed = AgreedNeed { need: Box::new(need.clone()), by: by() };
                if found.need.is_none() {
                    return self.decide_on(id, Ok(found), arguments, CallContext::Agreed(agreed));
                }
                self.meet(id, found, arguments, agreed);
                CallVerdict::Find
            }
            (_, None) if approval.covers(&found, &value) => {
                if let Some(grant) = grant {
                    self.granted.keep(grant, &decided);
                }
                self.send_again(id, found, arguments, ask.kind, approval)
            }
            // Somebody said that it may be made again; what it lacks by now is another question.
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

    /// Whether a name means this tool, as far as that can be said at once.
    fn means(&self, name: &str, tool: &ToolName) -> bool {
        let Ok(name) = name.parse::<ToolName>() else { return false };
        let resolution = self.router.route(name).look_up();
        matches!(resolution, Resolution::Resolved(found) if found.tool == *tool)
    }

    /// What was approved is not what would go out: whoever decides sees what it is.
    fn decide_again(
        &mut self,
        id: CallId,
        found: RoutedTool,
        arguments: String,
        ask: &Ask,
    ) -> CallVerdict {
        if let Some(error) = self.asked_in_vain(id) {
            self.released += arguments.len();
            return self.refuse(id, error);
        }
        if ask.kind == AskKind::UncertainCall {
            let uncertain = UncertainCall::new(ask.reason.clone(), found.resolved.clone(), None);
            let standing = CallContext::Uncertain(Box::new(uncertain));
            return self.decide_on(id, Ok(found), arguments, standing);
        }
        match &ask.origin {
            Some(before) if found.need.is_none() && Some(before) != found.origin.as_ref() => {
                let change = self.differing(&found, before, ChangeBaseline::Decision);
                let (kind, reason) =
                    (AskKind::Integrity, since(ChangeBaseline::Decision).to_owned());
                let found = found.with_need(Need::Change(change));
                self.ask(id, found, arguments, kind, reason.clone());
                CallVerdict::Ask { kind, reason }
            }
            _ => self.decide_on(id, Ok(found), arguments, CallContext::Fresh),
        }
    }

    /// Counts how often a call is asked about again; the error says that it was too often.
    pub(super) fn asked_in_vain(&mut self, id: CallId) -> Option<CallError> {
        let times = self.asked_again.entry(id).or_default();
        *times += 1;
        let message = "what was decided about this call is not about what it is: it was not made";
        (*times > PATIENCE).then(|| CallError::new(Code::Integrity, message))
    }
}
