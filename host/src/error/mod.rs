//! The crate's one error type. A script that fails is not an error: it is an
//! [`Outcome`](crate::Outcome).

#[expect(clippy::module_inception, reason = "the type that this room is named for")]
mod error;

pub use crate::model::{Code, ErrorClass, InvalidTimestamp};
pub use error::Error;
