//! Entries as rows, and back.
//!
//! Policy for change: a journal must open for ever. Kinds and fields of `Meta` are added, never renamed; a field that
//! this version does not know is passed over.

use super::columns::json;
use crate::model::{CallId, CallResult, Effects, Question, QuestionId, Timestamp, ToolOrigin};
use crate::store::{CallVerdict, JournalEntry, JournalEvent, Meter};
use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Duration;

const INSERT: &str = "INSERT INTO entries (id, kind, call, at, cpu, wall, lines, calls, meta, text) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

/// The columns that `read` takes, in order.
pub(super) const COLUMNS: &str = "at, cpu, wall, lines, calls, kind, call, meta, text";

/// The small part of an entry. What may be large is kept as it is, in `text`.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct EntryMeta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Cow<'a, CallVerdict>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<EncodedError<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Cow<'a, ToolOrigin>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effects: Option<Effects>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pml: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
struct EncodedError<'a> {
    code: Cow<'a, str>,
    message: Cow<'a, str>,
}

/// Returns a span for a column: nanoseconds, of which 292 years fit.
fn span(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

/// Writes an entry.
pub(super) fn write(
    connection: &Connection,
    id: i64,
    entry: &JournalEntry,
) -> rusqlite::Result<()> {
    let (kind, meta, text) = encode(&entry.what);
    connection.prepare_cached(INSERT)?.execute((
        id,
        kind,
        entry.what.call().map(|call| call.0 as i64),
        entry.at.0 as i64,
        span(entry.meter.cpu),
        span(entry.meter.wall),
        entry.meter.lines as i64,
        entry.meter.calls as i64,
        meta.map(|meta| json(&meta)),
        text,
    ))?;
    Ok(())
}

fn encode(what: &JournalEvent) -> (&'static str, Option<EntryMeta<'_>>, Option<Cow<'_, str>>) {
    match what {
        JournalEvent::Requested { tool, arguments, verdict, .. } => {
            let meta = EntryMeta {
                tool: Some(tool.into()),
                verdict: Some(Cow::Borrowed(verdict)),
                size: arguments.as_ref().err().copied(),
                ..EntryMeta::default()
            };
            ("requested", Some(meta), arguments.as_ref().ok().map(Cow::from))
        }
        // What was asked is kept once, with the questions.
        JournalEvent::Asked { question } => ("asked", None, Some(question.id.to_string().into())),
        JournalEvent::Withdrawn { question } => {
            ("withdrawn", None, Some(question.to_string().into()))
        }
        JournalEvent::Executing { tool, origin, effects, approved, .. } => {
            let origin = origin.as_ref().map(Cow::Borrowed);
            let effects = Some(*effects).filter(|effects| *effects != Effects::Unknown);
            let tool = Some(tool.as_str().into());
            let approved = approved.as_deref().map(Cow::from);
            let meta = EntryMeta { tool, origin, effects, approved, ..EntryMeta::default() };
            ("executing", Some(meta), None)
        }
        JournalEvent::Settled { settled: CallResult::Value(value), .. } => {
            ("settled", None, Some(value.into()))
        }
        JournalEvent::Settled { settled: CallResult::Error { code, message, data }, .. } => {
            let error = EncodedError { code: code.into(), message: message.into() };
            let meta = EntryMeta { error: Some(error), ..EntryMeta::default() };
            ("settled", Some(meta), data.as_ref().map(Cow::from))
        }
        JournalEvent::Cancelled { sent, .. } => {
            ("cancelled", Some(EntryMeta { sent: Some(*sent), ..EntryMeta::default() }), None)
        }
        JournalEvent::Abandoned { sent, .. } => {
            ("abandoned", Some(EntryMeta { sent: Some(*sent), ..EntryMeta::default() }), None)
        }
        JournalEvent::Resumed { pml } => {
            ("resumed", Some(EntryMeta { pml: Some(pml.into()), ..EntryMeta::default() }), None)
        }
        JournalEvent::Ended { ending } => ("ended", None, Some(ending.into())),
    }
}

/// Reads the time and the cost of an entry: the first five of `COLUMNS`.
pub(super) fn read_meter(row: &Row<'_>) -> rusqlite::Result<(Timestamp, Meter)> {
    let number = |index| row.get::<_, i64>(index).map(|number| number as u64);
    let meter = Meter {
        cpu: Duration::from_nanos(number(1)?),
        wall: Duration::from_nanos(number(2)?),
        lines: number(3)?,
        calls: number(4)?,
    };
    Ok((Timestamp(number(0)?), meter))
}

/// Finds what was asked under an id.
pub(super) type FindQuestion<'a> = &'a dyn Fn(QuestionId) -> rusqlite::Result<Option<Question>>;

/// Reads an entry from `COLUMNS`; the inner error says what is wrong with it.
pub(super) fn read(
    row: &Row<'_>,
    find_asked: FindQuestion<'_>,
) -> rusqlite::Result<Result<JournalEntry, String>> {
    let (at, meter) = read_meter(row)?;
    let kind = row.get_ref(5)?.as_str()?;
    let call = row.get::<_, Option<i64>>(6)?.map(|call| CallId(call as u64));
    let meta = row.get_ref(7)?.as_str_or_null()?;
    let text = row.get::<_, Option<String>>(8)?;
    let what = match meta.map_or_else(|| Ok(EntryMeta::default()), serde_json::from_str) {
        Ok(_) if kind == "asked" => decode_asked(text, find_asked)?,
        Ok(meta) => decode(kind, call, meta, text),
        Err(error) => Err(error.to_string()),
    };
    Ok(what.map(|what| JournalEntry::new(at, meter, what)))
}

/// What was asked. Journals up to format 2 have a copy in the entry, of which only the id counts: there is one question, and it
/// is the one that people are shown.
fn decode_asked(
    text: Option<String>,
    find_asked: FindQuestion<'_>,
) -> rusqlite::Result<Result<JournalEvent, String>> {
    #[derive(Deserialize)]
    struct Copy {
        workflow_id: QuestionId,
    }
    let Some(text) = text else { return Ok(Err("an entry `asked` without its text".into())) };
    let id = match text.starts_with('{') {
        true => serde_json::from_str(&text).map(|copy: Copy| copy.workflow_id).ok(),
        false => text.parse().ok(),
    };
    let Some(id) = id else { return Ok(Err("an entry `asked` that names no question".into())) };
    let question = find_asked(id)?;
    Ok(question
        .map(|question| JournalEvent::Asked { question })
        .ok_or_else(|| format!("an entry `asked` without its question `{id}`")))
}

fn decode(
    kind: &str,
    call: Option<CallId>,
    meta: EntryMeta<'_>,
    text: Option<String>,
) -> Result<JournalEvent, String> {
    let lacks = |part: &str| format!("an entry `{kind}` without its {part}");
    let call = call.ok_or_else(|| lacks("call"));
    let whole = |text: Option<String>| text.ok_or_else(|| lacks("text"));
    let tool = meta.tool.map(Cow::into_owned).ok_or_else(|| lacks("tool"));
    let sent = meta.sent.ok_or_else(|| lacks("`sent`"));
    Ok(match kind {
        "requested" => JournalEvent::Requested {
            call: call?,
            tool: tool?,
            arguments: match meta.size {
                Some(size) => Err(size),
                None => Ok(whole(text)?),
            },
            verdict: meta.verdict.ok_or_else(|| lacks("verdict"))?.into_owned(),
        },
        "withdrawn" => JournalEvent::Withdrawn {
            question: whole(text)?
                .parse()
                .map_err(|error| format!("an entry `{kind}`: {error}"))?,
        },
        "executing" => JournalEvent::Executing {
            call: call?,
            tool: tool?.parse().map_err(|error| format!("an entry `{kind}`: {error}"))?,
            origin: meta.origin.map(Cow::into_owned),
            effects: meta.effects.unwrap_or_default(),
            approved: meta.approved.map(Cow::into_owned),
        },
        "settled" => JournalEvent::Settled {
            call: call?,
            settled: match meta.error {
                None => CallResult::Value(whole(text)?),
                Some(EncodedError { code, message }) => CallResult::Error {
                    code: code.into_owned(),
                    message: message.into_owned(),
                    data: text,
                },
            },
        },
        "cancelled" => JournalEvent::Cancelled { call: call?, sent: sent? },
        "abandoned" => JournalEvent::Abandoned { call: call?, sent: sent? },
        "resumed" => {
            JournalEvent::Resumed { pml: meta.pml.ok_or_else(|| lacks("version"))?.into_owned() }
        }
        "ended" => JournalEvent::Ended { ending: whole(text)? },
        _ => return Err(format!("an entry of an unknown kind, `{}`", crate::model::escape(kind))),
    })
}
