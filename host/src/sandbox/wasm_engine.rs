//! The wasm engine of a process: one pool of instances, the compiled guest, the ticker.

use super::artifact::GuestCodeLocation;
use super::bindings::{Guest, GuestPre};
use super::state::{GuestState, TABLE_CEILING};
use super::ticker::Ticker;
use super::{StopReason, artifact, tunables};
use crate::model::MEMORY_CEILING;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime::component::{HasSelf, Linker};
use wasmtime::{Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Result};

/// Native stack of a guest. QuickJS limits its own stack in linear memory, but each of its frames
/// also takes native stack, and several times as much where it recurses in C. This is well above
/// the needs of the largest JavaScript stack.
const WASM_STACK: usize = 8 << 20;

/// Additional native stack for the host's own functions.
const HOST_STACK: usize = 256 << 10;

/// Bytes of a slot's memory that are wiped in place for its next run. Wiping is cheaper than
/// returning pages to the OS and faulting them in again, up to about the memory that a small
/// program touches. On Linux since 6.7 only the pages that were written are wiped.
const KEEP_RESIDENT: usize = 2 << 20;

/// The same for the tables of a slot: all of their memory.
const KEEP_TABLES_RESIDENT: usize = 128 << 10;

/// The state that all guests share.
pub(crate) struct WasmEngine {
    pub(super) engine: Engine,
    pub(super) guest: GuestPre<GuestState>,
    pub(super) ticker: Ticker,
    /// One permit for each slot of the pool; callers wait if there is none.
    slots: Arc<Semaphore>,
}

impl WasmEngine {
    /// Makes the engine, with slots for `slots` runs at a time.
    pub(crate) fn new(slots: u32) -> Result<WasmEngine> {
        let mut pool = PoolingAllocationConfig::new();
        pool.total_component_instances(slots)
            .total_core_instances(slots.saturating_mul(4))
            .total_memories(slots)
            .total_tables(slots.saturating_mul(4))
            .total_stacks(slots)
            .max_core_instances_per_component(4)
            .max_memories_per_component(1)
            .max_tables_per_component(4)
            .max_memory_size(MEMORY_CEILING)
            .table_elements(TABLE_CEILING)
            .linear_memory_keep_resident(KEEP_RESIDENT)
            .table_keep_resident(KEEP_TABLES_RESIDENT)
            .pagemap_scan(Enabled::Auto)
            .max_unused_warm_slots(slots);
        let location = GuestCodeLocation::choose();
        let mut config = tunables::tunables(artifact::TARGET)?;
        location.prepare(&mut config);
        config
            .max_wasm_stack(WASM_STACK)
            .async_stack_size(WASM_STACK + HOST_STACK)
            .allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        let engine = Engine::new(&config)?;
        let component = location.load(&engine)?;
        let mut linker = Linker::<GuestState>::new(&engine);
        Guest::add_to_linker::<_, HasSelf<_>>(&mut linker, |state| state)?;
        let guest = GuestPre::new(linker.instantiate_pre(&component)?)?;
        let ticker = Ticker::start(&engine)?;
        let slots = Arc::new(Semaphore::new(slots as usize));
        Ok(WasmEngine { engine, guest, ticker, slots })
    }

    /// Takes a slot. Returns `None` if none is free.
    pub(crate) fn try_slot(&self) -> Option<Slot> {
        self.slots.clone().try_acquire_owned().ok().map(Slot)
    }

    /// Waits for a slot. Waiting callers are served in the order in which they came.
    pub(crate) async fn slot(&self) -> std::result::Result<Slot, StopReason> {
        let slot = self.slots.clone().acquire_owned().await;
        slot.map(Slot).map_err(|closed| StopReason::Broken(closed.to_string()))
    }
}

/// A place in the pool for one guest.
pub(crate) struct Slot(
    #[expect(dead_code, reason = "held until it is dropped")] OwnedSemaphorePermit,
);
