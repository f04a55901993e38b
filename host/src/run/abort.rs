//! Ends a run that no process has.

use super::{AbortedRun, Ending, Engine};
use crate::error::Error;
use crate::model::RunId;
use crate::store::{JournalBatch, JournalEntry, JournalEvent, StoredRun};

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
        completed: Vec::new(),
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
    Ok(stored)
}
