//! Lists the questions that are open on the terminal. While there is one, the progress
//! line is not drawn; at Ctrl-C, the user is shown how to answer it later.
//!
//! The list is global, because a process has one terminal and one set of signals.

use crate::execute::JournalStorage;
use crate::identify::short;
use crate::ui::{self, HINT};
use pml::Question;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// For each open question, the message that says how to answer it later.
static STANDING: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn standing() -> MutexGuard<'static, Vec<String>> {
    STANDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A question that is open on the terminal until this value is dropped.
pub(super) struct TerminalQuestion(String);

impl TerminalQuestion {
    /// Adds a question to the list.
    pub(super) fn new(question: &Question, kept: JournalStorage) -> TerminalQuestion {
        let way = way_back(question, kept);
        standing().push(way.clone());
        TerminalQuestion(way)
    }
}

impl Drop for TerminalQuestion {
    fn drop(&mut self) {
        let mut standing = standing();
        if let Some(at) = standing.iter().position(|way| *way == self.0) {
            standing.remove(at);
        }
    }
}

/// Reports whether a question is open.
pub(crate) fn stands() -> bool {
    !standing().is_empty()
}

/// Prints how to answer the open questions later, and empties the list.
pub(crate) fn say_what_waits() {
    let ways = std::mem::take(&mut *standing());
    for way in ways {
        ui::say(&format!("\n{way}"));
    }
}

fn way_back(question: &Question, kept: JournalStorage) -> String {
    match kept {
        JournalStorage::OnDisk => {
            let (id, run) = (short(question.id), short(question.run));
            format!(
                "pml: the question stays open\n\
                 {HINT}hint{HINT:#}: `pml approvals` lists it, `pml approve {id}` answers it, \
                 `pml run --resume {run}` asks again here"
            )
        }
        JournalStorage::InMemory => {
            "pml: the question is forgotten with this run: it was run with `--no-journal`".into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::way_back;
    use crate::execute::JournalStorage;
    use crate::identify::short;
    use crate::runs::fixture;
    use pml::{RunId, approval::AskKind};

    #[test]
    fn the_way_back_names_what_to_type() {
        let question = fixture::question(RunId::new(), AskKind::ToolPermission);
        let way = way_back(&question, JournalStorage::OnDisk);
        for part in [
            "`pml approvals`".to_owned(),
            format!("`pml approve {}`", short(question.id)),
            format!("`pml run --resume {}`", short(question.run)),
        ] {
            assert!(way.contains(&part), "{way}");
        }
        assert!(!way_back(&question, JournalStorage::InMemory).contains("pml approve"));
    }
}
