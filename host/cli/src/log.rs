//! The log: diagnostics on stderr for somebody who looks for a fault. No command's output depends
//! on it.
//!
//! Takes `PML_LOG` and `--log-format`, and sets up a `tracing` subscriber for the library's events.
//! **Invariant:** only events of pml itself are written, whatever `PML_LOG` says, because libraries
//! below it log what they send and receive: arguments, results and keys. Events of pml hold names,
//! ids, digests, spans and counts.

use super::report::HintedError;
use super::ui;
use clap::ValueEnum;
use pml::{
    Clock, Environment, SystemClock,
    text::{cut, in_one_line},
};
use std::fmt;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Level if `PML_LOG` is not set.
const DEFAULT_LEVEL: LevelFilter = LevelFilter::WARN;

/// Prefix of the targets of all events of pml.
const OWN_TARGET: &str = "pml";

/// The parts of pml that log.
const PARTS: [&str; 6] =
    ["pml::call", "pml::install", "pml::run", "pml::server", "pml::store", "pml::trust"];

/// Maximum number of characters that an error quotes of `PML_LOG`.
const LONGEST_QUOTE: usize = 80;

/// Format of the log's lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object a line
    Json,
}

/// Starts the log.
///
/// # Errors
/// If `PML_LOG` cannot be parsed.
pub(super) fn start(format: LogFormat) -> anyhow::Result<()> {
    let filter = match Environment::of_process().log_directives()? {
        Some(text) => parse_directives(text).map_err(|invalid| {
            let invalid = cut(&in_one_line(invalid), LONGEST_QUOTE);
            let message = format!("`PML_LOG` has a part that says nothing: `{invalid}`");
            let hint = format!(
                "write a level (off, error, warn, info, debug, trace), or a part of pml and its level: \
                 `info,pml::call=debug`; the parts are {}",
                PARTS.join(", ")
            );
            HintedError::usage(message, hint)
        })?,
        None => Targets::new().with_target(OWN_TARGET, DEFAULT_LEVEL),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(ui::log)
        .with_timer(LogTimestamp)
        .with_ansi(false)
        .log_internal_errors(false);
    let registry = tracing_subscriber::registry().with(filter);
    // A process can have only one subscriber; later ones are ignored.
    let _ = match format {
        LogFormat::Text => registry.with(lines).try_init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    };
    Ok(())
}

/// Parses the text of `PML_LOG`. Returns the first part that cannot be parsed as the error.
fn parse_directives(text: &str) -> Result<Targets, &str> {
    let mut targets = Targets::new().with_target(OWN_TARGET, DEFAULT_LEVEL);
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (target, level) = part.split_once('=').unwrap_or((OWN_TARGET, part));
        let is_own = target == OWN_TARGET || PARTS.contains(&target);
        let level = LEVELS.iter().find(|(name, _)| level.eq_ignore_ascii_case(name));
        match level {
            Some((_, level)) if is_own => targets = targets.with_target(target, *level),
            _ => return Err(part),
        }
    }
    Ok(targets)
}

const LEVELS: [(&str, LevelFilter); 6] = [
    ("off", LevelFilter::OFF),
    ("error", LevelFilter::ERROR),
    ("warn", LevelFilter::WARN),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
];

/// Writes the time of a log line in the format that pml uses everywhere.
struct LogTimestamp;

impl FormatTime for LogTimestamp {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        write!(writer, "{}", SystemClock.now())
    }
}

#[cfg(test)]
mod tests {
    use super::parse_directives;
    use tracing::Level;

    #[test]
    fn levels_hold_for_pml_and_for_parts_of_it_and_for_nothing_else() {
        let logged = |text: &str, target: &str, level: Level| {
            parse_directives(text).expect("it can be read").would_enable(target, &level)
        };
        assert!(logged("", "pml::run", Level::WARN) && !logged("", "pml::run", Level::INFO));
        assert!(logged("debug", "pml::run", Level::DEBUG) && !logged("off", "pml", Level::ERROR));
        let parts = "Info, pml::call=trace";
        assert!(logged(parts, "pml::call", Level::TRACE) && logged(parts, "pml::run", Level::INFO));
        assert!(!logged(parts, "pml::run", Level::DEBUG));
        assert!(!logged("trace", "rmcp::service", Level::ERROR));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (text, invalid) in [
            ("loud", "loud"),
            ("info,rmcp=trace", "rmcp=trace"),
            ("pml::call", "pml::call"),
            ("pml=info=debug", "pml=info=debug"),
            ("pmlx=info", "pmlx=info"),
            ("debug,pml::calls=debug", "pml::calls=debug"),
            ("pml::=trace", "pml::=trace"),
        ] {
            assert_eq!(parse_directives(text).err(), Some(invalid), "{text}");
        }
    }
}
