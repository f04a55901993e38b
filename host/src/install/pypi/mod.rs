//! Python: packages of a Python index, each in its own virtual environment.
//!
//! `uv` does the work if it is installed, else the machine's Python with `pip`. Both make a virtual
//! environment whose programs are started by its own interpreter.
//!
//! **Invariant:** a virtual environment is made in a staging folder and then renamed. Only its
//! scripts contain the path, and they are rewritten. **Invariant:** only wheels are installed,
//! unless scripts are allowed, since building a package runs its code. **Invariant:** once packages
//! are installed, the environment's interpreter is not started before a server is, since a `.pth`
//! file of any package would run.

mod build_environment;
mod closure;
mod compile;
mod declared;
mod distribution;
mod finish;
mod launchers;
mod name;
mod pip;
mod platform;
mod program;
mod python_tool;
mod sources;
mod uv;
mod venv_snapshot;
mod wheel;

pub(super) use finish::finish;
pub(super) use name::normalize;
pub(super) use program::program;
pub(super) use python_tool::PythonTool;
