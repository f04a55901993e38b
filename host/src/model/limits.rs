//! The limits of a run.

use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::time::Duration;

/// The highest memory limit of a run. Every slot of the pool reserves addresses for it.
pub const MEMORY_CEILING: usize = 1 << 30;

/// The highest JavaScript stack limit of a run; the guest's own stack has this size plus a reserve.
pub const STACK_CEILING: usize = 512 << 10;

/// The limits of a run. Most have a code of their own, which their failure carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Limits {
    /// Time during which JavaScript runs, or the host parses or writes values for the program
    /// (`CPU_TIME`).
    pub cpu_time: Duration,
    /// Time from start to end (`TIMEOUT`).
    pub timeout: Duration,
    /// Bytes of memory (`MEMORY`). The host may use up to twice as much again for the parsed
    /// arguments of open calls (`ARGUMENTS_SIZE`), and for answers that the program has not
    /// received yet (`REPLY_SIZE`).
    pub memory: usize,
    /// Bytes of JavaScript stack (`STACK`).
    pub stack: usize,
    /// Bytes of all modules together (`SOURCE_SIZE`).
    pub source: usize,
    /// Bytes of the inputs as JSON (`INPUT_SIZE`).
    pub inputs: usize,
    /// Bytes of the result as JSON (`RESULT_SIZE`).
    pub result: usize,
    /// Bytes of console output; further output is dropped and counted.
    pub console: usize,
    /// Calls in all, timers included (`CALLS`).
    pub calls: u64,
    /// Calls in flight at the same time; further ones wait for their turn.
    pub calls_in_flight: usize,
    /// Bytes of the arguments of all calls that are not yet answered (`ARGUMENTS_SIZE`).
    pub arguments: usize,
    /// Bytes of one answer as JSON (`REPLY_SIZE`).
    pub reply: usize,
    /// Bytes that the journal stores of the run: its program, inputs, calls, answers, questions and
    /// result (`JOURNAL_SIZE`). A resumed run continues the count.
    #[serde(default = "Limits::journal_default")]
    pub journal: usize,
}

impl Limits {
    /// Default: ten seconds of JavaScript is a thousand times what a program that moves JSON needs.
    pub const CPU_TIME: Duration = Duration::from_secs(10);
    /// Default: tools may be slow, and a client waits about this long for an answer.
    pub const TIMEOUT: Duration = Duration::from_secs(5 * 60);
    /// Default: enough for some ten megabytes of JSON as objects.
    pub const MEMORY: usize = 64 << 20;
    /// Default: some two thousand frames of ordinary JavaScript.
    pub const STACK: usize = 256 << 10;
    /// Default: a program by a person or a model is a few kilobytes; generated tables may be more.
    pub const SOURCE: usize = 4 << 20;
    /// Default: inputs are data that the caller already holds.
    pub const INPUTS: usize = 16 << 20;
    /// Default: more than any model can read; enough for a file that another program uses.
    pub const RESULT: usize = 16 << 20;
    /// Default: more than anybody reads.
    pub const CONSOLE: usize = 1 << 20;
    /// Default: a loop over a few thousand items with a call or two each.
    pub const CALLS: u64 = 10_000;
    /// Default: enough to hide latency; few servers answer more at once.
    pub const CALLS_IN_FLIGHT: usize = 256;
    /// Default: arguments wait in the host, outside the guest's own memory.
    pub const ARGUMENTS: usize = 4 << 20;
    /// Default: a larger answer would not fit in the default memory once it is parsed.
    pub const REPLY: usize = 16 << 20;
    /// Default: ten thousand calls with 25 KiB of arguments and answers each.
    pub const JOURNAL: usize = 256 << 20;

    /// The range for the memory. The engine alone takes about the least, and a program needs more.
    pub const MEMORY_RANGE: RangeInclusive<usize> = (4 << 20)..=MEMORY_CEILING;
    /// The range for the journal. Less would not hold even the beginning of a run; more would not
    /// fit in memory when the run is resumed.
    pub const JOURNAL_RANGE: RangeInclusive<usize> = (16 << 10)..=(2 << 30);

    /// Returns how many bytes the host may hold for a run: this much for the parsed arguments of
    /// open calls, and as much again for answers that wait for the program. A value takes about
    /// twice as much in the host as in the program.
    pub(crate) fn host_memory(&self) -> usize {
        self.memory.saturating_mul(2)
    }

    /// Returns the limit for runs of older journals, which have none.
    fn journal_default() -> usize {
        Limits::JOURNAL
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            cpu_time: Limits::CPU_TIME,
            timeout: Limits::TIMEOUT,
            memory: Limits::MEMORY,
            stack: Limits::STACK,
            source: Limits::SOURCE,
            inputs: Limits::INPUTS,
            result: Limits::RESULT,
            console: Limits::CONSOLE,
            calls: Limits::CALLS,
            calls_in_flight: Limits::CALLS_IN_FLIGHT,
            arguments: Limits::ARGUMENTS,
            reply: Limits::REPLY,
            journal: Limits::JOURNAL,
        }
    }
}
