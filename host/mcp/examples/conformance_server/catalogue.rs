//! The fixtures that the suite expects, read from `fixtures.json`.

use rmcp::model::{InputRequests, JsonObject, Prompt, Resource, ResourceTemplate, Tool};
use serde::Deserialize;
use serde_json::Value;
use std::sync::LazyLock;

/// All fixtures.
pub(crate) static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    serde_json::from_str(include_str!("fixtures.json")).expect("the fixtures can be read")
});

#[derive(Deserialize)]
pub(crate) struct Catalogue {
    pub(crate) tools: Vec<ToolFixture>,
    pub(crate) prompts: Vec<PromptFixture>,
    pub(crate) resources: Vec<ResourceFixture>,
    pub(crate) templates: Vec<TemplateFixture>,
}

/// A tool. If it has neither an answer nor rounds, `tools.rs` carries it out.
#[derive(Deserialize)]
pub(crate) struct ToolFixture {
    #[serde(flatten)]
    pub(crate) tool: Tool,
    pub(crate) answer: Option<Value>,
    /// The request that it sends to an older client while it runs.
    pub(crate) elicitation: Option<Value>,
    #[serde(default)]
    pub(crate) rounds: Vec<InputRequests>,
    /// Whether its rounds carry a state.
    #[serde(default)]
    pub(crate) sealed: bool,
}

#[derive(Deserialize)]
pub(crate) struct PromptFixture {
    #[serde(flatten)]
    pub(crate) prompt: Prompt,
    pub(crate) messages: Value,
    #[serde(default)]
    pub(crate) rounds: Vec<InputRequests>,
}

#[derive(Deserialize)]
pub(crate) struct ResourceFixture {
    #[serde(flatten)]
    pub(crate) resource: Resource,
    text: Option<String>,
    blob: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct TemplateFixture {
    #[serde(flatten)]
    pub(crate) template: ResourceTemplate,
    text: String,
}

impl Catalogue {
    pub(crate) fn tool(&self, name: &str) -> Option<&ToolFixture> {
        self.tools.iter().find(|fixture| fixture.tool.name == name)
    }

    pub(crate) fn prompt(&self, name: &str) -> Option<&PromptFixture> {
        self.prompts.iter().find(|fixture| fixture.prompt.name == name)
    }

    /// Returns the contents of a resource as they are sent.
    pub(crate) fn contents(&self, uri: &str) -> Option<Value> {
        if let Some(fixture) = self.resources.iter().find(|fixture| fixture.resource.uri == uri) {
            let mut contents =
                serde_json::json!({ "uri": uri, "mimeType": fixture.resource.mime_type });
            match (&fixture.text, &fixture.blob) {
                (Some(text), _) => contents["text"] = text.as_str().into(),
                (None, blob) => contents["blob"] = blob.as_deref().into(),
            }
            return Some(contents);
        }
        self.templates.iter().find_map(|fixture| {
            let (before, after) = fixture.template.uri_template.split_once("{id}")?;
            let id = uri.strip_prefix(before)?.strip_suffix(after)?;
            let values = JsonObject::from_iter([("id".into(), id.into())]);
            Some(serde_json::json!({
                "uri": uri,
                "mimeType": fixture.template.mime_type,
                "text": filled(&fixture.text.as_str().into(), &values),
            }))
        })
    }
}

/// Returns `value` with each `{name}` in its strings replaced.
pub(crate) fn filled(value: &Value, values: &JsonObject) -> Value {
    match value {
        Value::String(text) => {
            let fill = |text: String, (name, value): (&String, &Value)| {
                let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                text.replace(&format!("{{{name}}}"), &shown)
            };
            values.iter().fold(text.clone(), fill).into()
        }
        Value::Array(items) => items.iter().map(|item| filled(item, values)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), filled(field, values))).collect()
        }
        other => other.clone(),
    }
}
