//! Secret values.

use std::fmt;

/// A secret: it cannot be printed or serialised by accident, and is overwritten when dropped.
///
/// ```
/// let key = pml::Secret::new("hunter2");
/// assert_eq!(format!("{key:?}"), "Secret(…)");
/// assert_eq!(key.reveal(), "hunter2");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Secret {
        Secret(value.into())
    }

    /// Returns the value itself. Every use of this deserves a review.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        let mut bytes = std::mem::take(&mut self.0).into_bytes();
        bytes.fill(0);
        std::hint::black_box(&bytes);
    }
}
