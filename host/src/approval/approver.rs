//! The trait through which an embedder asks a person.

use crate::model::{Answer, Question};
use futures_util::future::{BoxFuture, ready};

/// Asks a person about the calls of a run.
///
/// ```
/// use pml::{Answer, Approver, BoxFuture, Decision, Question};
///
/// struct Careful;
///
/// impl Approver for Careful {
///     fn ask(&self, question: Question) -> BoxFuture<'static, Option<Answer>> {
///         Box::pin(async move {
///             let harmless = question.asks.iter().all(|ask| ask.tool.starts_with("clock:"));
///             let decision = if harmless { Decision::Approve } else { Decision::Decline };
///             Some(Answer::all(&question, decision, "the night watch", "a rule"))
///         })
///     }
/// }
/// ```
pub trait Approver: Send + Sync + 'static {
    /// Shows a question and waits for the answer, however long it takes. The future is dropped when
    /// the question was answered elsewhere or has expired. Returns `None` if no person can be asked
    /// here; the question then stays open in the journal.
    ///
    /// An [`Answer`] is made from the question that was shown, and names the digest of each of its
    /// asks. The journal records it only if these digests still match, and a call is sent only if
    /// its ask has the approved digest. Show [`Ask::short_digest`](crate::Ask::short_digest) with
    /// each ask, so that people can compare.
    fn ask(&self, question: Question) -> BoxFuture<'static, Option<Answer>>;
}

/// An approver that can ask nobody: it always returns `None`.
impl Approver for () {
    fn ask(&self, _: Question) -> BoxFuture<'static, Option<Answer>> {
        Box::pin(ready(None))
    }
}

/// Makes an approver from a function.
///
/// ```
/// use pml::{Answer, Decision};
///
/// let approver = pml::approver_from_fn(|question| async move {
///     Some(Answer::all(&question, Decision::Approve, "tester", "a test"))
/// });
/// ```
pub fn approver_from_fn<F, R>(function: F) -> impl Approver
where
    F: Fn(Question) -> R + Send + Sync + 'static,
    R: Future<Output = Option<Answer>> + Send + 'static,
{
    struct Function<F>(F);

    impl<F, R> Approver for Function<F>
    where
        F: Fn(Question) -> R + Send + Sync + 'static,
        R: Future<Output = Option<Answer>> + Send + 'static,
    {
        fn ask(&self, question: Question) -> BoxFuture<'static, Option<Answer>> {
            Box::pin((self.0)(question))
        }
    }

    Function(function)
}
