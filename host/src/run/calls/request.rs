//! What becomes of a call that a program asks for.

use super::deciding::{CallContext, MADE_BEFORE, UncertainCall};
use crate::model::{AskKind, CallError, CallId, Code, Effects, INLINE, Timestamp, ToolName};
use crate::run::calls::open_calls::OpenCalls;
use crate::store::CallVerdict;
use crate::{
    model::ResolvedTool,
    router::{BUILT_IN, Resolution, RoutedTool, SLEEP},
};

impl OpenCalls {
    /// Takes a call that the program asked for at `now`. Returns what the door says to it.
    pub(in crate::run) fn request(
        &mut self,
        id: CallId,
        tool: &str,
        arguments: Result<&str, usize>,
        now: Timestamp,
        limit: usize,
    ) -> CallVerdict {
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
            return CallVerdict::Recall { number };
        }
        if name.server() == BUILT_IN && name.tool() == SLEEP {
            self.released += arguments.len();
            self.weights.remove(id);
            return match self.timers.add(id, arguments, now) {
                Ok(due) => CallVerdict::Sleep { due },
                Err(error) => self.refuse(id, error),
            };
        }
        if let Some(error) = self.router.denied(&name) {
            self.released += arguments.len();
            return self.refuse(id, error);
        }
        let routed = self.router.route(name);
        // Long arguments are parsed beside this thread before anything is decided about them.
        let resolution = match arguments.len() <= INLINE {
            true => routed.look_up(),
            false => Resolution::Pending,
        };
        if self.made_before(&routed, arguments) {
            // Whatever becomes of it, the journal says that it may be a repetition.
            let (kind, reason) = (AskKind::UncertainCall, MADE_BEFORE.to_owned());
            let sent = ResolvedTool::new(routed.tool.clone(), Effects::Unknown);
            let uncertain = UncertainCall::new(MADE_BEFORE, sent, None);
            let standing = CallContext::Uncertain(Box::new(uncertain));
            return match self.take_up(id, routed, resolution, arguments, standing) {
                verdict @ CallVerdict::Refuse { .. } => verdict,
                _ => CallVerdict::Ask { kind, reason },
            };
        }
        self.take_up(id, routed, resolution, arguments, CallContext::Fresh)
    }

    /// Decides on a call whose tool is known, and has the tool of any other found.
    fn take_up(
        &mut self,
        id: CallId,
        routed: RoutedTool,
        resolution: Resolution<RoutedTool>,
        arguments: &str,
        standing: CallContext,
    ) -> CallVerdict {
        let found = match resolution {
            Resolution::Resolved(found) => Ok(found),
            Resolution::Refused(error) => Err(error),
            Resolution::Pending => {
                self.find(id, routed, arguments.into(), standing);
                return CallVerdict::Find;
            }
        };
        self.decide_on(id, found, arguments.into(), standing)
    }

    /// Whether the run that this one takes up made a call that must not be repeated, and nobody
    /// knows its outcome.
    fn made_before(&mut self, routed: &RoutedTool, arguments: &str) -> bool {
        let Some(past) = self.checkpoint.as_mut() else { return false };
        !routed.effects_now().repeatable() && past.take_unknown(routed.tool.as_str(), arguments)
    }
}
