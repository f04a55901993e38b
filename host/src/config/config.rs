//! The settings of an engine as an embedder gives them, before they are checked.

use super::GrantWriter;
use crate::model::{Clock, Grant, Limits, SystemClock};
use std::{fmt, sync::Arc, time::Duration};

/// The settings of an [`Engine`](crate::Engine). Nothing is allowed by default.
///
/// ```
/// # use std::time::Duration;
/// let mut config = pml::Config::new();
/// config.memory_limit(64 << 20).cpu_time(Duration::from_secs(2)).allow_tool("github:*");
/// let engine = pml::Engine::new(&config)?;
/// # Ok::<(), pml::Error>(())
/// ```
#[derive(Clone)]
pub struct Config {
    pub(super) limits: Limits,
    pub(super) allow: Vec<String>,
    pub(super) allow_over_ask: Vec<String>,
    pub(super) ask: Vec<String>,
    pub(super) deny: Vec<String>,
    pub(super) grants: Vec<Grant>,
    pub(super) ask_unnamed: bool,
    pub(super) runs: u32,
    pub(super) waiting_memory: usize,
    pub(super) question_lifetime: Option<Duration>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) grant_writer: Option<Arc<dyn GrantWriter>>,
}

impl Config {
    /// Default number of runs that an engine holds at the same time; further ones wait for a slot.
    /// An unused slot costs addresses, not memory.
    pub const RUNS: u32 = 1_000;

    /// Default for the memory that runs may hold together while they wait for people. Runs over it
    /// are evicted, and rebuilt when they continue.
    pub const WAITING_MEMORY: usize = 256 << 20;

    /// Default time in which a question can be answered: as long as a client shows it.
    pub const QUESTION_LIFETIME: Duration = Duration::from_secs(5 * 60);

    /// Returns the default settings:
    ///
    /// | setting | default |
    /// | --- | --- |
    /// | [`allow_tool`](Config::allow_tool) | none: every call is refused |
    /// | [`ask_tool`](Config::ask_tool), [`deny_tool`](Config::deny_tool) | none |
    /// | [`allow_over_ask`](Config::allow_over_ask) | none |
    /// | [`grant`](Config::grant) | none: allowed tools have no conditions |
    /// | [`ask_unnamed`](Config::ask_unnamed) | no: a tool that no pattern names is refused |
    /// | [`cpu_time`](Config::cpu_time) | [`Limits::CPU_TIME`], 10 s |
    /// | [`timeout`](Config::timeout) | [`Limits::TIMEOUT`], 5 min |
    /// | [`memory_limit`](Config::memory_limit) | [`Limits::MEMORY`], 64 MiB |
    /// | [`stack_limit`](Config::stack_limit) | [`Limits::STACK`], 256 KiB |
    /// | [`source_limit`](Config::source_limit) | [`Limits::SOURCE`], 4 MiB |
    /// | [`inputs_limit`](Config::inputs_limit) | [`Limits::INPUTS`], 16 MiB |
    /// | [`result_limit`](Config::result_limit) | [`Limits::RESULT`], 16 MiB |
    /// | [`console_limit`](Config::console_limit) | [`Limits::CONSOLE`], 1 MiB |
    /// | [`calls`](Config::calls) | [`Limits::CALLS`], 10,000 |
    /// | [`calls_in_flight`](Config::calls_in_flight) | [`Limits::CALLS_IN_FLIGHT`], 256 |
    /// | [`arguments_limit`](Config::arguments_limit) | [`Limits::ARGUMENTS`], 4 MiB |
    /// | [`reply_limit`](Config::reply_limit) | [`Limits::REPLY`], 16 MiB |
    /// | [`journal_limit`](Config::journal_limit) | [`Limits::JOURNAL`], 256 MiB |
    /// | [`runs`](Config::runs) | [`Config::RUNS`], 1,000 |
    /// | [`waiting_memory`](Config::waiting_memory) | [`Config::WAITING_MEMORY`], 256 MiB |
    /// | [`question_lifetime`](Config::question_lifetime) | [`Config::QUESTION_LIFETIME`], 5 min |
    /// | [`clock`](Config::clock) | the machine's |
    /// | [`grant_writer`](Config::grant_writer) | none: `always` holds for the rest of the run |
    pub fn new() -> Config {
        Config {
            limits: Limits::default(),
            allow: Vec::new(),
            allow_over_ask: Vec::new(),
            ask: Vec::new(),
            deny: Vec::new(),
            grants: Vec::new(),
            ask_unnamed: false,
            runs: Config::RUNS,
            waiting_memory: Config::WAITING_MEMORY,
            question_lifetime: Some(Config::QUESTION_LIFETIME),
            clock: Arc::new(SystemClock),
            grant_writer: None,
        }
    }

    /// Allows the tools that `pattern` covers: `server:tool`, `server:prefix_*`, `server:*` or `*`.
    pub fn allow_tool(&mut self, pattern: impl Into<String>) -> &mut Config {
        self.allow.push(pattern.into());
        self
    }

    /// Asks a person before a call of a tool that `pattern` covers. Between this and `allow_tool`
    /// the more specific pattern wins; a tie asks.
    pub fn ask_tool(&mut self, pattern: impl Into<String>) -> &mut Config {
        self.ask.push(pattern.into());
        self
    }

    /// Refuses the tools that `pattern` covers, whatever the other settings are.
    pub fn deny_tool(&mut self, pattern: impl Into<String>) -> &mut Config {
        self.deny.push(pattern.into());
        self
    }

    /// Allows the tools that `pattern` covers even where [`ask_tool`](Config::ask_tool) or a
    /// condition of a grant would ask: the user's word for one run.
    ///
    /// [`deny_tool`](Config::deny_tool) still refuses. A person is still asked before a package is
    /// installed, before a folder is trusted, and about a tool that has changed since it was
    /// granted.
    pub fn allow_over_ask(&mut self, pattern: impl Into<String>) -> &mut Config {
        self.allow_over_ask.push(pattern.into());
        self
    }

    /// Adds a condition for a tool that `allow_tool` covers: it is called without asking only while
    /// one of its grants holds. A call of a tool that has changed since then asks again and shows
    /// the changes.
    pub fn grant(&mut self, grant: Grant) -> &mut Config {
        self.grants.push(grant);
        self
    }

    /// Asks a person before a call of a tool that no pattern names, instead of refusing it.
    pub fn ask_unnamed(&mut self) -> &mut Config {
        self.ask_unnamed = true;
        self
    }

    /// Sets all limits of a run at once.
    pub fn limits(&mut self, limits: Limits) -> &mut Config {
        self.limits = limits;
        self
    }

    /// Sets the CPU time of a run: JavaScript, and the host's reading and writing of its values.
    /// Waiting does not count.
    pub fn cpu_time(&mut self, limit: Duration) -> &mut Config {
        self.limits.cpu_time = limit;
        self
    }

    /// Sets how long a run may take from start to end.
    pub fn timeout(&mut self, limit: Duration) -> &mut Config {
        self.limits.timeout = limit;
        self
    }

    /// Sets how many bytes of memory a program may use, including about two megabytes of the
    /// engine itself. The host may use up to twice as much again: for the parsed arguments of open calls,
    /// and for answers that wait for the program.
    pub fn memory_limit(&mut self, bytes: usize) -> &mut Config {
        self.limits.memory = bytes;
        self
    }

    /// Sets how many bytes of stack JavaScript may use.
    pub fn stack_limit(&mut self, bytes: usize) -> &mut Config {
        self.limits.stack = bytes;
        self
    }

    /// Sets how many bytes all modules of a program may have together.
    pub fn source_limit(&mut self, bytes: usize) -> &mut Config {
        self.limits.source = bytes;
        self
    }

    /// Sets how many bytes of JSON the inputs may have.
    pub fn inputs_limit(&mut self, bytes: usize) -> &mut Config {
        self.limits.inputs = bytes;
        self
    }

    /// Sets how many bytes of JSON a result may have.
    pub fn result_limit(&mut self, bytes: usize) -> &mut Config {
        self.limits.result = bytes;
        self
    }

    /// Sets how many bytes of console output are stored.
    pub fn console_limit(&mut self, bytes: usize) -> &mut Config {
        self.limits.console = bytes;
        self
    }

    /// Sets how many calls a program may make, timers included.
    pub fn calls(&mut self, limit: u64) -> &mut Config {
        self.limits.calls = limit;
        self
    }

    /// Sets how many calls of one run are in flight at the same time; further ones wait for their
    /// turn.
    pub fn calls_in_flight(&mut self, limit: usize) -> &mut Config {
        self.limits.calls_in_flight = limit;
        self
    }

    /// Sets how many bytes of JSON the arguments of all unanswered calls of a run may have
    /// together.
    pub fn arguments_limit(&mut self, bytes: usize) -> &mut Config {
        self.limits.arguments = bytes;
        self
    }

    /// Sets how many bytes of JSON one answer of a tool may have.
    pub fn reply_limit(&mut self, bytes: usize) -> &mut Config {
        self.limits.reply = bytes;
        self
    }

    /// Sets how many bytes the journal may store of one run: program, inputs, calls, answers,
    /// questions and result.
    pub fn journal_limit(&mut self, bytes: usize) -> &mut Config {
        self.limits.journal = bytes;
        self
    }

    /// Sets how many runs the engine holds at the same time; further ones wait.
    pub fn runs(&mut self, slots: u32) -> &mut Config {
        self.runs = slots;
        self
    }

    /// Sets how many bytes of memory runs may hold together while they wait for people.
    pub fn waiting_memory(&mut self, bytes: usize) -> &mut Config {
        self.waiting_memory = bytes;
        self
    }

    /// Sets how long a question can be answered; `None` means for ever. A run whose question
    /// expires is over, and can be resumed from its checkpoint.
    pub fn question_lifetime(&mut self, lifetime: Option<Duration>) -> &mut Config {
        self.question_lifetime = lifetime;
        self
    }

    /// Sets the clock that programs get their time from.
    pub fn clock(&mut self, clock: Arc<dyn Clock>) -> &mut Config {
        self.clock = clock;
        self
    }

    /// Sets the writer of grants.
    pub fn grant_writer(&mut self, writer: impl GrantWriter) -> &mut Config {
        self.grant_writer = Some(Arc::new(writer));
        self
    }
}

impl Default for Config {
    fn default() -> Config {
        Config::new()
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("limits", &self.limits)
            .field("allow", &self.allow)
            .field("allow_over_ask", &self.allow_over_ask)
            .field("ask", &self.ask)
            .field("deny", &self.deny)
            .field("runs", &self.runs)
            .finish_non_exhaustive()
    }
}
