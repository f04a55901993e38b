//! The store: a handle on the journal in a file.

use super::audit::{HeadFile, TrailWriter};
use super::failure::io_failure;
use super::leases::SharedStoreState;
use super::open::{open, prepare_folder};
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

/// A journal in a file, shared by all processes of a project. Clones share everything.
///
/// Dropping the last clone finishes all queued operations, and waits for them.
#[derive(Clone)]
pub struct Store {
    inner: Arc<StoreInner>,
}

struct StoreInner {
    shared: Arc<SharedStoreState>,
    durability: Durability,
    writer: Arc<SharedWriter>,
    reads: Sender<ReadRequest>,
    /// The thread of the writer, then that of the reader: the order in which they end.
    threads: Vec<JoinHandle<()>>,
}

impl Store {
    /// Opens or creates the journal in `folder`. Anyone who can write there can answer questions:
    /// choose a folder that no project and no other user can change, such as
    /// [`Project::journal_folder`](crate::Project::journal_folder).
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be used, the file is not a journal or is damaged, a newer pml
    /// wrote it, or its schema is not that of its version. In all these cases the file is left as
    /// it is.
    pub fn open(folder: impl AsRef<Path>, durability: Durability) -> Result<Store, StoreError> {
        Store::open_with(folder.as_ref(), durability, |_| None)
    }

    /// Does the same, and stores the end of the audit trail in `heads`: a folder of this user's
    /// own, which no project may change. The folder is created when the first entry is written.
    /// Readers of the trail can then detect that its end was cut off, or that all of it was
    /// rewritten.
    ///
    /// # Errors
    ///
    /// As for [`Store::open`].
    pub fn open_with_heads(
        folder: impl AsRef<Path>,
        durability: Durability,
        heads: impl AsRef<Path>,
    ) -> Result<Store, StoreError> {
        let head = |journal: &Path| Some(HeadFile::of(heads.as_ref(), journal));
        Store::open_with(folder.as_ref(), durability, head)
    }

    /// Reports whether `heads` has the end of an audit trail in `folder`, or cannot be read.
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
        // The reader opens the file again later, perhaps from another working directory.
        let folder = &std::path::absolute(folder)
            .map_err(|error| io_failure("find the folder", folder, error))?;
        let (connection, path) = open(folder)?;
        let head = head(&path);
        let owners = OwnerFolder::of(folder);
        owners.remove_dead();
        let (operations, operation_queue) = channel();
        let (reads, read_queue) = channel();
        let shared = Arc::new(SharedStoreState::new(path, operations));
        let reader = StoreReader::new(shared.clone(), owners.clone(), head.clone());
        let (owner, to_reader) = (OwnerLock::new(owners), reads.clone());
        let (queue, trail, shared_state) =
            (operation_queue, TrailWriter::new(head), shared.clone());
        let writer =
            StoreWriter::new(connection, shared_state, owner, durability, trail, queue, to_reader);
        let writer = Arc::new(SharedWriter::new(writer));
        let _ = shared.writer.set(Arc::downgrade(&writer));
        let worker = writer.clone();
        let inner = StoreInner { shared, durability, writer, reads, threads: Vec::new() };
        // If a step fails from here on, the drop ends the threads in order.
        let mut store = Store { inner: Arc::new(inner) };
        store.start("pml journal", move || worker.run())?;
        store.inner.writer.set_thread(store.inner.threads[0].thread().clone());
        store.start("pml journal reader", move || reader.run(&read_queue))?;
        Ok(store)
    }

    /// Creates `folder`, a project's `.pml`, if it does not exist: for this user only, and excluded
    /// from version control. Removes the permissions of others from an existing one.
    ///
    /// # Errors
    ///
    /// If it cannot be created or changed, is a link or not a folder, or belongs to another user.
    pub fn make_folder(folder: impl AsRef<Path>) -> Result<(), StoreError> {
        prepare_folder(folder.as_ref())
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

    /// Returns the durability that it was opened with.
    pub fn durability(&self) -> Durability {
        self.inner.durability
    }

    /// Returns the counts of what was written since it was opened.
    pub fn statistics(&self) -> Statistics {
        self.inner.shared.counters.read()
    }

    /// Queues an operation for the writer.
    pub(super) fn write<T: Send + 'static>(
        &self,
        operation: impl FnOnce(ReplySender<T>) -> Operation,
    ) -> JournalFuture<T> {
        let (reply, answer) = oneshot::channel();
        // If the writer has ended, the reply is dropped, which is reported as `Closed`.
        let _ = self.inner.shared.operations.send(operation(reply));
        self.inner.writer.wake_unless_polling();
        let writer = self.inner.writer.clone();
        Box::pin(async move {
            writer.write_if_free();
            answer.await.unwrap_or(Err(StoreError::Closed))
        })
    }

    /// Queues a read, which follows all operations queued for the writer before.
    pub(super) fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(ReplySender<T>) -> ReadRequest,
    ) -> JournalFuture<T> {
        self.write(|reply| Operation::Read(read(reply)))
    }

    /// Returns the state that the threads share.
    pub(super) fn shared(&self) -> &SharedStoreState {
        &self.inner.shared
    }

    /// Sends a request to the reader directly, not through the writer's queue.
    pub(super) fn send_to_reader(&self, read: ReadRequest) {
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
        // Leases hold the writer's queue as well, so it does not close by itself.
        let mut threads = self.threads.drain(..);
        let _ = self.shared.operations.send(Operation::Close);
        self.writer.wake();
        join(threads.next());
        let _ = self.reads.send(ReadRequest::Close);
        join(threads.next());
    }
}

fn join(thread: Option<JoinHandle<()>>) {
    // A thread that joined itself would wait for ever.
    if let Some(thread) =
        thread.filter(|thread| thread.thread().id() != std::thread::current().id())
    {
        // A panic was reported where it happened.
        let _ = thread.join();
    }
}
