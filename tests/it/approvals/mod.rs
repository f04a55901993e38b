//! Calls that a person decides about: questions, answers, prompts and the audit trail.

mod answers;
mod asks;
mod audit;
mod lapses;
mod missing;
mod needs;
#[cfg(target_os = "linux")]
mod prompts;
mod waiting;
