//! How headers, entries, questions and decisions become text and numbers, and back.
//!
//! In flow the records of a run, out flow plain fields that any database can keep; and the other
//! way round. A database maps them to its columns and adds nothing.
//!
//! Policy for change: a journal must open for ever. Kinds and fields are added, never renamed; a
//! field that this version does not know is passed over. Times are microseconds since 1970, spans
//! are nanoseconds; unsigned numbers are kept bit for bit in signed ones.
//!
//! **Invariant:** nothing here knows of a database. What is wrong with a record is said in words,
//! without a place.

mod entry;
mod event;
mod header;
mod number;
mod question;
#[cfg(test)]
mod tests;

pub(super) use entry::{DecodedEntry, EncodedEntry, EncodedMeter};
pub(super) use header::EncodedHeader;
pub(super) use number::unsigned;
pub(super) use question::{EncodedDecision, decode_question, encode_question};
