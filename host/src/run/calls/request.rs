//! What becomes of a call that a program asks for, or that the journal left open.

use super::open::Calls;
use crate::model::{AskKind, CallError, CallId, Code, Timestamp, ToolName};
use crate::router::{BUILT_IN, SLEEP, Verdict as Door};
use crate::run::history::{Past, Reached};
use crate::run::perform::parse;
use crate::store::Verdict;

/// Why a call is asked about whose outcome nobody knows.
const UNCERTAIN: &str = "it was out when its process ended: nobody knows what became of it";

/// The same, where it is made again by a mended program.
const MADE_BEFORE: &str = "the earlier run made this call, and nobody knows what became of it";

impl Calls {
    /// Takes a call that the program asked for at `now`. Returns what the door says to it.
    pub(in crate::run) fn request(
        &mut self,
        id: CallId,
        tool: &str,
        arguments: Result<&str, usize>,
        now: Timestamp,
        limit: usize,
    ) -> Verdict {
        let arguments = match arguments {
            Ok(arguments) => arguments,
            Err(size) => {
                let message = format!(
                    "the arguments of open calls may be {limit} bytes of JSON in all; these are {size}"
                );
                return self.refuse(id, CallError::new(Code::ArgumentsSize, message));
            }
        };
        let name = match tool.parse::<ToolName>() {
            Ok(name) => name,
            Err(invalid) => {
                self.released += arguments.len();
                return self.refuse(id, CallError::new(Code::ToolUnknown, invalid.to_string()));
            }
        };
        if let Some(found) = self.checkpoint.as_mut().and_then(|past| past.take(tool, arguments)) {
            self.released += arguments.len();
            let number = found.number;
            self.recalled.insert(found.order, (id, found));
            return Verdict::Recall { number };
        }
        if name.server() == BUILT_IN && name.tool() == SLEEP {
            self.released += arguments.len();
            return match self.timers.add(id, arguments, now) {
                Ok(due) => Verdict::Sleep { due },
                Err(error) => self.refuse(id, error),
            };
        }
        let (kind, reason) = match self.router.verdict(&name) {
            Door::Deny(error) => {
                self.released += arguments.len();
                return self.refuse(id, error);
            }
            _ if self.made_before(&name, arguments) => {
                (AskKind::UncertainCall, MADE_BEFORE.to_owned())
            }
            Door::Ask(reason) if !self.is_granted(&name, arguments) => {
                (AskKind::ToolPermission, reason)
            }
            Door::Go | Door::Ask(_) => {
                self.enqueue(id, name, arguments.into());
                return Verdict::Go;
            }
        };
        // Nobody is bothered about a call that would be refused afterwards.
        let checked = parse(arguments).and_then(|value| self.router.check(&name, &value));
        if let Err(error) = checked {
            self.released += arguments.len();
            return self.refuse(id, error);
        }
        self.ask(id, name, arguments.into(), kind, reason.clone(), None);
        Verdict::Ask { kind, reason }
    }

    /// Whether the run that this one takes up made a call that must not be repeated, and nobody knows its outcome.
    fn made_before(&mut self, tool: &ToolName, arguments: &str) -> bool {
        !self.router.effects(tool).repeatable()
            && self
                .checkpoint
                .as_mut()
                .is_some_and(|past| past.take_unknown(tool.as_str(), arguments))
    }

    /// Takes a call up again where the journal left it.
    pub(in crate::run) fn restore(&mut self, id: CallId, past: Past) {
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
            Verdict::Go | Verdict::Ask { .. } => {
                let (Ok(name), Ok(arguments)) = (past.tool.parse::<ToolName>(), past.arguments)
                else {
                    // A call without a name or arguments was refused when it was made.
                    return;
                };
                self.restore_sendable(id, name, arguments, &past.verdict, past.reached);
            }
        }
    }

    fn restore_sendable(
        &mut self,
        id: CallId,
        name: ToolName,
        arguments: String,
        verdict: &Verdict,
        reached: Reached,
    ) {
        let asked = match verdict {
            Verdict::Ask { kind, reason } => Some((*kind, reason.clone())),
            _ => None,
        };
        let uncertain = || (AskKind::UncertainCall, UNCERTAIN.to_owned());
        match reached {
            Reached::Executing if self.router.effects(&name).repeatable() => {
                self.enqueue(id, name, arguments);
            }
            Reached::Executing => {
                let (kind, reason) = uncertain();
                self.ask(id, name, arguments, kind, reason, None);
            }
            Reached::Asked(question) => {
                // A call that the policy lets go was asked about because nobody knows its outcome.
                let (kind, reason) = asked.unwrap_or_else(uncertain);
                self.ask(id, name, arguments, kind, reason, Some(question));
            }
            Reached::Requested => match asked {
                Some((kind, reason)) => self.ask(id, name, arguments, kind, reason, None),
                None => self.enqueue(id, name, arguments),
            },
            Reached::Done => {}
        }
    }
}
