//! The floor: plain data that every room may use. In flows nothing, out flows nothing; values only.
//!
//! **Invariant:** no I/O, except that [`SystemClock`] reads the clock and ids are drawn from the OS.

mod call;
mod canonical;
mod clock;
mod code;
mod constraint;
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
mod redact;
mod secret;
mod settled;
#[cfg(feature = "servers")]
mod spelling;
#[cfg(feature = "servers")]
mod steering;
mod strict;
mod tenant;
mod text;
mod tool;
mod unseen;

pub use call::{Call, CallError, Reply};
#[cfg(feature = "servers")]
pub(crate) use canonical::digest;
pub(crate) use canonical::{canonical, hex};
pub use clock::{Clock, InvalidTimestamp, SystemClock, Timestamp};
pub use code::{Class, Code};
pub use constraint::{Condition, Constraint, offered as offered_constraints};
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
pub use grant::Grant;
pub use id::{CallId, QuestionId, RunId};
pub use limits::{Limits, MEMORY_CEILING, STACK_CEILING};
pub use line::{Level, Line};
pub use need::{Change, Ecosystem, Need, Package, Since, TrustNeed, Variables};
pub use progress::Progress;
pub use question::{Answer, Ask, AskId, AskKind, Decided, Decision, Decisions, Question};
#[cfg(feature = "servers")]
pub(crate) use redact::{KnownSecrets, names_secret};
pub use redact::{Redactor, brief, redact};
pub(crate) use redact::{brief_arguments, brief_with};
pub use secret::Secret;
pub use settled::Settled;
#[cfg(feature = "servers")]
pub(crate) use spelling::{Meant, meant, nearest};
#[cfg(feature = "servers")]
pub(crate) use steering::steers_loading;
pub(crate) use strict::{Spelled, StrictPattern};
pub use tenant::Tenant;
pub use text::escape;
pub(crate) use text::{cut, fold_middle, in_one_line, thousands};
pub use tool::{InvalidTool, ToolName, ToolPattern};
pub(crate) use unseen::is_hidden;
