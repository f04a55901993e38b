//! Events as plain fields.

use super::number::json;
use crate::model::{CallId, CallResult, Effects, QuestionId, Timestamp, ToolOrigin};
use crate::store::{CallVerdict, JournalEvent};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The small fields of an entry. The part that may be large is stored as it is, in `text`.
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
    installed_at: Option<Timestamp>,
    /// What an earlier version wrote instead of `installed_at`.
    #[serde(skip_serializing)]
    installed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pml: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
struct EncodedError<'a> {
    code: Cow<'a, str>,
    message: Cow<'a, str>,
}

/// An event as plain fields.
pub(super) struct EncodedEvent<'a> {
    pub(super) kind: &'static str,
    pub(super) meta: Option<Cow<'a, str>>,
    pub(super) text: Option<Cow<'a, str>>,
}

/// Encodes an event.
pub(super) fn encode_event(what: &JournalEvent) -> EncodedEvent<'_> {
    let (kind, meta, text) = parts(what);
    EncodedEvent { kind, meta: meta.map(|meta| json(&meta).into()), text }
}

fn parts(what: &JournalEvent) -> (&'static str, Option<EntryMeta<'_>>, Option<Cow<'_, str>>) {
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
        // The question itself is stored only once, in its own table.
        JournalEvent::Asked { question } => ("asked", None, Some(question.id.to_string().into())),
        JournalEvent::Withdrawn { question } => {
            ("withdrawn", None, Some(question.to_string().into()))
        }
        JournalEvent::Executing { tool, origin, effects, approved, installed_at, .. } => {
            let origin = origin.as_ref().map(Cow::Borrowed);
            let effects = Some(*effects).filter(|effects| *effects != Effects::Unknown);
            let tool = Some(tool.as_str().into());
            let approved = approved.as_deref().map(Cow::from);
            let meta = EntryMeta {
                tool,
                origin,
                effects,
                approved,
                installed_at: *installed_at,
                ..EntryMeta::default()
            };
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

fn read_meta(meta: Option<&str>) -> Result<EntryMeta<'_>, String> {
    let read = meta.map_or_else(|| Ok(EntryMeta::default()), serde_json::from_str);
    read.map_err(|error| error.to_string())
}

/// Decodes the id of the question that an `asked` entry names. Entries of journals up to format 2
/// hold a copy of the question. Only the id of that copy is used: the stored question is the one
/// that people are shown.
pub(super) fn decode_asked(meta: Option<&str>, text: Option<String>) -> Result<QuestionId, String> {
    #[derive(Deserialize)]
    struct Copy {
        workflow_id: QuestionId,
    }
    read_meta(meta)?;
    let text = text.ok_or("an entry `asked` without its text")?;
    let id = match text.starts_with('{') {
        true => serde_json::from_str(&text).map(|copy: Copy| copy.workflow_id).ok(),
        false => text.parse().ok(),
    };
    id.ok_or_else(|| "an entry `asked` that names no question".into())
}

/// Decodes an event of any kind but `asked`. `at` is the time of its entry.
pub(super) fn decode_event(
    kind: &str,
    at: Timestamp,
    call: Option<CallId>,
    meta: Option<&str>,
    text: Option<String>,
) -> Result<JournalEvent, String> {
    let meta = read_meta(meta)?;
    let missing = |part: &str| format!("an entry `{kind}` without its {part}");
    let call = call.ok_or_else(|| missing("call"));
    let required = |text: Option<String>| text.ok_or_else(|| missing("text"));
    let tool = meta.tool.map(Cow::into_owned).ok_or_else(|| missing("tool"));
    let sent = meta.sent.ok_or_else(|| missing("`sent`"));
    Ok(match kind {
        "requested" => JournalEvent::Requested {
            call: call?,
            tool: tool?,
            arguments: match meta.size {
                Some(size) => Err(size),
                None => Ok(required(text)?),
            },
            verdict: meta.verdict.ok_or_else(|| missing("verdict"))?.into_owned(),
        },
        "withdrawn" => JournalEvent::Withdrawn {
            question: required(text)?
                .parse()
                .map_err(|error| format!("an entry `{kind}`: {error}"))?,
        },
        "executing" => JournalEvent::Executing {
            call: call?,
            tool: tool?.parse().map_err(|error| format!("an entry `{kind}`: {error}"))?,
            origin: meta.origin.map(Cow::into_owned),
            effects: meta.effects.unwrap_or_default(),
            approved: meta.approved.map(Cow::into_owned),
            // Without a time of its own, the installation lasted until the call was sent.
            installed_at: meta.installed_at.or(meta.installed.then_some(at)),
        },
        "settled" => JournalEvent::Settled {
            call: call?,
            settled: match meta.error {
                None => CallResult::Value(required(text)?),
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
            JournalEvent::Resumed { pml: meta.pml.ok_or_else(|| missing("version"))?.into_owned() }
        }
        "ended" => JournalEvent::Ended { ending: required(text)? },
        _ => return Err(format!("an entry of an unknown kind, `{}`", crate::model::escape(kind))),
    })
}
