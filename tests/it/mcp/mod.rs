//! The MCP server `pml stdio`, and each channel by which a client asks a person.

mod browsing;
mod cancelled;
mod channel_caller;
mod channel_dialog;
mod channel_rounds;
mod channel_tasks;
#[cfg(target_os = "linux")]
mod endings;
mod followed;
mod frames;
mod loading;
mod progress;
mod stdio;
