//! Calls that need something first: a package, a variable, trust. The need is fulfilled once
//! a person or the policy has agreed to it, and then the call is decided on again.
//!
//! **Invariant:** a call is not sent while its need is being fulfilled. A run that is cut off then
//! fulfills it again, and nothing about it is uncertain.

use super::approval::Approval;
use super::call_context::CallContext;
use super::call_tasks::TaskResult;
use super::open_calls::{CallStage, OpenCall, OpenCalls, ToolLookup};
use crate::event::Event;
use crate::model::{CallError, CallId, Code, Need, RecordedDecision};
use crate::model::{ProgressCallback, ResolvedTool, Timestamp, WorkStage};
use crate::router::RoutedTool;
use crate::store::AuditEvent;
use std::sync::{Arc, OnceLock};

/// A need that a person or the policy has agreed to.
pub(super) struct AgreedNeed {
    pub(super) need: Box<Need>,
    pub(super) by: AgreedBy,
    /// Set when the package is installed, while the need is being fulfilled.
    installed_at: Arc<OnceLock<Timestamp>>,
}

/// Who agreed to a need.
pub(super) enum AgreedBy {
    /// The policy: a need of a tool that it allows is fulfilled without asking.
    Policy,
    /// A person, who was shown the call too.
    Person(Box<RecordedDecision>, Arc<Approval>),
}

impl AgreedNeed {
    /// Returns a need that was agreed to, and is not fulfilled yet.
    pub(super) fn new(need: Box<Need>, by: AgreedBy) -> AgreedNeed {
        AgreedNeed { need, by, installed_at: Arc::default() }
    }

    /// Reports whether a person has agreed to the call.
    pub(super) fn by_person(&self) -> bool {
        matches!(self.by, AgreedBy::Person(..))
    }

    /// Returns what the person has approved.
    pub(super) fn approval(&self) -> Option<Arc<Approval>> {
        match &self.by {
            AgreedBy::Person(_, approval) => Some(approval.clone()),
            AgreedBy::Policy => None,
        }
    }

    /// Returns the time at which a package was installed. `None` if the need was another one.
    pub(super) fn installed_at(&self) -> Option<Timestamp> {
        self.installed_at.get().copied()
    }

    /// Returns the error of a call whose need was fulfilled and is still there.
    pub(super) fn not_fulfilled(&self) -> CallError {
        unfulfilled(&self.need)
    }

    /// Returns the event for the audit trail now that the need is fulfilled.
    pub(super) fn audit_event(&self, found: &ResolvedTool) -> Option<AuditEvent> {
        match (&*self.need, &self.by) {
            (Need::Install(package), _) => {
                let digest = found.origin.as_ref().and_then(|origin| origin.package.as_deref());
                Some(AuditEvent::Installed {
                    package: package.clone(),
                    digest: digest.map(Into::into),
                })
            }
            (Need::Trust(trust), AgreedBy::Person(decided, _)) => Some(AuditEvent::Trusted {
                folder: trust.folder.clone(),
                files: trust.files.clone(),
                who: decided.who.clone(),
                channel: decided.channel.clone(),
            }),
            _ => None,
        }
    }
}

/// Returns the error of a call that has a need.
fn unfulfilled(need: &Need) -> CallError {
    match need {
        Need::Install(package) => CallError::new(
            Code::ServerFailed,
            format!("the package of server `{}` is not installed", package.server),
        )
        .with_hint(format!("`pml install {}` installs it", package.server)),
        Need::Variables(variables) => CallError::new(
            Code::ApiKeyRequired,
            format!(
                "server `{}` needs `{}`, which is still not set",
                variables.server,
                variables.names.join("`, `"),
            ),
        )
        .with_hint(format!("write it into `{}`, or set it in the environment", variables.file)),
        Need::Trust(trust) => CallError::new(Code::Untrusted, trust.reason.clone())
            .with_hint("`pml trust --show` shows what its files say, `pml trust` trusts it"),
        Need::Change(_) => {
            CallError::new(Code::Integrity, "the tool has changed since it was shown")
                .with_hint("call it again")
        }
    }
}

impl OpenCalls {
    /// Fulfils the need of a call. The call is decided on again afterwards.
    pub(super) fn fulfill(
        &mut self,
        id: CallId,
        mut found: RoutedTool,
        arguments: String,
        agreed: AgreedNeed,
    ) {
        found.need = None;
        self.attempts.count_fulfillment(id, agreed.need.kind());
        let (routed, need) = (found.clone(), agreed.need.clone());
        let (events, run) = (self.events.clone(), self.run);
        let (clock, installed_at) = (self.grants.clock(), agreed.installed_at.clone());
        let report: ProgressCallback = Arc::new(move |progress| {
            if progress.stage == WorkStage::Starting {
                let _ = installed_at.set(clock.now());
            }
            events.event(&Event::Progress { run, call: id, progress });
        });
        let abort = self.tasks.look_up(id, async move {
            let found = routed.fulfill_need(&need, report).await;
            TaskResult::Resolved(Box::new(found), None)
        });
        let (size, context) = (arguments.len(), CallContext::Agreed(agreed));
        let stage = CallStage::Resolving(ToolLookup { arguments, abort, context });
        self.open.insert(id, OpenCall::new(found, size, stage));
    }
}
