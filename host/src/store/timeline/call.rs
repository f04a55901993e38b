//! One call, from its request to its end.

use crate::model::{CallId, CallResult, QuestionId, ResolvedTool, Timestamp};
use crate::store::CallVerdict;
use std::time::Duration;

/// The tool that a timer is a call of.
const TIMER: &str = "pml:sleep";

/// How far a call came, by the last entry about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastCallStage {
    /// The program asked for it.
    Requested,
    /// It waits for a person.
    Asked(QuestionId),
    /// It went out.
    Executing,
    /// It is done with: settled, cancelled or abandoned.
    Done,
}

/// Where a call stands, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallState<'a> {
    /// It has not gone out.
    Queued,
    /// A person is asked about it.
    Asked,
    /// It is out. If nobody has the run any more, its outcome is unknown.
    Executing,
    /// It is a timer that runs.
    Sleeping,
    /// It gave a value.
    Ok,
    /// It gave an error with this code.
    Failed(&'a str),
    /// The program gave it up.
    Cancelled,
    /// The program ended without waiting for it.
    Abandoned,
}

/// What a call spent a span of time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallPhase {
    /// It had not gone out.
    Queued,
    /// It waited for a person.
    Asked,
    /// It was out.
    Executing,
    /// It was a timer that ran.
    Sleeping,
}

/// A span of a call's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSpan {
    /// What it was spent on.
    pub phase: CallPhase,
    /// When it began.
    pub from: Timestamp,
    /// When it ended.
    pub to: Timestamp,
}

/// A call as a journal has it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PastCall<'a> {
    /// Which call.
    pub call: CallId,
    /// The tool as the program wrote it.
    pub tool: &'a str,
    /// One JSON text; `Err` holds the size of one that was too large to keep.
    pub arguments: Result<&'a str, usize>,
    /// What the policy said when it was requested.
    pub verdict: &'a CallVerdict,
    /// How far it came.
    pub reached: PastCallStage,
    /// The tool that it meant and what that said of its effects then. `None` if it never went out.
    pub sent: Option<ResolvedTool>,
    /// The digest of the ask that somebody approved before it went out.
    pub approved: Option<&'a str>,
    /// Whether it went out and nobody knows its outcome.
    pub unknown: bool,
    /// When it was requested.
    pub requested: Timestamp,
    /// When it was first done with.
    pub ended: Option<Timestamp>,
    /// What it spent its time on, in order.
    pub spans: Vec<CallSpan>,
    /// Its outcome, exactly as the program got it.
    pub settled: Option<&'a CallResult>,
    /// How it was first done with.
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
            _ => CallPhase::Queued,
        };
        PastCall {
            call,
            tool,
            arguments,
            verdict,
            reached: PastCallStage::Requested,
            sent: None,
            approved: None,
            unknown: false,
            requested: at,
            ended: None,
            spans: vec![CallSpan { phase, from: at, to: at }],
            settled: None,
            end: None,
        }
    }

    /// Returns the tool as resolved, or as the program wrote it if it never went out.
    pub fn tool_name(&self) -> &str {
        self.sent.as_ref().map_or(self.tool, |sent| sent.tool.as_str())
    }

    /// Returns where it stands.
    pub fn state(&self) -> CallState<'a> {
        match (self.end, self.reached, self.verdict) {
            (Some(end), ..) => end,
            (None, PastCallStage::Asked(_), _) => CallState::Asked,
            (None, PastCallStage::Executing, _) => CallState::Executing,
            (None, _, CallVerdict::Sleep { .. }) => CallState::Sleeping,
            (None, ..) => CallState::Queued,
        }
    }

    /// Returns how long it was out, or slept.
    pub fn active_time(&self) -> Duration {
        self.time_in(CallPhase::Executing) + self.time_in(CallPhase::Sleeping)
    }

    /// Returns how long it was in a phase.
    pub fn time_in(&self, phase: CallPhase) -> Duration {
        let spans = self.spans.iter().filter(|span| span.phase == phase);
        spans.map(|span| span.to.since(span.from)).sum()
    }

    /// Returns whether it is a timer.
    pub fn is_timer(&self) -> bool {
        self.tool_name() == TIMER
    }

    /// Returns whether its outcome came from the run that this one was resumed from.
    pub fn is_recalled(&self) -> bool {
        matches!(self.verdict, CallVerdict::Recall { .. })
    }

    /// Ends the present span, and begins another. A call that is done with spends no more time.
    pub(super) fn enter(&mut self, at: Timestamp, phase: CallPhase) {
        if self.ended.is_none() {
            self.close_span(at);
            self.spans.push(CallSpan { phase, from: at, to: at });
        }
    }

    /// Notes that it is done with, unless it was before.
    pub(super) fn finish(&mut self, at: Timestamp, end: CallState<'a>) {
        self.reached = PastCallStage::Done;
        if self.ended.is_none() {
            self.close_span(at);
            (self.ended, self.end) = (Some(at), Some(end));
        }
    }

    pub(super) fn close_span(&mut self, at: Timestamp) {
        if let Some(span) = self.spans.last_mut() {
            span.to = at;
        }
    }
}
