//! Records an answer, and logs the result.

use crate::server::RequestScope;
use pml::hosting::{RecordError, RecordOutcome, record_answer};
use pml::{
    Decision, Error, Question, QuestionId,
    approval::Decisions,
    text::{cut, in_one_line},
};

/// Maximum number of characters of a client's name in the log.
const LONGEST_NAME: usize = 80;

/// Records an answer to a question as it was shown.
///
/// # Errors
/// If the journal fails, or its question differs from the one that was shown.
pub(super) async fn record(
    scope: &RequestScope,
    shown: &Question,
    decisions: Decisions,
    who: String,
    channel: &str,
) -> Result<RecordOutcome, Error> {
    let (name, decided) = (name_for_log(&who), decisions_text(&decisions));
    let recorded = record_answer(&scope.engine, shown, decisions, who, channel).await;
    let question = shown.id;
    match &recorded {
        Ok(RecordOutcome::Recorded { .. }) => {
            scope.server.log(&format!("question {question}: {decided}, by {name} ({channel})"));
        }
        Err(RecordError::NotShown { .. }) => {
            let reason = "the question is not the one that was shown";
            scope.server.log(&format!("question {question}: refused from {name}: {reason}"));
        }
        _ => {}
    }
    Ok(recorded?)
}

/// Returns the name of a client for the log. A client chooses its own name, which must not look like
/// another line.
pub(super) fn name_for_log(who: &str) -> String {
    cut(&in_one_line(who), LONGEST_NAME)
}

/// Returns the error for an answer to a question that differs from the shown one.
pub(super) fn not_shown(question: QuestionId) -> Error {
    RecordError::NotShown { question }.into()
}

/// Describes the decisions for a log, without their subject.
fn decisions_text(decisions: &Decisions) -> String {
    let word = |decision: &Decision| match decision {
        Decision::Approve => "approve",
        Decision::Always => "always",
        Decision::AlwaysWithin(_) => "always, under conditions",
        Decision::Decline => "decline",
        Decision::Result(_) => "a given result",
        Decision::Abort => "abort",
        Decision::Replan => "replan",
    };
    match decisions {
        Decisions::All(decision) => word(decision).into(),
        Decisions::Each(each) => {
            let each = each.iter().map(|(ask, decision)| format!("ask {ask} {}", word(decision)));
            each.collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_NAME, name_for_log};

    #[test]
    fn a_name_in_the_log_is_one_short_line() {
        assert_eq!(name_for_log("claude-code"), "claude-code");
        assert_eq!(name_for_log("x\nWARN forged\r\u{1b}[2K"), "x\\nWARN forged\\u{d}\\u{1b}[2K");
        assert_eq!(name_for_log(&"y".repeat(5_000)).chars().count(), LONGEST_NAME);
    }
}
