//! Points in time and spans of it, as people read them.

use crate::Timestamp;
use std::time::Duration;

/// Returns `2026-11-16T04:27:10.123Z`.
pub(super) fn date(at: Timestamp) -> String {
    let (seconds, milliseconds) = (at.0 / 1_000_000, at.0 / 1_000 % 1_000);
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
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

/// Returns a span in its largest unit: `850µs`, `12ms`, `3.4s`, `5m`, `2h`, `9d`.
pub(super) fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0 if span.as_micros() < 1_000 => format!("{}µs", span.as_micros()),
        0 => format!("{}ms", span.as_millis()),
        1..60 => format!("{:.1}s", (span.as_secs_f64() * 10.0).floor() / 10.0),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// Returns `3m ago`.
pub(super) fn ago(at: Timestamp, now: Timestamp) -> String {
    match now.since(at) {
        age if age < Duration::from_secs(1) => "just now".into(),
        age if age < Duration::from_secs(60) => format!("{}s ago", age.as_secs()),
        age => format!("{} ago", span(age)),
    }
}

#[cfg(test)]
mod tests {
    use super::{ago, date, span};
    use crate::Timestamp;
    use std::time::Duration;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(Timestamp(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(date(Timestamp(951_782_400_000_000)), "2000-02-29T00:00:00.000Z");
        assert_eq!(date(Timestamp(1_794_803_230_123_456)), "2026-11-16T04:27:10.123Z");
        assert_eq!(date(Timestamp(4_107_542_399_999_999)), "2100-02-28T23:59:59.999Z");
    }

    #[test]
    fn spans_have_one_unit() {
        let shown = |milliseconds| span(Duration::from_millis(milliseconds));
        assert_eq!(span(Duration::from_micros(850)), "850µs");
        assert_eq!([shown(12), shown(3_499), shown(59_999)], ["12ms", "3.4s", "59.9s"]);
        assert_eq!([shown(300_000), shown(7_200_000), shown(777_600_000)], ["5m", "2h", "9d"]);
        let now = Timestamp(1_000_000_000);
        assert_eq!(ago(now, now), "just now");
        assert_eq!(ago(Timestamp(820_000_000), now), "3m ago");
        assert_eq!(ago(Timestamp(2_000_000_000), now), "just now");
    }
}
