//! Holds a project's servers and tools against its lock, and against what this user approved.
//!
//! Input: a server as it would be started, or a tool as its server lists it. Output: an
//! [`EntryCheck`]. What is used for the first time is recorded once a person or the policy has
//! agreed to the call.
//!
//! | in the lock | approved by this user | outcome |
//! | --- | --- | --- |
//! | the same, or nothing | yes | as approved |
//! | something else that this user approved | yes | as approved; the lock is written |
//! | something else | | changed, compared with the lock |
//! | the same, or nothing | something else | changed, compared with what was approved |
//! | the same | nothing | locked: the policy decides |
//! | nothing | nothing | new: the policy decides |
//!
//! What starts a server, except its package, is approved by trust: nothing is started before this
//! user has trusted the files that say so. So only packages and tools count as new or changed
//! against what was approved.
//!
//! **Invariant:** the lock restricts and never allows. **Invariant:** a lock that cannot be read
//! refuses. **Invariant:** frozen, only what is in the lock as it is goes, and nothing is written.

use crate::error::Error;
use crate::install::PackagePins;
use crate::lock::{FileStamp, Lock, LockFile, LockedServer};
use crate::model::{ChangeBaseline, Code, PinnedPackage, ToolName, hex};
use crate::project::approved_entries::{ApprovedEntries, ApprovedFile};
use crate::project::{Project, ProjectJournal};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::warn;

/// What happens to an entry that is not in the lock, or differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LockMode {
    /// New entries are written once they are agreed to; a difference is asked about.
    #[default]
    Update,
    /// Nothing is written: what is not in the lock as it is, is refused.
    Frozen,
}

/// Whether an entry is what was locked and approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EntryCheck<T> {
    /// It is, and the lock has it.
    Recorded,
    /// It is; the lock does not have it yet.
    Approved,
    /// The lock has it, and this user never used it here.
    Locked,
    /// It was never used here, and the lock does not have it.
    New,
    /// It differs.
    Changed(ChangedEntry<T>),
}

/// What an entry was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangedEntry<T> {
    /// The earlier moment.
    pub(crate) since: ChangeBaseline,
    /// The entry at that moment, if it is still known.
    pub(crate) before: Option<T>,
}

/// The outcome for a tool: that of its server's entry, and that of its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolCheck {
    /// The server, as it was when it was started.
    pub(crate) server: EntryCheck<LockedServer>,
    /// The digest of its definition.
    pub(crate) tool: EntryCheck<String>,
}

impl<T> EntryCheck<T> {
    /// Reports whether the lock has the entry as it is.
    pub(crate) fn is_in_lock(&self) -> bool {
        match self {
            EntryCheck::Recorded | EntryCheck::Locked => true,
            EntryCheck::Changed(changed) => changed.since == ChangeBaseline::Approval,
            EntryCheck::Approved | EntryCheck::New => false,
        }
    }
}

impl ToolCheck {
    /// Reports whether nothing has to be asked or written.
    pub(crate) fn is_recorded(&self) -> bool {
        self.server == EntryCheck::Recorded && self.tool == EntryCheck::Recorded
    }
}

/// The lock of a project.
pub(crate) struct ProjectLock {
    file: LockFile,
    /// `None` if this user has no folder for it. Then nothing counts as approved.
    approved: Option<ApprovedFile>,
    mode: LockMode,
    /// Whether files may be written.
    writes: bool,
    state: Mutex<LockState>,
}

/// What was read, and what follows from it.
#[derive(Default)]
struct LockState {
    /// The stamp of the file that was read. `None` before the first reading.
    stamp: Option<Option<FileStamp>>,
    lock: Option<Arc<Lock>>,
    approved: ApprovedEntries,
    /// The entries of the servers as they were started.
    started: HashMap<String, LockedServer>,
    /// The outcomes so far, by server and tool, with the definition that they are about.
    checked: HashMap<String, HashMap<String, (Arc<str>, ToolCheck)>>,
}

impl ProjectLock {
    /// Returns the lock of a project. Nothing is read yet.
    pub(crate) fn of(project: &Project, mode: LockMode, writes: bool) -> ProjectLock {
        let journal = ProjectJournal::of(&project.root, &project.environment()).ok();
        ProjectLock {
            file: LockFile::in_folder(project.state_folder()),
            approved: journal.map(ApprovedFile::of),
            mode,
            writes,
            state: Mutex::default(),
        }
    }

    /// Returns the file.
    pub(crate) fn file(&self) -> &LockFile {
        &self.file
    }

    /// Returns the sha256 of the file, in hex, if there is one that can be read. It is not parsed:
    /// many programs make no call that is checked.
    pub(crate) fn file_digest(&self) -> Option<String> {
        self.file.text().ok()?.map(|text| hex(&Sha256::digest(text)))
    }

    /// Reports whether anything is recorded.
    pub(crate) fn records(&self) -> bool {
        self.writes && self.mode == LockMode::Update
    }

    /// Returns the entry that a server was started from.
    pub(crate) fn started(&self, server: &str) -> Option<LockedServer> {
        self.held().started.get(server).cloned()
    }

    /// Returns the mode.
    pub(crate) fn mode(&self) -> LockMode {
        self.mode
    }

    /// Returns the lock as it is on the disk now, or `None` if there is none.
    pub(crate) fn current(&self) -> Result<Option<Arc<Lock>>, Error> {
        Ok(self.read()?.lock.clone())
    }

    /// Checks a server as it would be started.
    pub(crate) fn check_server(
        &self,
        name: &str,
        now: &LockedServer,
    ) -> Result<EntryCheck<LockedServer>, Error> {
        let state = self.read()?;
        Ok(self.server_outcome(&state, name, now))
    }

    /// Notes that a server is started from this entry: its tools are checked with it from now on.
    pub(crate) fn note_started(&self, name: &str, now: LockedServer) {
        let mut state = self.held();
        state.checked.remove(name);
        state.started.insert(name.into(), now);
    }

    /// Checks a tool of a server that was started. A tool that was checked before is only looked
    /// up, as long as the file stays as it is.
    pub(crate) fn check_tool(
        &self,
        tool: &ToolName,
        definition: &Arc<str>,
    ) -> Result<ToolCheck, Error> {
        let mut state = self.read()?;
        if let Some((known, check)) =
            state.checked.get(tool.server()).and_then(|tools| tools.get(tool.tool()))
            && known == definition
        {
            return Ok(check.clone());
        }
        let check = self.tool_outcome(&state, tool, definition);
        let tools = state.checked.entry(tool.server().into()).or_default();
        tools.insert(tool.tool().into(), (definition.clone(), check.clone()));
        Ok(check)
    }

    /// Records that a server was approved as it is now.
    pub(crate) fn approve_server(&self, name: &str, now: &LockedServer) -> Result<(), Error> {
        self.record(name, now, None)
    }

    /// Records that a tool is used as it is now, and its server with it.
    pub(crate) fn approve_tool(&self, tool: &ToolName, definition: &str) -> Result<(), Error> {
        let started = self.held().started.get(tool.server()).cloned();
        let Some(started) = started else { return Ok(()) };
        self.record(tool.server(), &started, Some((tool, definition)))
    }

    /// Returns what this user approved in this project, whatever the lock has.
    pub(super) fn approved(&self) -> Result<ApprovedEntries, Error> {
        let approved = self.approved.as_ref().map(ApprovedFile::read).transpose()?;
        Ok(approved.unwrap_or_default())
    }

    /// Writes the whole lock, and records that this user approved these servers, as they are on
    /// this machine, and these definitions of tools.
    pub(crate) fn write_all(
        &self,
        before: Option<&str>,
        now: &Lock,
        servers: &BTreeMap<String, LockedServer>,
        tools: &BTreeMap<ToolName, String>,
    ) -> Result<bool, Error> {
        if !self.records() {
            return Err(Error::new(Code::Config, "nothing may be written from here")
                .with_hint("leave out `--frozen` and `--no-journal`"));
        }
        if let Some(approved) = &self.approved {
            let servers = servers.iter().map(|(name, server)| (name.as_str(), server));
            let tools = tools.iter().map(|(tool, definition)| (tool, definition.as_str()));
            approved.add(servers, tools)?;
        }
        let written = self.file.replace(before, now)?;
        let mut state = self.held();
        state.stamp = None;
        state.checked.clear();
        Ok(written)
    }

    fn record(
        &self,
        name: &str,
        now: &LockedServer,
        tool: Option<(&ToolName, &str)>,
    ) -> Result<(), Error> {
        if !self.records() {
            return Ok(());
        }
        // What was approved comes first: an entry of the lock that nobody approved would ask.
        let approved = self.approved.as_ref();
        let approved = approved.map(|file| file.add([(name, now)], tool)).transpose()?;
        let written = self.file.update(|lock| {
            let mut entry = LockedServer { tools: Default::default(), ..now.clone() };
            if let Some(before) = lock.servers.get(name) {
                entry.keep_from(before);
            }
            if let Some((tool, definition)) = tool {
                entry.tools.insert(tool.tool().into(), definition.into());
            }
            lock.servers.insert(name.into(), entry);
            Ok(())
        });
        match written {
            // A project in a folder that cannot be written to is used all the same: what was
            // approved is recorded.
            Err(error) if error.kind() != Code::LockInvalid => {
                warn!(target: "pml::trust", server = name, %error, "the lock is not written");
            }
            written => drop(written?),
        }
        let mut state = self.held();
        state.checked.remove(name);
        state.stamp = None;
        if let Some(approved) = approved {
            state.approved = approved;
        }
        Ok(())
    }

    fn server_outcome(
        &self,
        state: &LockState,
        name: &str,
        now: &LockedServer,
    ) -> EntryCheck<LockedServer> {
        let locked = state.lock.as_ref().and_then(|lock| lock.servers.get(name));
        let platform = now.platform();
        // An entry for other platforms says nothing about this one, except its version.
        let says_something = |locked: &&LockedServer| {
            locked.covers_platform(platform) || !locked.differences(now, platform).is_empty()
        };
        let locked = locked.filter(says_something);
        let digest = |server: &LockedServer| server.digest(platform);
        let approved = &state.approved;
        let approval = match now.package_digest(platform) {
            None => ApprovalState::Approved,
            Some(package) if approved.packages(name).any(|known| known == package) => {
                ApprovalState::Approved
            }
            Some(_) if approved.packages(name).next().is_some() => ApprovalState::Other,
            Some(_) => ApprovalState::Nothing,
        };
        let locked_digest = locked.map(digest);
        let locked_state = LockedState::of(locked_digest.as_deref(), &digest(now), |locked| {
            approved.has_server(name, locked)
        });
        outcome(locked_state, approval).check(|since| match since {
            ChangeBaseline::Lock => locked.cloned(),
            _ => approved.newest_server(name),
        })
    }

    fn tool_outcome(&self, state: &LockState, tool: &ToolName, definition: &str) -> ToolCheck {
        let server = match state.started.get(tool.server()) {
            Some(started) => self.server_outcome(state, tool.server(), started),
            None => EntryCheck::Recorded,
        };
        let lock = state.lock.as_ref().and_then(|lock| lock.servers.get(tool.server()));
        let locked = lock.and_then(|server| server.tools.get(tool.tool()));
        let approved = state.approved.definitions(tool);
        let is_approved = |definition: &str| approved.iter().any(|known| known == definition);
        let approval = match approved {
            [] => ApprovalState::Nothing,
            _ if is_approved(definition) => ApprovalState::Approved,
            _ => ApprovalState::Other,
        };
        let locked_state = LockedState::of(locked.map(String::as_str), definition, is_approved);
        let tool = outcome(locked_state, approval).check(|since| match since {
            ChangeBaseline::Lock => locked.cloned(),
            _ => approved.last().cloned(),
        });
        ToolCheck { server, tool }
    }

    /// Reads the lock and what was approved, if the lock has changed since it was last read.
    fn read(&self) -> Result<MutexGuard<'_, LockState>, Error> {
        let stamp = self.file.stamp();
        let mut state = self.held();
        if state.stamp.as_ref() != Some(&stamp) {
            let lock = self.file.read()?;
            let approved = self.approved.as_ref().map(ApprovedFile::read).transpose()?;
            state.approved = approved.unwrap_or_default();
            state.lock = lock.map(Arc::new);
            state.stamp = Some(stamp);
            state.checked.clear();
        }
        Ok(state)
    }

    fn held(&self) -> MutexGuard<'_, LockState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The package that the lock has for a server is the one that is installed.
impl PackagePins for ProjectLock {
    fn pinned(&self, server: &str) -> Result<Option<PinnedPackage>, Error> {
        let lock = self.current()?;
        Ok(lock.and_then(|lock| lock.servers.get(server)?.package.clone()))
    }
}

/// The refusal of something that is not in a frozen lock.
pub(super) fn not_locked(problems: &[String]) -> Error {
    let message = format!("the lock is frozen, and {}", problems.join("; "));
    Error::new(Code::NotLocked, message).with_hint(
        "`pml lock` shows what would be written, and writes it; commit `.pml/mcp.lock` then",
    )
}

/// What the lock has, compared with what is there now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LockedState {
    /// Nothing.
    Absent,
    /// The same.
    Same,
    /// Something else, which this user approved at another time.
    OtherApproved,
    /// Something else.
    Other,
}

impl LockedState {
    /// Compares what the lock has with what is there now, both by their digests.
    fn of(locked: Option<&str>, now: &str, is_approved: impl Fn(&str) -> bool) -> LockedState {
        match locked {
            None => LockedState::Absent,
            Some(locked) if locked == now => LockedState::Same,
            Some(locked) if is_approved(locked) => LockedState::OtherApproved,
            Some(_) => LockedState::Other,
        }
    }
}

/// What this user approved, compared with what is there now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ApprovalState {
    /// Nothing.
    Nothing,
    /// What is there now.
    Approved,
    /// Something else only.
    Other,
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Recorded,
    Approved,
    Locked,
    New,
    Changed(ChangeBaseline),
}

impl Outcome {
    /// Returns the outcome with what a changed entry was before.
    fn check<T>(self, before: impl FnOnce(ChangeBaseline) -> Option<T>) -> EntryCheck<T> {
        match self {
            Outcome::Recorded => EntryCheck::Recorded,
            Outcome::Approved => EntryCheck::Approved,
            Outcome::Locked => EntryCheck::Locked,
            Outcome::New => EntryCheck::New,
            Outcome::Changed(since) => {
                EntryCheck::Changed(ChangedEntry { since, before: before(since) })
            }
        }
    }
}

/// Decides what follows from the lock and from what this user approved.
fn outcome(locked: LockedState, approval: ApprovalState) -> Outcome {
    match (locked, approval) {
        (LockedState::Same, ApprovalState::Approved) => Outcome::Recorded,
        // Both are this user's own: the lock is of another branch, or from before an edit.
        (LockedState::Absent | LockedState::OtherApproved, ApprovalState::Approved) => {
            Outcome::Approved
        }
        (LockedState::Other | LockedState::OtherApproved, _) => {
            Outcome::Changed(ChangeBaseline::Lock)
        }
        (LockedState::Same, ApprovalState::Nothing) => Outcome::Locked,
        (LockedState::Absent, ApprovalState::Nothing) => Outcome::New,
        (LockedState::Same | LockedState::Absent, ApprovalState::Other) => {
            Outcome::Changed(ChangeBaseline::Approval)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ApprovalState, ChangeBaseline, LockedState, Outcome, outcome};

    #[test]
    fn the_lock_restricts_and_only_this_user_approves() {
        use ApprovalState as Approval;
        use LockedState as Locked;
        let changed = Outcome::Changed;
        for (locked, approval, expected) in [
            (Locked::Absent, Approval::Nothing, Outcome::New),
            (Locked::Absent, Approval::Approved, Outcome::Approved),
            (Locked::Absent, Approval::Other, changed(ChangeBaseline::Approval)),
            (Locked::Same, Approval::Nothing, Outcome::Locked),
            (Locked::Same, Approval::Approved, Outcome::Recorded),
            (Locked::Same, Approval::Other, changed(ChangeBaseline::Approval)),
            (Locked::OtherApproved, Approval::Nothing, changed(ChangeBaseline::Lock)),
            (Locked::OtherApproved, Approval::Approved, Outcome::Approved),
            (Locked::OtherApproved, Approval::Other, changed(ChangeBaseline::Lock)),
            (Locked::Other, Approval::Nothing, changed(ChangeBaseline::Lock)),
            (Locked::Other, Approval::Approved, changed(ChangeBaseline::Lock)),
            (Locked::Other, Approval::Other, changed(ChangeBaseline::Lock)),
        ] {
            assert_eq!(outcome(locked, approval), expected, "{locked:?} {approval:?}");
        }
    }
}
