//! Carries out the decision on a call whose tool was looked up.

use super::call_context::CallContext;
use super::call_decider::CallAction;
use super::open_calls::OpenCalls;
use crate::model::{CallError, CallId, ChangeBaseline, Need};
use crate::router::RoutedTool;
use crate::store::{AuditEvent, CallVerdict};

impl OpenCalls {
    /// Decides on a call whose tool was found, or is known not to exist.
    pub(super) fn decide_on(
        &mut self,
        id: CallId,
        found: Result<RoutedTool, CallError>,
        arguments: String,
        context: CallContext,
    ) -> CallVerdict {
        let context = match context {
            CallContext::Approved(approved) => {
                return self.decide_on_approved(id, found, arguments, *approved);
            }
            context => context,
        };
        // A person is asked about an uncertain call also where it cannot be sent again.
        let found = match (found, &context) {
            (Err(_), CallContext::Uncertain(uncertain)) => {
                Ok(self.router.attach(uncertain.sent_tool()))
            }
            (found, _) => found,
        };
        if let (Ok(found), CallContext::Agreed(agreed)) = (&found, &context) {
            self.audit_events.extend(agreed.audit_event(found));
            if found.need.is_none() {
                self.grants.tool_known(found);
            }
        }
        let action = found.and_then(|found| self.decider().action(id, found, &arguments, &context));
        match action {
            Err(error) => self.refuse_held(id, arguments.len(), error),
            Ok(CallAction::Send(found)) => {
                let installed_at = match &context {
                    CallContext::Agreed(agreed) => agreed.installed_at(),
                    _ => None,
                };
                let approval = match context {
                    CallContext::Agreed(agreed) => agreed.approval(),
                    CallContext::Uncertain(uncertain) => uncertain.approval,
                    CallContext::Fresh | CallContext::Approved(_) => None,
                };
                self.enqueue(id, found, arguments, approval);
                if let Some(open) = self.open.get_mut(&id) {
                    open.installed_at = installed_at;
                }
                CallVerdict::Go
            }
            Ok(CallAction::Fulfill(found, agreed)) => {
                self.fulfill(id, found, arguments, agreed);
                CallVerdict::Find
            }
            Ok(CallAction::Ask(found, kind, reason)) => {
                if let Some(Need::Change(change)) = &found.need
                    && change.since == ChangeBaseline::Grant
                {
                    let (tool, differences) = (found.tool.clone(), change.differences.clone());
                    self.audit_events.push(AuditEvent::Lapsed { tool, differences });
                }
                self.ask(id, found, arguments, kind, reason.clone());
                CallVerdict::Ask { kind, reason }
            }
        }
    }
}
