//! Wrong arguments, as clap finds them, in the words and the formats of pml.

use super::command_error::{HintedError, UsageError};
use super::{report, ui};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use pml::text::{in_one_line, nearest};
use std::error::Error as _;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// The ends of files that `pml run` runs.
const PROGRAM_ENDS: [&str; 6] = ["ts", "mts", "cts", "js", "mjs", "cjs"];

/// Reports arguments that clap refuses. Help and version, which were asked for, are printed to
/// stdout.
pub(super) fn report_usage(error: &Error, root: &Command, typed: &[OsString]) -> ExitCode {
    let rendered = error.render().ansi().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            match ui::print_help(rendered.trim_end()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => report::error(&error.into()),
            }
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let missing = HintedError::usage("a command is missing", "`pml help` lists them");
            ui::alert(rendered.trim_end());
            report::error_document(&missing.into())
        }
        _ => report::error(&translate(error, root, typed)),
    }
}

/// Returns the error with its message and its hint.
fn translate(error: &Error, root: &Command, typed: &[OsString]) -> anyhow::Error {
    let message = message(error, &|flag| as_typed(flag, root, typed));
    match hint(error, root, typed) {
        Some(hint) => HintedError::usage(message, hint).into(),
        None => UsageError(message).into(),
    }
}

fn message(error: &Error, as_typed: &dyn Fn(&str) -> String) -> String {
    let flag = as_typed(&first_word(&text(error, ContextKind::InvalidArg)));
    let value = text(error, ContextKind::InvalidValue);
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            format!("there is no command `{}`", text(error, ContextKind::InvalidSubcommand))
        }
        ErrorKind::UnknownArgument if flag.starts_with('-') => format!("there is no flag `{flag}`"),
        ErrorKind::UnknownArgument => format!("`{flag}` is one argument too many"),
        ErrorKind::InvalidValue if value.is_empty() => format!("`{flag}` needs a value"),
        ErrorKind::InvalidValue => {
            let valid = words(error, ContextKind::ValidValue);
            format!("`{}`: it must be {}", with_value(&flag, &value), any_of(&valid))
        }
        ErrorKind::ValueValidation => {
            let reason = error.source().map(ToString::to_string).unwrap_or_default();
            let given = format!("`{}`", with_value(&flag, &value));
            match reason.starts_with("is ") {
                _ if wanted(&reason).is_some() => {
                    format!("{given} is not {}", wanted(&reason).unwrap_or_default())
                }
                // A reason that begins with a verb goes on with the sentence.
                true => format!("{given} {reason}"),
                false if reason.starts_with(&given) => reason,
                false => format!("{given}: {reason}"),
            }
        }
        ErrorKind::ArgumentConflict if text(error, ContextKind::PriorArg).is_empty() => {
            format!("`{flag}` cannot be given here")
        }
        ErrorKind::ArgumentConflict if is_url_with_command(error) => {
            "a server has a URL or a command: give `--url URL` or `-- COMMAND`".into()
        }
        ErrorKind::ArgumentConflict => {
            let others = words(error, ContextKind::PriorArg);
            let others: Vec<_> = others.iter().map(|other| as_typed(&first_word(other))).collect();
            match others.as_slice() {
                [same] if *same == flag => format!("`{flag}` is given more than once"),
                others => format!("`{flag}` cannot be given with `{}`", others.join("`, `")),
            }
        }
        ErrorKind::TooManyValues => format!("`{}` takes no value", without_value(&flag)),
        ErrorKind::MissingRequiredArgument => {
            let missing = words(error, ContextKind::InvalidArg);
            let missing: Vec<_> = missing.iter().map(|name| bare(name)).collect();
            format!("`{}` needs `{}`", command_of(error), missing.join("` and `"))
        }
        ErrorKind::MissingSubcommand => format!("`{}` needs a command", command_of(error)),
        // What is left is rare, and clap's own line says it.
        _ => {
            let rendered = error.render().to_string();
            let first = rendered.lines().next().unwrap_or_default();
            first.trim_start_matches("error: ").to_owned()
        }
    }
}

fn hint(error: &Error, root: &Command, typed: &[OsString]) -> Option<String> {
    let is_add = command_of(error) == "pml add";
    match error.kind() {
        ErrorKind::UnknownArgument
            if is_add && !text(error, ContextKind::InvalidArg).starts_with('-') =>
        {
            Some("write `--` before the command".into())
        }
        ErrorKind::MissingRequiredArgument if is_add => {
            let words = typed.iter().skip(2).map(|word| word.to_string_lossy());
            let name = words.into_iter().find(|word| !word.starts_with('-'));
            let name = name.map_or("NAME".into(), |name| in_one_line(&name));
            Some(format!("write `pml add {name} -- COMMAND` or `pml add {name} --url URL`"))
        }
        ErrorKind::InvalidSubcommand => {
            let typed = text(error, ContextKind::InvalidSubcommand);
            let parent = command_of(error);
            Some(command_hint(&typed, &parent, root))
        }
        ErrorKind::UnknownArgument => {
            let near = words(error, ContextKind::SuggestedArg);
            Some(match near.first() {
                Some(near) => format!("did you mean `{}`?", first_word(near)),
                None => format!("`{}` lists what it takes", help_of(error)),
            })
        }
        ErrorKind::InvalidValue => {
            let near = words(error, ContextKind::SuggestedValue);
            near.first().map(|near| format!("did you mean `{near}`?"))
        }
        ErrorKind::ValueValidation => {
            let (reason, value) =
                (error.source()?.to_string(), text(error, ContextKind::InvalidValue));
            if text(error, ContextKind::InvalidArg).contains("SERVER:TOOL")
                && let Some((server, tool)) = value.split_once('.')
            {
                return Some(format!("did you mean `{server}:{tool}`?"));
            }
            wanted(&reason).is_some().then_some(reason)
        }
        ErrorKind::TooManyValues => {
            let flag = first_word(&text(error, ContextKind::InvalidArg));
            Some(format!("write `{}` alone", without_value(&flag)))
        }
        ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand => {
            usage(error).map(|usage| format!("write `{usage}`"))
        }
        _ => None,
    }
}

/// Reports whether `pml add` got both a URL and a command.
fn is_url_with_command(error: &Error) -> bool {
    let given = [ContextKind::InvalidArg, ContextKind::PriorArg].map(|kind| text(error, kind));
    let given = given.join(" ");
    given.contains("--url") && given.contains("COMMAND")
}

/// Returns a flag without the value that was given to it: `--json`, of `--json=true`.
fn without_value(flag: &str) -> &str {
    flag.split_once('=').map_or(flag, |(flag, _)| flag)
}

/// Returns what a reason asks for: `a size`, of ``write a size as `64M` ``. Such a reason is a hint.
fn wanted(reason: &str) -> Option<&str> {
    let rest = reason.strip_prefix("write ")?;
    let end = rest.find(", as ").or_else(|| rest.find(" as "))?;
    Some(&rest[..end])
}

/// Returns a flag as it was typed: `-n`, where clap says `--limit`.
fn as_typed(flag: &str, root: &Command, typed: &[OsString]) -> String {
    let words: Vec<_> = typed.iter().map(|word| word.to_string_lossy()).collect();
    let commands = words.iter().skip(1).map(|word| &**word);
    let command =
        commands.fold(root, |command, word| command.find_subcommand(word).unwrap_or(command));
    let known = flag.strip_prefix("--").and_then(|long| {
        command.get_arguments().find(|argument| argument.get_long() == Some(long))
    });
    let Some(letter) = known.and_then(clap::Arg::get_short) else { return flag.to_owned() };
    let short = format!("-{letter}");
    let begins = |start: &str| words.iter().any(|word| word.starts_with(start));
    if begins(flag) || !begins(&short) { flag.to_owned() } else { short }
}

/// Returns what to type instead of a command that is not there.
pub(super) fn command_hint(typed: &str, parent: &str, root: &Command) -> String {
    let is_program = Path::new(typed)
        .extension()
        .is_some_and(|end| PROGRAM_ENDS.iter().any(|known| end.eq_ignore_ascii_case(known)));
    if is_program {
        return format!("`pml run {typed}` runs a program");
    }
    let command = find(root, parent.split(' ').skip(1)).unwrap_or(root);
    let names = command.get_subcommands().filter(|known| !known.is_hide_set());
    let near = nearest(typed, names.map(Command::get_name));
    match near.first() {
        Some(near) => format!("did you mean `{parent} {near}`?"),
        None => format!("`{}` lists the commands", help_line(parent)),
    }
}

/// Finds a command below another by its path.
fn find<'c, 'n>(root: &'c Command, path: impl IntoIterator<Item = &'n str>) -> Option<&'c Command> {
    path.into_iter().try_fold(root, |command, name| command.find_subcommand(name))
}

/// Returns a context of the error as one text.
fn text(error: &Error, kind: ContextKind) -> String {
    words(error, kind).join(" ")
}

fn words(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// Returns the usage line of the command, without its title.
fn usage(error: &Error) -> Option<String> {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    let usage = usage.to_string();
    Some(usage.trim_start_matches("Usage:").trim().lines().next()?.trim().to_owned())
}

/// Returns the command that was typed, as far as clap understood it: `pml runs show`.
fn command_of(error: &Error) -> String {
    let usage = usage(error).unwrap_or_default();
    let is_name = |word: &&str| {
        !word.starts_with('-') && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
    };
    let names: Vec<_> = usage.split(' ').take_while(is_name).collect();
    if names.is_empty() { "pml".into() } else { names.join(" ") }
}

fn help_of(error: &Error) -> String {
    help_line(&command_of(error))
}

/// Returns the command line that shows the help of a command.
fn help_line(command: &str) -> String {
    match command.split_once(' ') {
        Some((pml, rest)) => format!("{pml} help {rest}"),
        None => format!("{command} help"),
    }
}

/// Returns a flag without the name of its value, an argument by its name.
fn first_word(argument: &str) -> String {
    let word = argument.split([' ', '=']).next().unwrap_or_default();
    bare(word)
}

fn bare(name: &str) -> String {
    name.trim_start_matches('<').trim_end_matches("...").trim_end_matches('>').to_owned()
}

fn with_value(flag: &str, value: &str) -> String {
    match flag.starts_with('-') {
        true => format!("{flag} {value}"),
        false => value.to_owned(),
    }
}

fn any_of(values: &[String]) -> String {
    match values {
        [] => "another value".into(),
        [only] => format!("`{only}`"),
        [first @ .., last] => format!("`{}` or `{last}`", first.join("`, `")),
    }
}

#[cfg(test)]
mod tests {
    use super::translate;
    use crate::arguments::Arguments;
    use crate::command_error::error_report;
    use clap::{CommandFactory, Parser};
    use pml_kit::insta::assert_snapshot;

    /// Returns the message and the hint for a wrong command line.
    fn shown(line: &str) -> String {
        let typed: Vec<std::ffi::OsString> = line.split(' ').map(Into::into).collect();
        let error = Arguments::try_parse_from(&typed).err().expect("it is wrong");
        let mut root = Arguments::command();
        root.build();
        let report = error_report(&translate(&error, &root, &typed));
        let hint = report.hint.map(|hint| format!("\n  hint: {hint}")).unwrap_or_default();
        format!("{line}\n  {}{hint}\n", report.message)
    }

    #[test]
    fn wrong_arguments_are_told_in_the_words_that_were_typed() {
        let lines = [
            "pml rnu x.ts",
            "pml x.ts",
            "pml zzz",
            "pml runs shwo last",
            "pml eval",
            "pml eval 1 2",
            "pml eval 1 --timout 1s",
            "pml eval 1 --zzz",
            "pml eval 1 --timeout",
            "pml eval 1 --timeout -1s",
            "pml eval 1 --memory 64",
            "pml eval 1 --memory lots",
            "pml eval 1 --color sometimes",
            "pml eval 1 --allow a",
            "pml eval 1 -q -v",
            "pml eval 1 --json --json",
            "pml runs --json=true",
            "pml run x.ts --resume a --watch",
            "pml runs -n 0",
            "pml completions csh",
            "pml audit --yes",
        ];
        let table: String = lines.map(shown).concat();
        assert_snapshot!(table, @r"
        pml rnu x.ts
          there is no command `rnu`
          hint: did you mean `pml run`?
        pml x.ts
          there is no command `x.ts`
          hint: `pml run x.ts` runs a program
        pml zzz
          there is no command `zzz`
          hint: `pml help` lists the commands
        pml runs shwo last
          there is no command `shwo`
          hint: did you mean `pml runs show`?
        pml eval
          `pml eval` needs `CODE`
          hint: write `pml eval <CODE>`
        pml eval 1 2
          `2` is one argument too many
          hint: `pml help eval` lists what it takes
        pml eval 1 --timout 1s
          there is no flag `--timout`
          hint: did you mean `--timeout`?
        pml eval 1 --zzz
          there is no flag `--zzz`
          hint: `pml help eval` lists what it takes
        pml eval 1 --timeout
          `--timeout` needs a value
        pml eval 1 --timeout -1s
          `--timeout -1s`: a duration must be more than zero
        pml eval 1 --memory 64
          `--memory 64` is 64 bytes: it must be between 4 MiB and 1 GiB
        pml eval 1 --memory lots
          `--memory lots` is not a size
          hint: write a size as `65536`, `512K`, `64M` or `1G`
        pml eval 1 --color sometimes
          `--color sometimes`: it must be `auto`, `always` or `never`
        pml eval 1 --allow a
          `--allow a` is not a pattern
          hint: write a pattern as `server:tool`, `server:prefix_*`, `server:*` or `*`
        pml eval 1 -q -v
          `-q` cannot be given with `-v`
        pml eval 1 --json --json
          `--json` is given more than once
        pml runs --json=true
          `--json` takes no value
          hint: write `--json` alone
        pml run x.ts --resume a --watch
          `--resume` cannot be given with `--watch`
        pml runs -n 0
          `-n 0` is too few: it must be at least 1
        pml completions csh
          `csh`: it must be `bash`, `elvish`, `fish`, `powershell` or `zsh`
          hint: did you mean `zsh`?
        pml audit --yes
          `pml audit` needs `--accept`
          hint: write `pml audit --accept --yes`
        ");
    }
}
