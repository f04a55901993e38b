//! `pml doctor`: what is wrong with this machine or project, and what to do about it.
//!
//! In flow the machine, the project and its servers, out flow checks: one line each, with a mark.
//! **Invariant:** nothing is changed, and without `--start` nothing is started.

mod audit_trail;
mod check;
mod command;
mod launch;
mod machine;
mod policy;
mod project;
mod servers;

pub(super) use command::DoctorCommand;
