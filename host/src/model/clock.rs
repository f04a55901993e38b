//! Time. This is the only file that reads the machine's clock.

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment: microseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// Returns the moment `after` this one.
    pub fn plus(self, after: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(u64::try_from(after.as_micros()).unwrap_or(u64::MAX)))
    }

    /// Returns the time from `earlier` to this moment; zero if `earlier` is later.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

/// Prints as in RFC 3339: `2026-11-16T04:27:10.123Z`. A moment after the year 9999 is printed as
/// the last of that year.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = SignedDuration::from_micros(i64::try_from(self.0).unwrap_or(i64::MAX));
        write!(f, "{:.3}Z", EPOCH.saturating_add(since))
    }
}

/// The moment that timestamps count from, in UTC.
const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// The accepted forms of a time, without its `Z`; `0` stands for any digit.
const SHAPES: [&str; 4] =
    ["0000-00-00", "0000-00-00T00:00", "0000-00-00T00:00:00", "0000-00-00T00:00:00.000"];

/// The position of the seconds in a time.
const SECONDS: Range<usize> = 17..19;

/// Reads the printed form, or only its beginning: `2026-11-16` is the midnight before that day, in
/// UTC.
impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Timestamp, InvalidTimestamp> {
        let text = text.strip_suffix('Z').unwrap_or(text);
        // The parser accepts more spellings than these, and reads a leap second as the second
        // before it.
        let leap_second = text.get(SECONDS) == Some("60");
        if leap_second || !SHAPES.iter().any(|shape| has_shape(text, shape)) {
            return Err(InvalidTimestamp);
        }
        let at: DateTime = text.parse().map_err(|_| InvalidTimestamp)?;
        let since = at.duration_since(EPOCH).as_micros();
        u64::try_from(since).map(Timestamp).map_err(|_| InvalidTimestamp)
    }
}

fn has_shape(text: &str, shape: &str) -> bool {
    let fits = |(byte, shape): (u8, u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        separator => byte == separator,
    };
    text.len() == shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}

/// The error for a text that is not a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a time is written `2026-11-16`, or `2026-11-16T04:27:10Z`")]
pub struct InvalidTimestamp;

/// The clock that programs get their time from.
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
        assert_eq!(read("2026-11-16Z"), Some(1_794_787_200_000_000));
        assert_eq!(read("9999-12-31T23:59:59.999Z"), Some(253_402_300_799_999_000));
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
            "2026-11-16T23:59:60",
            "2026-11-16 04:27",
            "2026-11-16t04:27",
            "20261116",
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
        assert_eq!(date(253_402_300_799_999_999), "9999-12-31T23:59:59.999Z");
        assert_eq!(date(253_402_300_800_000_000), "9999-12-31T23:59:59.999Z");
        assert_eq!(date(u64::MAX), "9999-12-31T23:59:59.999Z");
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
