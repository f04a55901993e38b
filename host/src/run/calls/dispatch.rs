//! Sends calls, looks up tools, and takes what comes back.

use super::approval::Approval;
use super::call_context::CallContext;
use super::call_tasks::TaskResult;
use super::logged::SentCall;
use super::open_calls::{CallStage, OpenCall, OpenCalls, ToolLookup};
use super::tool_changes::{change_reason, difference};
use crate::event::Event;
use crate::model::{
    AskKind, CallError, CallId, CallProgressSink, CallResult, ChangeBaseline, Code, Effects,
    INLINE_LIMIT, Need, Timestamp, ToolChange, ToolName,
};
use crate::router::RoutedTool;
use crate::run::perform::{OutgoingCall, PerformOutcome, parse_aside, perform, refusal};
use crate::store::size_of_outcome;
use std::sync::Arc;
use std::task::Context;

/// The reason for asking again about a call that somebody approved.
const ANOTHER_CALL: &str = "the call is not the one that was approved";

/// A call that is sent next.
pub(in crate::run) struct CallToSend {
    pub(in crate::run) call: CallId,
    pub(in crate::run) found: RoutedTool,
    arguments: String,
    pub(in crate::run) approval: Option<Arc<Approval>>,
    /// The time at which a package was installed for it.
    pub(in crate::run) installed_at: Option<Timestamp>,
}

impl OpenCalls {
    /// Reports whether a queued call may be sent.
    pub(super) fn has_room(&self) -> bool {
        !self.queue.is_empty() && self.room() > 0
    }

    fn room(&self) -> usize {
        match self.review.is_pending() {
            true => 0,
            false => self.tasks.room(self.outcomes.len()),
        }
    }

    /// Takes the queued calls that there is room for. They are to be journalled, and then sent.
    pub(in crate::run) fn take_sendable(&mut self) -> Vec<CallToSend> {
        let mut sendable = Vec::new();
        if self.queue.is_empty() {
            return sendable;
        }
        let room = self.room();
        while sendable.len() < room {
            let Some(call) = self.queue.pop_front() else { break };
            let Some(open) = self.open.get_mut(&call) else { continue };
            let CallStage::Queued(arguments) = &mut open.stage else { continue };
            let arguments = std::mem::take(arguments);
            let (found, approval) = (open.found.clone(), open.approval.clone());
            let installed_at = open.installed_at;
            sendable.push(CallToSend { call, found, arguments, approval, installed_at });
        }
        sendable
    }

    /// Sends calls that have been journalled.
    pub(in crate::run) fn send(&mut self, calls: Vec<CallToSend>) {
        let reply_limit = self.reply_limit();
        for CallToSend { call: id, found, arguments, approval, .. } in calls {
            let Some(open) = self.open.get_mut(&id) else { continue };
            let (run, tool) = (self.run, found.tool.clone());
            self.origins.remember(&found);
            let sent = SentCall::new(run, id, &tool);
            self.events.event(&Event::CallStarted { run, call: id, tool });
            let (router, budget) = (self.router.clone(), self.arguments.budget().clone());
            let parsed = self.arguments.take_parsed(id);
            let events = self.events.clone();
            let progress = CallProgressSink::new(move |progress| {
                events.event(&Event::CallProgress { run, call: id, progress });
            });
            let outgoing =
                OutgoingCall { run, id, found, approval, arguments, parsed, reply_limit, progress };
            let abort = self.tasks.send(id, async move {
                let outcome = perform(&router, &budget, outgoing).await;
                sent.log(&outcome);
                outcome
            });
            open.stage = CallStage::InFlight(abort);
        }
    }

    /// Looks up the tool of a call, before the call is decided on.
    pub(super) fn look_up(
        &mut self,
        id: CallId,
        found: RoutedTool,
        arguments: String,
        context: CallContext,
    ) {
        let routed = found.clone();
        // Long arguments are parsed before the call is decided on, and not on this thread.
        let budget = self.arguments.budget();
        let long = (arguments.len() > INLINE_LIMIT).then(|| (arguments.clone(), budget.clone()));
        let abort = self.tasks.look_up(id, async move {
            let parsed = match long {
                Some((text, budget)) => {
                    parse_aside(text, &budget).await.map(|(_, value)| Some(value))
                }
                None => Ok(None),
            };
            match parsed {
                Ok(parsed) => TaskResult::Resolved(Box::new(routed.find().await), parsed),
                Err(error) => TaskResult::Resolved(Box::new(Err(error)), None),
            }
        });
        let size = arguments.len();
        let stage = CallStage::Resolving(ToolLookup { arguments, abort, context });
        self.open.insert(id, OpenCall::new(found, size, stage));
    }

    /// Looks up the effects of a tool that only the checkpoint mentions.
    pub(super) fn look_up_effects(&mut self, tool: ToolName) {
        let routed = self.router.route(tool.clone());
        self.review.note_effects(tool.clone(), None);
        self.tasks.look_up(CallId::numbered(0), async move {
            let effects = match routed.find().await {
                Ok(found) if found.need.is_none() => found.effects,
                _ => Effects::Unknown,
            };
            TaskResult::EffectsFound(tool, effects)
        });
    }

    /// Takes the results that have arrived, without waiting for any.
    pub(in crate::run) fn poll(&mut self, context: &mut Context<'_>) {
        while let Some((id, result)) = self.tasks.poll_next(context) {
            self.take_result(id, result);
        }
    }

    pub(super) fn take_result(&mut self, id: CallId, result: TaskResult) {
        match result {
            TaskResult::Performed(PerformOutcome::Settled(settled, error)) => {
                self.settle_sent(id, settled, error);
            }
            TaskResult::Performed(PerformOutcome::Changed(found, arguments)) => {
                self.decide_on_changed(id, *found, arguments);
            }
            TaskResult::Resolved(found, parsed) => {
                if let Some(OpenCall { stage: CallStage::Resolving(lookup), .. }) =
                    self.open.remove(&id)
                {
                    let ToolLookup { arguments, context, .. } = lookup;
                    self.arguments.store_parsed(id, parsed);
                    if let (Err(error), CallContext::Agreed(_)) = (&*found, &context) {
                        let (run, error) = (self.run, Some(error.clone()));
                        self.events.event(&Event::CallSettled { run, call: id, error });
                    }
                    // The journal shows the verdict by its next entry: the call is sent, asked
                    // about, or settled.
                    let _ = self.decide_on(id, *found, arguments, context);
                }
            }
            TaskResult::EffectsFound(tool, effects) => {
                self.review.note_effects(tool, Some(effects));
            }
        }
    }

    /// Decides again on a call whose tool has changed, or has a need, since the call was decided
    /// on.
    fn decide_on_changed(&mut self, id: CallId, mut found: RoutedTool, arguments: String) {
        let Some(before) = self.open.remove(&id) else { return };
        self.events.event(&Event::CallDropped { run: self.run, call: id });
        if found.need.is_some() || found.change.is_some() {
            let _ = self.decide_on(id, Ok(found), arguments, CallContext::Fresh);
            return;
        }
        if before.found.origin == found.origin {
            // The same tool, and yet not the call that was approved: a person looks at it again.
            let (kind, reason) = (AskKind::ToolPermission, ANOTHER_CALL.to_owned());
            return self.ask(id, found, arguments, kind, reason);
        }
        let change = match &before.found.origin {
            Some(before) => difference(&found, before, ChangeBaseline::Decision),
            None => ToolChange::new(ChangeBaseline::Decision, Vec::new()),
        };
        found.need = Some(Need::Change(change));
        let reason = change_reason(ChangeBaseline::Decision).into();
        self.ask(id, found, arguments, AskKind::Integrity, reason);
    }

    /// Settles a call that was sent.
    fn settle_sent(&mut self, id: CallId, mut settled: CallResult, mut error: Option<CallError>) {
        if self.close(id).is_none() {
            return;
        }
        // Answers that wait for a busy program pile up outside its memory.
        let size = size_of_outcome(&settled);
        let (others, limit) = (self.outcomes.size(), self.budget().host_memory());
        if others.saturating_add(size) > limit {
            let message = format!(
                "the answer has {size} bytes, and {others} bytes of other answers wait for the program: more than \
                 the limit of {limit} bytes in all"
            );
            let refused = CallError::new(Code::ReplySize, message);
            settled = refusal(&refused);
            error = Some(refused);
        }
        self.events.event(&Event::CallSettled { run: self.run, call: id, error });
        self.settle(id, settled);
    }
}
