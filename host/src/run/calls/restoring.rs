//! Restores the calls that the journal has without an outcome.
//!
//! **Invariant:** the current policy decides again, about the current tool. No record of a tool, of
//! its effects or of an approval in the journal lets a call through by itself.

use super::approval::Approval;
use super::call_context::{CallContext, UNCERTAIN, UncertainCall};
use super::open_calls::{OpenCalls, PendingAsk};
use crate::model::{
    Ask, AskKind, CallError, CallId, Code, Effects, Question, QuestionId, RecordedDecision,
    ToolName,
};
use crate::store::{CallVerdict, PastCall, PastCallStage};
use crate::{
    model::ResolvedTool,
    router::{ArgumentsRef, PolicyVerdict, RoutedTool},
};
use std::sync::Arc;

/// The last ask about a call, and the decision about it.
#[derive(Clone, Copy)]
pub(in crate::run) struct PastAsk<'a> {
    pub(in crate::run) question: QuestionId,
    pub(in crate::run) ask: &'a Ask,
    pub(in crate::run) decided: Option<&'a RecordedDecision>,
}

impl OpenCalls {
    /// Restores a call at the stage that the journal has. `asked` is the last ask about it.
    pub(in crate::run) fn restore(
        &mut self,
        id: CallId,
        past: PastCall<'_>,
        asked: Option<PastAsk<'_>>,
    ) {
        if past.stage == PastCallStage::Done {
            return;
        }
        let error = |code, message| CallError { code, message, data: None };
        match past.verdict.clone() {
            CallVerdict::Refuse { code, message } => drop(self.refuse(id, error(code, message))),
            CallVerdict::Sleep { due } => self.outcomes.timers.add_until(id, due),
            CallVerdict::Recall { number } => self.review.restore(id, &past, number),
            CallVerdict::Go | CallVerdict::Ask { .. } | CallVerdict::Find => {
                self.restore_sendable(id, past, asked);
            }
        }
    }

    /// Notes the last question about the checkpoint, where one was asked.
    pub(in crate::run) fn restore_questions(&mut self, questions: &[Question]) {
        self.review.restore_question(questions);
    }

    /// Remembers the origins of the tools that were called.
    pub(in crate::run) fn restore_origins<'a>(
        &mut self,
        sent: impl Iterator<Item = &'a ResolvedTool>,
    ) {
        sent.for_each(|tool| self.origins.remember(tool));
    }

    fn restore_sendable(&mut self, id: CallId, past: PastCall<'_>, asked: Option<PastAsk<'_>>) {
        let (Ok(name), Ok(arguments)) =
            (past.tool.parse::<ToolName>(), past.arguments.map(str::to_owned))
        else {
            // A call without a name or arguments was refused when it was made.
            return;
        };
        self.arguments.restore(id, &arguments);
        let uncertain = match (&past.stage, past.verdict, asked) {
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
        let context = |reason: Option<String>| match reason {
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
        // A tool that is denied by name needs no server.
        if let Some(error) = self.router.denied(&name) {
            let error = if uncertain.is_some() { denied_while_out(error) } else { error };
            self.refuse(id, error);
            return;
        }
        match (past.stage, asked) {
            (PastCallStage::Asked(question), Some(asked)) if asked.question == question => {
                match self.recheck(&asked, &name, &arguments) {
                    AskRecheck::Denied(error) => {
                        let error =
                            if uncertain.is_some() { denied_while_out(error) } else { error };
                        self.refuse(id, error);
                    }
                    AskRecheck::NotNeeded => {
                        self.look_up(id, self.router.route(name), arguments, context(uncertain))
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
            // The tool must be known before the call is asked about or sent.
            _ => self.look_up(id, self.router.route(name), arguments, context(uncertain)),
        }
    }

    /// Checks whether the current policy still asks about a call that a question is about. The ask
    /// is shown as it was; the tool is looked up again before the call is sent.
    fn recheck(&self, asked: &PastAsk<'_>, name: &ToolName, arguments: &str) -> AskRecheck {
        let PastAsk { ask, decided, .. } = asked;
        let tool = ask.tool.parse().unwrap_or_else(|_| name.clone());
        let (origin, need) = (ask.origin.clone(), ask.need.clone());
        let shown = ResolvedTool { origin, need, ..ResolvedTool::new(tool, Effects::Unknown) };
        let found = self.router.attach(shown);
        let is_decided = decided.is_some_and(|decided| decided.is_about(ask));
        match self.router.verdict(&found, ArgumentsRef::Text(arguments)) {
            PolicyVerdict::Deny(error) => AskRecheck::Denied(error),
            // A decision counts even if the current policy would not ask.
            PolicyVerdict::Go | PolicyVerdict::GoOverAsk
                if ask.kind == AskKind::ToolPermission && !is_decided =>
            {
                AskRecheck::NotNeeded
            }
            _ => AskRecheck::StillNeeded(Box::new(found)),
        }
    }
}

/// The result of a recheck.
enum AskRecheck {
    StillNeeded(Box<RoutedTool>),
    NotNeeded,
    Denied(CallError),
}

/// The refusal of a call that may have been made before it was denied.
pub(super) fn denied_while_out(error: CallError) -> CallError {
    let message =
        format!("the outcome of this call is unknown, and it is not made again: {}", error.message);
    CallError::new(Code::OutcomeUnknown, message)
}
