//! Tests of the timeline: the states of a run's calls, during the run and at its end.

use crate::runs::fixture::{self, at};
use pml::journal::{CallPhase, CallState, PastCall, Timeline};
use pml::{
    CallId, Timestamp,
    journal::{JournalEntry, JournalEvent},
};
use std::time::Duration;

fn calls_until(entries: &[JournalEntry], now: Timestamp) -> Vec<PastCall<'_>> {
    Timeline::until(entries, now).calls.into_values().collect()
}

#[test]
fn calls_stand_where_their_last_entry_left_them() {
    let entries = fixture::entries();
    let calls = calls_until(&entries, at(9_000));
    let states: Vec<_> = calls.iter().map(|call| call.state()).collect();
    let failed = CallState::Failed("TOOL_FAILED");
    assert_eq!(states, [CallState::Ok, CallState::Ok, failed, CallState::Ok, CallState::Abandoned]);
    assert_eq!(calls[0].tool_name(), "github:list_issues");
    assert_eq!(calls[1].active_time(), Duration::from_millis(300));
    assert!(calls[3].is_timer() && calls[3].active_time() == Duration::from_millis(500));
}

#[test]
fn waiting_for_a_person_is_a_spell_of_its_own() {
    let entries = fixture::entries();
    let calls = calls_until(&entries, at(9_000));
    let phases: Vec<_> = calls[1].spans.iter().map(|span| span.phase).collect();
    assert_eq!(phases, [CallPhase::Queued, CallPhase::Asked, CallPhase::Executing]);
    assert_eq!((calls[1].spans[1].from, calls[1].spans[1].to), (at(450), at(2_000)));
}

#[test]
fn what_has_not_ended_lasts_until_now() {
    let entries = fixture::entries();
    let cut = entries.iter().position(|entry| {
        matches!(entry.event, JournalEvent::Settled { call, .. } if call == CallId::numbered(2))
    });
    let calls = calls_until(&entries[..cut.unwrap()], at(5_000));
    assert_eq!((calls[1].state(), calls[1].ended), (CallState::Executing, None));
    assert_eq!(calls[1].active_time(), Duration::from_millis(3_000));
}

#[test]
fn entries_about_calls_that_were_never_requested_are_passed_over() {
    let entries = fixture::entries();
    assert!(calls_until(&entries[1..2], at(0)).is_empty());
}
