//! What a person is asked, and what they say.
//!
//! A question is a batch of asks with an id of its own: an answer names the question, never the
//! run, and the digest of each ask that it decides about, so that a late, repeated or misled one
//! can approve nothing that was not shown.

use super::{CallId, CallRecord, Constraint, Need, QuestionId, RunId, Timestamp, ToolOrigin};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// Names an ask within its question: 1 for the first, then counting up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AskId(pub u32);

impl fmt::Display for AskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What kind of thing is asked.
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
    /// Nobody knows what became of this call, or whether it still counts.
    UncertainCall,
    /// May the files of this folder be used?
    Trust,
}

impl AskKind {
    /// Returns whether an answer can hold for good: a key, a folder's trust or a lost outcome is a
    /// matter of this one time.
    pub fn may_be_always(self) -> bool {
        matches!(self, AskKind::ToolPermission | AskKind::Dependency | AskKind::Integrity)
    }
}

/// One thing that a person decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ask {
    /// Which ask of its question.
    pub id: AskId,
    /// What kind.
    pub kind: AskKind,
    /// The call that waits for it; nothing where a whole run does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// The tool.
    pub tool: String,
    /// Its arguments, exactly; every view of them redacts.
    pub arguments: Value,
    /// Why it is asked.
    pub reason: String,
    /// Which definition of which server it is about, where that is known: an answer approves no
    /// other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<ToolOrigin>,
    /// What the call lacks, where it lacks something: an answer gives exactly this, and lets the
    /// call be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<Need>,
    /// Under which conditions calls like this may be allowed for good: what is shown is what is
    /// chosen. Nothing where nobody has looked at where its paths lead.
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

    /// Returns the sha256, in hex, of everything that a decision is about: the kind of ask, the
    /// tool, its definition and server, the arguments, and what is to be installed or trusted.
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

/// Hex digits of a digest that is shown: enough that nobody makes two asks share them while a
/// question is open.
const SHORT_DIGEST: usize = 12;

/// All that blocks a run when no call of it is out any more.
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
    /// Until when it can be answered; for ever if nothing is said.
    pub expires_at: Option<Timestamp>,
    /// What is asked, in the order of the calls.
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

    /// Returns whether it can no longer be answered at `now`.
    pub fn expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    /// Returns the ask of that id.
    pub fn ask(&self, id: AskId) -> Option<&Ask> {
        self.asks.iter().find(|ask| ask.id == id)
    }
}

/// What a person says to an ask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Make the call; for an `uncertain_call`, make it again.
    Approve,
    /// Make the call, and do not ask for this tool again: not in this run, and, where the project's
    /// settings can be written, never again.
    Always,
    /// The same for arguments like these, and for no others.
    AlwaysWithin(Vec<Constraint>),
    /// Do not make the call: the program gets an error that it may catch.
    Decline,
    /// Go on as if the call had given this result.
    Result(Value),
    /// End the run.
    Abort,
    /// End the run, and say what was completed, so that a better program can be written.
    Replan,
}

impl Decision {
    /// Returns its name, as programs read it.
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

    /// Returns whether it makes the call.
    pub fn approves(&self) -> bool {
        matches!(self, Decision::Approve | Decision::Always | Decision::AlwaysWithin(_))
    }

    /// Returns whether it ends the run.
    pub fn ends(&self) -> bool {
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
    /// What was decided.
    pub decision: Decision,
    /// Who decided.
    pub who: String,
    /// By which channel.
    pub channel: String,
    /// When.
    pub at: Timestamp,
    /// sha256 of the ask that was shown, in hex ([`Ask::digest`]). A decision without one, as older
    /// journals have them, lets nothing through.
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

    /// Returns the same decision about the ask of this digest.
    #[must_use]
    pub fn with_digest(self, digest: Option<String>) -> RecordedDecision {
        RecordedDecision { digest, ..self }
    }

    /// Returns whether it was made about exactly this ask.
    pub fn is_about(&self, ask: &Ask) -> bool {
        self.ask == ask.id && self.digest.as_ref().is_some_and(|digest| *digest == ask.digest())
    }
}
