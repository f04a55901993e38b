//! What a person allowed beyond one call: for the rest of the run, and for good.

use crate::config::GrantWriter;
use crate::error::Error;
use crate::model::{
    Ask, CallError, Clock, Code, Constraint, Decision, Grant, Need, RecordedDecision, RunId,
    ToolName,
};
use crate::store::{AuditEvent, AuditNote, Journal};
use crate::{
    model::ResolvedTool,
    router::{BUILT_IN, RoutedTool},
};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// A grant that is being kept for good, and what becomes of it.
pub(in crate::run) struct PendingGrantWrite {
    pub(in crate::run) tool: ToolName,
    pub(in crate::run) kept: JoinHandle<Result<(), Error>>,
}

/// Who keeps grants for good, and where it is told that they did.
#[derive(Clone)]
pub(in crate::run) struct GrantPersistence {
    pub(in crate::run) keeper: Option<Arc<dyn GrantWriter>>,
    pub(in crate::run) journal: Arc<dyn Journal>,
    pub(in crate::run) clock: Arc<dyn Clock>,
}

/// What holds for the rest of a run.
pub(super) struct RunGrants {
    run: RunId,
    grants: Vec<Grant>,
    /// Arguments of built-in tools: they ask with the program's own words, and a yes to some is
    /// none to others.
    words: Vec<Value>,
    /// What was allowed for good of tools that nobody knows yet: it is kept once they are known for
    /// what they are.
    unknown: HashMap<ToolName, (Vec<Constraint>, RecordedDecision)>,
    keepers: GrantPersistence,
    keeping: Vec<PendingGrantWrite>,
}

impl RunGrants {
    pub(super) fn new(run: RunId, keepers: GrantPersistence) -> RunGrants {
        let (grants, words) = (Vec::new(), Vec::new());
        RunGrants { run, grants, words, unknown: HashMap::new(), keepers, keeping: Vec::new() }
    }

    /// Allows what was asked about, for the rest of the run. Returns what is allowed for good with
    /// it.
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

    /// Whether a person allowed this for the rest of the run. A tool that is no longer what it was
    /// then is not allowed.
    pub(super) fn covers<'a>(
        &self,
        found: &RoutedTool,
        arguments: impl Fn() -> Result<Cow<'a, Value>, CallError>,
    ) -> bool {
        let (tool, origin) = (&found.tool, found.origin.as_ref());
        if tool.server() == BUILT_IN {
            return !self.words.is_empty()
                && arguments().is_ok_and(|words| self.words.contains(words.as_ref()));
        }
        let of_tool = self.grants.iter().filter(|grant| grant.tool == *tool);
        let mut same = of_tool.filter(|grant| grant.is_of(origin)).peekable();
        same.peek().is_some()
            && arguments().is_ok_and(|arguments| same.any(|grant| found.covers(grant, &arguments)))
    }

    /// Has a grant kept for good once its tool is known.
    pub(super) fn keep_later(&mut self, grant: Grant, decided: &RecordedDecision) {
        self.unknown.insert(grant.tool, (grant.constraints, decided.clone()));
    }

    /// Has what was allowed for good of a tool kept, now that it is known.
    pub(super) fn known(&mut self, found: &ResolvedTool) {
        if let Some((constraints, decided)) = self.unknown.remove(&found.tool) {
            let grant = Grant::new(found.tool.clone(), found.origin.clone(), constraints);
            self.keep(grant, &decided);
        }
    }

    /// Has a grant kept for good, beside the run, and noted in the trail.
    pub(super) fn keep(&mut self, grant: Grant, decided: &RecordedDecision) {
        let GrantPersistence { keeper: Some(keeper), journal, clock } = self.keepers.clone() else {
            return;
        };
        let (tool, run) = (grant.tool.clone(), self.run);
        let RecordedDecision { who, channel, .. } = decided.clone();
        let kept = tokio::spawn(async move {
            let kept = grant.clone();
            let writing = tokio::task::spawn_blocking(move || keeper.keep(&[kept]));
            let file =
                writing.await.map_err(|error| Error::new(Code::Internal, error.to_string()))??;
            let what = AuditEvent::Granted { grant, who, channel, file };
            // It is written, whatever becomes of the trail.
            let _ = journal.audit(AuditNote::new(clock.now(), Some(run), what)).await;
            Ok(())
        });
        self.keeping.push(PendingGrantWrite { tool, kept });
    }

    /// Takes what is being kept.
    pub(super) fn keeping(&mut self) -> Vec<PendingGrantWrite> {
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
    let mut grant = Grant::new(ask.tool.parse().ok()?, ask.origin.clone(), constraints);
    if let Some(Need::Change(change)) = &ask.need {
        grant.replaces = change.was.clone();
    }
    Some(grant)
}
