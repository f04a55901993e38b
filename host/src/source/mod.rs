//! Text in, a [`Program`] that the guest can run out; and back: guest stack traces to positions in
//! the user's own source.
//!
//! [`Script`] says what to run and where its imports may reach. [`Script::load`] reads it, blanks
//! its types in place, wraps a function body as a module, and follows relative imports.
//! [`Program::trace`] and [`Program::code_frame`] show where in the user's text something went
//! wrong. `calls` finds what a program calls, without running it.
//!
//! A program is one of two things. With a value `import` or `export`, or `import.meta`, it is an ES
//! module. Otherwise it is the body of an async function: it may `return` and `await`, and a last
//! expression is its result.
//!
//! **Invariant:** blanking and wrapping never move anything that has a position, with one exception
//! that is recorded ([`ColumnShift`]) and undone. **Invariant:** the text is parsed alone before it
//! is wrapped, and the wrapped text is parsed again: no text can close its wrapper. **Invariant:**
//! nothing outside the workspace is read, and an error never tells what is there. **Invariant:**
//! hostile text costs at most linear time and a bounded stack. This room knows nothing of the
//! sandbox, of policy, or of which tools there are.

mod blank;
#[cfg(feature = "servers")]
mod calls;
mod code_frame;
mod compile;
mod error;
mod escape;
mod json;
mod load;
mod nesting;
mod parse;
mod position;
mod program;
mod resolve;
mod script;
mod sites;
mod stack;
mod token_class;
mod trace;
mod trace_resolver;
mod wrap;

#[cfg(feature = "servers")]
pub(crate) use calls::{Callee, Literal, LiteralValue, ProgramCall, calls_of};
pub use code_frame::CodeFrame;
pub use error::{SourceError, SourceLocation};
pub use position::Position;
pub use program::{ColumnShift, Language, Program, SourceModule};
pub use script::Script;
pub use trace::StackFrame;
