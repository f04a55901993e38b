//! Compares a call that is about to be sent with what a person has approved.
//!
//! **Invariant:** a call that a person was asked about is sent only if its digest is the one that
//! was shown. The record is rebuilt from the current tool and the arguments that are sent.

use crate::model::ResolvedTool;
use crate::model::{Ask, AskKind, CallRecord, Grant, Need, RecordedDecision, ToolOrigin};
use serde_json::Value;

/// A person's approval of one call. The arguments are not in it: they come from the program.
#[derive(Debug)]
pub(in crate::run) struct Approval {
    kind: AskKind,
    tool: String,
    origin: Option<ToolOrigin>,
    need: Option<Need>,
    digest: String,
}

/// An approval that counts only once the tool of the call is found again.
pub(super) struct UnverifiedApproval {
    pub(super) ask: Ask,
    pub(super) decided: RecordedDecision,
    pub(super) grant: Option<Grant>,
}

impl Approval {
    /// Returns the approval, or `None` if the decision is not about this ask or does not approve
    /// it.
    pub(in crate::run) fn new(ask: &Ask, decided: &RecordedDecision) -> Option<Approval> {
        let valid = decided.decision.approves() && decided.is_about(ask);
        Some(Approval {
            kind: ask.kind,
            tool: ask.tool.clone(),
            origin: ask.origin.clone(),
            need: ask.need.clone(),
            digest: decided.digest.clone().filter(|_| valid)?,
        })
    }

    /// Reports whether the person was told that something has changed, and agreed to it.
    pub(in crate::run) fn accepts_change(&self) -> bool {
        self.kind == AskKind::Integrity
    }

    /// Returns the digest that was shown.
    pub(in crate::run) fn digest(&self) -> &str {
        &self.digest
    }

    /// Reports whether a call of this tool with these arguments is the one that was approved.
    pub(in crate::run) fn covers(&self, found: &ResolvedTool, arguments: &Value) -> bool {
        // A tool is unknown before it is installed, trusted or given its key. Then its name was
        // approved, and the policy has decided on the tool that was found under it.
        let (tool, origin) = match must_be_fulfilled_first(self.need.as_ref()) {
            true => (self.tool.as_str(), self.origin.as_ref()),
            false => (found.tool.as_str(), found.origin.as_ref()),
        };
        let (kind, need) = (self.kind, self.need.as_ref());
        CallRecord { kind, tool, arguments, origin, need }.digest() == self.digest
    }
}

/// Reports whether the need must be fulfilled before more is known of the tool. A change of the tool
/// is no such need; a change of its server is, since it is not started before.
pub(super) fn must_be_fulfilled_first(need: Option<&Need>) -> bool {
    match need {
        Some(Need::Install(_) | Need::Variables(_) | Need::Trust(_)) => true,
        Some(Need::Change(change)) => change.server.is_some(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Approval;
    use crate::model::ResolvedTool;
    use crate::model::{
        Answer, Ask, AskKind, Decision, Effects, Question, RunId, Timestamp, ToolOrigin,
    };
    use serde_json::json;

    fn approved(decision: Decision) -> Option<Approval> {
        let mut ask = Ask::new(AskKind::ToolPermission, None, "a:b", json!({ "n": 1 }), "policy");
        ask.origin = Some(ToolOrigin::new("definition", "server"));
        let question = Question::new(RunId::new(), "x.ts", Timestamp(0), None, vec![ask]);
        let answer = Answer::all(&question, decision, "ann", "terminal");
        let decided = answer.decide(&question, &[], Timestamp(1)).expect("it is the one shown");
        Approval::new(&question.asks[0], &decided[0])
    }

    #[test]
    fn a_call_is_covered_only_as_it_was_shown() {
        let approval = approved(Decision::Approve).expect("it approves");
        let found = |tool: &str, definition: &str| ResolvedTool {
            origin: Some(ToolOrigin::new(definition, "server")),
            ..ResolvedTool::new(tool.parse().expect("a tool"), Effects::Unknown)
        };
        assert!(approval.covers(&found("a:b", "definition"), &json!({ "n": 1 })));
        assert!(!approval.covers(&found("a:b", "definition"), &json!({ "n": 2 })));
        assert!(!approval.covers(&found("a:c", "definition"), &json!({ "n": 1 })));
        assert!(!approval.covers(&found("a:b", "another"), &json!({ "n": 1 })));
        let unknown = ResolvedTool::new("a:b".parse().expect("a tool"), Effects::Unknown);
        assert!(!approval.covers(&unknown, &json!({ "n": 1 })));
    }

    #[test]
    fn what_does_not_approve_or_names_no_digest_is_no_approval() {
        assert!(approved(Decision::Decline).is_none());
        assert!(approved(Decision::Result(json!(1))).is_none());
        let ask = Ask::new(AskKind::ToolPermission, None, "a:b", json!({}), "policy");
        let question = Question::new(RunId::new(), "x.ts", Timestamp(0), None, vec![ask]);
        let answer = Answer::all(&question, Decision::Approve, "ann", "terminal");
        let decided = answer.decide(&question, &[], Timestamp(1)).expect("shown").remove(0);
        assert!(Approval::new(&question.asks[0], &decided).is_some());
        let without = decided.clone().with_digest(None);
        assert!(Approval::new(&question.asks[0], &without).is_none());
        let other = decided.with_digest(Some("00".repeat(32)));
        assert!(Approval::new(&question.asks[0], &other).is_none());
    }
}
