//! Ends a run that nobody has, from outside.

use super::{AbortedRun, Ending, Engine};
use crate::error::Error;
use crate::model::RunId;
use crate::store::{JournalBatch, JournalEntry, JournalEvent, StoredRun};

/// Ends a run as aborted, unless it is over, so that nobody goes on with it or approves a call of
/// it. Returns it as it was.
pub(super) async fn end(
    engine: &Engine,
    run: RunId,
    message: String,
    who: &str,
    channel: &str,
) -> Result<StoredRun, Error> {
    let stored = engine.journal.load(run).await?;
    if stored.state.ended() {
        return Ok(stored);
    }
    let lease = engine.journal.claim(run).await?;
    // What its last owner wrote before it died may have come after the first look.
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
