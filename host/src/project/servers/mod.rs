//! The MCP servers of a project.
//!
//! [`Servers`] is what embedders hold. It consists of the servers themselves (`Upstreams`), the
//! connection to the cloud (`cloud`), the project as it was last read (`known_project`), the
//! packages that servers are started from (`packages`), and what is recorded of them (`records`).
//! `needs` says what a server lacks before it can be called, `offer` what all servers offer. Which
//! server a call goes to is the router's to say, from the `routing_facts`.

mod cloud;
mod known_project;
pub(crate) mod needs;
mod offer;
mod packages;
mod records;
mod routing_facts;
#[expect(clippy::module_inception, reason = "the type that this room is named for")]
mod servers;
mod usage;
mod validator_cache;

pub use offer::{Freshness, ToolOffer, UnavailableServer};
pub use packages::PackageState;
pub(crate) use routing_facts::RoutingFacts;
pub use servers::Servers;
