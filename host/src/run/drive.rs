//! Drives one program: a step, its calls, the next reply, the next step.

use super::calls::Calls;
use super::recording::{Recording, Turn};
use super::{Ending, Failure, Outcome, Usage, failure, perform};
use crate::error::Error;
use crate::event::{Event, EventSink};
use crate::model::{Clock, Code, Limits, Line, RunId, Timestamp};
use crate::router::Router;
use crate::sandbox::{Begin, Fault, Instance, Intent, Machine, State, Step, Stop};
use crate::source::Program;
use serde_json::value::RawValue;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A program gives way after this long, also when it is made of many short steps.
const TURN: Duration = Duration::from_millis(1);

/// A run under way.
pub(super) struct Drive {
    run: RunId,
    limits: Limits,
    clock: Arc<dyn Clock>,
    events: Arc<dyn EventSink>,
    calls: Calls,
    last: Timestamp,
    lines: Arc<Mutex<Vec<Line>>>,
    made: u64,
}

impl Drive {
    pub(super) fn new(
        run: RunId,
        limits: Limits,
        clock: Arc<dyn Clock>,
        router: Router,
        events: Arc<dyn EventSink>,
    ) -> Drive {
        let calls = Calls::new(run, &limits, router, events.clone());
        let last = Timestamp::default();
        Drive { run, limits, clock, events, calls, last, lines: Arc::default(), made: 0 }
    }

    /// Runs the program to its end.
    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    pub(super) async fn run(
        mut self,
        machine: Arc<Machine>,
        program: Program,
        begin: Begin,
        recorded: bool,
    ) -> Result<Outcome, Error> {
        let broken =
            |stop: Stop| Error::new(Code::Internal, "the sandbox failed").with_source(stop);
        // Waiting for a slot is not the program's time.
        let instance = Instance::new(machine, self.limits.clone(), self.on_line()).await;
        let mut instance = instance.map_err(broken)?;
        let started = Instant::now();
        let at = self.now();
        self.events.event(&Event::Started { run: self.run, at });
        let mut recording = recorded.then(|| Recording::new(&begin, &self.limits));
        let timeout = self.limits.timeout;
        let work = self.work(&mut instance, begin, recording.as_mut());
        let end = tokio::time::timeout(timeout, work).await;
        let usage = Usage {
            cpu_time: instance.cpu_time(),
            wall_time: started.elapsed(),
            memory: instance.memory(),
            calls: self.made,
            slices: instance.slices(),
        };
        drop(instance);
        let abandoned = self.calls.abandon();
        let at = self.now();
        self.events.event(&Event::Ended { run: self.run, at });
        let end = match end {
            Ok(Ok(end)) => end,
            Ok(Err(stop @ Stop::Broken(_))) => return Err(broken(stop)),
            Ok(Err(stop)) => stopped(failure::of_stop(&stop)),
            Err(_) => {
                let message = format!("the run took longer than {timeout:?}");
                stopped(failure::plain(Code::Timeout, message))
            }
        };
        let place = |fault| failure::of_fault(&program, fault);
        let console =
            std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Outcome {
            run_id: self.run,
            ending: match end.ending {
                Last::Finished(json) => Ending::Finished(json),
                Last::Fault(fault) => Ending::Failed(place(fault)),
                Last::Failed(failure) => Ending::Failed(failure),
            },
            console,
            dropped_lines: end.dropped_lines,
            unhandled: end.unhandled.into_iter().map(place).collect(),
            abandoned,
            usage,
            recording,
        })
    }

    /// Steps the program until it ends.
    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    async fn work(
        &mut self,
        instance: &mut Instance,
        begin: Begin,
        mut recording: Option<&mut Recording>,
    ) -> Result<End, Stop> {
        let mut yielded = Instant::now();
        let mut now = self.now();
        let mut given = None;
        let mut step = with_calls(&mut self.calls, instance.start(begin, now)).await?;
        loop {
            self.note_made(&step);
            if let Some(recording) = recording.as_deref_mut() {
                recording.turns.push(Turn { now, settled: given.take(), step: step.clone() });
            }
            // Also those of the last step, which never leave: they are named as abandoned.
            self.calls.take(step.intents, now, self.limits.arguments);
            match step.state {
                State::Waiting => {}
                State::Finished(json) => {
                    let json = json.map(RawValue::from_string).transpose();
                    let json = json.map_err(|error| Stop::Broken(error.to_string()))?;
                    return Ok(End::new(Last::Finished(json), step.unhandled, step.dropped_lines));
                }
                State::Failed(fault) => {
                    return Ok(End::new(Last::Fault(fault), step.unhandled, step.dropped_lines));
                }
            }
            if yielded.elapsed() > TURN {
                tokio::task::yield_now().await;
                yielded = Instant::now();
            }
            let (id, reply, at) = {
                let (clock, last) = (&self.clock, &mut self.last);
                self.calls.next(|| monotonic(&**clock, last)).await
            };
            now = at;
            self.last = at;
            instance.release(self.calls.released());
            let settled = perform::settle(&reply, self.limits.reply);
            given = recording.is_some().then(|| (id, settled.clone()));
            step = with_calls(&mut self.calls, instance.resume(id, settled, now)).await?;
        }
    }

    fn note_made(&mut self, step: &Step) {
        self.made +=
            step.intents.iter().filter(|intent| matches!(intent, Intent::Request { .. })).count()
                as u64;
    }

    fn now(&mut self) -> Timestamp {
        monotonic(&*self.clock, &mut self.last)
    }

    fn on_line(&self) -> Box<dyn FnMut(&Line) + Send> {
        let (run, events, lines) = (self.run, self.events.clone(), self.lines.clone());
        Box::new(move |line| {
            events.event(&Event::Console { run, line: line.clone() });
            lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.clone());
        })
    }
}

/// What a program's life ended with, before it is placed in the source.
enum Last {
    Finished(Option<Box<RawValue>>),
    Fault(Fault),
    Failed(Failure),
}

struct End {
    ending: Last,
    unhandled: Vec<Fault>,
    dropped_lines: u32,
}

impl End {
    fn new(ending: Last, unhandled: Vec<Fault>, dropped_lines: u32) -> End {
        End { ending, unhandled, dropped_lines }
    }
}

fn stopped(failure: Failure) -> End {
    End::new(Last::Failed(failure), Vec::new(), 0)
}

/// A clock that goes back is held where it was.
fn monotonic(clock: &dyn Clock, last: &mut Timestamp) -> Timestamp {
    *last = clock.now().max(*last);
    *last
}

/// Runs a step. Each time the guest gives way, the calls that are out go on too.
async fn with_calls(
    calls: &mut Calls,
    step: impl Future<Output = Result<Step, Stop>>,
) -> Result<Step, Stop> {
    let mut step = pin!(step);
    poll_fn(|context| {
        let poll = step.as_mut().poll(context);
        if poll.is_pending() {
            calls.poll(context);
        }
        poll
    })
    .await
}
