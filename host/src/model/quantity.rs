//! Durations and sizes as people write them, on the command line and in files.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Parses `500ms`, `2s`, `1.5s`, `5m`, `1h` or `30d`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];
    let positive = text.strip_prefix('-').unwrap_or(text);
    let (number, scale) =
        split(positive, &units).ok_or("write a duration as `500ms`, `2s` or `5m`")?;
    let number = if positive == text { number } else { -number };
    Duration::try_from_secs_f64(number * scale)
        .ok()
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "a duration must be more than zero".into())
}

/// Parses `65536`, `512K`, `64M`, `1G`; `MB` and `MiB` mean the same.
pub fn parse_bytes(text: &str) -> Result<usize, String> {
    let bare = text.trim_end_matches("iB").trim_end_matches('B');
    let units =
        [("K", 1024.0), ("M", 1_048_576.0), ("G", 1_073_741_824.0), ("k", 1024.0), ("", 1.0)];
    let (number, scale) =
        split(bare, &units).ok_or("write a size as `65536`, `512K`, `64M` or `1G`")?;
    Ok((number * scale) as usize)
}

/// Formats a number of bytes in its largest unit: `64 bytes`, `512 KiB`, `1.5 GiB`.
pub fn format_bytes(bytes: usize) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let Some((unit, shift)) = units.into_iter().find(|(_, shift)| bytes >> shift > 0) else {
        return if bytes == 1 { "1 byte".into() } else { format!("{bytes} bytes") };
    };
    let tenths = (bytes as u128 * 10) >> shift;
    match tenths % 10 {
        0 => format!("{} {unit}", tenths / 10),
        tenth => format!("{}.{tenth} {unit}", tenths / 10),
    }
}

/// Checks that a size is in its range.
///
/// # Errors
/// The rest of a sentence that begins with the name of the setting.
pub fn check_size(bytes: usize, range: &RangeInclusive<usize>) -> Result<usize, String> {
    match range.contains(&bytes) {
        true => Ok(bytes),
        false => Err(format!(
            "is {}: it must be between {} and {}",
            format_bytes(bytes),
            format_bytes(*range.start()),
            format_bytes(*range.end())
        )),
    }
}

/// Splits a number from its unit. Accepts only plain decimals: no sign, no exponent.
fn split(text: &str, units: &[(&str, f64)]) -> Option<(f64, f64)> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale = units.iter().find(|(name, _)| *name == unit)?.1;
    Some((number.parse().ok()?, scale))
}

#[cfg(test)]
mod tests {
    use super::{check_size, format_bytes, parse_bytes, parse_duration};
    use std::time::Duration;

    #[test]
    fn durations_read_as_written() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_duration("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(parse_duration("30d"), Ok(Duration::from_secs(30 * 24 * 60 * 60)));
        for wrong in ["", "5", "0s", "-1s", "1e9s", "2 s", "5min", "nan", "1..2s"] {
            assert!(parse_duration(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn sizes_read_as_written() {
        assert_eq!(parse_bytes("64M"), Ok(64 << 20));
        assert_eq!(parse_bytes("64MiB"), Ok(64 << 20));
        assert_eq!(parse_bytes("1.5G"), Ok(3 << 29));
        assert_eq!(parse_bytes("65536"), Ok(65536));
        for wrong in ["", "M", "-1", "64T", "0x10"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn sizes_are_shown_in_their_largest_unit() {
        assert_eq!(
            [0, 1, 64, 1023].map(format_bytes),
            ["0 bytes", "1 byte", "64 bytes", "1023 bytes"]
        );
        assert_eq!([4 << 20, 3 << 29, 1 << 30].map(format_bytes), ["4 MiB", "1.5 GiB", "1 GiB"]);
        assert_eq!([1536, 2047].map(format_bytes), ["1.5 KiB", "1.9 KiB"]);
    }

    #[test]
    fn a_size_out_of_its_range_is_shown_with_its_range() {
        let range = (4 << 20)..=(1 << 30);
        assert_eq!(check_size(4 << 20, &range), Ok(4 << 20));
        let message = "is 64 bytes: it must be between 4 MiB and 1 GiB";
        assert_eq!(check_size(64, &range), Err(message.into()));
        assert!(check_size((1 << 30) + 1, &range).is_err());
    }
}
