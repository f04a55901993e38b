//! Which runs are left to the journal, and which stay.

use super::{HostedRun, Retention};
use crate::hosted::HostedRunState;
use pml::{CallId, Event, EventSink, Question, RunId, Timestamp};

fn asking() -> HostedRun {
    let run = RunId::new();
    let question = Question::new(run, "x.ts", Timestamp(0), None, Vec::new());
    HostedRun::new(run, HostedRunState::Asking(vec![question]))
}

#[tokio::test]
async fn a_run_that_waits_is_let_go_of() {
    let hosted = asking();
    assert!(hosted.is_idle());
    hosted.let_go();
    assert!(!hosted.stays_after_all());
    assert!(*hosted.end.borrow() == Retention::Release);
    let _attending = hosted.attend();
    assert!(!hosted.is_idle() && hosted.waits());
}

#[tokio::test]
async fn a_run_that_was_answered_meanwhile_stays() {
    let hosted = asking();
    hosted.let_go();
    hosted.stand.send_replace(HostedRunState::Running);
    assert!(hosted.stays_after_all());
    // Nobody waits for what does not come.
    hosted.left().await;
    assert!(*hosted.end.borrow() == Retention::Keep && !hosted.stays_after_all());
}

#[tokio::test]
async fn a_run_of_which_a_part_is_out_stays_and_one_that_is_cancelled_does_not() {
    let hosted = asking();
    hosted.let_go();
    let tool = "a:b".parse().expect("a tool");
    hosted.watcher.event(&Event::CallStarted { run: hosted.run, call: CallId(1), tool });
    assert!(!hosted.is_idle() && hosted.stays_after_all());
    hosted.cancel("somebody".into());
    assert!(!hosted.stays_after_all());
}
