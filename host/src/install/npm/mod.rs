//! npm: packages of a JavaScript registry.
//!
//! `npm view` resolves. `npm install --package-lock-only` writes a lock file, which is checked
//! and becomes a closure. `npm ci` installs what a closure lists.
//!
//! **Invariant:** npm reads the `.npmrc` of the folder that `--prefix` names, that of the user and
//! that of the machine, and no other. The `--prefix` folder is always new or empty. **Invariant:**
//! npm starts no program, unless scripts are allowed. Scripts run after everything is fetched, and
//! without any key.

mod closure;
mod closure_files;
mod declared;
mod find;
mod guard;
mod install;
mod lock;
mod package_lock;
mod program;
mod resolve;
mod scripts;
mod version;

pub(super) use find::find;
pub(super) use install::install;
pub(super) use program::program;
pub(super) use resolve::{registry, resolve};
