//! Points in time and spans of it, as people read them.

use pml::Timestamp;
use std::time::Duration;

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
    use super::{ago, span};
    use pml::Timestamp;
    use std::time::Duration;

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
