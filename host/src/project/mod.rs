//! A project's own files and what they mean: settings, servers, and whether this user trusts them.
//!
//! In flows a folder; out flows a [`Project`]. Reading goes one way: `locate` (which folder) → `file` (bytes, with care) →
//! `document` (a tree with places) → `raw` (as typed) → `resolve`, `entry`, `grants` and `plan` (what it means) → `manifest` (what else decides) →
//! `trust` decides what counts → `expand` puts variables in; `files` does all of it up to the manifest; `renew` does it again. `edit` and `edit_grants` write `.pml.json`, `state` writes into `.pml`, `import` reads other clients' files.
//!
//! **Invariant:** nothing here starts or reaches anything. **Invariant:** a file that cannot be read or understood is an
//! error; it never counts as an empty one. **Invariant:** nothing in a project makes the project trusted.

mod agent;
mod cut_out;
mod document;
mod dotenv;
mod edit;
mod edit_entry;
mod edit_grants;
mod entry;
mod expand;
mod facts;
mod fields;
mod files;
mod gitignore;
mod grants;
mod import;
mod journal;
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
mod secrets;
pub(crate) mod servers;
#[cfg(test)]
mod tests;
mod trust;
mod user;
mod variables;

pub use agent::agent_around;
pub use edit::{Edited, Existing, Seen, SettingsFile};
pub use facts::{DeclaredFact, DeclaredFactKind};
pub use gitignore::{Sharing, ignore_state};
pub use import::{FoundServer, FoundServers, ImportScope, ImportSource, LeftOut, find_servers};
pub use journal::{GoneJournal, OlderJournal, ProjectJournal};
pub use locate::locate;
pub use parts::{
    Approvals, Cloud, Declared, DeclaredFile, DeclaredServer, DeclaredVariable, FileState,
    Permissions, RoutedTo, RoutingRule, UnusableServer,
};
pub use project::Project;
pub use servers::{Freshness, Offer, PackageState, Servers, Unavailable};
pub use trust::TrustState;
pub use user::UserSettings;

/// The project's own settings.
pub(crate) const PML_FILE: &str = ".pml.json";

/// The servers that Claude Code reads too.
pub(crate) const MCP_FILE: &str = ".mcp.json";
