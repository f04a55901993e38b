//! Waits for a run and answers its request: with its outcome, or with its question on the best
//! channel of the client.

use super::answer::ToolAnswer;
use super::channel::{Caller, ClientChannel};
use super::question::DecisionWay;
use super::task;
use crate::progress_reporter::ProgressReporter;
use crate::server::RequestScope;
use crate::wait::{RunNews, wait_for_run};
use crate::{elicitation, input_required};
use pml::hosting::{HostedRun, PriorDecision, find_question};
use pml::{Error, Question, Timestamp};
use rmcp::ErrorData;
use rmcp::model::CallToolResponse;
use std::sync::Arc;

/// Waits for a run, `after` a prior decision, and answers with its ending or its question. `notes`
/// are added to the answer.
pub(super) async fn wait_and_answer(
    scope: &RequestScope,
    caller: &Caller<'_>,
    hosted: &Arc<HostedRun>,
    mut after: PriorDecision,
    mut notes: Vec<String>,
) -> Result<CallToolResponse, ErrorData> {
    let client = &scope.server.client;
    let request = hosted.register_request(client);
    let mut reporter = ProgressReporter::new(caller.context, hosted.watcher());
    loop {
        let question =
            match wait_for_run(scope, caller, hosted, &request, after, &mut reporter).await? {
                RunNews::Ended(ended) => {
                    let redactor = scope.servers.redactor();
                    let answer = ToolAnswer::of_ended(hosted, &ended, client, &redactor);
                    return Ok(complete(caller, answer, notes));
                }
                RunNews::Asked(question) => question,
            };
        let id = question.id;
        // Some of its asks may be decided already. A question that cannot be looked up is shown
        // whole. The run decides whether it has expired.
        let question = match find_question(&scope.engine, id, Timestamp::default()).await {
            Ok(Some(stored)) if !stored.open => {
                // It was answered a moment ago; the run has not noticed yet.
                after = PriorDecision::Settled(id);
                continue;
            }
            Ok(Some(stored)) => stored.question,
            _ => question,
        };
        scope.server.host.release_idle();
        let asked = match caller.channel {
            ClientChannel::Task => {
                task::create(scope, hosted, &question).map(CallToolResponse::Task)
            }
            ClientChannel::InputRequired => input_required::ask(scope, caller, &question).await,
            ClientChannel::Elicitation => {
                let dialog =
                    elicitation::ask(scope, caller, hosted, &request, &question, &mut reporter);
                match dialog.await? {
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
                        return Ok(approval_required(scope, caller, hosted, &question, notes));
                    }
                }
            }
            ClientChannel::Caller => {
                return Ok(approval_required(scope, caller, hosted, &question, notes));
            }
        };
        return Ok(asked.unwrap_or_else(|error| {
            notes.push(format!("your client could not be asked: {}", error_text(&error)));
            approval_required(scope, caller, hosted, &question, notes)
        }));
    }
}

/// Returns the answer that a person has to decide, through any other channel.
pub(super) fn approval_required(
    scope: &RequestScope,
    caller: &Caller<'_>,
    hosted: &HostedRun,
    question: &Question,
    notes: Vec<String>,
) -> CallToolResponse {
    hosted.record_shown(question);
    let by = match caller.channel.asks_people() && !scope.model_may_approve {
        true => DecisionWay::Dialog,
        false => DecisionWay::Caller,
    };
    let mut answer = ToolAnswer::of_question(question, by, &scope.servers.redactor());
    let console = hosted.watcher().read_lines(&scope.server.client);
    answer.add_console(&console.lines, console.dropped);
    complete(caller, answer, notes)
}

/// Renders an answer for the client.
pub(super) fn complete(
    caller: &Caller<'_>,
    mut answer: ToolAnswer,
    notes: Vec<String>,
) -> CallToolResponse {
    answer.add_notes(notes);
    CallToolResponse::Complete(answer.into_result(caller.shows_either()))
}

/// Formats an error for a note.
fn error_text(error: &Error) -> String {
    pml::text::escape(&error.to_string()).into_owned()
}
