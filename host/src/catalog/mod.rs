//! What the servers offer, made useful: TypeScript types and signatures, search, browsing under a
//! budget, checks of arguments, and shapes of results that servers say nothing of.
//!
//! In flow definitions of tools (and results, of which only shapes are kept), out flow text, ranked
//! lists and mismatches.
//!
//! **Invariant:** a definition is hostile text: everything that is made of it is quoted or escaped,
//! and bounded in size and time. **Invariant:** nothing is fetched for a schema, and no value of a
//! result is kept. This room knows nothing of servers, policy or runs.

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
