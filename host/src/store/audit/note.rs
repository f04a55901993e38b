//! What can be noted.

use crate::model::{
    Answer, Ask, AskKind, Difference, Grant, Package, Question, QuestionId, RecordedDecision,
    RunId, Timestamp, ToolName,
};

/// Why an answer to another question than the one that was shown is refused.
const NOT_SHOWN: &str = "the question is not the one that was shown";

/// Something for the trail. Secrets in it are taken out when it is written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AuditNote {
    /// When it happened.
    pub at: Timestamp,
    /// In which run, if in one.
    pub run: Option<RunId>,
    /// What happened.
    pub what: AuditEvent,
}

impl AuditNote {
    /// Returns a note.
    pub fn new(at: Timestamp, run: Option<RunId>, what: AuditEvent) -> AuditNote {
        AuditNote { at, run, what }
    }
}

/// What happened. The first four are noted by a journal itself, when it records them; the rest by
/// whoever brings it about.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AuditEvent {
    /// A question was asked.
    Asked(Question),
    /// Somebody decided about an ask of it.
    Decided {
        /// The tool that the ask is about.
        tool: String,
        /// What kind of ask it is.
        kind: AskKind,
        /// What was decided, by whom, over which channel.
        decided: RecordedDecision,
    },
    /// A question was taken back before it was answered.
    Withdrawn {
        /// Which.
        question: QuestionId,
        /// Why.
        reason: String,
    },
    /// Nobody answered in time.
    Expired {
        /// Which question.
        question: QuestionId,
    },
    /// An attempt to answer was refused.
    Refused {
        /// The question, if it was about one.
        question: Option<QuestionId>,
        /// Who tried.
        who: String,
        /// By which channel.
        channel: String,
        /// Why it was refused.
        reason: String,
    },
    /// A tool was allowed for good.
    Granted {
        /// What exactly.
        grant: Grant,
        /// Who allowed it.
        who: String,
        /// By which channel.
        channel: String,
        /// The file that it was written into.
        file: String,
    },
    /// What was allowed for good counts no longer: the tool is not what it was.
    Lapsed {
        /// Which tool.
        tool: ToolName,
        /// What differs.
        differences: Vec<Difference>,
    },
    /// A package was installed.
    Installed {
        /// Which.
        package: Package,
        /// What it hashes to as installed.
        digest: Option<String>,
    },
    /// Somebody trusted a project's files.
    Trusted {
        /// The project's folder.
        folder: String,
        /// What each file hashes to, by its name.
        files: Vec<(String, String)>,
        /// Who trusted them.
        who: String,
        /// By which channel.
        channel: String,
    },
    /// Somebody took a project's files for trusted, for one command.
    TrustedOnce {
        /// The project's folder.
        folder: String,
        /// What each part of the manifest hashes to, by its name.
        files: Vec<(String, String)>,
        /// Who did.
        who: String,
        /// By which channel.
        channel: String,
    },
    /// Somebody changed a project's settings with a command.
    Changed {
        /// The project's folder.
        folder: String,
        /// What was changed, a line each.
        changes: Vec<String>,
        /// Who changed it.
        who: String,
        /// By which channel.
        channel: String,
    },
    /// Somebody trusts a project's files no longer.
    Distrusted {
        /// The project's folder.
        folder: String,
        /// Who.
        who: String,
        /// By which channel.
        channel: String,
    },
    /// Runs that were over were taken from another journal, as history.
    Imported {
        /// The folder that it was in.
        from: String,
        /// How many runs.
        runs: u64,
        /// How many were left: those that were not over, or could not be read.
        left: u64,
        /// How many entries its trail has, which stayed there.
        entries: u64,
        /// The hash of the last of them.
        head: String,
    },
    /// Somebody said that this is the journal of a project that was moved.
    Adopted {
        /// Where the project was.
        from: String,
        /// Where it is.
        to: String,
        /// Who said so.
        who: String,
        /// By which channel.
        channel: String,
    },
    /// Somebody has seen that the trail is broken, and takes it as it is from here on.
    Accepted {
        /// Who.
        who: String,
        /// By which channel.
        channel: String,
        /// What was wrong with it.
        reason: String,
    },
}

impl AuditEvent {
    /// Returns what was decided about an ask.
    pub(in crate::store) fn decided(ask: &Ask, decided: RecordedDecision) -> AuditEvent {
        AuditEvent::Decided { tool: ask.tool.clone(), kind: ask.kind, decided }
    }

    /// Returns that an answer was refused because it is not about what is asked.
    pub(in crate::store) fn not_shown(question: QuestionId, answer: Answer) -> AuditEvent {
        let Answer { who, channel, .. } = answer;
        let reason = NOT_SHOWN.to_owned();
        AuditEvent::Refused { question: Some(question), who, channel, reason }
    }

    /// Returns its kind, as it is written.
    pub fn kind(&self) -> &'static str {
        match self {
            AuditEvent::Asked(_) => "asked",
            AuditEvent::Decided { .. } => "decided",
            AuditEvent::Withdrawn { .. } => "withdrawn",
            AuditEvent::Expired { .. } => "expired",
            AuditEvent::Refused { .. } => "refused",
            AuditEvent::Granted { .. } => "granted",
            AuditEvent::Lapsed { .. } => "lapsed",
            AuditEvent::Installed { .. } => "installed",
            AuditEvent::Trusted { .. } => "trusted",
            AuditEvent::TrustedOnce { .. } => "trusted_once",
            AuditEvent::Changed { .. } => "changed",
            AuditEvent::Distrusted { .. } => "distrusted",
            AuditEvent::Imported { .. } => "imported",
            AuditEvent::Adopted { .. } => "adopted",
            AuditEvent::Accepted { .. } => "accepted",
        }
    }
}
