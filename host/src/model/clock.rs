//! Time: the only place that reads the machine's clock.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Microseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// Returns the moment `after` this one.
    pub fn plus(self, after: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(u64::try_from(after.as_micros()).unwrap_or(u64::MAX)))
    }

    /// Returns how long it is from `earlier` to this moment; zero if it lies after.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

/// As in RFC 3339: `2026-11-16T04:27:10.123Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, milliseconds) = (self.0 / 1_000_000, self.0 / 1_000 % 1_000);
        let (year, month, day) = civil(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z"
        )
    }
}

/// The date of a day counted from 1970-01-01 (Howard Hinnant's algorithm: years begin in March, leap days end them).
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// A text that is no moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no moment: write it as `2026-11-16T04:27:10Z`")]
pub struct InvalidTimestamp;

/// As it is written: `2026-11-16T04:27:10Z`, with parts of a second or without.
impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Timestamp, InvalidTimestamp> {
        parse(text).ok_or(InvalidTimestamp)
    }
}

fn parse(text: &str) -> Option<Timestamp> {
    let number = |part: &str, length: usize| {
        let digits = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse::<u64>().ok()).flatten()
    };
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.splitn(3, '-');
    let (year, month) = (number(date.next()?, 4)?, number(date.next()?, 2)?);
    let day = number(date.next()?, 2)?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut time = time.splitn(3, ':');
    let (hour, minute) = (number(time.next()?, 2)?, number(time.next()?, 2)?);
    let second = number(time.next()?, 2)?;
    let fraction = number(&format!("{fraction:0<6}"), 6)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days(year, month, day)?;
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(Timestamp(seconds * 1_000_000 + fraction))
}

/// The day, counted from 1970-01-01, of a date; nothing if there is no such date since.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    if year < 1970 || !(1..=12).contains(&month) {
        return None;
    }
    let from_march = if month > 2 { year } else { year - 1 };
    let (era, year_of_era) = (from_march / 400, from_march % 400);
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = (era * 146_097 + day_of_era).checked_sub(719_469)?;
    (civil(days) == (year, month, day)).then_some(days)
}

/// Where programs get their time from.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one clock type")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let date = |at| Timestamp(at).to_string();
        assert_eq!(date(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(date(951_782_400_000_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(date(1_794_803_230_123_456), "2026-11-16T04:27:10.123Z");
        assert_eq!(date(4_107_542_399_999_999), "2100-02-28T23:59:59.999Z");
    }

    #[test]
    fn what_is_written_is_read_again() {
        for day in 0..80_000 {
            let at = Timestamp(day * 86_400_000_000 + 12_345_678_000);
            assert_eq!(at.to_string().parse(), Ok(at));
        }
        assert_eq!("1970-01-01T00:00:01Z".parse(), Ok(Timestamp(1_000_000)));
        for text in [
            "",
            "2026-11-16",
            "2026-11-16T04:27:10",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "1969-12-31T00:00:00Z",
            "2026-11-16T24:00:00Z",
            "2026-11-16T04:27:10.1234567Z",
            "2026-11-16T04:27:10+01:00",
            "+026-11-16T04:27:10Z",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }
}
