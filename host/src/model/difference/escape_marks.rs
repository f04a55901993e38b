//! Writes foreign text within our marks: every character that could be mistaken for another is
//! escaped.
//!
//! **Invariant:** each `\u{…}`, `[-`, `-]`, `{+`, `+}`, `…` and `⏎` that is shown is ours.

use crate::model::is_hidden;

/// The surroundings of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkContext {
    /// Outside marks.
    Same,
    /// Inside marks, with or without Latin letters nearby.
    Changed { among_latin: bool },
}

/// Writes a text of one line.
pub(super) fn write_escaped(text: &str, context: MarkContext, out: &mut String) {
    let changed = context != MarkContext::Same;
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let after = rest.as_str();
        let opens = |follows: char| after.starts_with(follows) || (changed && after.is_empty());
        let closes = |precedes: char| before.map_or(changed, |before| before == precedes);
        let odd = match c {
            '[' => opens('-'),
            '{' => opens('+'),
            ']' => closes('-'),
            '}' => closes('+'),
            '\\' => after.starts_with("u{"),
            '…' | '⏎' => true,
            _ if is_hidden(c) || (c.is_whitespace() && c != ' ') => true,
            _ => match context {
                MarkContext::Same => false,
                MarkContext::Changed { among_latin } => {
                    is_overlooked(c) || (among_latin && looks_latin(c))
                }
            },
        };
        match odd {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
        before = Some(c);
    }
}

/// Reports whether a person may overlook a character, or take it for a part of the one before it.
fn is_overlooked(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{2800}' | '\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}')
}

/// Reports whether a character belongs to an alphabet, or to symbols, some of which look like Latin
/// letters, digits or signs.
fn looks_latin(c: char) -> bool {
    matches!(c,
        'ı' | 'ſ' | '\u{180}'..='\u{58f}' | '\u{10a0}'..='\u{10ff}' | '\u{13a0}'..='\u{13ff}'
        | '\u{1d00}'..='\u{1dbf}' | '\u{1e00}'..='\u{1fff}' | '\u{2000}'..='\u{2bff}' | '\u{2c60}'..='\u{2dff}'
        | '\u{a4d0}'..='\u{a4ff}' | '\u{a640}'..='\u{a69f}' | '\u{a700}'..='\u{a7ff}' | '\u{ab30}'..='\u{abbf}'
        | '\u{ff00}'..='\u{ff5e}' | '\u{10280}'..='\u{1031f}' | '\u{1d400}'..='\u{1d7ff}')
}

#[cfg(test)]
mod tests {
    use super::{MarkContext, write_escaped};

    fn escaped(text: &str, context: MarkContext) -> String {
        let mut out = String::new();
        write_escaped(text, context, &mut out);
        out
    }

    #[test]
    fn no_text_draws_marks_of_ours() {
        let changed = MarkContext::Changed { among_latin: false };
        for (text, same, marked) in [
            ("[-x-]", "\\u{5b}-x-\\u{5d}", "\\u{5b}-x-\\u{5d}"),
            ("{+x+}", "\\u{7b}+x+\\u{7d}", "\\u{7b}+x+\\u{7d}"),
            // Next to one of our marks, half a mark is enough.
            ("]x[", "]x[", "\\u{5d}x\\u{5b}"),
            ("}x{", "}x{", "\\u{7d}x\\u{7b}"),
            ("a[0]{b}", "a[0]{b}", "a[0]{b}"),
            ("\\u{202e}", "\\u{5c}u{202e}", "\\u{5c}u{202e}"),
            ("\\n a…b", "\\n a\\u{2026}b", "\\n a\\u{2026}b"),
        ] {
            assert_eq!(
                (escaped(text, MarkContext::Same), escaped(text, changed)),
                (same.into(), marked.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_cannot_be_seen_is_spelled_out_and_more_of_it_where_it_changed() {
        let changed = MarkContext::Changed { among_latin: true };
        assert_eq!(
            escaped("a\u{202e}\u{200b}\u{a0}\t", MarkContext::Same),
            "a\\u{202e}\\u{200b}\\u{a0}\\u{9}"
        );
        assert_eq!(escaped("fіle ｘ", MarkContext::Same), "fіle ｘ");
        assert_eq!(escaped("fіle ｘ", changed), "f\\u{456}le \\u{ff58}");
        assert_eq!(
            escaped("e\u{301} ❤\u{fe0f}", MarkContext::Changed { among_latin: false }),
            "e\\u{301} ❤\\u{fe0f}"
        );
        assert_eq!(escaped("für 日本", changed), "für 日本");
    }
}
