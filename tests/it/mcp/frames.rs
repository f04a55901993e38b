//! Lines of a client that are not messages.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::insta::assert_snapshot;
use pml_kit::{StdioClient, TestEnv, toolbox_client, toolbox_command, toolbox_project};

fn allowing() -> TestEnv {
    toolbox_project(pml(), &json!({ "allow": ["box:*"] }))
}

/// Returns the next answer, in one line.
fn answer(client: &mut StdioClient) -> String {
    let Value::Object(mut answer) = client.receive() else { panic!("an object") };
    assert_eq!(answer.remove("jsonrpc"), Some(json!("2.0")));
    Value::Object(answer).to_string()
}

#[test]
fn every_line_that_is_no_message_is_answered_and_the_connection_goes_on() {
    let env = allowing();
    // Some come before the handshake.
    let mut client = StdioClient::start(&mut toolbox_command(&env, &["stdio"]));
    let lines: &[&[u8]] = &[
        b"garbage",
        b"",
        b"\0\x1b[2J",
        b"{\"half\":",
        b"\"\xff\xfe\"",
        b"null",
        b"[]",
        b"{\"jsonrpc\":\"2.0\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"mine\",\"method\":7}",
        b"{\"id\":4,\"method\":\"tools/list\"}",
    ];
    let mut table = String::new();
    for (number, line) in lines.iter().enumerate() {
        if number == 5 {
            client.initialize();
        }
        client.send_bytes(line);
        let shown = String::from_utf8_lossy(line).escape_debug().to_string();
        let told = if line.is_empty() { "no answer".into() } else { answer(&mut client) };
        table += &format!("{shown}\n  {told}\n");
    }
    assert_snapshot!(table, @r#"
    garbage
      {"error":{"code":-32700,"message":"the line is not JSON: expected value, at column 1"},"id":null}

      no answer
    \0\u{1b}[2J
      {"error":{"code":-32700,"message":"the line is not JSON: expected value, at column 1"},"id":null}
    {\"half\":
      {"error":{"code":-32700,"message":"the line is not JSON: EOF while parsing a value, at column 8"},"id":null}
    \"��\"
      {"error":{"code":-32700,"message":"the line is not UTF-8 at byte 2"},"id":null}
    null
      {"error":{"code":-32600,"message":"a message is a JSON object"},"id":null}
    []
      {"error":{"code":-32600,"message":"batches are not supported: send one message in each line"},"id":null}
    {\"jsonrpc\":\"2.0\"}
      {"error":{"code":-32600,"message":"the message has no `method`"},"id":null}
    {\"jsonrpc\":\"2.0\",\"id\":\"mine\",\"method\":7}
      {"error":{"code":-32600,"message":"`method` must be a string"},"id":"mine"}
    {\"id\":4,\"method\":\"tools/list\"}
      {"error":{"code":-32600,"message":"`jsonrpc` must be \"2.0\""},"id":4}
    "#);
    assert_eq!(client.execute("return 1")["result"], 1);
    assert!(client.aside.is_empty(), "{:?}", client.aside);
}

#[test]
fn a_message_that_is_too_large_is_answered_with_its_id() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let code = format!("return '{}'.length", "x".repeat(33 << 20));
    let refused = client.call("execute", json!({ "code": code }));
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    let message = refused["error"]["message"].as_str().expect("a text");
    assert_snapshot!(message, @"the message is larger than 32 MiB: give a program less, and let it fetch what it needs with its tools");
    // One that is not too large for a line is answered by its own limit.
    let large = client.call("execute", json!({ "code": &code[..17 << 20] }));
    assert_eq!(large["result"]["structuredContent"]["error"]["code"], "SOURCE_SIZE");
    assert_eq!(client.execute("return 1")["result"], 1);
}

#[test]
fn a_request_with_the_id_of_an_open_one_is_refused_and_both_are_answered() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let code = "return await mcp.pml.sleep({ ms: 500 })";
    let first =
        client.begin("tools/call", json!({ "name": "execute", "arguments": { "code": code } }));
    client.send(&json!({ "jsonrpc": "2.0", "id": first, "method": "ping" }).to_string());
    let refused = client.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(first), &json!(-32600)));
    assert_snapshot!(refused["error"]["message"].as_str().expect("a text"), @"another request with this `id` is not answered yet");
    let done = client.answer(first);
    assert_eq!(done["result"]["structuredContent"]["status"], "success", "{done}");
    // The id is free once its request is answered, or cancelled.
    client.send(&json!({ "jsonrpc": "2.0", "id": first, "method": "ping" }).to_string());
    assert_eq!(client.answer(first)["error"], Value::Null);
}
