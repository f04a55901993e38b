//! Text for people: escaped, cut to size, and without secrets.
//!
//! Text from a program, a server or a file is shown only through [`escape`]. A [`Redactor`] hides
//! secret values.

pub use crate::model::nearest;
pub use crate::model::{
    Redactor, brief, brief_with, check_size, cut, cut_to_columns, digest, escape, fold,
    fold_middle, format_bytes, format_span, hex, in_one_line, milliseconds, parse_bytes,
    parse_duration, parsed_size, redact, redacted_setting,
};
