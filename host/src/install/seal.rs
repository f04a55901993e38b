//! Seals records of installations, to prove that this user made them.
//!
//! The cache may have been filled by others: a shared folder, an archive, a clone. A seal is made
//! with a key in the user's state folder, which no project can read.

use super::error::InstallError;
use super::installation_record::InstallationRecord;
use crate::config::UserKey;
use crate::model::digest;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::path::Path;

/// Distinguishes these seals from others that are made with the same key.
const PURPOSE: &[u8] = b"pml installation, version 2\n";

/// Distinguishes the name of the key from seals.
const NAME_PURPOSE: &[u8] = b"pml installation, name of the key\n";

/// Characters of the name of a key.
const NAME_LENGTH: usize = 16;

/// The user's key for sealing installations.
#[derive(Clone)]
pub(super) struct InstallationKey([u8; 32]);

impl InstallationKey {
    /// Reads the key in `home`, and creates it if there is none.
    pub(super) fn load(home: &Path) -> Result<InstallationKey, InstallError> {
        UserKey::at(home).load().map(InstallationKey).map_err(InstallError::State)
    }

    /// Returns the record with its seal set.
    pub(super) fn seal(&self, mut installed: InstallationRecord) -> InstallationRecord {
        let seal = self.mac(&installed).finalize().into_bytes();
        installed.seal = crate::model::hex(&seal);
        installed
    }

    /// Reports whether the seal was made by this user for exactly this record.
    pub(super) fn verify(&self, installed: &InstallationRecord) -> bool {
        let bytes = installed.seal.as_bytes();
        let pair = |pair: &[u8]| {
            let text = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(text, 16).ok()
        };
        let seal: Option<Vec<u8>> = bytes.chunks(2).map(pair).collect();
        seal.is_some_and(|seal| self.mac(installed).verify_slice(&seal).is_ok())
    }

    /// Returns a name of the key, which does not reveal it.
    pub(super) fn id(&self) -> String {
        let mut mac = self.new_mac();
        mac.update(NAME_PURPOSE);
        crate::model::hex(&mac.finalize().into_bytes())[..NAME_LENGTH].to_owned()
    }

    fn new_mac(&self) -> Hmac<Sha256> {
        Hmac::<Sha256>::new_from_slice(&self.0).expect("any length makes a key for it")
    }

    fn mac(&self, installed: &InstallationRecord) -> Hmac<Sha256> {
        let mut value = serde_json::to_value(installed).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            fields.remove("seal");
        }
        let mut mac = self.new_mac();
        mac.update(PURPOSE);
        mac.update(digest(&value).as_bytes());
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::InstallationKey;
    use crate::install::installation_record::{InstallationRecord, StartedBy};
    use crate::model::{Ecosystem, Package, Timestamp};

    fn installation() -> InstallationRecord {
        InstallationRecord {
            name: "npm/x@1.0.0~k".into(),
            spec: "s".into(),
            package: Package::new("a", Ecosystem::Npm, "x", "1.0.0", "registry.example", "npx x"),
            closure: "c".into(),
            platform: "any".into(),
            digest: "sha256:1".into(),
            entry: "cli.js".into(),
            started_by: StartedBy::Node,
            size: 1,
            packages: 1,
            installed_at: Timestamp(1),
            seal: String::new(),
        }
    }

    #[test]
    fn a_seal_fits_what_was_sealed_by_this_user_and_nothing_else() {
        let (mine, theirs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let key = InstallationKey::load(mine.path()).unwrap();
        let sealed = key.seal(installation());
        assert!(InstallationKey::load(mine.path()).unwrap().verify(&sealed));
        assert!(!InstallationKey::load(theirs.path()).unwrap().verify(&sealed));
        assert!(!key.verify(&installation()));
        let other = InstallationKey::load(theirs.path()).unwrap();
        assert_eq!((key.id().len(), key.id() == other.id()), (16, false));
        for change in [
            |it: &mut InstallationRecord| it.digest = "sha256:2".into(),
            |it: &mut InstallationRecord| it.entry = "other.js".into(),
            |it: &mut InstallationRecord| it.name = "npm/y@1.0.0~k".into(),
            |it: &mut InstallationRecord| it.closure = "d".into(),
            |it: &mut InstallationRecord| it.platform = "other".into(),
            |it: &mut InstallationRecord| it.size = 2,
            |it: &mut InstallationRecord| it.package.version = "1.0.1".into(),
            |it: &mut InstallationRecord| it.seal.push('0'),
            |it: &mut InstallationRecord| it.seal.clear(),
        ] {
            let mut changed = sealed.clone();
            change(&mut changed);
            assert!(!key.verify(&changed), "{changed:?}");
        }
    }

    #[test]
    fn a_damaged_key_is_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("state.key"), "short").unwrap();
        assert!(InstallationKey::load(home.path()).is_err());
    }
}
