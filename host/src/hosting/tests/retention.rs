//! Tests which runs are released to the journal, and which stay.

use super::super::hosted_run::{HostedRun, Retention};
use super::super::{CancelRequest, HostedRunState, RunHost};
use crate::event::{Event, EventSink};
use crate::model::{CallId, Question, RunId, Timestamp};

fn asking() -> HostedRun {
    let run = RunId::new();
    let question = Question::new(run, "x.ts", Timestamp(0), None, Vec::new());
    HostedRun::new(run, HostedRunState::Asking(vec![question]))
}

#[tokio::test]
async fn a_run_that_waits_is_released() {
    let hosted = asking();
    assert!(hosted.is_idle());
    hosted.release();
    assert!(!hosted.withdraw_release());
    assert!(*hosted.retention.borrow() == Retention::Release);
    let _request = hosted.register_request(&RunHost::new().connect());
    assert!(!hosted.is_idle() && hosted.is_waiting());
}

#[tokio::test]
async fn a_run_that_was_answered_meanwhile_stays() {
    let hosted = asking();
    hosted.release();
    hosted.state.send_replace(HostedRunState::Running);
    assert!(hosted.withdraw_release());
    // A withdrawn release does not block this wait.
    hosted.wait_released().await;
    assert!(*hosted.retention.borrow() == Retention::Keep && !hosted.withdraw_release());
}

#[tokio::test]
async fn a_run_with_a_call_in_flight_stays_and_one_that_is_cancelled_does_not() {
    let hosted = asking();
    hosted.release();
    let tool = "a:b".parse().expect("a tool");
    hosted.event(&Event::CallStarted { run: hosted.id(), call: CallId::numbered(1), tool });
    assert!(!hosted.is_idle() && hosted.withdraw_release());
    hosted.cancel(CancelRequest::new("somebody", "test"));
    assert!(!hosted.withdraw_release());
}
