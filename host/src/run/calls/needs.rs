//! Calls that lack something: it is asked about, brought about once somebody has agreed, and then
//! the call goes on.
//!
//! **Invariant:** nothing of a call has gone out while what it lacks is brought about: a run that
//! is cut off then brings it about again, and nothing of it is uncertain.

use super::approval::Approval;
use super::deciding::CallContext;
use crate::event::Event;
use crate::model::{CallError, CallId, Code, Need, RecordedDecision};
use crate::model::{ProgressCallback, ResolvedTool};
use crate::router::RoutedTool;
use crate::run::calls::open_calls::{CallStage, InFlightResult, OpenCall, OpenCalls, ToolLookup};
use crate::store::AuditEvent;
use futures_util::future::{AbortHandle, Abortable, BoxFuture};
use std::sync::Arc;

/// What is brought about for a call.
pub(super) struct AgreedNeed {
    pub(super) need: Box<Need>,
    pub(super) by: AgreedBy,
}

/// Who agreed.
pub(super) enum AgreedBy {
    /// The policy: what it allows may be brought about without asking.
    Policy,
    /// A person, who was shown the call too.
    Person(Box<RecordedDecision>, Arc<Approval>),
}

impl AgreedNeed {
    /// Whether a person has agreed to the call.
    pub(super) fn by_person(&self) -> bool {
        matches!(self.by, AgreedBy::Person(..))
    }

    /// What the person has approved.
    pub(super) fn approval(&self) -> Option<Arc<Approval>> {
        match &self.by {
            AgreedBy::Person(_, approval) => Some(approval.clone()),
            AgreedBy::Policy => None,
        }
    }

    /// The answer to a call that still lacks what somebody has agreed to.
    pub(super) fn in_vain(&self) -> CallError {
        lacking(&self.need)
    }

    /// What is to be remembered of what was brought about.
    pub(super) fn noted(&self, found: &ResolvedTool) -> Option<AuditEvent> {
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

/// The answer to a call that lacks something.
fn lacking(need: &Need) -> CallError {
    let (code, message) = match need {
        Need::Install(package) => (
            Code::ServerFailed,
            format!("the package of server `{}` is not installed", package.server),
        ),
        Need::Variables(variables) => (
            Code::ApiKeyRequired,
            format!(
                "the server `{}` needs `{}`, and it is still not set: write it into `{}`, or set it in the environment",
                variables.server,
                variables.names.join("`, `"),
                variables.file
            ),
        ),
        Need::Trust(trust) => (Code::Untrusted, format!("{}: `pml trust` trusts it", trust.reason)),
        Need::Change(_) => {
            (Code::Integrity, "the tool is not what was decided about: call it again".into())
        }
    };
    CallError::new(code, message)
}

impl OpenCalls {
    /// Brings about what a call lacks.
    pub(super) fn meet(
        &mut self,
        id: CallId,
        mut found: RoutedTool,
        arguments: String,
        agreed: AgreedNeed,
    ) {
        found.need = None;
        *self.met.entry((id, agreed.need.kind())).or_default() += 1;
        let (routed, need) = (found.clone(), agreed.need.clone());
        let (events, run) = (self.events.clone(), self.run);
        let tell: ProgressCallback = Arc::new(move |progress| {
            events.event(&Event::Progress { run, call: id, progress });
        });
        let meeting: BoxFuture<'static, _> = Box::pin(async move {
            (id, InFlightResult::Resolved(Box::new(routed.fulfill_need(&need, tell).await), None))
        });
        let (abort, registration) = AbortHandle::new_pair();
        let size = arguments.len();
        let standing = CallContext::Agreed(agreed);
        let stage = CallStage::Resolving(ToolLookup { arguments, abort, standing });
        self.open.insert(id, OpenCall { found, size, stage, approval: None });
        self.finding += 1;
        self.flying.push(Abortable::new(meeting, registration));
    }
}
