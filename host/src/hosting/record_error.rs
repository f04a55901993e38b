//! The error of recording an answer.

use crate::error::Error;
use crate::model::{Code, QuestionId};
use thiserror::Error as ThisError;

/// The reason why an answer was not recorded.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum RecordError {
    /// The question in the journal differs from the one that was shown to the person who answered.
    #[error("the question is not the one that was shown: nothing was recorded")]
    NotShown {
        /// The question.
        question: QuestionId,
    },
    /// The journal failed.
    #[error("the answer could not be journalled")]
    Journal(#[source] Error),
}

impl From<RecordError> for Error {
    fn from(error: RecordError) -> Error {
        match error {
            RecordError::NotShown { .. } => Error::new(Code::Integrity, error.to_string())
                .with_hint("`pml approvals` shows what is asked now"),
            RecordError::Journal(error) => error,
        }
    }
}
