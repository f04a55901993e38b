//! `pml tools`: lists the tools that programs can call, with the policy's decision on each.
//!
//! Takes a pattern, a server's name, or words to search for, and prints one line for each tool. All
//! text from servers is escaped.

mod command;
mod selection;
mod show;

pub(super) use command::ToolsCommand;
