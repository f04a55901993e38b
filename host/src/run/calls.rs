//! The calls of one run that have no outcome yet: queued, out, asleep, or waiting for a person.

use super::checkpoint::{Checkpoint, Recalled, Unmatched};
use super::history::{Past, Reached};
use super::perform::{parse, perform, settle};
use super::run_clock::RunClock;
use super::timers::Timers;
use crate::event::{Event, EventSink};
use crate::model::{
    Ask, AskKind, CallError, CallId, Code, Decision, Limits, Question, QuestionId, Reply, RunId,
    Settled, Timestamp, ToolName,
};
use crate::router::{BUILT_IN, Router, SLEEP, Verdict as Door};
use crate::run::Abandoned;
use crate::store::Verdict;
use futures_util::future::{AbortHandle, Abortable, Aborted, BoxFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Replies that are noted at once, at most: the program gets each before the next call of it goes out.
const BATCH: usize = 64;

/// Why a call is asked about whose outcome nobody knows.
const UNCERTAIN: &str = "it was out when its process ended: nobody knows what became of it";

/// The same, where it is made again by a mended program.
const MADE_BEFORE: &str = "the earlier run made this call, and nobody knows what became of it";

type Flying = Abortable<BoxFuture<'static, (CallId, Reply)>>;

/// A call without an outcome.
struct Open {
    tool: ToolName,
    size: usize,
    stage: Stage,
}

enum Stage {
    /// It goes out when there is room.
    Queued(String),
    /// It is out.
    Flying(AbortHandle),
    /// It waits for a person.
    Asking(Asking),
}

struct Asking {
    kind: AskKind,
    arguments: String,
    reason: String,
    question: Option<QuestionId>,
}

/// A call that goes out next.
pub(super) struct Leaving {
    pub(super) call: CallId,
    pub(super) tool: ToolName,
    /// Whether it may be made again if nobody knows what became of it.
    pub(super) repeatable: bool,
    arguments: String,
}

/// An outcome on its way to the program.
pub(super) struct Arrival {
    pub(super) call: CallId,
    pub(super) settled: Settled,
    pub(super) at: Timestamp,
}

/// A reply that has arrived.
struct Arrived {
    id: CallId,
    reply: Reply,
    at: Timestamp,
}

/// All open calls.
pub(super) struct Calls {
    run: RunId,
    router: Arc<Router>,
    events: Arc<dyn EventSink>,
    in_flight: usize,
    reply_limit: usize,
    open: BTreeMap<CallId, Open>,
    queue: VecDeque<CallId>,
    flying: FuturesUnordered<Flying>,
    timers: Timers,
    /// Replies that have arrived, in the order of their arrival.
    ready: VecDeque<Arrived>,
    /// Calls that were cancelled after their reply had arrived.
    dropped: HashSet<CallId>,
    /// Tools that a person allowed for the rest of the run.
    granted: HashSet<ToolName>,
    checkpoint: Option<Checkpoint>,
    /// Outcomes of the checkpoint that the program has asked for, by their order of then.
    recalled: BTreeMap<usize, (CallId, Recalled)>,
    /// The question about calls of the checkpoint that the program did not ask for again.
    unmatched: Option<QuestionId>,
    /// The last reading of the run's clock.
    last: Timestamp,
    released: usize,
}

impl Calls {
    pub(super) fn new(
        run: RunId,
        limits: &Limits,
        router: Arc<Router>,
        events: Arc<dyn EventSink>,
        checkpoint: Option<Checkpoint>,
    ) -> Calls {
        Calls {
            run,
            router,
            events,
            in_flight: limits.calls_in_flight,
            reply_limit: limits.reply,
            open: BTreeMap::new(),
            queue: VecDeque::new(),
            flying: FuturesUnordered::new(),
            timers: Timers::default(),
            ready: VecDeque::new(),
            dropped: HashSet::new(),
            granted: HashSet::new(),
            checkpoint,
            recalled: BTreeMap::new(),
            unmatched: None,
            last: Timestamp::default(),
            released: 0,
        }
    }

    /// Takes a call that the program asked for at `now`. Returns what the door says to it.
    pub(super) fn request(
        &mut self,
        id: CallId,
        tool: &str,
        arguments: Result<&str, usize>,
        now: Timestamp,
        limit: usize,
    ) -> Verdict {
        let arguments = match arguments {
            Ok(arguments) => arguments,
            Err(size) => {
                let message = format!(
                    "the arguments of open calls may be {limit} bytes of JSON in all; these are {size}"
                );
                return self.refuse(id, CallError::new(Code::ArgumentsSize, message));
            }
        };
        let name = match tool.parse::<ToolName>() {
            Ok(name) => name,
            Err(invalid) => {
                self.released += arguments.len();
                return self.refuse(id, CallError::new(Code::ToolUnknown, invalid.to_string()));
            }
        };
        if let Some(found) = self.checkpoint.as_mut().and_then(|past| past.take(tool, arguments)) {
            self.released += arguments.len();
            let call = found.call;
            self.recalled.insert(found.order, (id, found));
            return Verdict::Recall { call };
        }
        if name.server() == BUILT_IN && name.tool() == SLEEP {
            self.released += arguments.len();
            return match self.timers.add(id, arguments, now) {
                Ok(due) => Verdict::Sleep { due },
                Err(error) => self.refuse(id, error),
            };
        }
        let door = match self.router.verdict(&name) {
            door @ Door::Deny(_) => (AskKind::ToolPermission, door),
            door => match self.made_before(&name, arguments) {
                true => (AskKind::UncertainCall, Door::Ask(MADE_BEFORE.into())),
                false => (AskKind::ToolPermission, door),
            },
        };
        match door.1 {
            Door::Deny(error) => {
                self.released += arguments.len();
                self.refuse(id, error)
            }
            Door::Ask(reason)
                if door.0 == AskKind::UncertainCall || !self.granted.contains(&name) =>
            {
                let checked = parse(arguments).and_then(|value| self.router.check(&name, &value));
                if let Err(error) = checked {
                    self.released += arguments.len();
                    return self.refuse(id, error);
                }
                self.ask(id, name, arguments.into(), door.0, reason.clone(), None);
                Verdict::Ask { kind: door.0, reason }
            }
            Door::Go | Door::Ask(_) => {
                self.enqueue(id, name, arguments.into());
                Verdict::Go
            }
        }
    }

    /// Whether the run that this one takes up made a call that must not be repeated, and nobody knows its outcome.
    fn made_before(&mut self, tool: &ToolName, arguments: &str) -> bool {
        !self.router.effects(tool).repeatable()
            && self
                .checkpoint
                .as_mut()
                .is_some_and(|past| past.take_unknown(tool.as_str(), arguments))
    }

    /// Takes a call up again where the journal left it.
    pub(super) fn restore(&mut self, id: CallId, past: Past) {
        if past.reached == Reached::Done {
            return;
        }
        let error = |code, message| CallError { code, message, data: None };
        match past.verdict.clone() {
            Verdict::Refuse { code, message } => drop(self.refuse(id, error(code, message))),
            Verdict::Sleep { due } => self.timers.add_until(id, due),
            Verdict::Recall { call } => {
                let found = self.checkpoint.as_mut().and_then(|old| old.take_again(&past, call));
                if let Some(found) = found {
                    self.recalled.insert(found.order, (id, found));
                }
            }
            Verdict::Go | Verdict::Ask { .. } => {
                let (Ok(name), Ok(arguments)) = (past.tool.parse::<ToolName>(), past.arguments)
                else {
                    // A call without a name or arguments was refused when it was made.
                    return;
                };
                self.restore_sendable(id, name, arguments, &past.verdict, past.reached);
            }
        }
    }

    fn restore_sendable(
        &mut self,
        id: CallId,
        name: ToolName,
        arguments: String,
        verdict: &Verdict,
        reached: Reached,
    ) {
        let asked = match verdict {
            Verdict::Ask { kind, reason } => Some((*kind, reason.clone())),
            _ => None,
        };
        let uncertain = || (AskKind::UncertainCall, UNCERTAIN.to_owned());
        match reached {
            Reached::Executing if self.router.effects(&name).repeatable() => {
                self.enqueue(id, name, arguments);
            }
            Reached::Executing => {
                let (kind, reason) = uncertain();
                self.ask(id, name, arguments, kind, reason, None);
            }
            Reached::Asked(question) => {
                // A call that the policy lets go was asked about because nobody knows its outcome.
                let (kind, reason) = asked.unwrap_or_else(uncertain);
                self.ask(id, name, arguments, kind, reason, Some(question));
            }
            Reached::Requested => match asked {
                Some((kind, reason)) => self.ask(id, name, arguments, kind, reason, None),
                None => self.enqueue(id, name, arguments),
            },
            Reached::Done => {}
        }
    }

    fn enqueue(&mut self, id: CallId, tool: ToolName, arguments: String) {
        let open = Open { tool, size: arguments.len(), stage: Stage::Queued(arguments) };
        self.open.insert(id, open);
        self.queue.push_back(id);
    }

    fn ask(
        &mut self,
        id: CallId,
        tool: ToolName,
        arguments: String,
        kind: AskKind,
        reason: String,
        question: Option<QuestionId>,
    ) {
        let size = arguments.len();
        let stage = Stage::Asking(Asking { kind, arguments, reason, question });
        self.open.insert(id, Open { tool, size, stage });
    }

    fn refuse(&mut self, id: CallId, error: CallError) -> Verdict {
        let verdict = Verdict::Refuse { code: error.code.clone(), message: error.message.clone() };
        self.reply(id, Err(error));
        verdict
    }

    fn reply(&mut self, id: CallId, reply: Reply) {
        let at = self.last;
        self.ready.push_back(Arrived { id, reply, at });
    }

    /// Gives up a call that nobody waits for. Returns whether it had gone out, if it was open.
    pub(super) fn cancel(&mut self, id: CallId) -> Option<bool> {
        if self.timers.remove(id) {
            return Some(false);
        }
        let Some(open) = self.close(id) else {
            self.dropped.insert(id);
            return None;
        };
        let sent = match open.stage {
            Stage::Flying(abort) => {
                abort.abort();
                true
            }
            Stage::Queued(_) | Stage::Asking(_) => false,
        };
        self.events.event(&Event::CallDropped { run: self.run, call: id });
        Some(sent)
    }

    fn close(&mut self, id: CallId) -> Option<Open> {
        let open = self.open.remove(&id)?;
        self.released += open.size;
        Some(open)
    }

    /// Takes the queued calls that there is room for. They are to be noted, and then sent.
    pub(super) fn leaving(&mut self) -> Vec<Leaving> {
        let mut leaving = Vec::new();
        if self.checkpoint.as_ref().is_some_and(|checkpoint| !checkpoint.passed()) {
            return leaving;
        }
        // Replies that the program has not taken count too: a busy program must not pile them up.
        while self.flying.len() + self.ready.len() + leaving.len() < self.in_flight {
            let Some(call) = self.queue.pop_front() else { break };
            let Some(open) = self.open.get_mut(&call) else { continue };
            let Stage::Queued(arguments) = &mut open.stage else { continue };
            let arguments = std::mem::take(arguments);
            let tool = open.tool.clone();
            let repeatable = self.router.effects(&tool).repeatable();
            leaving.push(Leaving { call, tool, repeatable, arguments });
        }
        leaving
    }

    /// Sends calls that have been noted.
    pub(super) fn send(&mut self, leaving: Vec<Leaving>) {
        for Leaving { call: id, tool, arguments, .. } in leaving {
            let Some(open) = self.open.get_mut(&id) else { continue };
            self.events.event(&Event::CallStarted { run: self.run, call: id, tool: tool.clone() });
            let (run, router) = (self.run, self.router.clone());
            let call: BoxFuture<'static, _> =
                Box::pin(async move { (id, perform(&router, run, id, tool, arguments).await) });
            let (abort, registration) = AbortHandle::new_pair();
            open.stage = Stage::Flying(abort);
            self.flying.push(Abortable::new(call, registration));
        }
    }

    /// Notes the replies that have arrived, without waiting for any.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) {
        while let Poll::Ready(Some(done)) = self.flying.poll_next_unpin(context) {
            self.arrive(done);
        }
    }

    fn arrive(&mut self, done: Result<(CallId, Reply), Aborted>) {
        let Ok((id, reply)) = done else { return };
        if self.close(id).is_none() {
            return;
        }
        let error = reply.as_ref().err().cloned();
        self.events.event(&Event::CallSettled { run: self.run, call: id, error });
        self.reply(id, reply);
    }

    /// Waits for the next outcomes: replies, ends of sleeps. An empty list says that calls may go out now; nothing says
    /// that only people can help.
    pub(super) async fn next(&mut self, clock: &mut RunClock) -> Option<Vec<Arrival>> {
        loop {
            // The clock of then counts for what is recalled: the one of today is not read before it is used up.
            if let Some((_, (call, found))) = self.recalled.pop_first() {
                let at = clock.reach(found.at);
                return Some(vec![Arrival { call, settled: found.settled, at }]);
            }
            self.last = clock.now();
            // Replies are noted before timers are looked at: a timer that is always due must not keep them out.
            poll_fn(|context| {
                self.poll(context);
                Poll::Ready(())
            })
            .await;
            let ready = self.take_ready();
            if !ready.is_empty() {
                return Some(ready);
            }
            if self.at_the_frontier() {
                return Some(Vec::new());
            }
            if self.flying.is_empty() && self.asks() {
                return None;
            }
            let wait = self.timers.next().map(|due| (due, due.since(self.last)));
            let Some((due, wait)) = wait else {
                match self.flying.next().await {
                    Some(done) => self.arrive(done),
                    // The guest says it waits, and there is nothing to wait for: its own check comes first.
                    None => std::future::pending().await,
                }
                continue;
            };
            tokio::select! {
                biased;
                Some(done) = self.flying.next() => {
                    self.last = clock.now();
                    self.arrive(done);
                }
                // The timer's word counts even where the clock stands still.
                () = tokio::time::sleep(wait) => {
                    clock.reach(due);
                    self.last = clock.now();
                }
            }
            let ready = self.take_ready();
            if !ready.is_empty() {
                return Some(ready);
            }
        }
    }

    /// Whether the program has just used up its checkpoint, and nobody needs to be asked about what it left.
    fn at_the_frontier(&mut self) -> bool {
        let Some(checkpoint) = self.checkpoint.as_mut().filter(|past| !past.passed()) else {
            return false;
        };
        let clear = checkpoint.unmatched(|tool| self.router.effects(tool)).is_empty();
        if clear {
            checkpoint.pass();
        }
        clear
    }

    /// Takes what comes first of the sleeps that have ended and the replies that have arrived, and what is next to it.
    fn take_ready(&mut self) -> Vec<Arrival> {
        let mut taken = Vec::new();
        while taken.len() < BATCH
            && let Some((call, reply)) = self.take_one()
        {
            let settled = settle(&reply, self.reply_limit);
            taken.push(Arrival { call, settled, at: self.last });
        }
        taken
    }

    fn take_one(&mut self) -> Option<(CallId, Reply)> {
        while self.ready.front().is_some_and(|first| self.dropped.remove(&first.id)) {
            self.ready.pop_front();
        }
        let due = self.timers.next().filter(|due| *due <= self.last);
        let arrived = self.ready.front().map(|first| first.at);
        if due.is_some_and(|due| arrived.is_none_or(|arrived| due < arrived)) {
            return Some((self.timers.take_due(self.last)?, Ok(serde_json::Value::Null)));
        }
        let Arrived { id, reply, .. } = self.ready.pop_front()?;
        Some((id, reply))
    }

    /// Takes the number of bytes of arguments that are no longer held.
    pub(super) fn released(&mut self) -> usize {
        std::mem::take(&mut self.released)
    }

    /// The number of bytes of arguments that are held.
    pub(super) fn held(&self) -> usize {
        self.open.values().map(|open| open.size).sum()
    }

    /// When the next sleep ends.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        self.timers.next()
    }

    /// Whether anything waits for a person.
    fn asks(&self) -> bool {
        let held_back = self.checkpoint.as_ref().is_some_and(|checkpoint| !checkpoint.passed());
        held_back || self.open.values().any(|open| matches!(open.stage, Stage::Asking(_)))
    }

    /// What waits for a person and has not been asked yet.
    pub(super) fn unasked(&self) -> Vec<Ask> {
        let unmatched = match (&self.checkpoint, self.unmatched) {
            (Some(checkpoint), None) if !checkpoint.passed() => self.unmatched(),
            _ => Vec::new(),
        };
        let calls = self.open.iter().filter_map(|(id, open)| match &open.stage {
            Stage::Asking(asking) if asking.question.is_none() => {
                let arguments = parse(&asking.arguments).unwrap_or_default();
                let (tool, reason) = (open.tool.as_str(), asking.reason.clone());
                Some(Ask::new(asking.kind, Some(*id), tool, arguments, reason))
            }
            _ => None,
        });
        unmatched.iter().map(Unmatched::ask).chain(calls).collect()
    }

    /// Calls with effects of the checkpoint that the program has not asked for again.
    pub(super) fn unmatched(&self) -> Vec<Unmatched> {
        let checkpoint = self.checkpoint.as_ref();
        checkpoint.map_or(Vec::new(), |past| past.unmatched(|tool| self.router.effects(tool)))
    }

    /// Notes that a question was asked.
    pub(super) fn asked(&mut self, question: &Question) {
        for ask in &question.asks {
            match ask.call.map(|call| self.open.get_mut(&call)) {
                Some(Some(Open { stage: Stage::Asking(asking), .. })) => {
                    asking.question = Some(question.id);
                }
                Some(_) => {}
                None => self.unmatched = Some(question.id),
            }
        }
    }

    /// Whether anything waits for this question.
    pub(super) fn waits_for(&self, question: QuestionId) -> bool {
        let waits = |open: &Open| matches!(&open.stage, Stage::Asking(asking) if asking.question == Some(question));
        let held_back = self.checkpoint.as_ref().is_some_and(|checkpoint| !checkpoint.passed());
        (held_back && self.unmatched == Some(question)) || self.open.values().any(waits)
    }

    /// Takes up the question about the checkpoint, where one was asked.
    pub(super) fn restore_questions(&mut self, questions: &[Question]) {
        let about_the_run =
            |question: &&Question| question.asks.iter().any(|ask| ask.call.is_none());
        self.unmatched = questions.iter().find(about_the_run).map(|question| question.id);
    }

    /// Does what was decided about an ask of a question. What was done before is not done again.
    pub(super) fn decide(&mut self, question: QuestionId, ask: &Ask, decision: &Decision) {
        let tool = ask.tool.parse::<ToolName>();
        if *decision == Decision::Always && ask.kind == AskKind::ToolPermission {
            self.granted.extend(tool);
        }
        let Some(call) = ask.call else {
            if self.unmatched == Some(question)
                && let Some(checkpoint) = &mut self.checkpoint
            {
                checkpoint.pass();
            }
            return;
        };
        let waits = |open: &&mut Open| matches!(&open.stage, Stage::Asking(asking) if asking.question == Some(question));
        let Some(open) = self.open.get_mut(&call).filter(waits) else { return };
        let reply = match decision {
            Decision::Approve | Decision::Always => {
                if let Stage::Asking(asking) = &mut open.stage {
                    open.stage = Stage::Queued(std::mem::take(&mut asking.arguments));
                    self.queue.push_back(call);
                }
                return;
            }
            Decision::Result(value) => Ok(value.clone()),
            _ => Err(match ask.kind {
                AskKind::UncertainCall => CallError::new(
                    Code::OutcomeUnknown,
                    format!("nobody knows what became of this call of `{}`", ask.tool),
                ),
                _ => CallError::new(
                    Code::ApprovalDeclined,
                    format!("a person declined this call of `{}`", ask.tool),
                ),
            }),
        };
        self.close(call);
        self.reply(call, reply);
    }

    /// Ends all calls: those out are cancelled, those queued never leave.
    pub(super) fn abandon(&mut self) -> Vec<Abandoned> {
        let open = std::mem::take(&mut self.open);
        self.queue.clear();
        self.flying.clear();
        let abandoned = open.into_iter().map(|(id, open)| {
            self.events.event(&Event::CallDropped { run: self.run, call: id });
            let sent = matches!(open.stage, Stage::Flying(_));
            Abandoned { call: id, tool: open.tool.as_str().into(), sent }
        });
        abandoned.collect()
    }
}
