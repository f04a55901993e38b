//! Where a stack frame really stands: the call it waits for, not the last thing that QuickJS noted
//! before it.
//!
//! QuickJS notes a place at identifiers, at the first token after `new`, `throw`, `(` and binary
//! operators, and at the start of a statement. A frame is reported at the last place noted before
//! the operation it is stopped at, in the order of the bytecode, which is that of the text within a
//! function. So `f(\n  o.v\n)` is reported at `o`. Here the same places are noted in the same
//! order, and each call is found by the place that QuickJS would report for it.
//!
//! Flows in: a module's executed code, and the offsets that frames report. Flows out:
//! [`CallSites`], which tells the site of a frame from the place it reports and the name of the
//! function it waits for. The convention is that of V8: `new` for `new X(…)`, `f` for `f(…)`, `c`
//! for `a.b.c(…)`, else the parenthesis; a tagged template stands at its tag.
//!
//! **Invariant:** code that cannot be parsed has no sites, and frames without a site are left
//! alone. **Invariant:** linear in the code, on a stack that is known to be large enough, and
//! bounded in what is kept.

mod bound_names;
mod call_site;
mod callee;
mod find;
mod token_columns;
mod walk;

#[cfg(test)]
mod tests;

pub(super) use call_site::CallSites;
pub(super) use find::find;
