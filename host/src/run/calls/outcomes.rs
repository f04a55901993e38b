//! The outcomes that a program gets next: replies and ends of sleeps, in their order.

use crate::model::{CallId, CallResult, Timestamp, ToolName};
use crate::router::Resolution;
use crate::run::calls::open_calls::OpenCalls;
use crate::run::run_clock::RunClock;
use crate::store::size_of_outcome;
use futures_util::stream::StreamExt;
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::task::Poll;

/// Replies that are noted at once, at most: the program gets each before the next call of it goes
/// out.
const BATCH: usize = 64;

/// An outcome on its way to the program.
pub(in crate::run) struct NextOutcome {
    pub(in crate::run) call: CallId,
    pub(in crate::run) settled: CallResult,
    pub(in crate::run) at: Timestamp,
}

/// A reply that has arrived.
pub(super) struct BufferedOutcome {
    pub(super) id: CallId,
    pub(super) settled: CallResult,
    pub(super) at: Timestamp,
}

impl OpenCalls {
    /// Waits for the next outcomes: replies, ends of sleeps. An empty list says that calls may go
    /// out now; nothing says that only people can help.
    pub(in crate::run) async fn next(&mut self, clock: &mut RunClock) -> Option<Vec<NextOutcome>> {
        loop {
            // The clock of then counts for what is recalled: the one of today is not read before it
            // is used up.
            if let Some((_, (call, found))) = self.recalled.pop_first() {
                let at = clock.reach(found.at);
                return Some(vec![NextOutcome { call, settled: found.settled, at }]);
            }
            self.last = clock.now();
            // Replies are noted before timers are looked at: a timer that is always due must not
            // keep them out.
            poll_fn(|context| {
                self.poll(context);
                Poll::Ready(())
            })
            .await;
            let ready = self.take_ready();
            if !ready.is_empty() {
                return Some(ready);
            }
            // A call that was given up has made room.
            if self.at_the_frontier() || self.has_room() {
                return Some(Vec::new());
            }
            if self.flying.is_empty() && self.asks() {
                return None;
            }
            let wait = self.timers.next().map(|due| (due, due.since(self.last)));
            let Some((due, wait)) = wait else {
                match self.flying.next().await {
                    Some(done) => self.arrive(done),
                    // The guest says it waits, and there is nothing to wait for: its own check
                    // comes first.
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

    /// Whether the program has just used up its checkpoint, and nobody needs to be asked about what
    /// it left.
    fn at_the_frontier(&mut self) -> bool {
        if !self.held_back() {
            return false;
        }
        let unknown = self.unknown_readers();
        unknown.into_iter().for_each(|tool| self.look_at(tool));
        let clear = self.held_by().is_empty();
        if let (true, Some(checkpoint)) = (clear, &mut self.checkpoint) {
            checkpoint.pass();
        }
        clear
    }

    /// Tools that only read as far as the journal knows, and of which nobody here knows what they
    /// are now: servers are started to say so before a person is bothered with what they did.
    fn unknown_readers(&self) -> BTreeSet<ToolName> {
        let readers = self.checkpoint.iter().flat_map(|past| past.readers());
        let unknown = readers.filter(|tool| {
            !self.looked_at.contains_key(tool)
                && self.router.denied(tool).is_none()
                && matches!(self.router.route(tool.clone()).look_up(), Resolution::Pending)
        });
        unknown.collect()
    }

    /// Takes what comes first of the sleeps that have ended and the replies that have arrived, and
    /// what is next to it.
    fn take_ready(&mut self) -> Vec<NextOutcome> {
        let mut taken = Vec::new();
        while taken.len() < BATCH
            && let Some((call, settled)) = self.take_one()
        {
            taken.push(NextOutcome { call, settled, at: self.last });
        }
        taken
    }

    fn take_one(&mut self) -> Option<(CallId, CallResult)> {
        while self.ready.front().is_some_and(|first| self.dropped.remove(&first.id)) {
            self.take_first();
        }
        let due = self.timers.next().filter(|due| *due <= self.last);
        let arrived = self.ready.front().map(|first| first.at);
        if due.is_some_and(|due| arrived.is_none_or(|arrived| due < arrived)) {
            return Some((self.timers.take_due(self.last)?, CallResult::Value("null".into())));
        }
        self.take_first().map(|BufferedOutcome { id, settled, .. }| (id, settled))
    }

    fn take_first(&mut self) -> Option<BufferedOutcome> {
        let first = self.ready.pop_front()?;
        self.ready_size -= size_of_outcome(&first.settled);
        Some(first)
    }
}
