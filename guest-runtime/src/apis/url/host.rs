//! Hosts: names, numbers, and what a program may mean by them. The host parser of the WHATWG standard.

use super::AddressError;
use super::percent::{self, CONTROLS};
use idna::AsciiDenyList;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Characters that no host has.
const FORBIDDEN: &[char] =
    &['\0', '\t', '\n', '\r', ' ', '#', '/', ':', '<', '>', '?', '@', '[', '\\', ']', '^', '|'];

/// Returns a host as it is written.
pub(super) fn parse(text: &str, is_special: bool) -> Result<String, AddressError> {
    if let Some(rest) = text.strip_prefix('[') {
        let inner = rest.strip_suffix(']').ok_or(AddressError)?;
        return Ok(format!("[{}]", compressed(inner.parse().map_err(|_| AddressError)?)));
    }
    if !is_special {
        return match text.contains(FORBIDDEN) {
            true => Err(AddressError),
            false => Ok(percent::encode(text, CONTROLS)),
        };
    }
    let decoded = percent::decode(text);
    let name = idna::domain_to_ascii_cow(&decoded, AsciiDenyList::URL);
    let name = name.map_err(|_| AddressError)?;
    match name.as_ref() {
        "" => Err(AddressError),
        name if ends_in_number(name) => Ok(parse_ipv4(name).ok_or(AddressError)?.to_string()),
        name => Ok(name.to_owned()),
    }
}

/// Whether a text is a drive letter: `C:` or `C|`.
pub(super) fn is_drive(text: &[char]) -> bool {
    matches!(text, [letter, ':' | '|'] if letter.is_ascii_alphabetic())
}

/// Whether a segment is a drive letter with a colon.
pub(super) fn is_normalized_drive(segment: &str) -> bool {
    matches!(segment.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

/// Whether a text starts with a drive letter that ends there.
pub(super) fn starts_with_drive(text: &[char]) -> bool {
    text.len() >= 2
        && is_drive(&text[..2])
        && text.get(2).is_none_or(|next| matches!(next, '/' | '\\' | '?' | '#'))
}

fn ends_in_number(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_decimal = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    is_decimal || number(last).is_some()
}

fn parse_ipv4(name: &str) -> Option<Ipv4Addr> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let parts: Vec<&str> = name.split('.').collect();
    let (last, first) = parts.split_last().filter(|(_, first)| first.len() < 4)?;
    let mut address = 0;
    for (index, part) in first.iter().enumerate() {
        let part = number(part).filter(|part| *part < 256)?;
        address |= part << (24 - 8 * index);
    }
    // The last part fills all the bytes that are left.
    let last = number(last).filter(|last| *last < 1 << (8 * (4 - first.len())))?;
    u32::try_from(address | last).ok().map(Ipv4Addr::from)
}

/// A part of an IPv4 address: decimal, octal or hexadecimal. One that is too large gives a number that no address has.
fn number(part: &str) -> Option<u64> {
    let hexadecimal = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X"));
    let octal = part.strip_prefix('0').filter(|rest| !rest.is_empty());
    let (digits, radix) = match (hexadecimal, octal) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) => (digits, 8),
        (None, None) if part.is_empty() => return None,
        (None, None) => (part, 10),
    };
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    match digits {
        "" => Some(0),
        digits => Some(u64::from_str_radix(digits, radix).unwrap_or(u64::MAX)),
    }
}

/// An IPv6 address with its longest run of zeros left out. Unlike Rust's own form, no part of it is written as IPv4.
fn compressed(address: Ipv6Addr) -> String {
    let pieces = address.segments();
    let mut longest = 0..0;
    let mut start = 0;
    while start < pieces.len() {
        let end = start + pieces[start..].iter().take_while(|piece| **piece == 0).count();
        if end - start > longest.len().max(1) {
            longest = start..end;
        }
        start = end.max(start + 1);
    }
    let join = |pieces: &[u16]| {
        pieces.iter().map(|piece| format!("{piece:x}")).collect::<Vec<_>>().join(":")
    };
    match longest.is_empty() {
        true => join(&pieces),
        false => format!("{}::{}", join(&pieces[..longest.start]), join(&pieces[longest.end..])),
    }
}
