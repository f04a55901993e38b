//! A program run again up to where its journal ends: settled calls are answered from the journal, nothing is called, and
//! every request is compared with what the journal has.

use super::calls::Calls;
use super::history::{Given, History, Reached};
use super::trouble::{Diverged, Trouble};
use crate::model::{CallId, Settled, Timestamp};
use crate::sandbox::{Begin, Instance, Intent, State, Step};
use std::collections::BTreeSet;
use std::time::Duration;

/// A program is given this many times the CPU time that it took before: another machine may be slower, and a program that
/// does something else than before must end.
const SLACK: u32 = 10;

/// The same, at least.
const PATIENCE: Duration = Duration::from_secs(10);

/// The CPU time that a program which took `before` may take again.
pub(super) fn allowance(before: Duration) -> Duration {
    before.saturating_mul(SLACK).max(PATIENCE)
}

/// Where a program stands when its journal is used up.
pub(super) struct Replayed {
    /// The calls made before the last step that have no outcome, all of which the journal has.
    waiting: BTreeSet<CallId>,
    /// The last step; some of its calls the journal may not have.
    pub(super) last: Step,
    /// Steps taken.
    pub(super) steps: usize,
}

/// Runs a program again. `each` sees every step with what went into it.
pub(super) async fn replay(
    instance: &mut Instance,
    begin: Begin,
    started: Timestamp,
    history: &History,
    guest_changed: bool,
    mut each: impl FnMut(Timestamp, Option<(CallId, Settled)>, &Step),
) -> Result<Replayed, Trouble> {
    let diverged = |call, expected: String, found: String| {
        Trouble::Diverged(Diverged { call, expected, found, guest_changed })
    };
    // What stops a program that was not stopped before is a difference too.
    let stopped = |stop: crate::sandbox::Stop| match guest_changed {
        true => diverged(None, "a step".into(), stop.to_string()),
        false => Trouble::Stop(stop),
    };
    let mut replayed = Replayed {
        waiting: BTreeSet::new(),
        last: instance.start(begin, started).await.map_err(stopped)?,
        steps: 1,
    };
    each(started, None, &replayed.last);
    let mut made = CallId(0);
    for Given { call, settled, at } in &history.given {
        // The program may have ended in the middle of what was noted at once.
        if replayed.last.state != State::Waiting {
            break;
        }
        for intent in &replayed.last.intents {
            match intent {
                Intent::Request { id, .. } => {
                    compare(history, intent).map_err(|(e, f)| diverged(Some(*id), e, f))?;
                    made = *id;
                    replayed.waiting.insert(*id);
                }
                Intent::Cancel(id) => drop(replayed.waiting.remove(id)),
            }
        }
        if *call > made {
            return Err(diverged(Some(*call), "an outcome of it".into(), "no such call".into()));
        }
        replayed.waiting.remove(call);
        // What the run held back while a call was out, it gave back: sizes were checked when it ran.
        instance.release(usize::MAX);
        let step = instance.resume(*call, settled.clone(), *at).await;
        replayed.last = step.map_err(stopped)?;
        replayed.steps += 1;
        each(*at, Some((*call, settled.clone())), &replayed.last);
    }
    for intent in &replayed.last.intents {
        if let Intent::Request { id, .. } = intent {
            made = *id;
            if history.calls.contains_key(id) {
                compare(history, intent).map_err(|(e, f)| diverged(Some(*id), e, f))?;
            }
        }
    }
    match history.calls.last_key_value() {
        Some((last, past)) if *last > made => {
            Err(diverged(Some(*last), format!("a call of `{}`", past.tool), "no such call".into()))
        }
        _ => Ok(replayed),
    }
}

/// Compares a request with the journal's; `Err` holds what was expected and what was found.
fn compare(history: &History, intent: &Intent) -> Result<(), (String, String)> {
    let Intent::Request { id, tool, arguments } = intent else { return Ok(()) };
    let found = |detail: &str| format!("a call of `{}`{detail}", crate::model::escape(tool));
    let Some(past) = history.calls.get(id) else {
        return Err(("no such call".into(), found("")));
    };
    let expected = format!("a call of `{}`", crate::model::escape(&past.tool));
    if past.tool != *tool {
        return Err((expected, found("")));
    }
    // Whether arguments were too large together depends on when others were answered, not on the program.
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

impl Replayed {
    /// Hands the calls that the journal has over to `calls`, and returns the last step with those that it has not.
    pub(super) fn restore(mut self, history: &History, calls: &mut Calls) -> Step {
        for id in self.waiting {
            if let Some(past) = history.calls.get(&id) {
                calls.restore(id, past.clone());
            }
        }
        self.last.intents.retain(|intent| match intent {
            Intent::Request { id, .. } => match history.calls.get(id) {
                Some(past) => {
                    calls.restore(*id, past.clone());
                    false
                }
                None => true,
            },
            Intent::Cancel(id) => {
                history.calls.get(id).is_none_or(|past| past.reached != Reached::Done)
            }
        });
        self.last
    }
}
