//! The tree itself: who uses whom, dependencies, examples, and the guest artifact.

mod dependencies;
mod examples;
mod guest;
mod names;
mod rooms;
