//! A project's files and their meaning: settings, servers, and whether this user trusts them.
//!
//! Input: a folder. Output: a [`Project`]. The steps run in one direction: `locate` finds the
//! folder, `document` parses a file into a tree with positions, `raw` reads it as typed, `resolve`,
//! `server_entry` and `grants` interpret it, `manifest` finds the other parts that decide, `trust`
//! checks whether they are trusted, and `expand` expands variables. `project_files` does all of it
//! up to the manifest; `reload` repeats it.
//!
//! [`Project::configure`] applies the project's settings to an engine; [`Servers`] are its MCP
//! servers. `edit` and `edit_grants` write `.pml.json`; `import` reads the files of other clients.
//!
//! **Invariant:** only `servers` starts processes or opens connections.
//! **Invariant:** a file that is unreadable or invalid is an error; it never counts as empty.
//! **Invariant:** nothing in a project can make the project trusted.

mod agent;
mod approved_entries;
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
mod new_server;
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
mod secret_strings;
mod secrets;
mod server_entry;
pub(crate) mod servers;
#[cfg(test)]
mod tests;
mod trust;
mod user;
mod variables;

pub use crate::config::{Environment, Launch, ServerConfig, UserKey};
pub use crate::install::{
    CachedPackage, CachedVersion, PackageCache, PruneMode, PruneOutcome, PruneScope, UnusedPackages,
};
pub use crate::model::{Ecosystem, steers_loading};
pub use crate::store::{Dependency, ProjectState};
pub use crate::upstream::{ServerState, ServerStatus};
pub use agent::agent_variable;
pub use configure::GrantStorage;
pub use edit::{EditOutcome, OverwriteMode, ReviewedBy, SettingsFile};
pub use facts::{DeclaredFact, DeclaredFactKind};
pub(crate) use file_names::{MCP_FILE, PML_FILE};
pub use gitignore::{SettingsSharing, update_gitignore};
pub use import::{
    BrokenPmlEntry, FoundServer, FoundServers, ImportScope, ImportSource, SkippedImport,
    find_servers,
};
pub use journal::{LegacyJournalOutcome, OrphanedJournal, ProjectJournal};
pub use locate::locate;
pub use parts::{
    ApprovalSettings, Cloud, DeclaredFile, DeclaredFileState, DeclaredServer, DeclaredVariable,
    Permissions, ProjectDeclarations, RouteTarget, RoutingRule, UnusableCause, UnusableServer,
};
pub use project::Project;
pub use servers::{
    Freshness, LockMode, LockReview, PackageState, RequestedVersion, Servers, ToolOffer,
    UnavailableServer,
};
pub use trust::TrustState;
pub use user::UserSettings;
