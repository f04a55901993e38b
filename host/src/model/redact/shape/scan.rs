//! Searches a text for secrets, run by run: a run is letters, digits, `_` and `-`.

use super::pem::private_key;
use crate::model::redact::harmless::{hidden_mark, hideable_length, is_plain};
use crate::model::redact::key::{may_count, names_secret};
use std::borrow::Cow;
use std::ops::Range;

/// Prefixes of issued keys, and the least number of characters that follow.
const ISSUED_PREFIXES: &[(&str, usize)] = &[
    ("AGE-SECRET-KEY-", 20),
    ("AIza", 30),
    ("dckr_pat_", 16),
    ("dop_v1_", 20),
    ("gho_", 20),
    ("ghp_", 20),
    ("ghr_", 20),
    ("ghs_", 20),
    ("ghu_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("glsa_", 20),
    ("gsk_", 20),
    ("hf_", 20),
    ("lin_api_", 20),
    ("npm_", 30),
    ("pypi-", 30),
    ("rk_live_", 16),
    ("shpat_", 20),
    ("sk-", 16),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("whsec_", 16),
    ("xapp-", 10),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxe-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
];

/// Query parameters that are secrets, although the words are harmless elsewhere.
const SECRET_PARAMETERS: &[&str] =
    &["code", "key", "sig", "sign", "signature", "x-amz-signature", "x-goog-signature"];

/// Words that follow the name of a secret in code and prose, and are not secrets.
const HARMLESS_WORDS: &[&str] = &[
    "any",
    "bool",
    "boolean",
    "bytes",
    "false",
    "int",
    "none",
    "null",
    "number",
    "object",
    "optional",
    "required",
    "str",
    "string",
    "text",
    "true",
    "undefined",
    "unknown",
];

/// Words in a header that the secret itself follows.
const SCHEMES: &[&str] = &["apikey", "basic", "bearer", "digest", "negotiate", "token"];

/// Words that follow `bearer` in prose.
const AFTER_BEARER: &[&str] =
    &["and", "auth", "authentication", "authorization", "is", "of", "or", "token", "tokens"];

/// More characters than anybody writes between a name and its value: quotes, a colon or an equals
/// sign, blanks.
const GAP_LIMIT: usize = 8;

/// Returns the text with the secret part of every secret in it replaced.
pub(in crate::model::redact) fn hide(text: &str) -> Cow<'_, str> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        at = scan_at(text, at, &mut found);
    }
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut copied) = (String::with_capacity(text.len()), 0);
    for secret in found {
        shown.push_str(&text[copied..secret.start]);
        shown.push_str(&hidden_mark(secret.len()));
        copied = secret.end;
    }
    shown.push_str(&text[copied..]);
    Cow::Owned(shown)
}

/// Searches one run, or one character between runs, and returns where to continue. The ranges that
/// it finds are ASCII.
fn scan_at(text: &str, start: usize, found: &mut Vec<Range<usize>>) -> usize {
    let bytes = text.as_bytes();
    if !in_run(bytes[start]) {
        let password =
            bytes[start..].starts_with(b"://").then(|| password_of_url(text, start + 3)).flatten();
        let end = password.as_ref().map_or(start + 1, |password| password.end);
        found.extend(password);
        return end;
    }
    let end = run_end(bytes, start);
    if let Some(end) = private_key(text, start, found) {
        return end;
    }
    let secret = issued_key(text, start..end)
        .or_else(|| scheme_value(text, start..end))
        .or_else(|| assigned_value(text, start..end));
    let end = secret.as_ref().map_or(end, |secret| secret.end);
    found.extend(secret);
    end
}

fn in_run(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn run_end(bytes: &[u8], start: usize) -> usize {
    end_of(bytes, start, |byte| !in_run(byte))
}

/// Returns the position of the first byte from `start` on for which `ends` is true, or the end.
fn end_of(bytes: &[u8], start: usize, ends: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().position(|byte| ends(*byte)).unwrap_or(rest.len())
}

/// Returns the part of a value that may be hidden.
fn hideable_range(text: &str, value: Range<usize>) -> Option<Range<usize>> {
    hideable_length(&text[value.clone()]).map(|length| value.start..value.start + length)
}

/// Returns the password in `user:password@` of a URL; `start` is the position after `://`.
fn password_of_url(text: &str, start: usize) -> Option<Range<usize>> {
    // The first `@` ends it, and no character before it may belong to a host or a path.
    let ends = |byte: u8| !(in_run(byte) || b".+=:%~".contains(&byte));
    let end = end_of(text.as_bytes(), start, ends);
    let (_, behind) = text[end..].split_at_checked(1).filter(|(at, _)| *at == "@")?;
    // With a second `@`, the first one would belong to the user name or the password.
    let authority = &behind[..end_of(behind.as_bytes(), 0, |byte| {
        byte.is_ascii_whitespace() || b"/?#\"'<>`\\".contains(&byte)
    })];
    if authority.contains('@') {
        return None;
    }
    let colon = text[start..end].find(':')?;
    hideable_range(text, start + colon + 1..end)
}

/// Returns a key of a known service, or a JWT; it may begin in the middle of a run.
fn issued_key(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let last_digit = run.clone().rev().find(|at| bytes[*at].is_ascii_digit());
    let begins = |at: &usize| *at == run.start || !bytes[at - 1].is_ascii_alphanumeric();
    run.clone().filter(begins).find_map(|at| {
        let part = &text[at..run.end];
        let by_prefix = ISSUED_PREFIXES.iter().any(|(prefix, least)| {
            part.len() >= prefix.len() + least
                && part.starts_with(prefix)
                // A digit distinguishes a key from words with hyphens:
                // `sk-learn-compatible-models`.
                && last_digit.is_some_and(|digit| digit >= at)
        });
        let of_amazon = part.len() == 20
            && (part.starts_with("AKIA") || part.starts_with("ASIA"))
            && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        let found = match by_prefix || of_amazon {
            true => Some(at..run.end),
            false => web_token(text, at..run.end),
        };
        found.filter(|found| !is_in_path_or_host(text, found))
    })
}

/// Returns a JWT: `eyJ….….…`
fn web_token(text: &str, first: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if first.len() < 10
        || !text[first.start..].starts_with("eyJ")
        || bytes.get(first.end) != Some(&b'.')
    {
        return None;
    }
    let second = run_end(bytes, first.end + 1);
    if second - first.end < 5 || bytes.get(second) != Some(&b'.') {
        return None;
    }
    let third = run_end(bytes, second + 1);
    // No host ends in such a long name with digits in it.
    let signature = &bytes[second + 1..third];
    let signed = signature.len() >= 16 && signature.iter().any(u8::is_ascii_digit);
    signed.then_some(first.start..third)
}

/// Reports whether the characters around a part of a text may make it part of a path or a host.
fn is_in_path_or_host(text: &str, part: &Range<usize>) -> bool {
    let before = text[..part.start].ends_with(['/', '@', '.', '\\']);
    let after = text[part.end..].strip_prefix(['.', '/', ':', '@', '\\']);
    // A dot or a colon before a blank is punctuation.
    before || after.is_some_and(|rest| rest.starts_with(|c: char| !c.is_whitespace()))
}

/// Returns the secret in `Bearer …` or `Basic …`
fn scheme_value(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let bearer = text[run.clone()].eq_ignore_ascii_case("bearer");
    if !bearer && !text[run.clone()].eq_ignore_ascii_case("basic")
        || bytes.get(run.end) != Some(&b' ')
    {
        return None;
    }
    let value = word_at(text, run.end + 1, ValueTerminator::Plainly)?;
    let token = &text[value.clone()];
    let is_secret = match bearer {
        true => token.len() >= 3 && !AFTER_BEARER.contains(&token),
        // Prose has `basic understanding`; an encoded value has capitals or digits in the middle.
        false => {
            let odd = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
            token.len() >= 8 && token.bytes().skip(1).any(odd)
        }
    };
    is_secret.then_some(value)
}

/// Reports whether a word is long and has letters and digits.
fn looks_random(word: &str) -> bool {
    let has = |wanted: fn(&u8) -> bool| word.as_bytes().iter().any(wanted);
    word.len() >= 8 && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// The characters that may follow a value.
#[derive(Clone, Copy)]
enum ValueTerminator<'t> {
    /// A blank, a quote, or the end of an item or a list.
    Plainly,
    /// The same, or the end of a query parameter.
    InQuery,
    /// Exactly the quote that opened it.
    By(&'t str),
}

/// Returns the part of the value at `start` that may be hidden, or `None` if anything but a word
/// continues there.
fn word_at(text: &str, start: usize, terminator: ValueTerminator<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut end = end_of(bytes, start, |byte| !is_plain(byte) && byte != b'.');
    let value = start..end_of(bytes, end, |byte| byte != b'=').min(end + 3);
    let next = bytes.get(value.end).copied();
    let plainly = next.is_none_or(|next| next.is_ascii_whitespace() || b"\"',)]}".contains(&next));
    let ends = match terminator {
        ValueTerminator::Plainly => plainly,
        ValueTerminator::InQuery => plainly || matches!(next, Some(b'&' | b'#')),
        ValueTerminator::By(quote) => text[value.end..].starts_with(quote),
    };
    // A dot at the end is punctuation.
    if value.end == end && text[start..end].ends_with('.') {
        end -= 1;
        return ends.then(|| hideable_range(text, start..end)).flatten();
    }
    ends.then(|| hideable_range(text, value)).flatten()
}

/// Returns the value in `token=…`, `"password": "…"`, `--api-key …`, and in `?key=…` of a query.
fn assigned_value(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let name = &text[run.clone()];
    let in_query = run.start > 0 && matches!(bytes[run.start - 1], b'?' | b'&');
    let is_flag = name.starts_with("--");
    let gap_end = (run.end + GAP_LIMIT).min(bytes.len());
    let gap = end_of(&bytes[..gap_end], run.end, |byte| !b"\\\"' =:".contains(&byte));
    let between = &text[run.end..gap];
    let signed = between.find(['=', ':']);
    let sign = signed.map(|at| between.as_bytes()[at]);
    // The value is opened by nothing, or by exactly one quote. After a blank, a word without a
    // quote is a separate word.
    let behind = signed.map_or("", |at| &between[at + 1..]);
    let quote = behind.trim_start_matches(' ');
    let one_quote = matches!(quote, "" | "\"" | "'" | "\\\"" | "\\'");
    let apart = quote.is_empty() && behind.len() > quote.len();
    let joined = match sign {
        Some(b'=') => one_quote && !apart,
        Some(_) => one_quote,
        None => is_flag && between == " ",
    };
    let secret = joined
        && (names_secret(name)
            || in_query
                && sign == Some(b'=')
                && SECRET_PARAMETERS.contains(&name.to_ascii_lowercase().as_str()));
    if !secret {
        return None;
    }
    // A quote that closes the name comes before the sign; one that opens the value comes after it.
    let opening = &between[between.trim_end_matches(['"', '\'', '\\']).len()..];
    let terminator = match (opening, in_query) {
        ("", false) => ValueTerminator::Plainly,
        ("", true) => ValueTerminator::InQuery,
        (quote, _) => ValueTerminator::By(quote),
    };
    let value = word_at(text, gap, terminator)?;
    let word = &text[value.clone()];
    let last = text[value.end..].trim_start_matches(['=', '.']).trim_start_matches(' ');
    let ends_line =
        last.is_empty() || last.starts_with(['\n', '\r', '"', '\'', ',', ')', ']', '}']);
    // `token: rm -rf` is not a header, and the word after a flag may be anything: letters and
    // digits together show that it is a key.
    if (apart && !ends_line) || (sign.is_none() && !looks_random(word)) {
        return None;
    }
    let counted = may_count(name) && word.bytes().all(|byte| byte.is_ascii_digit());
    let known = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    let follows = known(SCHEMES) && bytes.get(value.end) == Some(&b' ');
    (!counted && !known(HARMLESS_WORDS) && !follows).then_some(value)
}
