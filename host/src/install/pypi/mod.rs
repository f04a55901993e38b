//! Python: packages of a Python index, each in a virtual environment of its own.
//!
//! `uv` does the work where it is, else the machine's Python with `pip`. Both make the same: a
//! virtual environment whose programs are started by its own interpreter.
//!
//! **Invariant:** a virtual environment is made under another name than it ends with. Only its
//! scripts know the name, and they are rewritten. **Invariant:** wheels only, unless scripts are
//! allowed: building a package runs its code. **Invariant:** from the moment that packages are in
//! it, the environment's interpreter is not started until a server is: a `.pth` of any package
//! would run.

mod build_environment;
mod compile;
mod distribution;
mod finish;
mod launchers;
mod name;
mod pip;
mod program;
mod python_tool;
mod sources;
mod uv;
mod venv_snapshot;

pub(super) use finish::settle;
pub(super) use program::program;
pub(super) use python_tool::PythonTool;
