//! Writes a JSON value in one line.

use super::redactor::Redactor;
use crate::model::text::{escape, fold_middle};
use serde_json::Value;

/// Returns the value as one line of JSON of at most `limit` characters. Likely secrets are hidden,
/// control characters are escaped, long rows of blanks are replaced by their count, and a line that
/// is too long is folded in its middle.
///
/// ```
/// let arguments = pml::json::json!({ "text": "one\ntwo", "token": "abc" });
/// assert_eq!(pml::text::brief(&arguments, 80), r#"{"text":"one\ntwo","token":"[hidden: 3 characters]"}"#);
/// assert_eq!(pml::text::brief(&arguments, 40), r#"{"text":"o[… 31 characters …]aracters]"}"#);
/// ```
pub fn brief(value: &Value, limit: usize) -> String {
    brief_with(value, limit, &Redactor::new())
}

/// Returns the value as [`brief`] does, with the given redactor.
pub fn brief_with(value: &Value, limit: usize, redactor: &Redactor) -> String {
    fold_middle(&escaped_json(&redactor.for_display(value)), limit)
}

/// Returns the value as escaped JSON. JSON text contains no raw line ends or tabs, the only control
/// characters that `escape` leaves.
fn escaped_json(value: &Value) -> String {
    escape(&value.to_string()).into_owned()
}

/// Characters of a shortened value: enough for its beginning, its end, and the number of characters
/// between them.
const MIN_VALUE_LENGTH: usize = 48;

/// Most characters of a name.
const MAX_NAME_LENGTH: usize = 40;

/// Returns the arguments of a call as [`brief`] does, but with every argument named: each long
/// value is folded to the room that the others leave, so that none hides another. Arguments that do
/// not fit are counted.
pub(crate) fn brief_arguments(arguments: &Value, limit: usize, redactor: &Redactor) -> String {
    let shown = redactor.for_display(arguments);
    let whole = escaped_json(&shown);
    let Value::Object(given) = &shown else { return fold_middle(&whole, limit) };
    if whole.chars().count() <= limit {
        return whole;
    }
    let named: Vec<(String, String)> = given
        .iter()
        .map(|(name, value)| {
            (
                fold_middle(&escaped_json(&name.as_str().into()), MAX_NAME_LENGTH),
                escaped_json(value),
            )
        })
        .collect();
    let size = |(name, value): &(String, String), most: usize| {
        name.chars().count() + value.chars().count().min(most) + 2
    };
    // The braces take two characters, and there is one comma less than there are arguments.
    let fits = |count: usize, most: usize, more: usize| {
        named.iter().take(count).map(|one| size(one, most)).sum::<usize>() + 1 + more <= limit
    };
    let more = |count: usize| match named.len() - count {
        0 => String::new(),
        1 => " and 1 more argument".into(),
        left => format!(" and {left} more arguments"),
    };
    // Each argument takes at least one character, so the cost does not grow with their number.
    let count = (0..=named.len().min(limit)).rev();
    let count = count.into_iter().find(|count| fits(*count, MIN_VALUE_LENGTH, more(*count).len()));
    let Some(count) = count else { return fold_middle(&whole, limit) };
    let more = more(count);
    let most = (MIN_VALUE_LENGTH..=limit)
        .rev()
        .find(|most| fits(count, *most, more.len()))
        .unwrap_or(MIN_VALUE_LENGTH);
    let shown = named.iter().take(count);
    let shown: Vec<String> =
        shown.map(|(name, value)| format!("{name}:{}", fold_middle(value, most))).collect();
    format!("{{{}}}{more}", shown.join(","))
}

#[cfg(test)]
mod tests {
    use super::{Redactor, brief};
    use serde_json::{Value, json};

    fn brief_arguments(value: &Value, limit: usize) -> String {
        super::brief_arguments(value, limit, &Redactor::new())
    }

    #[test]
    fn it_is_one_line_that_a_terminal_does_not_obey() {
        let hostile = json!({ "a": "1\n2\r3\u{1b}[2J\u{202e}\u{9b}\u{2028}", "\n": "\t" });
        let line = brief(&hostile, 200);
        assert_eq!(line, r#"{"a":"1\n2\r3\u001b[2J\u{202e}\u{9b}\u{2028}","\n":"\t"}"#);
    }

    #[test]
    fn it_is_never_longer_than_the_limit_and_shows_its_end() {
        let value = json!({ "text": "é日🎉".repeat(100) });
        for limit in [0, 1, 2, 11, 50, 1000] {
            let line = brief(&value, limit);
            assert!(line.chars().count() <= limit, "{limit}: {line}");
        }
        assert_eq!(
            brief(&value, 50),
            "{\"text\":\"é日🎉é日🎉[… 281 characters …]🎉é日🎉é日🎉é日🎉é日🎉\"}"
        );
        assert_eq!(brief(&json!(12345), 5), "12345");
    }

    #[test]
    fn no_argument_hides_behind_a_long_one() {
        let hostile = json!({ "text": format!("{} the end", "x".repeat(9_000)), "list": (0..999).collect::<Vec<_>>(),
            "deep": { "a": "y".repeat(900) }, "path": "/etc/passwd", "token": "t0p" });
        let line = brief_arguments(&hostile, 300);
        assert_eq!(
            line,
            "{\"text\":\"xxxxxxxxxxxxxxxxxxxxxxxx[… 8,959 characters …]xxxxxxxxxxxxxxxxx the end\",\
             \"list\":[0,1,2,3,4,5,6,7,8,9,10,1[… 3,836 characters …]2,993,994,995,996,997,998],\
             \"deep\":{\"a\":\"yyyyyyyyyyyyyyyyyyyy[… 855 characters …]yyyyyyyyyyyyyyyyyyyyyyyyy\"},\
             \"path\":\"/etc/passwd\",\"token\":\"[hidden: 3 characters]\"}"
        );
        let name = json!({ "n".repeat(9_000): 1, "path": "/etc/passwd" });
        let line = brief_arguments(&name, 100);
        assert_eq!(line, "{\"nnnnnnnn[… 8,984 characters …]nnnnnnnn\":1,\"path\":\"/etc/passwd\"}");
    }

    #[test]
    fn blanks_push_nothing_out_of_sight() {
        let sly = json!({ "command": format!("ls{}; rm -rf ~", " ".repeat(5_000)) });
        assert_eq!(brief_arguments(&sly, 200), r#"{"command":"ls[5,000 blanks]; rm -rf ~"}"#);
        assert_eq!(brief(&sly, 200), r#"{"command":"ls[5,000 blanks]; rm -rf ~"}"#);
    }

    #[test]
    fn arguments_that_do_not_fit_are_counted() {
        let many: serde_json::Map<_, _> =
            (0..500).map(|n| (format!("argument_{n}"), json!("x".repeat(500)))).collect();
        for limit in [0, 1, 20, 60, 150, 5_000] {
            let line = brief_arguments(&many.clone().into(), limit);
            assert!(line.chars().count() <= limit, "{line}");
            assert!(limit < 150 || line.ends_with(" more arguments"), "{line}");
            let shown = line.matches("\"argument_").count();
            assert!(
                limit < 150 || line.ends_with(&format!("}} and {} more arguments", 500 - shown))
            );
        }
        let small = json!({ "a": "b" });
        assert_eq!(brief_arguments(&small, 9), brief(&small, 9));
        assert_eq!(brief_arguments(&json!("x".repeat(50)), 9), "\"xxx…xxx\"");
    }
}
