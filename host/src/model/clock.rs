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

/// What stands between the numbers of a time, after the year.
const SEPARATORS: [char; 6] = ['-', '-', 'T', ':', ':', '.'];

/// Reads what is written, or only the beginning of it: `2026-11-16` is the midnight before that day, in UTC.
impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Timestamp, InvalidTimestamp> {
        let wrong = || InvalidTimestamp;
        let (mut rest, mut numbers) = (text.strip_suffix('Z').unwrap_or(text), Vec::new());
        for (separator, width) in SEPARATORS.into_iter().zip([4, 2, 2, 2, 2, 2]) {
            let (number, after) = rest.split_at_checked(width).ok_or_else(wrong)?;
            numbers.push(digits(number).ok_or_else(wrong)?);
            rest = match after.strip_prefix(separator) {
                Some(after) => after,
                None if after.is_empty() => "",
                None => return Err(wrong()),
            };
            if after.is_empty() {
                break;
            }
        }
        let thousandths = match (rest.len(), numbers.len()) {
            (0, 3 | 5 | 6) => 0,
            (3, 6) => digits(rest).ok_or_else(wrong)?,
            _ => return Err(wrong()),
        };
        numbers.resize(6, 0);
        let &[year, month, day, hour, minute, second] = &numbers[..] else { return Err(wrong()) };
        let days = day_of(year, month, day).ok_or_else(wrong)?;
        if hour > 23 || minute > 59 || second > 59 {
            return Err(wrong());
        }
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
        Ok(Timestamp((seconds * 1_000 + thousandths) * 1_000))
    }
}

fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The day of a date, counted from 1970-01-01; nothing for a date that there is not, or before that.
fn day_of(year: u64, month: u64, day: u64) -> Option<u64> {
    // As in `civil`, backwards; what it gives must give the date again.
    let shifted = if month > 2 { month.checked_sub(3)? } else { month + 9 };
    let year_from_march = year.checked_sub(u64::from(month <= 2))?;
    let (era, year_of_era) = (year_from_march / 400, year_from_march % 400);
    let day_of_year = (153 * shifted + 2) / 5 + day.checked_sub(1)?;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = (era * 146_097 + day_of_era).checked_sub(719_468)?;
    (civil(days) == (year, month, day)).then_some(days)
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
#[error("a time is written `2026-11-16`, or `2026-11-16T04:27:10Z`")]
pub struct InvalidTimestamp;

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
    fn what_is_written_is_read_again_and_nothing_else() {
        let read = |text: &str| text.parse::<Timestamp>().ok().map(|at| at.0);
        for at in [0, 951_782_400_000_000, 1_794_803_230_123_000, 4_107_542_399_999_000] {
            assert_eq!(read(&Timestamp(at).to_string()), Some(at));
        }
        assert_eq!(read("2000-02-29"), Some(951_782_400_000_000));
        assert_eq!(read("2026-11-16T04:27:10Z"), Some(1_794_803_230_000_000));
        assert_eq!(read("2026-11-16T04:27"), Some(1_794_803_220_000_000));
        for wrong in [
            "",
            "2026",
            "2026-11",
            "2026-11-",
            "2026-11-16T",
            "2026-02-30",
            "2026-13-01",
            "1969-12-31",
            "2026-11-16T04",
            "2026-11-16T24:00",
            "2026-11-16T04:27:10.1Z",
            "2026-11-16x",
            "2026-11-1é",
            "+026-11-16",
            "2026-00-10",
            "2026-01-00",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

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
