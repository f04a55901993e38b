//! What becomes of a call that the journal left open.
//!
//! **Invariant:** the policy decides again, as it is now, and about the tool as it is found now. What the journal says of a tool,
//! of its effects or of what somebody approved lets nothing through by itself.

use super::approval::Approval;
use super::deciding::{Standing, UNCERTAIN, Uncertain};
use super::open::{Asking, Calls};
use crate::model::{Ask, AskKind, CallError, CallId, Code, Decided, Effects, QuestionId, ToolName};
use crate::run::history::{Past, Reached};
use crate::store::Verdict;
use crate::{
    model::Found,
    router::{Given, Subject, Verdict as Door},
};
use std::sync::Arc;

/// What was asked last about a call, and what was said to it.
#[derive(Clone, Copy)]
pub(in crate::run) struct PastAsk<'a> {
    pub(in crate::run) question: QuestionId,
    pub(in crate::run) ask: &'a Ask,
    pub(in crate::run) decided: Option<&'a Decided>,
}

impl Calls {
    /// Takes a call up again where the journal left it; `asked` is what was asked about it last.
    pub(in crate::run) fn restore(&mut self, id: CallId, past: Past, asked: Option<PastAsk<'_>>) {
        if past.reached == Reached::Done {
            return;
        }
        let error = |code, message| CallError { code, message, data: None };
        match past.verdict.clone() {
            Verdict::Refuse { code, message } => drop(self.refuse(id, error(code, message))),
            Verdict::Sleep { due } => self.timers.add_until(id, due),
            Verdict::Recall { number } => {
                let found = self.checkpoint.as_mut().and_then(|old| old.take_again(&past, number));
                if let Some(found) = found {
                    self.recalled.insert(found.order, (id, found));
                }
            }
            Verdict::Go | Verdict::Ask { .. } | Verdict::Find => {
                self.restore_sendable(id, past, asked);
            }
        }
    }

    /// Remembers what tools were when they were called.
    pub(in crate::run) fn restore_origins<'a>(&mut self, sent: impl Iterator<Item = &'a Found>) {
        let origins = sent.filter_map(|found| Some((found.tool.clone(), found.origin.clone()?)));
        self.origins.extend(origins);
    }

    fn restore_sendable(&mut self, id: CallId, past: Past, asked: Option<PastAsk<'_>>) {
        let (Ok(name), Ok(arguments)) = (past.tool.parse::<ToolName>(), past.arguments) else {
            // A call without a name or arguments was refused when it was made.
            return;
        };
        self.weights.add(id, &arguments);
        let uncertain = match (&past.reached, &past.verdict, asked) {
            (Reached::Executing, ..) => Some(UNCERTAIN.to_owned()),
            (Reached::Asked(_), _, Some(PastAsk { ask, .. })) => {
                (ask.kind == AskKind::UncertainCall).then(|| ask.reason.clone())
            }
            (Reached::Requested, Verdict::Ask { kind: AskKind::UncertainCall, reason }, _) => {
                Some(reason.clone())
            }
            _ => None,
        };
        let sent = past.sent.unwrap_or_else(|| Found::new(name.clone(), Effects::Unknown));
        let standing = |reason: Option<String>| match reason {
            Some(reason) => {
                let approval = asked.and_then(|asked| Approval::new(asked.ask, asked.decided?));
                Standing::Uncertain(Box::new(Uncertain::new(reason, sent, approval.map(Arc::new))))
            }
            None => Standing::Fresh,
        };
        // What is denied by name needs no server to be started.
        if let Some(error) = self.router.denied(&name) {
            let error = if uncertain.is_some() { denied_while_out(error) } else { error };
            self.refuse(id, error);
            return;
        }
        match (past.reached, asked) {
            (Reached::Asked(question), Some(asked)) if asked.question == question => {
                match self.still_asks(&asked, &name, &arguments) {
                    StillAsks::Denied(error) => {
                        let error =
                            if uncertain.is_some() { denied_while_out(error) } else { error };
                        self.refuse(id, error);
                    }
                    StillAsks::No => self.find(id, name, arguments, standing(uncertain)),
                    StillAsks::Yes(found) => {
                        let (kind, reason) = (asked.ask.kind, asked.ask.reason.clone());
                        let (question, written) = (Some(question), Some(name));
                        let asking = Asking { kind, arguments, reason, question, written };
                        self.wait_for(id, *found, asking);
                    }
                }
            }
            (Reached::Done, _) => {}
            // What the tool is must be known before it is asked about or sent.
            _ => self.find(id, name, arguments, standing(uncertain)),
        }
    }

    /// Whether the policy of now still asks about a call that somebody was asked about. What is shown is what was asked; the
    /// tool is found again before anything goes out.
    fn still_asks(&self, asked: &PastAsk<'_>, name: &ToolName, arguments: &str) -> StillAsks {
        let PastAsk { ask, decided, .. } = asked;
        let tool = ask.tool.parse().unwrap_or_else(|_| name.clone());
        let origin = ask.origin.as_ref();
        let subject = Subject { tool: &tool, origin, arguments: Given::Text(arguments) };
        let said = decided.is_some_and(|decided| decided.is_about(ask));
        match self.router.verdict(subject) {
            Door::Deny(error) => StillAsks::Denied(error),
            // What somebody has said counts, also if nobody would have to be asked by now.
            Door::Go if ask.kind == AskKind::ToolPermission && !said => StillAsks::No,
            _ => {
                let (origin, need) = (ask.origin.clone(), ask.need.clone());
                let found = Found { origin, need, ..Found::new(tool, Effects::Unknown) };
                StillAsks::Yes(Box::new(found))
            }
        }
    }
}

enum StillAsks {
    Yes(Box<Found>),
    No,
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
