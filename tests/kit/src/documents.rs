//! The documents of the project as tests read them: their code blocks, their links, and the parts
//! that are generated.

use crate::tree::{files_under, project_root};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A document, by its path from the root of the project.
pub struct Document {
    /// The path, as in `host/docs/programs.md`.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// A code block between fences.
#[derive(Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// The words after the opening fence: the language, then marks such as `run` or `file:a.ts`.
    pub words: Vec<String>,
    /// The line on which the text of the block begins, counted from 1.
    pub line: usize,
    /// The text between the fences.
    pub text: String,
}

impl CodeBlock {
    /// Reports whether the block is in this language.
    pub fn is_in(&self, language: &str) -> bool {
        self.words.first().is_some_and(|word| word == language)
    }

    /// Reports whether the block has this mark behind its language.
    pub fn is_marked(&self, mark: &str) -> bool {
        self.words.iter().skip(1).any(|word| word == mark)
    }

    /// Returns the name of the file that the block shows.
    pub fn file(&self) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix("file:"))
    }
}

impl Document {
    /// Reads a document.
    pub fn read(name: &str) -> Document {
        let text = std::fs::read_to_string(project_root().join(name));
        let text = text.unwrap_or_else(|error| panic!("{name}: {error}"));
        Document { name: name.into(), text }
    }

    /// Returns where the document is.
    pub fn path(&self) -> PathBuf {
        project_root().join(&self.name)
    }

    /// Returns the code blocks, in order.
    pub fn code_blocks(&self) -> Vec<CodeBlock> {
        let mut blocks = Vec::new();
        let mut open: Option<CodeBlock> = None;
        for (index, line) in self.text.lines().enumerate() {
            match (line.strip_prefix("```"), &mut open) {
                (Some(words), None) => {
                    let words = words.split_whitespace().map(str::to_owned).collect();
                    open = Some(CodeBlock { words, line: index + 2, text: String::new() });
                }
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (None, Some(block)) => block.text += &format!("{line}\n"),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a code block has no end", self.name);
        blocks
    }

    /// Returns the targets of the links, without those in code.
    pub fn links(&self) -> Vec<String> {
        let mut links = Vec::new();
        let mut in_code = false;
        for line in self.text.lines() {
            if line.starts_with("```") {
                in_code = !in_code;
                continue;
            }
            // Parts with an odd number are between backticks.
            let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("_");
            if in_code {
                continue;
            }
            let inline = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            links.extend(inline.map(|(target, _)| target.to_owned()));
            if prose.starts_with('[')
                && let Some((_, target)) = prose.split_once("]: ")
            {
                links.push(target.trim().to_owned());
            }
        }
        links
    }

    /// Returns the anchors of the headings, as GitHub and rustdoc make them.
    pub fn anchors(&self) -> Vec<String> {
        let mut in_code = false;
        let lines = self.text.lines().filter(move |line| {
            in_code ^= line.starts_with("```");
            !in_code
        });
        let headings = lines.filter(|line| line.starts_with('#'));
        let anchor = |heading: &str| {
            let words = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        };
        headings.map(anchor).collect()
    }
}

/// Returns the manual: `README.md` and the pages below `host/docs`.
pub fn manual() -> Vec<Document> {
    let root = project_root();
    let pages = files_under(&root.join("host/docs")).into_iter();
    let pages = pages.filter(|file| file.extension().is_some_and(|ending| ending == "md"));
    let names = pages.map(|file| {
        let name = file.strip_prefix(&root).expect("below the root");
        name.to_str().expect("UTF-8").to_owned()
    });
    std::iter::once("README.md".to_owned()).chain(names).map(|name| Document::read(&name)).collect()
}

/// Reports whether tests write the generated parts of documents instead of comparing them
/// (`PML_UPDATE_DOCS=1`, `just docs`).
#[expect(clippy::disallowed_methods, reason = "a switch for developers, not a setting of pml")]
pub fn updates_documents() -> bool {
    std::env::var_os("PML_UPDATE_DOCS").is_some_and(|value| value == "1")
}

/// One writer at a time: tests of one process may update the same page.
static WRITING: Mutex<()> = Mutex::new(());

/// Replaces `old` by `new` in a file of the project.
pub fn update_document(name: &str, old: &str, new: &str) {
    let _one = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let document = Document::read(name);
    assert!(document.text.contains(old), "{name} changed while it was updated");
    let text = document.text.replacen(old, new, 1);
    std::fs::write(document.path(), text).unwrap_or_else(|error| panic!("{name}: {error}"));
}

/// Checks that the part of a page between the comments `generated: NAME` and `end: NAME` is this
/// text. Writes it if documents are updated.
pub fn assert_generated(page: &str, name: &str, expected: &str) {
    let document = Document::read(page);
    let (start, end) = (format!("<!-- generated: {name} -->\n"), format!("<!-- end: {name} -->"));
    let (_, rest) = document.text.split_once(&start).unwrap_or_else(|| panic!("no `{start}`"));
    let (found, _) = rest.split_once(&end).unwrap_or_else(|| panic!("no `{end}`"));
    let expected = format!("\n{}\n\n", expected.trim());
    if found == expected {
        return;
    }
    if updates_documents() {
        update_document(page, &format!("{start}{found}{end}"), &format!("{start}{expected}{end}"));
        return;
    }
    let differing = found.lines().zip(expected.lines()).find(|(left, right)| left != right);
    panic!("the part `{name}` of {page} is not current: `just docs` writes it\n{differing:#?}");
}

/// Returns text as lines of at most `width` columns. Each line but the first is indented.
pub fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if !line.trim().is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(format!("{}{word}", " ".repeat(indent)));
        } else {
            line.push_str(if line.trim().is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines.join("\n")
}

/// Returns prose with the characters escaped that Markdown would take for its own. Code between
/// backticks stays.
pub fn markdown_escaped(text: &str) -> String {
    let mut escaped = String::new();
    let mut in_code = false;
    for character in text.chars() {
        in_code ^= character == '`';
        if !in_code && "*_[]<>|".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    let linked = |word: &str| match word.starts_with("https://") || word.starts_with("http://") {
        true => format!("<{word}>"),
        false => word.to_owned(),
    };
    escaped.split(' ').map(linked).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Document, markdown_escaped, wrapped};

    fn document(text: &str) -> Document {
        Document { name: "a.md".into(), text: text.into() }
    }

    #[test]
    fn code_blocks_have_their_language_their_marks_and_their_line() {
        let page = document("# A\n\n```ts file:a.ts run\n1\n2\n```\n\n```console\n$ x\n```\n");
        let blocks = page.code_blocks();
        assert_eq!(blocks.len(), 2);
        assert!(blocks[0].is_in("ts") && blocks[0].is_marked("run") && !blocks[0].is_in("run"));
        assert_eq!((blocks[0].file(), blocks[0].line), (Some("a.ts"), 4));
        assert_eq!((blocks[0].text.as_str(), blocks[1].text.as_str()), ("1\n2\n", "$ x\n"));
        assert!(blocks[1].is_in("console") && blocks[1].file().is_none());
    }

    #[test]
    fn links_and_anchors_are_found_outside_of_code() {
        let text = "# A b, `c`!\n[x](y.md#z) and `[no](no)`\n```\n[no](no)\n# no\n```\n[r]: s.md\n";
        assert_eq!(document(text).links(), ["y.md#z", "s.md"]);
        assert_eq!(document(text).anchors(), ["a-b-c"]);
    }

    #[test]
    fn prose_is_wrapped_and_escaped() {
        assert_eq!(wrapped("- one two three", 9, 2), "- one two\n  three");
        assert_eq!(markdown_escaped("a *b* `*c*` [d]"), "a \\*b\\* `*c*` \\[d\\]");
        assert_eq!(markdown_escaped("at http://a.example now"), "at <http://a.example> now");
    }
}
