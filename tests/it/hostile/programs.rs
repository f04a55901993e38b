//! Programs that attack the sandbox from inside: they harm only themselves.

use pml::Engine;
use pml::json::json;
use pml_kit::sandbox::{engine, run, value};

fn any() -> Engine {
    engine(|config| config)
}

#[tokio::test]
async fn overwriting_the_language_changes_no_call_and_no_answer() {
    let engine = any();
    for attack in [
        "JSON.stringify = () => '{\"forged\":1}'; JSON.parse = () => ({ forged: 1 });",
        "globalThis.JSON = undefined; globalThis.Promise = undefined;",
        "globalThis.Promise = class { constructor() { throw 1 } };",
        "Promise.resolve = Promise.reject = () => { throw 1 };",
        "Object.prototype.get = () => 'forged'; Object.prototype.value = 'forged';",
        "Object.prototype.__defineGetter__('signal', () => undefined);",
        "Object.defineProperty = () => { throw 1 }; Object.create = () => ({ forged: 1 });",
        "Reflect.apply = () => { throw 1 }; globalThis.Reflect = undefined;",
        "Array.prototype[Symbol.iterator] = function* () { yield 'forged' };",
        "Function.prototype.call = Function.prototype.apply = () => 'forged';",
        "String.prototype.includes = () => true;",
        "globalThis.Symbol = undefined; globalThis.Object = undefined; globalThis.Array = undefined;",
        "Map.prototype.get = Map.prototype.set = () => { throw 1 };",
        "globalThis.Proxy = undefined; globalThis.Error = undefined; globalThis.TypeError = undefined;",
        "Error.prepareStackTrace = () => { throw 1 };",
        "delete globalThis.Math; delete globalThis.Date;",
    ] {
        let program = format!("{attack}\nreturn await mcp.t.echo({{ real: 1 }})");
        assert_eq!(value(&engine, &program).await, json!({ "real": 1 }), "{attack}");
    }
}

#[tokio::test]
async fn a_program_that_breaks_promises_ends_in_a_defined_way() {
    let engine = any();
    for attack in [
        "Promise.prototype.then = () => {}; return await mcp.t.echo({})",
        "Promise.prototype.then = () => { throw new Error('then') }; await mcp.t.echo({}); return 1",
        "Object.defineProperty(Promise.prototype, 'constructor', { get() { throw new Error('species') } }); return await mcp.t.echo({})",
        "Object.prototype.then = function (done) { done('mine') }; return await mcp.t.echo({})",
        "Object.prototype.toJSON = () => { throw new Error('toJSON') }; return {}",
        "Object.defineProperty(Object.prototype, 'message', { get() { throw 1 } }); throw {}",
        "throw new Proxy({}, { get() { throw 1 } })",
        "throw null",
        "return new Proxy({}, { ownKeys() { throw new Error('keys') } })",
    ] {
        let outcome = run(&engine, attack).await;
        let code = outcome.failure().map(|failure| failure.code.as_str());
        assert!(
            matches!(code, None | Some("THREW" | "STALLED" | "RESULT_NOT_JSON")),
            "{attack}: {code:?}"
        );
    }
    assert_eq!(value(&engine, "1 + 1").await, json!(2));
}

#[tokio::test]
async fn mcp_is_no_promise_and_no_value_to_serialise() {
    let engine = any();
    let probes = "const server = await mcp.server; const all = await mcp;
        return [typeof server, typeof all, mcp.then, mcp.server.then, mcp.toJSON, mcp.server.toJSON,
            mcp[Symbol.toPrimitive], mcp.server[Symbol.iterator], JSON.stringify({ mcp, server }), `${mcp.server}`,
            Object.keys(mcp).length, 'then' in mcp, mcp.server === server, mcp.server.tool === server.tool]";
    assert_eq!(
        value(&engine, probes).await,
        json!([
            "object",
            "object",
            null,
            null,
            null,
            null,
            null,
            null,
            "{\"mcp\":{},\"server\":{}}",
            "mcp.server",
            0,
            false,
            true,
            true
        ])
    );
}

#[tokio::test]
async fn overwriting_mcp_harms_only_the_program() {
    let engine = any();
    assert_eq!(
        value(&engine, "mcp = { t: { echo: () => 'mine' } }; return mcp.t.echo()").await,
        json!("mine")
    );
    assert_eq!(value(&engine, "mcp.t = 1; return mcp.t").await, json!(1));
    assert_eq!(value(&engine, "mcp.t.echo = () => 2; return mcp.t.echo()").await, json!(2));
    let proto = "Object.setPrototypeOf(mcp, null); return [mcp.t, typeof mcp.call]";
    assert_eq!(value(&engine, proto).await, json!([null, "function"]));
}

#[tokio::test]
async fn no_internals_are_in_reach() {
    let engine = any();
    let names = "return Object.getOwnPropertyNames(globalThis).filter((name) => !/^[A-Z]/.test(name)).sort()";
    assert_eq!(
        value(&engine, names).await,
        json!([
            "atob",
            "btoa",
            "clearInterval",
            "clearTimeout",
            "console",
            "crypto",
            "decodeURI",
            "decodeURIComponent",
            "encodeURI",
            "encodeURIComponent",
            "escape",
            "eval",
            "globalThis",
            "inputs",
            "isFinite",
            "isNaN",
            "mcp",
            "parseFloat",
            "parseInt",
            "performance",
            "queueMicrotask",
            "setInterval",
            "setTimeout",
            "structuredClone",
            "undefined",
            "unescape"
        ])
    );
    let absent = "return ['fetch', 'require', 'process', 'Deno', 'Bun', 'WebAssembly', 'WeakRef', 'FinalizationRegistry',
        'SharedArrayBuffer', 'Atomics', 'Intl', 'std', 'os', 'navigator', 'gc', 'print', 'module', 'Worker']
        .filter((name) => name in globalThis)";
    assert_eq!(value(&engine, absent).await, json!([]));
    // Functions of the prelude show neither their source nor, through a stack, each other.
    let shown = "Error.prepareStackTrace = (_, sites) => sites.map((site) => typeof site.getFunction?.());
        const seen = []; try { new URL('nonsense') } catch (error) { seen.push(...error.stack) }
        return [setTimeout.toString().includes('[native code]'), mcp.t.echo.toString().includes('[native code]'),
            seen.includes('function')]";
    assert_eq!(value(&engine, shown).await, json!([true, true, false]));
}

#[tokio::test]
async fn nothing_is_left_for_the_next_run() {
    let engine = engine(|config| config.runs(1));
    assert_eq!(
        value(&engine, "globalThis.left = 'x'; Array.prototype.evil = 1; return 1").await,
        json!(1)
    );
    assert_eq!(
        value(&engine, "return [typeof left, [].evil ?? 'clean']").await,
        json!(["undefined", "clean"])
    );
}

#[tokio::test]
async fn no_text_escapes_the_wrapper() {
    let engine = any();
    for attack in [
        "}); globalThis.out = 1; (async () => {",
        "}; export const x = 1; {",
        "} export default 2; {",
        "}\nexport default async()=>{ return 'escaped' \n",
        ")}; globalThis.out = 1; async()=>{(",
        "/*",
        "`${",
        "return 1 /*",
        "<!-- \n 1",
        "\u{2028}}; globalThis.out = 1; {",
    ] {
        let outcome = run(&engine, attack).await;
        assert_eq!(
            outcome.failure().map(|failure| failure.code.as_str()),
            Some("SYNTAX"),
            "{attack}"
        );
    }
}

#[tokio::test]
async fn a_nul_in_source_inputs_or_answers_stays_what_it_is() {
    let engine = any();
    assert_eq!(value(&engine, "'a\\0b'.length").await, json!(3));
    let outcome = engine
        .run(pml::Script::ts("inputs.text.length"))
        .inputs(json!({ "text": "a\0b" }))
        .await
        .expect("the sandbox works");
    assert_eq!(outcome.value(), Some(json!(3)));
    assert_eq!(value(&engine, "(await mcp.t.echo({ text: 'a\\0b' })).text.length").await, json!(3));
    let raw = run(&engine, "'a\0b'.length").await;
    let failure = raw.failure().expect("refused");
    assert_eq!(failure.code.as_str(), "SYNTAX");
    assert_eq!(failure.position.as_ref().map(|at| at.column), Some(3));
}

#[tokio::test]
async fn special_keys_in_answers_pollute_nothing() {
    let engine = any();
    let program = r#"const got = await mcp.t.echo(JSON.parse('{"__proto__": {"evil": 1}, "constructor": 2}'));
        return [{}.evil ?? "clean", Object.keys(got).join()]"#;
    assert_eq!(value(&engine, program).await, json!(["clean", "__proto__,constructor"]));
}
