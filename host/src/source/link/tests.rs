//! Imports of types, and of names that do not exist.

use std::fs;

use super::super::Script;
use crate::model::Code;

const LIMIT: usize = 1 << 20;

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn imports_of_types_only_are_erased_and_not_followed() {
    let load = |text: &str| Script::ts(text).load(LIMIT);
    for text in [
        "import { A } from 'anything'\nlet x: A = 1; x",
        "import A, { B, type C } from './absent'\nconst f = (a: A): B => a as B\nreturn f",
        "import * as all from 'all'\nlet x: all.X = 1",
        "import { A } from 'a'\nclass B implements A {}",
        "import { A } from 'a'\nlet x: typeof A",
    ] {
        let program = load(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(program.modules.len(), 1, "{text}");
        assert_eq!(program.modules[0].first_line, 0, "a function body: {text}");
    }
    for text in [
        "import { A } from 'a'\nnew A()",
        "import { A } from 'a'\nexport { A }",
        "import { A } from 'a'\nclass B extends A {}",
        "import { A } from 'a'\nexport default A",
        "import { A } from 'a'\nf({ A })",
        "import {} from 'a'",
        "import { A } from 'a'",
        "import { type A } from 'a'",
        "import 'a'",
    ] {
        assert_eq!(load(text).unwrap_err().code(), Code::ImportRefused, "{text}");
    }
    let error = Script::js("import { A } from 'a'").load(LIMIT).unwrap_err();
    assert_eq!(error.code(), Code::ImportRefused, "JavaScript has no types");
}

#[test]
fn names_that_are_types_elsewhere_are_erased() {
    let folder = folder(&[
        ("types.ts", b"export interface Shape { a: 1 }\nexport type Id = string\nexport const used = 1\nexport default interface D {}\ntype Local = 1\nexport { Local, Local as Other }\nexport declare const later: number"),
        ("all.ts", b"export { Shape, used } from './types.ts'\nexport * from './types.ts'\nexport type { Id as Again } from './types.ts'"),
        ("again.ts", b"import { Shape, used } from './types.ts'\nexport { Shape, used }"),
        ("main.ts", b"import D, { Shape, used, Local } from './types.ts'\nimport { Shape as S2, Id, used as u2, Again } from './all.ts'\nimport { Shape as S3, used as u3 } from './again.ts'\nfunction f(Shape: S2, Id: S3, D: D, Local: Local, Again: Again) { return [Shape, Id, D, Local, Again, used, u2, u3] }\nexport default f"),
    ]);
    let program = Script::file(folder.path().join("main.ts")).load(LIMIT).unwrap();
    let code = |name: &str| program.module(name).unwrap().code.replace("  ", "");
    assert_eq!(code("types.ts").lines().nth(5).unwrap().trim(), "export { }");
    assert_eq!(code("all.ts").lines().next().unwrap(), "export {used } from './types.ts'");
    assert_eq!(code("again.ts"), "import {used } from './types.ts'\nexport {used }");
    assert_eq!(
        code("main.ts").lines().take(3).collect::<Vec<_>>(),
        [
            "import{used, } from './types.ts'",
            "import {used as u2, } from './all.ts'",
            "import {used as u3 } from './again.ts'"
        ]
    );
}

#[test]
fn names_that_a_module_does_not_export_are_refused_with_their_position() {
    let folder = folder(&[
        ("lib.ts", b"export const total = 1\nexport interface Shape {}\nexport default 1"),
        ("plain.ts", b"export const only = 1"),
        ("silent.ts", b"const x = 1"),
        ("star.ts", b"export * from './lib.ts'"),
        ("data.json", b"{}"),
    ]);
    let refused = |text: &str| {
        let script = Script::ts(text).in_workspace(folder.path());
        let error = script.load(LIMIT).unwrap_err();
        assert_eq!(error.code(), Code::Syntax, "{text}");
        assert!(error.code_frame().is_some(), "{text}");
        format!("{error}\n{}", error.hint().unwrap_or("-"))
    };
    for (text, wanted) in [
        (
            "import { totl } from './lib.ts'\ntotl",
            "`lib.ts` does not export `totl`: program.ts:1:10\ndid you mean `total`?",
        ),
        (
            "import { total, Shape } from './lib'\ntotal; new Shape()",
            "`Shape` is only a type in `lib.ts`, and is used as a value: program.ts:1:17\nwrite `import type` for types, and use them only as types",
        ),
        (
            "import { absent as a } from './lib.ts'\na",
            "`lib.ts` does not export `absent`: program.ts:1:10\nit has a default export: `import absent from …`",
        ),
        (
            "import x from './plain.ts'\nx",
            "`plain.ts` does not export `default`: program.ts:1:8\nit has no `export default`: write `import { only } from …`",
        ),
        (
            "import { x } from './silent.ts'\nx",
            "`silent.ts` does not export `x`: program.ts:1:10\nwrite `export` before what it shares",
        ),
        (
            "export { gone } from './star.ts'",
            "`star.ts` does not export `gone`: program.ts:1:10\n-",
        ),
        ("import d from './star.ts'\nd", "`star.ts` does not export `default`: program.ts:1:8\n-"),
        (
            "import { a } from './data.json'\na",
            "`data.json` does not export `a`: program.ts:1:10\na JSON file has only a default export: `import data from …`",
        ),
    ] {
        assert_eq!(refused(text), wanted, "{text}");
    }
    let text = "import d, { total } from './lib.ts'\nimport * as all from './star.ts'\nimport j from './data.json'\nexport default [d, total, all, j]";
    assert!(Script::ts(text).in_workspace(folder.path()).load(LIMIT).is_ok());
}
