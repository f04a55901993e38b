//! The reference of commands in `host/docs/commands.md`, written from the definitions of clap.
//! `PML_UPDATE_DOCS=1` writes it anew.

use super::arguments::Arguments;
use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};
use pml_kit::{assert_generated, markdown_escaped, wrapped};

const WIDTH: usize = 100;

const PAGE: &str = "host/docs/commands.md";

/// Returns help as paragraphs of Markdown.
fn paragraphs(text: &StyledStr, indent: usize) -> String {
    let text = text.to_string();
    let paragraphs = text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty());
    let space = " ".repeat(indent);
    let paragraphs = paragraphs.map(|paragraph| match paragraph.trim().split_once('\n') {
        // Lines that stay as they are written are examples.
        Some(_) if paragraph.contains("pml ") => {
            let lines = paragraph.trim().replace('\n', &format!("\n{space}"));
            format!("```text\n{space}{lines}\n{space}```")
        }
        _ => wrapped(&markdown_escaped(paragraph), WIDTH, indent),
    });
    paragraphs.collect::<Vec<_>>().join(&format!("\n\n{}", " ".repeat(indent)))
}

/// Returns how an argument is written: `-n, --limit <COUNT>`.
fn spelling(argument: &Arg) -> String {
    let values = argument.get_value_names().unwrap_or_default();
    let takes_values = argument.get_action().takes_values();
    let value = values.iter().map(|name| format!("<{name}>")).collect::<Vec<_>>().join(" ");
    if argument.is_positional() {
        return value;
    }
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    let names = short.into_iter().chain(long).collect::<Vec<_>>().join(", ");
    if takes_values && !value.is_empty() { format!("{names} {value}") } else { names }
}

fn entry(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help());
    let help = help.map(|help| paragraphs(help, 2)).unwrap_or_default();
    let mut entry = format!("- **`{}`**\\\n  {help}", spelling(argument));
    let values = argument.get_possible_values();
    if argument.get_action().takes_values() && !values.is_empty() {
        let names: Vec<_> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
        entry += &format!("\n\n  One of {}.", names.join(", "));
    }
    entry
}

/// Returns a line of the index.
fn link(command: &Command) -> String {
    let name = command.get_name();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    wrapped(&format!("- [`pml {name}`](#pml-{name}): {}", markdown_escaped(&about)), WIDTH, 2)
}

/// Writes the section of a command, and those of the commands below it.
fn add_sections(path: &str, command: &mut Command, sections: &mut Vec<String>) {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().replace("\n       ", "\n");
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(|about| paragraphs(about, 0)).unwrap_or_default();
    let mut section = format!("## {path}\n\n{about}\n\n```text\n{usage}\n```");
    let shown = command.get_arguments().filter(|argument| {
        let is_general =
            argument.is_global_set() || ["help", "version"].contains(&argument.get_id().as_str());
        !argument.is_hide_set() && !is_general
    });
    let entries: Vec<_> = shown.map(entry).collect();
    if !entries.is_empty() {
        section += &format!("\n\n{}", entries.join("\n"));
    }
    if let Some(after) = command.get_after_long_help().or(command.get_after_help()) {
        section += &format!("\n\n```text\n{}\n```", after.to_string().trim());
    }
    sections.push(section);
    for inner in command.get_subcommands_mut().filter(|inner| !inner.is_hide_set()) {
        // clap adds a `help` to every command that has others below it.
        if inner.get_name() != "help" {
            add_sections(&format!("{path} {}", inner.get_name()), inner, sections);
        }
    }
}

#[test]
fn the_reference_of_commands_is_that_of_clap() {
    let mut command = Arguments::command();
    command.build();
    let general = command.get_arguments().filter(|argument| argument.is_global_set());
    let general: Vec<_> = general.map(entry).collect();
    let listed = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    let index: Vec<_> = listed.map(link).collect();
    let mut sections =
        vec![index.join("\n"), format!("## For every command\n\n{}", general.join("\n"))];
    for inner in command.get_subcommands_mut().filter(|inner| !inner.is_hide_set()) {
        add_sections(&format!("pml {}", inner.get_name()), inner, &mut sections);
    }
    assert!(sections.len() > 20, "{} sections", sections.len());
    assert_generated(PAGE, "commands", &sections.join("\n\n"));
}
