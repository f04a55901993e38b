//! The implementation of rmcp's server interface.

use super::{parameters, task, tools};
use crate::server::McpServer;
use pml::Error;
use pml::text::{cut, escape};
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CancelTaskMethod,
    CancelTaskParams, CompleteRequestMethod, CompleteRequestParams, CompleteResult, ConstString,
    CustomRequest, CustomResult, DiscoverRequestMethod, ErrorCode, GetTaskMethod, GetTaskParams,
    GetTaskResult, Implementation, InitializeResultMethod, ListPromptsRequestMethod,
    ListPromptsResult, ListResourceTemplatesRequestMethod, ListResourceTemplatesResult,
    ListResourcesRequestMethod, ListResourcesResult, ListToolsRequestMethod, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, UpdateTaskMethod,
    UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};

/// Instructions that a client's model reads before it sees any tool.
const INSTRUCTIONS: &str = "PML runs TypeScript programs that call the user's MCP servers, in a \
sandbox. Instead of many single tool calls, find tools with `browse_components`, then write one \
program for `execute`. Some calls wait for a person, whom your client asks if it can. If an answer \
says `approval_required`, show the person what is asked, and never decide for them.";

/// Maximum number of characters of an unknown method that are repeated.
const MAX_METHOD: usize = 80;

/// How long a client may cache the list of tools, in milliseconds: it changes only with pml itself.
const LIST_TTL: u64 = 60 * 60 * 1_000;

/// Reports whether the server supports a method: if such a request arrives as unknown, its
/// parameters are wrong. The newest revision has no handshake.
fn is_known(method: &str, context: &RequestContext<RoleServer>) -> bool {
    let shakes_hands = || context.protocol_version().is_none_or(|version| version.has_initialize());
    match method {
        CallToolRequestMethod::VALUE
        | ListToolsRequestMethod::VALUE
        | DiscoverRequestMethod::VALUE
        | GetTaskMethod::VALUE
        | UpdateTaskMethod::VALUE
        | CancelTaskMethod::VALUE => true,
        InitializeResultMethod::VALUE => shakes_hands(),
        _ => false,
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tasks().build())
            .with_server_info(
                Implementation::new("pml", env!("CARGO_PKG_VERSION")).with_title("PML"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()).with_ttl_ms(LIST_TTL))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.requests.track_future(self.answer(request, &context)).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let scope = self.request_scope().map_err(|error| internal_error(&error))?;
        self.0.requests.track_future(task::get(&scope, request.task_id, &context)).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let scope = self.request_scope().map_err(|error| internal_error(&error))?;
        let UpdateTaskParams { task_id, input_responses, .. } = request;
        self.0
            .requests
            .track_future(task::update(&scope, &task_id, &input_responses, &context))
            .await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let scope = self.request_scope().map_err(|error| internal_error(&error))?;
        self.0.requests.track_future(task::cancel(&scope, &request.task_id, &context)).await
    }

    // These capabilities are not declared.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = cut(&escape(&request.method), MAX_METHOD);
        Err(match is_known(&request.method, &context) {
            true if request.method == CallToolRequestMethod::VALUE => {
                parameters::wrong_call(request.params.as_ref())
            }
            true => {
                ErrorData::invalid_params(format!("the parameters of `{method}` are wrong"), None)
            }
            false => {
                let message = format!("there is no method `{method}`");
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
            }
        })
    }
}

fn internal_error(error: &Error) -> ErrorData {
    ErrorData::internal_error(escape(&error.to_string()).into_owned(), None)
}
