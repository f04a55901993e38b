//! Tests of the room as a whole, with servers that misbehave: `tests/kit/fakes/fake_server.py`.

mod calls;
mod eras;
mod fake_server;
mod hostile;
mod http;
mod lists;
#[cfg(unix)]
mod orphans;
mod processes;
mod secrets;
mod tls;

use super::Upstreams;
use calls::{assert_works, call, no_arguments};
use fake_server::{fake, project, upstreams, with_argument, with_cache, with_variable};
use pml_kit::{PATIENCE, eventually};
