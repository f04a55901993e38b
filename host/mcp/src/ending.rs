//! How a run ended, in the words of an answer: told by its outcome, or later by its journal.

use super::answer::{ToolAnswer, gone};
use super::{blocks, handle};
use pml::journal::Timeline;
use pml::json::{self, Value, json};
use pml::weigh;
use pml::{AbortedRun, CallResult, Ending, Failure, RunId, StoredRun};

impl ToolAnswer {
    /// What a run came to that is over, as its journal says. `ending` is nothing if it cannot be read. What the program wrote is
    /// not in there.
    pub(super) fn of_stored(stored: &StoredRun, ending: Option<&Ending>) -> ToolAnswer {
        let run = stored.header.run;
        let mut answer = match ending {
            Some(Ending::Failed(failure)) => {
                let mut answer = ToolAnswer::error(of_failure(failure));
                answer.add_checkpoint(stored, failure.error_code.is_some());
                answer
            }
            Some(Ending::Aborted(aborted)) => {
                let mut answer = of_aborted(aborted);
                answer.add_checkpoint(stored, false);
                answer
            }
            Some(Ending::Expired(_)) => {
                let mut answer = gone();
                answer.add_checkpoint(stored, false);
                answer
            }
            Some(ending @ (Ending::Finished(_) | Ending::Waiting(_))) => {
                of_result(run, ending.json())
            }
            None => gone(),
        };
        answer.add(json!({ "run_id": run }));
        if let Some(entry) = stored.entries.last() {
            answer.add(json!({ "calls": entry.meter.calls }));
        }
        answer
    }
}

/// What a result that fits may take in memory beside its text, without its pictures.
const SMALL_PARTS: usize = 16 << 20;

/// A result: JSON text, or nothing for `undefined`.
pub(super) fn of_result(run: RunId, text: Option<&str>) -> ToolAnswer {
    let mut answer = ToolAnswer::new("success", json!({ "success": true }));
    let Some(text) = text else {
        answer.add(json!({ "result": null }));
        return answer;
    };
    let fits = |text: &str| text.len() <= handle::INLINE;
    // What takes much more than its length is made of many small parts, not of pictures.
    let may_fit = fits(text) || weigh(text) <= text.len() + SMALL_PARTS;
    let value = may_fit.then(|| json::from_str::<Value>(text).ok()).flatten();
    if let Some(mut value) = value {
        answer.blocks = blocks::lift(&mut value);
        // Pictures make most big results big: without them it may fit.
        if fits(text) || fits(&value.to_string()) {
            answer.add(json!({ "result": value }));
            return answer;
        }
        answer.blocks.clear();
    }
    answer.add(match fits(text) {
        // It nests deeper than we read; its text is as good.
        true => json!({ "result": text }),
        false => handle::first(run, text),
    });
    answer
}

/// A failure, as it is written down.
pub(super) fn of_failure(failure: &Failure) -> Value {
    let given = |text: &'_ str| !text.is_empty();
    let code = failure.code.as_str();
    let own = failure.error_code.as_deref().filter(|own| given(own));
    let name = Some(failure.name.as_str()).filter(|name| given(name));
    let mut error = json!({ "code": own.unwrap_or(code), "type": name.unwrap_or(code),
        "message": failure.message });
    if let Some(position) = &failure.position {
        error["position"] = json!(position);
    }
    if let Some(hint) = &failure.hint {
        error["hint"] = hint.as_str().into();
    }
    if !failure.causes.is_empty() {
        error["causes"] = json!(failure.causes);
    }
    if let Some(frame) = failure.code_frame.as_deref().filter(|frame| given(frame)) {
        error["frame"] = frame.trim_end().into();
    }
    error
}

/// A run that a person ended.
pub(super) fn of_aborted(aborted: &AbortedRun) -> ToolAnswer {
    let error = json!({ "code": "ABORTED", "type": "Aborted", "message": aborted.message });
    let completed: Vec<_> = aborted.completed.iter().map(|call| call.tool.as_str()).collect();
    let body = json!({ "success": false, "error": error, "completed": completed,
        "replan": aborted.replan });
    ToolAnswer::new("aborted", body)
}

/// What a run that did not finish has done.
pub(super) fn checkpoint(stored: &StoredRun) -> Value {
    let timeline = Timeline::of(&stored.entries);
    let (mut completed, mut failed) = (Vec::new(), None);
    for outcome in &timeline.outcomes {
        let call = timeline.calls.get(&outcome.call).filter(|call| !call.is_timer());
        match (call, outcome.settled) {
            (Some(call), CallResult::Value(_)) => completed.push(call.tool),
            (Some(call), CallResult::Error { .. }) => failed = Some(call.tool),
            (None, _) => {}
        }
    }
    json!({ "checkpoint": {
        "run_id": stored.header.run,
        "completed": completed.len(),
        "completed_nodes": completed,
        "failed_node": failed,
    } })
}
