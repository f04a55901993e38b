//! npm: packages of a JavaScript registry.
//!
//! `npm view` resolves; `npm install --package-lock-only` says what would be installed, which is
//! checked; `npm ci` installs that.
//!
//! **Invariant:** npm reads the `.npmrc` of the folder that `--prefix` names, and of no other but
//! the user's own and the machine's: that folder is always one that we have just made, or one that
//! nothing is put into. **Invariant:** npm starts no program, unless scripts are allowed; these run
//! when all is fetched, and without any key.

mod find;
mod guard;
mod install;
mod package_lock;
mod program;
mod resolve;
mod scripts;
mod version;

pub(super) use find::find;
pub(super) use install::install;
pub(super) use program::program;
pub(super) use resolve::resolve;
