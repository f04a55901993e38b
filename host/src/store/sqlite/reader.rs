//! The thread that reads, and polls for answers that other processes record.

use super::audit::{self, HeadFile};
use super::failure::OperationError;
use super::leases::SharedStoreState;
use super::load::number;
use super::open::connect;
use super::operation::{ReadRequest, ReplySender};
use super::owner::OwnerFolder;
use super::{answers, list, load};
use crate::model::RunId;
use crate::store::StoreError;
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Interval of polling for answers of other processes: a person does not notice the delay, and a
/// poll costs microseconds.
const POLL_INTERVAL: Duration = Duration::from_millis(40);

/// Reads the journal, in a thread of its own.
pub(super) struct StoreReader {
    shared: Arc<SharedStoreState>,
    owners: OwnerFolder,
    head: Option<HeadFile>,
    /// Opened by the first read: a command that only runs a program never reads.
    connection: Option<Connection>,
    position: Option<WatchPosition>,
}

/// The position up to which this reader has notified watchers.
#[derive(Clone, Copy)]
struct WatchPosition {
    /// Changes when another connection has written.
    version: i64,
    /// The id of the last decision.
    decision: i64,
}

impl StoreReader {
    /// Returns a reader, without opening a connection yet.
    pub(super) fn new(
        shared: Arc<SharedStoreState>,
        owners: OwnerFolder,
        head: Option<HeadFile>,
    ) -> StoreReader {
        StoreReader { shared, owners, head, connection: None, position: None }
    }

    /// Serves requests until `Close` arrives.
    pub(super) fn run(mut self, queue: &Receiver<ReadRequest>) {
        loop {
            let next = match self.shared.watchers.any_active() {
                true => queue.recv_timeout(POLL_INTERVAL),
                false => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match next {
                Ok(ReadRequest::Close) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(read) => self.serve(read),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // A failed poll is repeated soon; a caller that needs the data reads it, and gets the
            // error.
            let _ = self.poll_decisions();
        }
    }

    fn serve(&mut self, read: ReadRequest) {
        let (shared, owners) = (self.shared.clone(), self.owners.clone());
        match read {
            ReadRequest::Load { run, reply } => {
                self.read(reply, |connection| load::load(connection, &shared.path, run));
            }
            ReadRequest::Decided { run, reply } => self.read(reply, |connection| {
                Ok(answers::decisions(connection, number(connection, run)?)?)
            }),
            ReadRequest::Question { id, now, reply } => {
                self.read(reply, |connection| Ok(answers::question(connection, id, now)?));
            }
            ReadRequest::Questions { run, now, reply } => self.read(reply, |connection| {
                let run = match run.map(|run| number(connection, run)).transpose() {
                    // An unknown run has no questions.
                    Err(OperationError::Refused(_)) => return Ok(Vec::new()),
                    run => run?,
                };
                Ok(answers::open_questions(connection, run, now)?)
            }),
            ReadRequest::Runs { filter, now, reply } => {
                self.read(reply, |connection| list::runs(connection, &owners, &filter, now));
            }
            ReadRequest::Audited { filter, reply } => {
                let head = self.head.clone();
                self.read(reply, |connection| Ok(audit::read(connection, head.as_ref(), &filter)?));
            }
            ReadRequest::Watch { run } => {
                let _ = self.start_watch(run);
            }
            ReadRequest::Close => {}
        }
    }

    /// Runs `work` on a snapshot of the journal, and sends its result.
    fn read<T>(
        &mut self,
        reply: ReplySender<T>,
        work: impl FnOnce(&Connection) -> Result<T, OperationError>,
    ) {
        let path = self.shared.path.clone();
        let result = self.connection().and_then(|connection| {
            let snapshot = connection.unchecked_transaction().map_err(OperationError::from);
            snapshot
                .and_then(|snapshot| work(&snapshot))
                .map_err(|error| error.into_store_error(&path))
        });
        // The receiver may have been dropped.
        let _ = reply.send(result);
    }

    fn connection(&mut self) -> Result<&Connection, StoreError> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let connection = connect(&self.shared.path)?;
                let set = connection.pragma_update(None, "query_only", true);
                set.map_err(|error| {
                    OperationError::from(error).into_store_error(&self.shared.path)
                })?;
                connection
            }
        };
        Ok(self.connection.insert(connection))
    }

    /// Sets the position to poll from, and notifies a new watcher of earlier decisions.
    fn start_watch(&mut self, run: RunId) -> Result<(), OperationError> {
        let position = self.position;
        let connection = self.connection()?;
        let position = match position {
            Some(position) => position,
            None => WatchPosition {
                version: version(connection)?,
                decision: last_decision(connection)?,
            },
        };
        let sql = "SELECT EXISTS (SELECT 1 FROM runs JOIN questions ON questions.run = runs.number \
                   JOIN decisions ON decisions.question = questions.number WHERE runs.id = ?1)";
        let mut statement = connection.prepare_cached(sql)?;
        let decided = statement.query_row([run.as_bytes()], |row| row.get::<_, bool>(0))?;
        drop(statement);
        self.position = Some(position);
        if decided {
            self.shared.watchers.notify(run);
        }
        Ok(())
    }

    /// Notifies the watchers of runs that have new decisions.
    fn poll_decisions(&mut self) -> Result<(), OperationError> {
        let Some(mut position) = self.position else { return Ok(()) };
        let shared = self.shared.clone();
        let connection = self.connection()?;
        let version = version(connection)?;
        if version == position.version {
            return Ok(());
        }
        position.version = version;
        let sql = "SELECT decisions.id, runs.id FROM decisions \
                   JOIN questions ON questions.number = decisions.question \
                   JOIN runs ON runs.number = questions.run \
                   WHERE decisions.id > ?1 ORDER BY decisions.id";
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query([position.decision])?;
        while let Some(row) = rows.next()? {
            position.decision = row.get(0)?;
            shared.watchers.notify(RunId::from_bytes(row.get(1)?));
        }
        drop(rows);
        drop(statement);
        self.position = Some(position);
        Ok(())
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
}

fn last_decision(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT coalesce(max(id), 0) FROM decisions";
    connection.query_row(sql, [], |row| row.get(0))
}
