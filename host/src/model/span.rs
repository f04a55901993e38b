//! Prints spans of time. `quantity.rs` reads them.

use std::time::Duration;

/// Returns a span as people read it: `850µs`, `12ms`, `3.4s`, `3s`, `5m`, `1m 30s`, `2h`, `47h
/// 59m`, `9d`. It has at most two units; smaller ones are left out.
pub fn format_span(span: Duration) -> String {
    let seconds = span.as_secs();
    let tenths = span.subsec_millis() / 100;
    match seconds {
        0 if span.as_micros() < 1_000 => format!("{}µs", span.as_micros()),
        0 => format!("{}ms", span.as_millis()),
        1..60 if span.subsec_nanos() == 0 => format!("{seconds}s"),
        1..60 => format!("{seconds}.{tenths}s"),
        60..3_600 => two_units(seconds / 60, "m", seconds % 60, "s"),
        3_600..172_800 => two_units(seconds / 3_600, "h", seconds / 60 % 60, "m"),
        _ => two_units(seconds / 86_400, "d", seconds / 3_600 % 24, "h"),
    }
}

fn two_units(large: u64, large_unit: &str, small: u64, small_unit: &str) -> String {
    match small {
        0 => format!("{large}{large_unit}"),
        _ => format!("{large}{large_unit} {small}{small_unit}"),
    }
}

/// Returns a span in milliseconds, with microseconds as the fraction, for JSON.
#[expect(clippy::cast_precision_loss, reason = "a span of days is exact to the microsecond")]
pub fn milliseconds(span: Duration) -> f64 {
    span.as_micros() as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::format_span;
    use std::time::Duration;

    #[test]
    fn spans_have_at_most_two_units() {
        let shown = |milliseconds| format_span(Duration::from_millis(milliseconds));
        assert_eq!(format_span(Duration::from_micros(850)), "850µs");
        assert_eq!([shown(12), shown(3_499), shown(59_999)], ["12ms", "3.4s", "59.9s"]);
        assert_eq!([shown(250), shown(3_000), shown(3_001)], ["250ms", "3s", "3.0s"]);
        assert_eq!([shown(300_000), shown(7_200_000), shown(777_600_000)], ["5m", "2h", "9d"]);
        assert_eq!([shown(90_000), shown(5_430_999), shown(60_999)], ["1m 30s", "1h 30m", "1m"]);
        assert_eq!([shown(172_799_000), shown(180_000_000)], ["47h 59m", "2d 2h"]);
    }
}
