//! Lists runs.

use super::columns::{comparable, entry_range, parsed, run_id};
use super::entries;
use super::failure::OperationError;
use super::owner::OwnerFolder;
use crate::model::{RunId, Timestamp};
use crate::store::encoding::unsigned;
use crate::store::summary::RunObservation;
use crate::store::{Meter, RunFilter, RunState, RunSummary};
use rusqlite::{Connection, OptionalExtension, Row};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// A listed run, without the data of its last entry.
pub(super) struct ListedRun {
    /// The number of its row.
    pub(super) number: i64,
    /// The run.
    pub(super) run: RunId,
    /// When it was created.
    pub(super) created: Timestamp,
    /// Its state, considering whether its owner lives and its questions have expired.
    pub(super) state: RunState,
    /// The process id of its owner, if that lives.
    pub(super) owner: Option<u32>,
    script: String,
    resumed_from: Option<RunId>,
    questions: u64,
}

/// Calls `visit` with every run, newest first, until it breaks.
pub(super) fn each_run(
    connection: &Connection,
    owners: &OwnerFolder,
    now: Timestamp,
    mut visit: impl FnMut(ListedRun) -> Result<ControlFlow<()>, OperationError>,
) -> Result<(), OperationError> {
    let sql = "SELECT number, id, state, script, created, owner, resumed_from FROM runs \
               ORDER BY number DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut alive = HashMap::new();
    while let Some(row) = rows.next()? {
        let (mut listed, owner) = read(row)?;
        listed.owner = owner.and_then(|owner| match alive.get(&owner) {
            Some(process) => *process,
            None => *alive.entry(owner.clone()).or_insert(owners.living_process(&owner)),
        });
        update_state(connection, &mut listed, now)?;
        if visit(listed)?.is_break() {
            break;
        }
    }
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<(ListedRun, Option<String>)> {
    let listed = ListedRun {
        number: row.get(0)?,
        run: RunId::from_bytes(row.get(1)?),
        state: parsed(row, 2, str::parse)?,
        script: row.get(3)?,
        created: Timestamp(unsigned(row.get(4)?)),
        owner: None,
        resumed_from: run_id(row, 6)?,
        questions: 0,
    };
    Ok((listed, row.get(5)?))
}

fn update_state(
    connection: &Connection,
    run: &mut ListedRun,
    now: Timestamp,
) -> rusqlite::Result<()> {
    if run.state.has_ended() {
        return Ok(());
    }
    let sql = "SELECT count(*), min(expires_at) FROM questions INDEXED BY questions_open \
               WHERE run = ?1 AND open = 1";
    let mut statement = connection.prepare_cached(sql)?;
    let (open, expires): (i64, Option<i64>) =
        statement.query_row([run.number], |row| Ok((row.get(0)?, row.get(1)?)))?;
    run.questions = open as u64;
    let expired = expires.is_some_and(|end| end <= comparable(now));
    run.state = run.state.observed(RunObservation { owned: run.owner.is_some(), expired });
    Ok(())
}

/// Reads the time of a run's last entry, and its usage then.
pub(super) fn last_entry(
    connection: &Connection,
    run: &ListedRun,
) -> rusqlite::Result<(Timestamp, Meter)> {
    let sql = "SELECT at, cpu, wall, lines, calls FROM entries WHERE id BETWEEN ?1 AND ?2 \
               ORDER BY id DESC LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let last = statement.query_row(entry_range(run.number), entries::read_meter).optional()?;
    Ok(last.unwrap_or((run.created, Meter::default())))
}

/// Lists runs, newest first.
pub(super) fn runs(
    connection: &Connection,
    owners: &OwnerFolder,
    filter: &RunFilter,
    now: Timestamp,
) -> Result<Vec<RunSummary>, OperationError> {
    let limit = filter.limit.map_or(usize::MAX, |limit| limit as usize);
    let mut found = Vec::new();
    each_run(connection, owners, now, |run| {
        if found.len() >= limit {
            return Ok(ControlFlow::Break(()));
        }
        if filter.selects(run.run, &run.script, run.state) {
            let (updated, meter) = last_entry(connection, &run)?;
            let ListedRun { run, script, state, created, owner, resumed_from, questions, .. } = run;
            found.push(RunSummary::new(
                run,
                script,
                state,
                created,
                updated,
                meter,
                owner,
                resumed_from,
                questions,
            ));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}
