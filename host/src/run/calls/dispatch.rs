//! Calls on their way out, and back.

use super::approval::Approval;
use super::deciding::{CallContext, since};
use super::logged::Sent;
use crate::event::Event;
use crate::model::{
    AskKind, CallError, CallId, CallResult, ChangeBaseline, Code, Effects, INLINE, Need,
    ToolChange, ToolName,
};
use crate::router::RoutedTool;
use crate::run::calls::open_calls::{CallStage, InFlightResult, OpenCall, OpenCalls, ToolLookup};
use crate::run::perform::{OutgoingCall, PerformOutcome, parse_aside, perform, refusal};
use crate::store::size_of_outcome;
use futures_util::future::{AbortHandle, Abortable, Aborted, BoxFuture};
use futures_util::stream::StreamExt;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Why a call is asked about again that somebody approved.
const ANOTHER_CALL: &str = "what would go out is not what was approved";

/// A call that goes out next.
pub(in crate::run) struct CallToSend {
    pub(in crate::run) call: CallId,
    pub(in crate::run) found: RoutedTool,
    pub(super) arguments: String,
    pub(in crate::run) approval: Option<Arc<Approval>>,
}

impl OpenCalls {
    /// Whether a queued call may go out.
    pub(super) fn has_room(&self) -> bool {
        !self.queue.is_empty() && self.out() < self.in_flight && !self.held_back()
    }

    /// Calls that are out. Those whose tool is being found are not: a server that hangs holds up no
    /// other.
    fn out(&self) -> usize {
        // Replies that the program has not taken count too: a busy program must not pile them up.
        self.flying.len().saturating_sub(self.finding) + self.ready.len()
    }

    /// Takes the queued calls that there is room for. They are to be noted, and then sent.
    pub(in crate::run) fn leaving(&mut self) -> Vec<CallToSend> {
        let mut leaving = Vec::new();
        if !self.has_room() {
            return leaving;
        }
        let room = self.in_flight - self.out();
        while leaving.len() < room {
            let Some(call) = self.queue.pop_front() else { break };
            let Some(open) = self.open.get_mut(&call) else { continue };
            let CallStage::Queued(arguments) = &mut open.stage else { continue };
            let arguments = std::mem::take(arguments);
            let (found, approval) = (open.found.clone(), open.approval.clone());
            leaving.push(CallToSend { call, found, arguments, approval });
        }
        leaving
    }

    /// Sends calls that have been noted.
    pub(in crate::run) fn send(&mut self, leaving: Vec<CallToSend>) {
        for CallToSend { call: id, found, arguments, approval } in leaving {
            let Some(open) = self.open.get_mut(&id) else { continue };
            let tool = found.tool.clone();
            if let Some(origin) = &found.origin
                && self.origins.get(&tool) != Some(origin)
            {
                self.origins.insert(tool.clone(), origin.clone());
            }
            let began = Sent::of(self.run, id, &tool);
            self.events.event(&Event::CallStarted { run: self.run, call: id, tool });
            let (router, budget) = (self.router.clone(), self.budget.clone());
            let (parsed, reply_limit) = (self.parsed.remove(&id), self.reply_limit);
            let run = self.run;
            let outgoing =
                OutgoingCall { run, id, found, approval, arguments, parsed, reply_limit };
            let call: BoxFuture<'static, _> = Box::pin(async move {
                let landed = match perform(&router, &budget, outgoing).await {
                    PerformOutcome::Settled(settled, error) => {
                        InFlightResult::Settled(settled, error)
                    }
                    PerformOutcome::Changed(found, arguments) => {
                        InFlightResult::Changed(found, arguments)
                    }
                };
                began.landed(&landed);
                (id, landed)
            });
            let (abort, registration) = AbortHandle::new_pair();
            open.stage = CallStage::InFlight(abort);
            self.flying.push(Abortable::new(call, registration));
        }
    }

    /// Has the tool of a call found, before anything is decided about it.
    pub(super) fn find(
        &mut self,
        id: CallId,
        found: RoutedTool,
        arguments: String,
        standing: CallContext,
    ) {
        let routed = found.clone();
        // Long arguments are parsed before anything is decided about them, and not on this thread.
        let long = (arguments.len() > INLINE).then(|| (arguments.clone(), self.budget.clone()));
        let finding: BoxFuture<'static, _> = Box::pin(async move {
            let parsed = match long {
                Some((text, budget)) => {
                    parse_aside(text, &budget).await.map(|(_, value)| Some(value))
                }
                None => Ok(None),
            };
            let landed = match parsed {
                Ok(parsed) => InFlightResult::Resolved(Box::new(routed.find().await), parsed),
                Err(error) => InFlightResult::Resolved(Box::new(Err(error)), None),
            };
            (id, landed)
        });
        let (abort, registration) = AbortHandle::new_pair();
        let size = arguments.len();
        let stage = CallStage::Resolving(ToolLookup { arguments, abort, standing });
        self.open.insert(id, OpenCall { found, size, stage, approval: None });
        self.finding += 1;
        self.flying.push(Abortable::new(finding, registration));
    }

    /// Has it found out what a tool is now. Nothing of the run waits for it but what it says of its
    /// effects.
    pub(super) fn look_at(&mut self, tool: ToolName) {
        let (routed, name) = (self.router.route(tool.clone()), tool.clone());
        let looking: BoxFuture<'static, _> = Box::pin(async move {
            let effects = match routed.find().await {
                Ok(found) if found.need.is_none() => found.effects,
                _ => Effects::Unknown,
            };
            (CallId::numbered(0), InFlightResult::EffectsFound(name, effects))
        });
        let (_, registration) = AbortHandle::new_pair();
        self.looked_at.insert(tool, None);
        self.finding += 1;
        self.flying.push(Abortable::new(looking, registration));
    }

    /// Notes the replies that have arrived, without waiting for any.
    pub(in crate::run) fn poll(&mut self, context: &mut Context<'_>) {
        while let Poll::Ready(Some(done)) = self.flying.poll_next_unpin(context) {
            self.arrive(done);
        }
    }

    pub(super) fn arrive(&mut self, done: Result<(CallId, InFlightResult), Aborted>) {
        match done {
            Ok((id, InFlightResult::Settled(settled, error))) => self.answered(id, settled, error),
            Ok((id, InFlightResult::Resolved(found, parsed))) => {
                self.finding = self.finding.saturating_sub(1);
                if let Some(OpenCall { stage: CallStage::Resolving(finding), .. }) =
                    self.open.remove(&id)
                {
                    let ToolLookup { arguments, standing, .. } = finding;
                    self.parsed.extend(parsed.map(|value| (id, value)));
                    if let (Err(error), CallContext::Agreed(_)) = (&*found, &standing) {
                        let (run, error) = (self.run, Some(error.clone()));
                        self.events.event(&Event::CallSettled { run, call: id, error });
                    }
                    // What is decided shows in what is journalled next: it goes out, it is asked
                    // about, or it is settled.
                    let _ = self.decide_on(id, *found, arguments, standing);
                }
            }
            Ok((_, InFlightResult::EffectsFound(tool, effects))) => {
                self.finding = self.finding.saturating_sub(1);
                self.looked_at.insert(tool, Some(effects));
            }
            Ok((id, InFlightResult::Changed(found, arguments))) => {
                self.changed(id, *found, arguments)
            }
            Err(Aborted) => {}
        }
    }

    /// A tool has changed, or something it needs has gone, between the decision about a call and
    /// its going out: it is decided about again.
    fn changed(&mut self, id: CallId, mut found: RoutedTool, arguments: String) {
        let Some(before) = self.open.remove(&id) else { return };
        self.events.event(&Event::CallDropped { run: self.run, call: id });
        if found.need.is_some() {
            let _ = self.decide_on(id, Ok(found), arguments, CallContext::Fresh);
            return;
        }
        if before.found.origin == found.origin {
            // The same tool, and yet not what was approved: somebody looks at what it is.
            let (kind, reason) = (AskKind::ToolPermission, ANOTHER_CALL.to_owned());
            return self.ask(id, found, arguments, kind, reason);
        }
        let change = match &before.found.origin {
            Some(before) => self.differing(&found, before, ChangeBaseline::Decision),
            None => ToolChange::new(ChangeBaseline::Decision, Vec::new()),
        };
        found.need = Some(Need::Change(change));
        let reason = since(ChangeBaseline::Decision).into();
        self.ask(id, found, arguments, AskKind::Integrity, reason);
    }

    fn answered(&mut self, id: CallId, mut settled: CallResult, mut error: Option<CallError>) {
        if self.close(id).is_none() {
            return;
        }
        // Answers that wait for a busy program pile up outside its memory.
        let size = size_of_outcome(&settled);
        let (others, limit) = (self.ready_size, self.budget.host_memory());
        if others.saturating_add(size) > limit {
            let message = format!(
                "answers that the program has not taken yet may have {limit} bytes in all; this one has {size}, and \
                 others have {others}"
            );
            let refused = CallError::new(Code::ReplySize, message);
            settled = refusal(&refused);
            error = Some(refused);
        }
        self.events.event(&Event::CallSettled { run: self.run, call: id, error });
        self.arrived(id, settled);
    }
}
