//! `.pml/mcp.d.ts` before the real TypeScript compiler: right programs pass `--strict`, wrong ones
//! fail where they are wrong.

use pml::json::{Value, json};
use pml::{catalog::ObservedResults, tool::Definition};
use pml_kit::real::{left_out, tsc};
use std::fs;

/// Compiles a program beside declarations. Returns each diagnostic as
/// `file(line,column): error TSnnnn`, without its words.
fn compile(declarations: &str, program: &str, library: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".pml")).expect("a folder");
    fs::write(folder.path().join(".pml/mcp.d.ts"), declarations).expect("written");
    fs::write(folder.path().join("program.ts"), program).expect("written");
    let output = tsc()
        .command(folder.path())
        .args([
            "--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--pretty", "false",
        ])
        .args(["--moduleDetection", "force", "--lib", library])
        .args([".pml/mcp.d.ts", "program.ts"])
        .output()
        .expect("node");
    let text = String::from_utf8(output.stdout).expect("text");
    let found: Vec<String> = text
        .lines()
        .filter(|line| line.contains(": error TS"))
        .map(|line| line.splitn(3, ": ").take(2).collect::<Vec<_>>().join(": "))
        .collect();
    assert_eq!(found.is_empty(), output.status.success(), "{text}");
    found
}

fn tool(name: &str, description: &str, input: Value) -> Definition {
    Definition::new(name.parse().expect("a tool"), description, input)
}

/// Schemas as servers write them, and some that no server should.
fn definitions() -> Vec<Definition> {
    let mut search = tool(
        "github:search_issues",
        "Searches issues. */ }; declare const stolen: string; /*",
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {
                "q": { "type": "string", "description": "*/ what\n/* to look for" },
                "page": { "type": "integer", "default": 1 },
                "state": { "enum": ["open", "closed", "it's \"all\"\n"] },
                "since": { "type": ["string", "null"] },
                "labels": { "type": "array", "items": { "type": "string" } },
                "sort-by": { "anyOf": [{ "const": "date" }, { "type": "null" }] },
            },
            "required": ["q"],
            "additionalProperties": false,
        }),
    );
    search.output = Some(json!({
        "type": "object",
        "properties": {
            "items": { "type": "array", "items": { "$ref": "#/$defs/Issue" } },
            "next": { "type": "string", "nullable": true },
        },
        "required": ["items", "next"],
        "$defs": { "Issue": {
            "type": "object",
            "properties": { "id": { "type": "integer" }, "parent": { "anyOf": [{ "$ref": "#/$defs/Issue" }, { "type": "null" }] } },
            "required": ["id", "parent"],
        } },
    }));
    let tree = tool(
        "my-server:draw-tree",
        "@ts-expect-error",
        json!({
            "type": "object",
            "definitions": {
                "node": { "type": "object", "properties": { "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#/definitions/node" } } }, "required": ["name"] },
                "Json": { "anyOf": [{ "type": "string" }, { "type": "array", "items": { "$ref": "#/definitions/Json" } }, { "type": "object", "additionalProperties": { "$ref": "#/definitions/Json" } }] },
                "loop": { "$ref": "#/definitions/pool" },
                "pool": { "allOf": [{ "$ref": "#/definitions/loop" }] },
            },
            "properties": {
                "root": { "$ref": "#/definitions/node" },
                "extra": { "$ref": "#/definitions/Json" },
                "at": { "type": "array", "prefixItems": [{ "type": "number" }, { "type": "number" }], "items": false },
                "colors": { "type": "object", "additionalProperties": { "enum": ["red", "blue"] } },
                "loop": { "$ref": "#/definitions/loop" },
                "remote": { "$ref": "https://example.org/remote.json" },
                "mixed": { "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"], "additionalProperties": { "type": "string" } },
                "all": { "allOf": [{ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] }, { "type": "object", "properties": { "b": { "type": "number" } }, "required": ["b"] }] },
            },
            "required": ["root"],
        }),
    );
    let mut odd = vec![
        tool("my-server:get-env", "", json!({ "type": "object", "properties": {} })),
        tool("my-server:new", "", json!({ "type": "object" })),
        tool("my-server:delete", "", json!({ "type": "object", "additionalProperties": false })),
        tool(
            "my-server:then",
            "",
            json!({ "type": "object", "properties": { "x": { "type": "number" } }, "required": ["x"] }),
        ),
        tool("my-server:a\"b\\c", "", json!({ "type": "object" })),
        tool("my-server:größe", "", json!(true)),
        tool("my-server:set_a", "", json!({})),
        tool("my-server:setA", "", json!("no schema at all")),
        tool("call:me", "", json!({ "type": "object" })),
        tool(
            "__proto__:constructor",
            "",
            json!({ "properties": { "__proto__": { "type": "string" }, "constructor": {}, "": {}, "1": {} } }),
        ),
    ];
    odd.push(search);
    odd.push(tree);
    odd
}

const RIGHT: &str = r#"
const found = await mcp.github.search_issues({ q: "x", since: null, state: "it's \"all\"\n", "sort-by": null });
const ids: number[] = found.items.map((item) => item.parent?.id ?? item.id);
const next: string | null = found.next;
const same = await mcp.github.searchIssues({ q: "x", labels: ["bug"] }, { signal: undefined });
const also = await mcp.call("github:search_issues", { q: "x", page: 2 });
export const total: number = same.items.length + also.items.length;
await mcp["my-server"]["draw-tree"]({
  root: { name: "a", children: [{ name: "b" }] },
  extra: ["x", { y: [{}] }],
  at: [1, 2],
  colors: { sky: "blue" },
  mixed: { n: 1, s: "x" },
  all: { a: "x", b: 1 },
  loop: 1,
  remote: "anything",
});
await mcp.myServer.drawTree({ root: { name: "a" } });
await mcp.my_server.draw_tree({ root: { name: "a" } });
const env = await mcp["my-server"].getEnv();
export const home: string = env.HOME.toString();
await mcp["my-server"]["get-env"]({});
await mcp["my-server"].new({ a: 1 });
await mcp["my-server"].delete();
await mcp["my-server"]['a"b\\c']();
await mcp["my-server"]["größe"]({ x: 1 });
await mcp["my-server"].set_a();
await mcp.call("my-server:then", { x: 1 });
await mcp.call("call:me");
await mcp.pml.confirm({ message: "go on?" });
const month: string = inputs.month;
try { await mcp.call("my-server:delete"); } catch (error) { const { code, tool }: ToolError = error as ToolError; [code, tool]; }
export { ids, next, month };
"#;

const WRONG: &[(&str, &str)] = &[
    (r#"await mcp.github.search_issues({})"#, "TS2345"),
    (r#"await mcp.github.search_issues()"#, "TS2554"),
    (r#"await mcp.github.search_issues({ q: 1 })"#, "TS2322"),
    (r#"await mcp.github.search_issues({ q: "x", pgae: 1 })"#, "TS2353"),
    (r#"await mcp.github.search_issues({ q: "x", state: "opne" })"#, "TS2322"),
    (r#"await mcp.github.search_issues({ q: null })"#, "TS2322"),
    (r#"await mcp.github.search_issues({ q: "x", labels: "bug" })"#, "TS2322"),
    (r#"(await mcp.github.search_issues({ q: "x" })).itmes"#, "TS2551"),
    (r#"(await mcp.github.search_issues({ q: "x" })).next.length"#, "TS2531"),
    (r#"mcp.github.search_issues({ q: "x" }).items"#, "TS2339"),
    (r#"await mcp.github.serach()"#, "TS2339"),
    (r#"await mcp.gitlab.search({})"#, "TS2339"),
    (r#"await mcp.call("github:serach", {})"#, "TS2345"),
    (r#"await mcp.call("github:search_issues", { q: 1 })"#, "TS2322"),
    (r#"await mcp.call("github:search_issues")"#, "TS2554"),
    (r#"await mcp.myServer.drawTree({ root: { name: "a", children: [{}] } })"#, "TS2741"),
    (r#"await mcp.myServer.drawTree({ root: { name: "a" }, at: [1, 2, 3] })"#, "TS2322"),
    (r#"await mcp.myServer.drawTree({ root: { name: "a" }, colors: { sky: "green" } })"#, "TS2322"),
    (r#"await mcp.myServer.drawTree({ root: { name: "a" }, all: { a: "x" } })"#, "TS2741"),
    (r#"await mcp.myServer.drawTree({ root: { name: "a" }, extra: 1 })"#, "TS2322"),
    (r#"await mcp["my-server"].delete({ x: 1 })"#, "TS2322"),
    (r#"await mcp["my-server"]["set-a"]()"#, "TS2551"),
    (r#"stolen"#, "TS2304"),
];

#[test]
fn right_programs_pass_the_compiler() {
    if left_out() {
        return;
    }
    let declarations = pml::catalog::typescript_declarations(&definitions(), None);
    assert_eq!(compile(&declarations, RIGHT, "es2022,dom"), [""; 0], "{declarations}");
    // Without the DOM the declarations stand by themselves.
    assert_eq!(compile(&declarations, RIGHT, "es2022"), [""; 0], "{declarations}");
}

#[test]
fn wrong_programs_fail_where_they_are_wrong() {
    if left_out() {
        return;
    }
    let declarations = pml::catalog::typescript_declarations(&definitions(), None);
    // One a line, each a statement of its own.
    let program: String = WRONG.iter().map(|(line, _)| format!("{{ {line} }}\n")).collect();
    let found = compile(&declarations, &program, "es2022,dom");
    let found: Vec<(String, String)> = found
        .iter()
        .map(|it| {
            let line = it.split(['(', ',']).nth(1).expect("a line").to_owned();
            (line, it.rsplit(' ').next().expect("a code").to_owned())
        })
        .collect();
    let expected: Vec<(String, String)> = WRONG
        .iter()
        .enumerate()
        .map(|(index, (_, code))| ((index + 1).to_string(), (*code).to_owned()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn what_was_inferred_is_checked_too() {
    if left_out() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let observed = ObservedResults::open(folder.path());
    let stat = tool("fs:stat", "", json!({ "type": "object" }));
    for result in [
        json!({ "size": 1, "by": { "ann@example.org": [1.5] } }),
        json!({ "size": 2, "link": null }),
    ] {
        observed.record(&stat.tool, &stat.digest(), &result);
    }
    let declarations = pml::catalog::typescript_declarations([&stat], Some(&observed));
    let right = "const s = await mcp.fs.stat(); export const n: number = s.size + (s.by?.x?.[0] ?? 0); s.link === null";
    assert_eq!(compile(&declarations, right, "es2022"), [""; 0], "{declarations}");
    let wrong = "const s = await mcp.fs.stat(); export const n: string = s.size";
    assert_eq!(compile(&declarations, wrong, "es2022"), ["program.ts(1,45): error TS2322"]);
}

/// Draws schemas that no server should write: keywords at random, references to anywhere, names of
/// all kinds.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[usize::try_from(self.below(from.len() as u64)).expect("small")]
    }

    fn name(&mut self) -> &'static str {
        self.pick(&[
            "a",
            "b",
            "new",
            "",
            "x-y",
            "1",
            "*/",
            "\"",
            "\\",
            "__proto__",
            "\u{202e}",
            "\n",
            "constructor",
            "größe",
        ])
    }

    fn schema(&mut self, depth: u32) -> Value {
        if depth == 0 || self.below(12) == 0 {
            return match self.below(8) {
                0 => json!(true),
                1 => json!(false),
                2 => json!({ "const": self.name() }),
                3 => json!({ "enum": [self.name(), 1, null, { "x": [] }] }),
                4 => json!({ "type": ["null", "integer", "nonsense"] }),
                5 => json!([]),
                _ => {
                    json!({ "type": self.pick(&["string", "number", "boolean", "object", "array", "null"]) })
                }
            };
        }
        let depth = depth - 1;
        let mut schema = pml::json::Map::new();
        for _ in 0..=self.below(3) {
            let some = |draw: &mut Draw| {
                (0..=draw.below(2)).map(|_| draw.schema(depth)).collect::<Vec<_>>()
            };
            let named = |draw: &mut Draw| -> Value {
                (0..=draw.below(2)).map(|_| (draw.name().to_owned(), draw.schema(depth))).collect()
            };
            let (keyword, value) = match self.below(14) {
                0 => (
                    "$ref",
                    json!(self.pick(&[
                        "#",
                        "#/$defs/A",
                        "#/$defs/B",
                        "#/$defs/C",
                        "#/properties/a",
                        "#/$defs/A/properties/a",
                        "x.json",
                        "#/$defs/none"
                    ])),
                ),
                1 => ("anyOf", json!(some(self))),
                2 => ("oneOf", json!(some(self))),
                3 => ("allOf", json!(some(self))),
                4 => ("items", self.schema(depth)),
                5 => ("items", json!(some(self))),
                6 => ("prefixItems", json!(some(self))),
                7 => ("additionalProperties", self.schema(depth)),
                8 => ("patternProperties", named(self)),
                9 => ("required", json!([self.name(), self.name(), 1])),
                10 => ("nullable", json!(true)),
                11 => ("description", json!(self.name())),
                12 => ("minItems", json!(self.below(3))),
                _ => ("properties", named(self)),
            };
            schema.insert(keyword.into(), value);
        }
        Value::Object(schema)
    }

    fn root(&mut self) -> Value {
        let mut root = self.schema(4);
        if let Value::Object(fields) = &mut root {
            fields.insert(
                "$defs".into(),
                json!({ "A": self.schema(3), "B": self.schema(3), "C": self.schema(3) }),
            );
        }
        root
    }
}

#[test]
fn whatever_servers_say_the_declarations_are_typescript() {
    if left_out() {
        return;
    }
    let mut draw = Draw(7);
    let definitions: Vec<Definition> = (0..400)
        .map(|n| {
            let mut drawn = tool(&format!("server{}:tool{n}", n % 7), draw.name(), draw.root());
            drawn.output = (n % 2 == 0).then(|| draw.root());
            drawn
        })
        .collect();
    let declarations = pml::catalog::typescript_declarations(&definitions, None);
    assert!(declarations.len() > 100_000);
    let found = compile(&declarations, "export {}", "es2022");
    let lines: Vec<&str> = declarations.lines().collect();
    let at = |it: &String| {
        let line = it.split(['(', ',']).nth(1).and_then(|line| line.parse::<usize>().ok());
        lines.get(line.unwrap_or(1) - 1).map(|line| (*line).to_owned())
    };
    let shown: Vec<_> = found.iter().map(|it| (it, at(it))).take(10).collect();
    assert!(found.is_empty(), "{shown:#?}");
}
