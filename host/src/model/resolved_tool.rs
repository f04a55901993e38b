//! The tool that a name means, with the facts that are needed before it is called.

use super::{Effects, Need, Progress, ToolChange, ToolName, ToolOrigin};
use std::path::PathBuf;
use std::sync::Arc;

/// The base of the paths in the arguments of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathBase {
    /// They are paths of this machine; relative ones begin at this folder.
    Folder(PathBuf),
    /// They are paths of another machine, or of none: nothing is known but their text.
    Elsewhere,
    /// They are paths of this machine; the base of relative ones is unknown.
    Unknown,
}

/// A callback that receives progress.
pub type ProgressCallback = Arc<dyn Fn(Progress) + Send + Sync>;

/// The tool that a name means.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResolvedTool {
    /// The tool's name, spelled as by its server.
    pub tool: ToolName,
    /// What a call of it may do to the world.
    pub effects: Effects,
    /// Its definition and its server, if they are known.
    pub origin: Option<ToolOrigin>,
    /// The need that must be fulfilled before it can be called, or before more is known of it.
    pub need: Option<Need>,
    /// How it differs from what was locked or approved. A person decides before it is called.
    pub change: Option<Box<ToolChange>>,
}

impl ResolvedTool {
    /// Returns a tool without an origin and without a need.
    pub fn new(tool: ToolName, effects: Effects) -> ResolvedTool {
        ResolvedTool { tool, effects, origin: None, need: None, change: None }
    }

    /// Returns a tool that cannot be called before `need` is fulfilled.
    pub fn with_need(tool: ToolName, need: Need) -> ResolvedTool {
        ResolvedTool { need: Some(need), ..ResolvedTool::new(tool, Effects::Unknown) }
    }
}
