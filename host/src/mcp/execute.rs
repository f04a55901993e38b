//! `execute`: a program is run, watched and answered for.
//!
//! **Invariant:** a request that its client cancels takes its run and the run's calls with it. A client that is gone does
//! not: its programs go on until their next outcome is journalled, and can be taken up from there.

use super::answer::Answer;
use super::door::Visit;
use super::parameters::Execute;
use super::watcher::Watcher;
use super::{handle, library, resume};
use crate::{Ending, Event, EventSink, Outcome, Run, RunId, Script};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, Peer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// Progress is told no more often than this: nobody reads faster.
const TELL: Duration = Duration::from_millis(100);

/// How long a program may go on when its client is gone, until something of it is settled.
const GRACE: Duration = Duration::from_secs(5);

/// Does what `execute` is asked to do.
pub(super) async fn execute(
    visit: &Visit,
    asked: Execute,
    context: &RequestContext<RoleServer>,
) -> Result<Answer, ErrorData> {
    match asked {
        Execute::Code { code, inputs, resume_from } => {
            let mut run = visit.engine.run(Script::ts(code).named("execute.ts"));
            if let Some(inputs) = inputs {
                run = run.inputs(inputs);
            }
            if let Some(earlier) = resume_from {
                run = run.resume_from(earlier);
            }
            see_through(visit, run, context).await
        }
        Execute::Workflow { name } => Ok(library::missing(&name)),
        Execute::Continue(answer) => resume::go_on(visit, answer, context).await,
        Execute::Handle { handle, offset } => {
            Ok(handle::read(&visit.engine, &handle, offset).await)
        }
    }
}

/// Sees a run through to its answer.
pub(super) async fn see_through(
    visit: &Visit,
    run: Run,
    context: &RequestContext<RoleServer>,
) -> Result<Answer, ErrorData> {
    let watcher = Arc::new(Watcher::default());
    let sink = watcher.clone();
    let leave = Arc::new(AtomicBool::new(false));
    let run = run
        .tools(visit.servers.clone())
        .events(move |event: &Event| sink.event(event))
        .leave(leave.clone());
    let outcome = match attend(visit, run, &watcher, &leave, context).await? {
        Ok(outcome) => outcome,
        Err(error) => return Ok(Answer::of_error(&error)),
    };
    // What it has done is looked up only where somebody may go on from there.
    let stored = match outcome.ending {
        Ending::Finished(_) | Ending::Waiting(_) => None,
        _ => visit.engine.journal().load(outcome.run_id).await.ok(),
    };
    Ok(Answer::of_outcome(&outcome, stored.as_ref(), &watcher.failures()))
}

/// Waits for a run, telling how far it is.
async fn attend(
    visit: &Visit,
    run: Run,
    watcher: &Watcher,
    leave: &AtomicBool,
    context: &RequestContext<RoleServer>,
) -> Result<Result<Outcome, crate::Error>, ErrorData> {
    let token = context.meta.get_progress_token();
    let id = run.id();
    let mut run = run.into_future();
    let mut closing = visit.door.closing.subscribe();
    let (mut tell_from, mut leave_at, mut telling) = (Instant::now(), None, None);
    loop {
        tokio::select! {
            biased;
            outcome = &mut run => return Ok(outcome),
            // Before a cancellation: rmcp cancels the requests of a client that is gone, too.
            () = gone(&mut closing), if leave_at.is_none() => {
                leave.store(true, Ordering::Relaxed);
                leave_at = Some(Instant::now() + GRACE);
            }
            () = context.ct.cancelled(), if leave_at.is_none() => {
                drop(run);
                give_up(visit, id, context).await;
                return Err(ErrorData::internal_error("the request was cancelled", None));
            }
            () = sleep_until(leave_at.unwrap_or(tell_from)), if leave_at.is_some() => {
                return Err(left());
            }
            () = told(watcher, tell_from, &telling), if token.is_some() && leave_at.is_none() => {
                tell_from = Instant::now() + TELL;
                if let Some(token) = &token {
                    telling = Some(tell(&context.peer, token, watcher));
                }
            }
        }
    }
}

/// Waits until the client is gone.
pub(super) async fn gone(closing: &mut watch::Receiver<bool>) {
    if closing.wait_for(|closing| *closing).await.is_err() {
        std::future::pending().await
    }
}

/// Waits until there is something to tell, nobody was told too recently, and the client has taken what it was told last.
async fn told(watcher: &Watcher, from: Instant, telling: &Option<JoinHandle<()>>) {
    sleep_until(from).await;
    while telling.as_ref().is_some_and(|telling| !telling.is_finished()) {
        tokio::time::sleep(TELL).await;
    }
    watcher.changed.notified().await;
}

/// Tells the client how far the run is, in a task of its own: one that does not read must not hold up the run.
fn tell(peer: &Peer<RoleServer>, token: &ProgressToken, watcher: &Watcher) -> JoinHandle<()> {
    let (progress, message) = watcher.progress();
    let progress = ProgressNotificationParam::new(token.clone(), progress).with_message(message);
    let peer = peer.clone();
    tokio::spawn(async move {
        // A client that is gone is noticed by the transport.
        let _ = peer.notify_progress(progress).await;
    })
}

/// The client's name, as it says.
pub(super) fn who(context: &RequestContext<RoleServer>) -> String {
    context.client_info().map_or_else(|| "mcp client".into(), |client| client.name)
}

/// Ends a run that its client does not want any more: nobody is to take it up as if it had been cut off.
async fn give_up(visit: &Visit, run: RunId, context: &RequestContext<RoleServer>) {
    let who = who(context);
    // If it cannot be written down, it stays a run that was cut off.
    let _ = visit.engine.abort(run, "cancelled by the client", &who, "mcp").await;
}

/// Nobody reads this any more.
pub(super) fn left() -> ErrorData {
    ErrorData::internal_error(
        "the client is gone: the run can be taken up with `pml run --resume`",
        None,
    )
}
