//! A program run again up to where its journal ends: settled calls are answered from the journal,
//! nothing is called, and every request is compared with what the journal has.

use super::calls::{OpenCalls, PastAsk};
use crate::model::{CallId, CallResult, RecordedDecision, Timestamp, escape};
use crate::run::run_driver::begin;
use crate::run::run_error::{JournalDivergence, RunError};
use crate::sandbox::{GUEST_DIGEST, Instance, Intent, ProgramState, Step, StopReason};
use crate::source::Program;
use crate::store::{DeliveredOutcome, PastCall, PastCallStage, RunHeader, Timeline};
use std::collections::BTreeSet;
use std::time::Duration;

/// A program may take this many times the CPU time of its limit to be run again: another machine
/// may be slower, and a program that does something else than before must end.
const SLACK: u32 = 10;

/// The CPU time that a program under this limit may take when it is run again.
pub(super) fn allowance(limit: Duration) -> Duration {
    limit.saturating_mul(SLACK)
}

/// Where a program stands when its journal is used up.
pub(super) struct ReplayedProgram {
    /// The calls that have no outcome and that the journal has.
    waiting: BTreeSet<CallId>,
    /// The last step, with what the journal does not have: of this step, and of those before it
    /// that were given what was noted together with it.
    pub(super) last: Step,
    /// Steps taken.
    pub(super) steps: usize,
}

/// A replay under way.
struct ReplayComparison<'a> {
    history: &'a Timeline<'a>,
    guest_changed: bool,
    waiting: BTreeSet<CallId>,
    /// What the journal does not have.
    fresh: Vec<Intent>,
    made: CallId,
}

/// Runs a program again. `each` sees every step with what went into it.
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
    // What stops a program that was not stopped before is a difference too.
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
        // The program may have ended in the middle of what was noted at once.
        if last.state != ProgramState::Waiting {
            break;
        }
        replaying
            .take(std::mem::take(&mut last.intents), steps > history.confirmed_outcomes + 1)?;
        replaying.settle(*call)?;
        // What the run held back while a call was out, it gave back: sizes were checked when it
        // ran.
        instance.release(usize::MAX);
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
    /// Compares what a step asked for with the journal. `cut` says whether the journal may end
    /// before it.
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
                    match past.is_some_and(|past| past.reached == PastCallStage::Done) {
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

/// Compares a request with the journal's; `Err` holds what was expected and what was found.
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
    // Whether arguments were too large together depends on when others were answered, not on the
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
    /// Hands the calls that the journal has over to `calls`, and returns the last step with what it
    /// has not.
    pub(super) fn restore(
        self,
        history: &Timeline<'_>,
        decided: &[RecordedDecision],
        calls: &mut OpenCalls,
    ) -> Step {
        for id in self.waiting {
            if let Some(past) = history.calls.get(&id) {
                let asked = history.asked(id).map(|(question, ask)| {
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
