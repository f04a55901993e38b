//! What is pinned for servers, as whoever keeps a lock knows it.

use crate::error::Error;
use crate::model::PinnedPackage;

/// Knows which packages are pinned. It is given from outside: this room reads no lock.
pub(crate) trait PackagePins: Send + Sync {
    /// Returns the package that is pinned for a server, or `None`.
    ///
    /// # Errors
    /// If that cannot be read. Then nothing is installed.
    fn pinned(&self, server: &str) -> Result<Option<PinnedPackage>, Error>;
}

/// Nothing is pinned.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoPackagePins;

impl PackagePins for NoPackagePins {
    fn pinned(&self, _: &str) -> Result<Option<PinnedPackage>, Error> {
        Ok(None)
    }
}
