//! How the client of a request can ask a person, best way first.

use super::seal::CallBinding;
use rmcp::model::{CallToolRequestParams, ElicitationCapability};
use rmcp::service::{RequestContext, RoleServer};

/// A way to ask a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientChannel {
    /// The run becomes a task, and the question rides it.
    Task,
    /// The answer says that input is required, and the client makes the same call again with it.
    InputRequired,
    /// We ask the client while its request waits.
    Elicitation,
    /// The client cannot ask: its caller is told that somebody has to.
    Caller,
}

/// Who calls, and how they can be asked.
pub(super) struct Caller<'a> {
    pub(super) context: &'a RequestContext<RoleServer>,
    pub(super) channel: ClientChannel,
    /// What is called, where the client may have to call it again.
    pub(super) called: Option<CallBinding>,
}

impl ClientChannel {
    /// The best one that the client has.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> ClientChannel {
        let Some(capabilities) = context.client_capabilities() else {
            return ClientChannel::Caller;
        };
        if !capabilities.elicitation.as_ref().is_some_and(shows_forms) {
            return ClientChannel::Caller;
        }
        match context.protocol_version() {
            Some(version) if version.has_initialize() => ClientChannel::Elicitation,
            None => ClientChannel::Elicitation,
            Some(_) if capabilities.supports_tasks() => ClientChannel::Task,
            Some(_) => ClientChannel::InputRequired,
        }
    }

    /// Whether a person is asked, not the model.
    pub(super) fn asks_people(self) -> bool {
        self != ClientChannel::Caller
    }

    /// As the journal names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            ClientChannel::Task => "task",
            ClientChannel::InputRequired => "mrtr",
            ClientChannel::Elicitation => "elicitation",
            ClientChannel::Caller => "continue_workflow",
        }
    }
}

/// Whether the client has forms. One that names no kind has the only one there was when that was
/// written.
fn shows_forms(capability: &ElicitationCapability) -> bool {
    capability.form.is_some() || capability.url.is_none()
}

impl<'a> Caller<'a> {
    pub(super) fn of(
        request: &CallToolRequestParams,
        context: &'a RequestContext<RoleServer>,
    ) -> Caller<'a> {
        let channel = ClientChannel::of(context);
        let comes_back = channel == ClientChannel::InputRequired || request.request_state.is_some();
        let called =
            comes_back.then(|| CallBinding::new(&request.name, request.arguments.as_ref()));
        Caller { context, channel, called }
    }

    /// The client's name, as it says.
    pub(super) fn who(&self) -> String {
        who(self.context)
    }

    /// Whether the client hands its model the structure of a result or its blocks, never both.
    pub(super) fn shows_either(&self) -> bool {
        shows_either(self.context)
    }
}

/// The client's name, as it says.
pub(super) fn who(context: &RequestContext<RoleServer>) -> String {
    context.client_info().map_or_else(|| "mcp client".into(), |client| client.name)
}

/// Whether the client hands its model the structure of a result or its blocks, never both.
pub(super) fn shows_either(context: &RequestContext<RoleServer>) -> bool {
    context.client_info().is_some_and(|client| client.name == "claude-code")
}

#[cfg(test)]
mod tests {
    use super::shows_forms;
    use pml::json::json;

    #[test]
    fn a_client_that_names_no_kind_has_forms_and_one_that_names_only_addresses_has_none() {
        let shows = |capability| shows_forms(&serde_json::from_value(capability).unwrap());
        assert!(shows(json!({})));
        assert!(shows(json!({ "form": {} })));
        assert!(shows(json!({ "form": {}, "url": {} })));
        assert!(!shows(json!({ "url": {} })));
    }
}
