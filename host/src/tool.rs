//! Tools: their names, definitions and calls.
//!
//! An embedder implements [`Tools`]. [`Tools::find`] returns the tool that a name means, as a
//! [`ResolvedTool`]; [`Tools::call`] carries out a [`Call`].

pub use crate::model::{
    Annotations, Call, CallError, CallId, CallProgress, Definition, Effects, InvalidTool,
    JsonReply, PathBase, ProgressCallback, ProtocolEra, Reply, ResolvedTool, ToolName, ToolOrigin,
};
pub use crate::router::{BUILT_IN, Resolution, Tools, tools_from_fn};
