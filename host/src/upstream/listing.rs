//! Lists the tools of a server: all pages, with limits, and with the data that calls need later.

use super::identity::ServerIdentity;
use super::secrets::ServerSecrets;
use crate::model::{Annotations, Definition, ToolName, ToolOrigin};
use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// Maximum number of pages of a list. A server with more repeats them endlessly.
const MAX_PAGES: usize = 100;

/// Maximum number of tools of one server. The largest known servers have a few hundred.
const MAX_TOOLS: usize = 10_000;

/// Maximum size of a definition as JSON, in bytes. The largest known are some ten kilobytes.
const MAX_DEFINITION: usize = 1 << 20;

/// Maximum number of notes on tools that were left out.
const MAX_NOTES: usize = 20;

/// The reason to leave out such a tool. A permanent grant for it would cover all tools that match
/// the pattern.
const PATTERN_NAME: &str = "its name holds a `*`, which permissions read as a pattern";

/// The tools of a server, as it listed them.
#[derive(Debug)]
pub(crate) struct ServerTools {
    tools: Vec<ListedTool>,
    /// Tools that were left out, and why, safe to show.
    pub(crate) skipped: Vec<String>,
}

/// A tool that can be called.
#[derive(Clone, Debug)]
pub(crate) struct ListedTool {
    /// Its definition.
    pub(crate) definition: Arc<Definition>,
    /// The digests of its definition and of its server, as grants and the lock have them.
    pub(crate) origin: ToolOrigin,
}

impl ServerTools {
    /// Returns a list of these definitions.
    pub(super) fn new(mut definitions: Vec<Definition>, identity: &ServerIdentity) -> ServerTools {
        // Cached definitions may be older than this check.
        definitions.retain(|definition| !definition.tool.tool().contains('*'));
        definitions.sort_by(|one, other| one.tool.cmp(&other.tool));
        let tools = definitions.into_iter().map(|definition| {
            let origin = identity.origin(definition.digest());
            ListedTool { definition: Arc::new(definition), origin }
        });
        ServerTools { tools: tools.collect(), skipped: Vec::new() }
    }

    /// Returns all tools, sorted by name.
    pub(crate) fn tools(&self) -> &[ListedTool] {
        &self.tools
    }

    /// Returns the tool that the server calls `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&ListedTool> {
        let at = self.tools.binary_search_by(|tool| tool.definition.tool.tool().cmp(name)).ok()?;
        self.tools.get(at)
    }
}

/// Requests all tools of a server.
pub(super) async fn fetch(
    peer: &Peer<RoleClient>,
    server: &str,
    identity: &ServerIdentity,
    secrets: &ServerSecrets,
) -> Result<ServerTools, String> {
    let mut draft = ServerToolsDraft::new(server, secrets);
    let mut cursor: Option<String> = None;
    let mut cursors = HashSet::new();
    for _ in 0..MAX_PAGES {
        let next = |cursor| PaginatedRequestParams::default().with_cursor(Some(cursor));
        let request = ListToolsRequest { params: cursor.map(next), ..ListToolsRequest::default() };
        let request = ClientRequest::ListToolsRequest(request);
        let page = match request_page(peer, request).await {
            Ok(page) => page,
            // The server has no tools.
            Err(ServiceError::McpError(error)) if error.code.0 == -32601 && cursors.is_empty() => {
                break;
            }
            Err(ServiceError::McpError(error)) => return Err(secrets.safe_text(&error.message)),
            Err(error) => return Err(secrets.safe_text(&error.to_string())),
        };
        let Value::Object(mut page) = page else {
            return Err("its list of tools is not an object".into());
        };
        let Some(Value::Array(tools)) = page.remove("tools") else {
            return Err("its list of tools has no `tools`".into());
        };
        for tool in tools {
            draft.add(tool);
        }
        match page.remove("nextCursor") {
            Some(Value::String(next)) if !next.is_empty() && cursors.insert(next.clone()) => {
                cursor = Some(next);
            }
            _ => break,
        }
    }
    let mut listing = ServerTools::new(draft.definitions, identity);
    listing.skipped = draft.skipped;
    Ok(listing)
}

async fn request_page(
    peer: &Peer<RoleClient>,
    request: ClientRequest,
) -> Result<Value, ServiceError> {
    let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
    match sent.await_response().await? {
        ServerResult::CustomResult(answer) => Ok(answer.0),
        other => serde_json::to_value(other).map_err(|_| ServiceError::UnexpectedResponse),
    }
}

/// A list of tools that is being read.
struct ServerToolsDraft<'a> {
    server: &'a str,
    secrets: &'a ServerSecrets,
    definitions: Vec<Definition>,
    names: HashSet<ToolName>,
    skipped: Vec<String>,
}

impl<'a> ServerToolsDraft<'a> {
    fn new(server: &'a str, secrets: &'a ServerSecrets) -> ServerToolsDraft<'a> {
        let (definitions, names, skipped) = (Vec::new(), HashSet::new(), Vec::new());
        ServerToolsDraft { server, secrets, definitions, names, skipped }
    }

    fn add(&mut self, tool: Value) {
        let name = self.secrets.safe_text(tool["name"].as_str().unwrap_or("?"));
        let note = match self.read(tool) {
            Ok(definition) if !self.names.insert(definition.tool.clone()) => "it is listed twice",
            Ok(_) if self.definitions.len() >= MAX_TOOLS => "the server lists too many tools",
            Ok(definition) => {
                self.definitions.push(definition);
                return;
            }
            Err(reason) => reason,
        };
        if self.skipped.len() < MAX_NOTES {
            self.skipped.push(format!("`{name}`: {note}"));
        }
    }

    fn read(&self, tool: Value) -> Result<Definition, &'static str> {
        if size(&tool) > MAX_DEFINITION {
            return Err("its definition is larger than 1 MiB");
        }
        let Value::Object(mut tool) = tool else { return Err("it is not an object") };
        let Some(Value::String(name)) = tool.remove("name") else { return Err("it has no name") };
        if name.contains('*') {
            return Err(PATTERN_NAME);
        }
        let name = format!("{}:{name}", self.server).parse();
        let name =
            name.map_err(|_| "its name is empty, too long, or holds blanks or hidden characters")?;
        let input = match tool.remove("inputSchema") {
            Some(schema @ Value::Object(_)) => schema,
            None => Value::Object(Map::from_iter([("type".to_owned(), Value::from("object"))])),
            Some(_) => return Err("its `inputSchema` is not an object"),
        };
        let description = match tool.remove("description") {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let mut definition = Definition::new(name, description, input);
        definition.output = tool.remove("outputSchema").filter(Value::is_object);
        let hints = tool.remove("annotations").unwrap_or_default();
        let titles = [tool.get("title"), hints.get("title")];
        definition.title =
            titles.into_iter().flatten().find_map(|title| Some(title.as_str()?.to_owned()));
        definition.annotations = annotations(&hints);
        Ok(definition)
    }
}

/// Reads each hint alone. A hint that is not a boolean is ignored, and the others are used.
fn annotations(hints: &Value) -> Annotations {
    let mut annotations = Annotations::default();
    let hint = |name: &str| hints.get(name).and_then(Value::as_bool);
    annotations.read_only_hint = hint("readOnlyHint");
    annotations.destructive_hint = hint("destructiveHint");
    annotations.idempotent_hint = hint("idempotentHint");
    annotations.open_world_hint = hint("openWorldHint");
    annotations
}

/// Returns the size of a value as JSON, in bytes.
fn size(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::{Definition, ServerSecrets, ServerTools, ServerToolsDraft};
    use serde_json::{Value, json};
    use std::sync::LazyLock;

    fn draft(tools: Vec<Value>) -> ServerToolsDraft<'static> {
        static NONE: LazyLock<ServerSecrets> = LazyLock::new(ServerSecrets::default);
        let mut draft = ServerToolsDraft::new("s", &NONE);
        tools.into_iter().for_each(|tool| draft.add(tool));
        draft
    }

    #[test]
    fn a_definition_is_read_whole() {
        let tool = json!({
            "name": "get-env", "title": "Env", "description": "Reads.", "extra": 1,
            "inputSchema": { "type": "object", "x": [1] }, "outputSchema": { "type": "object" },
            "annotations": { "readOnlyHint": true, "destructiveHint": "no" },
        });
        let definition = draft(vec![tool]).definitions.remove(0);
        assert_eq!(definition.tool.as_str(), "s:get-env");
        assert_eq!(definition.title.as_deref(), Some("Env"));
        assert_eq!(definition.input["x"], json!([1]));
        assert!(definition.output.is_some());
        assert_eq!(definition.annotations.read_only_hint, Some(true));
        assert_eq!(definition.annotations.destructive_hint, None);
    }

    #[test]
    fn what_cannot_be_a_tool_is_left_out_and_noted() {
        let good = json!({ "name": "x", "inputSchema": {} });
        let draft = draft(vec![
            good.clone(),
            good,
            json!({ "name": "a b", "inputSchema": {} }),
            json!({ "name": "\u{202e}", "inputSchema": {} }),
            json!({ "inputSchema": {} }),
            json!({ "name": "y", "inputSchema": 1 }),
            json!({ "name": "z", "description": "x".repeat(2 << 20) }),
            json!(1),
        ]);
        assert_eq!(draft.definitions.len(), 1);
        assert_eq!(draft.skipped.len(), 7);
        assert!(draft.skipped[0].contains("listed twice"), "{:?}", draft.skipped);
        assert!(draft.skipped[2].contains("\\u{202e}"), "{:?}", draft.skipped);
    }

    #[test]
    fn a_name_that_is_a_pattern_is_left_out() {
        let tool = |name: &str| json!({ "name": name, "inputSchema": {} });
        let draft = draft(vec![tool("get_*"), tool("*"), tool("get_x")]);
        assert_eq!(draft.definitions.len(), 1);
        assert!(
            draft.skipped[0].starts_with("`get_*`: its name holds a `*`"),
            "{:?}",
            draft.skipped
        );
        let remembered = Definition::new("s:get_*".parse().expect("a name"), "", json!({}));
        assert!(ServerTools::new(vec![remembered], &"i".into()).tools().is_empty());
    }

    #[test]
    fn tools_are_found_by_name() {
        let tool = |name: &str| json!({ "name": name, "inputSchema": {} });
        let definitions = draft(vec![tool("b"), tool("a"), tool("c")]).definitions;
        let listing = ServerTools::new(definitions, &"i".into());
        let names: Vec<_> =
            listing.tools().iter().map(|tool| tool.definition.tool.tool()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        let found = listing.get("b").expect("there");
        assert_eq!(*found.origin.definition, *found.definition.digest());
        assert_eq!(&*found.origin.server, "i");
        assert!(listing.get("d").is_none());
    }
}
