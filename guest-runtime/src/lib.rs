//! The guest: a QuickJS program as a state machine.
//!
//! In flows a [`Program`] once and then one outcome after the other; out flows a [`Step`] each time. Everything a
//! program can learn of the world comes through these two doors, so that the same values in the same order give the same
//! steps.
//!
//! | file | holds |
//! | --- | --- |
//! | `runtime.rs` | the engine: made once before the snapshot, then started and resumed |
//! | `config.rs` | which parts of the language are there, and the numbers behind them |
//! | `modules.rs` | the program's modules, found by name |
//! | `calls.rs` | calls that wait for an outcome |
//! | `unhandled.rs` | errors that nobody has handled |
//! | `console.rs` | console lines on their way out |
//! | `clock.rs`, `random.rs` | what stands in for the machine's clock and generator |
//! | `error.rs`, `text.rs` | thrown values as failures, text as UTF-8 |
//! | `apis/` | what programs see: each a folder with its JavaScript and one `register` |
//!
//! **Invariant:** nothing here reads a clock, a generator or an address of the machine.
//! **Invariant:** no internal function is reachable from `globalThis`.

mod apis;
mod bindings;
mod calls;
mod clock;
mod config;
mod console;
mod error;
mod modules;
mod random;
mod runtime;
mod text;
mod unhandled;

use bindings::exports::pml::sandbox::program::{CallId, Guest, Outcome, Program, Step, Timestamp};

struct Component;

impl Guest for Component {
    fn start(program: Program, now: Timestamp) -> Step {
        clock::set(now);
        runtime::with(|runtime| runtime.start(program))
    }

    fn resume(id: CallId, outcome: Outcome, now: Timestamp) -> Step {
        clock::set(now);
        runtime::with(|runtime| runtime.resume(id, outcome))
    }
}

bindings::export!(Component with_types_in bindings);

/// Builds engine and prelude before the snapshot is taken, so that a fresh instance has them ready.
#[unsafe(export_name = "wizer-initialize")]
pub extern "C" fn initialize() {
    runtime::initialize();
}
