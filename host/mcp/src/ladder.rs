//! Sees a run through to what its request is answered with: its outcome, or its question, on the best channel that the client has.

use super::answer::Answer;
use super::attend::{After, Seen, attend};
use super::channel::{Caller, Channel};
use super::door::Visit;
use super::hosted::Hosted;
use super::record::look_up;
use super::telling::Telling;
use super::{dialog, rounds, task};
use pml::{Error, Question, Timestamp};
use rmcp::ErrorData;
use rmcp::model::CallToolResponse;
use std::sync::Arc;

/// Sees a run through, `after` something was decided; `notes` come with the answer.
pub(super) async fn see_through(
    visit: &Visit,
    caller: &Caller<'_>,
    hosted: &Arc<Hosted>,
    mut after: After,
    mut notes: Vec<String>,
) -> Result<CallToolResponse, ErrorData> {
    let _attending = hosted.attend();
    let mut telling = Telling::new(caller.context, &hosted.watcher);
    loop {
        let question = match attend(visit, caller, hosted, after, &mut telling).await? {
            Seen::Over(over) => return Ok(complete(caller, over.answer.clone(), notes)),
            Seen::Asked(question) => question,
        };
        let id = question.id;
        // A part of it may have been decided. What cannot be looked up is shown whole. Whether it has expired is the run's word.
        let question = match look_up(visit, id, Timestamp::default()).await {
            Ok(Some((_, false))) => {
                // It was answered a moment ago; the run has yet to notice.
                after = After::Settled(id);
                continue;
            }
            Ok(Some((question, true))) => question,
            _ => question,
        };
        visit.door.house.tidy();
        let asked = match caller.channel {
            Channel::Task => task::create(visit, hosted, &question).map(CallToolResponse::Task),
            Channel::Rounds => rounds::ask(visit, caller, &question).await,
            Channel::Dialog => {
                match dialog::ask(visit, caller, hosted, &question, &mut telling).await? {
                    dialog::Said::Settled => {
                        after = After::Settled(id);
                        continue;
                    }
                    dialog::Said::Part => {
                        after = After::Part;
                        continue;
                    }
                    dialog::Said::Nothing(note) => {
                        notes.push(note);
                        return Ok(required(visit, caller, hosted, &question, notes));
                    }
                }
            }
            Channel::Caller => return Ok(required(visit, caller, hosted, &question, notes)),
        };
        return Ok(asked.unwrap_or_else(|error| {
            notes.push(format!("your client could not be asked: {}", told(&error)));
            required(visit, caller, hosted, &question, notes)
        }));
    }
}

/// The answer that a person has to decide, by whatever other way there is.
pub(super) fn required(
    visit: &Visit,
    caller: &Caller<'_>,
    hosted: &Hosted,
    question: &Question,
    notes: Vec<String>,
) -> CallToolResponse {
    hosted.show(question);
    let mut answer = Answer::of_question(question, &visit.servers.redactor());
    let (lines, dropped) = hosted.watcher.lines();
    answer.add_console(&lines, dropped);
    complete(caller, answer, notes)
}

/// An answer, as the client gets it.
pub(super) fn complete(
    caller: &Caller<'_>,
    mut answer: Answer,
    notes: Vec<String>,
) -> CallToolResponse {
    answer.note(notes);
    CallToolResponse::Complete(answer.write(caller.shows_either()))
}

fn told(error: &Error) -> String {
    pml::escape(&error.to_string()).into_owned()
}
