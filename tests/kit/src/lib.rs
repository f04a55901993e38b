//! What the tests of pml share: a place to run the binary in, and the tree that they look at.

mod counter;
mod cut;
mod environment;
mod fake_registry;
mod hooked;
mod programs;
pub mod real;
mod stdio_client;
mod terminal;
mod tree;

pub use counter::{Counter, Here, Still, There, careful, effects, reply};
pub use cut::{CutJournal, When};
pub use environment::{Output, TestEnv};
pub use fake_registry::FakeRegistry;
pub use hooked::Hooked;
pub use programs::{Generated, generate};
pub use stdio_client::StdioClient;
pub use terminal::Terminal;
pub use tree::{files_under, project_root};
