//! Runs as tasks, for clients that declare the extension: what waits for a person is answered with a task, which the client asks
//! about, answers and cancels by its id.
//!
//! **Invariant:** a task is its run: what is told of it is told by the run or by its journal, so that it outlives this process.

use super::channel::{shows_either, who};
use super::form::{FormAnswer, waiting};
use super::hosted::{EndedRun, HostedRun, HostedRunState, take_up};
use super::record::{look_up, record};
use crate::input_required::{as_shown, heard, key_read, requests};
use crate::server::RequestScope;
use pml::{Clock, Code, Decision, Decisions, Error, Question, RunId, SystemClock};
use rmcp::ErrorData;
use rmcp::model::{
    CreateTaskResult, DetailedTask, GetTaskResult, InputResponses, Task, TaskPayload, TaskStatus,
};
use rmcp::service::{RequestContext, RoleServer};
use std::time::Duration;

/// How often a client should ask.
const POLL_MS: u64 = 1_000;

/// How long it takes to rebuild most runs.
const SOON: Duration = Duration::from_millis(300);

/// How long a task is known: as long as the journal keeps its run.
const TTL_MS: u64 = pml::PruneRule::AGE.as_secs() * 1_000;

/// The task of a run that asks.
pub(super) fn create(
    visit: &RequestScope,
    hosted: &HostedRun,
    question: &Question,
) -> Result<CreateTaskResult, Error> {
    let id = visit.door.seal.task(hosted.run)?;
    let asked = question.asked_at.to_string();
    let task = task(id, asked).with_status_message(waiting(question));
    let mut result = CreateTaskResult::new(task);
    result.task.status = TaskStatus::InputRequired;
    Ok(result)
}

fn task(id: String, created: String) -> Task {
    let now = SystemClock.now().to_string();
    Task::new(id, TaskStatus::Working, created, now)
        .with_ttl_ms(TTL_MS)
        .with_poll_interval_ms(POLL_MS)
}

/// Tells how a task stands.
pub(super) async fn get(
    visit: &RequestScope,
    id: String,
    context: &RequestContext<RoleServer>,
) -> Result<GetTaskResult, ErrorData> {
    let run = run_of(visit, &id)?;
    let Ok(stored) = visit.engine.journal().load(run).await else { return Err(unknown()) };
    let mut task = task(id, stored.header.created.to_string());
    let known = visit.door.house.find(run).is_some();
    let hosted = take_up(visit, run).await;
    if !known {
        // It has just been taken up, or is found to be another process's: a moment later it is known where it stands.
        let stands = |stand: &HostedRunState| !matches!(stand, HostedRunState::Running);
        let _ = tokio::time::timeout(SOON, hosted.stand().wait_for(stands)).await;
    }
    let stand = hosted.stand().borrow().clone();
    let question = match &stand {
        HostedRunState::Asking(open) => open.first().cloned(),
        // Another process has the run; its questions can be answered all the same.
        HostedRunState::Ended(over) if over.error == Some(Code::RunOwned) => {
            open_question(visit, run).await
        }
        _ => None,
    };
    let question = match question {
        Some(question) => match look_up(visit, question.id, SystemClock.now()).await {
            Ok(Some((question, true))) => Some(question),
            _ => None,
        },
        None => None,
    };
    let payload = match (question, stand) {
        (Some(question), _) => {
            task.status_message = Some(waiting(&question));
            TaskPayload::InputRequired {
                input_requests: requests(&question, &visit.servers.redactor()),
            }
        }
        (None, HostedRunState::Ended(over)) => over_payload(&over, shows_either(context)),
        (None, _) => {
            task.status_message = Some(hosted.watcher.progress());
            TaskPayload::Working
        }
    };
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

/// Takes what a person said to the questions of a task.
pub(super) async fn update(
    visit: &RequestScope,
    id: &str,
    responses: &InputResponses,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    let run = run_of(visit, id)?;
    for key in responses.keys() {
        // An answer to something that is not asked any more is none.
        let Some((question, asks)) = key_read(key) else { continue };
        let Ok(Some((_, true))) = look_up(visit, question, SystemClock.now()).await else {
            continue;
        };
        // A part may have been decided elsewhere meanwhile: what was said is about what was shown.
        let shown = as_shown(visit, question, &asks).await;
        let shown = shown.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let Some(question) = shown else { continue };
        if question.run != run {
            continue;
        }
        let FormAnswer::Decided(decisions) = heard(&question, responses) else { continue };
        let recorded = record(visit, &question, decisions, who(context), "task").await;
        recorded.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    }
    // If nobody has the run, it goes on here.
    take_up(visit, run).await;
    Ok(())
}

/// Ends a task, with the calls that are out.
pub(super) async fn cancel(
    visit: &RequestScope,
    id: &str,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    let run = run_of(visit, id)?;
    let hosted = take_up(visit, run).await;
    hosted.cancel(who(context));
    let over = |stand: &HostedRunState| matches!(stand, HostedRunState::Ended(_));
    let error = match hosted.stand().wait_for(over).await.as_deref() {
        Ok(HostedRunState::Ended(over)) => over.error,
        _ => None,
    };
    // Another process has it: it ends there, if it waits for somebody to say so.
    if error == Some(Code::RunOwned)
        && let Some(question) = open_question(visit, run).await
    {
        let ends = Decisions::All(Decision::Abort);
        let recorded = record(visit, &question, ends, who(context), "task").await;
        recorded.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    }
    Ok(())
}

fn run_of(visit: &RequestScope, id: &str) -> Result<RunId, ErrorData> {
    match visit.door.seal.run(id) {
        Ok(run) => run.ok_or_else(unknown),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    }
}

fn unknown() -> ErrorData {
    ErrorData::invalid_params("there is no such task", None)
}

async fn open_question(visit: &RequestScope, run: RunId) -> Option<Question> {
    let open = visit.engine.journal().questions(Some(run), SystemClock.now()).await.ok()?;
    open.into_iter().next().map(|asked| asked.question)
}

fn over_payload(over: &EndedRun, either: bool) -> TaskPayload {
    match over.error {
        // It goes on in another process.
        Some(Code::RunOwned | Code::Cancelled) => return TaskPayload::Working,
        _ if over.cancelled => return TaskPayload::Cancelled,
        _ => {}
    }
    let result = serde_json::to_value(over.answer.clone().write(either));
    match result {
        Ok(serde_json::Value::Object(result)) => TaskPayload::Completed { result },
        _ => TaskPayload::Cancelled,
    }
}
