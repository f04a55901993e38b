//! `pml doctor`: finds problems of this machine or project, and says what to do about them.
//!
//! Takes the machine, the project and its servers, and returns checks: one line each, with a
//! status. **Invariant:** no check changes anything, and without `--start` no server is started.

mod audit_trail;
mod check;
mod command;
mod launch;
mod machine;
mod policy;
mod project;
mod servers;

pub(super) use command::DoctorCommand;
