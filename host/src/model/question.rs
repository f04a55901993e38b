//! Questions and decisions.
//!
//! A question is a batch of asks with its own id. An answer names the question, never the run, and
//! the digest of each ask that it decides about. So a late, repeated or misled answer cannot
//! approve an ask that was not shown.

use super::{CallId, CallRecord, Constraint, Need, QuestionId, RunId, Timestamp, ToolOrigin};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The id of an ask within its question: 1 for the first, then counting up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AskId(pub u32);

impl fmt::Display for AskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The kind of an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AskKind {
    /// May this tool be called?
    ToolPermission,
    /// May this server be installed?
    Dependency,
    /// A secret is missing.
    ApiKeyRequired,
    /// Something differs from what was approved before.
    Integrity,
    /// The outcome of this call is unknown, or it is unknown whether it still counts.
    UncertainCall,
    /// May the files of this folder be used?
    Trust,
}

impl AskKind {
    /// Reports whether only a person can approve it, and never the model of a client: it decides
    /// about files or tools that the model itself, or whoever wrote them, could have changed.
    pub fn is_for_people_only(self) -> bool {
        matches!(self, AskKind::Trust | AskKind::Integrity)
    }

    /// Reports whether an answer can be permanent. An answer about a key, a folder's trust or a
    /// lost outcome counts only once.
    pub fn may_be_always(self) -> bool {
        matches!(self, AskKind::ToolPermission | AskKind::Dependency | AskKind::Integrity)
    }
}

/// One thing that a person decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ask {
    /// Its id within its question.
    pub id: AskId,
    /// Its kind.
    pub kind: AskKind,
    /// The call that waits for it; `None` if a whole run waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// The tool.
    pub tool: String,
    /// Its arguments, unredacted; whoever shows them redacts them.
    pub arguments: Value,
    /// The reason for asking.
    pub reason: String,
    /// The definition and server that it is about, if they are known: an answer approves no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<ToolOrigin>,
    /// The need of the call, if it has one: an answer fulfills exactly this need, and lets the call
    /// be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<Need>,
    /// The conditions under which such calls may be allowed permanently: a person chooses among
    /// exactly those that were shown. `None` if the paths in the arguments were not resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offers: Option<Vec<Vec<Constraint>>>,
}

impl Ask {
    /// Returns an ask; its id is set by its question.
    pub fn new(
        kind: AskKind,
        call: Option<CallId>,
        tool: impl Into<String>,
        arguments: Value,
        reason: impl Into<String>,
    ) -> Ask {
        let (tool, reason) = (tool.into(), reason.into());
        let (origin, need, offers) = (None, None, None);
        Ask { id: AskId(0), kind, call, tool, arguments, reason, origin, need, offers }
    }

    /// Returns the sha256, in hex, of everything that a decision depends on: the kind of ask, the
    /// tool, its definition and server, the arguments, and the need.
    pub fn digest(&self) -> String {
        self.record().digest()
    }

    fn record(&self) -> CallRecord<'_> {
        let (kind, tool, arguments) = (self.kind, self.tool.as_str(), &self.arguments);
        CallRecord { kind, tool, arguments, origin: self.origin.as_ref(), need: self.need.as_ref() }
    }

    /// Returns the beginning of the digest, for people to compare.
    pub fn short_digest(&self) -> String {
        let mut digest = self.digest();
        digest.truncate(SHORT_DIGEST);
        digest
    }
}

/// Hex digits of a digest that is shown: enough that nobody can make two asks share them while a
/// question is open.
const SHORT_DIGEST: usize = 12;

/// All asks that block a run once none of its calls is in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The `workflow_id`.
    #[serde(rename = "workflow_id")]
    pub id: QuestionId,
    /// The run that waits.
    #[serde(rename = "run_id")]
    pub run: RunId,
    /// The script's name.
    pub script: String,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// Until when it can be answered; `None` means for ever.
    pub expires_at: Option<Timestamp>,
    /// The asks, in the order of the calls.
    pub asks: Vec<Ask>,
}

impl Question {
    /// Returns a new question over `asks`, which it numbers.
    pub fn new(
        run: RunId,
        script: impl Into<String>,
        asked_at: Timestamp,
        expires_at: Option<Timestamp>,
        mut asks: Vec<Ask>,
    ) -> Question {
        for (ask, number) in asks.iter_mut().zip(1..) {
            ask.id = AskId(number);
        }
        Question { id: QuestionId::new(), run, script: script.into(), asked_at, expires_at, asks }
    }

    /// Reports whether it can no longer be answered at `now`.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    /// Returns the ask with this id.
    pub fn ask(&self, id: AskId) -> Option<&Ask> {
        self.asks.iter().find(|ask| ask.id == id)
    }
}

/// A person's decision about an ask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Make the call; for an `uncertain_call`, make it again.
    Approve,
    /// Make the call, and do not ask for this tool again in this run. If the project's settings can
    /// be written, never ask again.
    Always,
    /// The same as `Always`, but only for arguments under these conditions.
    AlwaysWithin(Vec<Constraint>),
    /// Do not make the call: the program gets an error that it may catch.
    Decline,
    /// Continue as if the call had returned this result.
    Result(Value),
    /// End the run.
    Abort,
    /// End the run and report the completed calls, so that a better program can be written.
    Replan,
}

impl Decision {
    /// Returns its name, in the form that programs read.
    pub fn name(&self) -> &'static str {
        match self {
            Decision::Approve => "approve",
            Decision::Always => "always",
            Decision::AlwaysWithin(_) => "always_within",
            Decision::Decline => "decline",
            Decision::Result(_) => "result",
            Decision::Abort => "abort",
            Decision::Replan => "replan",
        }
    }

    /// Reports whether it lets the call be made.
    pub fn approves(&self) -> bool {
        matches!(self, Decision::Approve | Decision::Always | Decision::AlwaysWithin(_))
    }

    /// Reports whether it ends the run.
    pub fn ends_run(&self) -> bool {
        matches!(self, Decision::Abort | Decision::Replan)
    }
}

/// A decision as it was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordedDecision {
    /// The question.
    #[serde(rename = "workflow_id")]
    pub question: QuestionId,
    /// The ask.
    pub ask: AskId,
    /// The decision.
    pub decision: Decision,
    /// The person who decided.
    pub who: String,
    /// The channel on which they were asked.
    pub channel: String,
    /// When it was recorded.
    pub at: Timestamp,
    /// sha256 of the ask that was shown, in hex ([`Ask::digest`]). A decision without one, as in
    /// older journals, approves nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl RecordedDecision {
    /// Returns a recorded decision.
    pub fn new(
        question: QuestionId,
        ask: AskId,
        decision: Decision,
        who: impl Into<String>,
        channel: impl Into<String>,
        at: Timestamp,
    ) -> RecordedDecision {
        let (who, channel) = (who.into(), channel.into());
        RecordedDecision { question, ask, decision, who, channel, at, digest: None }
    }

    /// Returns the same decision with the digest of its ask.
    #[must_use]
    pub fn with_digest(self, digest: Option<String>) -> RecordedDecision {
        RecordedDecision { digest, ..self }
    }

    /// Reports whether it was made about exactly this ask.
    pub fn is_about(&self, ask: &Ask) -> bool {
        self.ask == ask.id && self.digest.as_ref().is_some_and(|digest| *digest == ask.digest())
    }
}
