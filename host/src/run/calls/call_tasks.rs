//! The tasks of open calls: lookups of tools, fulfillments of needs, and calls that were sent.

use crate::model::{CallError, CallId, Effects, ToolName};
use crate::router::RoutedTool;
use crate::run::perform::PerformOutcome;
use futures_util::future::{AbortHandle, Abortable, Aborted, BoxFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde_json::Value;
use std::task::{Context, Poll};

type Task = Abortable<BoxFuture<'static, (CallId, TaskResult)>>;

/// The result of a task.
pub(super) enum TaskResult {
    /// A lookup ended. The arguments come with it if the lookup parsed them.
    Resolved(Box<Result<RoutedTool, CallError>>, Option<Value>),
    /// The effects of a tool that only the checkpoint mentions.
    EffectsFound(ToolName, Effects),
    /// A call was performed, or turned out to be another one than was decided on.
    Performed(PerformOutcome),
}

/// The tasks of one run.
pub(super) struct CallTasks {
    tasks: FuturesUnordered<Task>,
    /// The number of tasks that look up a tool or fulfill a need.
    lookups: usize,
    /// The number of calls that may be out at once.
    limit: usize,
}

impl CallTasks {
    pub(super) fn new(limit: usize) -> CallTasks {
        CallTasks { tasks: FuturesUnordered::new(), lookups: 0, limit }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Returns how many calls may still be sent. Outcomes that the program has not taken count as
    /// calls: a busy program must not pile them up. Lookups do not count: a server that hangs holds
    /// up no other.
    pub(super) fn room(&self, outcomes: usize) -> usize {
        let sent = self.tasks.len().saturating_sub(self.lookups);
        self.limit.saturating_sub(sent + outcomes)
    }

    /// Starts a task that performs a call.
    pub(super) fn send(
        &mut self,
        id: CallId,
        task: impl Future<Output = PerformOutcome> + Send + 'static,
    ) -> AbortHandle {
        self.start(id, async move { TaskResult::Performed(task.await) })
    }

    /// Starts a task that looks up a tool or fulfills a need.
    pub(super) fn look_up(
        &mut self,
        id: CallId,
        task: impl Future<Output = TaskResult> + Send + 'static,
    ) -> AbortHandle {
        self.lookups += 1;
        self.start(id, task)
    }

    /// Aborts a lookup. Its result never arrives.
    pub(super) fn abort_lookup(&mut self, lookup: &AbortHandle) {
        lookup.abort();
        self.lookups = self.lookups.saturating_sub(1);
    }

    /// Returns a result that has arrived, without waiting for one.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Option<(CallId, TaskResult)> {
        loop {
            match self.tasks.poll_next_unpin(context) {
                Poll::Ready(Some(done)) => match self.ended(done) {
                    Some(result) => return Some(result),
                    None => continue,
                },
                Poll::Ready(None) | Poll::Pending => return None,
            }
        }
    }

    /// Waits for the next task to end.
    pub(super) async fn next(&mut self) -> NextTask {
        match self.tasks.next().await {
            Some(done) => match self.ended(done) {
                Some((id, result)) => NextTask::Ended(id, result),
                None => NextTask::Aborted,
            },
            None => NextTask::Idle,
        }
    }

    /// Drops all tasks.
    pub(super) fn clear(&mut self) {
        self.tasks.clear();
        self.lookups = 0;
    }

    fn start(
        &mut self,
        id: CallId,
        task: impl Future<Output = TaskResult> + Send + 'static,
    ) -> AbortHandle {
        let (abort, registration) = AbortHandle::new_pair();
        let task: BoxFuture<'static, _> = Box::pin(async move { (id, task.await) });
        self.tasks.push(Abortable::new(task, registration));
        abort
    }

    fn ended(
        &mut self,
        done: Result<(CallId, TaskResult), Aborted>,
    ) -> Option<(CallId, TaskResult)> {
        let (id, result) = done.ok()?;
        if matches!(result, TaskResult::Resolved(..) | TaskResult::EffectsFound(..)) {
            self.lookups = self.lookups.saturating_sub(1);
        }
        Some((id, result))
    }
}

/// The end of a wait for the next task.
pub(super) enum NextTask {
    Ended(CallId, TaskResult),
    /// A task was aborted; its call is gone.
    Aborted,
    /// There is no task.
    Idle,
}
