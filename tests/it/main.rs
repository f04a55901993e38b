//! The tests of pml that see it from outside: the crate as an embedder does, the command as a
//! person does, the tree as a developer does. Each area is a folder, and what areas share is in the
//! kit (`tests/kit`).

mod approvals;
mod commands;
mod hostile;
mod house;
mod language;
mod lock;
mod manual;
mod mcp;
mod project;
mod real;
mod runs;

/// Makes a clean place to run the `pml` binary in. Cargo tells its path to this target only.
fn pml() -> pml_kit::TestEnv {
    pml_kit::TestEnv::new(env!("CARGO_BIN_EXE_pml"))
}
