//! What becomes of a call that a program asks for, or that the journal left open.

use super::deciding::Standing;
use super::open::Calls;
use crate::model::{Ask, AskKind, CallError, CallId, Code, INLINE, Timestamp, ToolName};
use crate::router::{BUILT_IN, Found, SLEEP};
use crate::run::history::{Past, Reached};
use crate::store::Verdict;

/// Why a call is asked about whose outcome nobody knows.
const UNCERTAIN: &str = "it was out when its process ended: nobody knows what became of it";

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
        if let Err(error) = self.weights.try_add(id, arguments) {
            self.released += arguments.len();
            return self.refuse(id, error);
        }
        let recalled = self.checkpoint.as_mut().and_then(|past| {
            self.budget.work_here(arguments.len(), |work| {
                let _stint = work.begin();
                past.take(tool, arguments)
            })
        });
        if let Some(found) = recalled {
            self.released += arguments.len();
            self.weights.remove(id);
            let number = found.number;
            self.recalled.insert(found.order, (id, found));
            return Verdict::Recall { number };
        }
        if name.server() == BUILT_IN && name.tool() == SLEEP {
            self.released += arguments.len();
            self.weights.remove(id);
            return match self.timers.add(id, arguments, now) {
                Ok(due) => Verdict::Sleep { due },
                Err(error) => self.refuse(id, error),
            };
        }
        if let Some(error) = self.router.denied(&name) {
            self.released += arguments.len();
            return self.refuse(id, error);
        }
        let standing = match self.made_before(&name, arguments) {
            true => Standing::MadeBefore,
            false => Standing::Fresh,
        };
        match (self.router.look_up(&name), &standing) {
            (Some(found), _) if arguments.len() <= INLINE => {
                self.decide_on(id, found, arguments.into(), standing)
            }
            // What it means is found when somebody has said that it may be made again.
            (_, Standing::MadeBefore) => {
                self.decide_on(id, Ok(self.found(name)), arguments.into(), standing)
            }
            _ => {
                self.find(id, name, arguments.into());
                Verdict::Find
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
            // What it lacks is a question of its own.
            Some(Ok(found)) => Found { need: None, ..found },
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

    /// Remembers what tools were when they were called.
    pub(in crate::run) fn restore_origins<'a>(&mut self, sent: impl Iterator<Item = &'a Found>) {
        let origins = sent.filter_map(|found| Some((found.tool.clone(), found.origin.clone()?)));
        self.origins.extend(origins);
    }

    fn restore_sendable(&mut self, id: CallId, past: Past, asked: Option<&Ask>) {
        let (Ok(name), Ok(arguments)) = (past.tool.parse::<ToolName>(), past.arguments) else {
            // A call without a name or arguments was refused when it was made.
            return;
        };
        self.weights.add(id, &arguments);
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
                let (origin, need) = (asked.origin.clone(), asked.need.clone());
                let found = Found { origin, need, ..self.found(tool) };
                let (kind, reason) = (asked.kind, asked.reason.clone());
                self.ask(id, found, arguments, kind, reason, Some(question));
            }
            (Reached::Requested, Verdict::Ask { kind: AskKind::UncertainCall, reason }) => {
                self.ask(id, self.found(name), arguments, AskKind::UncertainCall, reason, None);
            }
            // What the tool is must be known before it is asked about or sent, and nothing of it was sent.
            (Reached::Requested, _) => self.find(id, name, arguments),
            (Reached::Done, _) => {}
        }
    }
}
