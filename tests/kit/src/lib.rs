//! What the tests of pml share.
//!
//! | module | holds |
//! | --- | --- |
//! | `environment`, `terminal`, `stdio_client` | the binary: in a clean folder, on a terminal, behind an MCP client |
//! | `commands` | what many tests ask of the binary |
//! | `toolbox`, `channels` | projects with fake servers, and clients that ask a person |
//! | [`real`] | servers, clients and packages from npm and PyPI |
//! | [`sandbox`], [`scripts`], `programs` | engines of this process, programs for them, and programs made at random |
//! | `counter`, `survivor` | tools that count their calls, and processes that can be killed |
//! | `cut_journal`, `hooked_journal`, `older_journal` | journals that end early, that are changed, that an older pml wrote |
//! | `clocks`, `waiting` | time: tests wait for conditions, and move clocks themselves |
//! | `snapshot`, `screen` | what people read, as text that inline snapshots ([`insta`]) hold, and as a picture |
//! | `documents` | the manual: its code blocks, its links, and what is generated in it |
//! | `tree` | the files of the project |
//!
//! Only the test target knows the path of the binary, so what runs it is given a [`TestEnv`].

mod channels;
mod clocks;
mod commands;
mod counter;
mod cut_journal;
mod documents;
mod environment;
mod fake_registry;
mod hooked_journal;
mod older_journal;
mod programs;
pub mod real;
pub mod sandbox;
mod screen;
pub mod scripts;
mod snapshot;
mod stdio_client;
mod survivor;
mod terminal;
mod toolbox;
mod tree;
mod waiting;

pub use channels::{
    ModernClient, accepted_form, all_but_the_eleventh, approve_in_another_process,
    approve_in_terminal, asking_project, asking_project_with, client_with, decided_channels,
    dialog_client, question_form, question_key, structured,
};
pub use clocks::{ManualClock, StoppedClock};
pub use commands::{
    audit_entries, audit_kinds, example, json_of, json_with_path, lines_of, newest_state,
    open_question, run_with_path, search_path, short_digest, soak, trust,
};
pub use counter::{Counter, LocalTools, RemoteTools, careful_answer, tool_effects, tool_reply};
pub use cut_journal::{CutJournal, CutPoint};
pub use documents::{
    CodeBlock, Document, assert_generated, manual, markdown_escaped, update_document,
    updates_documents, wrapped,
};
pub use environment::{Output, TestEnv};
pub use fake_registry::FakeRegistry;
pub use hooked_journal::HookedJournal;
pub use insta;
pub use older_journal::leave_older_journal;
pub use programs::{Generated, generate};
pub use screen::Screen;
pub use snapshot::redacted;
pub use stdio_client::StdioClient;
pub use survivor::{Survivor, SurvivorProject};
pub use terminal::{Terminal, TerminalColours, screen};
pub use toolbox::{
    failing_server, toolbox_calls, toolbox_client, toolbox_command, toolbox_project,
    toolbox_script, toolbox_server, trusted_project, untrusted_project,
};
pub use tree::{files_under, project_root};
pub use waiting::{PATIENCE, eventually, outlast, outlast_async, wait_until, wait_until_async};
