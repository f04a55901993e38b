//! The machine: whether programs can run on it, and whether their journal can be kept.

use super::check::Check;
use crate::{Config, Durability, Engine, Error, GUEST_DIGEST, ProjectState, Store, escape};
use std::path::Path;

const AREA: &str = "machine";

/// Digits of a digest that tell one from another.
const DIGITS: usize = 12;

/// Looks at the machine, and at the place for the journal of the project at `root`.
pub(super) fn checks(root: &Path) -> Vec<Check> {
    let digest = &GUEST_DIGEST[..DIGITS.min(GUEST_DIGEST.len())];
    let version = env!("CARGO_PKG_VERSION");
    vec![
        Check::fine(AREA, format!("pml {version}, guest sha256:{digest}")),
        sandbox(),
        journal(root),
    ]
}

fn sandbox() -> Check {
    let mut config = Config::new();
    config.runs(1);
    match Engine::new(&config) {
        Ok(_) => Check::fine(AREA, "programs can run in the sandbox"),
        Err(error) => Check::error(AREA, &error),
    }
}

fn journal(root: &Path) -> Check {
    let folder = root.join(ProjectState::FOLDER);
    let shown = escape(&folder.to_string_lossy()).into_owned();
    // Looking must not make it.
    if folder.join("state.db").exists() {
        return match Store::open(&folder, Durability::Process) {
            Ok(_) => Check::fine(AREA, format!("the journal opens: {shown}")),
            Err(error) => Check::error(AREA, &Error::from(error)),
        };
    }
    let place = if folder.exists() { folder.as_path() } else { root };
    match is_writable(place) {
        true => {
            Check::fine(AREA, format!("there is no journal yet; the first run makes it: {shown}"))
        }
        false => {
            let place = escape(&place.to_string_lossy()).into_owned();
            Check::failure(
                AREA,
                format!("the journal cannot be made, the folder is read-only: {place}"),
            )
            .hint("make it writable, or run programs with `--no-journal`")
        }
    }
}

#[cfg(unix)]
fn is_writable(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(folder: &Path) -> bool {
    folder.metadata().is_ok_and(|found| !found.permissions().readonly())
}
