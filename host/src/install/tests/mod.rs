//! Tests of the room as a whole, with a fake npm (`tests/kit/fakes/fake_npm.sh`) and with real
//! package managers.

#[cfg(unix)]
mod alive;
#[cfg(unix)]
mod clean_folder;
#[cfg(unix)]
mod install_fixture;
#[cfg(unix)]
mod installing;
#[cfg(unix)]
mod interrupted;
#[cfg(unix)]
mod progress;
#[cfg(unix)]
mod registries;
#[cfg(unix)]
mod resolving;
#[cfg(unix)]
mod sharing;

#[cfg(unix)]
use super::InstallationState;
#[cfg(unix)]
use alive::is_alive;
#[cfg(unix)]
use clean_folder::CleanFolder;
#[cfg(unix)]
use install_fixture::{InstallFixture, agreed, overwrite, spec};
#[cfg(unix)]
use pml_kit::{PATIENCE, eventually};
#[cfg(unix)]
use progress::{ignore_progress, record_progress};
