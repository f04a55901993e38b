//! Questions and decisions in their tables. The rules are in [`questions`].
//!
//! **Invariant:** a change of a question and its audit entry are written in the same transaction.

use super::audit::TrailWriter;
use super::columns::{comparable, parsed, unreadable};
use crate::model::{Answer, Question, QuestionId, RecordedDecision, RunId, Timestamp};
use crate::store::encoding::{EncodedDecision, decode_question, encode_question};
use crate::store::questions::{self, QuestionUpdate, WithdrawalReason};
use crate::store::{AnswerOutcome, StoredQuestion};
use rusqlite::{Connection, OptionalExtension, Row};
use std::borrow::Cow;

/// Opens a question.
pub(super) fn open_question(
    connection: &Connection,
    trail: &TrailWriter,
    run: i64,
    question: &Question,
) -> rusqlite::Result<()> {
    if insert(connection, run, question, Openness::Open)? {
        trail.append(connection, &questions::asked_note(question))?;
    }
    Ok(())
}

/// Stores a question of an imported run. It is closed: nobody can answer it.
pub(super) fn insert_closed(
    connection: &Connection,
    run: i64,
    question: &Question,
) -> rusqlite::Result<()> {
    insert(connection, run, question, Openness::Closed).map(drop)
}

/// Says whether a question can be answered.
#[derive(Clone, Copy)]
enum Openness {
    Open,
    Closed,
}

/// Writes a question. Returns `false` if it was stored before.
fn insert(
    connection: &Connection,
    run: i64,
    question: &Question,
    openness: Openness,
) -> rusqlite::Result<bool> {
    let sql = "INSERT OR IGNORE INTO questions (id, run, body, asked_at, expires_at, open) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let inserted = connection.prepare_cached(sql)?.execute((
        question.id.as_bytes(),
        run,
        encode_question(question),
        comparable(question.asked_at),
        question.expires_at.map(comparable),
        i64::from(matches!(openness, Openness::Open)),
    ))?;
    Ok(inserted > 0)
}

/// Closes all questions of a run that has ended.
pub(super) fn close_all(
    connection: &Connection,
    trail: &TrailWriter,
    (number, run): (i64, RunId),
    at: Timestamp,
) -> rusqlite::Result<()> {
    let sql = "UPDATE questions INDEXED BY questions_open SET open = 0 \
               WHERE run = ?1 AND open = 1 RETURNING id";
    let mut statement = connection.prepare_cached(sql)?;
    let closed = statement.query_map([number], |row| Ok(QuestionId::from_bytes(row.get(0)?)))?;
    let closed: Vec<_> = closed.collect::<rusqlite::Result<_>>()?;
    closed.into_iter().try_for_each(|question| {
        let reason = WithdrawalReason::RunEnded;
        trail.append(connection, &questions::withdrawal_note(run, question, reason, at))
    })
}

/// Closes a question that the program no longer waits for.
pub(super) fn withdraw(
    connection: &Connection,
    trail: &TrailWriter,
    run: RunId,
    question: QuestionId,
    at: Timestamp,
) -> rusqlite::Result<()> {
    let sql = "UPDATE questions SET open = 0 WHERE id = ?1 AND open = 1";
    if connection.prepare_cached(sql)?.execute([question.as_bytes()])? > 0 {
        let reason = WithdrawalReason::NothingWaits;
        trail.append(connection, &questions::withdrawal_note(run, question, reason, at))?;
    }
    Ok(())
}

/// Reads the question with this id, if it belongs to this run.
pub(super) fn read_question(
    connection: &Connection,
    (number, run): (i64, RunId),
    id: QuestionId,
) -> rusqlite::Result<Option<Question>> {
    let sql = "SELECT body FROM questions WHERE id = ?1 AND run = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let read = |row: &Row<'_>| parsed(row, 0, |text| decode_question(text, id, run));
    statement.query_row((id.as_bytes(), number), read).optional()
}

/// Reads a question with its row number, as it was last written: it may have expired since.
fn find_question(
    connection: &Connection,
    id: QuestionId,
) -> rusqlite::Result<Option<(i64, StoredQuestion)>> {
    let sql = "SELECT questions.number, body, open, questions.id, runs.id FROM questions \
               JOIN runs ON runs.number = questions.run WHERE questions.id = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row([id.as_bytes()], read_stored).optional()?;
    found.map(|found| with_decisions(connection, found)).transpose()
}

fn read_stored(row: &Row<'_>) -> rusqlite::Result<(i64, StoredQuestion)> {
    let (id, run) = (QuestionId::from_bytes(row.get(3)?), RunId::from_bytes(row.get(4)?));
    let question = parsed(row, 1, |text| decode_question(text, id, run))?;
    Ok((row.get(0)?, StoredQuestion::new(question, row.get(2)?, Vec::new())))
}

fn with_decisions(
    connection: &Connection,
    (number, mut stored): (i64, StoredQuestion),
) -> rusqlite::Result<(i64, StoredQuestion)> {
    let sql = "SELECT ask, decision, who, channel, at, digest FROM decisions WHERE question = ?1 ORDER BY id";
    let mut statement = connection.prepare_cached(sql)?;
    let question = stored.question.id;
    let decided = statement.query_map([number], |row| read_decision(row, question))?;
    stored.decided = decided.collect::<rusqlite::Result<_>>()?;
    Ok((number, stored))
}

/// Reads one question.
pub(super) fn question(
    connection: &Connection,
    id: QuestionId,
    now: Timestamp,
) -> rusqlite::Result<Option<StoredQuestion>> {
    Ok(find_question(connection, id)?.map(|(_, stored)| questions::viewed_at(stored, now)))
}

/// Reads open questions, oldest first: those of the run with this number, or all.
pub(super) fn open_questions(
    connection: &Connection,
    run: Option<i64>,
    now: Timestamp,
) -> rusqlite::Result<Vec<StoredQuestion>> {
    let sql = match run {
        Some(_) => {
            "SELECT questions.number, body, open, questions.id, runs.id \
             FROM questions INDEXED BY questions_open JOIN runs ON runs.number = questions.run \
             WHERE open = 1 AND questions.run = ?1"
        }
        None => {
            "SELECT questions.number, body, open, questions.id, runs.id \
             FROM questions INDEXED BY questions_open JOIN runs ON runs.number = questions.run \
             WHERE open = 1 AND ?1 IS NULL"
        }
    };
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map([run], read_stored)?;
    let mut open = Vec::new();
    for found in found {
        let (number, stored) = found?;
        if questions::is_open(&stored, now) {
            open.push(with_decisions(connection, (number, stored))?.1);
        }
    }
    questions::oldest_first(&mut open);
    Ok(open)
}

/// Reads all decisions about the questions of the run with this number, in order.
pub(super) fn decisions(
    connection: &Connection,
    run: i64,
) -> rusqlite::Result<Vec<RecordedDecision>> {
    // The questions themselves are not read: a run may have many, and reads this at every answer.
    let sql = "SELECT ask, decision, who, channel, at, digest, questions.id FROM questions \
               JOIN decisions ON decisions.question = questions.number \
               WHERE questions.run = ?1 ORDER BY decisions.id";
    let mut statement = connection.prepare_cached(sql)?;
    let decided = statement
        .query_map([run], |row| read_decision(row, QuestionId::from_bytes(row.get(6)?)))?;
    decided.collect()
}

fn read_decision(row: &Row<'_>, question: QuestionId) -> rusqlite::Result<RecordedDecision> {
    let text = |column| row.get::<_, String>(column).map(Cow::from);
    let encoded = EncodedDecision {
        ask: row.get(0)?,
        decision: text(1)?,
        who: text(2)?,
        channel: text(3)?,
        at: row.get(4)?,
        digest: row.get::<_, Option<String>>(5)?.map(Cow::from),
    };
    encoded.decode(question).map_err(|error| unreadable(1, error))
}

/// Records an answer.
pub(super) fn answer(
    connection: &Connection,
    trail: &TrailWriter,
    id: QuestionId,
    answer: &Answer,
    now: Timestamp,
) -> rusqlite::Result<AnswerOutcome> {
    let Some((number, stored)) = find_question(connection, id)? else {
        return Ok(AnswerOutcome::Gone);
    };
    let (update, outcome) = questions::answer(&stored, answer, now);
    write(connection, trail, number, &update)?;
    Ok(outcome)
}

/// Closes a question that has expired. Returns `true` if it is closed and not every ask was
/// decided.
pub(super) fn expire(
    connection: &Connection,
    trail: &TrailWriter,
    id: QuestionId,
    now: Timestamp,
) -> rusqlite::Result<bool> {
    let Some((number, stored)) = find_question(connection, id)? else { return Ok(false) };
    let (update, expired) = questions::expire(&stored, now);
    write(connection, trail, number, &update)?;
    Ok(expired)
}

/// Writes the changes to the question with this number.
fn write(
    connection: &Connection,
    trail: &TrailWriter,
    number: i64,
    update: &QuestionUpdate,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO decisions (question, ask, decision, who, channel, at, digest) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    for one in &update.decisions {
        let EncodedDecision { ask, decision, who, channel, at, digest } = EncodedDecision::of(one);
        let row = (number, ask, decision, who, channel, at, digest);
        connection.prepare_cached(sql)?.execute(row)?;
    }
    if update.closes {
        let sql = "UPDATE questions SET open = 0 WHERE number = ?1";
        connection.prepare_cached(sql)?.execute([number])?;
    }
    update.notes.iter().try_for_each(|note| trail.append(connection, note))
}
