//! The calls of one run that have no outcome yet: queued, out, or asleep.

use super::perform::perform;
use super::timers::Timers;
use crate::event::{Event, EventSink};
use crate::model::{CallError, CallId, Code, Limits, Reply, RunId, Timestamp, ToolName};
use crate::router::{BUILT_IN, Router};
use crate::run::Abandoned;
use crate::sandbox::Intent;
use futures_util::future::{AbortHandle, Abortable, Aborted, BoxFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

type Flying = Abortable<BoxFuture<'static, (CallId, Reply)>>;

/// A call that is queued or out.
struct Open {
    tool: String,
    size: usize,
    /// Set once it has been sent.
    abort: Option<AbortHandle>,
}

/// What to send, once there is room.
struct Queued {
    id: CallId,
    tool: ToolName,
    arguments: String,
}

/// A reply on its way to the program.
struct Arrived {
    id: CallId,
    reply: Reply,
    at: Timestamp,
}

/// All open calls.
pub(super) struct Calls {
    run: RunId,
    router: Arc<Router>,
    events: Arc<dyn EventSink>,
    in_flight: usize,
    open: BTreeMap<CallId, Open>,
    queue: VecDeque<Queued>,
    flying: FuturesUnordered<Flying>,
    timers: Timers,
    /// Replies that have arrived, in the order of their arrival.
    ready: VecDeque<Arrived>,
    /// Calls that were cancelled after their reply had arrived.
    dropped: HashSet<CallId>,
    /// The last reading of the run's clock.
    last: Timestamp,
    released: usize,
}

impl Calls {
    pub(super) fn new(
        run: RunId,
        limits: &Limits,
        router: Router,
        events: Arc<dyn EventSink>,
    ) -> Calls {
        Calls {
            run,
            router: Arc::new(router),
            events,
            in_flight: limits.calls_in_flight,
            open: BTreeMap::new(),
            queue: VecDeque::new(),
            flying: FuturesUnordered::new(),
            timers: Timers::default(),
            ready: VecDeque::new(),
            dropped: HashSet::new(),
            last: Timestamp::default(),
            released: 0,
        }
    }

    /// Takes what a step asked for at `now`.
    pub(super) fn take(&mut self, intents: Vec<Intent>, now: Timestamp, limit: usize) {
        for intent in intents {
            match intent {
                Intent::Request { id, tool, arguments } => match arguments {
                    Ok(arguments) => self.request(id, tool, arguments, now),
                    Err(size) => {
                        let message = format!(
                            "the arguments of open calls may be {limit} bytes of JSON in all; these are {size}"
                        );
                        self.refuse(id, CallError::new(Code::ArgumentsSize, message));
                    }
                },
                Intent::Cancel(id) => self.cancel(id),
            }
        }
    }

    fn request(&mut self, id: CallId, tool: String, arguments: String, now: Timestamp) {
        let size = arguments.len();
        let name = match tool.parse::<ToolName>() {
            Ok(name) => name,
            Err(invalid) => {
                self.released += size;
                return self.refuse(id, CallError::new(Code::ToolUnknown, invalid.to_string()));
            }
        };
        if name.server() == BUILT_IN && name.tool() == "sleep" {
            self.released += size;
            if let Err(error) = self.timers.add(id, &arguments, now) {
                self.refuse(id, error);
            }
            return;
        }
        self.open.insert(id, Open { tool, size, abort: None });
        self.queue.push_back(Queued { id, tool: name, arguments });
    }

    fn refuse(&mut self, id: CallId, error: CallError) {
        let at = self.last;
        self.ready.push_back(Arrived { id, reply: Err(error), at });
    }

    fn cancel(&mut self, id: CallId) {
        if self.timers.remove(id) {
            return;
        }
        if let Some(open) = self.close(id) {
            if let Some(abort) = open.abort {
                abort.abort();
            }
            self.events.event(&Event::CallDropped { run: self.run, call: id });
        } else {
            self.dropped.insert(id);
        }
    }

    fn close(&mut self, id: CallId) -> Option<Open> {
        let open = self.open.remove(&id)?;
        self.released += open.size;
        Some(open)
    }

    /// Sends queued calls while there is room.
    pub(super) fn send(&mut self) {
        // Replies that the program has not taken count too: a busy program must not pile them up.
        while self.flying.len() + self.ready.len() < self.in_flight {
            let Some(Queued { id, tool, arguments }) = self.queue.pop_front() else { return };
            let Some(open) = self.open.get_mut(&id) else { continue };
            self.events.event(&Event::CallStarted { run: self.run, call: id, tool: tool.clone() });
            let (run, router) = (self.run, self.router.clone());
            let call: BoxFuture<'static, _> =
                Box::pin(async move { (id, perform(&router, run, id, tool, arguments).await) });
            let (abort, registration) = AbortHandle::new_pair();
            open.abort = Some(abort);
            self.flying.push(Abortable::new(call, registration));
        }
    }

    /// Notes the replies that have arrived, without waiting for any.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) {
        while let Poll::Ready(Some(done)) = self.flying.poll_next_unpin(context) {
            self.arrive(done);
        }
    }

    fn arrive(&mut self, done: Result<(CallId, Reply), Aborted>) {
        let Ok((id, reply)) = done else { return };
        if self.close(id).is_none() {
            return;
        }
        let error = reply.as_ref().err().cloned();
        self.events.event(&Event::CallSettled { run: self.run, call: id, error });
        let at = self.last;
        self.ready.push_back(Arrived { id, reply, at });
    }

    /// Waits for the next reply or the end of a sleep. `now` reads the run's clock.
    pub(super) async fn next(
        &mut self,
        mut now: impl FnMut() -> Timestamp,
    ) -> (CallId, Reply, Timestamp) {
        loop {
            self.send();
            self.last = now();
            // Replies are noted before timers are looked at: a timer that is always due must not keep them out.
            poll_fn(|context| {
                self.poll(context);
                Poll::Ready(())
            })
            .await;
            if let Some(next) = self.take_ready() {
                return next;
            }
            let wait = self.timers.next().map(|due| (due, due.since(self.last)));
            let Some((due, wait)) = wait else {
                match self.flying.next().await {
                    Some(done) => self.arrive(done),
                    // The guest says it waits, and there is nothing to wait for: its own check comes first.
                    None => std::future::pending().await,
                }
                continue;
            };
            tokio::select! {
                biased;
                Some(done) = self.flying.next() => {
                    self.last = now();
                    self.arrive(done);
                }
                // The timer's word counts even where the clock stands still.
                () = tokio::time::sleep(wait) => self.last = now().max(due),
            }
            if let Some(next) = self.take_ready() {
                return next;
            }
        }
    }

    /// Takes what comes first of the sleeps that have ended and the replies that have arrived.
    fn take_ready(&mut self) -> Option<(CallId, Reply, Timestamp)> {
        while self.ready.front().is_some_and(|first| self.dropped.remove(&first.id)) {
            self.ready.pop_front();
        }
        let due = self.timers.next().filter(|due| *due <= self.last);
        let arrived = self.ready.front().map(|first| first.at);
        if due.is_some_and(|due| arrived.is_none_or(|arrived| due < arrived)) {
            let id = self.timers.take_due(self.last)?;
            return Some((id, Ok(serde_json::Value::Null), self.last));
        }
        let Arrived { id, reply, .. } = self.ready.pop_front()?;
        Some((id, reply, self.last))
    }

    /// Takes the number of bytes of arguments that are no longer held.
    pub(super) fn released(&mut self) -> usize {
        std::mem::take(&mut self.released)
    }

    /// Ends all calls: those out are cancelled, those queued never leave.
    pub(super) fn abandon(&mut self) -> Vec<Abandoned> {
        let open = std::mem::take(&mut self.open);
        self.queue.clear();
        self.flying.clear();
        let abandoned = open.into_iter().map(|(id, open)| {
            self.events.event(&Event::CallDropped { run: self.run, call: id });
            Abandoned { call: id, tool: open.tool, sent: open.abort.is_some() }
        });
        abandoned.collect()
    }
}
