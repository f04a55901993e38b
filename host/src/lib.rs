//! Runs agent-written JavaScript and TypeScript in a sandbox that can only ask.
//!
//! A program runs in QuickJS, compiled to wasm, with no permission at all: no files, no network, no clock and no random
//! numbers of its own. Its one import is `mcp-call`. Every call passes one door in the host, where it is allowed, refused
//! asked about, and carried out. Runs are journalled: a [`Run`] that was cut off or waits for a person is taken up again by
//! [`Engine::resume`], and nothing it did is repeated.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), pml::Error> {
//! use pml::{Config, Engine, Script, json::json};
//!
//! let mut config = Config::new(); // everything is refused until it is allowed
//! config.allow_tool("demo:*");
//! let engine = Engine::new(&config)?;
//!
//! let tools = pml::tools_from_fn(|call| async move { Ok(json!({ "echo": call.arguments })) });
//! let script = Script::ts("const { echo } = await mcp.demo.echo({ n: inputs.n as number }); return echo.n + 1");
//! let outcome = engine.run(script).inputs(json!({ "n": 41 })).tools(tools).await?;
//! assert_eq!(outcome.value(), Some(json!(42)));
//!
//! // A script that fails is an outcome, not an error.
//! let outcome = engine.run(Script::ts("await mcp.bank.pay({ amount: 1 })")).await?;
//! assert_eq!(outcome.failure().unwrap().error_code.as_deref(), Some("TOOL_DENIED"));
//! # Ok(()) }
//! ```
//!
//! # The map
//!
//! Arrows point down only; `tests/it/rooms.rs` keeps them so.
//!
//! | room | holds | may use, besides the floor |
//! | --- | --- | --- |
//! | `hosting` | runs that go on while clients come and go | `run`, `router`, `approval` |
//! | `run` | the spine: a run from its program to its outcome | `source`, `sandbox`, `router`, `approval` |
//! | `plan` | what a program will do: its calls, held against what the servers offer | `source`, `router`, `catalog` |
//! | `source` | TypeScript to a program, stack traces back to the source | nothing |
//! | `sandbox` | the wasm engine, the guest, CPU and memory limits | nothing |
//! | `router` | whether a call may go, and where it goes | `project`, `upstream`, `catalog`, `install` |
//! | `project` | what a folder says and needs: settings, trust, servers (feature `servers`) | `upstream`, `catalog`, `install` |
//! | `upstream` | MCP servers, processes and remote ones (feature `servers`) | nothing |
//! | `catalog` | what the servers offer: types, signatures, search (feature `servers`) | nothing |
//! | `install` | servers that are packages: resolved, installed and found again (feature `servers`) | nothing |
//! | `approval` | asking a person | nothing |
//! | `config`, `event` | settings; what happens, told as it happens | `model`, `error`, `disk` |
//! | `store` | the journal: what a run needs to be rebuilt, and the questions it waits for | `model`, `error`, `disk` |
//! | `disk` | small files, written whole or not at all (feature `servers`) | nothing |
//! | `model`, `error` | plain data: ids, calls, lines, limits, codes; the crate's error | floor |
//!
//! # Files
//!
//! `pml` reads the script, the modules it imports from its workspace, and what `--inputs @file` names. It keeps runs in the
//! user's state folder, never in the project: in `projects/NAME-DIGEST` (a [`ProjectJournal`]), where a [`Store`] writes
//! `state.db` (with its `-wal` and `-shm`) and `owners/` beside a `project.json`. What servers said of themselves is kept in
//! `servers.json` of the project's `.pml`, and shapes of their results in `observed.json`; definitions of tools that somebody
//! decided about are kept in `definitions/`: caches, all of them, in which nothing decides. With `--no-journal` it writes
//! nothing. A `.pml/state.db` of an older pml is read once, and imported if it is this user's.
//!
//! A [`Project`] is read from `.pml.json` (`pml.schema.json` says what may stand in it), `.mcp.json` and `.env`, and looks at the
//! files of the project that launch lines name; [`UserSettings`] are read from `$XDG_CONFIG_HOME/pml/config.json`
//! (`config.schema.json`), which nothing here writes; a
//! [`SettingsFile`] writes `.pml.json`, and a [`ProjectState`] writes `client-id` and `deps.json` into `.pml`; packages that
//! servers are started from are installed into `.pml/deps`. In the user's state folder ([`Environment::state_folder`]:
//! `--state-dir`, `PML_STATE_DIR`, `$XDG_STATE_HOME/pml`, `~/.local/state/pml`) are, beside the journals, what they trust
//! (`trust.json`), the ends of audit trails (`audit/`), and the key that seals what was installed and an open question that a
//! client carries (`state.key`, a [`UserKey`]); package managers run in `tools/`; journals that gave way to an adopted one are
//! in `replaced/`. `pml init` adds to `.gitignore`; `pml types` writes `.pml/mcp.d.ts`; `pml import` reads the files of Claude
//! Code, Claude Desktop, VS Code and Cursor.

mod approval;
#[cfg(feature = "servers")]
mod catalog;
mod config;
#[cfg(feature = "servers")]
mod disk;
mod error;
mod event;
pub mod hosting;
#[cfg(feature = "servers")]
mod install;
mod model;
#[cfg(feature = "servers")]
mod plan;
#[cfg(feature = "servers")]
mod project;
mod router;
mod run;
mod sandbox;
mod source;
mod store;
#[cfg(feature = "servers")]
mod upstream;

pub use approval::{
    Approver, approver_from_fn, details_of_ask, details_of_ask_with, lines_of_ask,
    lines_of_ask_with, offers_of_ask, words_of_constraints, words_of_package,
};
#[cfg(feature = "servers")]
pub use catalog::{
    ArgumentValidator, BrowseResult, BrowsedTool, InferredSchema, Mismatch, MismatchKind,
    ObservedResults, ToolIndex, ToolListing, UnresolvedTool, UnusableSchema, browse,
    declarations as typescript_declarations, signature as typescript_signature,
};
pub use config::{Config, GrantWriter};
#[cfg(feature = "servers")]
pub use config::{Environment, Launch, ServerConfig, UserKey};
#[cfg(feature = "servers")]
pub use disk::{FileDurability, FileLock, is_own_folder, replace as replace_file};
pub use error::Error;
pub use event::{Event, EventSink};
/// The future type of [`Tools`], from the `futures` crates.
pub use futures_util::future::BoxFuture;
pub use model::digest;
pub use model::weigh;
pub use model::{
    Annotations, Answer, Ask, AskId, AskKind, Call, CallError, CallId, CallResult, ChangeBaseline,
    Clock, Code, Condition, ConsoleLevel, ConsoleLine, Constraint, Decision, Decisions, Definition,
    DiffPiece, Difference, Ecosystem, Effects, ErrorClass, Grant, GrantVersion, InvalidTimestamp,
    InvalidTool, JsonReply, Limits, MEMORY_CEILING, MissingVariables, Need, Package, Progress,
    ProtocolEra, Question, QuestionId, RecordedDecision, Redactor, Reply, RunId, STACK_CEILING,
    Secret, SystemClock, Tenant, Timestamp, ToolChange, ToolName, ToolOrigin, ToolPattern,
    TrustNeed, brief, differences_of, escape, offered_constraints, redact,
};
pub use model::{PathBase, ProgressCallback, ResolvedTool};
pub use model::{
    brief_with, cut, cut_to_columns, fold_middle, hex, in_one_line, milliseconds, span,
};
pub use model::{bytes, duration};
pub use model::{fold, redacted_setting};
#[cfg(feature = "servers")]
pub use model::{nearest, steers_loading};
#[cfg(feature = "servers")]
pub use plan::{Finding, PlannedCall, check as check_program, check_script, planned_calls};
#[cfg(feature = "servers")]
pub use project::{
    ApprovalSettings, Cloud, DeclaredFact, DeclaredFactKind, DeclaredFile, DeclaredFileState,
    DeclaredServer, DeclaredVariable, EditOutcome, FoundServer, FoundServers, GrantStorage,
    ImportScope, ImportSource, OverwriteMode, Permissions, Project, ProjectDeclarations,
    ProjectJournal, ReviewedBy, RouteTarget, RoutingRule, SettingsFile, SettingsSharing,
    SkippedImport, TrustState, UnusableServer, UserSettings, agent_variable, find_servers, locate,
    update_gitignore,
};
#[cfg(feature = "servers")]
pub use project::{Freshness, PackageState, Servers, ToolOffer, UnavailableServer};
#[cfg(feature = "servers")]
pub use project::{LegacyJournalOutcome, OrphanedJournal};
pub use router::BUILT_IN;
pub use router::{Policy, PolicyDecision, Tools, tools_from_fn};
pub use run::{
    AbandonedCall, AbortedRun, CompletedCall, Ending, Engine, Failure, JournalDivergence, Outcome,
    RecordedStep, Recording, ReplayReport, Run, StepDivergence, UnmatchedCall, Usage,
};
pub use sandbox::{Fault, FaultKind, GUEST_DIGEST, GuestModule, Intent, ProgramState, Step};
/// JSON values as they appear in this crate's interface.
pub use serde_json as json;
pub use source::{
    CodeFrame, ColumnShift, Language, Position, Program, Script, SourceError, SourceLocation,
    SourceModule, StackFrame,
};
#[cfg(feature = "servers")]
pub use store::Definitions;
pub use store::{
    AnswerOutcome, AuditEntry, AuditEvent, AuditFilter, AuditNote, AuditTrail, CallVerdict,
    Durability, FORMAT, Journal, JournalBatch, JournalEntry, JournalEvent, JournalFuture, Lease,
    MemoryJournal, Meter, PruneRule, RequiredDurability, RunFilter, RunHeader, RunState,
    RunSummary, Statistics, Store, StoreError, StoredQuestion, StoredRun, TrailDefect,
};
#[cfg(feature = "servers")]
pub use store::{Dependency, ProjectState};
/// Reading what a journal says of a run.
pub mod journal {
    pub use crate::store::{
        CallPhase, CallSpan, CallState, DeliveredOutcome, PastCall, PastCallStage, Timeline,
    };
}
pub use store::{ImportMark, JournalImport, JournalImportError, JournalOverview};
#[cfg(feature = "servers")]
pub use upstream::{ServerState, ServerStatus};
