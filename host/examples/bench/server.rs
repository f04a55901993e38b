//! Something that answers each request after exactly 10 ms, from a thread of its own, as a server
//! elsewhere would.
//!
//! tokio's timer counts whole milliseconds and answers after 11: with it, the timer would be
//! measured.

use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How long a request takes.
pub(crate) const CALL: Duration = Duration::from_millis(10);

/// The way to ask.
#[derive(Clone)]
pub(crate) struct Server(mpsc::Sender<(Instant, oneshot::Sender<()>)>);

impl Server {
    /// Starts the thread; it ends with the last `Server`.
    pub(crate) fn start() -> Server {
        let (requests, queue) = mpsc::channel::<(Instant, oneshot::Sender<()>)>();
        std::thread::spawn(move || {
            for (at, answer) in queue {
                std::thread::sleep((at + CALL).saturating_duration_since(Instant::now()));
                let _ = answer.send(());
            }
        });
        Server(requests)
    }

    /// Returns tools that pass every call on, and answer with its arguments.
    pub(crate) fn tools(&self) -> impl pml::Tools {
        let server = self.clone();
        pml::tools_from_fn(move |call| {
            let answer = server.ask();
            async move {
                let _ = answer.await;
                Ok(call.arguments)
            }
        })
    }

    /// Asks, and returns the answer to come.
    pub(crate) fn ask(&self) -> oneshot::Receiver<()> {
        let (answer, answered) = oneshot::channel();
        self.0
            .send((Instant::now(), answer))
            .expect("the thread runs as long as there is a server");
        answered
    }
}
