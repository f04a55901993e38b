//! An answer to a question, and the decisions that it makes.

use super::{Ask, AskId, Decision, Question, RecordedDecision, Timestamp};
use std::collections::BTreeMap;

/// The decisions of an answer: one for all asks of a question, or one for each of some.
#[derive(Clone, Debug, PartialEq)]
pub enum Decisions {
    /// The same for every ask that was shown and is still open.
    All(Decision),
    /// One for each ask named; the others stay open.
    Each(BTreeMap<AskId, Decision>),
}

/// An answer to a question, together with the question as it was shown.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The decisions.
    pub decisions: Decisions,
    /// The digest of each ask that was shown ([`Ask::digest`]). Nothing is recorded if a stored ask
    /// has another digest by now.
    pub shown: BTreeMap<AskId, String>,
    /// The person who decided.
    pub who: String,
    /// How they were asked: `terminal`, `command line`, or a name that the embedder chose.
    pub channel: String,
}

impl Answer {
    /// Returns an answer with one decision for all asks of a question as it was shown.
    pub fn all(
        shown: &Question,
        decision: Decision,
        who: impl Into<String>,
        channel: impl Into<String>,
    ) -> Answer {
        let digests = shown.asks.iter().map(digest_by_id).collect();
        Answer::new(Decisions::All(decision), digests, who.into(), channel.into())
    }

    /// Returns an answer with a decision for each of some asks of a question as it was shown.
    pub fn each(
        shown: &Question,
        decisions: impl IntoIterator<Item = (AskId, Decision)>,
        who: impl Into<String>,
        channel: impl Into<String>,
    ) -> Answer {
        let decisions: BTreeMap<_, _> = decisions.into_iter().collect();
        let named = shown.asks.iter().filter(|ask| decisions.contains_key(&ask.id));
        let digests = named.map(digest_by_id).collect();
        Answer::new(Decisions::Each(decisions), digests, who.into(), channel.into())
    }

    fn new(
        decisions: Decisions,
        shown: BTreeMap<AskId, String>,
        who: String,
        channel: String,
    ) -> Answer {
        Answer { decisions, shown, who, channel }
    }

    /// Returns the decisions at time `at` about a question that a journal holds. Asks that were
    /// decided `before` are skipped. Returns `None` if an ask that the answer decides about is not
    /// the one that was shown: then nothing may be recorded.
    pub fn decide(
        &self,
        question: &Question,
        before: &[RecordedDecision],
        at: Timestamp,
    ) -> Option<Vec<RecordedDecision>> {
        let open = |ask: &&Ask| !before.iter().any(|decided| decided.ask == ask.id);
        let mut decided = Vec::new();
        for ask in question.asks.iter().filter(open) {
            let shown = self.shown.get(&ask.id);
            let decision = match &self.decisions {
                // A decision about all asks covers only those that were shown.
                Decisions::All(decision) => shown.is_some().then_some(decision),
                Decisions::Each(each) => each.get(&ask.id),
            };
            let Some(decision) = decision else { continue };
            let digest = ask.digest();
            if shown != Some(&digest) {
                return None;
            }
            let (who, channel) = (self.who.as_str(), self.channel.as_str());
            let one =
                RecordedDecision::new(question.id, ask.id, decision.clone(), who, channel, at);
            decided.push(one.with_digest(Some(digest)));
        }
        Some(decided)
    }
}

fn digest_by_id(ask: &Ask) -> (AskId, String) {
    (ask.id, ask.digest())
}

#[cfg(test)]
mod tests {
    use super::Answer;
    use crate::model::{Ask, AskId, AskKind, Decision, Question, RunId, Timestamp};
    use serde_json::json;

    fn question() -> Question {
        let ask = |n: u32| {
            Ask::new(AskKind::ToolPermission, None, "bank:pay", json!({ "amount": n }), "policy")
        };
        Question::new(RunId::new(), "x.ts", Timestamp(0), None, vec![ask(1), ask(2)])
    }

    #[test]
    fn an_answer_decides_what_was_shown_and_names_its_digest() {
        let question = question();
        let yes = Answer::all(&question, Decision::Approve, "ann", "terminal");
        let decided = yes.decide(&question, &[], Timestamp(1)).expect("it is the one shown");
        assert_eq!(decided.len(), 2);
        assert!(decided.iter().zip(&question.asks).all(|(one, ask)| one.is_about(ask)));
        assert!(!decided[0].is_about(&question.asks[1]));
        let rest = yes.decide(&question, &decided[..1], Timestamp(1)).expect("it is the one shown");
        assert_eq!(rest.iter().map(|one| one.ask).collect::<Vec<_>>(), [AskId(2)]);
    }

    #[test]
    fn an_answer_to_what_became_another_question_decides_nothing() {
        let shown = question();
        let changes: [fn(&mut Ask); 3] = [
            |ask| ask.arguments = json!({ "amount": 1_000 }),
            |ask| ask.tool = "bank:close".into(),
            |ask| ask.kind = AskKind::Trust,
        ];
        for change in changes {
            let mut stored = shown.clone();
            change(&mut stored.asks[1]);
            let all = Answer::all(&shown, Decision::Approve, "ann", "terminal");
            assert_eq!(all.decide(&stored, &[], Timestamp(1)), None);
            let one = Answer::each(&shown, [(AskId(2), Decision::Approve)], "ann", "terminal");
            assert_eq!(one.decide(&stored, &[], Timestamp(1)), None);
            // The other ask is unchanged.
            let other = Answer::each(&shown, [(AskId(1), Decision::Approve)], "ann", "terminal");
            assert_eq!(other.decide(&stored, &[], Timestamp(1)).map(|all| all.len()), Some(1));
        }
    }

    #[test]
    fn an_ask_that_was_not_shown_is_not_decided() {
        let stored = question();
        let mut shown = stored.clone();
        shown.asks.truncate(1);
        let all = Answer::all(&shown, Decision::Approve, "ann", "terminal");
        let decided = all.decide(&stored, &[], Timestamp(1)).expect("what was shown is the same");
        assert_eq!(decided.iter().map(|one| one.ask).collect::<Vec<_>>(), [AskId(1)]);
        let named = Answer::each(&shown, [(AskId(2), Decision::Approve)], "ann", "terminal");
        assert_eq!(named.decide(&stored, &[], Timestamp(1)), None);
    }
}
