//! Who remembers what a person allowed for good.

use crate::error::Error;
use crate::model::Grant;

/// Remembers what a person allowed for good. It is called once for each answer, after the journal
/// has recorded it.
pub trait GrantWriter: Send + Sync + 'static {
    /// Keeps grants, all or none. It may block. Returns where they are kept, for people to find.
    ///
    /// # Errors
    /// If they cannot be kept; the answer counts for its run all the same.
    fn keep(&self, grants: &[Grant]) -> Result<String, Error>;
}

impl<F: Fn(&[Grant]) -> Result<String, Error> + Send + Sync + 'static> GrantWriter for F {
    fn keep(&self, grants: &[Grant]) -> Result<String, Error> {
        self(grants)
    }
}
