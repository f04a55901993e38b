//! Secrets that give themselves away by their shape, anywhere in a text.
//!
//! One pass, run by run: a run is letters, digits, `_` and `-`. What follows a run is looked at only as far as a secret
//! reaches, which is then passed over.

use super::REDACTED;
use super::key::{may_count, names_secret};
use std::borrow::Cow;
use std::ops::Range;

/// How issued keys begin, and how many characters at least follow.
const ISSUED: &[(&str, usize)] = &[
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

/// Parts of a query that are secrets there, and plain words elsewhere.
const QUERY: &[&str] =
    &["code", "key", "sig", "sign", "signature", "x-amz-signature", "x-goog-signature"];

/// What follows the name of a secret in code and prose without being one.
const HARMLESS: &[&str] = &[
    "",
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
    REDACTED,
    "[redacted",
];

/// What follows `bearer` in prose.
const AFTER_BEARER: &[&str] =
    &["and", "auth", "authentication", "authorization", "is", "of", "or", "token", "tokens"];

/// More than anybody writes between a name and its value: quotes, a colon or an equals sign, blanks.
const GAP: usize = 8;

/// Returns the text with the secret part of every secret in it replaced.
pub(super) fn hide(text: &str) -> Cow<'_, str> {
    let mut hidden = String::new();
    let (mut at, mut copied) = (0, 0);
    while at < text.len() {
        let Some(secret) = next_secret(text, &mut at) else { continue };
        hidden.push_str(&text[copied..secret.start]);
        hidden.push_str(REDACTED);
        copied = secret.end;
        at = secret.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    hidden.push_str(&text[copied..]);
    Cow::Owned(hidden)
}

/// Looks at one run, or at what stands between two, and moves on behind it.
fn next_secret(text: &str, at: &mut usize) -> Option<Range<usize>> {
    let start = *at;
    let bytes = text.as_bytes();
    if !in_run(bytes[start]) {
        let user = bytes[start..].starts_with(b"://").then(|| password_of_url(text, start + 3));
        *at = start + 1;
        return user.flatten();
    }
    let end = run_end(bytes, start);
    *at = end;
    private_key(text, start)
        .or_else(|| issued(text, start..end))
        .or_else(|| scheme(text, start..end))
        .or_else(|| assigned(text, start..end))
}

fn in_run(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn run_end(bytes: &[u8], start: usize) -> usize {
    end_of(bytes, start, |byte| !in_run(byte))
}

/// Returns where the first byte from `start` on is that ends it.
fn end_of(bytes: &[u8], start: usize, ends: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().position(|byte| ends(*byte)).unwrap_or(rest.len())
}

/// `user:password@` of a URL whose part after `://` starts at `start`: the password.
fn password_of_url(text: &str, start: usize) -> Option<Range<usize>> {
    let ends = |byte: u8| byte.is_ascii_whitespace() || b"/?#\"'<>`".contains(&byte);
    let end = end_of(text.as_bytes(), start, ends);
    let authority = &text[start..end];
    let (user, _) = authority.rsplit_once('@')?;
    let colon = user.find(':')?;
    let secret = start + colon + 1..start + user.len();
    (!secret.is_empty() && &text[secret.clone()] != REDACTED).then_some(secret)
}

/// A private key in PEM, up to its end or the end of the text.
fn private_key(text: &str, start: usize) -> Option<Range<usize>> {
    let label = text[start..].strip_prefix("-----BEGIN ")?;
    let label = &label[..label.find("-----").filter(|length| *length < 40)?];
    if !label.contains("PRIVATE KEY") {
        return None;
    }
    let body = start + "-----BEGIN ".len() + label.len() + 5;
    let rest = &text[body..];
    Some(body..rest.find("-----END").map_or(text.len(), |end| body + end))
}

/// Something issued by a known service, or a JWT; it may begin in the middle of a run.
fn issued(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let last_digit = run.clone().rev().find(|at| bytes[*at].is_ascii_digit());
    let begins = |at: &usize| *at == run.start || !bytes[at - 1].is_ascii_alphanumeric();
    run.clone().filter(begins).find_map(|at| {
        let part = &text[at..run.end];
        let by_prefix = ISSUED.iter().any(|(prefix, least)| {
            part.len() >= prefix.len() + least
                && part.starts_with(prefix)
                // A digit tells a key from words with hyphens: `sk-learn-compatible-models`.
                && last_digit.is_some_and(|digit| digit >= at)
        });
        let of_amazon = part.len() == 20
            && (part.starts_with("AKIA") || part.starts_with("ASIA"))
            && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        match by_prefix || of_amazon {
            true => Some(at..run.end),
            false => web_token(text, at..run.end),
        }
    })
}

/// `eyJ….….…`
fn web_token(text: &str, first: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if first.len() < 10
        || !text[first.start..].starts_with("eyJ")
        || bytes.get(first.end) != Some(&b'.')
    {
        return None;
    }
    let second = run_end(bytes, first.end + 1);
    if second - first.end < 5 {
        return None;
    }
    let end = if bytes.get(second) == Some(&b'.') { run_end(bytes, second + 1) } else { second };
    Some(first.start..end)
}

/// `Bearer …` and `Basic …`
fn scheme(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let bearer = text[run.clone()].eq_ignore_ascii_case("bearer");
    if !bearer && !text[run.clone()].eq_ignore_ascii_case("basic")
        || bytes.get(run.end) != Some(&b' ')
    {
        return None;
    }
    let start = run.end + 1;
    let ends = |byte: u8| !byte.is_ascii_alphanumeric() && !b"-._~+/=".contains(&byte);
    let end = end_of(bytes, start, ends);
    let token = &text[start..end];
    let is_secret = match bearer {
        true => token.len() >= 3 && !AFTER_BEARER.contains(&token.trim_end_matches('.')),
        // Prose has `basic understanding`; what is encoded has capitals or digits in the middle.
        false => {
            let odd = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase() || byte == b'=';
            token.len() >= 8 && token.bytes().skip(1).any(odd)
        }
    };
    is_secret.then_some(start..end)
}

/// `token=…`, `"password": "…"`, `Cookie: …`, `--api-key …`, and `?key=…` in a query.
fn assigned(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let name = &text[run.clone()];
    let in_query = run.start > 0 && matches!(bytes[run.start - 1], b'?' | b'&');
    let is_flag = name.starts_with("--");
    let gap_end = (run.end + GAP).min(bytes.len());
    let gap = end_of(&bytes[..gap_end], run.end, |byte| !b"\\\"' =:".contains(&byte));
    let between = &text[run.end..gap];
    let sign = between.find(['=', ':']).map(|at| between.as_bytes()[at]);
    let joined = match sign {
        Some(b':') => !text[gap..].starts_with("//"),
        Some(_) => true,
        None => is_flag && between.starts_with(' ') && bytes.get(gap) != Some(&b'-'),
    };
    let secret = joined
        && (names_secret(name)
            || in_query
                && sign == Some(b'=')
                && QUERY.contains(&name.to_ascii_lowercase().as_str()));
    if !secret {
        return None;
    }
    let quote = between.bytes().last().filter(|byte| matches!(byte, b'"' | b'\''));
    // Headers hold several words: `Authorization: Digest a, b`, `Cookie: a=b; c=d`.
    let lower = name.to_ascii_lowercase();
    let header =
        sign == Some(b':') && (lower.ends_with("authorization") || lower.ends_with("cookie"));
    let end = end_of(bytes, gap, |byte| match quote {
        Some(quote) => byte == quote || byte == b'\\' || byte == b'\n',
        None if header => matches!(byte, b'"' | b'\'' | b'\n' | b'\r' | b'\\'),
        None => byte.is_ascii_whitespace() || b"&;,\"'<>()]}\\`".contains(&byte),
    });
    let value = &text[gap..end];
    let counted = may_count(name) && value.bytes().all(|byte| byte.is_ascii_digit());
    let harmless = HARMLESS.iter().any(|word| word.eq_ignore_ascii_case(value.trim()));
    (!counted && !harmless).then_some(gap..end)
}

#[cfg(test)]
mod tests {
    use super::hide;

    #[test]
    fn secrets_in_text_are_replaced_and_the_rest_stays() {
        for (text, shown) in [
            ("postgres://me:hunter2@db/x", "postgres://me:[redacted]@db/x"),
            (
                "see https://a:p%40ss:w@h.example/path?x=1",
                "see https://a:[redacted]@h.example/path?x=1",
            ),
            ("Authorization: Bearer xyz", "Authorization: [redacted]"),
            (
                "curl -H 'Authorization: Basic dTpw' https://x",
                "curl -H 'Authorization: [redacted]' https://x",
            ),
            ("use Bearer abc.def-123 now", "use Bearer [redacted] now"),
            ("Basic dXNlcjpwYXNz", "Basic [redacted]"),
            ("key sk-proj-abcdEFGH12345678 here", "key [redacted] here"),
            ("ghp_0123456789abcdefghij0123456789abcdef", "[redacted]"),
            ("x:github_pat_11ABCDEFG0abcdefghijkl_mno", "x:[redacted]"),
            ("xoxb-123456789012-abcdef", "[redacted]"),
            ("id AKIAIOSFODNN7EXAMPLE.", "id [redacted]."),
            ("a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def b", "a [redacted] b"),
            ("https://x.example/?a=1&key=AbC&b=2", "https://x.example/?a=1&key=[redacted]&b=2"),
            ("?token=abc#x", "?token=[redacted]"),
            ("API_KEY=abc PORT=80", "API_KEY=[redacted] PORT=80"),
            ("{\"password\": \"a b\", \"n\": 1}", "{\"password\": \"[redacted]\", \"n\": 1}"),
            ("{\\\"password\\\":\\\"ab\\\"}", "{\\\"password\\\":\\\"[redacted]\\\"}"),
            ("login --password hunter2 --user me", "login --password [redacted] --user me"),
            ("--api-key=abc", "--api-key=[redacted]"),
            ("Cookie: a=b; c=d\nHost: x", "Cookie: [redacted]\nHost: x"),
            ("pässwörter: é token=ü日&x", "pässwörter: é token=[redacted]&x"),
        ] {
            assert_eq!(hide(text), shown, "{text}");
        }
    }

    #[test]
    fn private_keys_are_replaced_to_their_end() {
        let pem = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb";
        let shown = "a\n-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\nb";
        assert_eq!(hide(pem), shown);
        assert_eq!(
            hide("-----BEGIN PRIVATE KEY-----\nMII"),
            "-----BEGIN PRIVATE KEY-----[redacted]"
        );
        let certificate = "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----";
        assert_eq!(hide(certificate), certificate);
    }

    #[test]
    fn what_only_looks_like_a_secret_stays() {
        for text in [
            "",
            "sk-learn-compatible-models",
            "task-1234567890123456789",
            "ssh://git@host/x",
            "http://localhost:8080/a@b",
            "max_tokens=500",
            "tokens: 12",
            "the bearer token is",
            "a basic understanding",
            "monkey=1",
            "?page=2&keyword=x",
            "function f(token: string)",
            "AKIA is a prefix",
            "eyJ.short.x",
            "token://x",
            "password=",
            "ghp_short",
            "2026-11-16",
            "author: me",
            "the secret is out",
            "AKIAIOSFODNN7EXAMPLEX",
            "key=value",
        ] {
            assert_eq!(hide(text), text);
        }
    }

    #[test]
    fn hiding_twice_changes_nothing_more() {
        for text in ["token=abc", "a://b:c@d", "Bearer abcdef", "{\"secret\":\"x\"}", "Cookie: a=b"]
        {
            let once = hide(text).into_owned();
            assert_eq!(hide(&once), once);
        }
    }

    /// Each of these is a megabyte; anything worse than linear would take hours.
    #[test]
    fn hostile_text_costs_no_more_than_its_length() {
        for part in [
            "sk-",
            "eyJ-",
            "eyJ.",
            "://",
            ":",
            "token=",
            "-----BEGIN ",
            "-----BEGIN PRIVATE KEY-----",
            "bearer ",
            "\"",
            "password:",
            "a",
            "-",
            "://a:",
            "AKIA_",
            "é",
            "--token ",
            "eyJaaaaaaaaaa.",
        ] {
            let text = part.repeat((1 << 20) / part.len());
            assert!(hide(&text).len() <= text.len() * 16);
        }
    }
}
