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
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

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
            true => runtime()?.block_on(watch::watch(&script, &self.file, &self.options)),
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
    runtime()?.block_on(async {
        tokio::select! {
            code = execute(&script, options) => code,
            interrupted = tokio::signal::ctrl_c() => {
                interrupted.context("cannot listen for Ctrl-C")?;
                Ok(ExitCode::from(report::INTERRUPTED))
            }
        }
    })
}

/// One thread does: a busy program gives way every time slice, so that Ctrl-C is heard.
fn runtime() -> Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("cannot start the runtime")
}

/// Runs the script once and prints what it gives.
pub(super) async fn execute(script: &Script, options: &Options) -> Result<ExitCode> {
    let console = Arc::new(Console { json: options.json, failed: Mutex::new(None) });
    let printer = console.clone();
    let mut run = engine(options)?
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
    let outcome = run.await?;
    if let Some(error) = console.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error.into());
    }
    conclude(&outcome, options)
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

/// Prints console lines as they come. A program whose reader is gone is not told, but the command ends with it.
struct Console {
    json: bool,
    failed: Mutex<Option<std::io::Error>>,
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
    }
}

fn show(result: &RawValue, options: &Options) -> Result<String> {
    if options.json || !ui::stdout_is_terminal() {
        return Ok(result.get().into());
    }
    let value: Value = json::from_str(result.get()).context("the result is not JSON")?;
    Ok(json::to_string_pretty(&value)?)
}

fn inputs(options: &Options) -> Result<Value> {
    let Some(given) = &options.inputs else { return Ok(Value::Null) };
    let Some(file) = given.strip_prefix('@') else {
        return json::from_str(given).context("`--inputs` is not JSON: give a JSON text, or @FILE");
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
    let mut text = String::new();
    // One byte over the limit is enough for the loader to refuse it by size.
    let limit = Limits::SOURCE as u64 + 1;
    std::io::stdin()
        .take(limit)
        .read_to_string(&mut text)
        .context("cannot read the program from stdin")?;
    Ok(text)
}
