//! The state of a hosted run, and the approver that publishes its questions.

use super::EndedRun;
use crate::approval::Approver;
use crate::model::{Answer, Question, QuestionId};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::sync::watch;

/// The state of a run.
#[derive(Clone, Debug)]
pub enum HostedRunState {
    /// It runs.
    Running,
    /// It waits for a person. The oldest question comes first.
    Asking(Vec<Question>),
    /// It is over, or cannot continue here.
    Ended(Arc<EndedRun>),
}

/// An approver that answers no question itself. It publishes open questions, and withdraws those
/// that are no longer open.
pub(super) struct QuestionPublisher(pub(super) watch::Sender<HostedRunState>);

impl Approver for QuestionPublisher {
    fn ask(&self, question: Question) -> BoxFuture<'static, Option<Answer>> {
        let published = PublishedQuestion { state: self.0.clone(), question: question.id };
        self.0.send_modify(|state| match state {
            HostedRunState::Asking(open) => open.push(question),
            HostedRunState::Running => *state = HostedRunState::Asking(vec![question]),
            HostedRunState::Ended(_) => {}
        });
        Box::pin(async move {
            let _published = published;
            std::future::pending().await
        })
    }
}

/// A published question. It is dropped when it was answered, was withdrawn or has expired.
struct PublishedQuestion {
    state: watch::Sender<HostedRunState>,
    question: QuestionId,
}

impl Drop for PublishedQuestion {
    fn drop(&mut self) {
        self.state.send_modify(|state| {
            if let HostedRunState::Asking(open) = state {
                open.retain(|question| question.id != self.question);
                if open.is_empty() {
                    *state = HostedRunState::Running;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{HostedRunState, QuestionPublisher};
    use crate::approval::Approver;
    use crate::model::{Question, RunId, Timestamp};
    use tokio::sync::watch;

    #[test]
    fn the_state_has_what_is_asked_and_not_what_was_asked() {
        let (state, _) = watch::channel(HostedRunState::Running);
        let publisher = QuestionPublisher(state.clone());
        let question = || Question::new(RunId::new(), "x.ts", Timestamp(0), None, Vec::new());
        let open = || match &*state.borrow() {
            HostedRunState::Asking(open) => open.len(),
            _ => 0,
        };
        let (first, second) = (publisher.ask(question()), publisher.ask(question()));
        assert_eq!(open(), 2);
        drop(first);
        assert_eq!(open(), 1);
        drop(second);
        assert!(matches!(&*state.borrow(), HostedRunState::Running));
    }
}
