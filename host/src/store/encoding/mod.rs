//! Encodes headers, entries, questions and decisions as text and numbers, and decodes them.
//!
//! Input: the records of a run. Output: plain fields that any database can store; and the reverse.
//! A database maps them to its columns and adds nothing.
//!
//! Policy for change: every version of pml reads all older journals. Kinds and fields are added,
//! never renamed; a field that this version does not know is ignored. Times are microseconds since
//! 1970, durations are nanoseconds; unsigned numbers are stored bit for bit as signed ones.
//!
//! **Invariant:** this code knows no database. An error describes the damage to a record, not its
//! location.

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
