//! Calls that wait for a person, and the decisions about them.

use super::approval::must_be_fulfilled_first;
use super::open_calls::{CallStage, OpenCall, OpenCalls};
use super::run_grants::PendingGrantWrite;
use crate::event::Event;
use crate::model::{
    Ask, AskKind, CallError, CallId, CallRecord, Code, Constraint, Decision, Need, Question,
    QuestionId, RecordedDecision,
};
use crate::router::{BUILT_IN, RoutedTool};
use crate::run::checkpoint::UnmatchedCall;
use std::borrow::Cow;

impl OpenCalls {
    /// Returns the asks that no question has been written for yet.
    pub(in crate::run) fn unasked(&self) -> Vec<Ask> {
        let calls = self.open.iter().filter_map(|(id, open)| match &open.stage {
            CallStage::Asking(asking) if asking.question.is_none() => {
                let arguments = self.arguments.value(*id, &asking.arguments);
                let arguments = arguments.map(Cow::into_owned).unwrap_or_default();
                let (tool, reason) = (open.found.tool.as_str(), asking.reason.clone());
                let mut ask = Ask::new(asking.kind, Some(*id), tool, arguments, reason);
                ask.origin = open.found.origin.clone();
                ask.need = open.found.need.clone();
                ask.offers = Some(offers(&open.found, &ask));
                Some(ask)
            }
            _ => None,
        });
        self.review.unasked(&self.router).into_iter().chain(calls).collect()
    }

    /// Returns the calls with effects of the checkpoint that the program has not asked for again.
    pub(in crate::run) fn unmatched(&self) -> Vec<UnmatchedCall> {
        self.review.unmatched(&self.router)
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
        self.review.asked(question);
    }

    /// Reports whether anything waits for this question.
    pub(in crate::run) fn waits_for(&self, question: QuestionId) -> bool {
        self.review.waits_for(question) || self.open.values().any(|open| open.waits_for(question))
    }

    /// Carries out a decision about an ask. A decision that was carried out before is not carried
    /// out, or reported, again. A decision about something else than this ask is not carried out at
    /// all.
    pub(in crate::run) fn decide(&mut self, ask: &Ask, decided: &RecordedDecision) {
        let about_it = decided.is_about(ask);
        let mut grant = None;
        if about_it {
            grant = self.grants.grant(ask, &decided.decision);
            if let (Some(grant), true) = (&grant, must_be_fulfilled_first(ask.need.as_ref())) {
                self.grants.write_later(grant.clone(), decided);
            }
        }
        let Some(call) = ask.call else {
            if self.review.dismiss(ask, decided) {
                self.publish(decided);
            }
            return;
        };
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
                return self.publish(decided);
            }
            Decision::Result(value) => Ok(value.clone()),
            _ => Err(match ask.kind {
                AskKind::UncertainCall => CallError::new(
                    Code::OutcomeUnknown,
                    format!("the outcome of this call of `{}` is unknown", ask.tool),
                ),
                _ => CallError::new(
                    Code::ApprovalDeclined,
                    format!("a person declined this call of `{}`", ask.tool),
                ),
            }),
        };
        self.close(call);
        self.reply(call, reply);
        self.publish(decided);
    }

    /// Takes the grants that are being written.
    pub(in crate::run) fn take_grant_writes(&mut self) -> Vec<PendingGrantWrite> {
        self.grants.take_writes()
    }

    /// Returns the digest of what a person decides about. It is built from the call, not from what
    /// was shown.
    fn digest_of(&self, id: CallId) -> Option<String> {
        let OpenCall { found, stage: CallStage::Asking(asking), .. } = self.open.get(&id)? else {
            return None;
        };
        let arguments = &*self.arguments.value(id, &asking.arguments).ok()?;
        let (tool, origin) = (found.tool.as_str(), found.origin.as_ref());
        let (kind, need) = (asking.kind, found.need.as_ref());
        Some(CallRecord { kind, tool, arguments, origin, need }.digest())
    }

    fn publish(&self, decided: &RecordedDecision) {
        self.events.event(&Event::Decided { run: self.run, decided: decided.clone() });
    }
}

impl OpenCall {
    fn waits_for(&self, question: QuestionId) -> bool {
        matches!(&self.stage, CallStage::Asking(asking) if asking.question == Some(question))
    }
}

/// Returns the conditions under which calls like this one may be allowed for good.
fn offers(found: &RoutedTool, ask: &Ask) -> Vec<Vec<Constraint>> {
    let before = match &ask.need {
        Some(Need::Change(change)) => &change.was[..],
        _ => &[],
    };
    match ask.kind.may_be_always() && found.tool.server() != BUILT_IN {
        true => found.offers(&ask.arguments, before),
        false => Vec::new(),
    }
}
