//! The sandbox: a wasm engine, the guest, and the limits of both.
//!
//! Input: a program and, one after the other, the outcomes of its calls. Output: steps. The sandbox
//! knows nothing of tools, policy or TypeScript: it runs JavaScript until that makes requests, and
//! returns the requests.
//!
//! **Invariant:** every run gets a fresh instance, which is never used again.
//! **Invariant:** the guest's only import is `mcp-call`.

mod artifact;
mod bindings;
mod convert;
mod cpu;
mod instance;
mod state;
mod step;
mod stop;
mod ticker;
mod tunables;
mod wasm_engine;

pub use artifact::GUEST_DIGEST;
pub(crate) use instance::{Instance, StartParameters};
pub use step::{GuestFailure, GuestFailureKind, GuestModule, Intent, ProgramState, Step};
pub(crate) use stop::{ClockUse, StopReason};
pub(crate) use wasm_engine::WasmEngine;
