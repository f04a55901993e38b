//! The open calls of a run: the table of calls, and the parts that take them from request to
//! outcome.
//!
//! A call comes in by `request` (or `restore`, after a rebuild), is decided on (`deciding`,
//! `approving`), waits for a person (`asking`) or is sent (`dispatch`), and leaves as an outcome
//! (`outcomes`).

use super::approval::Approval;
use super::attempts::Attempts;
use super::call_arguments::CallArguments;
use super::call_context::CallContext;
use super::call_decider::CallDecider;
use super::call_tasks::CallTasks;
use super::checkpoint_review::CheckpointReview;
use super::outcome_buffer::{NextOutcome, OutcomeBuffer};
use super::run_grants::{GrantPersistence, RunGrants};
use super::tool_changes::CalledOrigins;
use crate::event::{Event, EventSink};
use crate::model::{
    AskKind, CallError, CallId, CallResult, Effects, Limits, QuestionId, Reply, RunBudget, RunId,
    Timestamp, ToolName,
};
use crate::router::{RoutedTool, Router};
use crate::run::AbandonedCall;
use crate::run::checkpoint::Checkpoint;
use crate::run::perform::settle;
use crate::store::{AuditEvent, CallVerdict};
use futures_util::future::AbortHandle;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tracing::debug;

/// A call without an outcome.
pub(super) struct OpenCall {
    pub(super) found: RoutedTool,
    pub(super) size: usize,
    pub(super) stage: CallStage,
    /// What a person has approved, if one was asked.
    pub(super) approval: Option<Arc<Approval>>,
    /// The time at which the package of its server was installed for it.
    pub(super) installed_at: Option<Timestamp>,
}

impl OpenCall {
    /// Returns a call that nobody has approved.
    pub(super) fn new(found: RoutedTool, size: usize, stage: CallStage) -> OpenCall {
        OpenCall { found, size, stage, approval: None, installed_at: None }
    }
}

pub(super) enum CallStage {
    /// Its tool is looked up, or its need fulfilled.
    Resolving(ToolLookup),
    /// It is sent when there is room. Holds the arguments.
    Queued(String),
    /// It was sent.
    InFlight(AbortHandle),
    /// It waits for a person.
    Asking(PendingAsk),
}

pub(super) struct ToolLookup {
    pub(super) arguments: String,
    pub(super) abort: AbortHandle,
    pub(super) context: CallContext,
}

pub(super) struct PendingAsk {
    pub(super) kind: AskKind,
    pub(super) arguments: String,
    pub(super) reason: String,
    pub(super) question: Option<QuestionId>,
    /// The tool as the program wrote it, for an ask that comes from the journal: the tool is looked
    /// up again before the call is sent.
    pub(super) written: Option<ToolName>,
}

/// The open calls of a run.
pub(in crate::run) struct OpenCalls {
    pub(super) run: RunId,
    pub(super) router: Arc<Router>,
    pub(super) events: Arc<dyn EventSink>,
    reply_limit: usize,
    pub(super) open: BTreeMap<CallId, OpenCall>,
    /// The calls that are sent when there is room, in their order.
    pub(super) queue: VecDeque<CallId>,
    pub(super) arguments: CallArguments,
    pub(super) tasks: CallTasks,
    pub(super) outcomes: OutcomeBuffer,
    pub(super) grants: RunGrants,
    pub(super) origins: CalledOrigins,
    pub(super) attempts: Attempts,
    pub(super) review: CheckpointReview,
    /// The tools of calls that were refused and whose refusal the program has not taken.
    pub(super) refused: BTreeMap<CallId, String>,
    /// Events for the audit trail that are not written yet.
    pub(super) audit_events: Vec<AuditEvent>,
    /// The last reading of the run's clock.
    pub(super) now: Timestamp,
}

impl OpenCalls {
    pub(in crate::run) fn new(
        run: RunId,
        limits: &Limits,
        budget: RunBudget,
        router: Arc<Router>,
        events: Arc<dyn EventSink>,
        checkpoint: Option<Checkpoint>,
        grants: GrantPersistence,
    ) -> OpenCalls {
        OpenCalls {
            run,
            router,
            events,
            reply_limit: limits.reply,
            open: BTreeMap::new(),
            queue: VecDeque::new(),
            arguments: CallArguments::new(limits, budget),
            tasks: CallTasks::new(limits.calls_in_flight),
            outcomes: OutcomeBuffer::default(),
            grants: RunGrants::new(run, grants),
            origins: CalledOrigins::default(),
            attempts: Attempts::default(),
            review: CheckpointReview::new(checkpoint),
            refused: BTreeMap::new(),
            audit_events: Vec::new(),
            now: Timestamp::default(),
        }
    }

    pub(super) fn reply_limit(&self) -> usize {
        self.reply_limit
    }

    pub(super) fn decider(&self) -> CallDecider<'_> {
        CallDecider {
            router: &self.router,
            arguments: &self.arguments,
            grants: &self.grants,
            origins: &self.origins,
            attempts: &self.attempts,
        }
    }

    pub(super) fn enqueue(
        &mut self,
        id: CallId,
        found: RoutedTool,
        arguments: String,
        approval: Option<Arc<Approval>>,
    ) {
        let (run, tool, approved) = (self.run, found.tool.as_str(), approval.is_some());
        debug!(target: "pml::call", %run, call = id.number(), tool, approved, "call may go out");
        let open = OpenCall::new(found, arguments.len(), CallStage::Queued(arguments));
        self.open.insert(id, OpenCall { approval, ..open });
        self.queue.push_back(id);
    }

    pub(super) fn ask(
        &mut self,
        id: CallId,
        found: RoutedTool,
        arguments: String,
        kind: AskKind,
        reason: String,
    ) {
        let asking = PendingAsk { kind, arguments, reason, question: None, written: None };
        self.wait_for(id, found, asking);
    }

    pub(super) fn wait_for(&mut self, id: CallId, found: RoutedTool, asking: PendingAsk) {
        let (run, tool, kind) = (self.run, found.tool.as_str(), asking.kind);
        debug!(target: "pml::call", %run, call = id.number(), tool, ?kind, "call waits for a person");
        let (size, stage) = (asking.arguments.len(), CallStage::Asking(asking));
        self.open.insert(id, OpenCall::new(found, size, stage));
    }

    /// Refuses a call, and gives the bytes of its arguments back to the program.
    pub(super) fn refuse_held(&mut self, id: CallId, held: usize, error: CallError) -> CallVerdict {
        self.arguments.release(held);
        self.refuse(id, error)
    }

    pub(super) fn refuse(&mut self, id: CallId, error: CallError) -> CallVerdict {
        let run = self.run;
        debug!(target: "pml::call", %run, call = id.number(), code = error.known_code(), "call refused");
        let verdict =
            CallVerdict::Refuse { code: error.code.clone(), message: error.message.clone() };
        self.reply(id, Err(error));
        self.arguments.forget(id);
        verdict
    }

    /// Settles a call with a reply of pml's own, or of a person.
    pub(super) fn reply(&mut self, id: CallId, reply: Reply) {
        let settled = settle(reply, self.reply_limit, self.arguments.budget());
        self.settle(id, settled);
    }

    /// Puts the outcome of a call on its way to the program.
    pub(super) fn settle(&mut self, call: CallId, settled: CallResult) {
        self.outcomes.push(NextOutcome { call, settled, at: self.now });
    }

    /// Gives up a call that the program no longer waits for. Returns whether it was sent, or `None`
    /// if it is not open.
    pub(in crate::run) fn cancel(&mut self, id: CallId) -> Option<bool> {
        if self.outcomes.timers.remove(id) {
            return Some(false);
        }
        let Some(open) = self.close(id) else {
            self.outcomes.discard(id);
            return None;
        };
        let sent = match open.stage {
            CallStage::InFlight(abort) => {
                abort.abort();
                true
            }
            CallStage::Resolving(lookup) => {
                self.tasks.abort_lookup(&lookup.abort);
                false
            }
            CallStage::Queued(_) | CallStage::Asking(_) => false,
        };
        debug!(target: "pml::call", run = %self.run, call = id.number(), sent, "call given up");
        self.events.event(&Event::CallDropped { run: self.run, call: id });
        Some(sent)
    }

    pub(super) fn close(&mut self, id: CallId) -> Option<OpenCall> {
        let open = self.open.remove(&id)?;
        self.arguments.release(open.size);
        self.arguments.forget(id);
        Some(open)
    }

    /// Returns the budget that pays for parsing and writing.
    pub(in crate::run) fn budget(&self) -> &RunBudget {
        self.arguments.budget()
    }

    /// Takes the number of bytes of arguments that are no longer held.
    pub(in crate::run) fn take_released(&mut self) -> usize {
        self.arguments.take_released()
    }

    /// Returns the number of bytes of arguments that are held.
    pub(in crate::run) fn held(&self) -> usize {
        self.open.values().map(|open| open.size).sum()
    }

    /// Returns when the next sleep ends.
    pub(in crate::run) fn next_due(&self) -> Option<Timestamp> {
        self.outcomes.timers.next()
    }

    /// Takes the events for the audit trail.
    pub(in crate::run) fn take_audit_events(&mut self) -> Vec<AuditEvent> {
        std::mem::take(&mut self.audit_events)
    }

    /// Ends all calls: those that were sent are cancelled, the others are never sent.
    pub(in crate::run) fn abandon(&mut self) -> Vec<AbandonedCall> {
        let open = std::mem::take(&mut self.open);
        self.queue.clear();
        self.tasks.clear();
        let abandoned = open.into_iter().map(|(id, open)| {
            self.events.event(&Event::CallDropped { run: self.run, call: id });
            let sent = matches!(open.stage, CallStage::InFlight(_));
            let (tool, effects) = (open.found.tool.as_str().into(), open.found.effects);
            AbandonedCall { call: id, tool, sent, effects }
        });
        abandoned.collect()
    }

    /// Takes the refused calls whose refusal never reached the program: it ended without waiting.
    pub(in crate::run) fn take_unseen_refusals(&mut self) -> Vec<AbandonedCall> {
        let refused = std::mem::take(&mut self.refused).into_iter();
        let unseen = refused.filter(|(id, _)| self.outcomes.holds(*id));
        let effects = Effects::Unknown;
        unseen.map(|(call, tool)| AbandonedCall { call, tool, sent: false, effects }).collect()
    }
}
