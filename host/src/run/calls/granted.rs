//! What a person allowed beyond one call.

use crate::config::Keeper;
use crate::error::Error;
use crate::model::{Ask, Decided, Decision, Grant, Origin, ToolName};
use crate::router::BUILT_IN;
use crate::run::perform::parse;
use serde_json::Value;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// A grant that is being kept for good, and what becomes of it.
pub(in crate::run) struct Keeping {
    pub(in crate::run) grant: Grant,
    pub(in crate::run) who: String,
    pub(in crate::run) channel: String,
    pub(in crate::run) kept: JoinHandle<Result<String, Error>>,
}

/// What holds for the rest of a run.
pub(super) struct Granted {
    grants: Vec<Grant>,
    /// Arguments of built-in tools: they ask with the program's own words, and a yes to some is none to others.
    words: Vec<Value>,
    keeper: Option<Arc<dyn Keeper>>,
    keeping: Vec<Keeping>,
}

impl Granted {
    pub(super) fn new(keeper: Option<Arc<dyn Keeper>>) -> Granted {
        Granted { grants: Vec::new(), words: Vec::new(), keeper, keeping: Vec::new() }
    }

    /// Allows what was asked about, for the rest of the run. Returns what is allowed for good with it.
    pub(super) fn grant(&mut self, ask: &Ask, decision: &Decision) -> Option<Grant> {
        let grant = grant_of(ask, decision)?;
        match grant.tool.server() == BUILT_IN {
            true => {
                self.words.push(ask.arguments.clone());
                None
            }
            false => {
                self.grants.push(grant.clone());
                Some(grant)
            }
        }
    }

    /// Whether a person allowed this for the rest of the run. A tool that is no longer what it was then is not allowed.
    pub(super) fn covers(&self, tool: &ToolName, origin: Option<&Origin>, arguments: &str) -> bool {
        if tool.server() == BUILT_IN {
            return parse(arguments).is_ok_and(|words| self.words.contains(&words));
        }
        let of_tool = self.grants.iter().filter(|grant| grant.tool == *tool);
        let mut same = of_tool.filter(|grant| grant.is_of(origin)).peekable();
        same.peek().is_some()
            && parse(arguments).is_ok_and(|arguments| same.any(|grant| grant.covers(&arguments)))
    }

    /// Has a grant kept for good, beside the run.
    pub(super) fn keep(&mut self, grant: Grant, decided: &Decided) {
        let Some(keeper) = self.keeper.clone() else { return };
        let kept = grant.clone();
        let kept = tokio::task::spawn_blocking(move || keeper.keep(&[kept]));
        let (who, channel) = (decided.who.clone(), decided.channel.clone());
        self.keeping.push(Keeping { grant, who, channel, kept });
    }

    /// Takes what is being kept.
    pub(super) fn keeping(&mut self) -> Vec<Keeping> {
        std::mem::take(&mut self.keeping)
    }
}

/// What an answer allows beyond its call.
fn grant_of(ask: &Ask, decision: &Decision) -> Option<Grant> {
    let constraints = match decision {
        Decision::Always => Vec::new(),
        Decision::AlwaysWithin(constraints) => constraints.clone(),
        _ => return None,
    };
    if !ask.kind.may_be_always() {
        return None;
    }
    Some(Grant::new(ask.tool.parse().ok()?, ask.origin.clone(), constraints))
}
