//! Formats points in time and time spans for people.

use pml::Timestamp;
pub(super) use pml::text::format_span;
use std::time::Duration;

/// Returns the age of `at` in one unit, rounded down: `3m ago`.
pub(super) fn ago(at: Timestamp, now: Timestamp) -> String {
    match now.since(at) {
        age if age < Duration::from_secs(1) => "just now".into(),
        age if age < Duration::from_secs(60) => format!("{}s ago", age.as_secs()),
        age => {
            let whole = format_span(age);
            format!("{} ago", whole.split(' ').next().unwrap_or(&whole))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ago;
    use pml::Timestamp;

    #[test]
    fn ages_have_one_unit() {
        let now = Timestamp(1_000_000_000);
        assert_eq!(ago(now, now), "just now");
        assert_eq!(ago(Timestamp(820_000_000), now), "3m ago");
        assert_eq!(ago(Timestamp(797_000_000), now), "3m ago");
        assert_eq!(ago(Timestamp(2_000_000_000), now), "just now");
    }
}
