//! What a run costs the host: its CPU time, wherever it is spent, and the memory that its values
//! take.
//!
//! In flow JSON texts and values, out flow values and texts, or the reason why they were given up.
//! Text says little about what a value takes: `[0],[0],…` takes about a hundred times its length
//! once it is parsed. So a text is weighed before it is parsed, and a parser counts while it
//! builds.
//!
//! What is short is done where it is, at a fixed price and without a look at any clock. What is
//! longer is timed by the thread's own CPU clock. What is long gets a thread, of which there are
//! few; it stops as soon as nobody waits for it or the run has no CPU time left.
//!
//! **Invariant:** all CPU time spent here is charged to the run that it is spent for.
//! **Invariant:** no more than a budget allows is ever allocated for one value.

mod budget;
mod compact;
mod parse;
mod size;
mod thread_clock;
mod weigh;
mod work;
mod write;

/// The deepest nesting that `serde_json` parses.
const DEPTH: usize = 127;

pub(crate) use budget::{CpuUse, RunBudget};
pub(crate) use compact::{CompactError, compact};
pub(crate) use parse::{ParseError, parse};
pub(crate) use thread_clock::thread_time;
pub use weigh::weigh;
pub(crate) use work::{HaltReason, HostWork, INLINE, WorkSlice};
pub(crate) use write::{WriteError, write};
