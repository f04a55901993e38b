//! Finds the functions that wait for a function which failed after an `await`.
//!
//! QuickJS knows only the functions that run: after an `await`, the stack ends at the function that
//! was resumed. Who awaits it is read from the text. That is certain if nothing but one call can
//! have started the function, and the result of the call is awaited or returned at that place.
//!
//! Followed are functions that are declared or held by a constant, also across modules; functions
//! called at once; functions passed to `map` inside `Promise.all` and the like, or to `then`; methods
//! of objects and classes that are never passed on as a whole; promises that a constant or a list
//! holds; and functions passed to another function of the program that calls them at one place. Where
//! a function has several calls, or can be called without its name, the search ends: nothing is
//! guessed.
//!
//! Input: a program and the outermost frame of a stack. Output: the frames above it. **Invariant:**
//! modules are parsed only when a program failed, each at most once.

mod callers;
mod holder;
mod module_functions;
mod reader;

#[cfg(test)]
mod tests;

pub(super) use callers::FunctionIndex;
