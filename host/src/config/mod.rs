//! Settings of an engine and of its servers, and the variables and folders of this process and
//! user.
//!
//! Input: values as they were given. Output: checked values: a [`Config`] becomes
//! `EngineSettings`.
//!
//! **Invariant:** only this module reads variables from the operating system.

pub(crate) mod account;
mod cache_folder;
#[expect(clippy::module_inception, reason = "the type that this room is named for")]
mod config;
mod environment;
mod grant_writer;
mod pinned_files;
mod server;
pub(crate) mod settings;
pub(crate) mod state_folder;
mod user_key;

pub use config::Config;
pub use environment::Environment;
pub(crate) use environment::NETWORK;
pub use grant_writer::GrantWriter;
pub(crate) use pinned_files::{PinnedFileCheck, PinnedFiles};
pub(crate) use server::check_name;
pub use server::{Launch, ServerConfig};
pub(crate) use settings::EngineSettings;
pub use user_key::UserKey;
