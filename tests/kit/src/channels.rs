//! Clients that can ask a person, in either era, and projects in which every call asks.

use crate::commands::json_of;
use crate::toolbox::{toolbox_command, toolbox_project};
use crate::{StdioClient, TestEnv};
use pml::json::{self, Value, json};

/// Returns what [`crate::scripts::ECHO_TWELVE`] returns if only the eleventh call is declined.
pub fn all_but_the_eleventh() -> Value {
    let each = (1..=12).map(|n| match n {
        11 => json!("APPROVAL_DECLINED"),
        n => json!(n),
    });
    each.collect()
}

/// Makes a project with the toolbox, in which every call asks.
pub fn asking_project(env: TestEnv) -> TestEnv {
    toolbox_project(env, &json!({ "ask": ["*"] }))
}

/// Makes a project with the toolbox, in which every call asks, with these `approvals` in its
/// settings.
pub fn asking_project_with(env: TestEnv, approvals: &Value) -> TestEnv {
    let env = asking_project(env);
    let text = std::fs::read_to_string(env.path().join(".pml.json")).expect("settings");
    let mut settings: Value = json::from_str(&text).expect("JSON");
    settings["approvals"] = approvals.clone();
    env.write(".pml.json", settings.to_string());
    let trusted = env.run(&["trust", "--yes"]);
    assert_eq!(trusted.code, 0, "{}", trusted.stderr);
    env
}

/// Starts a client that shows forms, as they did until 2025.
pub fn dialog_client(env: &TestEnv) -> StdioClient {
    client_with(env, json!({ "elicitation": {} }))
}

/// Starts a client of that era with these capabilities.
pub fn client_with(env: &TestEnv, capabilities: Value) -> StdioClient {
    let mut client = StdioClient::start(&mut toolbox_command(env, &["stdio"]));
    client.initialize_with("asker", capabilities);
    client
}

/// A client of the newest revision: every request says what it is able to do.
pub struct ModernClient {
    /// The connection.
    pub client: StdioClient,
    capabilities: Value,
}

impl ModernClient {
    /// Starts one that shows forms.
    pub fn with_rounds(env: &TestEnv) -> ModernClient {
        ModernClient::with(env, json!({ "elicitation": { "form": {} } }))
    }

    /// Starts one that shows forms and knows tasks.
    pub fn with_tasks(env: &TestEnv) -> ModernClient {
        let extensions = json!({ "io.modelcontextprotocol/tasks": {} });
        ModernClient::with(env, json!({ "elicitation": { "form": {} }, "extensions": extensions }))
    }

    /// Starts one with these capabilities.
    pub fn with(env: &TestEnv, capabilities: Value) -> ModernClient {
        let client = StdioClient::start(&mut toolbox_command(env, &["stdio"]));
        ModernClient { client, capabilities }
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
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let params = self.filled(params);
        self.client.request(method, params)
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Makes the call again, with what a person said to the one question of `asked`.
    pub fn again(&mut self, tool: &str, arguments: Value, asked: &Value, said: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments,
            "requestState": asked["result"]["requestState"],
            "inputResponses": { question_key(&asked["result"]): said } });
        self.request("tools/call", params)
    }
}

/// Returns the key of the one question that is asked.
pub fn question_key(asked: &Value) -> String {
    let requests = asked["inputRequests"].as_object();
    let requests = requests.unwrap_or_else(|| panic!("nothing is asked: {asked}"));
    assert_eq!(requests.len(), 1, "{asked}");
    requests.keys().next().expect("one").clone()
}

/// Returns the form of the one question that is asked.
pub fn question_form(asked: &Value) -> &Value {
    let request = &asked["inputRequests"][question_key(asked)];
    assert_eq!(request["method"], "elicitation/create", "{asked}");
    &request["params"]
}

/// Returns the structured content of a tool's result.
pub fn structured(answer: &Value) -> &Value {
    let body = &answer["result"]["structuredContent"];
    assert!(body.is_object(), "{answer}");
    body
}

/// Returns what a client answers if its user accepts a form.
pub fn accepted_form() -> Value {
    json!({ "action": "accept", "content": {} })
}

/// Answers the open question of a project from another process.
pub fn approve_in_another_process(env: &TestEnv, id: &str) {
    let approved = env.run(&["approve", id, "--yes"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
}

/// Approves as a person does who has a terminal beside the client. Returns what the client is then
/// told has become of it.
pub fn approve_in_terminal(
    env: &TestEnv,
    client: &mut StdioClient,
    asked: &Value,
    flags: &[&str],
) -> Value {
    let id = asked["workflow_id"].as_str().expect("an id");
    let approved = env.run(&[&["approve", id, "--yes"], flags].concat());
    assert_eq!(approved.code, 0, "{}", approved.stderr);
    let answer = json!({ "workflow_id": id, "approved": true });
    structured(&client.call("execute", json!({ "continue_workflow": answer }))).clone()
}

/// Returns the channels by which the calls of the newest run were decided about, in order.
pub fn decided_channels(env: &TestEnv) -> Vec<String> {
    let shown = json_of(env, &["runs", "show", "last", "--json"]).to_string();
    let parts = shown.split("\"channel\":\"").skip(1);
    parts.filter_map(|part| Some(part.split_once('"')?.0.to_owned())).collect()
}
