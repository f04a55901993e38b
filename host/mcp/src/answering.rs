//! Sees a run through to what its request is answered with: its outcome, or its question, on the best channel that the client has.

use super::answer::ToolAnswer;
use super::channel::{Caller, ClientChannel};
use super::hosted::HostedRun;
use super::record::look_up;
use super::task;
use crate::progress_reporter::ProgressReporter;
use crate::server::RequestScope;
use crate::wait::{PriorDecision, WaitOutcome, attend};
use crate::{elicitation, input_required};
use pml::{Error, Question, Timestamp};
use rmcp::ErrorData;
use rmcp::model::CallToolResponse;
use std::sync::Arc;

/// Sees a run through, `after` something was decided; `notes` come with the answer.
pub(super) async fn see_through(
    visit: &RequestScope,
    caller: &Caller<'_>,
    hosted: &Arc<HostedRun>,
    mut after: PriorDecision,
    mut notes: Vec<String>,
) -> Result<CallToolResponse, ErrorData> {
    let _attending = hosted.attend();
    let mut telling = ProgressReporter::new(caller.context, &hosted.watcher);
    loop {
        let question = match attend(visit, caller, hosted, after, &mut telling).await? {
            WaitOutcome::Ended(over) => return Ok(complete(caller, over.answer.clone(), notes)),
            WaitOutcome::Asked(question) => question,
        };
        let id = question.id;
        // A part of it may have been decided. What cannot be looked up is shown whole. Whether it has expired is the run's word.
        let question = match look_up(visit, id, Timestamp::default()).await {
            Ok(Some((_, false))) => {
                // It was answered a moment ago; the run has yet to notice.
                after = PriorDecision::Settled(id);
                continue;
            }
            Ok(Some((question, true))) => question,
            _ => question,
        };
        visit.door.house.tidy();
        let asked = match caller.channel {
            ClientChannel::Task => {
                task::create(visit, hosted, &question).map(CallToolResponse::Task)
            }
            ClientChannel::InputRequired => input_required::ask(visit, caller, &question).await,
            ClientChannel::Elicitation => {
                match elicitation::ask(visit, caller, hosted, &question, &mut telling).await? {
                    elicitation::DialogOutcome::Settled => {
                        after = PriorDecision::Settled(id);
                        continue;
                    }
                    elicitation::DialogOutcome::Part => {
                        after = PriorDecision::Part;
                        continue;
                    }
                    elicitation::DialogOutcome::Nothing(note) => {
                        notes.push(note);
                        return Ok(required(visit, caller, hosted, &question, notes));
                    }
                }
            }
            ClientChannel::Caller => return Ok(required(visit, caller, hosted, &question, notes)),
        };
        return Ok(asked.unwrap_or_else(|error| {
            notes.push(format!("your client could not be asked: {}", told(&error)));
            required(visit, caller, hosted, &question, notes)
        }));
    }
}

/// The answer that a person has to decide, by whatever other way there is.
pub(super) fn required(
    visit: &RequestScope,
    caller: &Caller<'_>,
    hosted: &HostedRun,
    question: &Question,
    notes: Vec<String>,
) -> CallToolResponse {
    hosted.show(question);
    let mut answer = ToolAnswer::of_question(question, &visit.servers.redactor());
    let (lines, dropped) = hosted.watcher.lines();
    answer.add_console(&lines, dropped);
    complete(caller, answer, notes)
}

/// An answer, as the client gets it.
pub(super) fn complete(
    caller: &Caller<'_>,
    mut answer: ToolAnswer,
    notes: Vec<String>,
) -> CallToolResponse {
    answer.note(notes);
    CallToolResponse::Complete(answer.write(caller.shows_either()))
}

fn told(error: &Error) -> String {
    pml::escape(&error.to_string()).into_owned()
}
