//! Requests that need answers from the client before they can be answered themselves (2026-07-28).

use super::shared::Shared;
use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, InputRequest, InputRequests, InputRequiredResult, InputResponses,
    JsonObject,
};
use rmcp::{RoleServer, service::RequestContext};

/// The part of a request that refers to earlier rounds.
pub(crate) struct Round<'a> {
    pub(crate) name: &'a str,
    pub(crate) responses: Option<InputResponses>,
    pub(crate) state: Option<String>,
}

/// The next step.
pub(crate) enum Next {
    /// The client must answer first.
    Ask(InputRequiredResult),
    /// All rounds are answered. Holds the responses of the last round.
    Answer(JsonObject),
}

impl Round<'_> {
    /// Decides whether to ask (again) or to answer.
    pub(crate) fn next(
        self,
        rounds: &[InputRequests],
        sealed: bool,
        shared: &Shared,
        context: &RequestContext<RoleServer>,
    ) -> Result<Next, ErrorData> {
        let mut round = match (&self.state, sealed) {
            (Some(state), true) => shared
                .open(self.name, state)
                .ok_or_else(|| ErrorData::invalid_params("the requestState is not ours", None))?,
            _ => 0,
        };
        // Responses of a sealed round are ignored if its state is missing.
        let responses = match sealed && self.state.is_none() {
            true => InputResponses::new(),
            false => self.responses.unwrap_or_default(),
        };
        let declared = context.client_capabilities().unwrap_or_default();
        let asked = rounds.get(round).map(|requests| within(requests, &declared));
        if let Some(asked) = asked
            && asked.keys().all(|key| responses.get(key).is_some_and(|each| each.is_object()))
            && !asked.is_empty()
        {
            round += 1;
            if round == rounds.len() {
                return Ok(Next::Answer(responses.into_iter().collect()));
            }
        }
        let asked = within(&rounds[round], &declared);
        if asked.is_empty() {
            let required = ClientCapabilities::builder().enable_elicitation().build();
            return Err(ErrorData::missing_required_client_capability(required));
        }
        let state = sealed.then(|| shared.seal(self.name, round));
        Ok(Next::Ask(InputRequiredResult::new(Some(asked), state)))
    }
}

/// Returns those of `requests` that the client can answer.
fn within(requests: &InputRequests, declared: &ClientCapabilities) -> InputRequests {
    let can = |request: &InputRequest| match request {
        InputRequest::Elicitation(_) => declared.elicitation.is_some(),
        InputRequest::CreateMessage(_) => declared.sampling.is_some(),
        InputRequest::ListRoots(_) => declared.roots.is_some(),
        _ => false,
    };
    let mut requests = requests.clone();
    requests.retain(|_, request| can(request));
    requests
}
