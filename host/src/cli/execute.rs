//! `pml run` and `pml eval`

use super::arguments::{Eval, Options, Run};
use super::{report, ui, watch};
use crate::json::{self, Value, json, value::RawValue};
use crate::{
    CallError, Code, Config, Ending, Engine, Event, Level, Limits, Line, Outcome, Script,
    tools_from_fn,
};
use anyhow::{Context, Result, bail};
use std::io::Read;
use std::mem::ManuallyDrop;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

impl Run {
    pub(super) fn run(self) -> Result<ExitCode> {
        if self.file.as_os_str() == "-" {
            if self.watch {
                bail!("stdin cannot be watched: give a file to `--watch`");
            }
            let script = Script::ts(read_stdin()?).named("stdin.ts");
            return once(script, &self.options);
        }
        let script = Script::file(&self.file);
        match self.watch {
            true => {
                let engine = engine(&self.options)?;
                let watch = watch::watch(&engine, &script, &self.file, &self.options);
                match runtime()?.block_on(watch)? {}
            }
            false => once(script, &self.options),
        }
    }
}

impl Eval {
    pub(super) fn run(self) -> Result<ExitCode> {
        once(Script::ts(self.code).named("eval.ts"), &self.options)
    }
}

fn once(script: Script, options: &Options) -> Result<ExitCode> {
    // The process ends after this; taking runtime and engine apart would only make the user wait.
    let (runtime, engine) = (ManuallyDrop::new(runtime()?), ManuallyDrop::new(engine(options)?));
    runtime.block_on(execute(&engine, &script, options))
}

/// Ends the process at the first Ctrl-C, whatever it is doing: running, parsing, or waiting for a reader of its output.
pub(super) fn end_on_interrupt() -> Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    let code = i32::from(report::INTERRUPTED);
    signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGINT, code, always)
        .context("cannot listen for Ctrl-C")?;
    Ok(())
}

/// One thread does: there is one program.
fn runtime() -> Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("cannot start the runtime")
}

/// Runs the script once and prints what it gives.
pub(super) async fn execute(
    engine: &Engine,
    script: &Script,
    options: &Options,
) -> Result<ExitCode> {
    let console =
        Arc::new(Console { json: options.json, failed: Mutex::new(None), gone: Notify::new() });
    let printer = console.clone();
    let mut run = engine
        .run(script.clone())
        .inputs(inputs(options)?)
        .tools(tools_from_fn(|call| async move {
            let message = format!("there is no tool `{}`: no server is configured", call.tool);
            Err(CallError::new(Code::ToolUnknown, message))
        }))
        .events(move |event: &Event| {
            if let Event::Console { line, .. } = event {
                printer.print(line);
            }
        });
    if let Some(seed) = options.seed {
        run = run.seed(seed);
    }
    let outcome = tokio::select! {
        outcome = run.into_future() => Some(outcome?),
        () = console.gone.notified() => None,
    };
    if let Some(error) = console.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error.into());
    }
    match outcome {
        Some(outcome) => conclude(&outcome, options),
        None => bail!("the console cannot be written"),
    }
}

fn engine(options: &Options) -> Result<Engine> {
    let mut config = Config::new();
    config.runs(1).allow_tool("*");
    if let Some(limit) = options.cpu_time {
        config.cpu_time(limit);
    }
    if let Some(limit) = options.timeout {
        config.timeout(limit);
    }
    if let Some(limit) = options.memory {
        config.memory_limit(limit);
    }
    Ok(Engine::new(&config)?)
}

/// Prints console lines as they come. When the reader is gone, the program ends.
struct Console {
    json: bool,
    failed: Mutex<Option<std::io::Error>>,
    gone: Notify,
}

impl Console {
    fn print(&self, line: &Line) {
        let printed = match line.level {
            Level::Warn | Level::Error => ui::err(&line.text),
            _ if self.json => ui::err(&line.text),
            _ => ui::out(&line.text),
        };
        if let Err(error) = printed {
            self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            self.gone.notify_one();
        }
    }
}

fn conclude(outcome: &Outcome, options: &Options) -> Result<ExitCode> {
    report::leftovers(outcome);
    match &outcome.ending {
        Ending::Finished(result) => {
            match result {
                Some(result) => ui::out(&show(result, options)?)?,
                None if options.json => ui::out("null")?,
                None => {}
            }
            Ok(ExitCode::SUCCESS)
        }
        Ending::Failed(failure) => {
            report::failure(failure);
            if options.json {
                ui::out(&json!({ "error": failure }).to_string())?;
            }
            Ok(ExitCode::from(report::FAILED))
        }
        Ending::Waiting(questions) => {
            report::waiting(questions);
            if options.json {
                ui::out(&json!({ "waiting": questions }).to_string())?;
            }
            Ok(ExitCode::from(report::WAITING))
        }
        Ending::Aborted(aborted) => {
            report::aborted(aborted);
            if options.json {
                ui::out(&json!({ "aborted": aborted }).to_string())?;
            }
            Ok(ExitCode::from(report::FAILED))
        }
        Ending::Expired(question) => {
            report::expired(outcome.run_id);
            if options.json {
                ui::out(&json!({ "expired": question }).to_string())?;
            }
            Ok(ExitCode::from(report::FAILED))
        }
    }
}

fn show(result: &RawValue, options: &Options) -> Result<String> {
    if options.json || !ui::stdout_is_terminal() {
        return Ok(result.get().into());
    }
    // A result may nest deeper than we can read it; then it is shown as it came.
    match json::from_str::<Value>(result.get()) {
        Ok(value) => Ok(json::to_string_pretty(&value)?),
        Err(_) => Ok(result.get().into()),
    }
}

fn inputs(options: &Options) -> Result<Value> {
    let Some(given) = &options.inputs else { return Ok(json!({})) };
    let Some(file) = given.strip_prefix('@') else {
        return json::from_str(given).map_err(|error| {
            report::Usage(format!("`--inputs` is not JSON, nor @FILE: {error}")).into()
        });
    };
    let size =
        std::fs::metadata(file).with_context(|| format!("cannot read the inputs: {file}"))?.len();
    if size > Limits::INPUTS as u64 {
        bail!("the inputs are {size} bytes, the limit is {}: {file}", Limits::INPUTS);
    }
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read the inputs: {file}"))?;
    json::from_str(&text).with_context(|| format!("the inputs are not JSON: {file}"))
}

fn read_stdin() -> Result<String> {
    let mut text = Vec::new();
    // One byte over the limit is enough for the loader to refuse it by size.
    let limit = Limits::SOURCE as u64 + 1;
    let stdin = std::io::stdin().take(limit).read_to_end(&mut text);
    stdin.context("cannot read the program from stdin")?;
    match text.len() as u64 == limit {
        // Too large in any case; where the last character was cut does not matter.
        true => Ok(String::from_utf8_lossy(&text).into_owned()),
        false => String::from_utf8(text).context("the program on stdin is not UTF-8"),
    }
}
