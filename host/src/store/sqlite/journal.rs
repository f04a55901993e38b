//! Implements [`Journal`] for [`Store`].

use super::operation::{Operation, ReadRequest};
use super::store::Store;
use crate::model::{Answer, QuestionId, RecordedDecision, RunId, Timestamp};
use crate::store::{
    AnswerOutcome, AuditFilter, AuditNote, AuditTrail, Journal, JournalBatch, JournalFuture, Lease,
    PruneRule, RunFilter, RunHeader, RunSummary, StoredQuestion, StoredRun,
};
use std::sync::Arc;
use tokio::sync::Notify;

impl Journal for Store {
    fn create(&self, header: RunHeader) -> JournalFuture<Lease> {
        let header = Box::new(header);
        self.write(|reply| Operation::Create { header, reply })
    }

    fn append(&self, lease: &Lease, batch: JournalBatch) -> JournalFuture<()> {
        let (run, fence) = (lease.run, lease.fence);
        self.write(|reply| Operation::Append { run, fence, batch, reply })
    }

    fn claim(&self, run: RunId) -> JournalFuture<Lease> {
        self.write(|reply| Operation::Claim { run, reply })
    }

    fn load(&self, run: RunId) -> JournalFuture<StoredRun> {
        self.read(|reply| ReadRequest::Load { run, reply })
    }

    fn answer(
        &self,
        question: QuestionId,
        answer: Answer,
        now: Timestamp,
    ) -> JournalFuture<AnswerOutcome> {
        self.write(|reply| Operation::Answer { question, answer, now, reply })
    }

    fn expire(&self, question: QuestionId, now: Timestamp) -> JournalFuture<bool> {
        self.write(|reply| Operation::Expire { question, now, reply })
    }

    fn decisions(&self, run: RunId) -> JournalFuture<Vec<RecordedDecision>> {
        self.read(|reply| ReadRequest::Decided { run, reply })
    }

    fn watch(&self, run: RunId) -> Arc<Notify> {
        let watcher = self.shared().watchers.watch(run);
        self.send_to_reader(ReadRequest::Watch { run });
        watcher
    }

    fn question(&self, id: QuestionId, now: Timestamp) -> JournalFuture<Option<StoredQuestion>> {
        self.read(|reply| ReadRequest::Question { id, now, reply })
    }

    fn questions(&self, run: Option<RunId>, now: Timestamp) -> JournalFuture<Vec<StoredQuestion>> {
        self.read(|reply| ReadRequest::Questions { run, now, reply })
    }

    fn runs(&self, filter: RunFilter, now: Timestamp) -> JournalFuture<Vec<RunSummary>> {
        self.read(|reply| ReadRequest::Runs { filter, now, reply })
    }

    fn prune(&self, rule: PruneRule, now: Timestamp) -> JournalFuture<u64> {
        self.write(|reply| Operation::Prune { rule, now, reply })
    }

    fn audit(&self, note: AuditNote) -> JournalFuture<()> {
        let note = Box::new(note);
        self.write(|reply| Operation::Audit { note, reply })
    }

    fn audit_trail(&self, filter: AuditFilter) -> JournalFuture<AuditTrail> {
        self.read(|reply| ReadRequest::Audited { filter, reply })
    }
}
