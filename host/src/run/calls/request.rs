//! Calls that a program requests.

use super::call_context::{CallContext, MADE_BEFORE, UncertainCall};
use crate::model::{
    AskKind, CallError, CallId, Code, Effects, INLINE_LIMIT, Timestamp, ToolName, cut_to_columns,
};
use crate::run::calls::open_calls::OpenCalls;
use crate::store::CallVerdict;
use crate::{
    model::ResolvedTool,
    router::{BUILT_IN, Resolution, RoutedTool, SLEEP},
};

/// Maximum number of refused calls that are told of if the program does not wait for them.
const MAX_REFUSED: usize = 64;

/// Maximum width of the name of a tool in that note.
const MAX_TOOL_COLUMNS: usize = 120;

impl OpenCalls {
    /// Takes a call that the program requested at `now`. Returns the verdict for the journal.
    pub(in crate::run) fn request(
        &mut self,
        id: CallId,
        tool: &str,
        arguments: Result<&str, usize>,
        now: Timestamp,
        limit: usize,
    ) -> CallVerdict {
        let verdict = self.take_request(id, tool, arguments, now, limit);
        if matches!(verdict, CallVerdict::Refuse { .. }) && self.refused.len() < MAX_REFUSED {
            self.refused.insert(id, cut_to_columns(tool, MAX_TOOL_COLUMNS));
        }
        verdict
    }

    fn take_request(
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
                    "the arguments have {size} bytes of JSON, more than the limit of {limit} for all open calls"
                );
                return self.refuse(id, CallError::new(Code::ArgumentsSize, message));
            }
        };
        let name = match tool.parse::<ToolName>() {
            Ok(name) => name,
            Err(invalid) => {
                let error = CallError::new(Code::ToolUnknown, invalid.to_string());
                return self.refuse_held(id, arguments.len(), error);
            }
        };
        if let Err(error) = self.arguments.admit(id, arguments) {
            return self.refuse_held(id, arguments.len(), error);
        }
        if let Some(number) = self.recall(id, tool, arguments) {
            self.arguments.release(arguments.len());
            self.arguments.forget(id);
            return CallVerdict::Recall { number };
        }
        if name.server() == BUILT_IN && name.tool() == SLEEP {
            self.arguments.release(arguments.len());
            self.arguments.forget(id);
            return match self.outcomes.timers.add(id, arguments, now) {
                Ok(due) => CallVerdict::Sleep { due },
                Err(error) => self.refuse(id, error),
            };
        }
        if let Some(error) = self.router.denied(&name) {
            return self.refuse_held(id, arguments.len(), error);
        }
        let routed = self.router.route(name);
        // Long arguments are parsed on another thread before the call is decided on.
        let resolution = match arguments.len() <= INLINE_LIMIT {
            true => routed.look_up(),
            false => Resolution::Pending,
        };
        if self.made_before(&routed, arguments) {
            // In any case the journal says that it may be a repetition.
            let (kind, reason) = (AskKind::UncertainCall, MADE_BEFORE.to_owned());
            let sent = ResolvedTool::new(routed.tool.clone(), Effects::Unknown);
            let uncertain = UncertainCall::new(MADE_BEFORE, sent, None);
            let context = CallContext::Uncertain(Box::new(uncertain));
            return match self.resolve(id, routed, resolution, arguments, context) {
                verdict @ CallVerdict::Refuse { .. } => verdict,
                _ => CallVerdict::Ask { kind, reason },
            };
        }
        self.resolve(id, routed, resolution, arguments, CallContext::Fresh)
    }

    /// Decides on a call whose tool is known. Any other tool is looked up first.
    fn resolve(
        &mut self,
        id: CallId,
        routed: RoutedTool,
        resolution: Resolution<RoutedTool>,
        arguments: &str,
        context: CallContext,
    ) -> CallVerdict {
        let found = match resolution {
            Resolution::Resolved(found) => Ok(found),
            Resolution::Refused(error) => Err(error),
            Resolution::Pending => {
                self.look_up(id, routed, arguments.into(), context);
                return CallVerdict::Find;
            }
        };
        self.decide_on(id, found, arguments.into(), context)
    }

    /// Recalls the outcome of a call from the checkpoint.
    fn recall(&mut self, id: CallId, tool: &str, arguments: &str) -> Option<u64> {
        if !self.review.has_checkpoint() {
            return None;
        }
        let budget = self.arguments.budget().clone();
        budget.work_here(arguments.len(), |work| {
            let _slice = work.begin();
            self.review.recall(id, tool, arguments)
        })
    }

    /// Reports whether the run that this one resumes from made this call, its outcome is unknown,
    /// and it must not be repeated.
    fn made_before(&mut self, routed: &RoutedTool, arguments: &str) -> bool {
        self.review.has_checkpoint()
            && !routed.effects_now().repeatable()
            && self.review.take_unknown(&routed.tool, arguments)
    }
}
