//! The guest embedded in this build: compiled by the build script, identified by its digest.

#[cfg(target_os = "linux")]
use rustix::mm::{MprotectFlags, mprotect};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use wasmtime::{Config, Engine, Result, component::Component};

/// sha256 of the guest component, as `pml version` shows it and journals record it.
pub const GUEST_DIGEST: &str = env!("PML_GUEST_SHA256");

/// The target that the guest was compiled for.
pub(super) const TARGET: &str = env!("PML_TARGET");

/// Aligns machine code to a page of its own, so that it can be executed in place.
#[repr(C, align(4096))]
struct PageAligned<T: ?Sized>(T);

static COMPILED: &PageAligned<[u8]> =
    &PageAligned(*include_bytes!(concat!(env!("OUT_DIR"), "/guest.cwasm")));

/// True if an engine of this process executes the code in place. wasmtime identifies code by its
/// address, so only one engine can.
static IN_PLACE_USED: AtomicBool = AtomicBool::new(false);

/// The memory that the guest's code is executed from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GuestCodeLocation {
    /// In place, in this binary. This saves copying megabytes when a process starts.
    InPlace,
    /// In a copy made by wasmtime.
    Copy,
}

impl GuestCodeLocation {
    /// Returns `InPlace` for the first engine of the process on Linux, and `Copy` for all others.
    pub(super) fn choose() -> GuestCodeLocation {
        match cfg!(target_os = "linux") && !IN_PLACE_USED.swap(true, Ordering::SeqCst) {
            true => GuestCodeLocation::InPlace,
            false => GuestCodeLocation::Copy,
        }
    }

    /// Adapts the settings of the engine to this location.
    pub(super) fn prepare(self, config: &mut Config) {
        #[cfg(target_os = "linux")]
        if self == GuestCodeLocation::InPlace {
            config.with_custom_code_memory(Some(std::sync::Arc::new(InPlaceCodeMemory)));
        }
    }

    /// Loads the guest. If the CPU lacks a feature that the code needs, returns wasmtime's error,
    /// which names the feature.
    #[expect(
        unsafe_code,
        reason = "loading machine code is unsafe; this code comes from our own build script"
    )]
    pub(super) fn load(self, engine: &Engine) -> Result<Component> {
        // SAFETY: the bytes are what `precompile_component` returned, embedded in this binary and
        // never written to.
        unsafe {
            match self {
                GuestCodeLocation::InPlace => {
                    Component::deserialize_raw(engine, NonNull::from(&COMPILED.0))
                }
                GuestCodeLocation::Copy => Component::deserialize(engine, &COMPILED.0),
            }
        }
    }
}

/// Makes code executable in place. wasmtime does this itself for memory that it has mapped, but not
/// for memory of the host's.
#[cfg(target_os = "linux")]
struct InPlaceCodeMemory;

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "changes what may be done with pages of memory")]
impl wasmtime::CustomCodeMemory for InPlaceCodeMemory {
    fn required_alignment(&self) -> usize {
        align_of::<PageAligned<[u8; 0]>>()
    }

    fn publish_executable(&self, start: *const u8, length: usize) -> Result<()> {
        let flags = MprotectFlags::READ | MprotectFlags::EXEC;
        // SAFETY: wasmtime passes pages that hold nothing but code it was given, and never writes
        // to them again.
        unsafe { mprotect(start.cast_mut().cast(), length, flags)? };
        Ok(())
    }

    fn unpublish_executable(&self, start: *const u8, length: usize) -> Result<()> {
        // The embedded guest is not wasmtime's memory, and stays executable.
        if COMPILED.0.as_ptr_range().contains(&start) {
            return Ok(());
        }
        let flags = MprotectFlags::READ | MprotectFlags::WRITE;
        // SAFETY: as above; wasmtime guarantees that no code runs there any more.
        unsafe { mprotect(start.cast_mut().cast(), length, flags)? };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tunables::tunables;
    use super::{GuestCodeLocation, TARGET};
    use wasmtime::Engine;

    #[test]
    fn the_only_import_is_mcp_call() {
        let engine = Engine::new(&tunables(TARGET).expect("settings")).expect("engine");
        let component = GuestCodeLocation::Copy.load(&engine).expect("the guest loads");
        let kind = component.component_type();
        let imports: Vec<_> = kind.imports(&engine).map(|(name, _)| name.to_owned()).collect();
        assert_eq!(imports, ["pml:sandbox/mcp-call@0.1.0"]);
        let exports: Vec<_> = kind.exports(&engine).map(|(name, _)| name.to_owned()).collect();
        assert_eq!(exports, ["pml:sandbox/program@0.1.0"]);
    }
}
