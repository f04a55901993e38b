//! One run in the house: its future, in a task of its own, until it is over, let go of, or given up.

use super::stored;
use crate::answer::ToolAnswer;
use crate::hosted::run_state::{EndedRun, HostedRunState, QuestionPublisher};
use crate::server::{McpServerState, RequestScope};
use crate::watcher::RunWatcher;
use pml::{
    AskId, Code, Ending, Engine, Error, Event, EventSink, Outcome, Question, QuestionId, Run,
    RunId, Servers,
};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// How long a program may go on when its client is gone, until something of it is settled.
const GRACE: Duration = Duration::from_secs(5);

/// Questions of a run of which is kept what was shown: few are open at once.
const SHOWN: usize = 16;

/// A run that the door has.
pub(crate) struct HostedRun {
    pub(crate) run: RunId,
    pub(crate) watcher: Arc<RunWatcher>,
    stand: watch::Sender<HostedRunState>,
    end: watch::Sender<Retention>,
    /// Requests that wait for it.
    attending: AtomicUsize,
    /// Whether it ever asked: somebody may come back for its outcome.
    asked: AtomicBool,
    shown: Mutex<ShownQuestions>,
}

/// What clients were shown, the newest last: the digest of each ask.
type ShownQuestions = VecDeque<(QuestionId, BTreeMap<AskId, String>)>;

/// Why it does not stay.
#[derive(Clone, PartialEq)]
enum Retention {
    Keep,
    /// There are too many: the journal keeps it.
    Release,
    /// Its client does not want it any more; by its name.
    Cancelled(String),
}

/// A request that waits for a run, for as long as it lives.
pub(crate) struct RequestGuard<'a>(&'a HostedRun);

impl Drop for RequestGuard<'_> {
    fn drop(&mut self) {
        self.0.attending.fetch_sub(1, Ordering::Relaxed);
    }
}

impl HostedRun {
    fn new(run: RunId, stand: HostedRunState) -> HostedRun {
        HostedRun {
            run,
            watcher: Arc::default(),
            stand: watch::Sender::new(stand),
            end: watch::Sender::new(Retention::Keep),
            attending: AtomicUsize::new(0),
            asked: AtomicBool::new(false),
            shown: Mutex::default(),
        }
    }

    /// A run that is over already, or that nobody can go on with here.
    pub(super) fn over(run: RunId, over: EndedRun) -> Arc<HostedRun> {
        Arc::new(HostedRun::new(run, HostedRunState::Ended(Arc::new(over))))
    }

    /// Returns where it stands, from here on.
    pub(crate) fn stand(&self) -> watch::Receiver<HostedRunState> {
        self.stand.subscribe()
    }

    /// Waits for it.
    pub(crate) fn attend(&self) -> RequestGuard<'_> {
        self.attending.fetch_add(1, Ordering::Relaxed);
        RequestGuard(self)
    }

    /// Returns whether nothing but a person is waited for, and by no request.
    pub(super) fn is_idle(&self) -> bool {
        self.attending.load(Ordering::Relaxed) == 0 && self.waits()
    }

    /// Returns whether nothing but a person is waited for: a part of what was asked may be decided, and out.
    pub(super) fn waits(&self) -> bool {
        matches!(&*self.stand.borrow(), HostedRunState::Asking(_)) && self.watcher.is_quiet()
    }

    /// Returns whether it ever asked.
    pub(super) fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Returns whether a question is open.
    pub(crate) fn asks(&self, question: QuestionId) -> bool {
        match &*self.stand.borrow() {
            HostedRunState::Asking(open) => open.iter().any(|open| open.id == question),
            _ => false,
        }
    }

    /// Notes what a client is shown of a question.
    pub(crate) fn show(&self, question: &Question) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if !shown.iter().any(|(id, _)| *id == question.id) {
            shown.push_back((question.id, BTreeMap::new()));
        }
        let digests = question.asks.iter().map(|ask| (ask.id, ask.digest()));
        if let Some((_, asks)) = shown.iter_mut().find(|(id, _)| *id == question.id) {
            asks.extend(digests);
        }
        if shown.len() > SHOWN {
            shown.pop_front();
        }
    }

    /// Returns what clients were shown of a question.
    pub(crate) fn shown(&self, question: QuestionId) -> Option<BTreeMap<AskId, String>> {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.iter().find(|(id, _)| *id == question).map(|(_, asks)| asks.clone())
    }

    /// Leaves it to the journal, unless it goes on before that is noticed.
    pub(super) fn let_go(&self) {
        self.end.send_if_modified(|end| {
            let stays = *end == Retention::Keep;
            if stays {
                *end = Retention::Release;
            }
            stays
        });
    }

    /// Takes back that it is left to the journal if it does not wait any more; returns whether that was so.
    fn stays_after_all(&self) -> bool {
        self.end.send_if_modified(|end| {
            let stays = *end == Retention::Release && !self.waits();
            if stays {
                *end = Retention::Keep;
            }
            stays
        })
    }

    /// Waits until it is left to the journal, or stays after all.
    pub(super) async fn left(&self) {
        let (mut stand, mut end) = (self.stand.subscribe(), self.end.subscribe());
        tokio::select! {
            () = until(&mut stand, |stand| matches!(stand, HostedRunState::Ended(_))) => {}
            () = until(&mut end, |end| *end == Retention::Keep) => {}
        }
    }

    /// Ends it, with the calls that are out: its client does not want it any more.
    pub(crate) fn cancel(&self, who: String) {
        self.end.send_replace(Retention::Cancelled(who));
    }
}

/// Takes a run in, unless it is here already.
pub(crate) fn host(visit: &RequestScope, run: Run) -> Arc<HostedRun> {
    let hosted = Arc::new(HostedRun::new(run.id(), HostedRunState::Running));
    if let Err(there) = visit.door.house.take_in(&hosted) {
        return there;
    }
    let leave = Arc::new(AtomicBool::new(false));
    let (watcher, noted) = (hosted.watcher.clone(), hosted.clone());
    let run = run
        .tools(visit.servers.clone())
        .approver(QuestionPublisher(hosted.stand.clone()))
        .events(move |event: &Event| {
            if let Event::Asked { .. } | Event::Resumed { .. } = event {
                noted.asked.store(true, Ordering::Relaxed);
            }
            watcher.event(event);
        })
        .leave(leave.clone());
    let (door, engine, guest) = (visit.door.clone(), visit.engine.clone(), hosted.clone());
    let servers = visit.servers.clone();
    visit.door.busy.spawn(async move {
        let over = see(&door, (&engine, &servers), &guest, run, &leave).await;
        door.house.ended(&guest, &over);
        guest.stand.send_replace(HostedRunState::Ended(Arc::new(over)));
    });
    hosted
}

/// Sees a run through to its end, here or elsewhere.
async fn see(
    door: &McpServerState,
    (engine, servers): (&Engine, &Servers),
    hosted: &HostedRun,
    run: Run,
    leave: &AtomicBool,
) -> EndedRun {
    let mut run = run.into_future();
    let (mut closing, mut stand) = (door.closing.subscribe(), hosted.stand.subscribe());
    let (mut end, mut left_at) = (hosted.end.subscribe(), None);
    let waits = |stand: &HostedRunState| matches!(stand, HostedRunState::Asking(_));
    loop {
        tokio::select! {
            biased;
            outcome = &mut run => return of_outcome(engine, servers, hosted, outcome).await,
            // Before a cancellation: rmcp cancels the requests of a client that is gone, too.
            () = gone(&mut closing), if left_at.is_none() => {
                leave.store(true, Ordering::Relaxed);
                left_at = Some(Instant::now() + GRACE);
            }
            // Its question is in the journal.
            () = until(&mut stand, waits), if left_at.is_some() => break,
            () = sleep_until(left_at.unwrap_or_else(Instant::now)), if left_at.is_some() => break,
            // The run was polled just before: it has not begun a call that would be cut off.
            () = until(&mut end, |end| *end != Retention::Keep), if left_at.is_none() => {
                if !hosted.stays_after_all() {
                    break;
                }
            }
        }
    }
    let end = end.borrow().clone();
    // Before anybody else may claim it.
    drop(run);
    let Retention::Cancelled(who) = end else { return let_go() };
    // If it cannot be written down, it stays a run that was cut off; or it is another process's, and was never here.
    if let Err(error) = engine.abort(hosted.run, stored::CANCELLED, &who, "mcp").await {
        return stored::unknown(error);
    }
    let mut over = stored::read(engine, hosted.run).await;
    over.cancelled = true;
    over
}

/// Waits until the client is gone.
pub(crate) async fn gone(closing: &mut watch::Receiver<bool>) {
    until(closing, |closing| *closing).await;
}

async fn until<T>(watched: &mut watch::Receiver<T>, so: impl FnMut(&T) -> bool) {
    if watched.wait_for(so).await.is_err() {
        std::future::pending().await
    }
}

/// The run is not here any more; what becomes of it is elsewhere.
fn let_go() -> EndedRun {
    let error = Error::new(Code::Cancelled, "the run is left where it is, in the journal")
        .with_hint("`pml run --resume` goes on with it");
    EndedRun { answer: ToolAnswer::of_error(&error), error: Some(error.kind()), cancelled: false }
}

async fn of_outcome(
    engine: &Engine,
    servers: &Servers,
    hosted: &HostedRun,
    outcome: Result<Outcome, Error>,
) -> EndedRun {
    let mut outcome = match outcome {
        Ok(outcome) => outcome,
        // Another process was faster.
        Err(error) if error.kind() == Code::RunEnded => {
            return stored::read(engine, hosted.run).await;
        }
        Err(error) => {
            let kind = error.kind();
            let error = match kind {
                Code::RunOwned => error.with_hint(format!(
                    "what was answered counts there: `pml runs show {}` tells what becomes of it",
                    hosted.run
                )),
                _ => error,
            };
            return EndedRun {
                answer: ToolAnswer::of_error(&error),
                error: Some(kind),
                cancelled: false,
            };
        }
    };
    // What it wrote before it was put away is not in the outcome; what was told with a question is not told again.
    let (lines, dropped) = hosted.watcher.lines();
    outcome.console = lines;
    outcome.dropped_lines = outcome.dropped_lines.saturating_add(dropped);
    // What it has done is looked up only where somebody may go on from there.
    let stored = match outcome.ending {
        Ending::Finished(_) | Ending::Waiting(_) => None,
        _ => engine.journal().load(outcome.run_id).await.ok(),
    };
    let (failures, redactor) = (hosted.watcher.failures(), servers.redactor());
    let mut answer = ToolAnswer::of_outcome(&outcome, stored.as_ref(), &failures, &redactor);
    answer.note(hosted.watcher.kept());
    EndedRun { answer, error: None, cancelled: false }
}

#[cfg(test)]
mod tests;
