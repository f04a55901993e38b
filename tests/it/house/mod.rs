//! The tree itself: who uses whom, names, papers, dependencies, examples, and the guest artifact.

mod dependencies;
mod examples;
mod guest;
mod names;
mod papers;
mod rooms;
