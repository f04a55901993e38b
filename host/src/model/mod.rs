//! The floor: plain data that every room may use. In flows nothing, out flows nothing; values only.
//!
//! **Invariant:** no I/O, except that [`SystemClock`] reads the clock, ids are drawn from the OS, and `cost` reads the CPU clock of
//! its thread and hands long work to another.

mod answer;
mod call;
mod canonical;
mod clock;
mod code;
mod constraint;
mod cost;
mod definition;
mod difference;
mod durability;
mod effects;
mod era;
#[cfg(feature = "servers")]
mod exit;
mod fold;
#[cfg(feature = "servers")]
mod given;
mod grant;
mod id;
mod limits;
mod line;
mod need;
mod progress;
mod question;
mod record;
mod redact;
mod secret;
mod settled;
mod span;
#[cfg(feature = "servers")]
mod spelling;
#[cfg(feature = "servers")]
mod steering;
mod strict;
mod tenant;
mod text;
mod tool;
mod unseen;

pub use answer::{Answer, Decisions};
pub use call::{Call, CallError, JsonReply, Reply};
#[cfg(feature = "servers")]
pub(crate) use canonical::digest;
pub(crate) use canonical::{canonical, hex};
pub use clock::{Clock, InvalidTimestamp, SystemClock, Timestamp};
pub use code::{Class, Code};
pub(crate) use constraint::{ByWords, Paths, Place, Start, offered_with};
pub use constraint::{Condition, Constraint, offered as offered_constraints};
pub(crate) use cost::{
    Budget, CompactError, CpuUse, Halt, INLINE, ParseError, Stint, Work, WriteError, compact,
    parse, thread_time, weigh, write,
};
pub use definition::{Annotations, Definition, Origin};
pub use difference::{Difference, Piece, differences_of};
pub use durability::Durability;
pub use effects::Effects;
pub use era::Era;
#[cfg(feature = "servers")]
pub(crate) use exit::describe_exit;
pub(crate) use fold::{fold, words};
#[cfg(feature = "servers")]
pub(crate) use given::shown_given;
pub use grant::{Grant, GrantVersion};
pub use id::{CallId, QuestionId, RunId};
pub use limits::{Limits, MEMORY_CEILING, STACK_CEILING};
pub use line::{Level, Line};
pub use need::{Change, Ecosystem, Need, Package, Since, TrustNeed, Variables};
pub use progress::Progress;
pub use question::{Ask, AskId, AskKind, Decided, Decision, Question};
pub(crate) use record::CallRecord;
#[cfg(feature = "servers")]
pub(crate) use redact::{KnownSecrets, names_secret};
pub use redact::{Redactor, brief, redact};
pub(crate) use redact::{brief_arguments, brief_with};
pub use secret::Secret;
pub use settled::Settled;
#[cfg(feature = "cli")]
pub(crate) use span::milliseconds;
pub(crate) use span::span;
#[cfg(feature = "servers")]
pub(crate) use spelling::{Meant, meant, nearest};
#[cfg(feature = "servers")]
pub(crate) use steering::steers_loading;
pub(crate) use strict::{Spelled, StrictPattern};
pub use tenant::Tenant;
#[cfg(feature = "cli")]
pub(crate) use text::cut_to_columns;
pub use text::escape;
pub(crate) use text::{cut, fold_middle, in_one_line, thousands};
pub use tool::{InvalidTool, ToolName, ToolPattern};
pub(crate) use unseen::is_hidden;
