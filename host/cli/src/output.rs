//! What the command line says about output: its format, how much of it, and its colours.
//!
//! Taken from the arguments as they were typed, before clap parses them, because wrong arguments
//! are reported in the same format. **Invariant:** these values are global, because a process has
//! one stdout and one set of signals; `main` sets them once.

use clap::ValueEnum;
use std::ffi::OsString;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// What stdout is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OutputFormat {
    /// Results as people read them.
    #[default]
    Text,
    /// One JSON document, whatever happens.
    Json,
}

/// How much is written to stderr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Verbosity {
    /// Only errors, and what a person is asked about.
    Quiet,
    /// Warnings, hints and progress too.
    #[default]
    Normal,
    /// Every call too.
    Verbose,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorMode {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The flags about output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OutputFlags {
    pub(super) format: OutputFormat,
    pub(super) verbosity: Verbosity,
    pub(super) color: ColorMode,
}

static FLAGS: OnceLock<OutputFlags> = OnceLock::new();

/// True while the document has to be written.
static DOCUMENT_DUE: AtomicBool = AtomicBool::new(false);

impl OutputFlags {
    /// Finds the flags among arguments that may be wrong otherwise. What follows `--` belongs to
    /// somebody else.
    pub(super) fn of(arguments: &[OsString]) -> OutputFlags {
        let mut flags = OutputFlags::default();
        let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
        let own = words.iter().take_while(|word| *word != "--").enumerate();
        for (at, word) in own {
            let next = words.get(at + 1).map(|word| &**word);
            match &**word {
                "--json" => flags.format = OutputFormat::Json,
                // It takes no value; who gives one wants JSON, and reads there that it is wrong.
                word if word.starts_with("--json=") => flags.format = OutputFormat::Json,
                "--quiet" => flags.verbosity = Verbosity::Quiet,
                "--verbose" => flags.verbosity = Verbosity::Verbose,
                "--color" => flags.choose_color(next),
                word if word.starts_with("--") => flags.choose_color(word.strip_prefix("--color=")),
                word => flags.read_letters(word),
            }
        }
        flags
    }

    fn choose_color(&mut self, value: Option<&str>) {
        if let Some(Ok(color)) = value.map(|value| ColorMode::from_str(value, false)) {
            self.color = color;
        }
    }

    /// Reads short flags: `-q`, or several as in `-qy`.
    fn read_letters(&mut self, word: &str) {
        let letters = word.strip_prefix('-').unwrap_or_default();
        if letters.chars().all(|letter| LETTERS.contains(letter)) {
            match (letters.contains('q'), letters.contains('v')) {
                (true, _) => self.verbosity = Verbosity::Quiet,
                (_, true) => self.verbosity = Verbosity::Verbose,
                _ => {}
            }
        }
    }

    /// Makes these flags those of the process.
    pub(super) fn apply(self) {
        let choice = match self.color {
            ColorMode::Auto => None,
            ColorMode::Always => Some(anstream::ColorChoice::Always),
            ColorMode::Never => Some(anstream::ColorChoice::Never),
        };
        if let Some(choice) = choice {
            choice.write_global();
        }
        // A process has one set of flags; a later one is ignored.
        let _ = FLAGS.set(self);
        expect_document();
    }
}

/// Short flags that take no value. A word with another letter may hold the value of a flag.
const LETTERS: &str = "qvywh";

fn flags() -> OutputFlags {
    FLAGS.get().copied().unwrap_or_default()
}

/// Returns what stdout is for.
pub(super) fn format() -> OutputFormat {
    flags().format
}

/// Returns how much is written to stderr.
pub(super) fn verbosity() -> Verbosity {
    flags().verbosity
}

/// Reports whether colours are switched off, whatever the terminal can do.
pub(super) fn is_colorless() -> bool {
    flags().color == ColorMode::Never
}

/// Makes a document due, if JSON was asked for. A command that runs a program again and again owes
/// one for each run.
pub(super) fn expect_document() {
    DOCUMENT_DUE.store(format() == OutputFormat::Json, Ordering::SeqCst);
}

/// Reports whether a document has to be written.
pub(super) fn is_document_due() -> bool {
    DOCUMENT_DUE.load(Ordering::SeqCst)
}

/// Takes the duty to write the document. Returns false if somebody else has it, or nobody.
pub(super) fn take_document() -> bool {
    DOCUMENT_DUE.swap(false, Ordering::SeqCst)
}

#[cfg(test)]
mod tests {
    use super::{ColorMode, OutputFlags, OutputFormat, Verbosity};

    fn flags(words: &str) -> OutputFlags {
        let words: Vec<_> = words.split(' ').map(Into::into).collect();
        OutputFlags::of(&words)
    }

    #[test]
    fn flags_are_found_among_wrong_arguments() {
        let found = flags("pml rnu --bad --json --color=never -q");
        let expected = OutputFlags {
            format: OutputFormat::Json,
            verbosity: Verbosity::Quiet,
            color: ColorMode::Never,
        };
        assert_eq!(found, expected);
        assert_eq!(flags("pml runs --json=true").format, OutputFormat::Json);
        assert_eq!(flags("pml run x.ts --color always -yv").color, ColorMode::Always);
        assert_eq!(flags("pml run x.ts -wv").verbosity, Verbosity::Verbose);
        assert_eq!(flags("pml run x.ts --color sometimes"), OutputFlags::default());
    }

    #[test]
    fn what_belongs_to_another_program_is_left_alone() {
        assert_eq!(flags("pml add x -- npx -q --json"), OutputFlags::default());
        assert_eq!(flags("pml runs -n20v --script -"), OutputFlags::default());
    }
}
