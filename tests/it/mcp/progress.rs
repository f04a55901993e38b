//! Progress that clients hear of while a program runs.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::{StdioClient, TestEnv, toolbox_client, toolbox_command, toolbox_project, wait_until};

fn allowing() -> TestEnv {
    toolbox_project(pml(), &json!({ "allow": ["box:*"] }))
}

/// Asserts that the numbers of these reports grow, and returns their messages.
fn messages(reports: &[Value], token: &str) -> Vec<String> {
    assert!(reports.iter().all(|note| note["params"]["progressToken"] == token), "{reports:?}");
    let numbers = reports.iter().map(|note| note["params"]["progress"].as_f64());
    let numbers: Vec<f64> = numbers.map(|number| number.expect("a number")).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    let texts = reports.iter().map(|note| note["params"]["message"].as_str());
    texts.map(|text| text.expect("a message").to_owned()).collect()
}

#[test]
fn progress_says_what_is_called() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let arguments =
        json!({ "code": "for (let i = 0; i < 4; i++) await mcp.box.later({ ms: 150 }); return 1" });
    let done = client.request(
        "tools/call",
        json!({ "name": "execute", "arguments": arguments, "_meta": { "progressToken": "p1" } }),
    );
    assert_eq!(done["result"]["structuredContent"]["result"], 1);
    let reports = client.aside.iter().filter(|note| note["method"] == "notifications/progress");
    let told = messages(&reports.cloned().collect::<Vec<_>>(), "p1");
    assert!(told.len() >= 2, "{told:?}");
    assert!(told.iter().any(|text| text.contains("calling box:later")), "{told:?}");
}

#[test]
fn the_progress_of_a_server_reaches_the_client_in_both_eras() {
    let env = allowing();
    let hostile = "half\nway \u{1b}[2J\u{202e}";
    let progress = json!({ "progress": 3, "total": 10, "message": hostile });
    let code = format!("await mcp.box.wait({{ progress: {progress} }})");
    for modern in [false, true] {
        let mut client = StdioClient::start(&mut toolbox_command(&env, &["stdio"]));
        let mut meta = json!({ "progressToken": "p1" });
        match modern {
            true => {
                meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
                meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            }
            false => drop(client.initialize()),
        }
        let id = client.begin(
            "tools/call",
            json!({ "name": "execute", "arguments": { "code": code }, "_meta": meta }),
        );
        let mut reports = Vec::new();
        let told = loop {
            reports.push(client.asked("notifications/progress"));
            let text = messages(&reports, "p1").pop().expect("one");
            if text.starts_with("box:wait") {
                break text;
            }
        };
        assert_eq!(told, "box:wait 3/10: half\\nway \\u{1b}[2J\\u{202e}", "modern: {modern}");
        client.cancel(id);
        wait_until("the run is over", || pml_kit::newest_state(&env) == "aborted");
    }
}
