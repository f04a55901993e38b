//! The terminal that the process was started from, which need not be stdin or stdout.

use super::reveal::reveal_warning;
use super::wrap::wrap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::sync::Arc;

/// Width of a terminal that does not report one.
const DEFAULT_WIDTH: usize = 80;

/// Details for a person who wants to know more before answering.
#[derive(Default)]
pub(super) struct ConfirmDetails {
    /// All details, shown for `?`.
    pub(super) details: Vec<String>,
    /// All details with secrets, shown for `r`.
    pub(super) revealed: Vec<String>,
}

/// An open terminal. Clones share it.
#[derive(Clone)]
pub(super) struct Terminal(Arc<File>);

impl Terminal {
    /// Opens the terminal of this process. Returns `None` if it has none, or runs in the
    /// background.
    pub(super) fn open() -> Option<Terminal> {
        let file = File::options().read(true).write(true).open("/dev/tty").ok()?;
        let terminal = Terminal::from_file(file);
        terminal.in_foreground().then_some(terminal)
    }

    /// Uses a file as the terminal.
    pub(super) fn from_file(file: File) -> Terminal {
        Terminal(Arc::new(file))
    }

    /// Reports whether this process is in the foreground. The OS stops a background job that reads
    /// from its terminal.
    pub(super) fn in_foreground(&self) -> bool {
        #[cfg(unix)]
        return rustix::termios::tcgetpgrp(&*self.0)
            .map_or(true, |group| group == rustix::process::getpgrp());
        #[cfg(not(unix))]
        false
    }

    /// Writes text of pml. Colours are removed if the terminal does not support them.
    pub(super) fn write(&self, text: &str) -> io::Result<()> {
        let colours = anstream::AutoStream::choice(&*self.0) != anstream::ColorChoice::Never;
        let mut file = &*self.0;
        match colours {
            true => file.write_all(text.as_bytes())?,
            false => file.write_all(anstream::adapter::strip_str(text).to_string().as_bytes())?,
        }
        file.flush()
    }

    /// Discards input that was typed but not read, because it cannot answer the next question.
    pub(super) fn discard_typed(&self) {
        #[cfg(unix)]
        {
            // A terminal that does not support this holds no such input.
            let _ = rustix::termios::tcflush(&*self.0, rustix::termios::QueueSelector::IFlush);
        }
    }

    /// Returns the width in columns.
    pub(super) fn width(&self) -> usize {
        width_of(&*self.0).unwrap_or(DEFAULT_WIDTH)
    }

    /// Returns the lines that are typed. Two such iterators on one terminal would each get a part
    /// of the lines.
    pub(super) fn lines(&self) -> io::Result<impl Iterator<Item = io::Result<String>> + use<>> {
        Ok(BufReader::new(self.0.try_clone()?).lines())
    }

    fn show(&self, lines: &[String]) -> io::Result<()> {
        lines.iter().try_for_each(|line| self.write(&format!("{}\n", wrap(line, self.width()))))
    }

    /// Asks for a yes or a no, and waits for the answer.
    pub(super) fn confirm(&self, question: &str) -> io::Result<bool> {
        self.confirm_with(question, &ConfirmDetails::default())
    }

    /// Asks for a yes or a no, and shows details on request. Text from others in them is wrapped
    /// behind its bar.
    pub(super) fn confirm_with(&self, question: &str, more: &ConfirmDetails) -> io::Result<bool> {
        self.discard_typed();
        let mut lines = self.lines()?;
        let keys = match (more.details.is_empty(), more.revealed.is_empty()) {
            (true, true) => "[y/n]",
            (_, true) => "[y/n/?]",
            (_, false) => "[y/n/?/r]",
        };
        loop {
            self.write(&format!("{question} {keys} "))?;
            let Some(line) = lines.next() else {
                self.write("\n")?;
                return Ok(false);
            };
            match line?.trim() {
                "y" | "Y" | "yes" => return Ok(true),
                "n" | "N" | "no" => return Ok(false),
                "?" => self.show(&more.details)?,
                "r" | "R" if !more.revealed.is_empty() => {
                    self.write(&format!("{}\n", reveal_warning()))?;
                    self.show(&more.revealed)?;
                }
                _ => {}
            }
        }
    }
}

/// Returns the width of the terminal that stdout is connected to, or `None`.
pub(super) fn width_of_stdout() -> Option<usize> {
    super::ui::stdout_is_terminal().then(|| width_of(io::stdout()).unwrap_or(DEFAULT_WIDTH))
}

/// Returns the width of the terminal that stderr is connected to, or `None`.
pub(super) fn width_of_stderr() -> Option<usize> {
    super::ui::stderr_is_terminal().then(|| width_of(io::stderr()).unwrap_or(DEFAULT_WIDTH))
}

#[cfg(unix)]
fn width_of(file: impl std::os::fd::AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(file).ok()?;
    (size.ws_col > 0).then_some(size.ws_col.into())
}

#[cfg(not(unix))]
fn width_of<F>(_: F) -> Option<usize> {
    None
}
