//! Waits for the next outcomes of a run.

use super::call_tasks::NextTask;
use super::open_calls::{CallStage, OpenCalls};
use super::outcome_buffer::NextOutcome;
use crate::run::run_clock::RunClock;
use std::future::poll_fn;
use std::task::Poll;

/// The end of a wait for outcomes.
pub(in crate::run) enum WaitEnd {
    /// The program gets these outcomes.
    Outcomes(Vec<NextOutcome>),
    /// There is room: queued calls may be sent.
    Room,
    /// The run waits for people only.
    People,
}

impl OpenCalls {
    /// Waits for outcomes: answers, and ends of sleeps.
    pub(in crate::run) async fn next(&mut self, clock: &mut RunClock) -> WaitEnd {
        loop {
            // A recalled outcome has the clock reading of the earlier run. The current clock is not
            // read until all recalled outcomes are delivered.
            if let Some((call, recalled)) = self.review.next_recalled() {
                let at = clock.reach(recalled.at);
                let settled = recalled.settled;
                return WaitEnd::Outcomes(vec![NextOutcome { call, settled, at }]);
            }
            self.now = clock.now();
            // Answers come before timers: a timer that is always due must not keep them out.
            poll_fn(|context| {
                self.poll(context);
                Poll::Ready(())
            })
            .await;
            let ready = self.take_ready();
            if !ready.is_empty() {
                return WaitEnd::Outcomes(ready);
            }
            // A call that was cancelled has made room.
            if self.end_review() || self.has_room() {
                return WaitEnd::Room;
            }
            if self.tasks.is_empty() && self.has_asks() {
                return WaitEnd::People;
            }
            let wait = self.next_due().map(|due| (due, due.since(self.now)));
            let Some((due, wait)) = wait else {
                match self.tasks.next().await {
                    NextTask::Ended(id, result) => self.take_result(id, result),
                    NextTask::Aborted => {}
                    // The guest waits, and there is nothing to wait for: the guest's own check
                    // ends this.
                    NextTask::Idle => std::future::pending().await,
                }
                continue;
            };
            let in_flight = !self.tasks.is_empty();
            tokio::select! {
                biased;
                done = self.tasks.next(), if in_flight => {
                    self.now = clock.now();
                    if let NextTask::Ended(id, result) = done {
                        self.take_result(id, result);
                    }
                }
                // The timer counts even where the clock stands still.
                () = tokio::time::sleep(wait) => {
                    clock.reach(due);
                    self.now = clock.now();
                }
            }
            let ready = self.take_ready();
            if !ready.is_empty() {
                return WaitEnd::Outcomes(ready);
            }
        }
    }

    fn take_ready(&mut self) -> Vec<NextOutcome> {
        let ready = self.outcomes.take(self.now);
        ready.iter().for_each(|outcome| drop(self.refused.remove(&outcome.call)));
        ready
    }

    /// Ends the review of the checkpoint if nobody needs to be asked about the rest of it. Tools
    /// whose effects are unknown are looked up first. Returns whether the review has just ended.
    fn end_review(&mut self) -> bool {
        if !self.review.is_pending() {
            return false;
        }
        for tool in self.review.unknown_readers(&self.router) {
            self.look_up_effects(tool);
        }
        self.review.end_if_clear(&self.router)
    }

    /// Reports whether anything waits for a person.
    fn has_asks(&self) -> bool {
        self.review.is_pending()
            || self.open.values().any(|open| matches!(open.stage, CallStage::Asking(_)))
    }
}
