//! Compiles the guest to machine code, so that the first run on a machine is as fast as the
//! hundredth.
//!
//! In: `guest/guest.wasm`, made by `just guest` and checked in. Out: `guest.cwasm` and the guest's
//! digest, both embedded by `sandbox/artifact.rs`.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::{env, error::Error, fs, path::Path};

#[path = "src/sandbox/tunables.rs"]
mod tunables;

const GUEST: &str = "guest/guest.wasm";

#[expect(
    clippy::disallowed_methods,
    reason = "cargo talks to build scripts through the environment"
)]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={GUEST}");
    println!("cargo:rerun-if-changed=src/sandbox/tunables.rs");
    println!("cargo:rerun-if-changed=build.rs");
    let guest = fs::read(GUEST).map_err(|error| format!("cannot read {GUEST}: {error}"))?;
    let target = env::var("TARGET")?;
    let engine = wasmtime::Engine::new(&tunables::tunables(&target)?)?;
    let code = engine.precompile_component(&guest)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("guest.cwasm"), code)?;
    let digest = HEXLOWER.encode(&Sha256::digest(&guest));
    println!("cargo:rustc-env=PML_GUEST_SHA256={digest}");
    println!("cargo:rustc-env=PML_TARGET={target}");
    Ok(())
}
