//! The names of the files that a project is read from.

/// The project's own settings.
pub(crate) const PML_FILE: &str = ".pml.json";

/// The servers that Claude Code reads too.
pub(crate) const MCP_FILE: &str = ".mcp.json";

/// The variables of a project.
pub(super) const ENV_FILE: &str = ".env";
