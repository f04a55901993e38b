//! Lists the tools of all servers, from a cache or from the servers themselves.

use super::Servers;
use super::lock_gate::StartCheck;
use super::packages::PackageReadiness;
use crate::model::{Code, Definition};
use crate::upstream::{ServerTools, UpstreamError};
use futures_util::stream::{self, StreamExt};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Number of servers that are started at the same time for listing.
const MAX_CONCURRENT: usize = 8;

/// The allowed source of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Freshness {
    /// The last listing of a server that does not run is good enough; a server that never ran is
    /// started.
    #[default]
    CachedOrLive,
    /// Every server is started and asked.
    Live,
    /// No server is started: one that never ran has no tools.
    CachedOnly,
}

/// The tools of servers.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolOffer {
    /// All tools, by server and name.
    pub definitions: Vec<Arc<Definition>>,
    /// The servers that did not answer.
    pub unavailable: Vec<UnavailableServer>,
}

/// A server that does not answer.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct UnavailableServer {
    /// The server.
    pub server: String,
    /// The error code.
    pub code: Code,
    /// The reason, for people.
    pub reason: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Servers {
    /// Returns the tools of the servers for which `wanted` is true, and waits no longer than
    /// `patience` in total. Slower servers continue to start.
    pub async fn query_tools(
        &self,
        wanted: impl Fn(&str) -> bool,
        freshness: Freshness,
        patience: Duration,
    ) -> ToolOffer {
        let facts = self.routing();
        // A project that is no longer trusted starts no server.
        let trusted =
            |name: &String| facts.untrusted.is_none() || self.upstreams().is_running(name);
        let names = self.names().into_iter().filter(|name| wanted(name) && trusted(name));
        let end = Instant::now() + patience;
        let asked = names.zip(0_usize..).map(|(name, place)| {
            let listing = self.clone().listing(name, freshness, end);
            async move { (place, listing.await) }
        });
        let mut answers: Vec<_> =
            stream::iter(asked).buffer_unordered(MAX_CONCURRENT).collect().await;
        answers.sort_by_key(|(place, _)| *place);
        let mut offer = ToolOffer::default();
        for (_, answer) in answers {
            match answer {
                Ok(listing) => {
                    let tools = listing.tools().iter().map(|tool| tool.definition.clone());
                    offer.definitions.extend(tools);
                }
                Err(unavailable) => offer.unavailable.push(unavailable),
            }
        }
        for (server, reason) in facts.unusable.iter().filter(|(server, _)| wanted(server)) {
            let (server, reason) = (server.clone(), reason.clone());
            let code = Code::ServerFailed;
            offer.unavailable.push(UnavailableServer { server, code, reason, hint: None });
        }
        if let Some(reason) = &facts.untrusted {
            let (server, reason) = ("*".into(), reason.to_string());
            let hint = Some("`pml trust` trusts it".into());
            let code = Code::Untrusted;
            offer.unavailable.push(UnavailableServer { server, code, reason, hint });
        }
        offer
    }

    async fn listing(
        self,
        server: String,
        freshness: Freshness,
        end: Instant,
    ) -> Result<Arc<ServerTools>, UnavailableServer> {
        let upstreams = self.upstreams().clone();
        let known = upstreams.current_tools(&server).or_else(|| match freshness {
            Freshness::CachedOrLive | Freshness::CachedOnly => upstreams.cached_tools(&server),
            Freshness::Live => None,
        });
        if let Some(listing) = known {
            return Ok(listing);
        }
        if freshness == Freshness::CachedOnly {
            let reason = "its tools are not known yet, and this command does not start it".into();
            return Err(UnavailableServer { server, code: Code::ServerFailed, reason, hint: None });
        }
        // Listing the tools of a server does not install it.
        let missing = match self.packages().readiness(&server).await {
            Ok(PackageReadiness::NotNeeded | PackageReadiness::Installed(_)) => None,
            Ok(PackageReadiness::Missing(spec)) => {
                Some(format!("its package `{}` is not installed", spec.written()))
            }
            Ok(PackageReadiness::Changed(_)) => {
                Some("its package has changed since it was installed".into())
            }
            Err(error) => {
                let (code, reason) = (error.kind(), error.to_string());
                let hint = error.hint().map(Into::into);
                return Err(UnavailableServer { server, code, reason, hint });
            }
        };
        if let Some(reason) = missing {
            let hint = Some(format!(
                "`pml install {server}` installs it, and so does a person's yes to a call of it"
            ));
            return Err(UnavailableServer { server, code: Code::ServerFailed, reason, hint });
        }
        if let Some(gate) = self.lock_gate()
            && !self.upstreams().is_running(&server)
        {
            let unavailable =
                |server, code, reason, hint| UnavailableServer { server, code, reason, hint };
            match gate.check_start(&server).await {
                Ok(StartCheck::Agreed) => {}
                Ok(StartCheck::Changed(change)) => {
                    let parts: Vec<_> = change.differences.iter().map(|it| &*it.part).collect();
                    let reason = format!("it is not what was approved: {}", parts.join(", "));
                    let hint = "`pml lock` shows the difference and asks, and so does a call of it";
                    return Err(unavailable(server, Code::Integrity, reason, Some(hint.into())));
                }
                Err(error) => {
                    let (code, hint) = (error.kind(), error.hint().map(Into::into));
                    return Err(unavailable(server, code, error.to_string(), hint));
                }
            }
        }
        // Runs in a task of its own: after a timeout the server continues to start, for the next
        // request.
        let name = server.clone();
        let asked = tokio::spawn(async move { self.list(&name).await });
        let unavailable = |code, reason| UnavailableServer { server, code, reason, hint: None };
        match tokio::time::timeout_at(end, asked).await {
            Ok(Ok(Ok(listing))) => Ok(listing),
            Ok(Ok(Err(error))) => Err(failed(&error, unavailable)),
            Ok(Err(error)) => Err(unavailable(Code::Internal, error.to_string())),
            Err(_) => Err(unavailable(Code::CallTimeout, "it is still starting".into())),
        }
    }
}

fn failed(
    error: &UpstreamError,
    unavailable: impl FnOnce(Code, String) -> UnavailableServer,
) -> UnavailableServer {
    let hint = error.hint().map(Into::into);
    UnavailableServer { hint, ..unavailable(error.code(), error.to_string()) }
}
