//! Grants of a person beyond one call: for the rest of the run, and permanently.

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

/// A grant that is being written.
pub(in crate::run) struct PendingGrantWrite {
    pub(in crate::run) tool: ToolName,
    pub(in crate::run) constraints: Vec<Constraint>,
    pub(in crate::run) written: JoinHandle<Result<(), Error>>,
}

/// Writes permanent grants, and records them in the audit trail.
#[derive(Clone)]
pub(in crate::run) struct GrantPersistence {
    pub(in crate::run) writer: Option<Arc<dyn GrantWriter>>,
    pub(in crate::run) journal: Arc<dyn Journal>,
    pub(in crate::run) clock: Arc<dyn Clock>,
}

/// The grants of one run.
pub(super) struct RunGrants {
    run: RunId,
    grants: Vec<Grant>,
    /// Approved arguments of built-in tools. Such a tool shows the program's own text, so a yes
    /// holds for equal arguments only.
    built_in_arguments: Vec<Value>,
    /// Grants of tools that are not known yet. They are written once the tool is known.
    unknown: HashMap<ToolName, (Vec<Constraint>, RecordedDecision)>,
    persistence: GrantPersistence,
    writes: Vec<PendingGrantWrite>,
}

impl RunGrants {
    pub(super) fn new(run: RunId, persistence: GrantPersistence) -> RunGrants {
        RunGrants {
            run,
            grants: Vec::new(),
            built_in_arguments: Vec::new(),
            unknown: HashMap::new(),
            persistence,
            writes: Vec::new(),
        }
    }

    /// Returns the clock that grants are recorded by.
    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        self.persistence.clock.clone()
    }

    /// Grants an ask for the rest of the run. Returns the grant that holds for good, if there is
    /// one.
    pub(super) fn grant(&mut self, ask: &Ask, decision: &Decision) -> Option<Grant> {
        let grant = grant_of(ask, decision)?;
        match grant.tool.server() == BUILT_IN {
            true => {
                self.built_in_arguments.push(ask.arguments.clone());
                None
            }
            false => {
                self.grants.push(grant.clone());
                Some(grant)
            }
        }
    }

    /// Reports whether a grant of this run covers a call. A tool that has changed since is not
    /// covered.
    pub(super) fn covers<'a>(
        &self,
        found: &RoutedTool,
        arguments: impl Fn() -> Result<Cow<'a, Value>, CallError>,
    ) -> bool {
        let (tool, origin) = (&found.tool, found.origin.as_ref());
        if tool.server() == BUILT_IN {
            return !self.built_in_arguments.is_empty()
                && arguments().is_ok_and(|value| self.built_in_arguments.contains(value.as_ref()));
        }
        let of_tool = self.grants.iter().filter(|grant| grant.tool == *tool);
        let mut same = of_tool.filter(|grant| grant.matches_origin(origin)).peekable();
        same.peek().is_some()
            && arguments().is_ok_and(|arguments| same.any(|grant| found.covers(grant, &arguments)))
    }

    /// Writes a grant once its tool is known.
    pub(super) fn write_later(&mut self, grant: Grant, decided: &RecordedDecision) {
        self.unknown.insert(grant.tool, (grant.constraints, decided.clone()));
    }

    /// Writes the grant of a tool that is known now.
    pub(super) fn tool_known(&mut self, found: &ResolvedTool) {
        if let Some((constraints, decided)) = self.unknown.remove(&found.tool) {
            let grant = Grant::new(found.tool.clone(), found.origin.clone(), constraints);
            self.write(grant, &decided);
        }
    }

    /// Writes a permanent grant in a task of its own, and adds it to the audit trail.
    pub(super) fn write(&mut self, grant: Grant, decided: &RecordedDecision) {
        let GrantPersistence { writer: Some(writer), journal, clock } = self.persistence.clone()
        else {
            return;
        };
        let (tool, run, constraints) = (grant.tool.clone(), self.run, grant.constraints.clone());
        let RecordedDecision { who, channel, .. } = decided.clone();
        let written = tokio::spawn(async move {
            let copy = grant.clone();
            let writing = tokio::task::spawn_blocking(move || writer.write_grants(&[copy]));
            let file =
                writing.await.map_err(|error| Error::new(Code::Internal, error.to_string()))??;
            let what = AuditEvent::Granted { grant, who, channel, file };
            // The grant is written, also if the trail cannot be.
            let _ = journal.audit(AuditNote::new(clock.now(), Some(run), what)).await;
            Ok(())
        });
        self.writes.push(PendingGrantWrite { tool, constraints, written });
    }

    /// Takes the grants that are being written.
    pub(super) fn take_writes(&mut self) -> Vec<PendingGrantWrite> {
        std::mem::take(&mut self.writes)
    }
}

/// Returns what a decision grants beyond its call.
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
