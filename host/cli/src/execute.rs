//! The commands `pml run` and `pml eval`, and the functions that every command uses to execute a
//! run and to print its outcome.

use super::arguments::{EvalCommand, RunCommand, RunOptions};
use super::console::ConsolePrinter;
use super::media::name_media;
use super::outcome_json::unfinished_document;
use super::output::{self, OutputFormat};
use super::prompt::TerminalPrompt;
use super::report::{HintedError, UsageError};
use super::{identify, project, report, ui, watch};
use crate::project_context::ProjectContext;
use crate::run_policy::RunPolicy;
use anyhow::{Context, Result};
use pml::json::{self, Value, value::RawValue};
use pml::{
    Clock, Code, Ending, Engine, Environment, Error, Event, Journal, Limits, Outcome, Script,
    Servers, SystemClock,
    project::agent_variable,
    text::{Redactor, format_bytes, parsed_size},
};
use std::io::Read;
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Where the journal of a run is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JournalStorage {
    /// In the user's state folder: other processes can resume the run.
    OnDisk,
    /// In memory: the run is lost when this process ends.
    InMemory,
}

impl RunOptions {
    pub(super) fn storage(&self) -> JournalStorage {
        if self.no_journal { JournalStorage::InMemory } else { JournalStorage::OnDisk }
    }

    /// Returns the first given flag that can only be set when a run starts, not when it is resumed.
    fn first_new_run_flag(&self) -> Option<&'static str> {
        let flags = [
            ("--inputs", self.inputs.is_some()),
            ("--seed", self.seed.is_some()),
            ("--workspace", self.workspace.is_some()),
            ("--cpu-time", self.cpu_time.is_some()),
            ("--timeout", self.timeout.is_some()),
            ("--memory", self.memory.is_some()),
            ("--journal-size", self.journal_size.is_some()),
        ];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }
}

impl RunCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let options = &self.options;
        let Some(file) = &self.file else {
            if let Some(flag) = options.first_new_run_flag() {
                let message = format!(
                    "a run that goes on has its inputs, its seed and its limits: give `{flag}` only with a FILE"
                );
                return Err(UsageError(message).into());
            }
            return resume_run(self.resume.as_deref().unwrap_or_default(), options);
        };
        if file.as_os_str() == "-" {
            if self.watch {
                let message = "stdin cannot be watched: give a file to `--watch`";
                return Err(UsageError(message.into()).into());
            }
            let script = Script::ts(read_stdin()?).named("stdin.ts");
            let script = script.in_workspace(workspace_of_text(options)?);
            return run_script(script, self.resume.as_deref(), options);
        }
        let script = match workspace(options)? {
            Some(folder) => Script::file(file).in_workspace(folder),
            None => Script::file(file),
        };
        match self.watch {
            true => {
                let runtime = runtime()?;
                let policy = options.policy.permitted()?;
                let context = project_context(options)?;
                let engine = engine(options, &policy, &context, journal(options, &context)?)?;
                let watch = watch::watch(&engine, &context, &policy, &script, file, options);
                match runtime.block_on(watch)? {}
            }
            false => run_script(script, self.resume.as_deref(), options),
        }
    }
}

impl EvalCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let script = Script::ts(self.code).named("eval.ts");
        run_script(script.in_workspace(workspace_of_text(&self.options)?), None, &self.options)
    }
}

/// Returns the folder that `--workspace` names.
fn workspace(options: &RunOptions) -> Result<Option<PathBuf>> {
    match &options.workspace {
        Some(folder) if !folder.is_dir() => {
            let folder = folder.display();
            Err(UsageError(format!("`--workspace {folder}`: there is no such folder")).into())
        }
        folder => Ok(folder.clone()),
    }
}

/// Returns the folder that a program without a file imports from.
fn workspace_of_text(options: &RunOptions) -> Result<PathBuf> {
    workspace(options)?.map_or_else(project::current_folder, Ok)
}

/// Runs a script. If `earlier` names a run, its completed calls are not repeated.
fn run_script(script: Script, earlier: Option<&str>, options: &RunOptions) -> Result<ExitCode> {
    let policy = options.policy.permitted()?;
    let context = ManuallyDrop::new(project_context(options)?);
    let journal = journal(options, &context)?;
    // The process ends after this. Dropping runtime and engine would only make the user wait.
    let runtime = ManuallyDrop::new(runtime()?);
    let engine = ManuallyDrop::new(engine(options, &policy, &context, journal.clone())?);
    runtime.block_on(async {
        let run = new_run(&engine, &script, options)?;
        let run = match earlier {
            Some(typed) => {
                run.resume_from(identify::find_run(&*journal, typed, SystemClock.now()).await?.run)
            }
            None => run,
        };
        policy.note(run.id(), options.storage(), &context.project.root).await;
        run_and_print(run, &context.servers, options.storage()).await
    })
}

/// Resumes a run from the journal.
fn resume_run(typed: &str, options: &RunOptions) -> Result<ExitCode> {
    let policy = options.policy.permitted()?;
    let context = ManuallyDrop::new(project_context(options)?);
    let journal = journal(options, &context)?;
    let runtime = ManuallyDrop::new(runtime()?);
    let engine = ManuallyDrop::new(engine(options, &policy, &context, journal.clone())?);
    runtime.block_on(async {
        let run = identify::find_run(&*journal, typed, SystemClock.now()).await?.run;
        policy.note(run, JournalStorage::OnDisk, &context.project.root).await;
        run_and_print(engine.resume(run), &context.servers, JournalStorage::OnDisk).await
    })
}

/// Returns a runtime with one thread, which suffices for one program.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("cannot start the runtime")
}

/// Returns a new run of the script, with the inputs and the seed that the options give.
pub(super) fn new_run(engine: &Engine, script: &Script, options: &RunOptions) -> Result<pml::Run> {
    let mut run = engine.run(script.clone());
    if let Some(inputs) = inputs(options)? {
        run = run.inputs(inputs);
    }
    if let Some(seed) = options.seed {
        run = run.seed(seed);
    }
    Ok(run)
}

/// Executes a run to its outcome and prints the outcome.
pub(super) async fn run_and_print(
    run: pml::Run,
    servers: &Servers,
    storage: JournalStorage,
) -> Result<ExitCode> {
    let outcome = await_outcome(run, servers, storage).await?;
    print_outcome(&outcome, storage, &servers.redactor())
}

/// Executes a run to its outcome. Prints its console meanwhile, and asks its questions on the
/// terminal.
pub(super) async fn await_outcome(
    run: pml::Run,
    servers: &Servers,
    storage: JournalStorage,
) -> Result<Outcome> {
    let console = Arc::new(ConsolePrinter::new(storage));
    let printer = console.clone();
    let run = run.tools(servers.clone()).events(move |event: &Event| printer.on_event(event));
    // A question is asked here only if a person can see it, and never where an agent runs the
    // command: the agent that wrote the calls must not approve them.
    let cannot_ask =
        !ui::stderr_is_terminal() || agent_variable(&Environment::of_process()).is_some();
    let redactor_source = servers.clone();
    let redactor = move || redactor_source.redactor();
    let prompt = if cannot_ask { None } else { TerminalPrompt::open(storage, redactor) };
    let run = match prompt {
        Some(prompt) => run.approver(prompt),
        None => run,
    };
    let outcome = tokio::select! {
        outcome = run.into_future() => Some(outcome),
        () = console.reader_gone() => None,
        never = console.animate() => match never {},
    };
    servers.save_observations();
    console.close()?;
    Ok(outcome.context("the console cannot be written")??)
}

/// Opens the project with the trust and the storage that the options give.
fn project_context(options: &RunOptions) -> Result<ProjectContext> {
    ProjectContext::open_for_runs(
        options.once.files_trust()?,
        options.storage(),
        options.lock.mode()?,
    )
}

/// Opens the journal that the options select.
fn journal(options: &RunOptions, context: &ProjectContext) -> Result<Arc<dyn Journal>> {
    let durability = options.durability.unwrap_or(context.project.durability);
    project::journal_for(options.storage(), durability, &context.project)
}

/// Returns an engine with the limits that the options set.
fn engine(
    options: &RunOptions,
    policy: &RunPolicy,
    context: &ProjectContext,
    journal: Arc<dyn Journal>,
) -> Result<Engine> {
    let mut config = context.config();
    config.runs(1);
    policy.apply(&mut config);
    if let Some(lifetime) = &options.approval_timeout {
        config.question_lifetime(lifetime.0);
    }
    if let Some(limit) = options.cpu_time {
        config.cpu_time(limit);
    }
    if let Some(limit) = options.timeout {
        config.timeout(limit);
    }
    if let Some(limit) = options.memory {
        config.memory_limit(limit);
    }
    if let Some(limit) = options.journal_size {
        config.journal_limit(limit);
    }
    Ok(Engine::with_journal(&config, journal)?)
}

/// Returns an engine with the project's own settings, for runs whose limits no flag sets.
pub(super) fn project_engine(
    context: &ProjectContext,
    journal: Arc<dyn Journal>,
) -> Result<Engine> {
    engine_with_policy(context, &RunPolicy::default(), journal)
}

/// Returns an engine with the project's own settings, and the policy of its one run.
pub(super) fn engine_with_policy(
    context: &ProjectContext,
    policy: &RunPolicy,
    journal: Arc<dyn Journal>,
) -> Result<Engine> {
    let mut config = context.config();
    config.runs(1);
    policy.apply(&mut config);
    Ok(Engine::with_journal(&config, journal)?)
}

/// Prints the outcome of a run: its result, or why there is none. Returns the exit code.
pub(super) fn print_outcome(
    outcome: &Outcome,
    storage: JournalStorage,
    redactor: &Redactor,
) -> Result<ExitCode> {
    report::outcome_warnings(outcome);
    let code = match &outcome.ending {
        Ending::Finished(result) => {
            print_result(result.as_deref())?;
            return Ok(ExitCode::SUCCESS);
        }
        Ending::Failed(failure) => {
            report::failure(failure);
            report::FAILED
        }
        Ending::Waiting(questions) => {
            report::waiting(questions, storage, redactor);
            report::WAITING
        }
        Ending::Aborted(aborted) => {
            report::aborted(aborted, outcome.run_id);
            report::FAILED
        }
        Ending::Expired(_) => {
            report::expired(outcome.run_id);
            report::FAILED
        }
    };
    if let Some(document) = unfinished_document(outcome, storage, redactor) {
        ui::document(&document)?;
    }
    Ok(ExitCode::from(code))
}

fn print_result(result: Option<&RawValue>) -> Result<()> {
    match (result, output::format()) {
        (Some(result), OutputFormat::Text) => ui::out(&format_result(result)?)?,
        (None, OutputFormat::Text) => {}
        (result, OutputFormat::Json) => ui::raw_document(result.map_or("null", RawValue::get))?,
    }
    Ok(())
}

/// Largest size in memory of a result that is pretty-printed.
const PRETTY_PRINT_LIMIT: usize = 64 << 20;

fn format_result(result: &RawValue) -> Result<String> {
    // A result that would take too much memory to pretty-print is shown as it came.
    if !ui::stdout_is_terminal() || parsed_size(result.get()) > PRETTY_PRINT_LIMIT {
        return Ok(result.get().into());
    }
    // A result may be nested too deeply to be parsed; then it is shown as it came.
    match json::from_str::<Value>(result.get()) {
        Ok(mut value) => {
            name_media(&mut value);
            Ok(json::to_string_pretty(&value)?)
        }
        Err(_) => Ok(result.get().into()),
    }
}

fn inputs(options: &RunOptions) -> Result<Option<Value>> {
    let Some(given) = &options.inputs else { return Ok(None) };
    let Some(file) = given.strip_prefix('@') else {
        return json::from_str(given).map(Some).map_err(|error| {
            let hint = match error.to_string().starts_with("key must be a string") {
                true => "names need double quotes: '{\"n\": 1}'",
                false => "write JSON in quotes, as in '{\"n\": 1}', or @FILE",
            };
            HintedError::usage(format!("`--inputs` is not JSON, nor @FILE: {error}"), hint).into()
        });
    };
    let size = std::fs::metadata(file).with_context(|| inputs_missing(file))?.len();
    if size > Limits::INPUTS as u64 {
        let (size, limit) = (format_bytes(size as usize), format_bytes(Limits::INPUTS));
        let message = format!("the inputs are {size}, the limit is {limit}: {file}");
        return Err(Error::new(Code::InputSize, message).into());
    }
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read the inputs: {file}"))?;
    json::from_str(&text).map(Some).with_context(|| format!("the inputs are not JSON: {file}"))
}

/// Says why a file with inputs cannot be read.
fn inputs_missing(file: &str) -> String {
    match std::fs::exists(file) {
        Ok(false) => format!("there is no such file: {file}"),
        _ => format!("cannot read the inputs: {file}"),
    }
}

/// Reads a program from stdin.
pub(super) fn read_stdin() -> Result<String> {
    let mut text = Vec::new();
    // One byte above the limit is enough for the loader to refuse the program by its size.
    let limit = Limits::SOURCE as u64 + 1;
    let stdin = std::io::stdin().take(limit).read_to_end(&mut text);
    stdin.context("cannot read the program from stdin")?;
    match text.len() as u64 == limit {
        // The program is too large in any case, so a character that was cut in half does not
        // matter.
        true => Ok(String::from_utf8_lossy(&text).into_owned()),
        false => String::from_utf8(text).context("the program on stdin is not UTF-8"),
    }
}
