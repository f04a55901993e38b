//! A project's own files and what they mean: settings, servers, and whether this user trusts them.
//!
//! In flows a folder; out flows a [`Project`]. Reading goes one way: `locate` (which folder) → `file` (bytes, with care) →
//! `document` (a tree with places) → `raw` (as typed) → `resolve`, `entry`, `grants` and `plan` (what it means) → `manifest` (what else decides) →
//! `trust` decides what counts → `expand` puts variables in; `files` does all of it up to the manifest; `renew` does it again. `edit` and `edit_grants` write `.pml.json`, `state` writes into `.pml`, `import` reads other clients' files.
//!
//! **Invariant:** nothing here starts or reaches anything. **Invariant:** a file that cannot be read or understood is an
//! error; it never counts as an empty one. **Invariant:** nothing in a project makes the project trusted.

mod account;
mod cut_out;
mod document;
mod dotenv;
mod edit;
mod edit_entry;
mod edit_grants;
mod entry;
mod environment;
mod expand;
mod facts;
mod fields;
mod file;
mod files;
mod gitignore;
mod grants;
mod import;
mod journal;
mod key;
mod locate;
mod manifest;
mod parts;
mod plan;
#[expect(clippy::module_inception, reason = "the type that this room is named for")]
mod project;
mod raw;
mod raw_grant;
mod raw_server;
mod renew;
mod resolve;
mod routing_cache;
mod state;
mod state_folder;
#[cfg(test)]
mod tests;
mod trust;
mod user;
mod variables;
mod write;

pub use edit::{Edited, Existing, Seen, SettingsFile};
pub use environment::Environment;
pub(crate) use environment::NETWORK;
pub use facts::{DeclaredFact, DeclaredFactKind};
pub use gitignore::{Sharing, ignore_state};
pub use import::{FoundServer, FoundServers, ImportScope, ImportSource, LeftOut, find_servers};
pub use journal::ProjectJournal;
#[cfg(feature = "cli")]
pub(crate) use journal::{GoneJournal, OlderJournal};
pub use key::UserKey;
pub use locate::locate;
pub(crate) use manifest::Scripts;
pub use parts::{
    Approvals, Cloud, Declared, DeclaredFile, DeclaredServer, DeclaredVariable, FileState,
    Permissions, RoutedTo, RoutingRule, UnusableServer,
};
pub use project::Project;
pub use state::{Dependency, State};
pub(crate) use state::{Installation, StartedBy};
pub use trust::TrustState;
pub use user::UserSettings;
