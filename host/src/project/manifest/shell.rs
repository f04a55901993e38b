//! Splits a text into commands, as a shell does.
//!
//! **Invariant:** it returns too many words rather than too few, for any text: the text may also be
//! a program in another language.

use std::iter::Peekable;
use std::str::Chars;

/// Characters that end a word of a command line; most of them also end the command.
const ENDS: &[char] = &[';', '|', '&', '(', ')', '`', '<', '>'];

/// Expressions for the working folder of a shell.
const FOLDER: &[&str] = &["${PWD}", "$PWD", "$(pwd)", "`pwd`"];

/// Reports whether a shell would read a text as anything but one literal word.
pub(super) fn is_command_line(text: &str) -> bool {
    text.contains(|c: char| c.is_whitespace() || "\"'\\".contains(c) || ENDS.contains(&c))
}

/// Returns the commands of a text, each as its words. Files that a command writes to are excluded.
pub(super) fn commands(text: &str) -> Vec<Vec<String>> {
    let text = FOLDER.iter().fold(text.to_owned(), |text, folder| text.replace(folder, "."));
    let mut commands = read(&text, false);
    // A `#` begins a comment in some languages, and then a quote in it is no quote.
    if text.contains('#') {
        commands.extend(read(&text, true));
    }
    commands.retain(|command| !command.is_empty());
    commands
}

fn read(text: &str, comments: bool) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let (mut word, mut written, mut last) = (None::<String>, false, ' ');
    let mut characters = text.chars().peekable();
    loop {
        let c = characters.next();
        match c {
            Some('\\') => match characters.next() {
                Some('\n') | None => {}
                Some(c) => word.get_or_insert_default().push(c),
            },
            Some(quote @ ('"' | '\'')) => {
                quoted(quote, &mut characters, word.get_or_insert_default());
            }
            Some('$') if characters.next_if_eq(&'\'').is_some() => {
                escaped(&mut characters, word.get_or_insert_default());
            }
            Some('$') if characters.peek() == Some(&'"') => {}
            Some('#') if comments && word.is_none() => {
                while characters.next_if(|c| *c != '\n').is_some() {}
            }
            Some(c) if !c.is_whitespace() && !ENDS.contains(&c) => {
                word.get_or_insert_default().push(c);
            }
            end => {
                if let Some(word) = word.take()
                    && !std::mem::take(&mut written)
                    && let Some(command) = commands.last_mut()
                {
                    command.push(word);
                }
                match end {
                    None => return commands,
                    // `<>` also reads; `=>` and `->` belong to other languages.
                    Some('>') => written = !['<', '=', '-'].contains(&last),
                    Some('&' | '|') if last == '>' => {}
                    Some(' ' | '\t' | '<') => {}
                    Some(_) => {
                        written = false;
                        commands.push(Vec::new());
                    }
                }
            }
        }
        last = c.unwrap_or_default();
    }
}

/// Reads to the end of a quote, or of the text.
fn quoted(quote: char, characters: &mut Peekable<Chars<'_>>, word: &mut String) {
    while let Some(c) = characters.next() {
        match c {
            c if c == quote => return,
            '\\' if quote == '"' => match characters.next() {
                Some('\n') | None => {}
                Some(c @ ('$' | '`' | '"' | '\\')) => word.push(c),
                Some(c) => word.extend(['\\', c]),
            },
            c => word.push(c),
        }
    }
}

/// Reads `$'…'` to its end.
fn escaped(characters: &mut Peekable<Chars<'_>>, word: &mut String) {
    while let Some(c) = characters.next() {
        match c {
            '\'' => return,
            '\\' => {
                let (base, digits) = match characters.peek() {
                    Some('x') => (16, 2),
                    Some('u') => (16, 4),
                    Some('U') => (16, 8),
                    Some('0'..='7') => (8, 3),
                    _ => {
                        word.extend(characters.next());
                        continue;
                    }
                };
                if base == 16 {
                    characters.next();
                }
                let mut number = 0_u32;
                for _ in 0..digits {
                    let digit = characters.next_if(|c| c.is_digit(base));
                    let Some(digit) = digit.and_then(|c| c.to_digit(base)) else { break };
                    number = number.wrapping_mul(base).wrapping_add(digit);
                }
                word.extend(char::from_u32(number));
            }
            c => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn a_word_is_what_a_shell_makes_of_it() {
        for text in [
            "./to\"ol\"s/x.sh",
            "$'./tools/x.sh'",
            "$'./tools/\\x78.sh'",
            "$'./tools/\\170.sh'",
            "$\"./tools/x.sh\"",
            "./tools\\\n/x.sh",
            "\"./tools\\\n/x.sh\"",
            "\"$PWD/tools/x.sh\"",
            "\"${PWD}/tools/x.sh\"",
            "$(pwd)/tools/x.sh",
            "exec 2> >(./l.sh) ./tools/x.sh",
            "exec 2> >(./tools/x.sh) ./l.sh",
            "exec >&2 ./tools/x.sh",
            "sh <>./tools/x.sh",
            "x > ; ./tools/x.sh",
            "# don't\n./tools/x.sh 'a'",
            "# a\n./tools/x.sh",
            "() => \"./tools/x.sh\"",
        ] {
            let found = commands(text).concat();
            assert!(found.iter().any(|word| word == "./tools/x.sh"), "{text}: {found:?}");
        }
        for text in ["x >& out.log", "x >| out.log", "x &> out.log", "x 2>out.log"] {
            assert!(!commands(text).concat().iter().any(|word| word == "out.log"), "{text}");
        }
    }
}
