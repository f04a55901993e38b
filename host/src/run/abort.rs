//! Ends a run that no process has.

use super::{AbortedRun, CompletedCall, Ending, Engine};
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
    let ending = Ending::Aborted(AbortedRun {
        message,
        who: who.into(),
        channel: channel.into(),
        replan: false,
        completed: completed_calls(&stored),
    });
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

/// Returns the calls whose outcomes the program got.
pub(super) fn completed_calls(stored: &StoredRun) -> Vec<CompletedCall> {
    let history = Timeline::of(&stored.entries);
    let given: BTreeSet<_> = history.outcomes.iter().map(|outcome| outcome.call).collect();
    let done = history
        .calls
        .iter()
        .filter(|(call, past)| past.stage == PastCallStage::Done && given.contains(call));
    done.map(|(call, past)| CompletedCall { call: *call, tool: past.tool.into() }).collect()
}
