//! The host's state of a running guest: the queue of its intents, its console lines, its limits.

use super::bindings::pml::sandbox::mcp_call::{CallId as GuestCallId, Host, Level};
use super::{ClockUse, Intent, StopReason, convert, cpu::CpuMeter};
use crate::model::{CallId, ConsoleLine, Limits};
use std::sync::Arc;
use wasmtime::{ResourceLimiter, Result};

/// Maximum entries of the guest's function table, which never grows beyond its initial size.
pub(super) const TABLE_CEILING: usize = 10_000;

/// Bytes that a console may hold above its limit: the note that it is full, and characters of more
/// than one byte that were cut apart.
const CONSOLE_SLACK: usize = 1 << 10;

/// Maximum length of a tool's name in a request of the guest.
const TOOL_CEILING: usize = 1 << 10;

/// Receives each console line as the guest writes it.
pub(crate) type LineSink = Box<dyn FnMut(&ConsoleLine) + Send>;

/// The data of a guest's store.
pub(super) struct GuestState {
    pub(super) limits: Limits,
    pub(super) cpu: Arc<CpuMeter>,
    pub(super) intents: Vec<Intent>,
    pub(super) lines: Vec<ConsoleLine>,
    pub(super) on_line: LineSink,
    pub(super) last_call: u64,
    /// Bytes of arguments that the host holds for calls without an outcome.
    pub(super) held_bytes: usize,
    pub(super) memory: usize,
    /// Bytes of console output so far.
    pub(super) console_bytes: usize,
    /// How the program uses its clock in this step.
    pub(super) clock_use: ClockUse,
}

impl GuestState {
    pub(super) fn add_line(&mut self, line: ConsoleLine) {
        // The guest may miscount its own budget, so the host counts too.
        self.console_bytes = self.console_bytes.saturating_add(line.text.len());
        if self.console_bytes > self.limits.console.saturating_mul(2).saturating_add(CONSOLE_SLACK)
        {
            return;
        }
        self.cpu.uncharged(|| (self.on_line)(&line));
        self.lines.push(line);
    }
}

impl Host for GuestState {
    fn request(&mut self, id: GuestCallId, tool: String, arguments: String) -> Result<()> {
        if id != self.last_call + 1 {
            return Err(StopReason::Broken(format!(
                "call {id} came after call {}",
                self.last_call
            ))
            .into());
        }
        if tool.len() > TOOL_CEILING {
            return Err(StopReason::Broken("the name of a tool is too long".into()).into());
        }
        if id > self.limits.calls {
            return Err(StopReason::Calls(self.limits.calls).into());
        }
        self.last_call = id;
        // guest-controlled: the queue is outside the guest's memory, so it has a limit of its own.
        let arguments = match self.held_bytes + arguments.len() > self.limits.arguments {
            true => Err(arguments.len()),
            false => {
                self.held_bytes += arguments.len();
                Ok(arguments)
            }
        };
        self.intents.push(Intent::Request { id: CallId::numbered(id), tool, arguments });
        Ok(())
    }

    fn cancel(&mut self, id: GuestCallId) -> Result<()> {
        if id == 0 || id > self.last_call {
            return Err(
                StopReason::Broken(format!("call {id} was cancelled before it was made")).into()
            );
        }
        self.intents.push(Intent::Cancel(CallId::numbered(id)));
        Ok(())
    }

    fn print(&mut self, level: Level, text: String) -> Result<()> {
        self.add_line(convert::line(level, text));
        Ok(())
    }

    fn clock_watched(&mut self) -> Result<()> {
        self.clock_use = ClockUse::Watched;
        Ok(())
    }
}

/// Running out of memory ends the run: it is never an exception that a program could catch.
impl ResourceLimiter for GuestState {
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        if desired > self.limits.memory {
            return Err(StopReason::Memory(self.limits.memory).into());
        }
        self.memory = desired;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, _: wasmtime::Error) -> Result<()> {
        Err(StopReason::Memory(self.limits.memory).into())
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        Ok(desired <= TABLE_CEILING)
    }
}
