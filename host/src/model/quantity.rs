//! Durations and sizes as people write them, on the command line and in files.

use std::time::Duration;

/// Parses `500ms`, `2s`, `1.5s`, `5m`, `1h` or `30d`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];
    let (number, scale) = split(text, &units).ok_or("write a duration as `500ms`, `2s` or `5m`")?;
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

/// Splits a number from its unit. Accepts only plain decimals: no sign, no exponent.
fn split(text: &str, units: &[(&str, f64)]) -> Option<(f64, f64)> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale = units.iter().find(|(name, _)| *name == unit)?.1;
    Some((number.parse().ok()?, scale))
}

#[cfg(test)]
mod tests {
    use super::{parse_bytes, parse_duration};
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
}
