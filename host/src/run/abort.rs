//! Ends a run that no process has.

use super::{AbortedRun, CompletedCall, Ending, Engine, InterruptedCall};
use crate::error::Error;
use crate::model::RunId;
use crate::store::{JournalBatch, JournalEntry, JournalEvent, PastCallStage, StoredRun, Timeline};
use std::collections::BTreeSet;
use tracing::info;

/// Ends a run as aborted, unless it has ended. Nobody can resume it or approve its calls then.
/// Returns the run as it was.
pub(super) async fn end(
    engine: &Engine,
    run: RunId,
    message: String,
    who: &str,
    channel: &str,
) -> Result<StoredRun, Error> {
    let stored = engine.journal.load(run).await?;
    if stored.state.has_ended() {
        return Ok(stored);
    }
    let lease = engine.journal.claim(run).await?;
    // Its last owner may have written entries between the first look and the claim.
    let stored = engine.journal.load(run).await?;
    let mut aborted = AbortedRun::of(&stored.entries);
    (aborted.message, aborted.who, aborted.channel) = (message, who.into(), channel.into());
    let ending = Ending::Aborted(aborted);
    let last = stored.entries.last();
    let (at, meter) = last.map_or_else(
        || (stored.header.started, Default::default()),
        |entry| (entry.at, entry.meter),
    );
    let ended = JournalEvent::Ended { ending: ending.write()? };
    let mut batch = JournalBatch::new(vec![JournalEntry::new(at, meter, ended)]);
    batch.state = Some(ending.state());
    engine.journal.append(&lease, batch).await?;
    let (ending, calls) = (ending.name(), meter.calls);
    info!(target: "pml::run", %run, ending, calls, "run ended");
    Ok(stored)
}

impl AbortedRun {
    /// Returns an aborted run with its calls: those that have an outcome, and those that were sent
    /// and have none.
    pub(super) fn of(entries: &[JournalEntry]) -> AbortedRun {
        let history = Timeline::of(entries);
        let given: BTreeSet<_> = history.outcomes.iter().map(|outcome| outcome.call).collect();
        let (mut completed, mut interrupted) = (Vec::new(), Vec::new());
        for (call, past) in &history.calls {
            let (call, tool) = (*call, past.tool.to_owned());
            match past.stage {
                PastCallStage::Done if given.contains(&call) => {
                    completed.push(CompletedCall { call, tool });
                }
                PastCallStage::Executing => interrupted.push(InterruptedCall { call, tool }),
                _ => {}
            }
        }
        AbortedRun {
            message: String::new(),
            who: String::new(),
            channel: String::new(),
            replan: false,
            completed,
            interrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AbortedRun;
    use crate::model::{CallId, CallResult, Effects, Timestamp};
    use crate::store::{CallVerdict, JournalEntry, JournalEvent, Meter};

    #[test]
    fn calls_that_were_sent_and_not_answered_are_named_and_others_are_not() {
        let entry = |event| JournalEntry::new(Timestamp(1), Meter::default(), event);
        let requested = |call| {
            let (call, tool) = (CallId::numbered(call), format!("t:{call}"));
            let (arguments, verdict) = (Ok("{}".into()), CallVerdict::Go);
            entry(JournalEvent::Requested { call, tool, arguments, verdict })
        };
        let executing = |call| {
            entry(JournalEvent::Executing {
                call: CallId::numbered(call),
                tool: format!("t:{call}").parse().expect("a tool"),
                origin: None,
                effects: Effects::Unknown,
                approved: None,
                installed_at: None,
            })
        };
        let settled = CallResult::Value("1".into());
        let entries = [
            requested(1),
            requested(2),
            requested(3),
            executing(1),
            executing(2),
            entry(JournalEvent::Settled { call: CallId::numbered(1), settled }),
        ];
        let aborted = AbortedRun::of(&entries);
        let completed: Vec<_> = aborted.completed.iter().map(|call| call.tool.as_str()).collect();
        let interrupted: Vec<_> =
            aborted.interrupted.iter().map(|call| call.tool.as_str()).collect();
        assert_eq!((completed, interrupted), (vec!["t:1"], vec!["t:2"]));
    }
}
