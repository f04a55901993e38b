//! Calls that wait for a person, and what was decided about them.

use super::open::{Calls, Open, Stage};
use crate::event::Event;
use crate::model::{
    Ask, AskId, AskKind, CallError, Code, Decided, Decision, Question, QuestionId, ToolName,
};
use crate::router::BUILT_IN;
use crate::run::checkpoint::Unmatched;
use crate::run::perform::parse;
use std::collections::BTreeSet;

/// The question about calls of the checkpoint that the program did not ask for again.
pub(super) struct Unmatching {
    question: QuestionId,
    /// Its asks that nobody has decided about.
    open: BTreeSet<AskId>,
}

impl Unmatching {
    fn new(question: &Question) -> Unmatching {
        let open = question.asks.iter().filter(|ask| ask.call.is_none()).map(|ask| ask.id);
        Unmatching { question: question.id, open: open.collect() }
    }
}

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
        let unmatched = match &self.unmatched {
            None if self.held_back() => self.unmatched(),
            _ => Vec::new(),
        };
        let calls = self.open.iter().filter_map(|(id, open)| match &open.stage {
            Stage::Asking(asking) if asking.question.is_none() => {
                let arguments = parse(&asking.arguments).unwrap_or_default();
                let (tool, reason) = (open.found.tool.as_str(), asking.reason.clone());
                let mut ask = Ask::new(asking.kind, Some(*id), tool, arguments, reason);
                ask.origin = open.found.origin.clone();
                Some(ask)
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
        for call in question.asks.iter().filter_map(|ask| ask.call) {
            if let Some(Open { stage: Stage::Asking(asking), .. }) = self.open.get_mut(&call) {
                asking.question = Some(question.id);
            }
        }
        if question.asks.iter().any(|ask| ask.call.is_none()) {
            self.unmatched = Some(Unmatching::new(question));
        }
    }

    /// Whether anything waits for this question.
    pub(in crate::run) fn waits_for(&self, question: QuestionId) -> bool {
        let about_the_run = self.unmatched.as_ref().is_some_and(|asked| asked.question == question);
        (self.held_back() && about_the_run)
            || self.open.values().any(|open| open.waits_for(question))
    }

    /// Takes up the question about the checkpoint, where one was asked.
    pub(in crate::run) fn restore_questions(&mut self, questions: &[Question]) {
        let about_the_run =
            |question: &&Question| question.asks.iter().any(|ask| ask.call.is_none());
        self.unmatched = questions.iter().find(about_the_run).map(Unmatching::new);
    }

    fn grant(&mut self, ask: &Ask) {
        let Ok(tool) = ask.tool.parse::<ToolName>() else { return };
        // What is built in asks with the program's own words: a yes to some is none to others.
        match tool.server() == BUILT_IN {
            true => self.granted_words.push(ask.arguments.clone()),
            false => drop(self.granted.insert(tool)),
        }
    }

    /// Whether a person allowed this for the rest of the run.
    pub(super) fn is_granted(&self, tool: &ToolName, arguments: &str) -> bool {
        match tool.server() == BUILT_IN {
            true => parse(arguments).is_ok_and(|words| self.granted_words.contains(&words)),
            false => self.granted.contains(tool),
        }
    }

    /// A person goes on without a call of the checkpoint. Once that is said of all, calls may go out.
    fn let_go(&mut self, decided: &Decided) {
        let asked = self.unmatched.as_mut().filter(|asked| asked.question == decided.question);
        let Some(unmatched) = asked.filter(|asked| asked.open.contains(&decided.ask)) else {
            return;
        };
        unmatched.open.remove(&decided.ask);
        if unmatched.open.is_empty()
            && let Some(checkpoint) = &mut self.checkpoint
        {
            checkpoint.pass();
        }
        self.tell(decided);
    }

    /// Does what was decided about an ask. What was done before is not done, or told, again.
    pub(in crate::run) fn decide(&mut self, ask: &Ask, decided: &Decided) {
        if decided.decision == Decision::Always && ask.kind == AskKind::ToolPermission {
            self.grant(ask);
        }
        let Some(call) = ask.call else { return self.let_go(decided) };
        let waits = |open: &&mut Open| open.waits_for(decided.question);
        let Some(open) = self.open.get_mut(&call).filter(waits) else { return };
        let reply = match &decided.decision {
            Decision::Approve | Decision::Always => {
                if let Stage::Asking(asking) = &mut open.stage {
                    open.stage = Stage::Queued(std::mem::take(&mut asking.arguments));
                    self.queue.push_back(call);
                }
                return self.tell(decided);
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
        self.tell(decided);
    }

    fn tell(&self, decided: &Decided) {
        self.events.event(&Event::Decided { run: self.run, decided: decided.clone() });
    }
}

impl Open {
    fn waits_for(&self, question: QuestionId) -> bool {
        matches!(&self.stage, Stage::Asking(asking) if asking.question == Some(question))
    }
}
