//! `pml tools`: what programs can call, and what the policy says to it.
//!
//! In flow a question (a pattern, a server's name, or words) and what the servers offer, out flows
//! a tool a line, with all that servers wrote escaped.

mod command;
mod selection;
mod show;

pub(super) use command::ToolsCommand;
