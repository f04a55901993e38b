//! From a text to an address: the URL parser of the WHATWG standard, one function for each of its states.

use super::AddressError;
use super::host;
use super::percent::{self, CONTROLS, FRAGMENT, PATH, QUERY, SPECIAL_QUERY, USER};
use super::record::{Address, Path};

/// Reads an address, or one that is relative to a base.
pub(super) fn parse(input: &str, base: Option<&Address>) -> Result<Address, AddressError> {
    let trimmed = input.trim_matches(|character: char| character <= ' ');
    let text: Vec<char> = without_line_ends(trimmed).collect();
    let scheme = text.iter().position(|character| *character == ':').and_then(|end| {
        let scheme: String = text[..end].iter().collect();
        is_scheme(&scheme).then(|| (scheme.to_ascii_lowercase(), end + 1))
    });
    let Some((scheme, end)) = scheme else {
        return without_scheme(text, base.ok_or(AddressError)?);
    };
    let mut parser = Parser { address: Address::new(&scheme), text, at: end };
    let follows = base.filter(|base| base.scheme == scheme);
    let special = parser.address.is_special();
    match follows {
        _ if parser.address.is_file() => parser.file(follows)?,
        Some(base) if special && !parser.starts_with("//") => parser.relative(base)?,
        _ if special => parser.authority_after_slashes()?,
        _ if parser.starts_with("//") => {
            parser.at += 2;
            parser.authority()?;
        }
        _ if parser.starts_with("/") => parser.path(),
        _ => parser.opaque_path(),
    }
    Ok(parser.address)
}

fn without_scheme(text: Vec<char>, base: &Address) -> Result<Address, AddressError> {
    let mut parser = Parser { address: Address::new(&base.scheme), text, at: 0 };
    match &base.path {
        Path::Opaque(_) if parser.next() == Some('#') => {
            parser.address = Address { fragment: None, ..base.clone() };
            parser.query_and_fragment();
        }
        Path::Opaque(_) => return Err(AddressError),
        Path::Segments(_) if base.is_file() => parser.file(Some(base))?,
        Path::Segments(_) => parser.relative(base)?,
    }
    Ok(parser.address)
}

/// The characters of a text without tabs and line ends, which count nowhere in an address.
pub(super) fn without_line_ends(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|character| !matches!(character, '\t' | '\n' | '\r'))
}

/// Whether a text has the form of a scheme.
pub(super) fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Reads a text from `at` on, and fills the address.
pub(super) struct Parser {
    pub(super) address: Address,
    pub(super) text: Vec<char>,
    pub(super) at: usize,
}

impl Parser {
    pub(super) fn next(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn starts_with(&self, prefix: &str) -> bool {
        self.text[self.at..].iter().copied().take(prefix.len()).eq(prefix.chars())
    }

    fn is_slash(&self, character: char) -> bool {
        character == '/' || (character == '\\' && self.address.is_special())
    }

    pub(super) fn at_slash(&self) -> bool {
        self.next().is_some_and(|character| self.is_slash(character))
    }

    /// The end of what has no slash, `?` or `#` in it.
    pub(super) fn end_of_part(&self) -> usize {
        let part = self.text[self.at..].iter();
        let ends = |character: &char| self.is_slash(*character) || matches!(character, '?' | '#');
        self.at + part.take_while(|character| !ends(character)).count()
    }

    fn relative(&mut self, base: &Address) -> Result<(), AddressError> {
        if !self.at_slash() {
            self.address = Address { fragment: None, ..base.clone() };
            if !matches!(self.next(), None | Some('?' | '#')) {
                self.address.query = None;
                self.address.shorten();
                self.path();
            } else {
                self.query_and_fragment();
            }
            return Ok(());
        }
        self.at += 1;
        if self.at_slash() {
            return match self.address.is_special() {
                true => self.authority_after_slashes(),
                false => {
                    self.at += 1;
                    self.authority()
                }
            };
        }
        let path = Path::Segments(Vec::new());
        self.address = Address { path, query: None, fragment: None, ..base.clone() };
        self.segments();
        Ok(())
    }

    fn authority_after_slashes(&mut self) -> Result<(), AddressError> {
        while self.at_slash() {
            self.at += 1;
        }
        self.authority()
    }

    fn authority(&mut self) -> Result<(), AddressError> {
        let end = self.end_of_part();
        let part = self.text[self.at..end].to_vec();
        let mut place = part.as_slice();
        if let Some(sign) = part.iter().rposition(|character| *character == '@') {
            let user = &part[..sign];
            place = &part[sign + 1..];
            if place.is_empty() {
                return Err(AddressError);
            }
            let colon = user.iter().position(|character| *character == ':');
            let name: String = user[..colon.unwrap_or(user.len())].iter().collect();
            let password: String = user[colon.map_or(user.len(), |at| at + 1)..].iter().collect();
            self.address.username = percent::encode(&name, USER);
            self.address.password = percent::encode(&password, USER);
        }
        let (name, port) = split_port(place);
        let name: String = name.iter().collect();
        let special = self.address.is_special();
        if name.is_empty() && (special || port.is_some()) {
            return Err(AddressError);
        }
        self.address.host = Some(host::parse(&name, special)?);
        if let Some(digits) = port.filter(|digits| !digits.is_empty()) {
            let digits: String = digits.iter().collect();
            if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(AddressError);
            }
            self.address.set_port(digits.parse().map_err(|_| AddressError)?);
        }
        self.at = end;
        self.path();
        Ok(())
    }

    /// Reads a path that follows a host, and what comes after it.
    pub(super) fn path(&mut self) {
        if self.at_slash() {
            self.at += 1;
        } else if !self.address.is_special() && matches!(self.next(), None | Some('?' | '#')) {
            return self.query_and_fragment();
        }
        self.segments();
    }

    /// Reads segments up to the query, and what comes after them.
    pub(super) fn segments(&mut self) {
        loop {
            let end = self.end_of_part();
            let segment = self.text[self.at..end].to_vec();
            self.at = end;
            let is_last = !self.at_slash();
            self.push_segment(&segment, is_last);
            if is_last {
                break;
            }
            self.at += 1;
        }
        self.query_and_fragment();
    }

    /// Adds a segment to the path, or does what `.` and `..` say.
    pub(super) fn push_segment(&mut self, segment: &[char], is_last: bool) {
        let text: String = segment.iter().collect();
        let plain = text.to_ascii_lowercase().replace("%2e", ".");
        let is_file = self.address.is_file();
        if plain == ".." {
            self.address.shorten();
        }
        let Some(segments) = self.address.segments() else { return };
        if plain == "." || plain == ".." {
            if is_last {
                segments.push(String::new());
            }
            return;
        }
        segments.push(match is_file && segments.is_empty() && host::is_drive(segment) {
            true => format!("{}:", segment[0]),
            false => percent::encode(&text, PATH),
        });
    }

    fn opaque_path(&mut self) {
        let rest = self.text[self.at..].iter();
        let end = self.at + rest.take_while(|it| !matches!(it, '?' | '#')).count();
        let text: String = self.text[self.at..end].iter().collect();
        self.address.path = Path::Opaque(percent::encode(&text, CONTROLS));
        self.at = end;
        self.query_and_fragment();
    }

    pub(super) fn query_and_fragment(&mut self) {
        let rest: String = self.text[self.at..].iter().collect();
        let (query, fragment) = match rest.split_once('#') {
            Some((query, fragment)) => (query, Some(fragment)),
            None => (rest.as_str(), None),
        };
        if let Some(query) = query.strip_prefix('?') {
            self.address.query = Some(encode_query(&self.address, query));
        }
        if let Some(fragment) = fragment {
            self.address.fragment = Some(percent::encode(fragment, FRAGMENT));
        }
    }
}

/// Escapes a query as the scheme has it.
pub(super) fn encode_query(address: &Address, query: &str) -> String {
    percent::encode(query, if address.is_special() { SPECIAL_QUERY } else { QUERY })
}

/// Host and port of an authority. A colon between brackets belongs to the host.
pub(super) fn split_port(text: &[char]) -> (&[char], Option<&[char]>) {
    let mut is_bracketed = false;
    for (index, character) in text.iter().enumerate() {
        match character {
            '[' => is_bracketed = true,
            ']' => is_bracketed = false,
            ':' if !is_bracketed => return (&text[..index], Some(&text[index + 1..])),
            _ => {}
        }
    }
    (text, None)
}
