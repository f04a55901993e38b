//! Asks in rounds, for protocol versions from 2026-07-28 on: the answer says that input is
//! required, and the client repeats the same call with the person's answer and the state that the
//! server gave it.
//!
//! **Invariant:** a state that this server did not issue, or that belongs to another call, approves
//! nothing. A repeated state approves nothing either: the journal has an answer already, and the
//! client gets the state of the run.

use super::answer::{ToolAnswer, workflow_not_found};
use super::channel::{Caller, ClientChannel};
use super::form::{self, ChoiceFormat, FormAnswer};
use super::record::{not_shown, record};
use super::seal::SealedQuestion;
use crate::answering::{approval_required, complete, wait_and_answer};
use crate::server::RequestScope;
use pml::hosting::{PriorDecision, find_question};
use pml::{
    Ask, Clock, Error, Question, QuestionId, SystemClock,
    journal::StoredRun,
    text::{Redactor, hex},
};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, ElicitRequest, ElicitResult, InputRequest, InputRequests,
    InputRequiredResult, InputResponses,
};
use sha2::{Digest, Sha256};

/// Returns the answer that input is required.
pub(super) async fn ask(
    scope: &RequestScope,
    caller: &Caller<'_>,
    question: &Question,
) -> Result<CallToolResponse, Error> {
    let Some(binding) = &caller.binding else {
        return Err(Error::new(pml::Code::Internal, "nobody knows what was called"));
    };
    let stored = scope.engine.journal().load(question.run).await?;
    let (program, lock) = binding_of(&stored);
    let asks = form::shown_asks(question).iter().map(|ask| (ask.id.0, ask.digest())).collect();
    let state = SealedQuestion::new(question.id, question.run, asks, program, lock);
    let time_left = question.expires_at.map(|end| end.since(SystemClock.now()));
    let state = scope.server.sealer.seal_question(&state, binding, time_left)?;
    Ok(InputRequiredResult::new(Some(requests(question, &scope.servers.redactor())), Some(state))
        .into())
}

/// Returns the input requests for a client. Their key contains the question's id and the shown
/// asks, so that an answer cannot belong to another question.
pub(super) fn requests(question: &Question, redactor: &Redactor) -> InputRequests {
    let form = form::elicitation(question, ChoiceFormat::Titled, redactor);
    let request = InputRequest::Elicitation(ElicitRequest::new(form));
    [(key(question), request)].into()
}

/// Returns the key of a question, with the digest of each ask that is shown:
/// `<id>:1=<digest>,2=<digest>`.
fn key(question: &Question) -> String {
    let asks = form::shown_asks(question).iter().map(|ask| format!("{}={}", ask.id, ask.digest()));
    format!("{}:{}", question.id, asks.collect::<Vec<_>>().join(","))
}

/// Parses the key of a question into its id and the asks that were shown.
pub(super) fn parse_key(key: &str) -> Option<(QuestionId, Vec<(u32, String)>)> {
    let (question, asks) = key.split_once(':')?;
    let asks = asks.split(',').map(|ask| {
        let (id, digest) = ask.split_once('=')?;
        Some((id.parse().ok()?, digest.to_owned()))
    });
    Some((question.parse().ok()?, asks.collect::<Option<_>>()?))
}

/// Returns the question with the asks that were shown, including those decided since. Returns
/// `None` if the question no longer exists.
///
/// # Errors
/// If one of the asks differs from the one that was shown.
pub(super) async fn as_shown(
    scope: &RequestScope,
    question: QuestionId,
    asks: &[(u32, String)],
) -> Result<Option<Question>, Error> {
    let asked = scope.engine.journal().question(question, SystemClock.now()).await;
    let Ok(Some(asked)) = asked else { return Ok(None) };
    let mut question = asked.question;
    question.asks.retain(|ask| asks.iter().any(|(id, _)| ask.id.0 == *id));
    let same = |ask: &Ask| asks.contains(&(ask.id.0, ask.digest()));
    if question.asks.len() != asks.len() || !question.asks.iter().all(same) {
        return Err(not_shown(question.id));
    }
    Ok(Some(question))
}

/// Reads the answer to a question from the responses, if they contain one.
pub(super) fn form_answer(question: &Question, responses: &InputResponses) -> FormAnswer {
    let response = responses.get(&key(question)).cloned();
    match response.and_then(|response| serde_json::from_value::<ElicitResult>(response).ok()) {
        Some(result) => form::read_answer(question, &result),
        None => FormAnswer::Nothing,
    }
}

/// Handles a repeated call.
pub(super) async fn resume_call(
    scope: &RequestScope,
    caller: &Caller<'_>,
    state: &str,
    responses: &InputResponses,
) -> Result<CallToolResponse, ErrorData> {
    let failed = |error: &Error| complete(caller, ToolAnswer::of_error(error), Vec::new());
    let opened = match &caller.binding {
        Some(binding) => scope.server.sealer.open_question(state, binding),
        None => Ok(None),
    };
    let state = match opened {
        Ok(Some(state)) => state,
        Ok(None) => return Err(refused()),
        Err(error) => return Ok(failed(&error)),
    };
    // A run that the journal no longer has cannot be answered.
    let Ok(stored) = scope.engine.journal().load(state.run).await else {
        return Ok(complete(caller, workflow_not_found(), Vec::new()));
    };
    if binding_of(&stored) != (state.program.clone(), state.lock.clone()) {
        return Err(refused());
    }
    let (mut question, open) =
        match find_question(&scope.engine, state.question, SystemClock.now()).await {
            Ok(Some(found)) if found.question.run == state.run => (found.question, found.open),
            Ok(_) => return Ok(complete(caller, workflow_not_found(), Vec::new())),
            Err(error) => return Ok(failed(&error)),
        };
    if !open {
        let hosted = scope.find_or_resume(state.run).await;
        return wait_and_answer(scope, caller, &hosted, PriorDecision::Nothing, Vec::new()).await;
    }
    // Some asks may have been decided elsewhere meanwhile: the answer refers to the asks that were
    // shown.
    let whole = question.clone();
    match as_shown(scope, state.question, &state.asks).await {
        Ok(Some(shown)) => question = shown,
        Ok(None) => {}
        Err(error) => return Ok(failed(&error)),
    }
    let FormAnswer::Decided(decisions) = form_answer(&question, responses) else {
        let hosted = scope.find_or_resume(state.run).await;
        let note = "nothing was said to the question".to_owned();
        return Ok(approval_required(scope, caller, &hosted, &whole, vec![note]));
    };
    let (who, channel) = (caller.who(), ClientChannel::InputRequired.name());
    let recorded = match record(scope, &question, decisions, who, channel).await {
        Ok(recorded) => recorded,
        Err(error) => return Ok(failed(&error)),
    };
    let hosted = scope.find_or_resume(state.run).await;
    let after = match recorded.is_partial() {
        true => PriorDecision::Part,
        false => PriorDecision::Settled(state.question),
    };
    wait_and_answer(scope, caller, &hosted, after, Vec::new()).await
}

/// Returns the other values that a state is bound to, besides its call: the program and the
/// lockfile of the run.
fn binding_of(stored: &StoredRun) -> (String, Option<String>) {
    let program = hex(&Sha256::digest(&stored.header.program));
    (program, stored.header.lock.clone())
}

/// Returns the same error for every reason: the difference would help only a forger.
fn refused() -> ErrorData {
    let message = "this `requestState` is not one that was given for this call, or it is too old";
    ErrorData::invalid_params(message, None)
}
