//! Entries as plain fields.

use super::event::{EncodedEvent, decode_asked, decode_event, encode_event};
use super::number::{nanoseconds, signed, unsigned};
use crate::model::{CallId, Question, QuestionId, Timestamp};
use crate::store::{JournalEntry, JournalEvent, Meter};
use std::borrow::Cow;
use std::time::Duration;

/// The time of an entry and the usage of the run, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct EncodedMeter {
    pub(in crate::store) at: i64,
    pub(in crate::store) cpu: i64,
    pub(in crate::store) wall: i64,
    pub(in crate::store) lines: i64,
    pub(in crate::store) calls: i64,
}

impl EncodedMeter {
    fn of(at: Timestamp, meter: &Meter) -> EncodedMeter {
        EncodedMeter {
            at: signed(at.0),
            cpu: nanoseconds(meter.cpu),
            wall: nanoseconds(meter.wall),
            lines: signed(meter.lines),
            calls: signed(meter.calls),
        }
    }

    /// Returns the time and the usage.
    pub(in crate::store) fn decode(self) -> (Timestamp, Meter) {
        let meter = Meter {
            cpu: Duration::from_nanos(unsigned(self.cpu)),
            wall: Duration::from_nanos(unsigned(self.wall)),
            lines: unsigned(self.lines),
            calls: unsigned(self.calls),
        };
        (Timestamp(unsigned(self.at)), meter)
    }
}

/// An entry as plain fields.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::store) struct EncodedEntry<'a> {
    pub(in crate::store) meter: EncodedMeter,
    /// The kind of the event.
    pub(in crate::store) kind: &'a str,
    /// The call that it is about.
    pub(in crate::store) call: Option<i64>,
    /// The small fields: one JSON text.
    pub(in crate::store) meta: Option<Cow<'a, str>>,
    /// The part that may be large, as it is.
    pub(in crate::store) text: Option<Cow<'a, str>>,
}

/// An entry that was read back.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::store) enum DecodedEntry {
    /// A complete entry.
    Whole(JournalEntry),
    /// An `asked` entry, which names its question. The question itself is stored only once,
    /// elsewhere.
    Asked(AskedEntry),
}

/// An `asked` entry without its question.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::store) struct AskedEntry {
    /// The question.
    pub(in crate::store) question: QuestionId,
    at: Timestamp,
    meter: Meter,
}

impl AskedEntry {
    /// Returns the complete entry. Returns an error if `question` is `None`: no question has this
    /// id.
    pub(in crate::store) fn with_question(
        self,
        question: Option<Question>,
    ) -> Result<JournalEntry, String> {
        let missing = || format!("an entry `asked` without its question `{}`", self.question);
        let question = question.ok_or_else(missing)?;
        Ok(JournalEntry::new(self.at, self.meter, JournalEvent::Asked { question }))
    }
}

impl<'a> EncodedEntry<'a> {
    /// Encodes an entry.
    pub(in crate::store) fn of(entry: &'a JournalEntry) -> EncodedEntry<'a> {
        let EncodedEvent { kind, meta, text } = encode_event(&entry.event);
        let meter = EncodedMeter::of(entry.at, &entry.meter);
        let call = entry.event.call().map(|call| signed(call.number()));
        EncodedEntry { meter, kind, call, meta, text }
    }

    /// Decodes an entry. The error describes the damage.
    pub(in crate::store) fn decode(self) -> Result<DecodedEntry, String> {
        let (at, meter) = self.meter.decode();
        let text = self.text.map(Cow::into_owned);
        if self.kind == "asked" {
            let question = decode_asked(self.meta.as_deref(), text)?;
            return Ok(DecodedEntry::Asked(AskedEntry { question, at, meter }));
        }
        let call = self.call.map(|call| CallId::numbered(unsigned(call)));
        let what = decode_event(self.kind, at, call, self.meta.as_deref(), text)?;
        Ok(DecodedEntry::Whole(JournalEntry::new(at, meter, what)))
    }
}
