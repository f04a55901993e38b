//! The MCP server that clients talk to.
