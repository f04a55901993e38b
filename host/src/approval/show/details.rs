//! The details of an ask, for people who want to read more before they decide.

use super::lines::BAR;
use super::parts::{format_size, further_packages};
use crate::model::{
    Ask, Difference, MissingVariables, Need, Package, Redactor, ToolChange, TrustNeed, escape,
    in_one_line,
};

/// Maximum number of leading spaces preserved in a line of a definition.
const INDENT: usize = 40;

/// Returns the details that the first lines of an ask leave out: why it is asked, what exactly is
/// missing or differs, and the arguments in full. In a line with a `│`, the text before it is pml's
/// own and the text behind it comes from elsewhere; a line without a `│` is pml's own. No text is
/// cut.
///
/// ```
/// use pml::{Ask, approval::AskKind, json::json};
///
/// let ask = Ask::new(AskKind::ToolPermission, None, "bank:pay", json!({ "token": "t0p" }), "`bank:*` asks");
/// assert_eq!(pml::approval::details_of_ask(&ask), [
///     "why │ `bank:*` asks",
///     &format!("digest │ {}", ask.digest()),
///     "all arguments; secrets are replaced by their length:",
///     "│ {",
///     "│   \"token\": \"[hidden: 3 characters]\"",
///     "│ }",
/// ]);
/// ```
pub fn details_of_ask(ask: &Ask) -> Vec<String> {
    details_of_ask_with(ask, &Redactor::new())
}

/// Does the same as [`details_of_ask`], with secrets hidden by `redactor`.
pub fn details_of_ask_with(ask: &Ask, redactor: &Redactor) -> Vec<String> {
    let mut details = DetailLines { lines: Vec::new(), redactor };
    match &ask.need {
        Some(Need::Trust(_)) | None => details.add_redacted("why", &ask.reason),
        Some(_) if ask.reason.is_empty() => {}
        Some(_) => details.add_redacted("why", &ask.reason),
    }
    match &ask.need {
        Some(Need::Install(package)) => details.package(package),
        Some(Need::Variables(variables)) => details.variables(variables),
        Some(Need::Trust(trust)) => details.trust(trust),
        Some(Need::Change(change)) => details.change(change),
        None => {}
    }
    details.add("digest", &ask.digest());
    if let Some(origin) = &ask.origin {
        details.add("definition sha256", &origin.definition);
        details.add("server sha256", &origin.server);
        origin.package.iter().for_each(|package| details.add("package sha256", package));
    }
    details.arguments(ask);
    details.lines
}

/// Collects the lines of the details.
struct DetailLines<'r> {
    lines: Vec<String>,
    redactor: &'r Redactor,
}

impl DetailLines<'_> {
    /// Adds a line: a label of ours, and text from elsewhere that holds no secret.
    fn add(&mut self, label: &str, text: &str) {
        self.lines.push(format!("{label}{BAR}{}", in_one_line(text)));
    }

    /// Adds a line: a label of ours, and text from elsewhere that is redacted first.
    fn add_redacted(&mut self, label: &str, text: &str) {
        let text = self.redactor.redact_text(text).into_owned();
        self.add(label, &text);
    }

    /// Adds a line of ours, without a bar.
    fn add_heading(&mut self, text: &str) {
        self.lines.push(text.into());
    }

    /// Adds lines of text from elsewhere, without a label.
    fn add_foreign_lines<'a>(&mut self, lines: impl Iterator<Item = &'a str>) {
        self.lines.extend(lines.map(|line| format!("│ {}", in_one_line(line))));
    }

    fn arguments(&mut self, ask: &Ask) {
        self.add_heading(match self.redactor.hides() {
            true => "all arguments; secrets are replaced by their length:",
            false => "all arguments, SECRETS INCLUDED:",
        });
        let shown = self.redactor.for_display(&ask.arguments);
        let pretty = serde_json::to_string_pretty(&shown).unwrap_or_default();
        // Long runs of blanks were already replaced by their count: the remaining ones are our own
        // indentation.
        self.lines.extend(pretty.lines().map(|line| format!("│ {}", escape(line))));
    }

    fn package(&mut self, package: &Package) {
        if package.changed {
            self.add_heading("it was installed before, and its files have changed since");
        }
        if !package.replaces.is_empty() {
            self.add_heading("it is not what was approved before; what differs:");
            package.replaces.iter().for_each(|difference| self.difference(difference));
        }
        self.add("server", &package.server);
        self.add("package", &package.name);
        self.add("version", &package.version);
        package.beside.iter().for_each(|beside| self.add("together with", beside));
        package
            .starts_other()
            .into_iter()
            .for_each(|other| self.add("START the program of", other));
        if package.scripts {
            self.add_heading(
                "code of it may run while it is installed, because the server has `installScripts`",
            );
        }
        self.add(
            "size",
            &match package.size {
                Some(bytes) => {
                    format!("{} ({bytes} bytes), without its dependencies", format_size(bytes))
                }
                None => "unknown: the registry does not say".into(),
            },
        );
        if let Some(more) = further_packages(package) {
            self.add("together with", &format!("{more}, which it needs"));
        }
        if let Some(closure) = &package.closure {
            self.add("digest of all packages", closure);
        }
        self.add("from", &package.source);
        self.add(
            "integrity",
            package.integrity.as_deref().unwrap_or("none: the registry does not have one"),
        );
        self.add_redacted("launch line", &package.install);
    }

    fn variables(&mut self, variables: &MissingVariables) {
        self.add("server", &variables.server);
        variables.names.iter().for_each(|name| self.add("not set", name));
        self.add("file", &variables.file);
        self.add_heading("the file is read again when you approve; then the call is made");
    }

    fn trust(&mut self, trust: &TrustNeed) {
        self.add("folder", &trust.folder);
        self.add("not trusted", &trust.reason);
        for (name, digest) in &trust.files {
            self.add("file", &format!("{} sha256 {digest}", in_one_line(name)));
        }
        self.add_heading("what its files say:");
        // Secrets were removed when these lines were written; no more is hidden here.
        self.add_foreign_lines(trust.would.iter().map(String::as_str));
    }

    fn change(&mut self, change: &ToolChange) {
        self.add_heading("what differs:");
        change.differences.iter().for_each(|difference| self.difference(difference));
    }

    /// Adds one changed part, as it was and as it is.
    fn difference(&mut self, difference: &Difference) {
        self.add("part", &difference.part);
        for line in difference.lines() {
            // Schemas are indented: up to `INDENT` leading spaces are preserved.
            let indent = line.bytes().take_while(|byte| *byte == b' ').count().min(INDENT);
            self.lines.push(format!("│ {:indent$}{}", "", in_one_line(&line[indent..])));
        }
    }
}
