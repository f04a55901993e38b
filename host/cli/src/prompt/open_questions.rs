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
static OPEN_QUESTIONS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn open_questions() -> MutexGuard<'static, Vec<String>> {
    OPEN_QUESTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A question that is open on the terminal until this value is dropped.
pub(super) struct TerminalQuestion(String);

impl TerminalQuestion {
    /// Adds a question to the list.
    pub(super) fn new(question: &Question, storage: JournalStorage) -> TerminalQuestion {
        let message = how_to_answer(question, storage);
        open_questions().push(message.clone());
        TerminalQuestion(message)
    }
}

impl Drop for TerminalQuestion {
    fn drop(&mut self) {
        let mut open_questions = open_questions();
        if let Some(at) = open_questions.iter().position(|message| *message == self.0) {
            open_questions.remove(at);
        }
    }
}

/// Reports whether a question is open.
pub(crate) fn has_open_question() -> bool {
    !open_questions().is_empty()
}

/// Prints how to answer the open questions later, and empties the list. Reports whether there was
/// one.
pub(crate) fn print_open_questions() -> bool {
    let messages = std::mem::take(&mut *open_questions());
    messages.iter().for_each(|message| ui::alert(&format!("\n{message}")));
    !messages.is_empty()
}

fn how_to_answer(question: &Question, storage: JournalStorage) -> String {
    match storage {
        JournalStorage::OnDisk => {
            let (id, run) = (short(question.id), short(question.run));
            format!(
                "pml: the question stays open\n\
                 {HINT}hint{HINT:#}: `pml run --resume {run}` asks it again here, `pml approve {id}` answers it, \
                 `pml approvals` lists all open questions"
            )
        }
        JournalStorage::InMemory => {
            "pml: the question and its run are gone, because of `--no-journal`".into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::how_to_answer;
    use crate::execute::JournalStorage;
    use crate::identify::short;
    use crate::runs::fixture;
    use pml::{RunId, approval::AskKind};

    #[test]
    fn the_way_back_names_what_to_type() {
        let question = fixture::question(RunId::new(), AskKind::ToolPermission);
        let message = how_to_answer(&question, JournalStorage::OnDisk);
        for part in [
            "`pml approvals`".to_owned(),
            format!("`pml approve {}`", short(question.id)),
            format!("`pml run --resume {}`", short(question.run)),
        ] {
            assert!(message.contains(&part), "{message}");
        }
        assert!(!how_to_answer(&question, JournalStorage::InMemory).contains("pml approve"));
    }
}
