//! The checked form of a [`Config`]: in `EngineSettings` every value is in its range.

use super::{Config, GrantWriter};
use crate::error::Error;
use crate::model::{Clock, Code, Grant, Limits, STACK_CEILING, ToolPattern, check_size};
use std::{ops::RangeInclusive, sync::Arc, time::Duration};

/// Least stack of a run: enough for the prelude's own functions.
const STACK_FLOOR: usize = 32 << 10;

/// Highest limit for a value that crosses into the guest.
const SIZE_CEILING: usize = 256 << 20;

/// The range for the JavaScript stack of a run.
pub(crate) const STACK_RANGE: RangeInclusive<usize> = STACK_FLOOR..=STACK_CEILING;

/// The range for any other size.
pub(crate) const SIZE_RANGE: RangeInclusive<usize> = 0..=SIZE_CEILING;

/// The range for calls in flight at the same time.
pub(crate) const CALLS_IN_FLIGHT_RANGE: RangeInclusive<usize> = 1..=100_000;

/// The settings of an engine, checked.
pub(crate) struct EngineSettings {
    pub(crate) limits: Limits,
    pub(crate) allow: Vec<ToolPattern>,
    pub(crate) allow_over_ask: Vec<ToolPattern>,
    pub(crate) ask: Vec<ToolPattern>,
    pub(crate) deny: Vec<ToolPattern>,
    pub(crate) grants: Vec<Grant>,
    pub(crate) ask_unnamed: bool,
    pub(crate) runs: u32,
    pub(crate) waiting_memory: usize,
    pub(crate) question_lifetime: Option<Duration>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) grant_writer: Option<Arc<dyn GrantWriter>>,
}

impl TryFrom<&Config> for EngineSettings {
    type Error = Error;

    fn try_from(config: &Config) -> Result<EngineSettings, Error> {
        let limits = config.limits.clone();
        check_bytes("memory_limit", limits.memory, &Limits::MEMORY_RANGE)?;
        check_bytes("stack_limit", limits.stack, &STACK_RANGE)?;
        for (name, size) in [
            ("source_limit", limits.source),
            ("inputs_limit", limits.inputs),
            ("result_limit", limits.result),
            ("console_limit", limits.console),
            ("arguments_limit", limits.arguments),
            ("reply_limit", limits.reply),
        ] {
            check_bytes(name, size, &SIZE_RANGE)?;
        }
        check_bytes("journal_limit", limits.journal, &Limits::JOURNAL_RANGE)?;
        check_range("calls_in_flight", limits.calls_in_flight, CALLS_IN_FLIGHT_RANGE)?;
        check_range("runs", config.runs as usize, 1..=20_000)?;
        if limits.cpu_time.is_zero() || limits.timeout.is_zero() {
            return Err(Error::new(
                Code::Config,
                "`cpu_time` and `timeout` must be more than zero",
            ));
        }
        if config.question_lifetime.is_some_and(|lifetime| lifetime.is_zero()) {
            return Err(Error::new(Code::Config, "`question_lifetime` must be more than zero"));
        }
        Ok(EngineSettings {
            limits,
            allow: patterns("allow_tool", &config.allow)?,
            allow_over_ask: patterns("allow_over_ask", &config.allow_over_ask)?,
            ask: patterns("ask_tool", &config.ask)?,
            deny: patterns("deny_tool", &config.deny)?,
            grants: config.grants.clone(),
            ask_unnamed: config.ask_unnamed,
            runs: config.runs,
            waiting_memory: config.waiting_memory,
            question_lifetime: config.question_lifetime,
            clock: config.clock.clone(),
            grant_writer: config.grant_writer.clone(),
        })
    }
}

fn patterns(setting: &str, texts: &[String]) -> Result<Vec<ToolPattern>, Error> {
    let patterns = texts.iter().map(|text| text.parse::<ToolPattern>());
    patterns.collect::<Result<_, _>>().map_err(|invalid| {
        Error::new(Code::Config, format!("`{setting}` was given a pattern that names no tools"))
            .with_source(invalid)
            .with_hint("patterns are `server:tool`, `server:prefix_*`, `server:*` and `*`")
    })
}

fn check_bytes(name: &str, bytes: usize, range: &RangeInclusive<usize>) -> Result<(), Error> {
    let checked = check_size(bytes, range).map(|_| ());
    checked.map_err(|reason| Error::new(Code::Config, format!("`{name}` {reason}")))
}

fn check_range(name: &str, value: usize, range: RangeInclusive<usize>) -> Result<(), Error> {
    if range.contains(&value) {
        return Ok(());
    }
    let (minimum, maximum) = range.into_inner();
    Err(Error::new(
        Code::Config,
        format!("`{name}` is {value}: it must be between {minimum} and {maximum}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::{Config, EngineSettings};
    use crate::model::Code;

    fn refusal(change: impl FnOnce(&mut Config) -> &mut Config) -> String {
        let mut config = Config::new();
        change(&mut config);
        let error = EngineSettings::try_from(&config).err().expect("refused");
        assert_eq!(error.kind(), Code::Config);
        error.to_string()
    }

    #[test]
    fn the_defaults_are_valid() {
        assert!(EngineSettings::try_from(&Config::new()).is_ok());
    }

    #[test]
    fn a_value_out_of_its_range_is_named() {
        assert_eq!(
            refusal(|c| c.memory_limit(1 << 10)),
            "`memory_limit` is 1 KiB: it must be between 4 MiB and 1 GiB"
        );
        assert!(refusal(|c| c.stack_limit(64 << 20)).contains("`stack_limit`"));
        assert!(refusal(|c| c.result_limit(1 << 40)).contains("`result_limit`"));
        assert!(refusal(|c| c.journal_limit(1 << 10)).contains("`journal_limit` is 1 KiB"));
        assert!(refusal(|c| c.calls_in_flight(0)).contains("`calls_in_flight` is 0"));
        assert!(refusal(|c| c.runs(0)).contains("`runs` is 0"));
        assert!(refusal(|c| c.timeout(std::time::Duration::ZERO)).contains("more than zero"));
        let never = Some(std::time::Duration::ZERO);
        assert!(refusal(|c| c.question_lifetime(never)).contains("`question_lifetime`"));
    }

    #[test]
    fn a_pattern_that_names_no_tools_is_refused() {
        assert!(refusal(|c| c.allow_tool("git*")).contains("allow_tool"));
        assert!(refusal(|c| c.ask_tool("git*")).contains("ask_tool"));
        assert!(refusal(|c| c.allow_over_ask("git*")).contains("allow_over_ask"));
        assert!(refusal(|c| c.deny_tool("a b")).contains("deny_tool"));
    }
}
