//! How deep a text nests, read before it is parsed.
//!
//! The parser guesses: at `(` it may try an arrow function first, at `<` type arguments. A wrong
//! guess is undone and the text parsed again, so that guesses inside guesses cost time squared, or
//! worse: `f<(a=f<(a=…` doubles with each level. This scan refuses such texts. It follows brackets,
//! strings, templates, comments and regular expressions as the parser will; where a `/` could be
//! read both ways, it counts what could go wrong anywhere in the text instead.
//!
//! Flows in: a text. Flows out: nothing, or where it nests too deep and why.
//! **Invariant:** linear in the text, and no recursion.

mod scan;
#[cfg(test)]
mod tests;

pub(super) use scan::check;
