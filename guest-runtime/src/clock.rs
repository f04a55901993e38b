//! The program's clock: the reading that came with the current step, and nothing else.
//!
//! **Invariant:** it stands still within a step and never goes back between steps.

use std::cell::Cell;

/// Readings in one step after which the host is told. Ordinary programs stay far below it; a loop that waits for the clock
/// is there within a millisecond.
const WATCHED: u32 = 10_000;

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
    static ORIGIN: Cell<Option<u64>> = const { Cell::new(None) };
    static READINGS: Cell<u32> = const { Cell::new(0) };
}

/// Takes the reading of a new step. A host whose clock went back is not followed.
pub(crate) fn set(now: u64) {
    NOW.set(NOW.get().max(now));
    READINGS.set(0);
    if ORIGIN.get().is_none() {
        ORIGIN.set(Some(now));
    }
}

/// Microseconds since 1970, for the program: the reading is counted.
pub(crate) fn now() -> u64 {
    let readings = READINGS.get().saturating_add(1);
    READINGS.set(readings);
    if readings == WATCHED {
        crate::bindings::pml::sandbox::mcp_call::clock_watched();
    }
    NOW.get()
}

/// Microseconds since 1970 at which the program started.
pub(crate) fn origin() -> u64 {
    ORIGIN.get().unwrap_or_default()
}

/// Where QuickJS's `Date` reads the time. Defining it here keeps the import that rquickjs would make out of the module.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
extern "C" fn __rquickjs_host_now_us() -> f64 {
    now() as f64
}
