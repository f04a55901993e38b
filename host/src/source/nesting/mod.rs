//! Checks how deep a text nests before it is parsed.
//!
//! The parser (oxc 0.146) guesses, and after a wrong guess it parses the text again. Its stack is
//! not a concern here: `stack` provides enough of it for any text. Its time is:
//!
//! - At `<` after a value it tries type arguments. Nothing remembers a wrong guess. In
//!   `[a < b, c < d, …]` each guess reads up to the `]`, which is quadratic in the number of `<` that
//!   are open at once. A value inside the types, as in `f<(a=f<(a=…`, doubles the time with each
//!   level.
//! - At `(` it may try an arrow function. It remembers wrong guesses by their position, so each is
//!   made once, and costs the text up to the end of the guess: the `)`, or after `? (a) : b =>` the
//!   end of the expression.
//! - In a type, `(` with a pattern after it and `infer X extends` are read twice at each level.
//!
//! So this scan bounds two things: how deep guesses nest that double the time, and how many tokens
//! the other guesses can read again in total. Signs count only while the parser may be inside the
//! guess: a `<` until a token that no list of types contains, a `=>` until the end of its statement
//! or item. The scan follows brackets, strings, templates, comments and regular expressions as the
//! parser does. Where a `/` could be read both ways, it instead counts the possible doublings
//! anywhere in the text.
//!
//! Input: a text. Output: `Ok`, or the position that nests too deep and the reason. **Invariant:**
//! the scan is linear in the text and does not recurse.

mod scan;
#[cfg(test)]
mod tests;

pub(super) use scan::check;
