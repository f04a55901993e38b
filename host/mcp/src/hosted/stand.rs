//! Where a hosted run stands, and the approver that says so.

use crate::answer::Answer;
use pml::{Approver, BoxFuture, Code, Question, QuestionId};
use std::sync::Arc;
use tokio::sync::watch;

/// Where a run stands.
#[derive(Clone)]
pub(crate) enum Stand {
    /// It goes on.
    Running,
    /// It waits for a person. The oldest question is the first.
    Asked(Vec<Question>),
    /// It is over, or cannot go on here.
    Over(Arc<Over>),
}

/// What a run came to.
pub(crate) struct Over {
    /// What the client is told.
    pub(crate) answer: Answer,
    /// What kept it from going on here, if it is not over.
    pub(crate) error: Option<Code>,
    /// Whether the client ended it.
    pub(crate) cancelled: bool,
}

/// An approver that never answers by itself: it says what is asked, and what is no longer.
pub(super) struct Noticeboard(pub(super) watch::Sender<Stand>);

impl Approver for Noticeboard {
    fn ask(&self, question: Question) -> BoxFuture<'static, Option<pml::Answer>> {
        let open = Open { stand: self.0.clone(), question: question.id };
        self.0.send_modify(|stand| match stand {
            Stand::Asked(open) => open.push(question),
            Stand::Running => *stand = Stand::Asked(vec![question]),
            Stand::Over(_) => {}
        });
        Box::pin(async move {
            let _open = open;
            std::future::pending().await
        })
    }
}

/// A question on the board. It is dropped when it was answered, given up or has expired.
struct Open {
    stand: watch::Sender<Stand>,
    question: QuestionId,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.stand.send_modify(|stand| {
            if let Stand::Asked(open) = stand {
                open.retain(|question| question.id != self.question);
                if open.is_empty() {
                    *stand = Stand::Running;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Noticeboard, Stand};
    use pml::{Approver, Question, RunId, Timestamp};
    use tokio::sync::watch;

    #[test]
    fn the_board_says_what_is_asked_and_what_is_no_longer() {
        let (stand, _) = watch::channel(Stand::Running);
        let board = Noticeboard(stand.clone());
        let question = || Question::new(RunId::new(), "x.ts", Timestamp(0), None, Vec::new());
        let open = || match &*stand.borrow() {
            Stand::Asked(open) => open.len(),
            _ => 0,
        };
        let (first, second) = (board.ask(question()), board.ask(question()));
        assert_eq!(open(), 2);
        drop(first);
        assert_eq!(open(), 1);
        drop(second);
        assert!(matches!(&*stand.borrow(), Stand::Running));
    }
}
