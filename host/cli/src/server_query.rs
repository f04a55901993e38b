//! Asks the servers of a project for their tools, and meanwhile shows on the terminal which servers
//! are starting.

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

/// Time in addition to the servers' own limits.
const SLACK: Duration = Duration::from_secs(5);

/// Interval between redraws of the progress line.
const TICK: Duration = Duration::from_millis(100);

/// Ticks before the line appears: cached tools are available at once.
const TICKS_BEFORE_SHOWN: u32 = 3;

/// Most names that are shown in the line.
const MAX_NAMES: usize = 3;

/// Returns the tools of the servers that `wanted` selects, and starts these servers if necessary.
pub(super) async fn query_tools(
    context: &ProjectContext,
    wanted: impl Fn(&str) -> bool,
    freshness: Freshness,
) -> ToolOffer {
    let ProjectContext { project, servers, .. } = context;
    let starts = freshness != Freshness::CachedOnly && !project.servers.is_empty();
    if project.trust == TrustState::Trusted && starts {
        // The tools are cached in this folder. If it cannot be created, servers are asked again.
        let _ = Store::make_folder(project.state_folder());
    }
    let longest = project.servers.iter().map(|server| server.start_timeout).max();
    let timeout = longest.unwrap_or_default() + SLACK;
    tokio::select! {
        offer = servers.query_tools(wanted, freshness, timeout) => offer,
        never = show_starting(servers) => match never {},
    }
}

/// Shows which servers are starting, forever.
async fn show_starting(servers: &Servers) -> Infallible {
    let Some(bar) = progress::new_bar() else { return std::future::pending().await };
    let bar = ProgressLineGuard(bar);
    let mut ticks = 0;
    loop {
        tokio::time::sleep(TICK).await;
        ticks += 1;
        if ticks >= TICKS_BEFORE_SHOWN {
            bar.0.set_message(message(servers));
            bar.0.tick();
        }
    }
}

/// A progress line that is removed when it is dropped.
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
        count if count > MAX_NAMES => {
            format!("starting {} and {} more", names[..MAX_NAMES].join(", "), count - MAX_NAMES)
        }
        _ => format!("starting {}", names.join(", ")),
    }
}

/// Prints a warning for each server that did not answer.
pub(super) fn warn_unavailable(unavailable: &[UnavailableServer]) {
    for one in about_servers(unavailable) {
        ui::say(&format!("{WARNING}warning{WARNING:#}: {}", unavailable_reason(one)));
    }
}

/// Leaves out the entry which says that the project is untrusted; [`warn_untrusted`] reports that
/// once.
pub(super) fn about_servers(
    unavailable: &[UnavailableServer],
) -> impl Iterator<Item = &UnavailableServer> {
    unavailable.iter().filter(|one| one.code != Code::Untrusted || one.server != "*")
}

/// Prints a warning if the project is untrusted and declares servers.
pub(super) fn warn_untrusted(context: &ProjectContext) {
    let project = &context.project;
    if let (Some(reason), false) = (project.trust.reason(), project.declared.servers.is_empty()) {
        ui::say(&format!(
            "{WARNING}warning{WARNING:#}: {reason}: its servers are not started\n\
             {HINT}hint{HINT:#}: read what it declares with `pml trust --show`, then run `pml trust`"
        ));
    }
}

/// Returns why a server did not answer, with its name. Lines that the server wrote are shown behind
/// a bar.
pub(super) fn unavailable_reason(one: &UnavailableServer) -> String {
    let name = format!("`{}`", escape(&one.server));
    let reason = escape(&one.reason);
    let hint = one.hint.as_ref().map(|hint| format!("\n{HINT}hint{HINT:#}: {}", escape(hint)));
    let hint = hint.unwrap_or_default();
    match reason.contains(&name) {
        true => format!("{reason}{hint}"),
        false => format!("server {name} cannot be used: {reason}{hint}"),
    }
}
