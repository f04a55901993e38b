//! The names of a project's files.

/// The project's own settings.
pub(crate) const PML_FILE: &str = ".pml.json";

/// The servers file that Claude Code reads too.
pub(crate) const MCP_FILE: &str = ".mcp.json";

/// The variables of a project.
pub(super) const ENV_FILE: &str = ".env";
