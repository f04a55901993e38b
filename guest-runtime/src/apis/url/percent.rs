//! Percent-encoding: which characters each part of an address has to escape.

use std::fmt::Write as _;

/// The characters that a part of an address escapes, besides controls and everything outside ASCII.
#[derive(Clone, Copy)]
pub(super) struct EscapedCharacters(&'static str);

/// A host of an unknown scheme, and an opaque path: controls only.
pub(super) const CONTROLS: EscapedCharacters = EscapedCharacters("");
pub(super) const FRAGMENT: EscapedCharacters = EscapedCharacters(" \"<>`");
pub(super) const QUERY: EscapedCharacters = EscapedCharacters(" \"#<>");
pub(super) const SPECIAL_QUERY: EscapedCharacters = EscapedCharacters(" \"#<>'");
pub(super) const PATH: EscapedCharacters = EscapedCharacters(" \"#<>?^`{}");
pub(super) const USER: EscapedCharacters = EscapedCharacters(" \"#<>?^`{}/:;=@[\\]|");

/// Appends a character, escaped if it has to be.
pub(super) fn push(text: &mut String, character: char, escaped: EscapedCharacters) {
    if matches!(character, ' '..='~') && !escaped.0.contains(character) {
        text.push(character);
        return;
    }
    for byte in character.encode_utf8(&mut [0; 4]).bytes() {
        // Writing to a `String` never fails.
        let _ = write!(text, "%{byte:02X}");
    }
}

/// Escapes a text.
pub(super) fn encode(text: &str, escaped: EscapedCharacters) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut done, character| {
        push(&mut done, character, escaped);
        done
    })
}

/// The bytes that a text stands for: `%41` is `A`. What is no escape stays.
pub(super) fn decode(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}
