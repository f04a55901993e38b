//! Calls that wait for a person, and what was decided about them.

use super::approval::lacks;
use super::deciding::PATIENCE;
use crate::event::Event;
use crate::model::{
    Ask, AskId, AskKind, CallError, CallId, CallRecord, Code, Constraint, Decision, Effects, Need,
    Question, QuestionId, RecordedDecision, ToolName,
};
use crate::router::{BUILT_IN, RoutedTool};
use crate::run::calls::open_calls::{CallStage, OpenCall, OpenCalls};
use crate::run::calls::run_grants::PendingGrantWrite;
use crate::run::checkpoint::UnmatchedCall;
use crate::store::AuditEvent;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// The question about calls of the checkpoint that the program did not ask for again.
pub(super) struct CheckpointQuestion {
    question: QuestionId,
    /// Its asks that nobody has decided about.
    open: BTreeSet<AskId>,
}

impl CheckpointQuestion {
    fn new(question: &Question) -> CheckpointQuestion {
        let open = question.asks.iter().filter(|ask| ask.call.is_none()).map(|ask| ask.id);
        CheckpointQuestion { question: question.id, open: open.collect() }
    }
}

impl OpenCalls {
    /// Whether nothing may go out because the checkpoint is not used up.
    pub(super) fn held_back(&self) -> bool {
        self.checkpoint.as_ref().is_some_and(|checkpoint| !checkpoint.passed())
    }

    /// Whether anything waits for a person.
    pub(super) fn asks(&self) -> bool {
        self.held_back()
            || self.open.values().any(|open| matches!(open.stage, CallStage::Asking(_)))
    }

    /// What waits for a person and has not been asked yet.
    pub(in crate::run) fn unasked(&self) -> Vec<Ask> {
        let unmatched = match &self.unmatched {
            None if self.held_back() => self.held_by(),
            _ => Vec::new(),
        };
        let calls = self.open.iter().filter_map(|(id, open)| match &open.stage {
            CallStage::Asking(asking) if asking.question.is_none() => {
                let arguments = self.value_of(*id, &asking.arguments);
                let arguments = arguments.map(Cow::into_owned).unwrap_or_default();
                let (tool, reason) = (open.found.tool.as_str(), asking.reason.clone());
                let mut ask = Ask::new(asking.kind, Some(*id), tool, arguments, reason);
                ask.origin = open.found.origin.clone();
                ask.need = open.found.need.clone();
                ask.offers = Some(self.offers(&open.found, &ask));
                Some(ask)
            }
            _ => None,
        });
        unmatched.iter().map(UnmatchedCall::ask).chain(calls).collect()
    }

    /// Under which conditions calls like the one that is asked about may be allowed for good.
    fn offers(&self, found: &RoutedTool, ask: &Ask) -> Vec<Vec<Constraint>> {
        let was = match &ask.need {
            Some(Need::Change(change)) => &change.was[..],
            _ => &[],
        };
        match ask.kind.may_be_always() && found.tool.server() != BUILT_IN {
            true => found.offers(&ask.arguments, was),
            false => Vec::new(),
        }
    }

    /// Calls with effects of the checkpoint that the program has not asked for again.
    pub(in crate::run) fn unmatched(&self) -> Vec<UnmatchedCall> {
        let checkpoint = self.checkpoint.as_ref();
        checkpoint.map_or(Vec::new(), |past| past.unmatched(|tool| self.effects_now(tool)))
    }

    /// What a call of a tool may do to the world, as the tool says now.
    pub(super) fn effects_now(&self, tool: &ToolName) -> Effects {
        let looked_at = self.looked_at.get(tool).copied().flatten();
        looked_at.unwrap_or_else(|| self.router.route(tool.clone()).effects_now())
    }

    /// Notes that a question was asked.
    pub(in crate::run) fn asked(&mut self, question: &Question) {
        for call in question.asks.iter().filter_map(|ask| ask.call) {
            if let Some(OpenCall { stage: CallStage::Asking(asking), .. }) =
                self.open.get_mut(&call)
            {
                asking.question = Some(question.id);
            }
        }
        if question.asks.iter().any(|ask| ask.call.is_none()) {
            self.unmatched = Some(CheckpointQuestion::new(question));
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
        self.unmatched = questions.iter().rev().find(about_the_run).map(CheckpointQuestion::new);
    }

    /// A person goes on without a call of the checkpoint. Once that is said of all that are left,
    /// calls may go out.
    fn let_go(&mut self, ask: &Ask, decided: &RecordedDecision) {
        let about_it = decided.is_about(ask);
        if let (true, Some(digest)) = (about_it, &decided.digest) {
            let of_question = self.let_go.entry(digest.clone()).or_default();
            *of_question.entry(decided.question).or_default() += 1;
        }
        let asked = self.unmatched.as_mut().filter(|asked| asked.question == decided.question);
        let Some(unmatched) = asked else { return };
        if !unmatched.open.remove(&decided.ask) {
            return;
        }
        // What nobody has let go of is asked about again, but not for ever.
        self.unmatched_again += u32::from(!about_it);
        if unmatched.open.is_empty() && self.unmatched_again <= PATIENCE {
            self.unmatched = None;
        }
        if about_it {
            self.tell(decided);
        }
    }

    /// The calls of the checkpoint that nobody has let go of.
    pub(super) fn held_by(&self) -> Vec<UnmatchedCall> {
        let most = |of_questions: &HashMap<QuestionId, usize>| of_questions.values().max().copied();
        let let_go = self.let_go.iter().map(|(digest, times)| (digest, most(times).unwrap_or(0)));
        let mut let_go: HashMap<_, _> = let_go.collect();
        let mut left = self.unmatched();
        // Of calls that are all the same, as many as were decided about.
        left.retain(|one| match let_go.get_mut(&one.ask().digest()) {
            Some(times) if *times > 0 => {
                *times -= 1;
                false
            }
            _ => true,
        });
        left
    }

    /// Does what was decided about an ask. What was done before is not done, or told, again; what
    /// was decided about something else than this ask, or about nobody knows what, is not done at
    /// all.
    pub(in crate::run) fn decide(&mut self, ask: &Ask, decided: &RecordedDecision) {
        let about_it = decided.is_about(ask);
        let mut grant = None;
        if about_it {
            grant = self.granted.grant(ask, &decided.decision);
            if let (Some(grant), true) = (&grant, lacks(ask.need.as_ref())) {
                self.granted.keep_later(grant.clone(), decided);
            }
        }
        let Some(call) = ask.call else { return self.let_go(ask, decided) };
        let waits = |open: &OpenCall| open.waits_for(decided.question);
        if !self.open.get(&call).is_some_and(waits) {
            return;
        }
        if !about_it || self.digest_of(call) != decided.digest {
            return self.ask_again(call);
        }
        let reply = match &decided.decision {
            decision if decision.approves() => {
                self.approve(call, ask, grant, decided);
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

    /// Takes what is to be remembered of what people agreed to.
    pub(in crate::run) fn notes(&mut self) -> Vec<AuditEvent> {
        std::mem::take(&mut self.notes)
    }

    /// Takes what is being kept for good.
    pub(in crate::run) fn keeping(&mut self) -> Vec<PendingGrantWrite> {
        self.granted.keeping()
    }

    /// The digest of what a person decides about: built from the call, not from what was shown.
    fn digest_of(&self, id: CallId) -> Option<String> {
        let OpenCall { found, stage: CallStage::Asking(asking), .. } = self.open.get(&id)? else {
            return None;
        };
        let arguments = &*self.value_of(id, &asking.arguments).ok()?;
        let (tool, origin) = (found.tool.as_str(), found.origin.as_ref());
        let (kind, need) = (asking.kind, found.need.as_ref());
        Some(CallRecord { kind, tool, arguments, origin, need }.digest())
    }

    fn tell(&self, decided: &RecordedDecision) {
        self.events.event(&Event::Decided { run: self.run, decided: decided.clone() });
    }
}

impl OpenCall {
    fn waits_for(&self, question: QuestionId) -> bool {
        matches!(&self.stage, CallStage::Asking(asking) if asking.question == Some(question))
    }
}
