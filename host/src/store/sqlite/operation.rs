//! What the writer and the reader are asked to do, and how they answer.

use super::leases::SharedStoreState;
use crate::model::{Answer, QuestionId, RecordedDecision, RunId, Timestamp};
use crate::store::{
    AnswerOutcome, AuditFilter, AuditNote, AuditTrail, JournalBatch, Lease, PruneRule, RunFilter,
    RunHeader, RunSummary, StoreError, StoredQuestion, StoredRun,
};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Where an answer goes. Nobody may wait for it any more.
pub(super) type ReplySender<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the writer does, in the order in which it was asked.
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
    /// Goes on to the reader once everything before it is committed: who reads sees what they
    /// wrote.
    Read(ReadRequest),
    /// Everything before it is done, then the thread ends.
    Close,
}

/// What the reader does.
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

/// What became of an operation that was carried out.
pub(super) enum OperationOutcome {
    Lease(Result<(RunId, u64), StoreError>),
    Written(Result<(), StoreError>),
    Answered(Result<AnswerOutcome, StoreError>),
    Expired(Result<bool, StoreError>),
    Pruned(Result<u64, StoreError>),
    Nothing,
}

impl Operation {
    /// Tells whoever asked, once the transaction is committed. A future that was dropped takes
    /// nothing back, except that its lease is given up.
    pub(super) fn tell(self, outcome: OperationOutcome, shared: &Arc<SharedStoreState>) {
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
            // Nobody waits for it.
            _ => {}
        }
    }

    /// Tells whoever asked that nothing of it was kept.
    pub(super) fn fail(self, error: StoreError) {
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
