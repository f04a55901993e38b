//! The door: whether a call may go, and where it goes.
//!
//! In flows the name of a tool as a program spells it, out flows the tool that it means, and a verdict on that one: go, ask or
//! deny; then in flows the [`Call`] and out its reply. It never asks anybody: `run` does.

mod built_in;
mod grants;
mod paths;
#[cfg(all(test, feature = "servers"))]
mod permanent_grant_tests;
mod policy;
#[cfg(feature = "servers")]
mod providers;
mod tools;

pub use built_in::BUILT_IN;
pub(crate) use built_in::SLEEP;
pub use policy::{Policy, PolicyDecision};
pub use tools::{Tools, tools_from_fn};

use crate::model::{
    Call, CallError, Constraint, Difference, Effects, Grant, JsonReply, Need, ProgressCallback,
    ResolvedTool, ToolName, ToolOrigin, offered_with,
};
use futures_util::future::BoxFuture;
use paths::ToolPaths;
use serde_json::Value;
use std::sync::Arc;

/// What the door says to a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PolicyVerdict {
    /// It may go.
    Go,
    /// A person decides.
    Ask(AskReason),
    /// It may not go.
    Deny(CallError),
}

/// Why a person decides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AskReason {
    /// In words.
    pub(crate) reason: String,
    /// What somebody allowed for good, where the tool, or what its conditions mean, is no longer that.
    pub(crate) lapsed: Option<Box<Grant>>,
}

impl AskReason {
    pub(crate) fn new(reason: impl Into<String>) -> AskReason {
        AskReason { reason: reason.into(), lapsed: None }
    }
}

/// A call as the policy sees it.
#[derive(Clone, Copy)]
pub(crate) struct PolicySubject<'a> {
    pub(crate) tool: &'a ToolName,
    pub(crate) origin: Option<&'a ToolOrigin>,
    pub(crate) arguments: ArgumentsRef<'a>,
}

/// Arguments as far as they are at hand. They are read only where a grant has conditions on them.
#[derive(Clone, Copy)]
pub(crate) enum ArgumentsRef<'a> {
    /// JSON that nobody has looked at.
    Text(&'a str),
    /// A value.
    Value(&'a Value),
}

/// Policy and destinations of one run.
pub(crate) struct Router {
    policy: Arc<Policy>,
    tools: Arc<dyn Tools>,
}

impl Router {
    pub(crate) fn new(policy: Arc<Policy>, tools: Arc<dyn Tools>) -> Router {
        Router { policy, tools }
    }

    /// Returns the refusal of a name that needs no look at what it means.
    pub(crate) fn denied(&self, tool: &ToolName) -> Option<CallError> {
        self.policy.denied(tool)
    }

    /// Returns which tool a name means, where that can be said at once.
    pub(crate) fn look_up(&self, tool: &ToolName) -> Option<Result<ResolvedTool, CallError>> {
        match tool.server() == BUILT_IN {
            true => Some(Ok(ResolvedTool::new(tool.clone(), Effects::ReadOnly))),
            false => self.tools.look_up(tool),
        }
    }

    /// Finds out which tool a name means.
    pub(crate) async fn find(&self, tool: &ToolName) -> Result<ResolvedTool, CallError> {
        match self.look_up(tool) {
            Some(found) => found,
            None => self.tools.find(tool).await,
        }
    }

    /// Brings about what a tool lacks, and finds it again.
    pub(crate) async fn meet(
        &self,
        tool: &ToolName,
        need: &Need,
        tell: ProgressCallback,
    ) -> Result<ResolvedTool, CallError> {
        self.tools.meet(tool, need, tell).await
    }

    /// Returns how a tool differs from what it was at another time, as far as that is known.
    pub(crate) fn differences(
        &self,
        tool: &ToolName,
        before: &ToolOrigin,
        now: &ToolOrigin,
    ) -> Vec<Difference> {
        self.tools.differences(tool, before, now)
    }

    /// Decides on a tool. What no pattern names is refused, whether or not it exists.
    pub(crate) fn verdict(&self, subject: PolicySubject<'_>) -> PolicyVerdict {
        match subject.tool.server() == BUILT_IN {
            true => built_in::verdict(subject.tool, &self.policy),
            false => self.policy.verdict(subject, &self.paths(subject.tool)),
        }
    }

    /// Returns whether a grant covers a call of its tool.
    pub(crate) fn covers(&self, grant: &Grant, arguments: &Value) -> bool {
        grant.covers(arguments, &self.paths(&grant.tool))
    }

    /// Returns under which conditions calls like this may be allowed for good, after a grant of an older pml under those of
    /// `was`, if there was one.
    pub(crate) fn offers(
        &self,
        tool: &ToolName,
        arguments: &Value,
        was: &[Constraint],
    ) -> Vec<Vec<Constraint>> {
        offered_with(arguments, was, &self.paths(tool))
    }

    fn paths<'a>(&'a self, tool: &'a ToolName) -> ToolPaths<'a> {
        ToolPaths { tools: &*self.tools, tool }
    }

    /// Looks at the arguments before the call goes out, or anybody is asked about it.
    pub(crate) fn check(&self, tool: &ToolName, arguments: &Value) -> Result<(), CallError> {
        match tool.server() == BUILT_IN {
            true => built_in::check(arguments),
            false => self.tools.check(tool, arguments),
        }
    }

    /// Returns what a call of this tool may do to the world.
    pub(crate) fn effects(&self, tool: &ToolName) -> Effects {
        match tool.server() == BUILT_IN {
            true => Effects::ReadOnly,
            false => self.tools.effects(tool),
        }
    }

    /// Carries out a call that may go. Dropping the future cancels it.
    pub(crate) fn go(&self, call: Call) -> BoxFuture<'_, Result<JsonReply, CallError>> {
        match call.tool.server() == BUILT_IN {
            true => Box::pin(std::future::ready(built_in::reply().map(JsonReply::Value))),
            false => self.tools.call_json(call),
        }
    }
}
