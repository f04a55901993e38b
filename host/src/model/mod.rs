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
mod found;
mod given;
mod grant;
mod id;
mod limits;
mod line;
mod need;
mod progress;
mod quantity;
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
pub(crate) use canonical::canonical;
pub use canonical::{digest, hex};
pub use clock::{Clock, InvalidTimestamp, SystemClock, Timestamp};
pub use code::{Class, Code};
pub(crate) use constraint::{ByWords, Paths, Place, Start, offered_with};
pub use constraint::{Condition, Constraint, offered as offered_constraints};
pub use cost::weigh;
pub(crate) use cost::{
    Budget, CompactError, CpuUse, Halt, INLINE, ParseError, Stint, Work, WriteError, compact,
    parse, thread_time, write,
};
pub use definition::{Annotations, Definition, Origin};
pub use difference::{Difference, Piece, differences_of};
pub use durability::Durability;
pub use effects::Effects;
pub use era::Era;
#[cfg(feature = "servers")]
pub(crate) use exit::describe_exit;
pub use fold::fold;
pub(crate) use fold::words;
pub use found::{Found, PathBase, Tell};
pub use given::shown_given;
pub use grant::{Grant, GrantVersion};
pub use id::{CallId, QuestionId, RunId};
pub use limits::{Limits, MEMORY_CEILING, STACK_CEILING};
pub use line::{Level, Line};
pub use need::{Change, Ecosystem, Need, Package, Since, TrustNeed, Variables};
pub use progress::Progress;
pub use quantity::{bytes, duration};
pub use question::{Ask, AskId, AskKind, Decided, Decision, Question};
pub(crate) use record::CallRecord;
pub(crate) use redact::brief_arguments;
#[cfg(feature = "servers")]
pub(crate) use redact::{KnownSecrets, names_secret};
pub use redact::{Redactor, brief, brief_with, redact};
pub use secret::Secret;
pub use settled::Settled;
pub use span::{milliseconds, span};
#[cfg(feature = "servers")]
pub use spelling::nearest;
#[cfg(feature = "servers")]
pub(crate) use spelling::{Meant, meant};
#[cfg(feature = "servers")]
pub use steering::steers_loading;
pub(crate) use strict::{Spelled, StrictPattern};
pub use tenant::Tenant;
pub(crate) use text::thousands;
pub use text::{cut, cut_to_columns, escape, fold_middle, in_one_line};
pub use tool::{InvalidTool, ToolName, ToolPattern};
pub(crate) use unseen::is_hidden;
