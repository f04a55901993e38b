//! Calls on their way out, and back.

use super::approval::Approval;
use super::deciding::{Standing, since};
use super::logged::Sent;
use super::open::{Calls, Finding, Landed, Open, Stage};
use crate::event::Event;
use crate::model::Found;
use crate::model::{
    AskKind, CallError, CallId, Change, Code, Effects, INLINE, Need, Settled, Since, ToolName,
};
use crate::run::perform::{Outgoing, Performed, parse_aside, perform, refusal};
use crate::store::size_of_outcome;
use futures_util::future::{AbortHandle, Abortable, Aborted, BoxFuture};
use futures_util::stream::StreamExt;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Why a call is asked about again that somebody approved.
const ANOTHER_CALL: &str = "what would go out is not what was approved";

/// A call that goes out next.
pub(in crate::run) struct Leaving {
    pub(in crate::run) call: CallId,
    pub(in crate::run) found: Found,
    pub(super) arguments: String,
    pub(in crate::run) approval: Option<Arc<Approval>>,
}

impl Calls {
    /// Whether a queued call may go out.
    pub(super) fn has_room(&self) -> bool {
        !self.queue.is_empty() && self.out() < self.in_flight && !self.held_back()
    }

    /// Calls that are out. Those whose tool is being found are not: a server that hangs holds up no other.
    fn out(&self) -> usize {
        // Replies that the program has not taken count too: a busy program must not pile them up.
        self.flying.len().saturating_sub(self.finding) + self.ready.len()
    }

    /// Takes the queued calls that there is room for. They are to be noted, and then sent.
    pub(in crate::run) fn leaving(&mut self) -> Vec<Leaving> {
        let mut leaving = Vec::new();
        if !self.has_room() {
            return leaving;
        }
        let room = self.in_flight - self.out();
        while leaving.len() < room {
            let Some(call) = self.queue.pop_front() else { break };
            let Some(open) = self.open.get_mut(&call) else { continue };
            let Stage::Queued(arguments) = &mut open.stage else { continue };
            let arguments = std::mem::take(arguments);
            let (found, approval) = (open.found.clone(), open.approval.clone());
            leaving.push(Leaving { call, found, arguments, approval });
        }
        leaving
    }

    /// Sends calls that have been noted.
    pub(in crate::run) fn send(&mut self, leaving: Vec<Leaving>) {
        for Leaving { call: id, found, arguments, approval } in leaving {
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
            let outgoing = Outgoing { run, id, found, approval, arguments, parsed, reply_limit };
            let call: BoxFuture<'static, _> = Box::pin(async move {
                let landed = match perform(&router, &budget, outgoing).await {
                    Performed::Settled(settled, error) => Landed::Settled(settled, error),
                    Performed::Changed(found, arguments) => Landed::Changed(found, arguments),
                };
                began.landed(&landed);
                (id, landed)
            });
            let (abort, registration) = AbortHandle::new_pair();
            open.stage = Stage::Flying(abort);
            self.flying.push(Abortable::new(call, registration));
        }
    }

    /// Has the tool of a call found, before anything is decided about it.
    pub(super) fn find(
        &mut self,
        id: CallId,
        tool: ToolName,
        arguments: String,
        standing: Standing,
    ) {
        let (router, found) = (self.router.clone(), Found::new(tool.clone(), Effects::Unknown));
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
                Ok(parsed) => Landed::Found(router.find(&tool).await, parsed),
                Err(error) => Landed::Found(Err(error), None),
            };
            (id, landed)
        });
        let (abort, registration) = AbortHandle::new_pair();
        let size = arguments.len();
        let stage = Stage::Finding(Finding { arguments, abort, standing });
        self.open.insert(id, Open { found, size, stage, approval: None });
        self.finding += 1;
        self.flying.push(Abortable::new(finding, registration));
    }

    /// Has it found out what a tool is now. Nothing of the run waits for it but what it says of its effects.
    pub(super) fn look_at(&mut self, tool: ToolName) {
        let (router, name) = (self.router.clone(), tool.clone());
        let looking: BoxFuture<'static, _> = Box::pin(async move {
            let effects = match router.find(&name).await {
                Ok(found) if found.need.is_none() => found.effects,
                _ => Effects::Unknown,
            };
            (CallId(0), Landed::LookedAt(name, effects))
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

    pub(super) fn arrive(&mut self, done: Result<(CallId, Landed), Aborted>) {
        match done {
            Ok((id, Landed::Settled(settled, error))) => self.answered(id, settled, error),
            Ok((id, Landed::Found(found, parsed))) => {
                self.finding = self.finding.saturating_sub(1);
                if let Some(Open { stage: Stage::Finding(finding), .. }) = self.open.remove(&id) {
                    let Finding { arguments, standing, .. } = finding;
                    self.parsed.extend(parsed.map(|value| (id, value)));
                    if let (Err(error), Standing::Agreed(_)) = (&found, &standing) {
                        let (run, error) = (self.run, Some(error.clone()));
                        self.events.event(&Event::CallSettled { run, call: id, error });
                    }
                    // What is decided shows in what is journalled next: it goes out, it is asked about, or it is settled.
                    let _ = self.decide_on(id, found, arguments, standing);
                }
            }
            Ok((_, Landed::LookedAt(tool, effects))) => {
                self.finding = self.finding.saturating_sub(1);
                self.looked_at.insert(tool, Some(effects));
            }
            Ok((id, Landed::Changed(found, arguments))) => self.changed(id, *found, arguments),
            Err(Aborted) => {}
        }
    }

    /// A tool has changed, or something it needs has gone, between the decision about a call and its going out: it is decided about again.
    fn changed(&mut self, id: CallId, mut found: Found, arguments: String) {
        let Some(before) = self.open.remove(&id) else { return };
        self.events.event(&Event::CallDropped { run: self.run, call: id });
        if found.need.is_some() {
            let _ = self.decide_on(id, Ok(found), arguments, Standing::Fresh);
            return;
        }
        if before.found.origin == found.origin {
            // The same tool, and yet not what was approved: somebody looks at what it is.
            let (kind, reason) = (AskKind::ToolPermission, ANOTHER_CALL.to_owned());
            return self.ask(id, found, arguments, kind, reason);
        }
        let change = match &before.found.origin {
            Some(before) => self.differing(&found, before, Since::Decision),
            None => Change::new(Since::Decision, Vec::new()),
        };
        found.need = Some(Need::Change(change));
        let reason = since(Since::Decision).into();
        self.ask(id, found, arguments, AskKind::Integrity, reason);
    }

    fn answered(&mut self, id: CallId, mut settled: Settled, mut error: Option<CallError>) {
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
