//! Checks how deep a text nests before it is parsed.
//!
//! The parser guesses: at `(` it may try an arrow function first, at `<` type arguments. After a
//! wrong guess it parses the text again, so nested guesses cost quadratic time or worse:
//! `f<(a=f<(a=…` doubles the time with each level. This scan refuses such texts. It follows
//! brackets, strings, templates, comments and regular expressions as the parser does. Where a `/`
//! could be read both ways, it instead counts the possible doublings anywhere in the text.
//!
//! Input: a text. Output: `Ok`, or the position that nests too deep and the reason. **Invariant:**
//! the scan is linear in the text and does not recurse.

mod scan;
#[cfg(test)]
mod tests;

pub(super) use scan::check;
