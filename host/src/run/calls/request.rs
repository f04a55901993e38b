//! What becomes of a call that a program asks for, or that the journal left open.

use super::open::Calls;
use crate::model::{Ask, AskKind, CallError, CallId, Code, Timestamp, ToolName};
use crate::router::{BUILT_IN, Found, Given, SLEEP, Subject, Verdict as Door};
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
        if let Some(error) = self.router.denied(&name) {
            self.released += arguments.len();
            return self.refuse(id, error);
        }
        let before = self.made_before(&name, arguments);
        match self.router.look_up(&name) {
            Some(found) => self.decide_on(id, found, arguments.into(), before),
            // What it means is found when somebody has said that it may be made again.
            None if before => self.decide_on(id, Ok(self.found(name)), arguments.into(), before),
            None => {
                self.find(id, name, arguments.into());
                Verdict::Find
            }
        }
    }

    /// Decides on a call whose tool was found, or is known not to be there.
    pub(super) fn decide_on(
        &mut self,
        id: CallId,
        found: Result<Found, CallError>,
        arguments: String,
        before: bool,
    ) -> Verdict {
        let asked = found.and_then(|found| {
            let subject = Subject {
                tool: &found.tool,
                origin: found.origin.as_ref(),
                arguments: Given::Text(&arguments),
            };
            let (kind, reason) = match self.router.verdict(subject) {
                Door::Deny(error) => return Err(error),
                _ if before => (AskKind::UncertainCall, MADE_BEFORE.to_owned()),
                Door::Ask(why) if !self.is_granted(&found.tool, &arguments) => {
                    (AskKind::ToolPermission, why.reason)
                }
                Door::Go | Door::Ask(_) => return Ok((found, None)),
            };
            // Nobody is bothered about a call that would be refused afterwards.
            let value = parse(&arguments)?;
            self.router.check(&found.tool, &value)?;
            Ok((found, Some((kind, reason))))
        });
        match asked {
            Err(error) => {
                self.released += arguments.len();
                self.refuse(id, error)
            }
            Ok((found, None)) => {
                self.enqueue(id, found, arguments);
                Verdict::Go
            }
            Ok((found, Some((kind, reason)))) => {
                self.ask(id, found, arguments, kind, reason.clone(), None);
                Verdict::Ask { kind, reason }
            }
        }
    }

    /// Whether the run that this one takes up made a call that must not be repeated, and nobody knows its outcome.
    fn made_before(&mut self, tool: &ToolName, arguments: &str) -> bool {
        let Some(past) = self.checkpoint.as_mut() else { return false };
        !self.router.effects(tool).repeatable() && past.take_unknown(tool.as_str(), arguments)
    }

    /// What is known at once of a tool that was decided about before.
    fn found(&self, tool: ToolName) -> Found {
        match self.router.look_up(&tool) {
            Some(Ok(found)) => found,
            _ => Found::new(tool.clone(), self.router.effects(&tool)),
        }
    }

    /// Takes a call up again where the journal left it; `asked` is what was asked about it last.
    pub(in crate::run) fn restore(&mut self, id: CallId, past: Past, asked: Option<&Ask>) {
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

    fn restore_sendable(&mut self, id: CallId, past: Past, asked: Option<&Ask>) {
        let (Ok(name), Ok(arguments)) = (past.tool.parse::<ToolName>(), past.arguments) else {
            // A call without a name or arguments was refused when it was made.
            return;
        };
        match (past.reached, past.verdict) {
            (Reached::Executing, _) => {
                let found = past.sent.unwrap_or_else(|| self.found(name));
                match found.effects.repeatable() {
                    true => self.enqueue(id, found, arguments),
                    false => {
                        let (kind, reason) = (AskKind::UncertainCall, UNCERTAIN.to_owned());
                        self.ask(id, found, arguments, kind, reason, None);
                    }
                }
            }
            (Reached::Asked(question), _) => {
                let Some(asked) = asked else { return };
                let tool = asked.tool.parse().unwrap_or(name);
                let found = Found { origin: asked.origin.clone(), ..self.found(tool) };
                let (kind, reason) = (asked.kind, asked.reason.clone());
                self.ask(id, found, arguments, kind, reason, Some(question));
            }
            (Reached::Requested, Verdict::Ask { kind, reason }) => {
                self.ask(id, self.found(name), arguments, kind, reason, None);
            }
            (Reached::Requested, Verdict::Find) => self.find(id, name, arguments),
            // Somebody may have said `always`, which is known only afterwards: the word of then counts.
            (Reached::Requested, _) => self.enqueue(id, self.found(name), arguments),
            (Reached::Done, _) => {}
        }
    }
}
