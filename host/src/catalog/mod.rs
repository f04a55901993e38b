//! The tools of the servers, in useful forms: TypeScript types and signatures, search, browsing
//! within a budget, checks of arguments, and inferred shapes of results whose servers give no
//! output schema.
//!
//! Input: definitions of tools, and results, of which only shapes are stored. Output: text, ranked
//! lists and mismatches.
//!
//! **Invariant:** a definition is hostile text: everything made from it is quoted or escaped, and
//! bounded in size and time. **Invariant:** no schema is fetched, and no value of a result is
//! stored. This module does not know servers, policy or runs.

mod arguments;
mod browse;
mod built_in;
mod listing;
mod mismatch;
mod observed;
mod schema_cost;
mod search;
mod typescript;
mod value_shape;
mod wording;

pub use arguments::{ArgumentValidator, UnusableSchema};
pub use browse::{BrowseResult, BrowsedTool, browse};
pub(crate) use built_in::definitions as built_in_definitions;
pub use listing::{ToolListing, UnresolvedTool};
pub use mismatch::{Mismatch, MismatchKind};
pub use observed::{InferredSchema, ObservedResults};
pub use search::ToolIndex;
pub use typescript::{declarations as typescript_declarations, signature as typescript_signature};
