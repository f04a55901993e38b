//! The operations of the writer and the reader, and their replies.

use super::leases::SharedStoreState;
use crate::model::{Answer, QuestionId, RecordedDecision, RunId, Timestamp};
use crate::store::{
    AnswerOutcome, AuditFilter, AuditNote, AuditTrail, JournalBatch, Lease, PruneRule, RunFilter,
    RunHeader, RunSummary, StoreError, StoredQuestion, StoredRun,
};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The channel for a reply. The receiver may have been dropped.
pub(super) type ReplySender<T> = oneshot::Sender<Result<T, StoreError>>;

/// An operation of the writer. Operations are carried out in the order in which they were queued.
pub(super) enum Operation {
    Create {
        header: Box<RunHeader>,
        reply: ReplySender<Lease>,
    },
    Append {
        run: RunId,
        fence: u64,
        batch: JournalBatch,
        reply: ReplySender<()>,
    },
    Claim {
        run: RunId,
        reply: ReplySender<Lease>,
    },
    Release {
        run: RunId,
        fence: u64,
    },
    Answer {
        question: QuestionId,
        answer: Answer,
        now: Timestamp,
        reply: ReplySender<AnswerOutcome>,
    },
    Expire {
        question: QuestionId,
        now: Timestamp,
        reply: ReplySender<bool>,
    },
    Prune {
        rule: PruneRule,
        now: Timestamp,
        reply: ReplySender<u64>,
    },
    Audit {
        note: Box<AuditNote>,
        reply: ReplySender<()>,
    },
    /// Passed on to the reader once all operations before it are committed, so that callers read
    /// their own writes.
    Read(ReadRequest),
    /// Finishes all operations before it, then ends the thread.
    Close,
}

/// An operation of the reader.
pub(super) enum ReadRequest {
    Load { run: RunId, reply: ReplySender<StoredRun> },
    Decided { run: RunId, reply: ReplySender<Vec<RecordedDecision>> },
    Question { id: QuestionId, now: Timestamp, reply: ReplySender<Option<StoredQuestion>> },
    Questions { run: Option<RunId>, now: Timestamp, reply: ReplySender<Vec<StoredQuestion>> },
    Runs { filter: RunFilter, now: Timestamp, reply: ReplySender<Vec<RunSummary>> },
    Audited { filter: AuditFilter, reply: ReplySender<AuditTrail> },
    Watch { run: RunId },
    Close,
}

/// The outcome of an operation that was carried out.
pub(super) enum OperationOutcome {
    Lease(Result<(RunId, u64), StoreError>),
    Written(Result<(), StoreError>),
    Answered(Result<AnswerOutcome, StoreError>),
    Expired(Result<bool, StoreError>),
    Pruned(Result<u64, StoreError>),
    Nothing,
}

impl Operation {
    /// Sends the outcome to the caller, once the transaction is committed. If the future was
    /// dropped, the operation stays done, except that its lease is released.
    pub(super) fn send_outcome(self, outcome: OperationOutcome, shared: &Arc<SharedStoreState>) {
        match (self, outcome) {
            (
                Operation::Create { reply, .. } | Operation::Claim { reply, .. },
                OperationOutcome::Lease(result),
            ) => {
                let lease = |(run, fence)| shared.lease(run, fence);
                let _ = reply.send(result.map(lease));
            }
            (
                Operation::Append { reply, .. } | Operation::Audit { reply, .. },
                OperationOutcome::Written(result),
            ) => {
                let _ = reply.send(result);
            }
            (Operation::Answer { reply, .. }, OperationOutcome::Answered(result)) => {
                if let Ok(AnswerOutcome::Recorded { question, .. }) = &result {
                    shared.watchers.notify(question.run);
                }
                let _ = reply.send(result);
            }
            (Operation::Expire { reply, .. }, OperationOutcome::Expired(result)) => {
                let _ = reply.send(result);
            }
            (Operation::Prune { reply, .. }, OperationOutcome::Pruned(result)) => {
                let _ = reply.send(result);
            }
            // No caller waits for these.
            _ => {}
        }
    }

    /// Sends an error to the caller: nothing of the operation was stored.
    pub(super) fn send_error(self, error: StoreError) {
        match self {
            Operation::Create { reply, .. } | Operation::Claim { reply, .. } => {
                let _ = reply.send(Err(error));
            }
            Operation::Append { reply, .. } | Operation::Audit { reply, .. } => {
                let _ = reply.send(Err(error));
            }
            Operation::Answer { reply, .. } => {
                let _ = reply.send(Err(error));
            }
            Operation::Expire { reply, .. } => {
                let _ = reply.send(Err(error));
            }
            Operation::Prune { reply, .. } => {
                let _ = reply.send(Err(error));
            }
            Operation::Release { .. } | Operation::Read(_) | Operation::Close => {}
        }
    }
}
