//! The words a person sees before they decide.
//!
//! Our own words stand before a bar, what came from a program, a server or a file behind it, escaped and on one line: no
//! name or argument can pass for a line of ours.

use crate::model::{Ask, AskKind, brief, cut, escape};

/// More than anybody reads before deciding; whoever wants all of it asks for the arguments in full.
const WIDTH: usize = 200;

/// Stands between our words and those of others.
const BAR: &str = " │ ";

/// Returns the three lines that tell a person what is asked: the tool, what would be done with which arguments, and why it
/// is asked. Each has one line and at most 200 characters; everything behind its first `│` came from elsewhere.
///
/// ```
/// use pml::{Ask, AskKind, json::json};
///
/// let arguments = json!({ "to": "Ann", "amount": 5, "token": "t0p" });
/// let ask = Ask::new(AskKind::ToolPermission, None, "bank:pay", arguments, "`bank:*` asks");
/// assert_eq!(pml::lines_of_ask(&ask), [
///     "tool      │ bank:pay",
///     r#"call with │ {"to":"Ann","amount":5,"token":"[redacted]"}"#,
///     "why       │ `bank:*` asks",
/// ]);
/// ```
pub fn lines_of_ask(ask: &Ask) -> [String; 3] {
    let (what, why) = match ask.kind {
        AskKind::ToolPermission => ("call with", "why"),
        AskKind::Dependency => ("install", "why"),
        AskKind::ApiKeyRequired => ("needs", "why"),
        AskKind::Integrity => ("differs", "why"),
        AskKind::Trust => ("trust", "why"),
        AskKind::UncertainCall if ask.call.is_none() => ("was called", "go on without it?"),
        AskKind::UncertainCall => {
            ("call AGAIN", "may have been made already: nobody knows what became of it")
        }
    };
    let width = what.chars().count();
    let line = |label: &str, text: &str| {
        let ours = format!("{label:width$}{BAR}");
        let room = WIDTH.saturating_sub(ours.chars().count());
        format!("{ours}{}", cut(text, room))
    };
    [
        line("tool", &one_line(&ask.tool)),
        line(what, &brief(&ask.arguments, WIDTH)),
        line(why, &one_line(&ask.reason)),
    ]
}

fn one_line(text: &str) -> String {
    escape(text).replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::lines_of_ask;
    use crate::model::{Ask, AskKind, CallId};
    use serde_json::json;

    #[test]
    fn a_call_of_an_earlier_run_is_not_offered_again() {
        let ask = Ask::new(AskKind::UncertainCall, None, "bank:pay", json!({}), "not matched");
        assert_eq!(
            lines_of_ask(&ask),
            ["tool       │ bank:pay", "was called │ {}", "go on without it? │ not matched"]
        );
    }

    #[test]
    fn an_uncertain_call_says_that_it_may_have_been_made() {
        let ask = Ask::new(
            AskKind::UncertainCall,
            Some(CallId(1)),
            "bank:pay",
            json!({ "n": 1 }),
            "the process ended",
        );
        assert_eq!(
            lines_of_ask(&ask),
            [
                "tool       │ bank:pay",
                "call AGAIN │ {\"n\":1}",
                "may have been made already: nobody knows what became of it │ the process ended",
            ]
        );
    }

    #[test]
    fn hostile_text_stays_behind_its_bar() {
        let name = "x\r\x1b[2Ktool      │ harmless:read\nwhy       │ fine\u{202e}";
        let arguments = json!({ "a": "\n\n y approve? │ yes", "\nwhy │ ok": "z".repeat(10_000) });
        let ask = Ask::new(AskKind::ToolPermission, None, name, arguments, "\n".repeat(500));
        let lines = lines_of_ask(&ask);
        for (line, ours) in lines.iter().zip(["tool      ", "call with ", "why       "]) {
            assert!(line.starts_with(&format!("{ours}│ ")), "{line}");
            assert!(line.chars().count() <= 200, "{line}");
            assert!(!line.contains(['\n', '\r', '\t', '\x1b', '\u{202e}']), "{line}");
        }
        assert!(lines[0].starts_with("tool      │ x\\u{d}\\u{1b}[2Ktool"), "{}", lines[0]);
        assert!(lines[2].ends_with('…'), "{}", lines[2]);
    }

    #[test]
    fn all_three_kinds_of_text_are_cut() {
        let long = "ü".repeat(500);
        let ask = Ask::new(AskKind::Dependency, None, long.as_str(), json!(long), long.as_str());
        assert!(lines_of_ask(&ask).iter().all(|line| line.chars().count() == 200));
    }
}
