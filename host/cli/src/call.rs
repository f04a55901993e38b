//! The command `pml call`: runs one call as a program of its own, under the same policy and journal
//! as any other program.

use super::execute::{JournalStorage, await_outcome, engine_with_policy, print_outcome, runtime};
use super::outcome_json::unfinished_document;
use super::report::{self, FAILED, HintedError};
use super::{project, ui};
use crate::lock_flags::LockFlags;
use crate::project_context::ProjectContext;
use crate::run_policy::RunPolicyFlags;
use crate::widening_permit::TrustOnceFlags;
use anyhow::{Context, Result};
use clap::Args;
use pml::json::{self, Value};
use pml::{
    Code, Ending, Error, Limits, Outcome, ToolName,
    text::{Redactor, format_bytes},
};
use std::fs::File;
use std::io::Read;
use std::mem::ManuallyDrop;
use std::process::ExitCode;

/// Call one tool
///
/// It is a program of one call: the policy decides, a person is asked on the terminal if need be,
/// and the call is journalled. Where nobody can be asked, it says how to go on and exits with 4;
/// `pml approve` makes the call then.
///
/// The result is printed as JSON. On a terminal, pictures and sounds are named by type and size.
///
/// Exit codes: 0 success, 1 the call failed, 2 wrong usage or settings, 3 broken pipe, 4 waiting for
/// approval, 128 + n ended by signal n (130 Ctrl-C, 143 SIGTERM), 255 pml is broken.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CallCommand {
    /// The tool, as `pml tools` lists it
    #[arg(value_name = "SERVER:TOOL")]
    tool: ToolName,
    /// Its arguments: a JSON object, @FILE with one in it, or - for stdin
    #[arg(value_name = "JSON|@FILE|-", default_value = "{}", allow_hyphen_values = true)]
    arguments: String,
    /// Print exactly one line of JSON on stdout: the result, or an object with `error`
    #[arg(long, help_heading = "Output")]
    json: bool,
    #[command(flatten)]
    policy: RunPolicyFlags,
    #[command(flatten)]
    once: TrustOnceFlags,
    #[command(flatten)]
    lock: LockFlags,
    /// Keep the journal in memory: nothing is written, and a call that waits is forgotten
    #[arg(long)]
    no_journal: bool,
}

const EXAMPLES: &str = "\
Examples:
  pml call files:read_file '{\"path\": \"README.md\"}'
  pml call web:search @query.json --json
  pml call files:read_file '{\"path\": \"a\"}' --allow 'files:read_*'";

impl CallCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let arguments = arguments(&self.arguments)?;
        let policy = self.policy.permitted()?;
        // The process ends after this. Dropping these values would only make the user wait.
        let storage =
            if self.no_journal { JournalStorage::InMemory } else { JournalStorage::OnDisk };
        let context = ManuallyDrop::new(ProjectContext::open_for_runs(
            self.once.files_trust()?,
            storage,
            self.lock.mode()?,
        )?);
        let journal = project::journal_for(storage, context.project.durability, &context.project)?;
        let runtime = ManuallyDrop::new(runtime()?);
        let engine = ManuallyDrop::new(engine_with_policy(&context, &policy, journal)?);
        runtime.block_on(async {
            let run = engine.call(&self.tool, arguments);
            policy.note(run.id(), storage, &context.project.root).await;
            let outcome = await_outcome(run, &context.servers, storage).await?;
            report_outcome(&outcome, storage, &context.servers.redactor())
        })
    }
}

/// Reports the outcome of a call.
fn report_outcome(
    outcome: &Outcome,
    storage: JournalStorage,
    redactor: &Redactor,
) -> Result<ExitCode> {
    let Ending::Failed(failure) = &outcome.ending else {
        return print_outcome(outcome, storage, redactor);
    };
    report::outcome_warnings(outcome);
    report::call_failed(failure);
    let document = unfinished_document(outcome, storage, redactor);
    ui::document(&document.unwrap_or_default())?;
    Ok(ExitCode::from(FAILED))
}

/// Reads the arguments: the text itself, a file (`@FILE`), or stdin (`-`).
fn arguments(given: &str) -> Result<Value> {
    let (text, from) = match given.strip_prefix('@') {
        Some(file) => {
            let opened =
                File::open(file).with_context(|| format!("cannot read the arguments: {file}"))?;
            (read(opened, file)?, format!(": {file}"))
        }
        None if given == "-" => (read(std::io::stdin(), "stdin")?, ": stdin".into()),
        None => (given.to_owned(), String::new()),
    };
    parse_object(&text, &from)
}

fn read(from: impl Read, name: &str) -> Result<String> {
    let mut text = String::new();
    let limit = Limits::INPUTS as u64;
    let read = from.take(limit + 1).read_to_string(&mut text);
    read.with_context(|| format!("cannot read the arguments: {name}"))?;
    if text.len() as u64 > limit {
        let limit = format_bytes(Limits::INPUTS);
        let message = format!("the arguments are larger than {limit}: {name}");
        return Err(Error::new(Code::ArgumentsSize, message).into());
    }
    Ok(text)
}

/// Parses a JSON object. Error messages quote none of the text, because it may hold keys.
fn parse_object(text: &str, from: &str) -> Result<Value> {
    const FORM: &str = "write an object in quotes, as in '{\"path\": \"README.md\"}'";
    let what = match json::from_str::<Value>(text) {
        Ok(Value::Object(fields)) => return Ok(Value::Object(fields)),
        Ok(Value::Null) => "null",
        Ok(Value::Bool(_)) => "a boolean",
        Ok(Value::Number(_)) => "a number",
        Ok(Value::String(_)) => "a text",
        Ok(Value::Array(_)) => "a list",
        Err(error) => {
            return Err(HintedError::usage(
                format!("the arguments are not JSON ({error}){from}"),
                FORM,
            )
            .into());
        }
    };
    Err(HintedError::usage(format!("the arguments are {what}, not an object{from}"), FORM).into())
}

#[cfg(test)]
mod tests {
    use super::parse_object;
    use pml::json::json;

    #[test]
    fn arguments_are_an_object_or_it_is_said_what_they_are() {
        assert_eq!(parse_object(" {\"a\": 1} ", "").unwrap(), json!({ "a": 1 }));
        let message = |text: &str| parse_object(text, ": a.json").unwrap_err().to_string();
        assert!(message("[1]").starts_with("the arguments are a list, not an object: a.json"));
        assert!(message("\"x\"").contains("a text"));
        let wrong = message("path=hunter2");
        assert!(wrong.contains("not JSON") && wrong.ends_with(": a.json"), "{wrong}");
        assert!(!wrong.contains("hunter2"), "{wrong}");
    }
}
