//! Runs as tasks, for clients that declare the extension: a call that waits for a person is
//! answered with a task, which the client polls, answers and cancels by its id.
//!
//! **Invariant:** a task is its run: its state comes from the run or from its journal, so that it
//! outlives this process.

use super::answer::ToolAnswer;
use super::channel::{shows_either, who};
use super::form::{FormAnswer, waiting_message};
use super::record::record;
use crate::input_required::{as_shown, form_answer, parse_key, requests};
use crate::progress_reporter::progress_text;
use crate::server::RequestScope;
use crate::wait::cancel_request;
use pml::hosting::{EndedRun, HostedRun, HostedRunState, find_question};
use pml::{Clock, Code, Decision, Error, Question, RunId, SystemClock, approval::Decisions};
use rmcp::ErrorData;
use rmcp::model::{
    CreateTaskResult, DetailedTask, GetTaskResult, InputResponses, Task, TaskPayload, TaskStatus,
};
use rmcp::service::{RequestContext, RoleServer};
use std::time::Duration;

/// How often a client should poll, in milliseconds.
const POLL_MS: u64 = 1_000;

/// How long rebuilding most runs takes.
const REBUILD_TIME: Duration = Duration::from_millis(300);

/// How long a task is known, in milliseconds: as long as the journal stores its run.
const TTL_MS: u64 = pml::journal::PruneRule::AGE.as_secs() * 1_000;

/// Creates the task of a run that asks.
pub(super) fn create(
    scope: &RequestScope,
    hosted: &HostedRun,
    question: &Question,
) -> Result<CreateTaskResult, Error> {
    let id = scope.server.sealer.seal_task(hosted.id())?;
    let asked = question.asked_at.to_string();
    let task = task(id, asked).with_status_message(waiting_message(question));
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

/// Returns the state of a task.
pub(super) async fn get(
    scope: &RequestScope,
    id: String,
    context: &RequestContext<RoleServer>,
) -> Result<GetTaskResult, ErrorData> {
    let run = run_of(scope, &id)?;
    let Ok(stored) = scope.engine.journal().load(run).await else { return Err(unknown()) };
    let mut task = task(id, stored.header.created.to_string());
    let known = scope.server.host.find(run).is_some();
    let hosted = scope.find_or_resume(run).await;
    if !known {
        // The run was just resumed, or belongs to another process: its state is known a moment
        // later.
        let known = |state: &HostedRunState| !matches!(state, HostedRunState::Running);
        let _ = tokio::time::timeout(REBUILD_TIME, hosted.state().wait_for(known)).await;
    }
    let state = hosted.state().borrow().clone();
    let question = match &state {
        HostedRunState::Asking(open) => open.first().cloned(),
        // Another process has the run; its questions can be answered here all the same.
        HostedRunState::Ended(ended) if ended.error() == Some(Code::RunOwned) => {
            open_question(scope, run).await
        }
        _ => None,
    };
    let question = match question {
        Some(question) => {
            match find_question(&scope.engine, question.id, SystemClock.now()).await {
                Ok(Some(stored)) if stored.open => Some(stored.question),
                _ => None,
            }
        }
        None => None,
    };
    let payload = match (question, state) {
        (Some(question), _) => {
            task.status_message = Some(waiting_message(&question));
            TaskPayload::InputRequired {
                input_requests: requests(&question, &scope.servers.redactor()),
            }
        }
        (None, HostedRunState::Ended(ended)) => {
            ended_payload(scope, &hosted, &ended, shows_either(context))
        }
        (None, _) => {
            task.status_message =
                Some(progress_text(&hosted.watcher().progress(), &scope.servers.redactor()));
            TaskPayload::Working
        }
    };
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

/// Records a person's answers to the questions of a task.
pub(super) async fn update(
    scope: &RequestScope,
    id: &str,
    responses: &InputResponses,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    let run = run_of(scope, id)?;
    for key in responses.keys() {
        // An answer to a question that is no longer asked is ignored.
        let Some((question, asks)) = parse_key(key) else { continue };
        let found = find_question(&scope.engine, question, SystemClock.now()).await;
        if !matches!(found, Ok(Some(stored)) if stored.open) {
            continue;
        }
        // Some asks may have been decided elsewhere meanwhile: the answer refers to the asks that
        // were shown.
        let shown = as_shown(scope, question, &asks).await;
        let shown = shown.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let Some(question) = shown else { continue };
        if question.run != run {
            continue;
        }
        let FormAnswer::Decided(decisions) = form_answer(&question, responses) else { continue };
        let recorded = record(scope, &question, decisions, who(context), "task").await;
        recorded.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    }
    // If no process has the run, it continues here.
    scope.find_or_resume(run).await;
    Ok(())
}

/// Ends a task with its calls in flight.
pub(super) async fn cancel(
    scope: &RequestScope,
    id: &str,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    let run = run_of(scope, id)?;
    let hosted = scope.find_or_resume(run).await;
    hosted.cancel(cancel_request(who(context)));
    let has_ended = |state: &HostedRunState| matches!(state, HostedRunState::Ended(_));
    let error = match hosted.state().wait_for(has_ended).await.as_deref() {
        Ok(HostedRunState::Ended(ended)) => ended.error(),
        _ => None,
    };
    // Another process has the run: it ends there, if it waits for an answer.
    if error == Some(Code::RunOwned)
        && let Some(question) = open_question(scope, run).await
    {
        let decisions = Decisions::All(Decision::Abort);
        let recorded = record(scope, &question, decisions, who(context), "task").await;
        recorded.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    }
    Ok(())
}

fn run_of(scope: &RequestScope, id: &str) -> Result<RunId, ErrorData> {
    match scope.server.sealer.open_task(id) {
        Ok(run) => run.ok_or_else(unknown),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    }
}

fn unknown() -> ErrorData {
    ErrorData::invalid_params("there is no such task", None)
}

async fn open_question(scope: &RequestScope, run: RunId) -> Option<Question> {
    let open = scope.engine.journal().questions(Some(run), SystemClock.now()).await.ok()?;
    open.into_iter().next().map(|asked| asked.question)
}

fn ended_payload(
    scope: &RequestScope,
    hosted: &HostedRun,
    ended: &EndedRun,
    shows_either: bool,
) -> TaskPayload {
    match ended.error() {
        // It continues in another process.
        Some(Code::RunOwned | Code::Cancelled) => return TaskPayload::Working,
        _ if ended.cancelled => return TaskPayload::Cancelled,
        _ => {}
    }
    let redactor = scope.servers.redactor();
    let answer = ToolAnswer::of_ended(hosted, ended, &scope.server.client, &redactor);
    let result = serde_json::to_value(answer.into_result(shows_either));
    match result {
        Ok(serde_json::Value::Object(result)) => TaskPayload::Completed { result },
        _ => TaskPayload::Cancelled,
    }
}
