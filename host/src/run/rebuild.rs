//! Replays a program up to the end of its journal. Settled calls get their outcome from the journal,
//! no call is sent, and every request is compared with the journal.

use super::calls::{OpenCalls, PastAsk};
use crate::model::{CallId, CallResult, RecordedDecision, Timestamp, escape};
use crate::run::run_driver::begin;
use crate::run::run_error::{JournalDivergence, RunError};
use crate::sandbox::{GUEST_DIGEST, Instance, Intent, ProgramState, Step, StopReason};
use crate::source::Program;
use crate::store::{DeliveredOutcome, PastCall, PastCallStage, RunHeader, Timeline};
use std::collections::BTreeSet;
use std::time::Duration;

/// A replay may take this many times the CPU time of the program's limit: another machine may be
/// slower, and a program that does something else than before must end.
const SLACK: u32 = 10;

/// Returns the CPU time that the replay of a program with this limit may take.
pub(super) fn allowance(limit: Duration) -> Duration {
    limit.saturating_mul(SLACK)
}

/// A program at the end of its journal.
pub(super) struct ReplayedProgram {
    /// The calls in the journal that have no outcome.
    waiting: BTreeSet<CallId>,
    /// The last step, with the requests that the journal does not have: those of this step, and of
    /// earlier steps whose outcomes were journalled at once with its own.
    pub(super) last: Step,
    /// The number of steps.
    pub(super) steps: usize,
}

/// A replay under way.
struct ReplayComparison<'a> {
    history: &'a Timeline<'a>,
    guest_changed: bool,
    waiting: BTreeSet<CallId>,
    /// Requests that the journal does not have.
    fresh: Vec<Intent>,
    made: CallId,
}

/// Replays a program. `each` gets every step with its input.
pub(super) async fn replay(
    instance: &mut Instance,
    header: &RunHeader,
    program: &Program,
    history: &Timeline<'_>,
    mut each: impl FnMut(Timestamp, Option<(CallId, CallResult)>, &Step),
) -> Result<ReplayedProgram, RunError> {
    let (started, guest_changed) = (header.started, header.guest != GUEST_DIGEST);
    let (waiting, fresh, made) = (BTreeSet::new(), Vec::new(), CallId::numbered(0));
    let mut replaying = ReplayComparison { history, guest_changed, waiting, fresh, made };
    // A program that is stopped now and was not stopped then has diverged too.
    let stopped = |stop: StopReason| match guest_changed {
        true => RunError::Diverged(JournalDivergence {
            call: None,
            expected: "a step".into(),
            found: stop.to_string(),
            guest_changed,
        }),
        false => RunError::Stop(stop),
    };
    let mut last = instance.start(begin(header, program), started).await.map_err(stopped)?;
    each(started, None, &last);
    let mut steps = 1;
    for DeliveredOutcome { call, settled, at } in &history.outcomes {
        // The program may have ended before it got all outcomes that were journalled at once.
        if last.state != ProgramState::Waiting {
            break;
        }
        replaying
            .take(std::mem::take(&mut last.intents), steps > history.confirmed_outcomes + 1)?;
        replaying.settle(*call)?;
        // Sizes of arguments were checked when the program ran.
        instance.release_arguments(usize::MAX);
        last = instance.resume(*call, CallResult::clone(settled), *at).await.map_err(stopped)?;
        each(*at, Some((*call, CallResult::clone(settled))), &last);
        steps += 1;
    }
    replaying.take(std::mem::take(&mut last.intents), true)?;
    replaying.finish()?;
    last.intents = replaying.fresh;
    Ok(ReplayedProgram { waiting: replaying.waiting, last, steps })
}

impl ReplayComparison<'_> {
    /// Compares the requests of a step with the journal. `cut` says that the journal may end before
    /// them.
    fn take(&mut self, intents: Vec<Intent>, cut: bool) -> Result<(), RunError> {
        for intent in intents {
            match &intent {
                Intent::Request { id, .. } => {
                    self.made = *id;
                    match self.history.calls.get(id) {
                        None if cut => self.fresh.push(intent),
                        past => {
                            let same = compare(past, &intent);
                            same.map_err(|(e, f)| self.diverged(*id, e, f))?;
                            self.waiting.insert(*id);
                        }
                    }
                }
                Intent::Cancel(id) => {
                    let past = self.history.calls.get(id);
                    match past.is_some_and(|past| past.stage == PastCallStage::Done) {
                        true => drop(self.waiting.remove(id)),
                        false => self.fresh.push(intent),
                    }
                }
            }
        }
        Ok(())
    }

    fn settle(&mut self, call: CallId) -> Result<(), RunError> {
        if call > self.made {
            let (expected, found) = ("an outcome of it".into(), "no such call".into());
            return Err(self.diverged(call, expected, found));
        }
        self.waiting.remove(&call);
        Ok(())
    }

    fn finish(&self) -> Result<(), RunError> {
        match self.history.calls.last_key_value() {
            Some((last, past)) if *last > self.made => {
                let expected = format!("a call of `{}`", escape(past.tool));
                Err(self.diverged(*last, expected, "no such call".into()))
            }
            _ => Ok(()),
        }
    }

    fn diverged(&self, call: CallId, expected: String, found: String) -> RunError {
        let (call, guest_changed) = (Some(call), self.guest_changed);
        RunError::Diverged(JournalDivergence { call, expected, found, guest_changed })
    }
}

/// Compares a request with the journal. `Err` holds what was expected and what was found.
fn compare(past: Option<&PastCall<'_>>, intent: &Intent) -> Result<(), (String, String)> {
    let Intent::Request { tool, arguments, .. } = intent else { return Ok(()) };
    let found = |detail: &str| format!("a call of `{}`{detail}", escape(tool));
    let Some(past) = past else {
        return Err(("no such call".into(), found("")));
    };
    let expected = format!("a call of `{}`", escape(past.tool));
    if past.tool != tool {
        return Err((expected, found("")));
    }
    // Arguments are too large together depending on when other calls were answered, not on the
    // program.
    let same = match (&past.arguments, arguments) {
        (Ok(past), Ok(now)) => past == now,
        (Err(past), Ok(now)) => *past == now.len(),
        (Ok(past), Err(now)) => past.len() == *now,
        (Err(past), Err(now)) => past == now,
    };
    match same {
        true => Ok(()),
        false => Err((expected, found(" with other arguments"))),
    }
}

impl ReplayedProgram {
    /// Restores the calls of the journal in `calls`. Returns the last step with the requests that the
    /// journal does not have.
    pub(super) fn restore(
        self,
        history: &Timeline<'_>,
        decided: &[RecordedDecision],
        calls: &mut OpenCalls,
    ) -> Step {
        for id in self.waiting {
            if let Some(past) = history.calls.get(&id) {
                let asked = history.last_ask(id).map(|(question, ask)| {
                    let of_it =
                        |one: &&RecordedDecision| one.question == question && one.ask == ask.id;
                    PastAsk { question, ask, decided: decided.iter().find(of_it) }
                });
                calls.restore(id, past.clone(), asked);
            }
        }
        self.last
    }
}
