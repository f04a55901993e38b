//! The clients whose servers can be imported, and the locations of their files.

use crate::config::Environment;
use crate::project::MCP_FILE;
use std::fmt;
use std::path::{Path, PathBuf};

/// A client whose servers can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImportSource {
    /// Claude Code: `.mcp.json`, and `~/.claude.json` for this project and for all projects.
    ClaudeCode,
    /// Claude Desktop: `claude_desktop_config.json`.
    ClaudeDesktop,
    /// VS Code: `.vscode/mcp.json`.
    VsCode,
    /// Cursor: `.cursor/mcp.json`, in the project and in the home folder.
    Cursor,
}

/// The owner of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImportScope {
    /// The user: they wrote it, or let a program write it.
    User,
    /// The project: the file may have come with a clone.
    Project,
}

impl ImportSource {
    /// All clients, in the order in which they are read.
    pub const ALL: &[ImportSource] = &[
        ImportSource::ClaudeCode,
        ImportSource::ClaudeDesktop,
        ImportSource::VsCode,
        ImportSource::Cursor,
    ];

    /// Returns its name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            ImportSource::ClaudeCode => "claude-code",
            ImportSource::ClaudeDesktop => "claude-desktop",
            ImportSource::VsCode => "vscode",
            ImportSource::Cursor => "cursor",
        }
    }

    /// Returns the client of this name, or `None`.
    pub fn named(name: &str) -> Option<ImportSource> {
        ImportSource::ALL.iter().copied().find(|client| client.as_str() == name)
    }

    /// Returns its files and the locations of the servers in them. The first ones take precedence.
    pub(super) fn locations(self, root: &Path, environment: &Environment) -> Vec<ImportLocation> {
        let home = |name: &str| environment.home().map(|home| home.join(name));
        let user = |path: Option<PathBuf>, keys: &[&str]| {
            path.map(|path| ImportLocation::new(path, ImportScope::User, keys))
        };
        let project = |name: &str, key| {
            Some(ImportLocation::new(root.join(name), ImportScope::Project, &[key]))
        };
        let locations = match self {
            ImportSource::ClaudeCode => {
                let here = root.to_string_lossy();
                vec![
                    user(home(".claude.json"), &["projects", &here, "mcpServers"]),
                    project(MCP_FILE, "mcpServers"),
                    user(home(".claude.json"), &["mcpServers"]),
                ]
            }
            ImportSource::ClaudeDesktop => {
                let name = "Claude/claude_desktop_config.json";
                let linux = environment.folder("XDG_CONFIG_HOME").or_else(|| home(".config"));
                let folders =
                    [linux, home("Library/Application Support"), environment.folder("APPDATA")];
                let path = |folder: Option<PathBuf>| folder.map(|folder| folder.join(name));
                folders.map(|folder| user(path(folder), &["mcpServers"])).into()
            }
            ImportSource::VsCode => vec![project(".vscode/mcp.json", "servers")],
            ImportSource::Cursor => vec![
                project(".cursor/mcp.json", "mcpServers"),
                user(home(".cursor/mcp.json"), &["mcpServers"]),
            ],
        };
        locations.into_iter().flatten().collect()
    }
}

impl fmt::Display for ImportSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An object in a file that contains servers by name.
#[derive(Clone, Debug)]
pub(super) struct ImportLocation {
    pub(super) path: PathBuf,
    pub(super) scope: ImportScope,
    pub(super) keys: Vec<String>,
}

impl ImportLocation {
    fn new(path: PathBuf, scope: ImportScope, keys: &[&str]) -> ImportLocation {
        ImportLocation { path, scope, keys: keys.iter().map(|key| (*key).to_owned()).collect() }
    }
}
