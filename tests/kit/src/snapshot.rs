//! What people read, as text that a snapshot holds: the same on every machine and in every run.
//!
//! A test compares it with an inline snapshot: `assert_snapshot!(output.snapshot(), @"…")`. A
//! difference fails the test and shows both. After a change that is meant, snapshots are written by
//! hand, or by `cargo insta review` if it is installed.

use crate::Output;

impl Output {
    /// Returns the exit code, stdout and stderr together, with [`redacted`] text and without spaces
    /// at the ends of lines.
    pub fn snapshot(&self) -> String {
        let mut text = format!("exit code: {}\n", self.code);
        for (name, stream) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !stream.is_empty() {
                text += &format!("--- {name} ---\n");
                for line in redacted(stream).lines() {
                    text += line.trim_end();
                    text.push('\n');
                }
            }
        }
        text
    }
}

/// Returns the text with what differs from run to run or from machine to machine replaced: `[id]`,
/// `[digest]`, `[time]`, `[day]`, `[span]`, `[bar]`, `[journal]`, `[user]` and `[version]`.
pub fn redacted(text: &str) -> String {
    let mut result = String::new();
    let mut word = String::new();
    for character in text.chars().chain(['\n']) {
        // What ids, times and numbers are made of.
        if character.is_ascii_alphanumeric() || "-:.µ".contains(character) {
            word.push(character);
            continue;
        }
        let end = word.trim_end_matches(['.', ':', '-']).len();
        let (body, tail) = word.split_at(end);
        let (algorithm, body) = body.split_at(if body.starts_with("sha256:") { 7 } else { 0 });
        result += algorithm;
        result += replacement(body).unwrap_or(body);
        result += tail;
        word.clear();
        result.push(character);
    }
    // The line end that was added above.
    result.pop();
    let result = without_bars(&without_users(&result)).replace("just now", "[span] ago");
    result.replace(concat!("pml ", env!("CARGO_PKG_VERSION")), "pml [version]")
}

/// Replaces bars on a scale of time, with the space around them.
fn without_bars(text: &str) -> String {
    let is_bar = |character: char| character == '─' || ('▁'..='▓').contains(&character);
    let lines = text.split_inclusive('\n').map(|line| {
        let (Some(start), Some(end)) = (line.find("──"), line.rfind("──")) else {
            return line.to_owned();
        };
        let rest = line[end..].trim_start_matches(is_bar).trim_start_matches(' ');
        format!("{}  [bar]  {rest}", line[..start].trim_end_matches(is_bar).trim_end_matches(' '))
    });
    lines.collect()
}

/// Replaces the names of users: those of accounts, and the numbers of users who have none.
fn without_users(text: &str) -> String {
    // Who decided is told with the channel: `by ann (command line)`.
    let mut named = text.split(" by ");
    let mut text = named.next().unwrap_or_default().to_owned();
    for part in named {
        let name = part.find([' ', '\n']).unwrap_or(part.len());
        let is_user = part[name..].starts_with(" (") && !part.starts_with("uid ");
        text += " by ";
        text += if is_user { "[user]" } else { &part[..name] };
        text += &part[name..];
    }
    let mut parts = text.split("uid ");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|character: char| character.is_ascii_digit());
        result += if rest.len() < part.len() { "[user]" } else { "uid " };
        result += rest;
    }
    result
}

/// What stands for a word that differs from run to run.
fn replacement(word: &str) -> Option<&'static str> {
    let shape: String = word
        .chars()
        .map(|character| match character {
            '0'..='9' => '0',
            'a'..='f' => 'a',
            other => other,
        })
        .collect();
    let hex = shape.chars().all(|character| matches!(character, '0' | 'a'));
    let digits = shape.contains('0');
    match shape.as_str() {
        _ if is_uuid(&shape) => Some("[id]"),
        _ if hex && digits && [8, 32].contains(&shape.len()) => Some("[id]"),
        _ if hex && digits && [12, 64].contains(&shape.len()) => Some("[digest]"),
        "0000-00-00T00:00:00Z" | "0000-00-00T00:00:00.000Z" | "00:00:00Z" => Some("[time]"),
        "0000-00-00" => Some("[day]"),
        _ if is_span(&shape) => Some("[span]"),
        _ if is_journal(&shape) => Some("[journal]"),
        _ => None,
    }
}

fn is_uuid(shape: &str) -> bool {
    let parts: Vec<&str> = shape.split('-').collect();
    let fits = |(part, length): (&&str, usize)| {
        part.len() == length && part.chars().all(|character| matches!(character, '0' | 'a'))
    };
    parts.len() == 5 && parts.iter().zip([8, 4, 4, 4, 12]).all(fits)
}

/// Whether it is a number with a unit of time behind it.
fn is_span(shape: &str) -> bool {
    let unit = shape.trim_start_matches(['0', '.']);
    unit.len() < shape.len() && ["ns", "µs", "ms", "s"].contains(&unit)
}

/// Whether it is the name of a project's journal: the project's folder, and a digest of its path.
fn is_journal(shape: &str) -> bool {
    let digest = shape.rsplit_once('-').map(|(_, digest)| digest);
    digest.is_some_and(|it| it.len() == 24 && it.chars().all(|one| matches!(one, '0' | 'a')))
}

#[cfg(test)]
mod tests {
    use super::redacted;

    #[test]
    fn what_differs_from_run_to_run_is_replaced_and_nothing_else() {
        let text = "run 01a2b3c4-0000-7000-8000-0123456789ab (456789ab), 2026-11-18T01:02:03.456Z, \
                    digest 0123456789ab: took 12.5ms, said uid 1000.\nfeedface added 12 of 8M at main.ts:3:14 v0.1.0\n\
                    1  t:x   ▍───▏  ok";
        let expected = "run [id] ([id]), [time], digest [digest]: took [span], said [user].\n\
                        feedface added 12 of 8M at main.ts:3:14 v0.1.0\n\
                        1  t:x  [bar]  ok";
        assert_eq!(redacted(text), expected);
    }
}
