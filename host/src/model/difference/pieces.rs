//! Compares two texts word by word.

use crate::model::is_hidden;
use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, TextDiff};
use std::time::Duration;

/// Bytes of each text that are compared word by word, without the common beginning and end. The
/// text beyond is shown as replaced.
const COMPARED_BYTES: usize = 16 << 10;

/// Time limit for finding the smallest change; after it a larger change is good enough.
const TIME_LIMIT: Duration = Duration::from_millis(100);

/// One part of a thing, before and after a change. Both texts are foreign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Difference {
    /// The part: `description`, `inputSchema`, `server`.
    pub part: String,
    /// The text before; `None` if the part did not exist.
    pub before: Option<String>,
    /// The text after; `None` if the part was removed.
    pub after: Option<String>,
}

/// A piece of foreign text, unescaped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiffPiece {
    /// Text in both versions.
    Same(String),
    /// Text only in the version before.
    Removed(String),
    /// Text only in the version after.
    Added(String),
}

impl Difference {
    /// Returns a difference.
    pub fn new(
        part: impl Into<String>,
        before: Option<String>,
        after: Option<String>,
    ) -> Difference {
        Difference { part: part.into(), before, after }
    }

    /// Returns the added, removed and unchanged pieces in order; a removed piece comes before its
    /// replacement. All pieces but the new ones make up the text before, and all but the removed
    /// ones the text after.
    pub fn pieces(&self) -> Vec<DiffPiece> {
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        compare(before.unwrap_or_default(), after.unwrap_or_default())
    }
}

fn compare(before: &str, after: &str) -> Vec<DiffPiece> {
    let (old, new) = (tokenize(before), tokenize(after));
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let (old_near, old_far) = old.split_at(compared_count(old));
    let (new_near, new_far) = new.split_at(compared_count(new));
    let difference = TextDiff::configure()
        .algorithm(Algorithm::Patience)
        .timeout(TIME_LIMIT)
        .diff_slices(old_near, new_near);
    let mut pieces = DiffBuilder::default();
    let head: usize = tokenize(before).iter().take(head).map(|token| token.len()).sum();
    pieces.unchanged(&before[..head]);
    for operation in difference.ops() {
        let (old, new) = (&old_near[operation.old_range()], &new_near[operation.new_range()]);
        match operation {
            DiffOp::Equal { .. } => old.iter().for_each(|token| pieces.unchanged(token)),
            _ => {
                old.iter().for_each(|token| pieces.removed.push_str(token));
                new.iter().for_each(|token| pieces.added.push_str(token));
            }
        }
    }
    old_far.iter().for_each(|token| pieces.removed.push_str(token));
    new_far.iter().for_each(|token| pieces.added.push_str(token));
    let tail: usize = tokenize(before).iter().rev().take(tail).map(|token| token.len()).sum();
    pieces.unchanged(&before[before.len() - tail..]);
    pieces.finish()
}

/// The pieces so far. Changes are collected until unchanged text follows.
#[derive(Default)]
struct DiffBuilder {
    pieces: Vec<DiffPiece>,
    removed: String,
    added: String,
}

impl DiffBuilder {
    fn unchanged(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.flush_changes();
        match self.pieces.last_mut() {
            Some(DiffPiece::Same(same)) => same.push_str(text),
            _ => self.pieces.push(DiffPiece::Same(text.into())),
        }
    }

    fn flush_changes(&mut self) {
        let (removed, added) = (std::mem::take(&mut self.removed), std::mem::take(&mut self.added));
        let changed = [DiffPiece::Removed(removed), DiffPiece::Added(added)];
        self.pieces.extend(changed.into_iter().filter(|piece| !piece.text().is_empty()));
    }

    fn finish(mut self) -> Vec<DiffPiece> {
        self.flush_changes();
        for start in 0..self.pieces.len().saturating_sub(2) {
            if let [
                DiffPiece::Same(before),
                DiffPiece::Removed(text) | DiffPiece::Added(text),
                DiffPiece::Same(after),
            ] = &mut self.pieces[start..start + 3]
            {
                align_with_line(before, text, after);
            }
        }
        self.pieces
    }
}

/// Moves a change to the beginning of a line if that gives the same change: whole lines are easier
/// to read.
fn align_with_line(before: &mut String, text: &mut String, after: &mut String) {
    let common =
        before.bytes().rev().zip(text.bytes().rev()).take_while(|(one, other)| one == other);
    let common = common.count();
    let moved = before.rfind('\n').map_or(usize::MAX, |at| before.len() - at - 1);
    if moved == 0 || moved > common || !text.is_char_boundary(text.len() - moved) {
        return;
    }
    let end = text.split_off(text.len() - moved);
    text.insert_str(0, &end);
    after.insert_str(0, &end);
    before.truncate(before.len() - moved);
}

impl DiffPiece {
    /// Returns the text.
    pub fn text(&self) -> &str {
        let (DiffPiece::Same(text) | DiffPiece::Removed(text) | DiffPiece::Added(text)) = self;
        text
    }
}

/// Returns how many words are compared.
fn compared_count(tokens: &[&str]) -> usize {
    let mut bytes = 0;
    tokens
        .iter()
        .take_while(|token| {
            bytes += token.len();
            bytes <= COMPARED_BYTES
        })
        .count()
}

/// Splits a text into words, runs of the same blank, and single other characters.
fn tokenize(text: &str) -> Vec<&str> {
    #[derive(PartialEq)]
    enum Kind {
        Word,
        Blank(char),
        Alone,
    }
    let kind = |c: char| match c {
        _ if is_hidden(c) => Kind::Alone,
        _ if c.is_alphanumeric() || c == '_' => Kind::Word,
        _ if c.is_whitespace() => Kind::Blank(c),
        _ => Kind::Alone,
    };
    let mut tokens = Vec::new();
    let (mut start, mut before) = (0, None);
    for (at, c) in text.char_indices() {
        let now = kind(c);
        if at > start && (now == Kind::Alone || before.as_ref() != Some(&now)) {
            tokens.push(&text[start..at]);
            start = at;
        }
        before = Some(now);
    }
    if start < text.len() {
        tokens.push(&text[start..]);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::{DiffPiece, Difference, tokenize};

    fn words(before: &str, after: &str) -> Vec<DiffPiece> {
        let pieces = Difference::new("x", Some(before.into()), Some(after.into())).pieces();
        let text_without = |left_out: fn(&DiffPiece) -> bool| -> String {
            pieces.iter().filter(|piece| !left_out(piece)).map(DiffPiece::text).collect()
        };
        assert_eq!(text_without(|piece| matches!(piece, DiffPiece::Added(_))), before);
        assert_eq!(text_without(|piece| matches!(piece, DiffPiece::Removed(_))), after);
        pieces
    }

    fn same(text: &str) -> DiffPiece {
        DiffPiece::Same(text.into())
    }

    fn removed(text: &str) -> DiffPiece {
        DiffPiece::Removed(text.into())
    }

    fn added(text: &str) -> DiffPiece {
        DiffPiece::Added(text.into())
    }

    #[test]
    fn words_that_changed_stand_apart() {
        let expected = [same("Reads a "), removed("file"), added("secret"), same(".")];
        assert_eq!(words("Reads a file.", "Reads a secret."), expected);
        assert_eq!(words("a b", "a b c"), [same("a b"), added(" c")]);
        assert_eq!(words("a b c", "b c"), [removed("a "), same("b c")]);
        assert_eq!(words("a", "a"), [same("a")]);
        assert_eq!(words("", ""), []);
        let whole = Difference::new("x", None, Some("new".into()));
        assert_eq!(whole.pieces(), [added("new")]);
        assert_eq!(Difference::new("x", Some("old".into()), None).pieces(), [removed("old")]);
    }

    #[test]
    fn lines_that_came_are_whole_where_they_can_be() {
        let pieces = words("{\n  \"b\": 1\n}", "{\n  \"a\": 0,\n  \"b\": 1\n}");
        assert_eq!(pieces, [same("{\n"), added("  \"a\": 0,\n"), same("  \"b\": 1\n}")]);
    }

    #[test]
    fn a_character_that_nobody_sees_is_a_change() {
        assert_eq!(words("file", "fi\u{200b}le"), [removed("file"), added("fi\u{200b}le")]);
        assert_eq!(words("a b", "a\u{a0}b"), [same("a"), removed(" "), added("\u{a0}"), same("b")]);
        assert_eq!(words("file", "fіle"), [removed("file"), added("fіle")]);
        assert_eq!(words("x", "x\u{202e}"), [same("x"), added("\u{202e}")]);
    }

    #[test]
    fn a_text_is_taken_apart_without_loss() {
        assert_eq!(
            tokenize("a_b  c\n\n\u{200b}\u{200b}(é)"),
            ["a_b", "  ", "c", "\n", "\n", "\u{200b}", "\u{200b}", "(", "é", ")"]
        );
        assert_eq!(tokenize(""), Vec::<&str>::new());
    }

    #[test]
    fn any_two_texts_are_told_exactly() {
        // A small generator: the same numbers in every run.
        let mut state = 7_u64;
        let mut next = |most: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let parts = ["a", "b", " ", "\n", "\u{202e}", "[-", "+}", "é", "日本", "{"];
        for _ in 0..500 {
            let mut text = || -> String {
                (0..next(12)).map(|_| parts[next(parts.len() as u64) as usize]).collect()
            };
            let (before, after) = (text(), text());
            words(&before, &after);
        }
    }

    #[test]
    fn huge_texts_are_bounded_and_still_told_exactly() {
        let before = "a b ".repeat(50_000);
        let after = "b c a ".repeat(50_000);
        assert!(words(&before, &after).len() > 1);
        let long = "x ".repeat(100_000);
        let changed = format!("{long}old{long}");
        let pieces = words(&changed, &changed.replace("old", "new"));
        assert_eq!(pieces[1..3], [removed("oldx"), added("newx")]);
    }
}
