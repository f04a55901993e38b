//! Asks through the client's own dialog while its request waits, for protocol versions before
//! 2026-07-28.
//!
//! **Invariant:** the first answer wins. If it comes from elsewhere, the dialog is withdrawn.

use super::channel::Caller;
use super::form::{self, ChoiceFormat, FormAnswer};
use super::record::record;
use crate::progress_reporter::ProgressReporter;
use crate::server::RequestScope;
use crate::wait::{cancel_request, client_gone, request_cancelled};
use pml::hosting::{HostedRun, WaitingRequest};
use pml::{Question, text::escape};
use rmcp::ErrorData;
use rmcp::model::{ClientResult, ElicitRequest, ElicitResult, ProtocolVersion, ServerRequest};
use rmcp::service::{PeerRequestOptions, ServiceError};

/// The result of a dialog.
pub(super) enum DialogOutcome {
    /// Every ask of the question is decided.
    Settled,
    /// Some asks are decided.
    Part,
    /// Nothing was decided. Holds the reason.
    Nothing(String),
}

/// Asks, and records the answer.
pub(super) async fn ask(
    scope: &RequestScope,
    caller: &Caller<'_>,
    hosted: &HostedRun,
    waiting_request: &WaitingRequest<'_>,
    question: &Question,
    reporter: &mut ProgressReporter,
) -> Result<DialogOutcome, ErrorData> {
    let version = caller.context.protocol_version();
    let format = match version.is_some_and(|version| version >= ProtocolVersion::V_2025_11_25) {
        true => ChoiceFormat::Titled,
        false => ChoiceFormat::Names,
    };
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form::elicitation(
        question,
        format,
        &scope.servers.redactor(),
    )));
    let sent =
        caller.context.peer.send_cancellable_request(request, PeerRequestOptions::no_options());
    let mut handle = match sent.await {
        Ok(handle) => handle,
        Err(error) => return Ok(DialogOutcome::Nothing(failed(&error))),
    };
    let (mut state, client) = (hosted.state(), &scope.server.client);
    let waiting = form::waiting_message(question);
    reporter.report(waiting.clone());
    let response = loop {
        if !hosted.has_open_question(question.id) {
            // The question was answered elsewhere, or it expired.
            let _ = handle.cancel(Some("it was answered elsewhere".into())).await;
            return Ok(DialogOutcome::Settled);
        }
        tokio::select! {
            biased;
            response = &mut handle.rx => break response,
            () = client.wait_gone() => return Err(client_gone()),
            () = caller.context.ct.cancelled() => {
                hosted.cancel_for(waiting_request, cancel_request(caller.who()));
                let _ = handle.cancel(Some("the request was cancelled".into())).await;
                return Err(request_cancelled());
            }
            _ = state.changed() => {}
            () = reporter.wait_for_heartbeat() => reporter.report(waiting.clone()),
        }
    };
    let result = match response {
        Ok(Ok(ClientResult::ElicitResult(result))) => result,
        Ok(Ok(other)) => match reparse(&other) {
            Some(result) => result,
            None => {
                return Ok(DialogOutcome::Nothing(
                    "the client's answer is not one to a dialog".into(),
                ));
            }
        },
        Ok(Err(error)) => return Ok(DialogOutcome::Nothing(failed(&error))),
        Err(_) => return Err(client_gone()),
    };
    let FormAnswer::Decided(decisions) = form::read_answer(question, &result) else {
        return Ok(DialogOutcome::Nothing("the dialog was closed without an answer".into()));
    };
    let (who, channel) = (caller.who(), caller.channel.name());
    match record(scope, question, decisions, who, channel).await {
        Ok(recorded) if recorded.is_partial() => Ok(DialogOutcome::Part),
        Ok(_) => Ok(DialogOutcome::Settled),
        Err(error) => {
            Ok(DialogOutcome::Nothing(format!("the answer could not be recorded: {error}")))
        }
    }
}

/// Reads a bare `{"action": …}`, which rmcp may have parsed as another kind of result.
fn reparse(result: &ClientResult) -> Option<ElicitResult> {
    serde_json::from_value(serde_json::to_value(result).ok()?).ok()
}

fn failed(error: &ServiceError) -> String {
    format!("the client could not ask: {}", escape(&error.to_string()))
}
