//! Plain data that every module may use, and pure functions on it.
//!
//! **Invariant:** no I/O, except that [`SystemClock`] reads the clock, ids take random bytes from
//! the OS, and `cost` reads the CPU clock of its thread and moves long work to another thread.

mod answer;
mod call;
mod call_result;
mod canonical;
mod clock;
mod code;
mod code_frame;
mod console_line;
mod constraint;
mod cost;
mod definition;
mod difference;
mod durability;
mod effects;
mod exit;
mod fold;
mod grant;
mod hidden_characters;
mod id;
mod limits;
mod loader_variables;
mod need;
mod package_closure;
mod position;
mod progress;
mod protocol_era;
mod quantity;
mod question;
mod record;
mod redact;
mod redacted_setting;
mod resolved_tool;
mod secret;
mod span;
mod spelling;
mod strict_pattern;
mod tenant;
mod text;
mod tool;

pub use answer::{Answer, Decisions};
pub use call::{Call, CallError, JsonReply, Reply};
pub use call_result::CallResult;
pub(crate) use canonical::canonical;
pub use canonical::{digest, hex};
pub use clock::{Clock, InvalidTimestamp, SystemClock, Timestamp};
pub use code::{Code, ErrorClass};
pub use code_frame::CodeFrame;
pub use console_line::{ConsoleLevel, ConsoleLine};
pub use constraint::{Condition, Constraint, offered as offered_constraints};
pub(crate) use constraint::{LexicalPaths, PathResolver, PathStart, ResolvedPath, offered_with};
pub use cost::parsed_size;
pub(crate) use cost::{
    CompactError, CpuUse, HaltReason, HostWork, INLINE_LIMIT, ParseError, RunBudget, WorkSlice,
    WriteError, compact, parse, thread_time, write,
};
pub use definition::{Annotations, Definition, ToolOrigin};
pub use difference::{DiffPiece, Difference, differences_of};
pub use durability::{Durability, WriteDurability};
pub use effects::Effects;
pub(crate) use exit::describe_exit;
pub use fold::fold;
pub(crate) use fold::words;
pub use grant::{Grant, GrantVersion};
pub(crate) use hidden_characters::is_hidden;
pub use id::{CallId, QuestionId, RunId};
pub use limits::{Limits, MEMORY_CEILING, STACK_CEILING};
pub use loader_variables::steers_loading;
pub use need::{
    ChangeBaseline, ChangedServer, Ecosystem, MissingVariables, Need, Package, ToolChange,
    TrustNeed,
};
pub use package_closure::{
    ANY_PLATFORM, ClosurePackage, MAX_CLOSURE_PACKAGES, PackageClosure, PinnedPackage,
};
pub use position::Position;
pub(crate) use position::{LineIndex, utf16_column};
pub(crate) use progress::CallProgressSink;
pub use progress::{CallProgress, Progress, WorkStage};
pub use protocol_era::ProtocolEra;
pub use quantity::{check_size, format_bytes, parse_bytes, parse_duration};
pub use question::{Ask, AskId, AskKind, Decision, Question, RecordedDecision};
pub(crate) use record::CallRecord;
pub(crate) use redact::brief_arguments;
pub(crate) use redact::{KnownSecrets, hidden_mark, names_secret};
pub use redact::{Redactor, brief, brief_with, redact};
pub use redacted_setting::redacted_setting;
pub use resolved_tool::{PathBase, ProgressCallback, ResolvedTool};
pub use secret::Secret;
pub use span::{format_span, milliseconds};
pub use spelling::nearest;
pub(crate) use spelling::{NameMatch, match_name};
pub(crate) use strict_pattern::{FoldedToolName, StrictPattern};
pub use tenant::Tenant;
pub(crate) use text::thousands;
pub use text::{cut, cut_to_columns, escape, fold_middle, in_one_line};
pub use tool::{InvalidTool, ToolName, ToolPattern};
