//! How a run ends: its last entries, and what the caller gets.

use super::calls::Keeping;
use super::history::{History, Reached};
use super::live::{End, Last, Live};
use super::session::Session;
use super::trouble::Trouble;
use super::{Abandoned, Aborted, Completed, Ending, Outcome, Usage, failure};
use crate::error::Error;
use crate::event::Event;
use crate::model::{Code, Decided, Decision};
use crate::sandbox::Stop;
use crate::source::Program;
use crate::store::{RunState, Safe, What};
use std::collections::BTreeSet;

impl Session {
    /// The program ended by itself.
    pub(super) async fn ended(
        &mut self,
        end: End,
        live: &mut Live,
        program: &Program,
    ) -> Result<Outcome, Error> {
        let place = |fault| failure::of_fault(program, fault);
        let ending = match end.ending {
            Last::Finished(json) => Ending::Finished(json),
            Last::Fault(fault) => Ending::Failed(place(fault)),
        };
        let mut outcome = self.conclude(ending, Some(live)).await?;
        outcome.unhandled = end.unhandled.into_iter().map(place).collect();
        outcome.dropped_lines = end.dropped_lines;
        Ok(outcome)
    }

    /// The run was stopped. What is not the program's doing is an error, and leaves the run as it is.
    pub(super) async fn failed(
        &mut self,
        trouble: Trouble,
        live: Option<&mut Live>,
    ) -> Result<Outcome, Error> {
        let failure = match &trouble {
            Trouble::Stop(Stop::Broken(_)) | Trouble::Store(_) | Trouble::Left => None,
            Trouble::Stop(stop) => Some(failure::of_stop(stop)),
            Trouble::Diverged(diverged) => diverged.failure(),
        };
        match failure {
            Some(failure) => self.conclude(Ending::Failed(failure), live).await,
            None => Err(trouble.into()),
        }
    }

    /// A person ended the run.
    pub(super) async fn aborted(
        &mut self,
        ends: &Decided,
        live: Option<&mut Live>,
    ) -> Result<Outcome, Error> {
        let run = self.ledger.run();
        self.events.event(&Event::Decided { run, decided: ends.clone() });
        let stored = self.ledger.journal().load(run).await?;
        let history = History::read(stored.entries);
        let given: BTreeSet<_> = history.given.iter().map(|given| given.call).collect();
        let done = history
            .calls
            .iter()
            .filter(|(call, past)| past.reached == Reached::Done && given.contains(call));
        let completed = done.map(|(call, past)| Completed { call: *call, tool: past.tool.clone() });
        let aborted = Aborted {
            message: "Workflow aborted by user".into(),
            who: ends.who.clone(),
            channel: ends.channel.clone(),
            replan: ends.decision == Decision::Replan,
            completed: completed.collect(),
        };
        self.conclude(Ending::Aborted(aborted), live).await
    }

    /// Waits until what was allowed for good is written down: the next run is to know it.
    async fn keep(&mut self, live: &mut Live) {
        live.note(&self.ledger);
        for Keeping { tool, kept } in live.calls.keeping() {
            let error = match kept.await {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(error) => Some(error.to_string()),
            };
            self.events.event(&Event::Kept { run: self.ledger.run(), tool, error });
        }
    }

    /// Nobody here can help: the question stays in the journal, and so does the run.
    pub(super) async fn waiting(&mut self, mut live: Option<&mut Live>) -> Outcome {
        if let Some(live) = live.as_deref_mut() {
            self.keep(live).await;
        }
        let questions = self.desk.open().to_vec();
        self.outcome(Ending::Waiting(questions), live, Vec::new())
    }

    /// Writes how the run ended, before anybody is told.
    pub(super) async fn conclude(
        &mut self,
        ending: Ending,
        mut live: Option<&mut Live>,
    ) -> Result<Outcome, Error> {
        let mut abandoned = Vec::new();
        if let Some(live) = live.as_deref_mut() {
            self.keep(live).await;
            abandoned = live.calls.abandon();
            live.measure(&mut self.ledger);
            self.clock = live.clock.clone();
        }
        let at = self.clock.now();
        for Abandoned { call, sent, .. } in &abandoned {
            self.ledger.note(at, What::Abandoned { call: *call, sent: *sent });
        }
        let text = serde_json::to_string(&ending).map_err(|error| {
            Error::new(Code::Internal, "the ending cannot be written").with_source(error)
        })?;
        self.ledger.note(at, What::Ended { ending: text });
        let state = match &ending {
            Ending::Finished(_) => RunState::Finished,
            Ending::Failed(_) => RunState::Failed,
            Ending::Aborted(_) => RunState::Aborted,
            Ending::Expired(_) | Ending::Waiting(_) => RunState::Expired,
        };
        self.ledger.write(state, Safe::Process).await?;
        self.events.event(&Event::Ended { run: self.ledger.run(), at });
        Ok(self.outcome(ending, live, abandoned))
    }

    fn outcome(
        &mut self,
        ending: Ending,
        live: Option<&mut Live>,
        abandoned: Vec<Abandoned>,
    ) -> Outcome {
        let mut outcome = Outcome::new(self.ledger.run(), ending);
        outcome.abandoned = abandoned;
        let meter = self.ledger.meter();
        outcome.usage = Usage {
            cpu_time: meter.cpu,
            wall_time: self.ledger.stopwatch.elapsed(),
            calls: meter.calls,
            ..Usage::default()
        };
        if let Some(live) = live {
            outcome.console = live.console.take();
            outcome.unmatched = live.calls.unmatched();
            outcome.usage.memory = live.instance.memory();
            outcome.usage.slices = live.instance.slices();
            outcome.recording = live.recording.take();
        }
        outcome
    }
}
