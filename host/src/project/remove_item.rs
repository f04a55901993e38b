//! Removes an item from a list, as a person would: with its comma, but without the comments around
//! it.

use std::ops::Range;

/// Returns `text` without the item at the range `item`. `before` is the end of the previous item,
/// if there is one.
pub(super) fn without_item(text: &str, item: Range<usize>, before: Option<usize>) -> String {
    let own_comma = comma(text, item.end);
    let other_comma = before.and_then(|end| comma(text, end)).filter(|_| own_comma.is_none());
    let mut cuts = vec![item.clone()];
    cuts.extend(own_comma.or(other_comma).map(|at| at..at + 1));
    // A comment between the two stays, and so does everything after it.
    let own_comma = own_comma.filter(|at| is_blank(&text[item.end..*at]));
    let end = own_comma.map_or(item.end, |at| at + 1);
    let line_start = text[..item.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[end..].find('\n').map(|at| end + at);
    match line_end {
        Some(line_end)
            if is_blank(&text[line_start..item.start]) && is_blank(&text[end..line_end]) =>
        {
            cuts.push(line_start..line_end + 1);
        }
        _ => {
            let rest = &text[end..];
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            match other_comma.map(|at| at..item.start) {
                Some(gap)
                    if is_blank(&text[gap.start + 1..gap.end])
                        && !text[gap.clone()].contains('\n') =>
                {
                    cuts.push(gap);
                }
                None if own_comma.is_some() => cuts.push(end..end + blanks),
                _ => {}
            }
        }
    }
    let kept = text.char_indices().filter(|(at, _)| !cuts.iter().any(|cut| cut.contains(at)));
    kept.map(|(_, c)| c).collect()
}

/// Returns the position of the next comma, if only blanks and comments come before it.
fn comma(text: &str, from: usize) -> Option<usize> {
    let mut rest = text.get(from..)?;
    loop {
        rest = rest.trim_start();
        rest = match rest {
            _ if rest.starts_with("//") => &rest[rest.find('\n')?..],
            _ if rest.starts_with("/*") => &rest[rest.find("*/")? + 2..],
            _ => break,
        };
    }
    rest.starts_with(',').then_some(text.len() - rest.len())
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::without_item;

    /// Removes `"x"` from a list of texts.
    fn without_x(text: &str) -> String {
        let start = text.find("\"x\"").unwrap();
        let before = text[..start].rfind('"').map(|at| at + 1);
        without_item(text, start..start + 3, before)
    }

    #[test]
    fn the_comma_goes_and_the_spacing_stays() {
        for (text, expected) in [
            (r#"["x"]"#, "[]"),
            (r#"["x", "b"]"#, r#"["b"]"#),
            (r#"["a", "x"]"#, r#"["a"]"#),
            (r#"["a", "x", "b"]"#, r#"["a", "b"]"#),
            (r#"["a","x",]"#, r#"["a",]"#),
            ("[\n  \"a\",\n  \"x\"\n]", "[\n  \"a\"\n]"),
            ("[\n  \"x\",\n  \"b\"\n]", "[\n  \"b\"\n]"),
            ("[\r\n  \"x\",\r\n  \"b\"\r\n]", "[\r\n  \"b\"\r\n]"),
            ("[\n  \"a\", \"x\",\n  \"b\"\n]", "[\n  \"a\", \n  \"b\"\n]"),
        ] {
            assert_eq!(without_x(text), expected, "{text}");
        }
    }

    #[test]
    fn comments_stay() {
        for (text, expected) in [
            (
                "[\n  // why\n  \"x\", // because\n  \"b\"\n]",
                "[\n  // why\n  // because\n  \"b\"\n]",
            ),
            ("[\n  \"a\", // all\n  \"x\" // this\n]", "[\n  \"a\" // all\n   // this\n]"),
            ("[\"x\" /* , */, \"b\"]", "[ /* , */ \"b\"]"),
            ("[\"a\" /* , */ , /* y */ \"x\"]", "[\"a\" /* , */  /* y */ ]"),
            ("[ /* only */ \"x\" ]", "[ /* only */  ]"),
        ] {
            assert_eq!(without_x(text), expected, "{text}");
        }
    }
}
