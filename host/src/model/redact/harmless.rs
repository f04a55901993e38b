//! Decides which values may be hidden, and writes their replacement.

/// Returns the replacement of a hidden value: `[hidden: 14 characters]`.
pub(crate) fn hidden_mark(characters: usize) -> String {
    match characters {
        1 => "[hidden: 1 character]".into(),
        many => format!("[hidden: {many} characters]"),
    }
}

/// Reports whether a character has no special meaning in a shell, a path and a URL.
pub(super) fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+')
}

/// Returns how many bytes of a value that looks like a secret may be hidden: all but the `=` at its
/// end. Returns `None` if the value could be anything but a word: a command, a flag, a path, the
/// name of a file or a host.
pub(super) fn hideable_length(value: &str) -> Option<usize> {
    let word = value.trim_end_matches('=');
    // A dot may belong to the name of a file or a host.
    let plain = word.bytes().all(is_plain);
    let begins = word.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_');
    let ends = value.len() - word.len() <= 2;
    (plain && begins && ends).then_some(word.len())
}

#[cfg(test)]
mod tests {
    use super::{hidden_mark, hideable_length};

    #[test]
    fn what_is_hidden_is_counted() {
        assert_eq!(hidden_mark(1), "[hidden: 1 character]");
        assert_eq!(hidden_mark(14), "[hidden: 14 characters]");
    }

    #[test]
    fn only_a_word_may_be_hidden() {
        assert_eq!(hideable_length("hunter2"), Some(7));
        assert_eq!(hideable_length("a_b-c+d=="), Some(7));
        for value in [
            "",
            "=",
            "===",
            "a;b",
            "a b",
            "a|b",
            "$(x)",
            "`x`",
            "/etc",
            "a/b",
            "..",
            "a..b",
            "a:b",
            "a@b",
            "~",
            "*",
            "x?",
            "#",
            "-rf",
            "--yes",
            "+x",
            ".ssh",
            "evil.sh",
            "evil.example",
            "SG.abcdefghijklmnop.qrst",
            "a\\b",
            "a'b",
            "a\"b",
            "é",
            "a\nb",
            "a=b",
            "a%20b",
            "<x",
            "x&",
            "x!",
            "{a,b}",
            "abcdefghijklmnopqrst.",
            "abcdefghijklmnop..rstuv",
        ] {
            assert_eq!(hideable_length(value), None, "{value}");
        }
    }
}
