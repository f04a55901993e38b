//! What the servers of a project offer, asked for with a line on the terminal that says who is
//! waited for.

use super::progress;
use super::ui::{self, HINT, WARNING};
use crate::project_context::ProjectContext;
use pml::{
    Code, Servers, Store,
    project::{Freshness, ServerState, ToolOffer, TrustState, UnavailableServer},
    text::escape,
};
use std::convert::Infallible;
use std::time::Duration;

/// Servers have their own limits; this is for what comes on top of them.
const SLACK: Duration = Duration::from_secs(5);

/// How often the line moves.
const TICK: Duration = Duration::from_millis(100);

/// Ticks before there is a line: what is remembered is there at once.
const PATIENCE: u32 = 3;

/// Names that fit into the line.
const NAMED: usize = 3;

/// Asks the servers that `wanted` names, and starts those that must be.
pub(super) async fn offered(
    workplace: &ProjectContext,
    wanted: impl Fn(&str) -> bool,
    freshness: Freshness,
) -> ToolOffer {
    let ProjectContext { project, servers, .. } = workplace;
    let starts = freshness != Freshness::CachedOnly && !project.servers.is_empty();
    if project.trust == TrustState::Trusted && starts {
        // What they say is remembered there; where it cannot be, they are asked again.
        let _ = Store::make_folder(project.state_folder());
    }
    let longest = project.servers.iter().map(|server| server.start_timeout).max();
    let patience = longest.unwrap_or_default() + SLACK;
    tokio::select! {
        offer = servers.offer(wanted, freshness, patience) => offer,
        never = line(servers) => match never {},
    }
}

/// Says which servers are starting, for ever.
async fn line(servers: &Servers) -> Infallible {
    let Some(bar) = progress::line() else { return std::future::pending().await };
    let bar = ProgressLineGuard(bar);
    let mut ticks = 0;
    loop {
        tokio::time::sleep(TICK).await;
        ticks += 1;
        if ticks >= PATIENCE {
            bar.0.set_message(message(servers));
            bar.0.tick();
        }
    }
}

/// A line that goes away with whoever waits.
struct ProgressLineGuard(indicatif::ProgressBar);

impl Drop for ProgressLineGuard {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn message(servers: &Servers) -> String {
    let all = servers.status();
    let starting = all.iter().filter(|one| one.state == ServerState::Starting);
    let names: Vec<_> = starting.map(|one| escape(&one.name).into_owned()).collect();
    match names.len() {
        0 => "waiting for the servers".into(),
        count if count > NAMED => {
            format!("starting {} and {} more", names[..NAMED].join(", "), count - NAMED)
        }
        _ => format!("starting {}", names.join(", ")),
    }
}

/// Says which servers did not answer, and why.
pub(super) fn warn(unavailable: &[UnavailableServer]) {
    for one in of_servers(unavailable) {
        ui::say(&format!("{WARNING}warning{WARNING:#}: {}", reason(one)));
    }
}

/// Those that are about one server: that nobody trusts the project is said by [`untrusted`], once.
pub(super) fn of_servers(
    unavailable: &[UnavailableServer],
) -> impl Iterator<Item = &UnavailableServer> {
    unavailable.iter().filter(|one| one.code != Code::Untrusted || one.server != "*")
}

/// Says that the project's files do not count, if they declare servers.
pub(super) fn untrusted(workplace: &ProjectContext) {
    let project = &workplace.project;
    if let (Some(reason), false) = (project.trust.reason(), project.declared.servers.is_empty()) {
        ui::say(&format!(
            "{WARNING}warning{WARNING:#}: {reason}: its servers are not started\n\
             {HINT}hint{HINT:#}: look at what it declares, then run `pml trust`"
        ));
    }
}

/// Why a server did not answer, with its name; a server's own lines stand behind a bar.
pub(super) fn reason(one: &UnavailableServer) -> String {
    let name = format!("`{}`", escape(&one.server));
    let reason = escape(&one.reason);
    match reason.contains(&name) {
        true => reason.into_owned(),
        false => format!("the server {name} cannot be used: {reason}"),
    }
}
