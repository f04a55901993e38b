//! One guest instance, from its first step to its last.
//!
//! **Invariant:** after a [`StopReason`] the instance is never entered again.

use super::bindings::Guest;
use super::bindings::exports::pml::sandbox::program as wit;
use super::cpu::CpuMeter;
use super::state::{GuestState, LineSink};
use super::{ClockUse, GuestModule, ProgramState, Step, StopReason, convert};
use crate::model::{CallId, CallResult, CpuUse, Limits, Timestamp};
use crate::sandbox::wasm_engine::{Slot, WasmEngine};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use wasmtime::{Store, UpdateDeadline};

/// Maximum bytes that one call may carry in or out. All sizes have limits of their own, which are
/// lower.
const HOSTCALL_FUEL: usize = 1 << 30;

/// The parameters that a program starts with.
pub(crate) struct StartParameters {
    pub(crate) modules: Vec<GuestModule>,
    /// One JSON text.
    pub(crate) inputs: String,
    pub(crate) seed: [u8; 32],
}

/// A fresh guest with its own memory.
pub(crate) struct Instance {
    store: Store<GuestState>,
    guest: Guest,
    wasm_engine: Arc<WasmEngine>,
    cpu: Arc<CpuMeter>,
    _slot: Slot,
}

impl Instance {
    /// Makes a fresh guest in a slot of the engine.
    pub(crate) async fn new(
        wasm_engine: Arc<WasmEngine>,
        slot: Slot,
        limits: Limits,
        on_line: LineSink,
    ) -> Result<Instance, StopReason> {
        let cpu = Arc::<CpuMeter>::default();
        let state = GuestState {
            limits,
            cpu: cpu.clone(),
            intents: Vec::new(),
            lines: Vec::new(),
            on_line,
            last_call: 0,
            held_bytes: 0,
            memory: 0,
            console_bytes: 0,
            clock_use: ClockUse::Ordinary,
        };
        let mut store = Store::new(&wasm_engine.engine, state);
        store.limiter(|state| state);
        store.epoch_deadline_callback(|context| {
            let state = context.data();
            state.cpu.count_slice();
            match state.cpu.used() > state.limits.cpu_time {
                true => Err(StopReason::CpuTime(state.limits.cpu_time, state.clock_use).into()),
                false => Ok(UpdateDeadline::Yield(1)),
            }
        });
        store.set_epoch_deadline(1);
        store.set_hostcall_fuel(HOSTCALL_FUEL);
        let guest =
            wasm_engine.guest.instantiate_async(&mut store).await.map_err(StopReason::from_trap)?;
        Ok(Instance { store, guest, wasm_engine, cpu, _slot: slot })
    }

    /// Starts the program.
    pub(crate) async fn start(
        &mut self,
        parameters: StartParameters,
        now: Timestamp,
    ) -> Result<Step, StopReason> {
        let limits = &self.store.data().limits;
        let clamp = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
        let program = wit::Program {
            modules: parameters.modules.into_iter().map(convert::module).collect(),
            inputs: parameters.inputs,
            seed: parameters.seed.into(),
            console_limit: clamp(limits.console),
            result_limit: clamp(limits.result),
            arguments_limit: clamp(limits.arguments),
            stack_limit: clamp(limits.stack),
        };
        self.store.set_epoch_deadline(1);
        self.store.data_mut().clock_use = ClockUse::Ordinary;
        let call = self.guest.pml_sandbox_program().call_start(&mut self.store, &program, now.0);
        let step = metered(&self.wasm_engine, &self.cpu, call).await;
        self.finish(step)
    }

    /// Passes the outcome of one call to the program.
    pub(crate) async fn resume(
        &mut self,
        id: CallId,
        settled: CallResult,
        now: Timestamp,
    ) -> Result<Step, StopReason> {
        let outcome = convert::outcome(settled);
        self.store.set_epoch_deadline(1);
        self.store.data_mut().clock_use = ClockUse::Ordinary;
        let call = self.guest.pml_sandbox_program().call_resume(
            &mut self.store,
            id.number(),
            &outcome,
            now.0,
        );
        let step = metered(&self.wasm_engine, &self.cpu, call).await;
        self.finish(step)
    }

    /// Releases this many bytes of arguments that the host no longer holds.
    pub(crate) fn release_arguments(&mut self, bytes: usize) {
        let state = self.store.data_mut();
        state.held_bytes = state.held_bytes.saturating_sub(bytes);
    }

    /// Restores the usage of a rebuilt run: the CPU time it had used, of which it may use `limit`
    /// in all, and the bytes of arguments that the host holds.
    pub(crate) fn restore_usage(&mut self, cpu: Duration, limit: Duration, held_bytes: usize) {
        self.cpu.set_used(cpu);
        let state = self.store.data_mut();
        state.limits.cpu_time = limit;
        state.held_bytes = held_bytes;
    }

    /// Returns the counter of CPU time, to which the host adds what it spends on the program's
    /// values.
    pub(crate) fn cpu_use(&self) -> CpuUse {
        self.cpu.counter()
    }

    /// Returns an error if the CPU time is used up.
    pub(crate) fn check_cpu_time(&self) -> Result<(), StopReason> {
        let limit = self.store.data().limits.cpu_time;
        match self.cpu.used() > limit {
            true => Err(StopReason::CpuTime(limit, ClockUse::Ordinary)),
            false => Ok(()),
        }
    }

    /// Returns the CPU time used so far.
    pub(crate) fn cpu_time(&self) -> Duration {
        self.cpu.used()
    }

    /// Returns how many time slices ended in the middle of a step.
    pub(crate) fn slices(&self) -> u64 {
        self.cpu.slices()
    }

    /// Returns the size of the linear memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.store.data().memory
    }

    fn finish(&mut self, step: wasmtime::Result<wit::Step>) -> Result<Step, StopReason> {
        let step = step.map_err(StopReason::from_trap)?;
        let state = self.store.data_mut();
        for line in step.console {
            state.add_line(convert::line(line.level, line.text));
        }
        let limit = state.limits.cpu_time;
        let (intents, console) =
            (std::mem::take(&mut state.intents), std::mem::take(&mut state.lines));
        let state = convert::state(step.state);
        // Many short steps are charged like a long one.
        if matches!(state, ProgramState::Waiting) && self.cpu.used() > limit {
            return Err(StopReason::CpuTime(limit, ClockUse::Ordinary));
        }
        Ok(Step {
            state,
            intents,
            console,
            unhandled: step.unhandled.into_iter().map(convert::fault).collect(),
            dropped_lines: step.dropped_lines,
        })
    }
}

/// Runs a call into the guest, with the ticker awake and the CPU time of the run counted.
async fn metered<T>(
    wasm_engine: &WasmEngine,
    cpu: &CpuMeter,
    call: impl Future<Output = wasmtime::Result<T>>,
) -> wasmtime::Result<T> {
    let _running = wasm_engine.ticker.mark_running();
    cpu.start_step();
    MeteredCall { cpu, call: std::pin::pin!(call) }.await
}

struct MeteredCall<'a, F> {
    cpu: &'a CpuMeter,
    call: Pin<&'a mut F>,
}

impl<F: Future> Future for MeteredCall<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let interval = self.cpu.start_interval();
        let poll = self.call.as_mut().poll(context);
        self.cpu.end_interval(&interval);
        poll
    }
}
