//! Where a hosted run stands, and the approver that says so.

use crate::answer::ToolAnswer;
use pml::{Approver, BoxFuture, Code, Question, QuestionId};
use std::sync::Arc;
use tokio::sync::watch;

/// Where a run stands.
#[derive(Clone)]
pub(crate) enum HostedRunState {
    /// It goes on.
    Running,
    /// It waits for a person. The oldest question is the first.
    Asking(Vec<Question>),
    /// It is over, or cannot go on here.
    Ended(Arc<EndedRun>),
}

/// What a run came to.
pub(crate) struct EndedRun {
    /// What the client is told.
    pub(crate) answer: ToolAnswer,
    /// What kept it from going on here, if it is not over.
    pub(crate) error: Option<Code>,
    /// Whether the client ended it.
    pub(crate) cancelled: bool,
}

/// An approver that never answers by itself: it says what is asked, and what is no longer.
pub(super) struct QuestionPublisher(pub(super) watch::Sender<HostedRunState>);

impl Approver for QuestionPublisher {
    fn ask(&self, question: Question) -> BoxFuture<'static, Option<pml::Answer>> {
        let open = PublishedQuestion { stand: self.0.clone(), question: question.id };
        self.0.send_modify(|stand| match stand {
            HostedRunState::Asking(open) => open.push(question),
            HostedRunState::Running => *stand = HostedRunState::Asking(vec![question]),
            HostedRunState::Ended(_) => {}
        });
        Box::pin(async move {
            let _open = open;
            std::future::pending().await
        })
    }
}

/// A question on the board. It is dropped when it was answered, given up or has expired.
struct PublishedQuestion {
    stand: watch::Sender<HostedRunState>,
    question: QuestionId,
}

impl Drop for PublishedQuestion {
    fn drop(&mut self) {
        self.stand.send_modify(|stand| {
            if let HostedRunState::Asking(open) = stand {
                open.retain(|question| question.id != self.question);
                if open.is_empty() {
                    *stand = HostedRunState::Running;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{HostedRunState, QuestionPublisher};
    use pml::{Approver, Question, RunId, Timestamp};
    use tokio::sync::watch;

    #[test]
    fn the_board_says_what_is_asked_and_what_is_no_longer() {
        let (stand, _) = watch::channel(HostedRunState::Running);
        let board = QuestionPublisher(stand.clone());
        let question = || Question::new(RunId::new(), "x.ts", Timestamp(0), None, Vec::new());
        let open = || match &*stand.borrow() {
            HostedRunState::Asking(open) => open.len(),
            _ => 0,
        };
        let (first, second) = (board.ask(question()), board.ask(question()));
        assert_eq!(open(), 2);
        drop(first);
        assert_eq!(open(), 1);
        drop(second);
        assert!(matches!(&*stand.borrow(), HostedRunState::Running));
    }
}
