//! Tests of which findings programs have, and which they do not.

use super::{Finding, check_program, check_script, planned_calls};
use crate::catalog::ToolListing;
use crate::model::Definition;
use crate::source::Script;
use serde_json::{Value, json};
use std::sync::Arc;

fn listing() -> ToolListing {
    let tool = |name: &str, input: Value| {
        Arc::new(Definition::new(name.parse().expect("a tool"), "", input))
    };
    let read = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "limit": { "type": "integer" },
            "mode": { "enum": ["text", "binary"] },
            "range": { "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 },
            "filter": {
                "anyOf": [
                    { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] },
                    { "type": "null" },
                ],
            },
        },
        "required": ["path"],
        "additionalProperties": false,
        "if": { "properties": { "mode": { "const": "binary" } }, "required": ["mode"] },
        "then": { "required": ["limit"] },
    });
    ToolListing::new([
        tool("fs:read-file", read),
        tool("fs:set_a", json!({ "type": "object" })),
        tool("fs:setA", json!({ "type": "object" })),
        tool("odd:odd", json!({ "type": "strnig" })),
    ])
    .with_unlisted("sleepy")
}

fn findings(text: &str) -> Vec<Finding> {
    let program = Script::ts(text).named("p.ts").load(1 << 20).expect("a program");
    check_program(&program, &listing()).expect("checked")
}

fn messages(text: &str) -> Vec<String> {
    findings(text).iter().map(ToString::to_string).collect()
}

#[test]
fn right_programs_have_no_findings() {
    for text in [
        "mcp.fs['read-file']({ path: 'a' })",
        "mcp.fs.readFile({ path: 'a', limit: 3, mode: 'text', range: [1, 2], filter: null })",
        "mcp.call('fs:read_file', { path: `a` })",
        "mcp.pml.confirm({ message: 'go on?' })",
        "mcp.fs.setA(); mcp.fs.set_a()",
        "mcp.sleepy.anything({ x: 1 })",
        "mcp.odd.odd({ x: 1 })",
        "mcp[inputs.server].x(1)",
    ] {
        assert_eq!(messages(text), [""; 0], "{text}");
    }
}

#[test]
fn names_that_are_not_there_are_found_with_what_is_near() {
    let wrong = &findings("const x = 1\nawait mcp.fs.raed_file({ path: 'a' })")[0];
    assert_eq!(wrong.to_string(), "there is no tool `fs:raed_file`: p.ts:2:14");
    assert_eq!(wrong.code.as_str(), "TOOL_UNKNOWN");
    assert_eq!(wrong.hint.as_deref(), Some("did you mean `fs:read-file`?"));
    assert_eq!(
        wrong.report(),
        "there is no tool `fs:raed_file`: p.ts:2:14\n  ╭─[p.ts:2:14]\n1 │ const x = 1\n2 │ await mcp.fs.raed_file({ path: 'a' })\n  ·              ╵\nhint: did you mean `fs:read-file`?"
    );
    assert_eq!(messages("mcp.fss.x()"), ["there is no server `fss`: p.ts:1:9"]);
    assert_eq!(messages("mcp.call('nonsense')"), ["`nonsense` names no tool: p.ts:1:10"]);
    assert_eq!(messages("mcp.pml.nothing()"), ["there is no tool `pml:nothing`: p.ts:1:9"]);
    let both = &findings("mcp.fs['set-a']()")[0];
    assert_eq!(both.to_string(), "`fs:set-a` could be `fs:setA` or `fs:set_a`: p.ts:1:8");
    assert_eq!(both.json()["position"], json!({ "module": "p.ts", "line": 1, "column": 8 }));
    assert_eq!(both.json()["code_frame"].as_str().map(|frame| frame.lines().count()), Some(3));
}

#[test]
fn json_has_a_name_as_it_is_and_text_shows_it_escaped() {
    let hidden = &findings("mcp.call('fs:b\\u202e\\nc')")[0];
    assert!(hidden.to_string().contains("fs:b\\u{202e}\\nc"), "{hidden}");
    assert!(!hidden.report().contains('\u{202e}'), "{}", hidden.report());
    let json = hidden.json();
    assert!(
        json["message"].as_str().is_some_and(|text| text.contains("fs:b\u{202e}\nc")),
        "{json}"
    );
}

#[test]
fn names_are_found_through_variables_and_not_where_they_are_shadowed() {
    assert_eq!(messages("const { reed } = mcp.fs\nreed()").len(), 1);
    assert_eq!(messages("const mcp: any = {}; mcp.nothing.there()"), [""; 0]);
}

#[test]
fn wrong_arguments_are_found_where_they_stand() {
    for (arguments, message) in [
        ("{ path: 1 }", "`fs:read-file`: `path` must be a string, not a number: p.ts:1:26"),
        ("{ limit: inputs.n }", "`fs:read-file`: `path` is missing: p.ts:1:18"),
        ("", "`fs:read-file`: `path` is missing: p.ts:1:8"),
        (
            "{ path: p, pth: 1 }",
            "`fs:read-file`: `pth` is not known here, did you mean `path`?: p.ts:1:29",
        ),
        (
            "{ ...inputs, mode: 'x' }",
            "`fs:read-file`: `mode` must be one of \"text\", \"binary\": p.ts:1:37",
        ),
        (
            "{ path: p, range: [q] }",
            "`fs:read-file`: `range` must have at least 2 items: p.ts:1:36",
        ),
        (
            "{ path: p, range: [q, '2'] }",
            "`fs:read-file`: `range[1]` must be a number, not a string: p.ts:1:40",
        ),
        (
            "{ path: p, filter: 1 }",
            "`fs:read-file`: `filter` must be an object or null, not a number: p.ts:1:37",
        ),
        ("{ path: 'a', mode: 'binary' }", "`fs:read-file`: `limit` is missing: p.ts:1:18"),
        ("'a'", "the arguments of `fs:read-file` must be an object: p.ts:1:18"),
    ] {
        assert_eq!(messages(&format!("mcp.fs.readFile( {arguments})")), [message], "{arguments}");
    }
}

#[test]
fn what_a_hole_could_make_right_is_not_found() {
    for arguments in [
        "inputs",
        "...inputs",
        "{ ...inputs }",
        "{ path: inputs.path }",
        "{ path: 'a', mode: inputs.mode }",
        "{ path: 'a', range: [...inputs] }",
        "{ path: 'a', filter: { name: inputs.name } }",
        "{ path: 'a', filter: { ...inputs } }",
        "{ path: 1, ...inputs }",
        "{ path: p, mode: 'binary', [k]: 1 }",
    ] {
        assert_eq!(messages(&format!("mcp.fs.readFile({arguments})")), [""; 0], "{arguments}");
    }
}

#[test]
fn calls_are_planned_with_what_is_known_of_them() {
    let text = "mcp.a.b({ x: 1, y: f(), ...z }); mcp.call(inputs.t); const t = mcp.c; g(t)";
    let program = Script::ts(text).load(1 << 20).expect("a program");
    let calls = planned_calls(&program).expect("calls");
    assert_eq!(calls.len(), 3);
    assert_eq!((calls[0].server.as_deref(), calls[0].tool.as_deref()), (Some("a"), Some("b")));
    assert_eq!(calls[0].arguments, Some(json!({ "x": null, "y": null })));
    assert_eq!(
        (calls[0].holes.as_slice(), calls[0].open.as_slice()),
        (&["/x".into(), "/y".into()][..], &[String::new()][..])
    );
    assert!(!calls[0].is_dynamic() && calls[1].is_dynamic() && calls[2].is_dynamic());
    assert_eq!(calls[2].server.as_deref(), Some("c"));
    assert_eq!(calls[1].arguments, Some(json!({})));
    assert_eq!(calls[2].arguments, None);
}

#[test]
fn a_program_full_of_mistakes_is_cut_short() {
    let program = Script::ts("mcp.x.y();".repeat(10_000)).load(1 << 20).expect("a program");
    assert_eq!(check_program(&program, &listing()).expect("checked").len(), 200);
}

#[test]
fn what_is_no_program_is_a_finding_and_what_cannot_be_read_an_error() {
    let found = check_script(&Script::ts("let = = 1").named("p.ts"), 1 << 20, &listing());
    let found = &found.expect("findings")[0];
    assert_eq!((found.code.as_str(), found.tool.as_deref()), ("SYNTAX", None));
    assert_eq!(found.to_string().matches("p.ts:").count(), 1, "{found}");
    let found = check_script(&Script::ts("import 'node:fs'"), 1 << 20, &listing());
    assert_eq!(found.expect("findings")[0].code.as_str(), "IMPORT_REFUSED");
    let error = check_script(&Script::file("/nowhere/at/all.ts"), 1 << 20, &listing());
    assert_eq!(error.expect_err("no file").kind().as_str(), "SOURCE_READ");
}
