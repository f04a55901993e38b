//! The programs of the manual: all of them load, and those that call no server run.
//!
//! A block of TypeScript is a program of its own. With `file:NAME` it is a file, which other blocks
//! of its page may import. With `fails` it must fail. A last line `// → JSON` says what the program
//! returns.

use crate::pml;
use pml::{Engine, Limits, Script, json};
use pml_kit::{CodeBlock, Document, TestEnv, manual, sandbox};

/// Writes the files that a page shows, beside the server of the examples.
pub(super) fn write_files(env: &TestEnv, page: &Document) {
    env.write("shop.py", Document::read("host/examples/shop.py").text);
    for block in page.code_blocks() {
        if let Some(name) = block.file() {
            env.write(name, &block.text);
        }
    }
}

async fn check(engine: &Engine, env: &TestEnv, page: &Document, block: &CodeBlock) {
    let place = format!("{}:{}", page.name, block.line);
    let script = match block.file() {
        Some(name) => Script::file(env.path().join(name)),
        None => Script::ts(&block.text).named(&place),
    };
    let script = script.in_workspace(env.path());
    if let Err(error) = script.load(Limits::SOURCE) {
        panic!("{place}: {error}");
    }
    if block.text.contains("mcp.") && !block.text.contains("mcp.pml.sleep") {
        return;
    }
    let outcome = engine.run(script).await.expect("the sandbox works");
    let failure = outcome.failure();
    assert_eq!(failure.is_some(), block.is_marked("fails"), "{place}: {failure:#?}");
    if let Some((_, expected)) = block.text.trim_end().rsplit_once("// → ") {
        let expected: json::Value = json::from_str(expected).expect("a result is JSON");
        assert_eq!(outcome.value(), Some(expected), "{place}");
    }
}

#[tokio::test]
async fn the_programs_of_the_manual_load_and_those_without_servers_run() {
    let engine = sandbox::engine(|config| config);
    let mut count = 0;
    for page in manual() {
        let env = pml();
        write_files(&env, &page);
        for block in page.code_blocks() {
            if block.is_in("ts") || block.is_in("js") {
                check(&engine, &env, &page, &block).await;
                count += 1;
            }
        }
    }
    assert!(count >= 10, "{count} programs");
}
