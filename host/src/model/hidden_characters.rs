//! Characters that control a terminal or that a person cannot see.
//!
//! The tables are those of Unicode 16.0: `General_Category=Cf` of `DerivedGeneralCategory.txt` and
//! `Default_Ignorable_Code_Point` of `DerivedCoreProperties.txt`. Policy for change: a new version
//! of Unicode replaces both, and the totals in the tests, which are those that the files state.

/// `General_Category=Cf`: format characters.
const FORMAT: &[(u32, u32)] = &[
    (0x00ad, 0x00ad),
    (0x0600, 0x0605),
    (0x061c, 0x061c),
    (0x06dd, 0x06dd),
    (0x070f, 0x070f),
    (0x0890, 0x0891),
    (0x08e2, 0x08e2),
    (0x180e, 0x180e),
    (0x200b, 0x200f),
    (0x202a, 0x202e),
    (0x2060, 0x2064),
    (0x2066, 0x206f),
    (0xfeff, 0xfeff),
    (0xfff9, 0xfffb),
    (0x110bd, 0x110bd),
    (0x110cd, 0x110cd),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0001, 0xe0001),
    (0xe0020, 0xe007f),
];

/// `Default_Ignorable_Code_Point`: characters that are invisible where they are not supported.
const IGNORABLE: &[(u32, u32)] = &[
    (0x00ad, 0x00ad),
    (0x034f, 0x034f),
    (0x061c, 0x061c),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x202a, 0x202e),
    (0x2060, 0x206f),
    (0x3164, 0x3164),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfff8),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
];

/// Line and paragraph separators, characters for private use, and code points that are not
/// characters.
const OTHERS: &[(u32, u32)] = &[
    (0x2028, 0x2029),
    (0xe000, 0xf8ff),
    (0xfdd0, 0xfdef),
    (0xf0000, 0xffffd),
    (0x100000, 0x10fffd),
];

/// Reports whether a character must be escaped before it is shown to a person: a control character,
/// a format character, an invisible one, one that ends a line, or one without an agreed meaning.
pub(crate) fn is_hidden(c: char) -> bool {
    let code = u32::from(c);
    match code {
        0x20..0x7f => false,
        0..0xa0 => true,
        // The last two code points of each plane are not characters.
        _ => {
            code & 0xfffe == 0xfffe || [FORMAT, IGNORABLE, OTHERS].iter().any(|in_| has(in_, code))
        }
    }
}

/// Reports whether a character is invisible but takes up space: white space, and the empty Braille
/// pattern.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}'
}

fn has(ranges: &[(u32, u32)], code: u32) -> bool {
    let at = ranges.partition_point(|(_, end)| *end < code);
    ranges.get(at).is_some_and(|(start, _)| *start <= code)
}

#[cfg(test)]
mod tests {
    use super::{FORMAT, IGNORABLE, OTHERS, is_blank, is_hidden};

    fn total(ranges: &[(u32, u32)]) -> u32 {
        ranges.iter().map(|(start, end)| end - start + 1).sum()
    }

    #[test]
    fn the_tables_have_as_many_code_points_as_unicode_says() {
        assert_eq!(total(FORMAT), 170);
        assert_eq!(total(IGNORABLE), 4_174);
        assert_eq!(total(OTHERS), 2 + 6_400 + 32 + 2 * 65_534);
        for ranges in [FORMAT, IGNORABLE, OTHERS] {
            assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0), "they are in order");
        }
    }

    #[test]
    fn what_nobody_sees_is_known_and_letters_are_left_alone() {
        for c in [
            '\0',
            '\x1b',
            '\x7f',
            '\u{80}',
            '\u{9b}',
            '\u{9f}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{6dd}',
            '\u{115f}',
            '\u{1160}',
            '\u{17b4}',
            '\u{180b}',
            '\u{180d}',
            '\u{180e}',
            '\u{180f}',
            '\u{200b}',
            '\u{200d}',
            '\u{200f}',
            '\u{2028}',
            '\u{2029}',
            '\u{202a}',
            '\u{202e}',
            '\u{2060}',
            '\u{2065}',
            '\u{2069}',
            '\u{206f}',
            '\u{3164}',
            '\u{e000}',
            '\u{fdd0}',
            '\u{fe00}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{fffe}',
            '\u{110bd}',
            '\u{13430}',
            '\u{1bca0}',
            '\u{1d173}',
            '\u{1ffff}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{e01ef}',
            '\u{f0000}',
            '\u{10fffd}',
            '\u{10ffff}',
        ] {
            assert!(is_hidden(c), "{c:?}");
        }
        for c in " ~aZ09é日🎉\u{a0}\u{3000}\u{301}\u{fffd}\u{2800}".chars() {
            assert!(!is_hidden(c), "{c:?}");
        }
        assert!(" \t\n\u{a0}\u{2003}\u{3000}\u{2028}\u{2800}".chars().all(is_blank));
        assert!(!is_blank('x') && !is_blank('\u{200b}'));
    }
}
