//! The calls of one run that have no outcome yet: queued, out, or asleep.

use super::perform::{self, perform};
use super::timers::Timers;
use crate::event::{Event, EventSink};
use crate::model::{CallError, CallId, Code, Limits, Reply, RunId, Timestamp, ToolName};
use crate::router::{BUILT_IN, Router};
use crate::run::Abandoned;
use crate::sandbox::Ask;
use futures_util::future::{AbortHandle, Abortable, Aborted, BoxFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::{BTreeMap, VecDeque};
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
    ready: VecDeque<(CallId, Reply)>,
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
            released: 0,
        }
    }

    /// Takes what a step asked for at `now`.
    pub(super) async fn take(&mut self, asks: Vec<Ask>, now: Timestamp, limit: usize) {
        for ask in asks {
            match ask {
                Ask::Request { id, tool, arguments } => match arguments {
                    Ok(arguments) => self.request(id, tool, arguments, now).await,
                    Err(size) => {
                        let message = format!(
                            "the arguments of open calls may be {limit} bytes of JSON in all; these are {size}"
                        );
                        self.refuse(id, CallError::new(Code::ArgumentsSize, message));
                    }
                },
                Ask::Cancel(id) => self.cancel(id),
            }
        }
    }

    async fn request(&mut self, id: CallId, tool: String, arguments: String, now: Timestamp) {
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
            let added = match perform::parse(arguments).await {
                Ok(arguments) => self.timers.add(id, &arguments, now),
                Err(error) => Err(error),
            };
            if let Err(error) = added {
                self.refuse(id, error);
            }
            return;
        }
        self.open.insert(id, Open { tool, size, abort: None });
        self.queue.push_back(Queued { id, tool: name, arguments });
    }

    fn refuse(&mut self, id: CallId, error: CallError) {
        self.ready.push_back((id, Err(error)));
    }

    fn cancel(&mut self, id: CallId) {
        if self.timers.remove(id) {
            return;
        }
        if let Some(open) = self.close(id) {
            match open.abort {
                Some(abort) => abort.abort(),
                None => self.queue.retain(|queued| queued.id != id),
            }
            self.events.event(&Event::CallDropped { run: self.run, call: id });
        }
        self.ready.retain(|(ready, _)| *ready != id);
    }

    fn close(&mut self, id: CallId) -> Option<Open> {
        let open = self.open.remove(&id)?;
        self.released += open.size;
        Some(open)
    }

    /// Sends queued calls while there is room.
    pub(super) fn send(&mut self) {
        while self.flying.len() < self.in_flight {
            let Some(Queued { id, tool, arguments }) = self.queue.pop_front() else { return };
            self.events.event(&Event::CallStarted { run: self.run, call: id, tool: tool.clone() });
            let (run, router) = (self.run, self.router.clone());
            let call: BoxFuture<'static, _> =
                Box::pin(async move { (id, perform(&router, run, id, tool, arguments).await) });
            let (abort, registration) = AbortHandle::new_pair();
            if let Some(open) = self.open.get_mut(&id) {
                open.abort = Some(abort);
            }
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
        self.ready.push_back((id, reply));
    }

    /// Waits for the next reply or the end of a sleep. `now` reads the run's clock.
    pub(super) async fn next(
        &mut self,
        mut now: impl FnMut() -> Timestamp,
    ) -> (CallId, Reply, Timestamp) {
        loop {
            self.send();
            let at = now();
            if let Some(id) = self.timers.take_due(at) {
                return (id, Ok(serde_json::Value::Null), at);
            }
            if let Some((id, reply)) = self.ready.pop_front() {
                return (id, reply, at);
            }
            match self.timers.next() {
                None => match self.flying.next().await {
                    Some(done) => self.arrive(done),
                    // The guest says it waits, and there is nothing to wait for: its own check comes first.
                    None => std::future::pending().await,
                },
                Some(due) => {
                    let sleep = tokio::time::sleep(due.since(at));
                    tokio::select! {
                        biased;
                        Some(done) = self.flying.next() => self.arrive(done),
                        () = sleep => {
                            // The timer's word counts even where the clock stands still.
                            let at = now().max(due);
                            if let Some(id) = self.timers.take_due(at) {
                                return (id, Ok(serde_json::Value::Null), at);
                            }
                        }
                    }
                }
            }
        }
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
