//! Python: packages of a Python index, each in a virtual environment of its own.
//!
//! `uv` does the work where it is, else the machine's Python with `pip`. Both make the same: a virtual environment whose
//! programs are started by its own interpreter.
//!
//! **Invariant:** a virtual environment is made under another name than it ends with. Only its scripts know the name, and they are
//! rewritten. **Invariant:** wheels only, unless scripts are allowed: building a package runs its code.
//! **Invariant:** from the moment that packages are in it, the environment's interpreter is not started until a server is: a `.pth`
//! of any package would run.

mod backend;
mod building;
mod compile;
mod distribution;
mod entry;
mod install;
mod name;
mod pip;
mod sources;
mod start;
mod untouched;
mod uv;

pub(super) use backend::Backend;
pub(super) use entry::program;
pub(super) use install::settle;
