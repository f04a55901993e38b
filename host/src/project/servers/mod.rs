//! The MCP servers of a project.
//!
//! Embedders hold a [`Servers`]. It consists of the servers themselves (`Upstreams`), the
//! connection to the cloud (`cloud`), the project as it was last read (`known_project`), the
//! packages that servers are started from (`packages`), and the records about them (`records`).
//! `needs` determines what a server lacks before it can be called, `offer` lists the tools of all
//! servers. The router decides which server gets a call, based on the `routing_facts`.

mod cloud;
mod known_project;
pub(crate) mod lock_gate;
mod lock_review;
pub(crate) mod needs;
mod offer;
mod packages;
mod project_lock;
mod records;
mod routing_facts;
#[expect(clippy::module_inception, reason = "the type that this room is named for")]
mod servers;
mod usage;
mod validator_cache;

pub use lock_review::LockReview;
pub use offer::{Freshness, ToolOffer, UnavailableServer};
pub(crate) use packages::call_error;
pub use packages::{PackageState, RequestedVersion};
pub use project_lock::LockMode;
pub(crate) use routing_facts::RoutingFacts;
pub use servers::Servers;
