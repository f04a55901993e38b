//! Says that this user installed something.
//!
//! A clone can bring a `deps.json` and packages that fit it. What it cannot bring is a seal: that
//! is made with a key which lies in the user's own state folder, and which no project ever sees.

use super::error::InstallError;
use crate::model::digest;
use crate::{config::UserKey, store::InstallationRecord};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::path::Path;

/// What the key is used for here: it seals other things elsewhere.
const PURPOSE: &[u8] = b"pml installation, version 1\n";

/// The user's key.
#[derive(Clone)]
pub(super) struct InstallationKey([u8; 32]);

impl InstallationKey {
    /// Returns the key that is kept in `home`, which is made if it is not there.
    pub(super) fn of(home: &Path) -> Result<InstallationKey, InstallError> {
        UserKey::at(home).load().map(InstallationKey).map_err(InstallError::State)
    }

    /// Returns the same installation with a seal.
    pub(super) fn seal(&self, mut installed: InstallationRecord) -> InstallationRecord {
        let seal = self.mac(&installed).finalize().into_bytes();
        installed.seal = crate::model::hex(&seal);
        installed
    }

    /// Returns whether the seal is this user's, and the installation what was sealed.
    pub(super) fn fits(&self, installed: &InstallationRecord) -> bool {
        let bytes = installed.seal.as_bytes();
        let pair = |pair: &[u8]| {
            let text = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(text, 16).ok()
        };
        let seal: Option<Vec<u8>> = bytes.chunks(2).map(pair).collect();
        seal.is_some_and(|seal| self.mac(installed).verify_slice(&seal).is_ok())
    }

    /// The project's folder is no part of it: a project that is moved keeps what it has.
    fn mac(&self, installed: &InstallationRecord) -> Hmac<Sha256> {
        let mut value = serde_json::to_value(installed).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            fields.remove("seal");
        }
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("any length makes a key for it");
        mac.update(PURPOSE);
        mac.update(digest(&value).as_bytes());
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::InstallationKey;
    use crate::model::{Ecosystem, Package, Timestamp};
    use crate::store::{InstallationRecord, StartedBy};

    fn installation() -> InstallationRecord {
        InstallationRecord {
            spec: "s".into(),
            package: Package::new("a", Ecosystem::Npm, "x", "1.0.0", "registry.example", "npx x"),
            folder: "npm/x@1.0.0".into(),
            digest: "sha256:1".into(),
            entry: "cli.js".into(),
            started_by: StartedBy::Node,
            installed_at: Timestamp(1),
            seal: String::new(),
        }
    }

    #[test]
    fn a_seal_fits_what_was_sealed_by_this_user_and_nothing_else() {
        let (mine, theirs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let key = InstallationKey::of(mine.path()).unwrap();
        let sealed = key.seal(installation());
        assert!(InstallationKey::of(mine.path()).unwrap().fits(&sealed));
        assert!(!InstallationKey::of(theirs.path()).unwrap().fits(&sealed));
        assert!(!key.fits(&installation()));
        for change in [
            |it: &mut InstallationRecord| it.digest = "sha256:2".into(),
            |it: &mut InstallationRecord| it.entry = "other.js".into(),
            |it: &mut InstallationRecord| it.folder = "npm/../..".into(),
            |it: &mut InstallationRecord| it.package.version = "1.0.1".into(),
            |it: &mut InstallationRecord| it.seal.push('0'),
            |it: &mut InstallationRecord| it.seal.clear(),
        ] {
            let mut changed = sealed.clone();
            change(&mut changed);
            assert!(!key.fits(&changed), "{changed:?}");
        }
    }

    #[test]
    fn a_damaged_key_is_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("state.key"), "short").unwrap();
        assert!(InstallationKey::of(home.path()).is_err());
    }
}
