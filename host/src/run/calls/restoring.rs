//! What becomes of a call that the journal left open.
//!
//! **Invariant:** the policy decides again, as it is now, and about the tool as it is found now.
//! What the journal says of a tool, of its effects or of what somebody approved lets nothing
//! through by itself.

use super::approval::Approval;
use super::deciding::{CallContext, UNCERTAIN, UncertainCall};
use crate::model::{
    Ask, AskKind, CallError, CallId, Code, Effects, QuestionId, RecordedDecision, ToolName,
};
use crate::run::calls::open_calls::{OpenCalls, PendingAsk};
use crate::store::{CallVerdict, PastCall, PastCallStage};
use crate::{
    model::ResolvedTool,
    router::{ArgumentsRef, PolicyVerdict, RoutedTool},
};
use std::sync::Arc;

/// What was asked last about a call, and what was said to it.
#[derive(Clone, Copy)]
pub(in crate::run) struct PastAsk<'a> {
    pub(in crate::run) question: QuestionId,
    pub(in crate::run) ask: &'a Ask,
    pub(in crate::run) decided: Option<&'a RecordedDecision>,
}

impl OpenCalls {
    /// Takes a call up again where the journal left it; `asked` is what was asked about it last.
    pub(in crate::run) fn restore(
        &mut self,
        id: CallId,
        past: PastCall<'_>,
        asked: Option<PastAsk<'_>>,
    ) {
        if past.reached == PastCallStage::Done {
            return;
        }
        let error = |code, message| CallError { code, message, data: None };
        match past.verdict.clone() {
            CallVerdict::Refuse { code, message } => drop(self.refuse(id, error(code, message))),
            CallVerdict::Sleep { due } => self.timers.add_until(id, due),
            CallVerdict::Recall { number } => {
                let found = self.checkpoint.as_mut().and_then(|old| old.take_again(&past, number));
                if let Some(found) = found {
                    self.recalled.insert(found.order, (id, found));
                }
            }
            CallVerdict::Go | CallVerdict::Ask { .. } | CallVerdict::Find => {
                self.restore_sendable(id, past, asked);
            }
        }
    }

    /// Remembers what tools were when they were called.
    pub(in crate::run) fn restore_origins<'a>(
        &mut self,
        sent: impl Iterator<Item = &'a ResolvedTool>,
    ) {
        let origins = sent.filter_map(|found| Some((found.tool.clone(), found.origin.clone()?)));
        self.origins.extend(origins);
    }

    fn restore_sendable(&mut self, id: CallId, past: PastCall<'_>, asked: Option<PastAsk<'_>>) {
        let (Ok(name), Ok(arguments)) =
            (past.tool.parse::<ToolName>(), past.arguments.map(str::to_owned))
        else {
            // A call without a name or arguments was refused when it was made.
            return;
        };
        self.weights.add(id, &arguments);
        let uncertain = match (&past.reached, past.verdict, asked) {
            (PastCallStage::Executing, ..) => Some(UNCERTAIN.to_owned()),
            (PastCallStage::Asked(_), _, Some(PastAsk { ask, .. })) => {
                (ask.kind == AskKind::UncertainCall).then(|| ask.reason.clone())
            }
            (
                PastCallStage::Requested,
                CallVerdict::Ask { kind: AskKind::UncertainCall, reason },
                _,
            ) => Some(reason.clone()),
            _ => None,
        };
        let sent = past.sent.unwrap_or_else(|| ResolvedTool::new(name.clone(), Effects::Unknown));
        let standing = |reason: Option<String>| match reason {
            Some(reason) => {
                let approval = asked.and_then(|asked| Approval::new(asked.ask, asked.decided?));
                CallContext::Uncertain(Box::new(UncertainCall::new(
                    reason,
                    sent,
                    approval.map(Arc::new),
                )))
            }
            None => CallContext::Fresh,
        };
        // What is denied by name needs no server to be started.
        if let Some(error) = self.router.denied(&name) {
            let error = if uncertain.is_some() { denied_while_out(error) } else { error };
            self.refuse(id, error);
            return;
        }
        match (past.reached, asked) {
            (PastCallStage::Asked(question), Some(asked)) if asked.question == question => {
                match self.still_asks(&asked, &name, &arguments) {
                    AskRecheck::Denied(error) => {
                        let error =
                            if uncertain.is_some() { denied_while_out(error) } else { error };
                        self.refuse(id, error);
                    }
                    AskRecheck::NotNeeded => {
                        self.find(id, self.router.route(name), arguments, standing(uncertain))
                    }
                    AskRecheck::StillNeeded(found) => {
                        let (kind, reason) = (asked.ask.kind, asked.ask.reason.clone());
                        let (question, written) = (Some(question), Some(name));
                        let asking = PendingAsk { kind, arguments, reason, question, written };
                        self.wait_for(id, *found, asking);
                    }
                }
            }
            (PastCallStage::Done, _) => {}
            // What the tool is must be known before it is asked about or sent.
            _ => self.find(id, self.router.route(name), arguments, standing(uncertain)),
        }
    }

    /// Whether the policy of now still asks about a call that somebody was asked about. What is
    /// shown is what was asked; the tool is found again before anything goes out.
    fn still_asks(&self, asked: &PastAsk<'_>, name: &ToolName, arguments: &str) -> AskRecheck {
        let PastAsk { ask, decided, .. } = asked;
        let tool = ask.tool.parse().unwrap_or_else(|_| name.clone());
        let (origin, need) = (ask.origin.clone(), ask.need.clone());
        let shown = ResolvedTool { origin, need, ..ResolvedTool::new(tool, Effects::Unknown) };
        let found = self.router.attach(shown);
        let said = decided.is_some_and(|decided| decided.is_about(ask));
        match self.router.verdict(&found, ArgumentsRef::Text(arguments)) {
            PolicyVerdict::Deny(error) => AskRecheck::Denied(error),
            // What somebody has said counts, also if nobody would have to be asked by now.
            PolicyVerdict::Go if ask.kind == AskKind::ToolPermission && !said => {
                AskRecheck::NotNeeded
            }
            _ => AskRecheck::StillNeeded(Box::new(found)),
        }
    }
}

enum AskRecheck {
    StillNeeded(Box<RoutedTool>),
    NotNeeded,
    Denied(CallError),
}

/// The refusal of a call that may have been made before it was denied.
pub(super) fn denied_while_out(error: CallError) -> CallError {
    let message = format!(
        "nobody knows what became of this call, and it is not made again: {}",
        error.message
    );
    CallError::new(Code::OutcomeUnknown, message)
}
