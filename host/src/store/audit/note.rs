//! The events that the audit trail records.

use crate::model::{
    Answer, Ask, AskKind, Difference, Grant, Package, Question, QuestionId, RecordedDecision,
    RunId, Timestamp, ToolName,
};

/// The reason for refusing an answer to another question than the one that was shown.
const NOT_SHOWN: &str = "the question is not the one that was shown";

/// A new entry for the audit trail. Secrets are removed when it is written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AuditNote {
    /// The time of the event.
    pub at: Timestamp,
    /// The run that it belongs to, if any.
    pub run: Option<RunId>,
    /// The event.
    pub event: AuditEvent,
}

impl AuditNote {
    /// Returns a note.
    pub fn new(at: Timestamp, run: Option<RunId>, what: AuditEvent) -> AuditNote {
        AuditNote { at, run, event: what }
    }
}

/// An event of the audit trail. The journal itself writes the first four when it records them; the
/// code that causes the others writes those.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AuditEvent {
    /// A question was asked.
    Asked(Question),
    /// Somebody decided about an ask of a question.
    Decided {
        /// The tool that the ask is about.
        tool: String,
        /// The kind of the ask.
        kind: AskKind,
        /// The decision, with who made it and over which channel.
        decided: RecordedDecision,
    },
    /// A question was withdrawn before it was answered.
    Withdrawn {
        /// The question.
        question: QuestionId,
        /// The reason.
        reason: String,
    },
    /// A question was not answered in time.
    Expired {
        /// The question.
        question: QuestionId,
    },
    /// An attempt to answer was refused.
    Refused {
        /// The question, if it was about one.
        question: Option<QuestionId>,
        /// Who tried to answer.
        who: String,
        /// The channel.
        channel: String,
        /// Why it was refused.
        reason: String,
    },
    /// A tool was allowed permanently.
    Granted {
        /// The grant.
        grant: Grant,
        /// Who allowed it.
        who: String,
        /// The channel.
        channel: String,
        /// The file that the grant was written to.
        file: String,
    },
    /// A grant no longer applies: the tool has changed.
    Lapsed {
        /// The tool.
        tool: ToolName,
        /// The differences.
        differences: Vec<Difference>,
    },
    /// A package was installed.
    Installed {
        /// The package.
        package: Package,
        /// The digest of all packages that were installed. Of older pmls, that of the folder.
        digest: Option<String>,
    },
    /// Somebody trusted a project's files.
    Trusted {
        /// The project's folder.
        folder: String,
        /// The digest of each file, by its name.
        files: Vec<(String, String)>,
        /// Who trusted them.
        who: String,
        /// The channel.
        channel: String,
    },
    /// Somebody trusted a project's files for one command.
    TrustedOnce {
        /// The project's folder.
        folder: String,
        /// The digest of each part of the manifest, by its name.
        files: Vec<(String, String)>,
        /// Who trusted them.
        who: String,
        /// The channel.
        channel: String,
    },
    /// Somebody changed a project's settings with a command.
    Changed {
        /// The project's folder.
        folder: String,
        /// The changes, a line each.
        changes: Vec<String>,
        /// Who changed them.
        who: String,
        /// The channel.
        channel: String,
    },
    /// Somebody withdrew their trust in a project's files.
    Distrusted {
        /// The project's folder.
        folder: String,
        /// Who withdrew it.
        who: String,
        /// The channel.
        channel: String,
    },
    /// Ended runs of another journal were imported, as history.
    Imported {
        /// The folder of the other journal.
        from: String,
        /// How many runs were imported.
        runs: u64,
        /// How many runs were not imported: they had not ended, or could not be read.
        left: u64,
        /// The number of entries in the other journal's trail, which were not imported.
        entries: u64,
        /// The hash of the last of these entries.
        head: String,
    },
    /// Somebody declared this journal to be that of a project that was moved.
    Adopted {
        /// The former folder of the project.
        from: String,
        /// The present folder of the project.
        to: String,
        /// Who declared it.
        who: String,
        /// The channel.
        channel: String,
    },
    /// Somebody has seen that the trail is broken, and accepts it as it is.
    Accepted {
        /// Who accepted it.
        who: String,
        /// The channel.
        channel: String,
        /// The defect that was accepted.
        reason: String,
    },
}

impl AuditEvent {
    /// Returns the event of a decision about an ask.
    pub(in crate::store) fn decided(ask: &Ask, decided: RecordedDecision) -> AuditEvent {
        AuditEvent::Decided { tool: ask.tool.clone(), kind: ask.kind, decided }
    }

    /// Returns the event of an answer that was refused because another question was shown.
    pub(in crate::store) fn not_shown(question: QuestionId, answer: Answer) -> AuditEvent {
        let Answer { who, channel, .. } = answer;
        let reason = NOT_SHOWN.to_owned();
        AuditEvent::Refused { question: Some(question), who, channel, reason }
    }

    /// Returns the kind of the event, as it is written.
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
