//! Durations, sizes, seeds and counts as people write them.

use crate::Durability;
use std::time::Duration;

/// A duration, or for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lifetime(pub(super) Option<Duration>);

/// Parses a duration or `never`.
pub(super) fn lifetime(text: &str) -> Result<Lifetime, String> {
    match text {
        "never" => Ok(Lifetime(None)),
        text => duration(text).map(|duration| Lifetime(Some(duration))),
    }
}

/// Parses the name of a level.
pub(super) fn durability(text: &str) -> Result<Durability, String> {
    match text {
        "process" => Ok(Durability::Process),
        "power" => Ok(Durability::Power),
        _ => Err("the levels are `process` and `power`".into()),
    }
}

/// Parses `500ms`, `2s`, `1.5s`, `5m`, `1h` or `30d`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];
    let (number, scale) = split(text, &units).ok_or("write a duration as `500ms`, `2s` or `5m`")?;
    Duration::try_from_secs_f64(number * scale)
        .ok()
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "a duration must be more than zero".into())
}

/// Parses `65536`, `512K`, `64M`, `1G`; `MB` and `MiB` mean the same.
pub(super) fn bytes(text: &str) -> Result<usize, String> {
    let bare = text.trim_end_matches("iB").trim_end_matches('B');
    let units =
        [("K", 1024.0), ("M", 1_048_576.0), ("G", 1_073_741_824.0), ("k", 1024.0), ("", 1.0)];
    let (number, scale) =
        split(bare, &units).ok_or("write a size as `65536`, `512K`, `64M` or `1G`")?;
    Ok((number * scale) as usize)
}

/// Returns `1 call`, `2 calls`.
pub(super) fn counted(count: u64, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}

/// Parses a whole number or 64 hex digits.
pub(super) fn seed(text: &str) -> Result<[u8; 32], String> {
    let mut seed = [0; 32];
    if let Ok(number) = text.parse::<u64>() {
        seed[..8].copy_from_slice(&number.to_le_bytes());
        return Ok(seed);
    }
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err("a seed is a whole number or 64 hex digits".into());
    }
    for (index, byte) in seed.iter_mut().enumerate() {
        let digits = &text[2 * index..2 * index + 2];
        *byte = u8::from_str_radix(digits, 16).map_err(|error| error.to_string())?;
    }
    Ok(seed)
}

/// Splits a number from its unit. Only plain decimals: no sign, no exponent.
fn split(text: &str, units: &[(&str, f64)]) -> Option<(f64, f64)> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale = units.iter().find(|(name, _)| *name == unit)?.1;
    Some((number.parse().ok()?, scale))
}

#[cfg(test)]
mod tests {
    use super::{Lifetime, bytes, duration, lifetime, seed};
    use std::time::Duration;

    #[test]
    fn durations_read_as_written() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(duration("30d"), Ok(Duration::from_secs(30 * 24 * 60 * 60)));
        for wrong in ["", "5", "0s", "-1s", "1e9s", "2 s", "5min", "nan", "1..2s"] {
            assert!(duration(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_question_lives_for_a_while_or_for_ever() {
        assert_eq!(lifetime("never"), Ok(Lifetime(None)));
        assert_eq!(lifetime("2h"), Ok(Lifetime(Some(Duration::from_secs(7200)))));
        assert!(lifetime("0s").is_err() && lifetime("ever").is_err());
    }

    #[test]
    fn sizes_read_as_written() {
        assert_eq!(bytes("64M"), Ok(64 << 20));
        assert_eq!(bytes("64MiB"), Ok(64 << 20));
        assert_eq!(bytes("1.5G"), Ok(3 << 29));
        assert_eq!(bytes("65536"), Ok(65536));
        for wrong in ["", "M", "-1", "64T", "0x10"] {
            assert!(bytes(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn seeds_are_numbers_or_bytes() {
        assert_eq!(seed("258").map(|seed| seed[..3].to_vec()), Ok(vec![2, 1, 0]));
        assert_eq!(seed(&"ab".repeat(32)), Ok([0xab; 32]));
        assert!(seed("abc").is_err());
        assert!(seed(&"é".repeat(32)).is_err());
    }
}
