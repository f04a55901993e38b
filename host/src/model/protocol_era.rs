//! The two eras of MCP, which differ in how a connection begins.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The era of MCP that a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ProtocolEra {
    /// With a handshake: revisions up to 2025-11-25.
    Legacy,
    /// Without a handshake: every request states what it needs, from revision 2026-07-28 on.
    Modern,
}

impl fmt::Display for ProtocolEra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProtocolEra::Legacy => "legacy",
            ProtocolEra::Modern => "modern",
        })
    }
}
