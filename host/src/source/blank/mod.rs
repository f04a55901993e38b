//! TypeScript to JavaScript by blanking types in place: what is erased becomes spaces, and nothing
//! else moves.
//!
//! Flows in: a parsed program with its tokens. Flows out: [`BlankedProgram`]: the JavaScript, what
//! it imports, and what was found that cannot be erased.
//!
//! Blanking can change where a statement ends, because a newline that ended it may no longer do so.
//! Where that could happen a `;` takes the place of a blank, or a parenthesis moves; where neither
//! is possible the construct is refused.
//!
//! **Invariant:** output and input have the same length in bytes, and the same line ends.

mod class;
mod edits;
mod erase;
mod visit;

#[cfg(test)]
mod tests;

pub(super) use erase::is_erased;
pub(super) use visit::blank;
