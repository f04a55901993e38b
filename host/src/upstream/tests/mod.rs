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
mod waiting;

use super::Upstreams;
use calls::{call, none, works};
use fake_server::{fake, project, remembering, upstreams, with_argument, with_variable};
use waiting::{LONG, eventually};
