//! Python: packages of a Python index, each in a virtual environment of its own.
//!
//! `uv` does the work where it is, else the machine's Python with `pip`. Both make the same: a virtual environment whose
//! programs are started by its own interpreter.
//!
//! **Invariant:** a virtual environment is made under another name than it ends with. Only its scripts know the name, and they are
//! rewritten. **Invariant:** wheels only, unless scripts are allowed: building a package runs its code.

mod backend;
mod entry;
mod install;
mod name;
mod pip;
mod uv;

pub(super) use backend::Backend;
pub(super) use entry::program;
pub(super) use install::{install, settle};
