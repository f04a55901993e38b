//! A JSON value in one line.

use super::value::redact;
use crate::model::text::{cut, escape};
use serde_json::Value;

/// Returns the value as one line of JSON of at most `limit` characters: secrets redacted, what a terminal obeys escaped,
/// and what is over cut with `…`.
///
/// ```
/// let arguments = pml::json::json!({ "text": "one\ntwo", "token": "abc" });
/// assert_eq!(pml::brief(&arguments, 80), r#"{"text":"one\ntwo","token":"[redacted]"}"#);
/// assert_eq!(pml::brief(&arguments, 10), r#"{"text":"…"#);
/// ```
pub fn brief(value: &Value, limit: usize) -> String {
    // JSON text has no line ends or tabs of its own, which are all that `escape` lets through.
    cut(&escape(&redact(value).to_string()), limit)
}

/// Characters of a value that is shortened; `"[redacted]"` has as many.
const LEAST: usize = 12;

/// Characters of a name.
const NAME: usize = 32;

/// Returns the arguments of a call like [`brief`], but with every one of them named: long values are shortened, each to what the
/// others leave it, so that none hides behind another. Only where there are more than fit, the rest is counted.
pub(crate) fn brief_arguments(arguments: &Value, limit: usize) -> String {
    let redacted = redact(arguments);
    let whole = escape(&redacted.to_string()).into_owned();
    let Value::Object(given) = &redacted else { return cut(&whole, limit) };
    if whole.chars().count() <= limit {
        return whole;
    }
    let named: Vec<(String, String)> = given
        .iter()
        .map(|(name, value)| {
            let name = Value::from(name.as_str()).to_string();
            (shortened(&escape(&name), NAME), escape(&value.to_string()).into_owned())
        })
        .collect();
    let size = |(name, value): &(String, String), most: usize| {
        name.chars().count() + value.chars().count().min(most) + 2
    };
    // The braces take two, and there is one comma less than there are arguments.
    let fits = |count: usize, most: usize, more: usize| {
        named.iter().take(count).map(|one| size(one, most)).sum::<usize>() + 1 + more <= limit
    };
    let more = |count: usize| match named.len() - count {
        0 => String::new(),
        1 => " and 1 more argument".into(),
        left => format!(" and {left} more arguments"),
    };
    // Each takes a character or more: the cost does not grow with how many there are.
    let count = (0..=named.len().min(limit)).rev();
    let count = count.into_iter().find(|count| fits(*count, LEAST, more(*count).len()));
    let Some(count) = count else { return cut(&whole, limit) };
    let more = more(count);
    let most = (LEAST..=limit).rev().find(|most| fits(count, *most, more.len())).unwrap_or(LEAST);
    let shown = named.iter().take(count);
    let shown: Vec<String> =
        shown.map(|(name, value)| format!("{name}:{}", shortened(value, most))).collect();
    cut(&format!("{{{}}}{more}", shown.join(",")), limit)
}

/// A JSON text that is cut where it is too long, and ends like one that is not.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    let end = match text.chars().next() {
        Some('"') => "\"",
        Some('[') => "]",
        Some('{') => "}",
        _ => "",
    };
    format!("{}{end}", cut(text, most.saturating_sub(end.len())))
}

#[cfg(test)]
mod tests {
    use super::{brief, brief_arguments};
    use serde_json::json;

    #[test]
    fn it_is_one_line_that_a_terminal_does_not_obey() {
        let hostile = json!({ "a": "1\n2\r3\u{1b}[2J\u{202e}\u{9b}\u{2028}", "\n": "\t" });
        let line = brief(&hostile, 200);
        assert_eq!(line, r#"{"a":"1\n2\r3\u001b[2J\u{202e}\u{9b}\u{2028}","\n":"\t"}"#);
    }

    #[test]
    fn it_is_never_longer_than_the_limit() {
        let value = json!({ "text": "é日🎉".repeat(100) });
        for limit in [0, 1, 2, 11, 50, 1000] {
            let line = brief(&value, limit);
            assert!(line.chars().count() <= limit, "{limit}: {line}");
        }
        assert!(brief(&value, 20).ends_with('…'));
        assert_eq!(brief(&json!(12345), 5), "12345");
    }

    #[test]
    fn no_argument_hides_behind_a_long_one() {
        let hostile = json!({ "text": "x".repeat(9_000), "list": (0..999).collect::<Vec<_>>(),
            "deep": { "a": "y".repeat(900) }, "path": "/etc/passwd", "token": "t0p" });
        let line = brief_arguments(&hostile, 180);
        assert!(line.chars().count() <= 180, "{line}");
        for name in ["{\"text\":\"xxx", "\"list\":[0,1,2", "\"deep\":{\"a\":"] {
            assert!(line.contains(name), "{name}: {line}");
        }
        assert!(line.ends_with(r#","path":"/etc/passwd","token":"[redacted]"}"#), "{line}");
        assert!(line.contains("x…\",") && line.contains("…],") && line.contains("…},"), "{line}");
        let name = json!({ "n".repeat(9_000): 1, "path": "/etc/passwd" });
        let line = brief_arguments(&name, 100);
        assert!(line.ends_with(r#"n…":1,"path":"/etc/passwd"}"#), "{line}");
    }

    #[test]
    fn arguments_that_do_not_fit_are_counted() {
        let many: serde_json::Map<_, _> =
            (0..500).map(|n| (format!("argument_{n}"), json!("x".repeat(500)))).collect();
        for limit in [0, 1, 20, 60, 150, 5_000] {
            let line = brief_arguments(&many.clone().into(), limit);
            assert!(line.chars().count() <= limit, "{line}");
            assert!(limit < 60 || line.ends_with(" more arguments"), "{line}");
            let shown = line.matches("\"argument_").count();
            assert!(
                limit < 60 || line.ends_with(&format!("}} and {} more arguments", 500 - shown))
            );
        }
        let small = json!({ "a": "b" });
        assert_eq!(brief_arguments(&small, 9), brief(&small, 9));
        assert_eq!(brief_arguments(&json!("x".repeat(50)), 9), "\"xxxxxxx…");
    }
}
