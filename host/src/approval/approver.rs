//! What an embedder brings: a way to ask a person.

use crate::model::{Answer, Question};
use futures_util::future::{BoxFuture, ready};

/// Asks a person.
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
    /// Asks, and waits as long as it takes. The future is dropped when somebody else has answered,
    /// or the question has expired. `None` says that nobody can be asked here; the run then leaves
    /// its question in the journal.
    ///
    /// An [`Answer`] is made from the question that was shown, and names the digest of each ask of
    /// it: the journal records it only if that is still what is asked, and a call goes out only
    /// against the same digest. Show [`Ask::short_digest`](crate::Ask::short_digest) with each ask,
    /// so that people can compare.
    fn ask(&self, question: Question) -> BoxFuture<'static, Option<Answer>>;
}

/// Nobody can be asked.
impl Approver for () {
    fn ask(&self, _: Question) -> BoxFuture<'static, Option<Answer>> {
        Box::pin(ready(None))
    }
}

/// Makes an approver of a function.
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
