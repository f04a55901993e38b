//! Parses and formats quantities as people write them: lifetimes, durability levels, seeds, sizes
//! and counts.

use data_encoding::HEXLOWER_PERMISSIVE;
use pml::Limits;
use pml::journal::Durability;
pub(super) use pml::text::parse_duration;
use pml::text::{check_size, parse_bytes};
use std::time::Duration;

/// A duration; `None` means forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lifetime(pub(super) Option<Duration>);

/// Parses a duration or `never`.
pub(super) fn lifetime(text: &str) -> Result<Lifetime, String> {
    match text {
        "never" => Ok(Lifetime(None)),
        text => parse_duration(text).map(|duration| Lifetime(Some(duration))),
    }
}

/// Parses the size of `--memory`.
pub(super) fn memory(text: &str) -> Result<usize, String> {
    check_size(parse_bytes(text)?, &Limits::MEMORY_RANGE)
}

/// Parses the size of `--journal-size`.
pub(super) fn journal_size(text: &str) -> Result<usize, String> {
    check_size(parse_bytes(text)?, &Limits::JOURNAL_RANGE)
}

/// Parses a number of things to show.
pub(super) fn shown_count(text: &str) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(0) => Err("is too few: it must be at least 1".into()),
        Ok(count) => Ok(count),
        Err(_) => Err("write a whole number, as in `20`".into()),
    }
}

/// Parses the name of a durability level.
pub(super) fn durability(text: &str) -> Result<Durability, String> {
    match text {
        "process" => Ok(Durability::Process),
        "power" => Ok(Durability::Power),
        _ => Err("the levels are `process` and `power`".into()),
    }
}

/// Returns a count with its noun in singular or plural: `1 call`, `2 calls`.
pub(super) fn counted(count: u64, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}

/// Formats a number of bytes in its largest unit: `512 B`, `3.4 KiB`, `61 MiB`.
pub(super) fn size(bytes: u64) -> String {
    let scaled = |shift: u32, unit: &str| {
        let tenths = (bytes * 10) >> shift;
        match tenths {
            100.. => format!("{} {unit}", tenths / 10),
            _ => format!("{}.{} {unit}", tenths / 10, tenths % 10),
        }
    };
    match bytes {
        0..0x400 => format!("{bytes} B"),
        0x400..0x10_0000 => scaled(10, "KiB"),
        0x10_0000..0x4000_0000 => scaled(20, "MiB"),
        _ => scaled(30, "GiB"),
    }
}

/// Parses a seed: a whole number or 64 hex digits.
pub(super) fn seed(text: &str) -> Result<[u8; 32], String> {
    if let Ok(number) = text.parse::<u64>() {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number.to_le_bytes());
        return Ok(seed);
    }
    let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok();
    let seed = bytes.and_then(|bytes| bytes.try_into().ok());
    seed.ok_or_else(|| "a seed is a whole number or 64 hex digits".into())
}

#[cfg(test)]
mod tests {
    use super::{Lifetime, journal_size, lifetime, memory, seed, shown_count, size};
    use std::time::Duration;

    #[test]
    fn a_question_lives_for_a_while_or_for_ever() {
        assert_eq!(lifetime("never"), Ok(Lifetime(None)));
        assert_eq!(lifetime("2h"), Ok(Lifetime(Some(Duration::from_secs(7200)))));
        assert!(lifetime("0s").is_err() && lifetime("ever").is_err());
    }

    #[test]
    fn a_limit_out_of_its_range_is_refused_with_units() {
        assert_eq!(memory("64M"), Ok(64 << 20));
        assert_eq!(memory("64").unwrap_err(), "is 64 bytes: it must be between 4 MiB and 1 GiB");
        let journal = "is 3 GiB: it must be between 16 KiB and 2 GiB";
        assert_eq!(journal_size("3G").unwrap_err(), journal);
    }

    #[test]
    fn a_list_shows_at_least_one() {
        assert_eq!(shown_count("20"), Ok(20));
        assert_eq!(shown_count("0").unwrap_err(), "is too few: it must be at least 1");
        assert!(shown_count("-1").unwrap_err().starts_with("write a whole number"));
    }

    #[test]
    fn sizes_have_one_unit() {
        assert_eq!([size(7), size(3_500), size(64 << 20)], ["7 B", "3.4 KiB", "64 MiB"]);
        assert_eq!([size(5 << 30), size(0)], ["5.0 GiB", "0 B"]);
    }

    #[test]
    fn seeds_are_numbers_or_bytes() {
        assert_eq!(seed("258").map(|seed| seed[..3].to_vec()), Ok(vec![2, 1, 0]));
        assert_eq!(seed(&"ab".repeat(32)), Ok([0xab; 32]));
        assert!(seed("abc").is_err());
        assert!(seed(&"é".repeat(32)).is_err());
    }
}
