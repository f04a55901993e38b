//! Whether tests that need a registry are left out.

use std::io::Write;

/// Returns whether the running test is left out, because `PML_TEST_OFFLINE` is set; says so on
/// stderr.
///
/// Every test that needs a registry begins with it. The variable is for machines that reach neither
/// npm nor PyPI; CI never sets it.
#[expect(clippy::disallowed_methods, reason = "a switch for developers, not a setting of pml")]
pub fn left_out() -> bool {
    let offline =
        std::env::var_os("PML_TEST_OFFLINE").is_some_and(|value| !value.is_empty() && value != "0");
    if offline {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a test");
        // Not by `eprintln!`, which nobody sees of a test that passes. If stderr is closed, nobody
        // wants to know.
        let _ = writeln!(std::io::stderr(), "left out, since PML_TEST_OFFLINE is set: {test}");
    }
    offline
}
