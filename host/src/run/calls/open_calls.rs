//! All open calls of a run, and what is known of each.

use super::approval::Approval;
use super::asking::CheckpointQuestion;
use super::deciding::CallContext;
use crate::event::{Event, EventSink};
use crate::model::{
    AskKind, CallError, CallId, CallResult, Effects, Limits, QuestionId, Reply, RunBudget, RunId,
    Timestamp, ToolName, ToolOrigin,
};
use crate::router::{RoutedTool, Router};
use crate::run::AbandonedCall;
use crate::run::calls::arguments_memory::ArgumentsMemory;
use crate::run::calls::outcomes::BufferedOutcome;
use crate::run::calls::run_grants::{GrantPersistence, RunGrants};
use crate::run::checkpoint::{Checkpoint, CheckpointOutcome};
use crate::run::perform::settle;
use crate::run::timers::Timers;
use crate::store::{AuditEvent, CallVerdict, size_of_outcome};
use futures_util::future::{AbortHandle, Abortable, BoxFuture};
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use tracing::debug;

pub(super) type InFlightTask = Abortable<BoxFuture<'static, (CallId, InFlightResult)>>;

/// What comes back.
pub(super) enum InFlightResult {
    /// Which tool the call means, and its arguments if they were parsed.
    Resolved(Box<Result<RoutedTool, CallError>>, Option<Value>),
    /// What a tool is of which only the outcome of a call is left.
    EffectsFound(ToolName, Effects),
    /// Its outcome, and the error that it is.
    Settled(CallResult, Option<CallError>),
    /// It did not go out: its tool is not what was decided about.
    Changed(Box<RoutedTool>, String),
}

/// A call without an outcome.
pub(super) struct OpenCall {
    pub(super) found: RoutedTool,
    pub(super) size: usize,
    pub(super) stage: CallStage,
    /// What a person has approved, if one was asked.
    pub(super) approval: Option<Arc<Approval>>,
}

pub(super) enum CallStage {
    /// Its tool is being found, or what it lacks brought about.
    Resolving(ToolLookup),
    /// It goes out when there is room.
    Queued(String),
    /// It is out.
    InFlight(AbortHandle),
    /// It waits for a person.
    Asking(PendingAsk),
}

pub(super) struct ToolLookup {
    pub(super) arguments: String,
    pub(super) abort: AbortHandle,
    /// What is known of the call meanwhile.
    pub(super) standing: CallContext,
}

pub(super) struct PendingAsk {
    pub(super) kind: AskKind,
    pub(super) arguments: String,
    pub(super) reason: String,
    pub(super) question: Option<QuestionId>,
    /// The tool as the program wrote it, where the journal says what was asked: it is found again
    /// before the call goes out.
    pub(super) written: Option<ToolName>,
}

/// All open calls.
pub(in crate::run) struct OpenCalls {
    pub(super) run: RunId,
    pub(super) router: Arc<Router>,
    pub(super) events: Arc<dyn EventSink>,
    pub(super) in_flight: usize,
    pub(super) reply_limit: usize,
    /// Who pays for what is parsed and written.
    pub(super) budget: RunBudget,
    /// What the arguments of open calls take once they are parsed.
    pub(super) weights: ArgumentsMemory,
    /// Arguments that were parsed before their call was decided about.
    pub(super) parsed: HashMap<CallId, Value>,
    pub(super) open: BTreeMap<CallId, OpenCall>,
    pub(super) queue: VecDeque<CallId>,
    pub(super) flying: FuturesUnordered<InFlightTask>,
    /// How many of them find a tool.
    pub(super) finding: usize,
    pub(super) timers: Timers,
    /// Replies that have arrived, in the order of their arrival.
    pub(super) ready: VecDeque<BufferedOutcome>,
    /// The bytes of those replies.
    pub(super) ready_size: usize,
    /// Calls that were cancelled after their reply had arrived.
    pub(super) dropped: HashSet<CallId>,
    /// What a person allowed for the rest of the run.
    pub(super) granted: RunGrants,
    /// What each tool was when it was last called.
    pub(super) origins: HashMap<ToolName, ToolOrigin>,
    /// How often what a call lacks was brought about, by kind.
    pub(super) met: HashMap<(CallId, AskKind), u32>,
    /// How often a call was asked about again because what was decided is not about it.
    pub(super) asked_again: HashMap<CallId, u32>,
    /// How often the question about the checkpoint was.
    pub(super) unmatched_again: u32,
    /// The digests of calls of the checkpoint that a person goes on without, and how many such
    /// calls each question was about.
    pub(super) let_go: HashMap<String, HashMap<QuestionId, usize>>,
    /// What tools are of which only outcomes of the checkpoint are left; nothing while that is
    /// found out.
    pub(super) looked_at: HashMap<ToolName, Option<Effects>>,
    /// What is to be remembered of what people agreed to.
    pub(super) notes: Vec<AuditEvent>,
    pub(super) checkpoint: Option<Checkpoint>,
    /// Outcomes of the checkpoint that the program has asked for, by their order of then.
    pub(super) recalled: BTreeMap<u64, (CallId, CheckpointOutcome)>,
    pub(super) unmatched: Option<CheckpointQuestion>,
    /// The last reading of the run's clock.
    pub(super) last: Timestamp,
    pub(super) released: usize,
}

impl OpenCalls {
    pub(in crate::run) fn new(
        run: RunId,
        limits: &Limits,
        budget: RunBudget,
        router: Arc<Router>,
        events: Arc<dyn EventSink>,
        checkpoint: Option<Checkpoint>,
        keepers: GrantPersistence,
    ) -> OpenCalls {
        OpenCalls {
            run,
            router,
            events,
            in_flight: limits.calls_in_flight,
            reply_limit: limits.reply,
            budget,
            weights: ArgumentsMemory::new(limits.host_memory()),
            parsed: HashMap::new(),
            open: BTreeMap::new(),
            queue: VecDeque::new(),
            flying: FuturesUnordered::new(),
            finding: 0,
            timers: Timers::default(),
            ready: VecDeque::new(),
            ready_size: 0,
            dropped: HashSet::new(),
            granted: RunGrants::new(run, keepers),
            origins: HashMap::new(),
            met: HashMap::new(),
            asked_again: HashMap::new(),
            unmatched_again: 0,
            let_go: HashMap::new(),
            looked_at: HashMap::new(),
            notes: Vec::new(),
            checkpoint,
            recalled: BTreeMap::new(),
            unmatched: None,
            last: Timestamp::default(),
            released: 0,
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
        let size = arguments.len();
        let open = OpenCall { found, size, stage: CallStage::Queued(arguments), approval };
        self.open.insert(id, open);
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
        self.open.insert(id, OpenCall { found, size, stage, approval: None });
    }

    pub(super) fn refuse(&mut self, id: CallId, error: CallError) -> CallVerdict {
        let run = self.run;
        debug!(target: "pml::call", %run, call = id.number(), code = error.known_code(), "call refused");
        let verdict =
            CallVerdict::Refuse { code: error.code.clone(), message: error.message.clone() };
        self.reply(id, Err(error));
        self.weights.remove(id);
        self.parsed.remove(&id);
        verdict
    }

    pub(super) fn reply(&mut self, id: CallId, reply: Reply) {
        let settled = settle(reply, self.reply_limit, &self.budget);
        self.arrived(id, settled);
    }

    /// Takes an outcome on its way to the program.
    pub(super) fn arrived(&mut self, id: CallId, settled: CallResult) {
        let at = self.last;
        self.ready_size += size_of_outcome(&settled);
        self.ready.push_back(BufferedOutcome { id, settled, at });
    }

    /// Gives up a call that nobody waits for. Returns whether it had gone out, if it was open.
    pub(in crate::run) fn cancel(&mut self, id: CallId) -> Option<bool> {
        if self.timers.remove(id) {
            return Some(false);
        }
        let Some(open) = self.close(id) else {
            self.dropped.insert(id);
            return None;
        };
        let sent = match open.stage {
            CallStage::InFlight(abort) => {
                abort.abort();
                true
            }
            CallStage::Resolving(finding) => {
                finding.abort.abort();
                self.finding = self.finding.saturating_sub(1);
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
        self.released += open.size;
        self.weights.remove(id);
        self.parsed.remove(&id);
        Some(open)
    }

    /// Who pays for what is parsed and written.
    pub(in crate::run) fn budget(&self) -> &RunBudget {
        &self.budget
    }

    /// Takes the number of bytes of arguments that are no longer held.
    pub(in crate::run) fn released(&mut self) -> usize {
        std::mem::take(&mut self.released)
    }

    /// The number of bytes of arguments that are held.
    pub(in crate::run) fn held(&self) -> usize {
        self.open.values().map(|open| open.size).sum()
    }

    /// When the next sleep ends.
    pub(in crate::run) fn next_due(&self) -> Option<Timestamp> {
        self.timers.next()
    }

    /// Ends all calls: those out are cancelled, those queued never leave.
    pub(in crate::run) fn abandon(&mut self) -> Vec<AbandonedCall> {
        let open = std::mem::take(&mut self.open);
        self.queue.clear();
        self.flying.clear();
        self.finding = 0;
        let abandoned = open.into_iter().map(|(id, open)| {
            self.events.event(&Event::CallDropped { run: self.run, call: id });
            let sent = matches!(open.stage, CallStage::InFlight(_));
            AbandonedCall { call: id, tool: open.found.tool.as_str().into(), sent }
        });
        abandoned.collect()
    }
}
