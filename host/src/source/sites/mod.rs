//! Finds the call that a stack frame waits for. QuickJS reports another position: the last one that
//! it noted before the call.
//!
//! QuickJS notes a position at identifiers, at the first token after `new`, `throw`, `(` and binary
//! operators, and at the start of a statement. It reports a frame at the last position noted before
//! the operation that the frame is stopped at. The order is that of the bytecode, which is the
//! order of the text within a function. So `f(\n  o.v\n)` is reported at `o`. This module notes the
//! same positions in the same order, and finds each call by the position that QuickJS would report
//! for it.
//!
//! Input: a module's executed code, and the offsets that frames report. Output: [`CallSites`],
//! which finds the site of a frame by its reported position and the name of the function it waits
//! for. The convention is that of V8: a site is at `new` for `new X(…)`, at `f` for `f(…)`, at `c`
//! for `a.b.c(…)`, at the tag for a tagged template. Unlike there, it is else at the start of what is
//! called.
//!
//! **Invariant:** code that cannot be parsed has no sites, and a frame without a site keeps its
//! reported position. **Invariant:** the search is linear in the code, runs on a stack that is
//! known to be large enough, and stores a bounded number of sites.

mod bound_names;
mod call_site;
mod callee;
mod expression_text;
mod find;
mod token_columns;
mod walk;

#[cfg(test)]
mod tests;

pub(super) use call_site::{CallSiteKind, CallSites};
pub(super) use find::find;
