//! The cost of a run in the host: its CPU time, on all threads, and the memory of its values.
//!
//! Input: JSON texts and values. Output: values and texts, or the reason why the work was
//! stopped. The length of a text says little about the size of its value: `[0],[0],…` takes about a
//! hundred times its length once it is parsed. So the size is estimated before a text is parsed,
//! and the parser counts while it builds the value.
//!
//! Short work runs on the current thread, at a fixed price and without reading a clock. Longer work
//! is timed by the thread's CPU clock. Long work runs on one of a few other threads; it stops as
//! soon as nobody waits for it or the run has no CPU time left.
//!
//! **Invariant:** all CPU time spent here is charged to the run that it is spent for.
//! **Invariant:** no value ever takes more memory than its budget allows.

mod budget;
mod compact;
mod parse;
mod size;
mod thread_clock;
mod weigh;
mod work;
mod write;

pub(crate) use budget::{CpuUse, RunBudget};
pub(crate) use compact::{CompactError, compact};
pub(crate) use parse::{ParseError, parse};
pub(crate) use thread_clock::thread_time;
pub use weigh::parsed_size;
pub(crate) use work::{HaltReason, HostWork, INLINE_LIMIT, WorkSlice};
pub(crate) use write::{WriteError, write};
