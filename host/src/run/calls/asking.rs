//! Calls that wait for a person, and what was decided about them.

use super::open::{Calls, Open, Stage};
use crate::model::{Ask, AskKind, CallError, Code, Decision, Question, QuestionId, ToolName};
use crate::run::checkpoint::Unmatched;
use crate::run::perform::parse;

impl Calls {
    /// Whether nothing may go out because the checkpoint is not used up.
    pub(super) fn held_back(&self) -> bool {
        self.checkpoint.as_ref().is_some_and(|checkpoint| !checkpoint.passed())
    }

    /// Whether anything waits for a person.
    pub(super) fn asks(&self) -> bool {
        self.held_back() || self.open.values().any(|open| matches!(open.stage, Stage::Asking(_)))
    }

    /// What waits for a person and has not been asked yet.
    pub(in crate::run) fn unasked(&self) -> Vec<Ask> {
        let unmatched = match self.unmatched {
            None if self.held_back() => self.unmatched(),
            _ => Vec::new(),
        };
        let calls = self.open.iter().filter_map(|(id, open)| match &open.stage {
            Stage::Asking(asking) if asking.question.is_none() => {
                let arguments = parse(&asking.arguments).unwrap_or_default();
                let (tool, reason) = (open.tool.as_str(), asking.reason.clone());
                Some(Ask::new(asking.kind, Some(*id), tool, arguments, reason))
            }
            _ => None,
        });
        unmatched.iter().map(Unmatched::ask).chain(calls).collect()
    }

    /// Calls with effects of the checkpoint that the program has not asked for again.
    pub(in crate::run) fn unmatched(&self) -> Vec<Unmatched> {
        let checkpoint = self.checkpoint.as_ref();
        checkpoint.map_or(Vec::new(), |past| past.unmatched(|tool| self.router.effects(tool)))
    }

    /// Notes that a question was asked.
    pub(in crate::run) fn asked(&mut self, question: &Question) {
        for ask in &question.asks {
            match ask.call.map(|call| self.open.get_mut(&call)) {
                Some(Some(Open { stage: Stage::Asking(asking), .. })) => {
                    asking.question = Some(question.id);
                }
                Some(_) => {}
                None => self.unmatched = Some(question.id),
            }
        }
    }

    /// Whether anything waits for this question.
    pub(in crate::run) fn waits_for(&self, question: QuestionId) -> bool {
        let waits = |open: &Open| matches!(&open.stage, Stage::Asking(asking) if asking.question == Some(question));
        (self.held_back() && self.unmatched == Some(question)) || self.open.values().any(waits)
    }

    /// Takes up the question about the checkpoint, where one was asked.
    pub(in crate::run) fn restore_questions(&mut self, questions: &[Question]) {
        let about_the_run =
            |question: &&Question| question.asks.iter().any(|ask| ask.call.is_none());
        self.unmatched = questions.iter().find(about_the_run).map(|question| question.id);
    }

    /// Does what was decided about an ask of a question. What was done before is not done again.
    pub(in crate::run) fn decide(&mut self, question: QuestionId, ask: &Ask, decision: &Decision) {
        let tool = ask.tool.parse::<ToolName>();
        if *decision == Decision::Always && ask.kind == AskKind::ToolPermission {
            self.granted.extend(tool);
        }
        let Some(call) = ask.call else {
            if self.unmatched == Some(question)
                && let Some(checkpoint) = &mut self.checkpoint
            {
                checkpoint.pass();
            }
            return;
        };
        let waits = |open: &&mut Open| matches!(&open.stage, Stage::Asking(asking) if asking.question == Some(question));
        let Some(open) = self.open.get_mut(&call).filter(waits) else { return };
        let reply = match decision {
            Decision::Approve | Decision::Always => {
                if let Stage::Asking(asking) = &mut open.stage {
                    open.stage = Stage::Queued(std::mem::take(&mut asking.arguments));
                    self.queue.push_back(call);
                }
                return;
            }
            Decision::Result(value) => Ok(value.clone()),
            _ => Err(match ask.kind {
                AskKind::UncertainCall => CallError::new(
                    Code::OutcomeUnknown,
                    format!("nobody knows what became of this call of `{}`", ask.tool),
                ),
                _ => CallError::new(
                    Code::ApprovalDeclined,
                    format!("a person declined this call of `{}`", ask.tool),
                ),
            }),
        };
        self.close(call);
        self.reply(call, reply);
    }
}
