//! Runs agent-written JavaScript and TypeScript in a sandbox that reaches the world only through MCP tools you allow.
//!
//! A program runs in QuickJS, compiled to wasm, with no permission at all: no files, no network, no
//! clock and no random numbers of its own. Its one import is `mcp-call`. The host decides on every
//! call: it is allowed, refused, or a person is asked first. Runs are journalled: a [`Run`] that
//! was cut off or waits for a person is continued by [`Engine::resume`], and no call is repeated.
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
//! The manual is [`guide`].
//!
//! # The map
//!
//! Arrows point down only; `tests/it/house/rooms.rs` keeps them so.
//!
//! | room | holds | may use, besides the floor |
//! | --- | --- | --- |
//! | `hosting` | runs that continue while clients connect and disconnect | `run`, `router`, `approval` |
//! | `run` | a run from its program to its outcome | `source`, `sandbox`, `router`, `approval` |
//! | `plan` | what a program will do: its calls, checked against the tools of the servers | `source`, `router`, `catalog` |
//! | `source` | TypeScript to a program, stack traces back to the source | nothing |
//! | `sandbox` | the wasm engine, the guest, CPU and memory limits | nothing |
//! | `router` | whether a call may go, and where it goes | `project`, `upstream`, `catalog`, `install` |
//! | `project` | what a folder says and needs: settings, trust, servers (feature `servers`) | `upstream`, `catalog`, `install` |
//! | `upstream` | MCP servers, processes and remote ones (feature `servers`) | nothing |
//! | `catalog` | what the servers offer: types, signatures, search (feature `servers`) | nothing |
//! | `install` | servers that are packages: resolved, installed and found again (feature `servers`) | nothing |
//! | `approval` | asking a person | nothing |
//! | `config`, `event` | settings; the events of a run, as they happen | `model`, `error`, `disk` |
//! | `lock` | the lock: what programs may run, as `.pml/mcp.lock` has it (feature `servers`) | `model`, `error`, `disk` |
//! | `store` | the journal: what a run needs to be rebuilt, and the questions it waits for | `model`, `error`, `disk` |
//! | `disk` | small files, written whole or not at all | `model` |
//! | `model`, `error` | plain data: ids, calls, lines, limits, codes; the crate's error | floor |
//!
//! # Files
//!
//! `pml` reads the script, the modules it imports from its workspace, and what `--inputs @file`
//! names. It keeps runs in the user's state folder, never in the project: in `projects/NAME-DIGEST`
//! (a [`ProjectJournal`](project::ProjectJournal)), where a [`Store`] writes `state.db` (with its
//! `-wal` and `-shm`) and `owners/` beside a `project.json`. What servers said of themselves is
//! kept in `servers.json` of the project's `.pml`, and shapes of their results in `observed.json`;
//! definitions of tools that somebody decided about are kept in `definitions/`: caches, all of
//! them, in which nothing decides. With `--no-journal` it writes nothing. A `.pml/state.db` of an
//! older pml is read once, and imported if it is this user's.
//!
//! A [`Project`] is read from `.pml.json` (`pml.schema.json` says what may stand in it),
//! `.mcp.json` and `.env`, and looks at the files of the project that launch lines name;
//! [`UserSettings`](project::UserSettings) are read from `$XDG_CONFIG_HOME/pml/config.json`
//! (`config.schema.json`), which nothing here writes; a [`SettingsFile`](project::SettingsFile)
//! writes `.pml.json`, and a [`ProjectState`](project::ProjectState) writes `client-id` and
//! `deps.json` into `.pml`, and a [`LockFile`](lock::LockFile) `mcp.lock`, the only file there that is
//! committed. Packages that servers are started from are installed once for all projects, into `packages/` of the user's cache folder ([`Environment::cache_folder`]:
//! `$XDG_CACHE_HOME/pml`, `~/.cache/pml`), with their closures in `closures/`: see
//! [`PackageCache`](project::PackageCache).
//! In the user's state folder ([`Environment::state_folder`]: `--state-dir`, `PML_STATE_DIR`,
//! `$XDG_STATE_HOME/pml`, `~/.local/state/pml`) are, beside the journals, what they trust
//! (`trust.json`), the packages that they agreed to (`packages.json`), what they approved of a
//! project's servers and tools (`approved.json` beside its journal), the ends of audit trails
//! (`audit/`), and the key that seals what was installed and an open question that a client carries (`state.key`, a [`UserKey`](project::UserKey));
//! package managers run in `tools/`; journals that gave way to an adopted one are in `replaced/`.
//! `pml init` adds to `.gitignore`; `pml types` writes `.pml/mcp.d.ts`; `pml import` reads the
//! files of Claude Code, Claude Desktop, VS Code and Cursor.

#![cfg_attr(
    not(feature = "servers"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "helpers of the floor whose only users are the rooms that the feature adds"
    )
)]

pub mod approval;
#[cfg(feature = "servers")]
pub mod catalog;
mod config;
mod disk;
pub mod error;
pub mod event;
pub mod file;
pub mod guide;
pub mod hosting;
#[cfg(feature = "servers")]
mod install;
pub mod journal;
#[cfg(feature = "servers")]
pub mod lock;
mod model;
#[cfg(feature = "servers")]
pub mod plan;
pub mod policy;
#[cfg(feature = "servers")]
pub mod project;
pub mod replay;
mod router;
pub mod run;
mod sandbox;
pub mod source;
mod store;
pub mod text;
pub mod tool;
#[cfg(feature = "servers")]
mod upstream;

pub use approval::{Approver, approver_from_fn};
pub use config::Config;
pub use error::Error;
pub use event::{Event, EventSink};
/// The future type of [`Tools`], from the `futures` crates.
pub use futures_util::future::BoxFuture;
pub use model::{
    Answer, Ask, Call, CallError, CallId, Clock, Code, Decision, Limits, Question, QuestionId,
    Reply, RunId, Secret, SystemClock, Timestamp, ToolName,
};
pub use router::{Policy, Tools, tools_from_fn};
pub use run::{Ending, Engine, Failure, Outcome, Run, Usage};
/// JSON values as they appear in this crate's interface.
pub use serde_json as json;
pub use source::Script;
pub use store::{Journal, MemoryJournal, Store};
#[cfg(feature = "servers")]
pub use {
    config::Environment,
    project::{Project, Servers},
};
