//! Writes to stdout and stderr; no other module does.
//!
//! Text from a program is escaped on a terminal, which would execute its control sequences; colours
//! are allowed. In a pipe the text is not changed, since another program reads it.
//!
//! **Invariant:** with `--json`, [`document`] alone writes to stdout, and writes once; everything
//! else goes to stderr.

use super::output::{self, OutputFormat, Verbosity};
use anstyle::{AnsiColor, Style};
use pml::json::Value;
use pml::text::escape;
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(super) const HINT: Style = AnsiColor::Cyan.on_default().bold();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default();
pub(super) const WAITING: Style = AnsiColor::Yellow.on_default();
pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();

/// Writes the JSON document of the command to stdout, as one line. Does nothing if it is written
/// already: an interrupt and the end of a command may want to write it at the same time.
pub(super) fn document(value: &Value) -> io::Result<()> {
    raw_document(&value.to_string())
}

/// Does the same for a document that is JSON text already.
pub(super) fn raw_document(text: &str) -> io::Result<()> {
    // Who takes the duty holds stdout until it is done; `finish_document` waits for that.
    let mut stdout = io::stdout().lock();
    if !output::take_document() {
        return Ok(());
    }
    let text = if stdout.is_terminal() { escape_json(text) } else { Cow::Borrowed(text) };
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    written.map_err(stdout_error)
}

/// Waits until a document that another thread is writing is written: the process must not end
/// before.
pub(super) fn finish_document() {
    if output::format() == OutputFormat::Json {
        drop(io::stdout().lock());
    }
}

/// Writes a line of a program's output to stdout.
pub(super) fn out(text: &str) -> io::Result<()> {
    if output::format() == OutputFormat::Json {
        return err(text);
    }
    let stdout = io::stdout();
    let text = for_stream(text, stdout.is_terminal());
    let mut stdout = stdout.lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    written.map_err(stdout_error)
}

/// Writes a line of a program's output to stderr.
pub(super) fn err(text: &str) -> io::Result<()> {
    let stderr = io::stderr();
    let text = for_stream(text, stderr.is_terminal());
    writeln!(stderr.lock(), "{text}")
}

/// Writes text of pml to stdout, where it is the result of a command. Colours are removed if stdout
/// is not a terminal.
pub(super) fn print(text: &str) -> io::Result<()> {
    if output::format() == OutputFormat::Json {
        say(text);
        return Ok(());
    }
    print_help(text)
}

/// Writes help to stdout, which was asked for in place of the command and its document.
pub(super) fn print_help(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    written.map_err(stdout_error)
}

/// Writes a notice of pml to stderr: a warning, a hint, a step. `--quiet` omits it. Colours are
/// removed if stderr is not a terminal.
pub(super) fn say(text: &str) {
    if output::verbosity() != Verbosity::Quiet {
        alert(text);
    }
}

/// Writes text of pml to stderr that `--quiet` does not omit: an error, or what a person is asked
/// about.
pub(super) fn alert(text: &str) {
    // If stderr is closed, the error cannot be reported anywhere.
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Names the stream in an error. A reader that is gone keeps its kind, which has its own exit code.
fn stdout_error(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => error,
        kind => io::Error::new(kind, format!("cannot write to stdout: {error}")),
    }
}

/// Returns the stream that the log is written to.
pub(super) fn log() -> io::Stderr {
    io::stderr()
}

/// Reports whether stdout is a terminal, so that a person reads the results.
pub(super) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Reports whether stderr is a terminal, so that a person sees messages and questions.
pub(super) fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

fn for_stream(text: &str, terminal: bool) -> Cow<'_, str> {
    if terminal { escape_commands(text) } else { Cow::Borrowed(text) }
}

/// Escapes hidden characters in JSON text by JSON's own means: only strings have them.
fn escape_json(text: &str) -> Cow<'_, str> {
    if matches!(escape(text), Cow::Borrowed(_)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        let mut buffer = [0; 4];
        match escape(c.encode_utf8(&mut buffer)) {
            Cow::Borrowed(_) => escaped.push(c),
            Cow::Owned(_) => {
                let units = c.encode_utf16(&mut [0; 2]).to_vec();
                escaped.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
            }
        }
    }
    Cow::Owned(escaped)
}

/// Ends all colours.
const RESET: &str = "\x1b[0m";

/// Escapes control sequences except colours.
fn escape_commands(text: &str) -> Cow<'_, str> {
    if matches!(escape(text), Cow::Borrowed(_)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    let (mut rest, mut coloured) = (text, false);
    while let Some(at) = rest.find('\x1b') {
        escaped.push_str(&escape(&rest[..at]));
        let length = colour_length(&rest[at..]);
        match length {
            0 => escaped.push_str("\\u{1b}"),
            length => {
                escaped.push_str(&rest[at..at + length]);
                coloured = true;
            }
        }
        rest = &rest[at + length.max(1)..];
    }
    escaped.push_str(&escape(rest));
    // A colour that the program did not end must not affect the next line, which may be pml's.
    if coloured && !escaped.ends_with(RESET) {
        escaped.push_str(RESET);
    }
    Cow::Owned(escaped)
}

/// Returns the length of the colour sequence (`ESC [ digits ; digits m`) that `text` starts with,
/// or 0.
fn colour_length(text: &str) -> usize {
    let Some(body) = text.strip_prefix("\x1b[") else { return 0 };
    let digits = body.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(body.len());
    if body[digits..].starts_with('m') { digits + 3 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{escape_commands, escape_json, stdout_error};
    use std::io;

    #[test]
    fn a_document_on_a_terminal_is_still_json() {
        let text = pml::json::json!({ "a": "\u{202e}\u{9b}x\u{e0001}" }).to_string();
        let shown = escape_json(&text);
        assert_eq!(shown, "{\"a\":\"\\u202e\\u009bx\\udb40\\udc01\"}");
        let parsed = pml::json::from_str::<pml::json::Value>(&shown);
        assert_eq!(parsed.expect("JSON").to_string(), text);
    }

    #[test]
    fn a_full_disk_is_named_with_the_stream_and_a_reader_that_is_gone_is_not() {
        let full = stdout_error(io::Error::from(io::ErrorKind::StorageFull));
        assert!(full.to_string().starts_with("cannot write to stdout: "), "{full}");
        let gone = stdout_error(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(gone.kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn colours_pass_and_commands_do_not() {
        assert_eq!(escape_commands("\x1b[31mred\x1b[0m"), "\x1b[31mred\x1b[0m");
        assert_eq!(escape_commands("\x1b[2Jgone"), "\\u{1b}[2Jgone");
        assert_eq!(escape_commands("\x1b]0;title\x07"), "\\u{1b}]0;title\\u{7}");
        assert_eq!(escape_commands("end\x1b"), "end\\u{1b}");
        assert_eq!(
            escape_commands("\x1b[1;32mok\x1b[m \u{202e}"),
            "\x1b[1;32mok\x1b[m \\u{202e}\x1b[0m"
        );
    }
}
