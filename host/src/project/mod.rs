//! A project's own files and what they mean: settings, servers, and whether this user trusts them.
//!
//! In flows a folder; out flows a [`Project`]. Reading goes one way: `locate` finds the folder,
//! `document` makes a tree with places of a file, `raw` reads it as typed, `resolve`,
//! `server_entry` and `grants` say what it means, `manifest` what else decides, `trust` what
//! counts, and `expand` puts variables in. `project_files` does all of it up to the manifest;
//! `reload` does it again.
//!
//! [`Project::configure`] gives an engine what the project says; [`Servers`] are its MCP servers.
//! `edit` and `edit_grants` write `.pml.json`; `import` reads the files of other clients.
//!
//! **Invariant:** only `servers` starts or reaches anything. **Invariant:** a file that cannot be
//! read or understood is an error; it never counts as an empty one. **Invariant:** nothing in a
//! project makes the project trusted.

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
mod file_names;
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

pub use crate::config::{Environment, Launch, ServerConfig, UserKey};
pub use crate::model::steers_loading;
pub use crate::store::{Dependency, ProjectState};
pub use crate::upstream::{ServerState, ServerStatus};
pub use agent::agent_variable;
pub use configure::GrantStorage;
pub use edit::{EditOutcome, OverwriteMode, ReviewedBy, SettingsFile};
pub use facts::{DeclaredFact, DeclaredFactKind};
pub(crate) use file_names::{MCP_FILE, PML_FILE};
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
