//! `import(…)` at run time: what is refused fails there, and the program may catch it.

use pml::Script;
use pml::json::json;
use pml_kit::sandbox::{engine, run, value};

#[tokio::test]
async fn a_refused_dynamic_import_is_an_error_that_a_program_can_catch() {
    let engine = engine(|config| config);
    let caught = "try { await import('node:fs') } catch (error) {
        return [error instanceof TypeError, error.name, error.code, error.message, String(error)] }";
    let message = "import of `node:fs` is refused, it is not a relative path";
    assert_eq!(
        value(&engine, caught).await,
        json!([true, "TypeError", "IMPORT_REFUSED", message, format!("TypeError: {message}")])
    );
    let fallback = "const fs = await import('node:fs').catch(() => null); return fs ?? 'none'";
    assert_eq!(value(&engine, fallback).await, json!("none"));
    let named =
        "const name = 'zod'; try { await import(name) } catch (error) { return error.message }";
    assert_eq!(
        value(&engine, named).await,
        json!("import of `zod` is refused, what a program imports must be written out as a string")
    );
    let unreached = "if (inputs.never) await import('node:fs'); return 1";
    assert_eq!(value(&engine, unreached).await, json!(1));
}

#[tokio::test]
async fn a_refused_import_that_nobody_catches_is_placed_at_the_import() {
    let engine = engine(|config| config);
    for (program, place) in [
        ("console.log(1);\nawait import('node:fs')", (2, 7)),
        ("const a = 1;\nconst { x } = await import('node:fs');\nreturn x", (2, 21)),
        ("await import('node:fs').catch(() => {});\nawait import('node:fs')", (2, 7)),
        ("async function load() {\n  return await import('node:fs')\n}\nawait load()", (2, 16)),
        ("import('node:fs');\nawait mcp.pml.sleep({ ms: 1 })", (1, 1)),
        ("return import('node:fs')", (1, 8)),
    ] {
        let outcome = run(&engine, program).await;
        let failure = outcome.failure().unwrap_or_else(|| panic!("{program}"));
        assert_eq!(failure.error_code.as_deref(), Some("IMPORT_REFUSED"), "{program}");
        let position = failure.position.as_ref().map(|at| (at.line, at.column));
        assert_eq!(position, Some(place), "{program}");
        assert!(failure.hint.as_deref().expect("a hint").contains("only `mcp`"), "{program}");
        assert!(failure.code_frame.is_some(), "{program}");
    }
}

#[tokio::test]
async fn a_computed_import_finds_what_is_written_out_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("part.ts"), "export const part = 1").expect("written");
    let engine = engine(|config| config);
    let load = async |program: &str| {
        let script = Script::ts(program).in_workspace(folder.path());
        engine.run(script).await.expect("the sandbox works")
    };
    let both = "import { part } from './part.ts'; const name = './part.ts';
        export default async () => (await import(name)).part + part";
    assert_eq!(load(both).await.value(), Some(json!(2)));
    let outcome = load("const name = './part.ts'; await import(name)").await;
    let failure = outcome.failure().expect("refused");
    let hint = failure.hint.as_deref().expect("a hint");
    assert!(hint.contains("what a program imports is read before it runs"), "{hint}");
    assert_eq!(failure.position.as_ref().map(|at| at.line), Some(1));
}
