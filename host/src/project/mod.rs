//! A project's own files and what they mean: settings, servers, and whether this user trusts them.
//!
//! In flows a folder; out flows a [`Project`]. Reading goes one way: `locate` (which folder) → `file` (bytes, with care) →
//! `document` (a tree with places) → `raw` (as typed) → `resolve`, `entry`, `grants` and `plan` (what it means) → `manifest` (what else decides) →
//! `trust` decides what counts → `expand` puts variables in; `files` does all of it up to the manifest; `renew` does it again. `edit` and `edit_grants` write `.pml.json`, `state` writes into `.pml`, `import` reads other clients' files.
//!
//! **Invariant:** nothing here starts or reaches anything. **Invariant:** a file that cannot be read or understood is an
//! error; it never counts as an empty one. **Invariant:** nothing in a project makes the project trusted.

mod agent;
mod configure;
mod document;
mod dotenv;
mod edit;
mod edit_grant;
mod edit_grants;
mod expand;
mod facts;
mod fields;
mod gitignore;
mod grants;
mod import;
mod journal;
mod launch_template;
mod locate;
mod manifest;
mod parts;
#[expect(clippy::module_inception, reason = "the type that this room is named for")]
mod project;
mod project_files;
mod raw;
mod raw_grant;
mod raw_server;
mod reload;
mod remove_item;
mod resolve;
mod routing_cache;
mod secrets;
mod server_entry;
pub(crate) mod servers;
#[cfg(test)]
mod tests;
mod trust;
mod user;
mod variables;

pub use agent::agent_variable;
pub use configure::GrantStorage;
pub use edit::{EditOutcome, OverwriteMode, ReviewedBy, SettingsFile};
pub use facts::{DeclaredFact, DeclaredFactKind};
pub use gitignore::{SettingsSharing, update_gitignore};
pub use import::{
    FoundServer, FoundServers, ImportScope, ImportSource, SkippedImport, find_servers,
};
pub use journal::{LegacyJournalOutcome, OrphanedJournal, ProjectJournal};
pub use locate::locate;
pub use parts::{
    ApprovalSettings, Cloud, DeclaredFile, DeclaredFileState, DeclaredServer, DeclaredVariable,
    Permissions, ProjectDeclarations, RouteTarget, RoutingRule, UnusableServer,
};
pub use project::Project;
pub use servers::{Freshness, PackageState, Servers, ToolOffer, UnavailableServer};
pub use trust::TrustState;
pub use user::UserSettings;

/// The project's own settings.
pub(crate) const PML_FILE: &str = ".pml.json";

/// The servers that Claude Code reads too.
pub(crate) const MCP_FILE: &str = ".mcp.json";
