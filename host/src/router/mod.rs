//! Decides whether a call may be sent, and where.
//!
//! Input: the name of a tool as the program spells it. [`Router::route`] assigns the provider that
//! carries out its calls, once. Output: a [`RoutedTool`], and a verdict on it: go, ask or deny.
//! Then the provider gets the [`Call`](crate::Call) and returns its reply. The router never asks a
//! person: `run` does.
//!
//! **Invariant:** a call is sent to the provider at which its tool was found. The provider is
//! determined when the tool is found: before the policy decides on the call, and again just before
//! the call is sent.

mod grants;
#[cfg(feature = "servers")]
mod names;
mod paths;
#[cfg(all(test, feature = "servers"))]
mod permanent_grant_tests;
mod policy;
mod providers;
#[cfg(feature = "servers")]
mod route;
mod routed_tool;
#[expect(clippy::module_inception, reason = "the type that this room is named for")]
mod router;
mod tools;
mod verdict;

pub use policy::{Policy, PolicyDecision};
pub use providers::BUILT_IN;
pub use providers::Resolution;
pub(crate) use providers::{Provider, ProviderSet, SLEEP};
pub(crate) use routed_tool::RoutedTool;
pub(crate) use router::Router;
pub use tools::{Tools, tools_from_fn};
pub(crate) use verdict::{ArgumentsRef, AskReason, PolicySubject, PolicyVerdict};
