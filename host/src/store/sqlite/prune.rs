//! Removes runs that have ended.

use super::columns::entry_range;
use super::failure::OperationError;
use super::leases::SharedStoreState;
use super::list::{each_run, last_entry};
use super::owner::OwnerFolder;
use crate::model::Timestamp;
use crate::store::PruneRule;
use rusqlite::{Connection, OptionalExtension};
use std::ops::ControlFlow;

/// Removes runs by the rule, the oldest first and at most `limit`. Returns how many were removed.
pub(super) fn prune(
    connection: &Connection,
    owners: &OwnerFolder,
    shared: &SharedStoreState,
    rule: &PruneRule,
    now: Timestamp,
    limit: usize,
) -> Result<u64, OperationError> {
    let mut covered = 0;
    let mut selected = Vec::new();
    each_run(connection, owners, now, |run| {
        // A waiting run whose question has expired counts as ended, unless it is owned.
        if rule.covers(run.state) && run.owner.is_none() && !shared.has_lease(run.run) {
            // The last entry is read only if it matters.
            if rule.is_surplus(covered)
                || (rule.older_than.is_some()
                    && rule.is_old(now.since(last_entry(connection, &run)?.0)))
            {
                selected.push(run.number);
            }
            covered += 1;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let selected = selected.into_iter().rev().take(limit);
    let mut count = 0;
    for number in selected {
        delete_run(connection, number)?;
        count += 1;
    }
    Ok(count)
}

fn delete_run(connection: &Connection, number: i64) -> rusqlite::Result<()> {
    let (first, end) = entry_range(number);
    connection
        .prepare_cached("DELETE FROM entries WHERE id BETWEEN ?1 AND ?2")?
        .execute((first, end))?;
    for sql in [
        "DELETE FROM decisions WHERE question IN (SELECT number FROM questions WHERE run = ?1)",
        "DELETE FROM questions WHERE run = ?1",
        "DELETE FROM headers WHERE run = ?1",
        "DELETE FROM runs WHERE number = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([number])?;
    }
    Ok(())
}

/// Reports whether the default rule may find runs to remove. This check costs next to nothing.
pub(super) fn may_be_due(connection: &Connection, now: Timestamp) -> rusqlite::Result<bool> {
    let count: i64 = connection.query_row("SELECT count(*) FROM runs", [], |row| row.get(0))?;
    let sql = "SELECT created FROM runs ORDER BY number LIMIT 1";
    let oldest = connection.query_row(sql, [], |row| row.get::<_, i64>(0)).optional()?;
    let age = oldest.map(|oldest| now.since(Timestamp(oldest as u64)));
    Ok(count as u64 > PruneRule::KEEP || age.is_some_and(|age| age > PruneRule::AGE))
}
