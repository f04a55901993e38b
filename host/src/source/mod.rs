//! Turns program text into a [`Program`] that the guest can run, and guest stack traces into
//! positions in the user's own source.
//!
//! A [`Script`] names the program to run and the folder that its imports may reach.
//! [`Script::load`] reads it, replaces its types by blanks, wraps a function body as a module, and
//! follows relative imports. [`Program::trace`] and [`Program::code_frame`] show the place in the
//! user's text where an error happened. `calls` finds the calls of a program without running it.
//!
//! A program has one of two forms. With a value `import` or `export`, or `import.meta`, it is an ES
//! module. Otherwise it is the body of an async function: it may `return` and `await`, and a last
//! expression is its result.
//!
//! **Invariant:** blanking and wrapping never move anything that has a position. The one exception
//! is recorded ([`ColumnShift`]) and undone. **Invariant:** the text is parsed alone before it is
//! wrapped, and the wrapped text is parsed again: no text can close its wrapper. **Invariant:** no
//! file outside the workspace is read, and an error never reveals whether one exists.
//! **Invariant:** hostile text costs at most linear time and a bounded stack. This module does not
//! know the sandbox, the policy, or the available tools.

mod awaiters;
mod blank;
mod calls;
mod common_js;
mod compile;
mod early_error;
mod error;
mod escape;
mod fault_trace;
mod json;
mod link;
mod links;
mod load;
mod missing_await;
mod module_name;
mod nesting;
mod only_place;
mod parse;
mod program;
mod resolve;
mod script;
mod sites;
mod stack;
mod token_class;
mod trace;
mod trace_resolver;
mod wrap;

pub use crate::model::{CodeFrame, Position};
pub(crate) use calls::{Callee, Literal, LiteralValue, ProgramCall, calls_of};
pub use error::{SourceError, SourceLocation};
pub(crate) use fault_trace::{FaultTrace, RawFault};
pub(crate) use only_place::UnplacedFailure;
pub use program::{ColumnShift, Language, Program, RefusedImport, SourceModule};
pub use script::Script;
pub use trace::StackFrame;
