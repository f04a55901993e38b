//! Calls that wait for a person, and what was decided about them.

use super::granted::Keeping;
use super::meeting::{Agreed, By};
use super::open::{Calls, Open, Stage};
use crate::event::Event;
use crate::model::{
    Ask, AskId, AskKind, CallError, CallId, Code, Decided, Decision, Grant, Need, Question,
    QuestionId,
};
use crate::run::checkpoint::Unmatched;
use crate::run::perform::parse;
use crate::store::Noted;
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
                ask.need = open.found.need.clone();
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
        let grant = self.granted.grant(ask, &decided.decision);
        if let (Some(grant), Some(Need::Install(_) | Need::Variables(_) | Need::Trust(_))) =
            (&grant, &ask.need)
        {
            self.granted.keep_later(grant.clone(), decided);
        }
        let Some(call) = ask.call else { return self.let_go(decided) };
        let waits = |open: &Open| open.waits_for(decided.question);
        if !self.open.get(&call).is_some_and(waits) {
            return;
        }
        let reply = match &decided.decision {
            decision if decision.approves() => {
                self.approve(call, grant, decided);
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

    /// Lets a call go out that a person has agreed to. What it lacks is brought about first, and only then is what was
    /// allowed for good known for what it is.
    fn approve(&mut self, call: CallId, grant: Option<Grant>, decided: &Decided) {
        let Some(Open { mut found, stage: Stage::Asking(asking), .. }) = self.open.remove(&call)
        else {
            return;
        };
        match found.need.take() {
            None | Some(Need::Change(_)) => {
                if let Some(grant) = grant {
                    self.granted.keep(grant, decided);
                }
                self.enqueue(call, found, asking.arguments);
            }
            Some(need) => {
                let by = By::Person(Box::new(decided.clone()));
                self.meet(call, found, asking.arguments, Agreed { need: Box::new(need), by });
            }
        }
    }

    /// Takes what is to be remembered of what people agreed to.
    pub(in crate::run) fn notes(&mut self) -> Vec<Noted> {
        std::mem::take(&mut self.notes)
    }

    /// Takes what is being kept for good.
    pub(in crate::run) fn keeping(&mut self) -> Vec<Keeping> {
        self.granted.keeping()
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
