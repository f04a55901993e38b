//! Settings of an engine and of its servers, and the variables and folders of this process and
//! user.
//!
//! In flow values as they were given; out flow checked values: a [`Config`] becomes
//! `EngineSettings`.
//!
//! **Invariant:** only this room reads variables from the operating system.

#[cfg(feature = "servers")]
pub(crate) mod account;
#[expect(clippy::module_inception, reason = "the type that this room is named for")]
mod config;
#[cfg(feature = "servers")]
mod environment;
mod grant_writer;
#[cfg(feature = "servers")]
mod pinned_files;
#[cfg(feature = "servers")]
mod server;
pub(crate) mod settings;
#[cfg(feature = "servers")]
pub(crate) mod state_folder;
#[cfg(feature = "servers")]
mod user_key;

pub use config::Config;
#[cfg(feature = "servers")]
pub use environment::Environment;
#[cfg(feature = "servers")]
pub(crate) use environment::NETWORK;
pub use grant_writer::GrantWriter;
#[cfg(feature = "servers")]
pub(crate) use pinned_files::{PinnedFileCheck, PinnedFiles};
#[cfg(feature = "servers")]
pub(crate) use server::check_name;
#[cfg(feature = "servers")]
pub use server::{Launch, ServerConfig};
pub(crate) use settings::EngineSettings;
#[cfg(feature = "servers")]
pub use user_key::UserKey;
