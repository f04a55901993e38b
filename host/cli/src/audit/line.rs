//! Formats entries of the audit trail as lines: pml's text before the bar, text from others behind
//! it.

use crate::identify::short;
use crate::ui::{BAD, BOLD, DIM, GOOD, WAITING};
use crate::wrap::wrap;
use anstyle::Style;
use pml::json::Value;
use pml::{
    journal::AuditEntry,
    text::{brief, fold_middle, in_one_line},
};

/// Most characters of text from others in a line; `--json` has the rest.
const TEXT: usize = 200;

/// Number of digits of a digest, the same as in asks.
const DIGEST: usize = 12;

/// Width of the label before the bar.
const WHAT: usize = 16;

/// Returns entries as lines, wrapped if a width is given.
pub(super) fn lines(entries: &[AuditEntry], width: Option<usize>) -> Vec<String> {
    entries.iter().map(|entry| line(entry, width)).collect()
}

fn line(entry: &AuditEntry, width: Option<usize>) -> String {
    let (what, colour) = event_label(entry);
    let at = entry.at.to_string().replace('T', " ");
    // Fractions of a second are cut off.
    let at = format!("{}Z", &at[..at.len().min(19)]);
    let run = entry.run.map_or("-".into(), short);
    let plain = format!("{at}  {run:8}  {what:WHAT$} │ {}", fold_middle(&details(entry), TEXT));
    let plain = width.map_or_else(|| plain.clone(), |width| wrap(&plain, width));
    // Colours are added after wrapping, because they take no columns.
    let dimmed = plain.replacen(&at, &format!("{DIM}{at}{DIM:#}"), 1);
    dimmed.replacen(&what, &format!("{colour}{what}{colour:#}"), 1)
}

/// Returns the label of an entry, and its colour.
fn event_label(entry: &AuditEntry) -> (String, Style) {
    let field = |name: &str| entry.body.get(name).and_then(Value::as_str).unwrap_or_default();
    let (what, colour) = match (entry.kind(), field("decision")) {
        ("asked", _) => ("asked", WAITING),
        ("decided", "approve") => ("approved", GOOD),
        ("decided", "always") => ("approved always", GOOD),
        ("decided", "always_within") => ("approved always", GOOD),
        ("decided", "decline") => ("declined", BAD),
        ("decided", "result") => ("result given", GOOD),
        ("decided", "abort") => ("aborted", BAD),
        ("decided", "replan") => ("replanned", BAD),
        ("withdrawn", _) => ("withdrawn", DIM),
        ("expired", _) => ("expired", BAD),
        ("refused", _) => ("REFUSED", BAD),
        ("granted", _) => ("granted", GOOD),
        ("lapsed", _) => ("lapsed", WAITING),
        ("installed", _) => ("installed", GOOD),
        ("trusted", _) => ("trusted", GOOD),
        ("trusted_once", _) => ("trusted once", GOOD),
        ("changed", _) => ("settings changed", WAITING),
        ("distrusted", _) => ("trust revoked", BAD),
        ("imported", _) => ("runs imported", DIM),
        ("adopted", _) => ("journal adopted", WAITING),
        ("accepted", _) => ("trail accepted", WAITING),
        _ => ("noted", BOLD),
    };
    (what.into(), colour)
}

/// Returns the details of an entry in one line.
fn details(entry: &AuditEntry) -> String {
    let body = &entry.body;
    let field = |name: &str| in_one_line(body.get(name).and_then(Value::as_str).unwrap_or("?"));
    let by = || format!("by {} ({})", field("who"), field("channel"));
    match entry.kind() {
        "asked" => asked_details(body),
        "decided" => {
            let only = match &body["only_for"] {
                Value::Null => String::new(),
                only => format!(", on condition {}", brief(only, TEXT)),
            };
            let digest = body["digest"].as_str().map_or(String::new(), |digest| {
                format!(", digest {}", in_one_line(digest).chars().take(DIGEST).collect::<String>())
            });
            format!("{} {}{only}{digest}", field("tool"), by())
        }
        "withdrawn" => field("reason"),
        "expired" => format!("question {}", short(field("workflow_id"))),
        "refused" => format!("{}: {}", by(), field("reason")),
        "granted" => {
            let only = match &body["only_for"] {
                Value::Array(only) if !only.is_empty() => {
                    format!(", on condition {}", brief(&body["only_for"], TEXT))
                }
                _ => String::new(),
            };
            format!("{} {} in {}{only}", field("tool"), by(), field("file"))
        }
        "lapsed" => {
            let parts = body["differences"].as_array().into_iter().flatten();
            let parts = parts.filter_map(|part| part["part"].as_str()).map(in_one_line);
            format!("{}: {} changed", field("tool"), parts.collect::<Vec<_>>().join(", "))
        }
        "installed" => {
            let package = |name: &str| in_one_line(body["package"][name].as_str().unwrap_or("?"));
            let digest = body["digest"].as_str().map_or(String::new(), |digest| {
                format!(", sha256 {}", in_one_line(&short_digest(digest)))
            });
            let (name, version, from) = (package("name"), package("version"), package("source"));
            format!("{name}@{version} from {from}{digest}")
        }
        "changed" => {
            let changes = body["changes"].as_array().into_iter().flatten();
            let changes = changes.filter_map(Value::as_str).map(in_one_line).collect::<Vec<_>>();
            format!("{} {}", changes.join("; "), by())
        }
        "trusted" | "trusted_once" | "distrusted" => format!("{} {}", field("folder"), by()),
        "imported" => {
            let number = |name: &str| body[name].as_u64().unwrap_or_default();
            let (runs, left) = (number("runs"), number("left"));
            format!("{runs} from {}, {left} left there", field("from"))
        }
        "adopted" => format!("{} from {}", by(), field("from")),
        "accepted" => format!("{}: {}", by(), field("reason")),
        _ => brief(body, TEXT),
    }
}

fn asked_details(body: &Value) -> String {
    let asks: &[Value] = body["asks"].as_array().map_or(&[], Vec::as_slice);
    let Some(first) = asks.first() else { return "?".into() };
    let tool = in_one_line(first["tool"].as_str().unwrap_or("?"));
    let more = match body["ask_count"].as_u64().unwrap_or(1) {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let kind = match first["kind"].as_str() {
        Some("tool_permission") | None => String::new(),
        Some(kind) => format!(" ({})", in_one_line(kind)),
    };
    format!("{tool}{kind} {}{more}", brief(&first["arguments"], 100))
}

/// Returns the beginning of a digest.
fn short_digest(digest: &str) -> String {
    digest.chars().take(12).collect()
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::identify::short;
    use crate::runs::fixture::{self, at};
    use pml::{
        Journal, MemoryJournal,
        approval::{Condition, Constraint, Difference, Ecosystem, Package},
        journal::{AuditEvent, AuditFilter, AuditNote},
        policy::Grant,
    };

    const EVIL: &str = "x\u{1b}[2J\n2026 │ approved\u{202e}";

    #[tokio::test(flavor = "current_thread")]
    async fn each_entry_is_told_in_one_line() {
        let journal = MemoryJournal::new();
        let run = fixture::finished(&journal).await;
        let (who, channel) = (String::from("ann"), String::from("terminal"));
        let file = ".pml.json".into();
        let only = vec![Constraint::new("path", Condition::Under("/x".into()))];
        let grant = Grant::new("a:b".parse().unwrap(), None, only);
        let package =
            Package::new("s", Ecosystem::Npm, "serena", "0.5.0", "registry.example", "npx");
        let differences = vec![Difference::new("description", None, None)];
        for what in [
            AuditEvent::Granted { grant, who: who.clone(), channel: channel.clone(), file },
            AuditEvent::Lapsed { tool: "a:b".parse().unwrap(), differences },
            AuditEvent::Installed { package, digest: Some("abcdef0123456789".into()) },
            AuditEvent::Trusted {
                folder: "/p".into(),
                files: Vec::new(),
                who: who.clone(),
                channel: channel.clone(),
            },
            AuditEvent::TrustedOnce {
                folder: "/p".into(),
                files: Vec::new(),
                who: who.clone(),
                channel: channel.clone(),
            },
            AuditEvent::Changed {
                folder: "/p".into(),
                changes: vec!["added server `a`: npx a".into(), EVIL.into()],
                who,
                channel,
            },
        ] {
            journal.audit(AuditNote::new(at(9_000), None, what)).await.unwrap();
        }
        let trail = journal.audit_trail(AuditFilter::default()).await.unwrap();
        let lines = lines(&trail.entries, None).join("\n");
        let text = anstream::adapter::strip_str(&lines).to_string();
        let digest = trail.entries[1].body["digest"].as_str().unwrap()[..12].to_owned();
        let run = short(run);
        assert_eq!(text.lines().collect::<Vec<_>>(), [
            format!("2026-11-16 04:27:10Z  {run}  asked            │ bank:pay {{\"to\":\"Ann\",\"amount\":5,\"token\":\"[hidden: 3 characters]\"}}").as_str(),
            &format!("2026-11-16 04:27:11Z  {run}  approved         │ bank:pay by ann (terminal), digest {digest}"),
            "2026-11-16 04:27:19Z  -         granted          │ a:b by ann (terminal) in .pml.json, on condition [{\"argument\":\"path\",\"under\":\"/x\"}]",
            "2026-11-16 04:27:19Z  -         lapsed           │ a:b: description changed",
            "2026-11-16 04:27:19Z  -         installed        │ serena@0.5.0 from registry.example, sha256 abcdef012345",
            "2026-11-16 04:27:19Z  -         trusted          │ /p by ann (terminal)",
            "2026-11-16 04:27:19Z  -         trusted once     │ /p by ann (terminal)",
            "2026-11-16 04:27:19Z  -         settings changed │ added server `a`: npx a; x\\u{1b}[2J\\n2026 │ approved\\u{202e} by ann (terminal)",
        ]);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn hostile_words_stay_behind_the_bar() {
        let journal = MemoryJournal::new();
        let (who, channel, reason) = (EVIL.into(), EVIL.into(), EVIL.repeat(50));
        let what = AuditEvent::Refused { question: None, who, channel, reason };
        journal.audit(AuditNote::new(at(0), None, what)).await.unwrap();
        let trail = journal.audit_trail(AuditFilter::default()).await.unwrap();
        let text =
            anstream::adapter::strip_str(&lines(&trail.entries, Some(80)).join("\n")).to_string();
        assert!(
            text.lines().count() > 1 && text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        assert!(text.lines().skip(1).all(|line| line.trim_start().starts_with("│ ")), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
}
