//! The tool that a name means, and what has to be known of it before it is called.

use super::{Effects, Need, Progress, ToolName, ToolOrigin};
use std::path::PathBuf;
use std::sync::Arc;

/// What the paths in the arguments of a tool begin at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathBase {
    /// They are paths of this machine; relative ones begin at this folder.
    Folder(PathBuf),
    /// They are paths of another machine, or of no machine: nothing but their words is known.
    Elsewhere,
    /// They are paths of this machine; nobody knows where relative ones begin.
    Unknown,
}

/// Is told how far something is.
pub type ProgressCallback = Arc<dyn Fn(Progress) + Send + Sync>;

/// The tool that a name means.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResolvedTool {
    /// The tool, spelled as its server does.
    pub tool: ToolName,
    /// What a call of it may do to the world.
    pub effects: Effects,
    /// Its definition and its server, where they are known.
    pub origin: Option<ToolOrigin>,
    /// What has to be there before it can be called, or more be known of it.
    pub need: Option<Need>,
}

impl ResolvedTool {
    /// Returns a tool of which no more is known.
    pub fn new(tool: ToolName, effects: Effects) -> ResolvedTool {
        ResolvedTool { tool, effects, origin: None, need: None }
    }

    /// Returns a tool that cannot be called before `need` is met.
    pub fn lacking(tool: ToolName, need: Need) -> ResolvedTool {
        ResolvedTool { need: Some(need), ..ResolvedTool::new(tool, Effects::Unknown) }
    }
}
