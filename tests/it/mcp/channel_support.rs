//! What the tests of the channels share: clients that can ask a person, in either era.

use crate::mcp::stdio::{command, project};
use crate::support::told;
use pml::json::{self, Value, json};
use pml_kit::{StdioClient, TestEnv};

/// A program that asks once.
pub(crate) const COUNT: &str = "return (await mcp.box.count()).n";

/// A program that asks for two things at once.
pub(crate) const TWO: &str = "\
const both = await Promise.allSettled([mcp.box.count(), mcp.box.echo({ text: 'b' })])
return both.map(each => each.status === 'fulfilled' ? 'yes' : each.reason.code)";

/// A program that asks for twelve things at once, more than one dialog shows.
pub(crate) const TWELVE: &str = "\
const calls = Array.from({ length: 12 }, (_, n) => mcp.box.echo({ text: `${n + 1}` }))
const all = await Promise.allSettled(calls)
return all.map(each => each.status === 'fulfilled' ? each.value : each.reason.code)";

/// What it returns if the first nine are approved, and of the others the middle one is not.
pub(crate) fn eleven() -> Value {
    let each = (1..=12).map(|n| match n {
        11 => json!("APPROVAL_DECLINED"),
        n => json!(n),
    });
    each.collect()
}

/// A project in which everything asks.
pub(crate) fn asking() -> TestEnv {
    project(&json!({ "ask": ["*"] }))
}

/// A project in which everything asks, with these `approvals`.
pub(crate) fn asking_with(approvals: &Value) -> TestEnv {
    let env = asking();
    let text = std::fs::read_to_string(env.path().join(".pml.json")).expect("settings");
    let mut settings: Value = json::from_str(&text).expect("JSON");
    settings["approvals"] = approvals.clone();
    env.write(".pml.json", settings.to_string());
    let trusted = env.run(&["trust", "--yes"]);
    assert_eq!(trusted.code, 0, "{}", trusted.stderr);
    env
}

/// A client that shows forms, as they did until 2025.
pub(crate) fn with_dialog(env: &TestEnv) -> StdioClient {
    with(env, json!({ "elicitation": {} }))
}

/// A client of then that is able to do this.
pub(crate) fn with(env: &TestEnv, capabilities: Value) -> StdioClient {
    let mut client = StdioClient::start(&mut command(env, &["stdio"]));
    client.initialize_with("asker", capabilities);
    client
}

/// A client of the newest revision: every request says what it is able to do.
pub(crate) struct Modern {
    pub(crate) client: StdioClient,
    capabilities: Value,
}

impl Modern {
    /// One that shows forms.
    pub(crate) fn with_rounds(env: &TestEnv) -> Modern {
        Modern::with(env, json!({ "elicitation": { "form": {} } }))
    }

    /// One that knows tasks too.
    pub(crate) fn with_tasks(env: &TestEnv) -> Modern {
        let extensions = json!({ "io.modelcontextprotocol/tasks": {} });
        Modern::with(env, json!({ "elicitation": { "form": {} }, "extensions": extensions }))
    }

    pub(crate) fn with(env: &TestEnv, capabilities: Value) -> Modern {
        let client = StdioClient::start(&mut command(env, &["stdio"]));
        Modern { client, capabilities }
    }

    fn filled(&self, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            "io.modelcontextprotocol/clientInfo": { "name": "asker", "version": "1" },
        });
        params
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let params = self.filled(params);
        self.client.request(method, params)
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Makes the call again, with what a person said to the one question of `asked`.
    pub(crate) fn again(
        &mut self,
        tool: &str,
        arguments: Value,
        asked: &Value,
        said: Value,
    ) -> Value {
        let params = json!({ "name": tool, "arguments": arguments,
            "requestState": asked["result"]["requestState"],
            "inputResponses": { key(&asked["result"]): said } });
        self.request("tools/call", params)
    }
}

/// Under which key a question is asked.
pub(crate) fn key(asked: &Value) -> String {
    let requests = asked["inputRequests"].as_object();
    let requests = requests.unwrap_or_else(|| panic!("nothing is asked: {asked}"));
    assert_eq!(requests.len(), 1, "{asked}");
    requests.keys().next().expect("one").clone()
}

/// The form of the one question.
pub(crate) fn form(asked: &Value) -> &Value {
    let request = &asked["inputRequests"][key(asked)];
    assert_eq!(request["method"], "elicitation/create", "{asked}");
    &request["params"]
}

/// What the tool's result says.
pub(crate) fn body(answer: &Value) -> &Value {
    let body = &answer["result"]["structuredContent"];
    assert!(body.is_object(), "{answer}");
    body
}

pub(crate) fn accept() -> Value {
    json!({ "action": "accept", "content": {} })
}

/// Answers the open question of a project from another process.
pub(crate) fn approve_elsewhere(env: &TestEnv, id: &str) {
    let approved = env.run(&["approve", id, "--yes"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
}

/// The channels by which the calls of the newest run were decided about, in order.
pub(crate) fn channels(env: &TestEnv) -> Vec<String> {
    let shown = told(env, &["runs", "show", "last", "--json"]).to_string();
    let parts = shown.split("\"channel\":\"").skip(1);
    parts.filter_map(|part| Some(part.split_once('"')?.0.to_owned())).collect()
}
