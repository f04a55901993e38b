//! All the rest, for whoever asks for more before they decide.

use super::parts::{Labelled, one_line, size};
use crate::model::{Ask, Change, Difference, Need, Package, TrustNeed, Variables, cut, redact};

/// Characters of a line. Those of an argument go on behind a bar where a terminal is narrower.
const WIDTH: usize = 2_000;

/// Lines of any one text; more would push the question off the screen.
const LINES: usize = 200;

/// Returns what the three lines of an ask have no room for: why it is asked, what exactly is missing or differs, and the
/// arguments in full. A line with a `│` has our words before it and others' words behind it; one without is ours.
///
/// ```
/// use pml::{Ask, AskKind, json::json};
///
/// let ask = Ask::new(AskKind::ToolPermission, None, "bank:pay", json!({ "token": "t0p" }), "`bank:*` asks");
/// assert_eq!(pml::details_of_ask(&ask), [
///     "why │ `bank:*` asks",
///     "the arguments in full, secrets left out:",
///     "│ {",
///     "│   \"token\": \"[redacted]\"",
///     "│ }",
/// ]);
/// ```
pub fn details_of_ask(ask: &Ask) -> Vec<String> {
    let mut details = Details::default();
    match &ask.need {
        Some(Need::Trust(_)) | None => details.say("why", &ask.reason),
        Some(_) if ask.reason.is_empty() => {}
        Some(_) => details.say("why", &ask.reason),
    }
    match &ask.need {
        Some(Need::Install(package)) => details.package(package),
        Some(Need::Variables(variables)) => details.variables(variables),
        Some(Need::Trust(trust)) => details.trust(trust),
        Some(Need::Change(change)) => details.change(change),
        None => {}
    }
    if let Some(origin) = &ask.origin {
        details.say("definition sha256", &origin.definition);
        details.say("server sha256", &origin.server);
        origin.package.iter().for_each(|package| details.say("package sha256", package));
    }
    details.head("the arguments in full, secrets left out:");
    let pretty = serde_json::to_string_pretty(&redact(&ask.arguments)).unwrap_or_default();
    details.text(pretty.lines());
    details.0
}

/// Lines on their way.
#[derive(Default)]
struct Details(Vec<String>);

impl Details {
    /// Our words, and those of others.
    fn say(&mut self, label: &str, text: &str) {
        self.0.push(Labelled { label, text }.line(0, WIDTH));
    }

    /// Our words alone.
    fn head(&mut self, text: &str) {
        self.0.push(text.into());
    }

    /// Others' words alone, a line each.
    fn text<'a>(&mut self, lines: impl Iterator<Item = &'a str> + Clone) {
        let more = lines.clone().count().saturating_sub(LINES);
        for line in lines.take(LINES) {
            self.0.push(cut(&format!("│ {}", one_line(line)), WIDTH));
        }
        if more > 0 {
            self.head(&format!("and {more} more lines"));
        }
    }

    fn package(&mut self, package: &Package) {
        if package.changed {
            self.head("it was installed before, and is no longer what it was");
        }
        self.say("server", &package.server);
        self.say("package", &package.name);
        self.say("version", &package.version);
        for beside in package.beside.iter().take(LINES) {
            self.say("and beside it", beside);
        }
        if package.scripts {
            self.head(
                "code of it may run while it is installed: the settings say `installScripts`",
            );
        }
        self.say(
            "size",
            &match package.size {
                Some(bytes) => {
                    format!("{} ({bytes} bytes), without what it depends on", size(bytes))
                }
                None => "the registry does not say".into(),
            },
        );
        self.say("from", &package.source);
        self.say("integrity", package.integrity.as_deref().unwrap_or("the registry names none"));
        self.say("launch line", &package.install);
    }

    fn variables(&mut self, variables: &Variables) {
        self.say("server", &variables.server);
        for name in variables.names.iter().take(LINES) {
            self.say("not set", name);
        }
        self.say("file", &variables.file);
        self.head("the file is read again when you say that it is set; the call then goes on");
    }

    fn trust(&mut self, trust: &TrustNeed) {
        self.say("folder", &trust.folder);
        self.say("not trusted", &trust.reason);
        for (name, digest) in trust.files.iter().take(LINES) {
            self.say("file", &format!("{} sha256 {digest}", one_line(name)));
        }
        self.head("what the files would start or reach, allow and loosen:");
        self.text(trust.would.iter().map(String::as_str));
    }

    fn change(&mut self, change: &Change) {
        self.head("what differs:");
        change.differences.iter().for_each(|difference| self.difference(difference));
    }

    /// One part, as it was and as it is.
    fn difference(&mut self, difference: &Difference) {
        self.say("part", &difference.part);
        self.text(difference.lines().iter().map(String::as_str));
    }
}
