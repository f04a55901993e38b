//! The store as a journal.

use super::operation::{Operation, Read};
use super::store::Store;
use crate::model::{Answer, Decided, QuestionId, RunId, Timestamp};
use crate::store::{
    Answered, Asked, AuditFilter, Batch, Filter, Header, Journal, Lease, Note, Pending, Prune,
    Stored, Summary, Trail,
};
use std::sync::Arc;
use tokio::sync::Notify;

impl Journal for Store {
    fn create(&self, header: Header) -> Pending<Lease> {
        let header = Box::new(header);
        self.write(|reply| Operation::Create { header, reply })
    }

    fn append(&self, lease: &Lease, batch: Batch) -> Pending<()> {
        let (run, fence) = (lease.run, lease.fence);
        self.write(|reply| Operation::Append { run, fence, batch, reply })
    }

    fn claim(&self, run: RunId) -> Pending<Lease> {
        self.write(|reply| Operation::Claim { run, reply })
    }

    fn load(&self, run: RunId) -> Pending<Stored> {
        self.read(|reply| Read::Load { run, reply })
    }

    fn answer(&self, question: QuestionId, answer: Answer, now: Timestamp) -> Pending<Answered> {
        self.write(|reply| Operation::Answer { question, answer, now, reply })
    }

    fn expire(&self, question: QuestionId, now: Timestamp) -> Pending<bool> {
        self.write(|reply| Operation::Expire { question, now, reply })
    }

    fn decided(&self, run: RunId) -> Pending<Vec<Decided>> {
        self.read(|reply| Read::Decided { run, reply })
    }

    fn watch(&self, run: RunId) -> Arc<Notify> {
        let watcher = self.shared().watchers.watch(run);
        self.tell_reader(Read::Watch { run });
        watcher
    }

    fn question(&self, id: QuestionId, now: Timestamp) -> Pending<Option<Asked>> {
        self.read(|reply| Read::Question { id, now, reply })
    }

    fn questions(&self, run: Option<RunId>, now: Timestamp) -> Pending<Vec<Asked>> {
        self.read(|reply| Read::Questions { run, now, reply })
    }

    fn runs(&self, filter: Filter, now: Timestamp) -> Pending<Vec<Summary>> {
        self.read(|reply| Read::Runs { filter, now, reply })
    }

    fn prune(&self, rule: Prune, now: Timestamp) -> Pending<u64> {
        self.write(|reply| Operation::Prune { rule, now, reply })
    }

    fn audit(&self, note: Note) -> Pending<()> {
        let note = Box::new(note);
        self.write(|reply| Operation::Audit { note, reply })
    }

    fn audited(&self, filter: AuditFilter) -> Pending<Trail> {
        self.read(|reply| Read::Audited { filter, reply })
    }
}
