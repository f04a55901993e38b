//! What a client loads before anything happens.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::{ModernClient, toolbox_client, toolbox_command, toolbox_project};
use pml_kit::{StdioClient, TestEnv};

/// Bytes of JSON that the list of tools and the instructions may have together.
const MAX_LOADED: usize = 4_096;

fn allowing() -> TestEnv {
    toolbox_project(pml(), &json!({ "allow": ["box:*"] }))
}

/// Returns the size of the list and of the instructions, as they are sent.
fn size(listed: &Value, greeting: &Value) -> usize {
    let instructions = &greeting["result"]["instructions"];
    assert!(instructions.as_str().is_some_and(|text| text.contains("`execute`")), "{greeting}");
    listed["result"].to_string().len() + instructions.to_string().len()
}

#[test]
fn five_tools_and_the_instructions_take_four_kilobytes_in_both_eras() {
    let env = allowing();
    let mut legacy = StdioClient::start(&mut toolbox_command(&env, &["stdio"]));
    let greeting = legacy.initialize();
    let loaded = size(&legacy.request("tools/list", json!({})), &greeting);
    assert!(loaded <= MAX_LOADED, "{loaded}");
    let mut modern = ModernClient::with(&env, json!({}));
    let greeting = modern.request("server/discover", json!({}));
    let loaded = size(&modern.request("tools/list", json!({})), &greeting);
    assert!(loaded <= MAX_LOADED, "{loaded}");
}

#[test]
fn what_a_model_needs_to_write_a_right_program_at_once_is_in_it() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("a list");
    let execute = tools[0]["description"].as_str().expect("a description");
    for needed in [
        "await mcp.server.tool({...})",
        "mcp.call(\"server:tool\", {...})",
        "`return`",
        "`Promise.all`",
        "`inputs`",
        "`console`",
        "No imports, files, `fetch`, `require`",
        "`resume_from`",
        "`handle`",
        "approval_required",
        "`next`",
    ] {
        assert!(execute.contains(needed), "{needed}: {execute}");
    }
    let schema = &tools[0]["inputSchema"]["properties"];
    for parameter in ["code", "name", "inputs", "resume_from", "continue_workflow", "handle"] {
        assert!(schema[parameter].is_object(), "{parameter}");
    }
    let answer = &schema["continue_workflow"]["properties"];
    for field in ["workflow_id", "approved", "always", "action", "answers", "digest"] {
        assert!(answer[field].is_object(), "{field}");
    }
    let browse = tools[1]["description"].as_str().expect("a description");
    assert!(browse.contains("policy") && browse.contains("signatures"), "{browse}");
}
