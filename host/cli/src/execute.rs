//! The commands `pml run` and `pml eval`, and the functions that every command uses to execute a
//! run and to print its outcome.

use super::arguments::{EvalCommand, RunCommand, RunOptions};
use super::console::ConsolePrinter;
use super::media::name_media;
use super::prompt::{TerminalPrompt, print_open_questions};
use super::report::UsageError;
use super::{identify, project, report, runs, ui, watch};
use crate::project_context::ProjectContext;
use anyhow::{Context, Result, bail};
use pml::json::{self, Value, json, value::RawValue};
use pml::{
    Clock, Ending, Engine, Environment, Event, Journal, Limits, Outcome, Script, Servers,
    SystemClock,
    project::agent_variable,
    text::{Redactor, parsed_size},
};
use signal_hook::consts::SIGINT;
use std::io::Read;
use std::mem::ManuallyDrop;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Where the journal of a run is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
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
                bail!("stdin cannot be watched: give a file to `--watch`");
            }
            let script = Script::ts(read_stdin()?).named("stdin.ts");
            return run_script(script, self.resume.as_deref(), options);
        }
        let script = Script::file(file);
        match self.watch {
            true => {
                let runtime = runtime()?;
                let context = project_context(options)?;
                let engine = engine(options, &context, journal(options, &context)?)?;
                let watch = watch::watch(&engine, &context.servers, &script, file, options);
                match runtime.block_on(watch)? {}
            }
            false => run_script(script, self.resume.as_deref(), options),
        }
    }
}

impl EvalCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        run_script(Script::ts(self.code).named("eval.ts"), None, &self.options)
    }
}

/// Runs a script. If `earlier` names a run, its completed calls are not repeated.
fn run_script(script: Script, earlier: Option<&str>, options: &RunOptions) -> Result<ExitCode> {
    let context = ManuallyDrop::new(project_context(options)?);
    let journal = journal(options, &context)?;
    // The process ends after this. Dropping runtime and engine would only make the user wait.
    let runtime = ManuallyDrop::new(runtime()?);
    let engine = ManuallyDrop::new(engine(options, &context, journal.clone())?);
    runtime.block_on(async {
        let run = new_run(&engine, &script, options)?;
        let run = match earlier {
            Some(typed) => {
                run.resume_from(identify::find_run(&*journal, typed, SystemClock.now()).await?.run)
            }
            None => run,
        };
        run_and_print(run, &context.servers, options.json, options.storage()).await
    })
}

/// Resumes a run from the journal.
fn resume_run(typed: &str, options: &RunOptions) -> Result<ExitCode> {
    let context = ManuallyDrop::new(project_context(options)?);
    let journal = journal(options, &context)?;
    let runtime = ManuallyDrop::new(runtime()?);
    let engine = ManuallyDrop::new(engine(options, &context, journal.clone())?);
    runtime.block_on(async {
        let run = identify::find_run(&*journal, typed, SystemClock.now()).await?.run;
        run_and_print(engine.resume(run), &context.servers, options.json, JournalStorage::OnDisk)
            .await
    })
}

/// Ends the process at the first Ctrl-C, in whatever state it is: running, parsing, or blocked on
/// its output. If a question is open, it first prints how to answer it later; a second Ctrl-C ends
/// the process without waiting for that.
pub(super) fn end_on_interrupt() -> Result<()> {
    let code = i32::from(report::INTERRUPTED);
    let pressed = Arc::new(AtomicBool::new(!cfg!(unix)));
    signal_hook::flag::register_conditional_shutdown(SIGINT, code, pressed.clone())
        .and_then(|_| signal_hook::flag::register(SIGINT, pressed))
        .context("cannot listen for Ctrl-C")?;
    #[cfg(unix)]
    {
        let (mut press, end) =
            std::os::unix::net::UnixStream::pair().context("cannot listen for Ctrl-C")?;
        signal_hook::low_level::pipe::register(SIGINT, end).context("cannot listen for Ctrl-C")?;
        let wait = move || {
            if press.read_exact(&mut [0]).is_ok() {
                print_open_questions();
                signal_hook::low_level::exit(code);
            }
        };
        let thread = std::thread::Builder::new().name("pml interrupt".into());
        thread.spawn(wait).context("cannot listen for Ctrl-C")?;
    }
    Ok(())
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
    json: bool,
    storage: JournalStorage,
) -> Result<ExitCode> {
    let outcome = await_outcome(run, servers, json, storage).await?;
    print_outcome(&outcome, json, storage, &servers.redactor())
}

/// Executes a run to its outcome. Prints its console meanwhile, and asks its questions on the
/// terminal.
pub(super) async fn await_outcome(
    run: pml::Run,
    servers: &Servers,
    json: bool,
    storage: JournalStorage,
) -> Result<Outcome> {
    let console = Arc::new(ConsolePrinter::new(json));
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
    ProjectContext::open_with_storage(options.once.files_trust()?, options.storage())
}

/// Opens the journal that the options select.
fn journal(options: &RunOptions, context: &ProjectContext) -> Result<Arc<dyn Journal>> {
    let durability = options.durability.unwrap_or(context.project.durability);
    project::journal_for(options.storage(), durability, &context.project)
}

/// Returns an engine with the limits that the options set.
fn engine(
    options: &RunOptions,
    context: &ProjectContext,
    journal: Arc<dyn Journal>,
) -> Result<Engine> {
    let mut config = context.config();
    config.runs(1);
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
    let mut config = context.config();
    config.runs(1);
    Ok(Engine::with_journal(&config, journal)?)
}

/// Prints the outcome of a run: its result, or why there is none. Returns the exit code.
pub(super) fn print_outcome(
    outcome: &Outcome,
    json: bool,
    storage: JournalStorage,
    redactor: &Redactor,
) -> Result<ExitCode> {
    report::outcome_warnings(outcome);
    match &outcome.ending {
        Ending::Finished(result) => {
            match result {
                Some(result) => ui::out(&format_result(result, json)?)?,
                None if json => ui::out("null")?,
                None => {}
            }
            Ok(ExitCode::SUCCESS)
        }
        Ending::Failed(failure) => {
            report::failure(failure);
            if json {
                ui::out(&json!({ "error": failure }).to_string())?;
            }
            Ok(ExitCode::from(report::FAILED))
        }
        Ending::Waiting(questions) => {
            report::waiting(questions, storage, redactor);
            if json {
                let questions: Value =
                    questions.iter().map(|asked| runs::question_json(asked, redactor)).collect();
                ui::out(&json!({ "waiting": questions }).to_string())?;
            }
            Ok(ExitCode::from(report::WAITING))
        }
        Ending::Aborted(aborted) => {
            report::aborted(aborted, outcome.run_id);
            if json {
                ui::out(&json!({ "aborted": aborted }).to_string())?;
            }
            Ok(ExitCode::from(report::FAILED))
        }
        Ending::Expired(question) => {
            report::expired(outcome.run_id);
            if json {
                ui::out(&json!({ "expired": question }).to_string())?;
            }
            Ok(ExitCode::from(report::FAILED))
        }
    }
}

/// Largest size in memory of a result that is pretty-printed.
const PRETTY_PRINT_LIMIT: usize = 64 << 20;

fn format_result(result: &RawValue, json: bool) -> Result<String> {
    // A result that would take too much memory to pretty-print is shown as it came.
    if json || !ui::stdout_is_terminal() || parsed_size(result.get()) > PRETTY_PRINT_LIMIT {
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
            UsageError(format!("`--inputs` is not JSON, nor @FILE: {error}")).into()
        });
    };
    let size =
        std::fs::metadata(file).with_context(|| format!("cannot read the inputs: {file}"))?.len();
    if size > Limits::INPUTS as u64 {
        bail!("the inputs are {size} bytes, the limit is {}: {file}", Limits::INPUTS);
    }
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read the inputs: {file}"))?;
    json::from_str(&text).map(Some).with_context(|| format!("the inputs are not JSON: {file}"))
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
