//! The channels through which the client of a request can ask a person, best first.

use super::seal::CallBinding;
use rmcp::model::{CallToolRequestParams, ElicitationCapability};
use rmcp::service::{RequestContext, RoleServer};

/// A channel to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientChannel {
    /// The run becomes a task, and the question is part of the task.
    Task,
    /// The answer says that input is required, and the client repeats the call with that input.
    InputRequired,
    /// The server asks the client while its request waits.
    Elicitation,
    /// The client cannot ask: the answer tells its caller that a person has to decide.
    Caller,
}

/// The client that makes a call, and the channel through which it can ask.
pub(super) struct Caller<'a> {
    pub(super) context: &'a RequestContext<RoleServer>,
    pub(super) channel: ClientChannel,
    /// The binding to the call, if the client may have to repeat it.
    pub(super) binding: Option<CallBinding>,
}

impl ClientChannel {
    /// Returns the best channel of the client.
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

    /// Reports whether a person is asked, not the model.
    pub(super) fn asks_people(self) -> bool {
        self != ClientChannel::Caller
    }

    /// Returns the name of the channel in the journal.
    pub(super) fn name(self) -> &'static str {
        match self {
            ClientChannel::Task => "task",
            ClientChannel::InputRequired => "mrtr",
            ClientChannel::Elicitation => "elicitation",
            ClientChannel::Caller => "continue_workflow",
        }
    }
}

/// Reports whether the client supports forms. A client that names no kind supports them: forms were
/// the only kind at first.
fn shows_forms(capability: &ElicitationCapability) -> bool {
    capability.form.is_some() || capability.url.is_none()
}

impl<'a> Caller<'a> {
    pub(super) fn of(
        request: &CallToolRequestParams,
        context: &'a RequestContext<RoleServer>,
    ) -> Caller<'a> {
        let channel = ClientChannel::of(context);
        let may_repeat = channel == ClientChannel::InputRequired || request.request_state.is_some();
        let binding =
            may_repeat.then(|| CallBinding::new(&request.name, request.arguments.as_ref()));
        Caller { context, channel, binding }
    }

    /// Returns the client's name, as reported by the client.
    pub(super) fn who(&self) -> String {
        who(self.context)
    }

    /// Reports whether the client hands its model the structure of a result or its blocks, never
    /// both.
    pub(super) fn shows_either(&self) -> bool {
        shows_either(self.context)
    }
}

/// Returns the client's name, as reported by the client.
pub(super) fn who(context: &RequestContext<RoleServer>) -> String {
    context.client_info().map_or_else(|| "mcp client".into(), |client| client.name)
}

/// Reports whether the client hands its model the structure of a result or its blocks, never both.
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
