//! Types written for many schemas. `tests/it/real/types.rs` shows that `tsc` accepts them.

use super::reader::{ReferenceMode, SchemaReader};
use super::write::{Style, write};
use super::{declarations, signature};
use crate::catalog::ObservedResults;
use crate::model::Definition;
use serde_json::{Value, json};

fn line(schema: Value) -> String {
    write(&SchemaReader::new(&schema, ReferenceMode::Inline).read_root(), Style::Line(9))
}

fn tool(name: &str, input: Value) -> Definition {
    Definition::new(name.parse().expect("a tool"), "Does it. And more.", input)
}

#[test]
fn plain_types_and_null() {
    for (schema, written) in [
        (json!({ "type": "string" }), "string"),
        (json!({ "type": "integer" }), "number"),
        (json!({ "type": ["string", "null"] }), "string | null"),
        (json!({ "anyOf": [{ "type": "number" }, { "type": "null" }] }), "number | null"),
        (json!({ "type": "boolean", "nullable": true }), "boolean | null"),
        (json!({ "type": ["null", "array"], "items": { "type": "string" } }), "string[] | null"),
        (json!(true), "unknown"),
        (json!(false), "never"),
        (json!({}), "unknown"),
        (json!("nonsense"), "unknown"),
        (json!({ "type": "strnig" }), "unknown"),
    ] {
        assert_eq!(line(schema), written);
    }
}

#[test]
fn literals_are_quoted() {
    assert_eq!(line(json!({ "const": "a\"b" })), r#""a\"b""#);
    assert_eq!(
        line(json!({ "enum": ["x", 1, null, true, -2.5] })),
        r#""x" | 1 | null | true | -2.5"#
    );
    assert_eq!(line(json!({ "enum": ["x"], "type": "string", "nullable": true })), r#""x" | null"#);
    let many: Vec<String> = (0..1_000).map(|n| format!("v{n}")).collect();
    assert_eq!(line(json!({ "type": "string", "enum": many })), "string");
    assert_eq!(line(json!({ "enum": many })), "string");
}

#[test]
fn lists_and_tuples() {
    for (schema, written) in [
        (json!({ "type": "array" }), "unknown[]"),
        (json!({ "items": { "type": ["string", "number"] } }), "(number | string)[]"),
        (
            json!({ "prefixItems": [{ "type": "string" }, { "type": "number" }], "items": false }),
            "[string, number]",
        ),
        (
            json!({ "items": [{ "type": "string" }], "additionalItems": { "type": "null" } }),
            "[string, ...null[]]",
        ),
        (
            json!({ "prefixItems": [{ "type": "string" }, { "enum": [1, 2] }], "minItems": 1, "maxItems": 2 }),
            "[string, (1 | 2)?]",
        ),
        (json!({ "prefixItems": [{ "type": "string" }] }), "[string, ...unknown[]]"),
    ] {
        assert_eq!(line(schema), written);
    }
}

#[test]
fn objects_and_records() {
    for (schema, written) in [
        (
            json!({ "properties": { "a": { "type": "string" }, "b-c": {} }, "required": ["a"] }),
            r#"{ a: string; "b-c"?: unknown }"#,
        ),
        (json!({ "type": "object" }), "{ [key: string]: unknown }"),
        (json!({ "type": "object", "additionalProperties": false }), "{ [key: string]: never }"),
        (
            json!({ "type": "object", "additionalProperties": { "type": "number" } }),
            "{ [key: string]: number }",
        ),
        (
            json!({ "patternProperties": { "^x": { "type": "string" } }, "additionalProperties": false }),
            "{ [key: string]: string }",
        ),
        (
            json!({ "properties": { "a": { "type": "string" } }, "additionalProperties": { "type": "number" } }),
            "{ a?: string; [key: string]: number | string | undefined }",
        ),
        (
            json!({ "properties": { "a": {} }, "additionalProperties": true }),
            "{ a?: unknown; [key: string]: unknown }",
        ),
        (json!({ "type": "object", "required": ["z"] }), "{ z: unknown }"),
    ] {
        assert_eq!(line(schema), written);
    }
}

#[test]
fn combinations() {
    let (a, b) = (json!({ "properties": { "a": {} } }), json!({ "properties": { "b": {} } }));
    assert_eq!(line(json!({ "allOf": [a, b] })), "{ a?: unknown; b?: unknown }");
    assert_eq!(line(json!({ "oneOf": [a, b] })), "{ a?: unknown } | { b?: unknown }");
    assert_eq!(
        line(
            json!({ "type": "object", "properties": { "a": {} }, "anyOf": [{ "required": ["a"] }, {}] })
        ),
        "{ a?: unknown }"
    );
    let refined = json!({ "properties": { "a": { "const": 1 } } });
    assert_eq!(line(json!({ "allOf": [a, refined] })), "{ a?: unknown } & { a?: 1 }");
    assert_eq!(
        line(json!({ "items": { "allOf": [{ "type": "string" }, { "enum": ["x"] }] } })),
        r#"(string & "x")[]"#
    );
}

#[test]
fn references_are_followed_within_the_schema_only() {
    let schema = |reference: &str| json!({ "$defs": { "a b": { "type": "string" } }, "properties": { "x": { "$ref": reference } } });
    assert_eq!(line(schema("#/$defs/a b")), "{ x?: string }");
    assert_eq!(line(schema("#/$defs/a%20b")), "{ x?: string }");
    for outside in ["https://example.org/s", "other.json#/x", "#/$defs/none", "#anchor"] {
        assert!(line(schema(outside)).contains("unknown /* a reference"), "{outside}");
    }
}

#[test]
fn cycles_end() {
    let tree = json!({ "properties": { "next": { "$ref": "#" } } });
    assert_eq!(line(tree), "{ next?: { next?: unknown /* recursive */ } }");
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "anyOf": [{ "$ref": "#/$defs/a" }] } }, "$ref": "#/$defs/a" }),
    ] {
        assert_eq!(line(schema), "unknown /* recursive */");
    }
}

#[test]
fn huge_and_deep_schemas_are_cut() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..100 {
        deep = json!({ "properties": { "x": deep } });
    }
    let text = write(&SchemaReader::new(&deep, ReferenceMode::Inline).read_root(), Style::Lines(0));
    assert!(text.contains("unknown /* cut") && text.len() < 2_000, "{text}");
    assert!(line(deep).contains("{ … }"));
    let wide: serde_json::Map<_, _> =
        (0..10_000).map(|n| (format!("f{n}"), json!({ "type": "string" }))).collect();
    let text = line(json!({ "properties": wide }));
    assert!(text.len() < 10_000 && text.contains("[key: string]: unknown"), "{}", text.len());
}

#[test]
fn a_signature_is_one_line_that_says_how_to_call() {
    let search = tool(
        "github:search_issues",
        json!({ "type": "object", "properties": { "q": { "type": "string" }, "page": { "type": "integer" } }, "required": ["q"] }),
    );
    assert_eq!(
        signature(&search, None),
        "mcp.github.search_issues(args: { q: string; page?: number }): Promise<any> // Does it."
    );
    let mut odd = tool("my-server:get-env", json!({ "type": "object", "properties": {} }));
    odd.description = "Line one\nline two */ here.\n\nMore".into();
    odd.output = Some(
        json!({ "properties": { "items": { "items": { "properties": { "id": { "type": "number" } } } } } }),
    );
    assert_eq!(
        signature(&odd, None),
        "mcp[\"my-server\"][\"get-env\"](): Promise<{ items?: { id?: number }[] }> // Line one line two *\\/ here."
    );
}

#[test]
fn a_long_signature_loses_its_depths_first() {
    let inner: serde_json::Map<_, _> =
        (0..50).map(|n| (format!("field{n}"), json!({ "type": "string" }))).collect();
    let long = tool(
        "a:b",
        json!({ "properties": { "filter": { "properties": inner }, "q": { "type": "string" } } }),
    );
    assert_eq!(
        signature(&long, None),
        "mcp.a.b(args?: { filter?: { … }; q?: string }): Promise<any> // Does it."
    );
}

#[test]
fn what_was_seen_is_marked_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let observed = ObservedResults::open(folder.path());
    let stat = tool("fs:stat", json!({ "type": "object" }));
    for size in 0..3 {
        observed.record(&stat.tool, &stat.digest(), &json!({ "size": size }));
    }
    let text = signature(&stat, Some(&observed));
    assert!(
        text.contains("Promise<{ size: number }> /* inferred from 3 observed results */"),
        "{text}"
    );
    let file = declarations([&stat], Some(&observed));
    assert!(file.contains("@returns inferred from 3 observed results"), "{file}");
    let file = declarations([&stat], None);
    assert!(file.contains("@returns the server gives no output schema"), "{file}");
    assert!(file.contains("Promise<any>"), "{file}");
}

#[test]
fn both_spellings_are_declared() {
    let file = declarations([&tool("my-server:get-env", json!({ "type": "object" }))], None);
    for part in [
        "\"my-server\": {",
        "\"get-env\"(args?: {",
        "getEnv: Servers[\"my-server\"][\"get-env\"];",
        "get_env: Servers[\"my-server\"][\"get-env\"];",
        "myServer: Servers[\"my-server\"];",
        "\"my-server:get-env\": Servers[\"my-server\"][\"get-env\"];",
    ] {
        assert!(file.contains(part), "{part}\n{file}");
    }
}

#[test]
fn a_description_cannot_leave_its_comment() {
    let mut evil = tool(
        "a:b",
        json!({ "properties": { "x": { "description": "*/ evil(); /*", "default": "*/" } } }),
    );
    evil.description = "*/ } declare const stolen: any; /*".into();
    let file = declarations([&evil], None);
    assert!(!file.contains("*/ evil") && !file.contains("*/ } declare"), "{file}");
}
