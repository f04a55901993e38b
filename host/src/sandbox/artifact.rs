//! The guest that this build carries: compiled by the build script, checked by its digest.

use wasmtime::{Engine, Result, component::Component};

/// sha256 of the guest component, as `pml version` shows it and journals record it.
pub const GUEST_DIGEST: &str = env!("PML_GUEST_SHA256");

/// The target that the guest was compiled for.
pub(super) const TARGET: &str = env!("PML_TARGET");

static COMPILED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest.cwasm"));

/// Loads the guest. A machine whose CPU lacks what the code needs gets wasmtime's error, which names it.
#[expect(
    unsafe_code,
    reason = "loading machine code is unsafe; this code comes from our own build script"
)]
pub(super) fn load(engine: &Engine) -> Result<Component> {
    // SAFETY: the bytes are what `precompile_component` returned, embedded in this binary and never written to.
    unsafe { Component::deserialize(engine, COMPILED) }
}

#[cfg(test)]
mod tests {
    use super::super::tunables::tunables;
    use super::{TARGET, load};
    use wasmtime::Engine;

    #[test]
    fn the_only_import_is_mcp_call() {
        let engine = Engine::new(&tunables(TARGET).expect("settings")).expect("engine");
        let component = load(&engine).expect("the guest loads");
        let kind = component.component_type();
        let imports: Vec<_> = kind.imports(&engine).map(|(name, _)| name.to_owned()).collect();
        assert_eq!(imports, ["pml:sandbox/mcp-call@0.1.0"]);
        let exports: Vec<_> = kind.exports(&engine).map(|(name, _)| name.to_owned()).collect();
        assert_eq!(exports, ["pml:sandbox/program@0.1.0"]);
    }
}
