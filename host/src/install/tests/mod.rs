//! Tests of the room as a whole, with a fake npm (`tests/kit/fakes/fake_npm.sh`) and with real
//! package managers.

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
mod waiting;

#[cfg(unix)]
use super::InstallationState;
#[cfg(unix)]
use install_fixture::{InstallFixture, agreed, spec};
#[cfg(unix)]
use progress::{ignore_progress, record_progress};
#[cfg(unix)]
use waiting::{LONG, eventually, is_alive};
