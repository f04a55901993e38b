//! npm: packages of a JavaScript registry.
//!
//! `npm view` resolves, `npm install` installs, and what it wrote into `package-lock.json` says what it installed.
//!
//! **Invariant:** npm reads the `.npmrc` of the folder that `--prefix` names, and of no other but the user's own and the machine's:
//! that folder is always one that we have just made, or one that nothing is put into.

mod entry;
mod find;
mod install;
mod resolve;
mod version;

pub(super) use entry::program;
pub(super) use find::find;
pub(super) use install::install;
pub(super) use resolve::resolve;
