//! Changes of one part of an address: the setters of `URL`. A value that does not fit changes nothing.

use super::host;
use super::parse::{self, Parser};
use super::percent::{self, FRAGMENT, USER};
use super::record::{Address, Path, is_special};

/// A part that can be set, in the order that `url.js` knows.
pub(super) fn set(address: &mut Address, part: u32, value: &str) -> Option<()> {
    match part {
        0 => set_scheme(address, value),
        1 | 2 if address.takes_no_credentials() => None,
        1 => {
            address.username = percent::encode(value, USER);
            Some(())
        }
        2 => {
            address.password = percent::encode(value, USER);
            Some(())
        }
        3 => set_host(address, value, HostPart::WithPort),
        4 => set_host(address, value, HostPart::NameOnly),
        5 => set_port(address, value),
        6 => set_path(address, value),
        7 => {
            let value: String = parse::without_line_ends(value).collect();
            let query = value.strip_prefix('?').unwrap_or(&value);
            address.query = (!value.is_empty()).then(|| parse::encode_query(address, query));
            trim_opaque_path(address);
            Some(())
        }
        _ => {
            let value: String = parse::without_line_ends(value).collect();
            let fragment = value.strip_prefix('#').unwrap_or(&value);
            address.fragment = (!value.is_empty()).then(|| percent::encode(fragment, FRAGMENT));
            trim_opaque_path(address);
            Some(())
        }
    }
}

/// Blanks at the end of an opaque path stay only while something follows them: read again, they would be gone.
fn trim_opaque_path(address: &mut Address) {
    if let (Path::Opaque(path), None, None) = (&mut address.path, &address.query, &address.fragment)
    {
        path.truncate(path.trim_end_matches(' ').len());
    }
}

/// What a value for the host may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HostPart {
    WithPort,
    NameOnly,
}

fn set_scheme(address: &mut Address, value: &str) -> Option<()> {
    let value: String = parse::without_line_ends(value).collect();
    let scheme = value.split(':').next().filter(|scheme| parse::is_scheme(scheme))?;
    let scheme = scheme.to_ascii_lowercase();
    let has_place = address.has_credentials() || address.port.is_some();
    let host = address.host.as_deref().unwrap_or_default();
    if is_special(&scheme) != address.is_special()
        || (scheme == "file" && has_place)
        || (address.is_file() && host.is_empty())
    {
        return None;
    }
    address.scheme = scheme;
    if let Some(port) = address.port {
        address.set_port(port);
    }
    Some(())
}

fn set_host(address: &mut Address, value: &str, part: HostPart) -> Option<()> {
    if matches!(address.path, Path::Opaque(_)) {
        return None;
    }
    let special = address.is_special();
    let ends =
        |character: &char| matches!(character, '/' | '?' | '#') || (*character == '\\' && special);
    let text: Vec<char> =
        parse::without_line_ends(value).take_while(|character| !ends(character)).collect();
    if address.is_file() {
        let name: String = text.iter().collect();
        let host = match name.as_str() {
            "" => name,
            name => host::parse(name, true).ok()?,
        };
        address.host = Some(if host == "localhost" { String::new() } else { host });
        return Some(());
    }
    let (name, port) = parse::split_port(&text);
    let name: String = name.iter().collect();
    if port.is_some() && part == HostPart::NameOnly {
        return None;
    }
    let has_place = address.has_credentials() || address.port.is_some();
    if name.is_empty() && (special || port.is_some() || has_place) {
        return None;
    }
    address.host = Some(host::parse(&name, special).ok()?);
    if let Some(port) = port.and_then(leading_port) {
        address.set_port(port);
    }
    Some(())
}

fn set_port(address: &mut Address, value: &str) -> Option<()> {
    if address.takes_no_credentials() {
        return None;
    }
    if value.is_empty() {
        address.port = None;
        return Some(());
    }
    let text: Vec<char> = parse::without_line_ends(value).collect();
    address.set_port(leading_port(&text)?);
    Some(())
}

/// The number at the start of a text, if it is a port.
fn leading_port(text: &[char]) -> Option<u16> {
    let digits: String = text.iter().take_while(|digit| digit.is_ascii_digit()).collect();
    digits.parse().ok()
}

fn set_path(address: &mut Address, value: &str) -> Option<()> {
    if matches!(address.path, Path::Opaque(_)) {
        return None;
    }
    address.path = Path::Segments(Vec::new());
    let text: Vec<char> = parse::without_line_ends(value).collect();
    let special = address.is_special();
    let is_slash = |character: &char| *character == '/' || (*character == '\\' && special);
    if text.is_empty() && !special {
        if address.host.is_none() {
            address.path = Path::Segments(vec![String::new()]);
        }
        return Some(());
    }
    let text = match text.first().is_some_and(is_slash) {
        true => &text[1..],
        false => &text[..],
    };
    let mut parser = Parser { address: address.clone(), text: Vec::new(), at: 0 };
    let mut segments = text.split(is_slash).peekable();
    while let Some(segment) = segments.next() {
        parser.push_segment(segment, segments.peek().is_none());
    }
    *address = parser.address;
    Some(())
}
