//! The interface for writing grants.

use crate::error::Error;
use crate::model::Grant;

/// Writes grants. It is called once for each answer, after the journal has recorded it.
pub trait GrantWriter: Send + Sync + 'static {
    /// Writes grants, all or none. It may block. Returns where they were written, to show to
    /// people.
    ///
    /// # Errors
    /// If they cannot be written; the answer still counts for its run.
    fn write_grants(&self, grants: &[Grant]) -> Result<String, Error>;
}

impl<F: Fn(&[Grant]) -> Result<String, Error> + Send + Sync + 'static> GrantWriter for F {
    fn write_grants(&self, grants: &[Grant]) -> Result<String, Error> {
        self(grants)
    }
}
