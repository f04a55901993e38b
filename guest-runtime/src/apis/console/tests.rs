//! Compares `console` with the lines that node v20 writes (`cases.json`), and runs `console.test.js`.

use crate::apis::primordials::tests::{run, with_context};
use rquickjs::{Ctx, Function, Object};
use std::{cell::RefCell, rc::Rc};

type Lines = Rc<RefCell<Vec<(u32, String)>>>;

fn install<'js>(ctx: &Ctx<'js>, primordials: &Object<'js>) -> rquickjs::Result<Lines> {
    let lines = Lines::default();
    let sink = lines.clone();
    let print = move |level: u32, text: String| sink.borrow_mut().push((level, text));
    let now = Function::new(ctx.clone(), || 1500.0)?;
    super::register(ctx, primordials, print, now.clone())?;
    crate::apis::url::register(ctx, primordials)?;
    let ignore = Function::new(ctx.clone(), || {})?;
    crate::apis::abort::register(ctx, primordials, ignore.clone(), now, ignore)?;
    crate::apis::encoding::register(ctx, primordials)?;
    Ok(lines)
}

#[test]
fn lines_read_as_in_node() {
    let cases: Vec<serde_json::Value> = serde_json::from_str(include_str!("cases.json")).unwrap();
    let mut differences = Vec::new();
    for case in &cases {
        with_context(|ctx, primordials| {
            let lines = install(ctx, primordials)?;
            let mut options = rquickjs::context::EvalOptions::default();
            options.strict = false;
            let code = case["code"].as_str().unwrap();
            ctx.eval_with_options::<(), _>(format!("{code};undefined"), options)?;
            while ctx.execute_pending_job() {}
            let text =
                lines.borrow().iter().map(|line| line.1.clone()).collect::<Vec<_>>().join("\n");
            let expected = case["expected"].as_str().unwrap();
            let shown = match case["first_line_only"].as_bool() {
                Some(true) => text.lines().next().unwrap_or_default().to_owned(),
                _ => text,
            };
            if shown != expected {
                differences.push(format!("--- {code}\nnode: {expected}\nours: {shown}"));
            }
            Ok(())
        });
    }
    assert!(
        differences.is_empty(),
        "{} of {} differ\n{}",
        differences.len(),
        cases.len(),
        differences.join("\n")
    );
}

/// Compares with node what a generator made: see `generate.mjs`. All are equal; what the generator leaves out, because it is
/// meant to differ, is this:
///
/// | left out | why |
/// | --- | --- |
/// | frames in an error's stack | they name files and functions of the engine that runs; here they are QuickJS's, without those of the prelude |
/// | a `toString`, `valueOf` or `Symbol.toStringTag` that throws | node's `console.log` throws it; a line of log must not end a program, so ours shows the value without |
/// | `Symbol.for("nodejs.util.inspect.custom")` | it is node's own, and is not called here |
/// | labels of `count` and `time` that are objects | node calls their `toString`; a label is a text |
/// | more than 64 KiB in one call | cut here: the console of a run is bounded |
/// | what only one of the two has | `process`, `Buffer`, `Intl` there; `Float16Array`, iterator helpers here |
#[test]
fn generated_values_read_as_in_node() {
    let cases: Vec<serde_json::Value> =
        serde_json::from_str(include_str!("generated.json")).unwrap();
    assert!(cases.len() > 300);
    let mut differences = Vec::new();
    with_context(|ctx, primordials| {
        let lines = install(ctx, primordials)?;
        for case in &cases {
            let code = case["code"].as_str().unwrap();
            let mut options = rquickjs::context::EvalOptions::default();
            options.strict = false;
            ctx.eval_with_options::<(), _>(format!("{code};undefined"), options)?;
            while ctx.execute_pending_job() {}
            let text =
                lines.borrow_mut().drain(..).map(|line| line.1).collect::<Vec<_>>().join("\n");
            let expected = case["expected"].as_str().unwrap();
            if text != expected {
                differences.push(format!("--- {code}\nnode: {expected}\nours: {text}"));
            }
        }
        Ok(())
    });
    assert!(
        differences.is_empty(),
        "{} of {} differ\n{}",
        differences.len(),
        cases.len(),
        differences.join("\n")
    );
}

#[test]
fn hostile_values_give_text_and_run_nothing() {
    with_context(|ctx, primordials| {
        let lines = install(ctx, primordials)?;
        let read = Function::new(ctx.clone(), move || -> Vec<String> {
            lines.borrow_mut().drain(..).map(|(level, text)| format!("{level} {text}")).collect()
        })?;
        ctx.globals().set("written", read)?;
        run(ctx, "console.test.js", include_str!("console.test.js"))
    });
}
