//! MCP servers that answer calls: processes of this machine and remote ones. In flows a call with its tool resolved, out
//! flows its reply.
