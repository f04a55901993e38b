//! A handler that adds the suite's fixtures to another handler, which gets all other requests.

use super::catalogue::{CATALOGUE, filled};
use super::rounds::{Next, Round};
use super::shared::{Change, Shared};
use super::tools::{act, internal};
use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use std::borrow::Cow;
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;

type Context = RequestContext<RoleServer>;
type Answer<T> = Result<T, ErrorData>;

/// The handler under test, and the state that all handlers share.
pub(crate) struct Fixture<H> {
    inner: H,
    shared: Arc<Shared>,
}

impl<H: ServerHandler> Fixture<H> {
    pub(crate) fn new(inner: H, shared: Arc<Shared>) -> Fixture<H> {
        Fixture { inner, shared }
    }
}

/// Adds the capabilities of the fixtures to those of the inner handler.
fn with_fixtures(below: ServerCapabilities) -> ServerCapabilities {
    let mut all = ServerCapabilities::builder()
        .enable_logging()
        .enable_completions()
        .enable_prompts()
        .enable_prompts_list_changed()
        .enable_resources()
        .enable_resources_subscribe()
        .enable_tools()
        .enable_tool_list_changed()
        .build();
    all.experimental = below.experimental;
    all.extensions = below.extensions;
    all
}

impl<H: ServerHandler> ServerHandler for Fixture<H> {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.inner.get_info();
        info.capabilities = with_fixtures(info.capabilities);
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.inner.supported_protocol_versions()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Answer<InitializeResult> {
        let mut result = self.inner.initialize(request, context).await?;
        result.capabilities = with_fixtures(result.capabilities);
        Ok(result)
    }

    async fn discover(&self, context: Context) -> Answer<DiscoverResult> {
        let mut result = self.inner.discover(context).await?;
        result.capabilities = with_fixtures(result.capabilities);
        Ok(result)
    }

    async fn ping(&self, context: Context) -> Answer<()> {
        self.inner.ping(context).await
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Answer<ListToolsResult> {
        let mut result = self.inner.list_tools(request, context).await?;
        result.tools.extend(CATALOGUE.tools.iter().map(|fixture| fixture.tool.clone()));
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let fixture = CATALOGUE.tool(name).map(|fixture| fixture.tool.clone());
        fixture.or_else(|| self.inner.get_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Answer<CallToolResponse> {
        let Some(fixture) = CATALOGUE.tool(&request.name) else {
            return self.inner.call_tool(request, context).await;
        };
        let mut values = JsonObject::new();
        if !fixture.rounds.is_empty() {
            let (responses, state) =
                (request.input_responses.clone(), request.request_state.clone());
            let round = Round { name: &request.name, responses, state };
            match round.next(&fixture.rounds, fixture.sealed, &self.shared, &context)? {
                Next::Ask(result) => return Ok(result.into()),
                Next::Answer(responses) => {
                    drop(values.insert("responses".into(), responses.into()))
                }
            }
        }
        match &fixture.answer {
            Some(answer) => {
                let mut result: CallToolResult =
                    serde_json::from_value(filled(answer, &values)).map_err(internal)?;
                result.result_type = Some(ResultType::COMPLETE);
                Ok(result.into())
            }
            None => Ok(act(fixture, request, &self.shared, &context).await?.into()),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Answer<ListPromptsResult> {
        let prompts = CATALOGUE.prompts.iter().map(|fixture| fixture.prompt.clone());
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Answer<GetPromptResponse> {
        let fixture = CATALOGUE.prompt(&request.name).ok_or_else(|| {
            ErrorData::invalid_params(format!("there is no prompt `{}`", request.name), None)
        })?;
        let mut values = request.arguments.unwrap_or_default();
        if !fixture.rounds.is_empty() {
            let (responses, state) = (request.input_responses, request.request_state);
            let round = Round { name: &request.name, responses, state };
            match round.next(&fixture.rounds, false, &self.shared, &context)? {
                Next::Ask(result) => return Ok(result.into()),
                Next::Answer(responses) => {
                    drop(values.insert("responses".into(), responses.into()))
                }
            }
        }
        let messages = filled(&fixture.messages, &values);
        Ok(GetPromptResult::new(serde_json::from_value(messages).map_err(internal)?).into())
    }

    async fn complete(&self, _: CompleteRequestParams, _: Context) -> Answer<CompleteResult> {
        let values = vec!["paris".into(), "park".into(), "party".into()];
        Ok(CompleteResult::new(CompletionInfo::new(values).map_err(internal)?))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Answer<ListResourcesResult> {
        let resources = CATALOGUE.resources.iter().map(|fixture| fixture.resource.clone());
        Ok(ListResourcesResult::with_all_items(resources.collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Answer<ListResourceTemplatesResult> {
        let templates = CATALOGUE.templates.iter().map(|fixture| fixture.template.clone());
        Ok(ListResourceTemplatesResult::with_all_items(templates.collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Answer<ReadResourceResponse> {
        let contents = CATALOGUE.contents(&request.uri).ok_or_else(|| {
            ErrorData::resource_not_found("no such resource", Some(json!({ "uri": request.uri })))
        })?;
        let contents = serde_json::from_value(json!([contents])).map_err(internal)?;
        Ok(ReadResourceResult::new(contents).into())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Answer<()> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Answer<()> {
        Ok(())
    }

    async fn set_level(&self, _: SetLevelRequestParams, context: Context) -> Answer<()> {
        match context.protocol_version().is_some_and(|version| !version.has_initialize()) {
            true => Err(ErrorData::method_not_found::<SetLevelRequestMethod>()),
            false => Ok(()),
        }
    }

    fn accepted_subscription_filter(
        &self,
        asked: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(asked.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Answer<()> {
        let mut changes = self.shared.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            // The sink refuses notifications that the client did not ask for; that is no error.
            let _ = match change {
                Ok(Change::Tools) => subscription.sink().notify_tool_list_changed().await,
                Ok(Change::Prompts) => subscription.sink().notify_prompt_list_changed().await,
                Err(RecvError::Lagged(_)) => continue,
                Err(RecvError::Closed) => return Ok(()),
            };
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Answer<CustomResult> {
        self.inner.on_custom_request(request, context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.inner.on_initialized(context).await;
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        self.inner.on_cancelled(notification, context).await;
    }
}
