//! What the tests of pml share: a place to run the binary in, and the tree that they look at.

mod environment;
mod tree;

pub use environment::{Output, TestEnv};
pub use tree::{files_under, project_root};
