//! One call, from its request to its end.

use crate::model::{CallId, CallResult, QuestionId, ResolvedTool, Timestamp};
use crate::store::CallVerdict;
use std::time::Duration;

/// The start of the names of tools that have no server.
const BUILT_IN: &str = "pml:";
/// The tool of timers.
const TIMER: &str = "pml:sleep";

/// The stage that a call has reached, by the last entry about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastCallStage {
    /// The program requested it.
    Requested,
    /// It waits for a person.
    Asked(QuestionId),
    /// It was sent.
    Executing,
    /// It has ended: settled, cancelled or abandoned.
    Done,
}

/// The state of a call, to show to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallState<'a> {
    /// It has not been sent.
    Queued,
    /// It has not been sent, because its server is being started.
    Starting,
    /// A person is asked about it.
    Asked,
    /// It was sent. If no process owns the run any more, its outcome is unknown.
    Executing,
    /// It is a timer that is running.
    Sleeping,
    /// It returned a value.
    Ok,
    /// It returned an error with this code.
    Failed(&'a str),
    /// The program cancelled it.
    Cancelled,
    /// The run ended before it had an outcome.
    Abandoned,
}

/// The phase of a call during a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallPhase {
    /// It could have been sent, and waited for room.
    Queued,
    /// Its server was being started.
    Starting,
    /// The package of its server was being resolved or installed.
    Installing,
    /// It waited for a person.
    Asked,
    /// It had been sent, and had no outcome.
    Executing,
    /// It was a running timer.
    Sleeping,
}

/// A span of time of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSpan {
    /// The phase of the call.
    pub phase: CallPhase,
    /// The start of the span.
    pub from: Timestamp,
    /// The end of the span.
    pub to: Timestamp,
}

/// A call as the journal records it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PastCall<'a> {
    /// The call.
    pub call: CallId,
    /// The tool as the program wrote it.
    pub tool: &'a str,
    /// One JSON text; `Err` holds the size of arguments that were too large to store.
    pub arguments: Result<&'a str, usize>,
    /// The verdict on the call when it was requested.
    pub verdict: &'a CallVerdict,
    /// The stage that it has reached.
    pub stage: PastCallStage,
    /// The resolved tool, and the effects that it declared then. `None` if the call was never sent.
    pub sent: Option<ResolvedTool>,
    /// The digest of the ask that was approved before the call was sent.
    pub approved: Option<&'a str>,
    /// True if the call was sent and its outcome is unknown.
    pub outcome_unknown: bool,
    /// The time of the request.
    pub requested: Timestamp,
    /// The time at which it first ended.
    pub ended: Option<Timestamp>,
    /// The spans of its time, in order.
    pub spans: Vec<CallSpan>,
    /// Its outcome, exactly as the program got it.
    pub settled: Option<&'a CallResult>,
    /// The time at which the package of its server was installed for it.
    pub(super) installed_at: Option<Timestamp>,
    /// The state in which it first ended.
    pub(super) end: Option<CallState<'a>>,
}

impl<'a> PastCall<'a> {
    /// Returns a call that was just requested.
    pub(super) fn requested(
        call: CallId,
        tool: &'a str,
        arguments: Result<&'a str, usize>,
        verdict: &'a CallVerdict,
        at: Timestamp,
    ) -> PastCall<'a> {
        let phase = match verdict {
            CallVerdict::Sleep { .. } => CallPhase::Sleeping,
            // The tool is found once its server runs.
            CallVerdict::Find => CallPhase::Starting,
            _ => CallPhase::Queued,
        };
        PastCall {
            call,
            tool,
            arguments,
            verdict,
            stage: PastCallStage::Requested,
            sent: None,
            approved: None,
            outcome_unknown: false,
            requested: at,
            ended: None,
            spans: match verdict {
                // Its outcome is known already: it never waits.
                CallVerdict::Recall { .. } => Vec::new(),
                _ => vec![CallSpan { phase, from: at, to: at }],
            },
            settled: None,
            installed_at: None,
            end: None,
        }
    }

    /// Returns the resolved tool, or the tool as the program wrote it if the call was never sent.
    pub fn tool_name(&self) -> &str {
        self.sent.as_ref().map_or(self.tool, |sent| sent.tool.as_str())
    }

    /// Returns the state of the call.
    pub fn state(&self) -> CallState<'a> {
        match (self.end, self.stage, self.verdict) {
            (Some(end), ..) => end,
            (None, PastCallStage::Asked(_), _) => CallState::Asked,
            (None, PastCallStage::Executing, _) => CallState::Executing,
            (None, _, CallVerdict::Sleep { .. }) => CallState::Sleeping,
            (None, _, CallVerdict::Find) => CallState::Starting,
            (None, ..) => CallState::Queued,
        }
    }

    /// Returns how long it was being executed, or slept.
    pub fn active_time(&self) -> Duration {
        self.time_in(CallPhase::Executing) + self.time_in(CallPhase::Sleeping)
    }

    /// Returns how long it was in a phase.
    pub fn time_in(&self, phase: CallPhase) -> Duration {
        let spans = self.spans.iter().filter(|span| span.phase == phase);
        spans.map(|span| span.to.since(span.from)).sum()
    }

    /// Reports whether it is a timer.
    pub fn is_timer(&self) -> bool {
        self.tool_name() == TIMER
    }

    /// Reports whether its outcome came from the run that this one was resumed from.
    pub fn is_recalled(&self) -> bool {
        matches!(self.verdict, CallVerdict::Recall { .. })
    }

    /// Splits the time during which it waited for a person at the moment of their decision. It was
    /// in `phase` afterwards, or since the run was resumed: until then no process had it. A process
    /// that resumes a run starts the server anew.
    pub(super) fn split_wait(
        &mut self,
        decided: Timestamp,
        phase: CallPhase,
        resumed: &[Timestamp],
    ) {
        let waited = |span: &CallSpan| {
            span.phase == CallPhase::Asked && span.from <= decided && decided < span.to
        };
        if let Some(at) = self.spans.iter().position(waited) {
            let end = std::mem::replace(&mut self.spans[at].to, decided);
            let resumed = resumed.iter().copied().filter(|at| decided < *at && *at <= end);
            let resumed = resumed.max();
            let from = resumed.unwrap_or(decided);
            let is_built_in = self.tool_name().starts_with(BUILT_IN);
            let phase = match phase {
                CallPhase::Queued if resumed.is_some() && !is_built_in => CallPhase::Starting,
                phase => phase,
            };
            self.spans.insert(at + 1, CallSpan { phase, from, to: end });
        }
    }

    /// Splits the time during which its package was installed at the moment when that was done. Its
    /// server was started afterwards.
    pub(super) fn split_installation(&mut self) {
        let Some(installed) = self.installed_at else { return };
        let around = |span: &CallSpan| {
            span.phase == CallPhase::Installing && span.from <= installed && installed < span.to
        };
        if let Some(at) = self.spans.iter().position(around) {
            let to = std::mem::replace(&mut self.spans[at].to, installed);
            let started = CallSpan { phase: CallPhase::Starting, from: installed, to };
            self.spans.insert(at + 1, started);
        }
    }

    /// Ends the present span and starts another one. Does nothing if the call has ended.
    pub(super) fn enter(&mut self, at: Timestamp, phase: CallPhase) {
        if self.ended.is_none() {
            self.close_span(at);
            self.spans.push(CallSpan { phase, from: at, to: at });
        }
    }

    /// Ends the call. If it has ended before, the first end stays.
    pub(super) fn finish(&mut self, at: Timestamp, end: CallState<'a>) {
        self.stage = PastCallStage::Done;
        if self.ended.is_none() {
            self.close_span(at);
            (self.ended, self.end) = (Some(at), Some(end));
        }
    }

    /// Notes that the package of its server was being resolved or installed, and not only started.
    pub(super) fn note_install(&mut self) {
        if let Some(span) = self.spans.last_mut()
            && span.phase == CallPhase::Starting
        {
            span.phase = CallPhase::Installing;
        }
    }

    pub(super) fn close_span(&mut self, at: Timestamp) {
        if let Some(span) = self.spans.last_mut() {
            span.to = at;
        }
    }
}
