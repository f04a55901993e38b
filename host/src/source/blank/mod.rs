//! Turns TypeScript into JavaScript by blanking types in place: erased text becomes spaces, and no
//! other text moves.
//!
//! Input: a parsed program with its tokens. Output: a [`BlankedProgram`](visit::BlankedProgram):
//! the JavaScript, its imports, and the first construct that cannot be erased.
//!
//! Blanking can change where a statement ends, because a newline that ended it may no longer do so.
//! Where that could happen, a `;` replaces a blank or a parenthesis moves. Where neither is
//! possible, the construct is refused.
//!
//! An import whose names are used only as types is erased, as TypeScript does it.
//!
//! **Invariant:** output and input have the same length in bytes, and the same line ends.

mod class;
mod edits;
mod erase;
mod import_uses;
mod links;
mod visit;

#[cfg(test)]
mod tests;

pub(super) use edits::blank_spans;
pub(super) use erase::is_erased;
pub(super) use visit::blank;
