//! The scenarios in which a workflow's state used to be lost: one call at a time, several at once,
//! and several approvals in one program. The servers are real and come from npm.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::StdioClient;
use pml_kit::real::{
    SMALL, hello_project, left_out, mirrored, package_project, registry_client, registry_command,
};

const GREET: &str = "return await mcp.hello.echo({ message: 'Ann' })";

fn yes(client: &mut StdioClient, asked: &Value) -> Value {
    let answer = json!({ "workflow_id": asked["workflow_id"], "approved": true });
    mirrored(&client.call("execute", json!({ "continue_workflow": answer })))
}

#[test]
fn the_symptom_an_approved_install_is_made_and_is_not_asked_for_again() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "ask": ["*"] }));
    let mut client = registry_client(&env);
    let asked = client.execute(GREET);
    assert_eq!(asked["approval_type"], "dependency", "{asked}");
    assert_eq!(yes(&mut client, &asked)["result"], "You said: Ann");
    let again = client.execute(GREET);
    assert_eq!(again["approval_type"], "tool_permission", "{again}");
    assert_eq!(yes(&mut client, &again)["result"], "You said: Ann");
}

#[test]
fn scenario_1_one_call_at_a_time_each_with_its_own_workflow() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "allow": ["hello:add"], "ask": ["*"] }));
    let mut client = registry_client(&env);
    let first = client.execute(GREET);
    assert_eq!(yes(&mut client, &first)["result"], "You said: Ann");
    let sum = client.execute("return await mcp.hello.add({ a: 1, b: 2 })");
    assert_eq!(sum["status"], "success", "{sum}");
    let second = client.execute(GREET);
    assert_ne!(first["workflow_id"], second["workflow_id"]);
    assert_eq!(yes(&mut client, &second)["result"], "You said: Ann");
}

#[test]
fn scenario_2_three_calls_at_once_have_three_workflows_that_can_be_answered_in_any_order() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "ask": ["*"] }));
    let mut client = registry_client(&env);
    let begun: Vec<u64> = (1..=3)
        .map(|n| {
            let code = format!("return (await mcp.hello.echo({{ message: 'n{n}' }}))");
            let arguments = json!({ "name": "execute", "arguments": { "code": code } });
            client.begin("tools/call", arguments)
        })
        .collect();
    let asked: Vec<Value> = begun.into_iter().map(|id| mirrored(&client.answer(id))).collect();
    let ids: std::collections::BTreeSet<_> =
        asked.iter().map(|asked| asked["workflow_id"].to_string()).collect();
    assert_eq!(ids.len(), 3);
    for (asked, n) in asked.iter().zip(1..4u8).rev() {
        assert_eq!(asked["status"], "approval_required", "{asked}");
        assert_eq!(yes(&mut client, asked)["result"], format!("You said: n{n}"));
    }
}

#[test]
fn scenario_3_an_install_and_then_a_key_in_one_program() {
    if left_out() {
        return;
    }
    let servers = json!({
        "hello": { "command": "npx", "args": ["-y", SMALL] },
        "keyed": { "command": "npx", "args": ["-y", SMALL], "env": { "KEYED_API_KEY": "${KEYED_API_KEY}" } },
    });
    let env = package_project(pml(), &json!({ "ask": ["*"] }), &servers);
    let mut client = registry_client(&env);
    let code = "const a = await mcp.hello.echo({ message: 'a' });
        const b = await mcp.keyed.echo({ message: 'b' }); return [a, b]";
    let first = client.execute(code);
    assert_eq!(first["approval_type"], "dependency", "{first}");
    let second = yes(&mut client, &first);
    // The same package is there already, for the other server too or after one more yes; then its
    // key is missing.
    let second = match second["approval_type"] == "dependency" {
        true => yes(&mut client, &second),
        false => second,
    };
    assert_eq!(second["approval_type"], "api_key_required", "{second}");
    assert_ne!(first["workflow_id"], second["workflow_id"]);
    assert_eq!(second["context"]["variables"], json!(["KEYED_API_KEY"]), "{second}");
    assert!(second["context"]["file"].as_str().is_some_and(|it| it.ends_with(".env")), "{second}");
    env.write(".env", "KEYED_API_KEY=k3y\n");
    assert_eq!(yes(&mut client, &second)["result"], json!(["You said: a", "You said: b"]));
}

#[test]
fn the_open_question_on_several_dependencies_one_after_the_other_and_all_at_once() {
    if left_out() {
        return;
    }
    let servers = json!({
        "one": { "command": "npx", "args": ["-y", SMALL] },
        "two": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-sequential-thinking@2026.8.31"] },
    });
    let env = package_project(pml(), &json!({ "ask": ["*"] }), &servers);
    let mut client = registry_client(&env);
    let thought = "{ thought: 'x', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }";
    let together = format!(
        "const [a, b] = await Promise.all([mcp.one.echo({{ message: 'a' }}), mcp.two.sequentialthinking({thought})]);
        return [a, b.thoughtNumber]"
    );
    let asked = client.execute(&together);
    assert_eq!(asked["asks"].as_array().map(Vec::len), Some(2), "{asked}");
    assert_eq!(
        (&asked["asks"][0]["type"], &asked["asks"][1]["type"]),
        (&json!("dependency"), &json!("dependency"))
    );
    assert_eq!(yes(&mut client, &asked)["result"], json!(["You said: a", 1]));
}

#[test]
fn a_workflow_outlives_the_process_that_asked() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "ask": ["*"] }));
    let mut first = registry_client(&env);
    let asked = first.execute(GREET);
    // SIGKILL: nothing of the process has a chance to say goodbye.
    assert!(
        std::process::Command::new("kill")
            .args(["-9", &first.pid().to_string()])
            .status()
            .expect("kill")
            .success()
    );
    drop(first);
    let open = registry_command(&env, &["approvals", "--json"]).output().expect("it runs");
    assert!(
        String::from_utf8_lossy(&open.stdout)
            .contains(asked["workflow_id"].as_str().expect("an id"))
    );
    let mut second = registry_client(&env);
    assert_eq!(yes(&mut second, &asked)["result"], "You said: Ann");
}
