//! Whether a call may go, and where it goes.
//!
//! In flows the name of a tool as a program spells it. [`Router::route`] returns who carries out
//! its calls, once; out flows a [`RoutedTool`], and a verdict on it: go, ask or deny. Then in flows
//! the [`Call`](crate::Call) and out its reply. The router never asks a person: `run` does.
//!
//! **Invariant:** a call goes to the provider that its tool was found at. Where it goes is decided
//! when the tool is found: before the policy decides about the call, and again just before the call
//! goes out.

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
pub(crate) use providers::{Provider, ProviderSet, Resolution, SLEEP};
pub(crate) use routed_tool::RoutedTool;
pub(crate) use router::Router;
pub use tools::{Tools, tools_from_fn};
pub(crate) use verdict::{ArgumentsRef, AskReason, PolicySubject, PolicyVerdict};
