//! The store as its owner holds it.

use super::audit::{HeadFile, TrailWriter};
use super::failure::io_failure;
use super::leases::SharedStoreState;
use super::open::{open, prepare};
use super::operation::{Operation, ReadRequest, ReplySender};
use super::owner::{OwnerFolder, OwnerLock};
use super::reader::StoreReader;
use super::statistics::Statistics;
use super::writer::StoreWriter;
use crate::store::sqlite::shared_writer::SharedWriter;
use crate::store::{Durability, JournalFuture, StoreError};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};
use tokio::sync::oneshot;

/// A journal in a file, for all processes of a project. Clones share everything.
///
/// Dropping the last clone finishes what was asked for, and waits for that.
#[derive(Clone)]
pub struct Store {
    inner: Arc<StoreInner>,
}

struct StoreInner {
    shared: Arc<SharedStoreState>,
    durability: Durability,
    desk: Arc<SharedWriter>,
    reads: Sender<ReadRequest>,
    /// The writer, then the reader, in the order in which they end.
    threads: Vec<JoinHandle<()>>,
}

impl Store {
    /// Opens, or makes, the journal in `folder`. Whoever can write there can answer questions:
    /// choose a folder that no project and no other user can change, as
    /// [`Project::journal_folder`](crate::Project::journal_folder) is.
    ///
    /// # Errors
    ///
    /// A folder that cannot be used, a file that is no journal or a damaged one, a journal of a
    /// newer pml, or one whose schema is not that of its version. In every such case the file is
    /// left as it is.
    pub fn open(folder: impl AsRef<Path>, durability: Durability) -> Result<Store, StoreError> {
        Store::open_with(folder.as_ref(), durability, |_| None)
    }

    /// The same, and keeps in `heads` how far the audit trail goes: a folder of this user's own,
    /// which no project may change. It is made when the first entry is written. Who reads the trail
    /// then sees whether its end was cut off, or all of it written anew.
    ///
    /// # Errors
    ///
    /// As for [`Store::open`].
    #[cfg(feature = "servers")]
    pub fn open_with_heads(
        folder: impl AsRef<Path>,
        durability: Durability,
        heads: impl AsRef<Path>,
    ) -> Result<Store, StoreError> {
        let head = |journal: &Path| Some(HeadFile::of(heads.as_ref(), journal));
        Store::open_with(folder.as_ref(), durability, head)
    }

    /// Returns whether `heads` says that there is, or was, an audit trail in `folder`.
    #[cfg(feature = "servers")]
    pub fn has_head(folder: impl AsRef<Path>, heads: impl AsRef<Path>) -> bool {
        let folder =
            std::path::absolute(folder.as_ref()).unwrap_or_else(|_| folder.as_ref().into());
        HeadFile::of(heads.as_ref(), &folder.join("state.db")).read() != Ok(None)
    }

    fn open_with(
        folder: &Path,
        durability: Durability,
        head: impl FnOnce(&Path) -> Option<HeadFile>,
    ) -> Result<Store, StoreError> {
        // The reader opens it again later, perhaps from another working directory.
        let folder = &std::path::absolute(folder)
            .map_err(|error| io_failure("find the folder", folder, error))?;
        let (connection, path) = open(folder)?;
        let head = head(&path);
        let owners = OwnerFolder::of(folder);
        owners.tidy();
        let (operations, operation_queue) = channel();
        let (reads, read_queue) = channel();
        let shared = Arc::new(SharedStoreState::new(path, operations));
        let reader = StoreReader::new(shared.clone(), owners.clone(), head.clone());
        let (owner, to_reader) = (OwnerLock::new(owners), reads.clone());
        let (queue, trail, ours) = (operation_queue, TrailWriter::new(head), shared.clone());
        let writer = StoreWriter::new(connection, ours, owner, durability, trail, queue, to_reader);
        let desk = Arc::new(SharedWriter::new(writer));
        let _ = shared.desk.set(Arc::downgrade(&desk));
        let working = desk.clone();
        let inner = StoreInner { shared, durability, desk, reads, threads: Vec::new() };
        // From here on a failure drops what was started, in order.
        let mut store = Store { inner: Arc::new(inner) };
        store.start("pml journal", move || working.work())?;
        store.inner.desk.set_thread(store.inner.threads[0].thread().clone());
        store.start("pml journal reader", move || reader.work(&read_queue))?;
        Ok(store)
    }

    /// Makes `folder`, a project's `.pml`, if it is not there: for this user only, and kept out of
    /// version control. One that is there and open to others is closed.
    ///
    /// # Errors
    ///
    /// If it cannot be made or closed, is a link or no folder, or belongs to another user.
    pub fn make_folder(folder: impl AsRef<Path>) -> Result<(), StoreError> {
        prepare(folder.as_ref())
    }

    fn start(
        &mut self,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<(), StoreError> {
        let path = self.inner.shared.path.clone();
        let failed = |error| StoreError::Io {
            action: "start a thread for the journal",
            path,
            source: Arc::new(error),
        };
        let thread = Builder::new().name(name.into()).spawn(work).map_err(failed)?;
        let inner = Arc::get_mut(&mut self.inner).expect("the store has one clone while it opens");
        inner.threads.push(thread);
        Ok(())
    }

    /// Returns the journal's file.
    pub fn path(&self) -> &Path {
        &self.inner.shared.path
    }

    /// Returns what it promises.
    pub fn durability(&self) -> Durability {
        self.inner.durability
    }

    /// Returns what was written since it was opened.
    pub fn statistics(&self) -> Statistics {
        self.inner.shared.counters.read()
    }

    /// Has the writer do something.
    pub(super) fn write<T: Send + 'static>(
        &self,
        operation: impl FnOnce(ReplySender<T>) -> Operation,
    ) -> JournalFuture<T> {
        let (reply, answer) = oneshot::channel();
        // A writer that is gone drops the reply, which says so.
        let _ = self.inner.shared.operations.send(operation(reply));
        self.inner.desk.mention();
        let desk = self.inner.desk.clone();
        Box::pin(async move {
            desk.help();
            answer.await.unwrap_or(Err(StoreError::Closed))
        })
    }

    /// Has the reader do something, after everything that was asked of the writer before.
    pub(super) fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(ReplySender<T>) -> ReadRequest,
    ) -> JournalFuture<T> {
        self.write(|reply| Operation::Read(read(reply)))
    }

    /// Returns what the threads share.
    pub(super) fn shared(&self) -> &SharedStoreState {
        &self.inner.shared
    }

    /// Tells the reader, without a detour.
    pub(super) fn tell_reader(&self, read: ReadRequest) {
        let _ = self.inner.reads.send(read);
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.path())
            .field("durability", &self.durability())
            .finish_non_exhaustive()
    }
}

impl Drop for StoreInner {
    fn drop(&mut self) {
        // Leases know the way to the writer as well, so a queue does not end by itself.
        let mut threads = self.threads.drain(..);
        let _ = self.shared.operations.send(Operation::Close);
        self.desk.call();
        join(threads.next());
        let _ = self.reads.send(ReadRequest::Close);
        join(threads.next());
    }
}

fn join(thread: Option<JoinHandle<()>>) {
    // A thread that waits for itself would wait for ever.
    if let Some(thread) =
        thread.filter(|thread| thread.thread().id() != std::thread::current().id())
    {
        // A panic was reported where it happened.
        let _ = thread.join();
    }
}
