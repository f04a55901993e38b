//! What the writer and the reader are asked to do, and how they answer.

use super::leases::Shared;
use crate::model::{Answer, Decided, QuestionId, RunId, Timestamp};
use crate::store::{
    Answered, Asked, AuditFilter, Batch, Filter, Header, Lease, Note, Prune, StoreError, Stored,
    Summary, Trail,
};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Where an answer goes. Nobody may wait for it any more.
pub(super) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the writer does, in the order in which it was asked.
pub(super) enum Operation {
    Create {
        header: Box<Header>,
        reply: Reply<Lease>,
    },
    Append {
        run: RunId,
        fence: u64,
        batch: Batch,
        reply: Reply<()>,
    },
    Claim {
        run: RunId,
        reply: Reply<Lease>,
    },
    Release {
        run: RunId,
        fence: u64,
    },
    Answer {
        question: QuestionId,
        answer: Answer,
        now: Timestamp,
        reply: Reply<Answered>,
    },
    Expire {
        question: QuestionId,
        now: Timestamp,
        reply: Reply<bool>,
    },
    Prune {
        rule: Prune,
        now: Timestamp,
        reply: Reply<u64>,
    },
    Audit {
        note: Box<Note>,
        reply: Reply<()>,
    },
    /// Goes on to the reader once everything before it is committed: who reads sees what they wrote.
    Read(Read),
    /// Everything before it is done, then the thread ends.
    Close,
}

/// What the reader does.
pub(super) enum Read {
    Load { run: RunId, reply: Reply<Stored> },
    Decided { run: RunId, reply: Reply<Vec<Decided>> },
    Question { id: QuestionId, now: Timestamp, reply: Reply<Option<Asked>> },
    Questions { run: Option<RunId>, now: Timestamp, reply: Reply<Vec<Asked>> },
    Runs { filter: Filter, now: Timestamp, reply: Reply<Vec<Summary>> },
    Audited { filter: AuditFilter, reply: Reply<Trail> },
    Watch { run: RunId },
    Close,
}

/// What became of an operation that was carried out.
pub(super) enum Outcome {
    Lease(Result<(RunId, u64), StoreError>),
    Written(Result<(), StoreError>),
    Answered(Result<Answered, StoreError>),
    Expired(Result<bool, StoreError>),
    Pruned(Result<u64, StoreError>),
    Nothing,
}

impl Operation {
    /// Tells whoever asked, once the transaction is committed. A future that was dropped takes nothing back, except that
    /// its lease is given up.
    pub(super) fn tell(self, outcome: Outcome, shared: &Arc<Shared>) {
        match (self, outcome) {
            (
                Operation::Create { reply, .. } | Operation::Claim { reply, .. },
                Outcome::Lease(result),
            ) => {
                let lease = |(run, fence)| shared.lease(run, fence);
                let _ = reply.send(result.map(lease));
            }
            (
                Operation::Append { reply, .. } | Operation::Audit { reply, .. },
                Outcome::Written(result),
            ) => {
                let _ = reply.send(result);
            }
            (Operation::Answer { reply, .. }, Outcome::Answered(result)) => {
                if let Ok(Answered::Recorded { question, .. }) = &result {
                    shared.watchers.notify(question.run);
                }
                let _ = reply.send(result);
            }
            (Operation::Expire { reply, .. }, Outcome::Expired(result)) => {
                let _ = reply.send(result);
            }
            (Operation::Prune { reply, .. }, Outcome::Pruned(result)) => {
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
