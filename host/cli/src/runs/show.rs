//! Formats one run with all its details as lines.

use super::draw::{OwnerLiveness, TimelineScale, draw};
use super::list::{script_name, state_style};
use crate::moment::{ago, format_span};
use crate::quantity::counted;
use crate::terminal::width_of_stdout;
use crate::ui::{BAD, BOLD, DIM, GOOD};
use crate::wrap::wrap;
use anyhow::Result;
use pml::journal::Timeline;
use pml::json::{self, Value};
use pml::{
    Decision, Ending, Error, Journal, Question, Timestamp,
    approval::{RecordedDecision, describe_constraints, lines_of_ask_with},
    journal::{RunState, RunSummary, StoredRun},
    text::{Redactor, brief, brief_with, escape},
};

/// Width of the output if stdout is not a terminal.
const WIDTH: usize = 100;
/// Columns of the names of facts.
const NAME: usize = 9;
/// Most characters of a result or an error.
const ENDING: usize = 500;

/// Everything that the journal knows about a run.
pub(super) struct RunDetails {
    pub(super) summary: RunSummary,
    pub(super) stored: StoredRun,
    pub(super) decided: Vec<RecordedDecision>,
    scale: TimelineScale,
}

impl RunDetails {
    pub(super) async fn load(
        journal: &dyn Journal,
        summary: RunSummary,
        now: Timestamp,
    ) -> Result<RunDetails> {
        let stored = journal.load(summary.run).await.map_err(Error::from)?;
        let decided = journal.decisions(summary.run).await.map_err(Error::from)?;
        let is_unfinished = matches!(summary.state, RunState::Running | RunState::Waiting);
        let last = stored.entries.last().map_or(stored.header.started, |entry| entry.at);
        let to = if is_unfinished { now.max(last) } else { last };
        let scale = TimelineScale { from: stored.header.started, to };
        Ok(RunDetails { summary, stored, decided, scale })
    }

    /// Returns the timeline of the run's calls and questions.
    pub(super) fn timeline(&self) -> Timeline<'_> {
        Timeline::until(&self.stored.entries, self.scale.to).with_decisions(&self.decided)
    }

    /// Returns the ending as it was written: `finished` with a result, `failed` with a failure, and
    /// so on. An ending that is nested too deeply to be parsed is returned as text.
    pub(super) fn ending(&self) -> Option<Value> {
        self.stored.ending_text().map(value_or_text)
    }

    pub(super) fn lines(&self, now: Timestamp, redactor: &Redactor) -> Vec<String> {
        self.lines_within(width_of_stdout().unwrap_or(WIDTH), now, redactor)
    }

    fn lines_within(&self, width: usize, now: Timestamp, redactor: &Redactor) -> Vec<String> {
        let mut lines = self.header(width, now);
        let timeline = self.timeline();
        let calls: Vec<_> = timeline.calls.values().collect();
        if !calls.is_empty() {
            let owner = if self.summary.owner.is_some() {
                OwnerLiveness::Alive
            } else {
                OwnerLiveness::Gone
            };
            lines.push(String::new());
            lines.extend(draw(&calls, self.scale, owner, width, redactor));
        }
        for question in &timeline.questions {
            lines.push(String::new());
            lines.extend(self.question(question, width, redactor));
        }
        if let Some(text) = self.stored.ending_text() {
            lines.push(String::new());
            lines.push(wrap(&ending_line(text, redactor), width));
        }
        lines
    }

    fn header(&self, width: usize, now: Timestamp) -> Vec<String> {
        let (header, summary) = (&self.stored.header, &self.summary);
        let style = state_style(summary.state);
        let owner = summary.owner.map(|id| format!(" (process {id})")).unwrap_or_default();
        let without_people = match self.timeline().questions.is_empty() {
            true => "",
            false => ", without the time that people took",
        };
        let from = header.resumed_from.map(|run| run.to_string());
        let facts = [
            ("run", Some(format!("{BOLD}{}{BOLD:#}", summary.run))),
            ("state", Some(format!("{style}{}{style:#}{owner}", summary.state))),
            ("script", Some(script_name(&header.script, width.saturating_sub(NAME)))),
            ("started", Some(format!("{} ({})", header.created, ago(header.created, now)))),
            (
                "took",
                Some(format!(
                    "{}{without_people}; {} of CPU; {}",
                    format_span(summary.meter.wall),
                    format_span(summary.meter.cpu),
                    counted(summary.meter.calls, "call")
                )),
            ),
            ("resumed", from.map(|run| format!("from {run}"))),
            (
                "made by",
                Some(format!("pml {}, guest {}", escape(&header.pml), cut_digest(&header.guest))),
            ),
            ("trace", Some(escape(&header.trace).into_owned())),
        ];
        let facts = facts.into_iter().filter_map(|(name, fact)| Some((name, fact?)));
        facts.map(|(name, fact)| format!("{DIM}{name:8}{DIM:#} {fact}")).collect()
    }

    fn question(&self, question: &Question, width: usize, redactor: &Redactor) -> Vec<String> {
        let mut lines =
            vec![format!("{BOLD}asked{BOLD:#} {} {DIM}{}{DIM:#}", question.asked_at, question.id)];
        for ask in &question.asks {
            let shown = lines_of_ask_with(ask, redactor);
            lines.extend(shown.iter().map(|line| wrap(&format!("  {line}"), width)));
            let decision =
                self.decided.iter().find(|it| it.question == question.id && it.ask == ask.id);
            lines.push(match decision {
                Some(decided) => format!("  {}", decision_line(decided)),
                None if self.summary.state.has_ended() => {
                    format!("  {DIM}not decided before the run ended{DIM:#}")
                }
                None => format!("  {DIM}not decided yet{DIM:#}"),
            });
        }
        lines
    }
}

/// Returns the line that says who decided what, and when.
pub(crate) fn decision_line(decided: &RecordedDecision) -> String {
    let what = match &decided.decision {
        Decision::Approve => "approved".into(),
        Decision::Always => "approved, and always allowed".into(),
        Decision::AlwaysWithin(within) => {
            format!("approved, and always allowed with {}", one_line(&describe_constraints(within)))
        }
        Decision::Decline => "declined".into(),
        Decision::Result(value) => format!("result given: {}", brief(value, 60)),
        Decision::Abort => "aborted".into(),
        Decision::Replan => "ended, so that a better program can be written".into(),
    };
    let (who, channel) = (one_line(&decided.who), one_line(&decided.channel));
    format!("{what} by {who} ({channel}), {}", decided.at)
}

fn one_line(text: &str) -> String {
    script_name(text, 60)
}

fn cut_digest(digest: &str) -> String {
    digest.chars().take(12).collect()
}

/// Returns the line that says how a run ended. `text` is the ending in the journal.
fn ending_line(text: &str, redactor: &Redactor) -> String {
    // JSON is one line, with secrets hidden; its quotes separate it from pml's text.
    let brief = |value: &Value| brief_with(value, ENDING, redactor);
    let other = || format!("ended │ {}", brief(&value_or_text(text)));
    let Ok(ending) = Ending::read(text) else { return other() };
    match &ending {
        Ending::Finished(None) => format!("{GOOD}finished{GOOD:#} without a result"),
        Ending::Finished(Some(result)) => match json::from_str(result.get()) {
            Ok(result) => format!("{GOOD}result{GOOD:#} │ {}", brief(&result)),
            Err(_) => other(),
        },
        Ending::Failed(failure) => {
            let (code, message) = (failure.code.as_str(), failure.message.as_str());
            format!("{BAD}failed{BAD:#} {} │ {}", one_line(code), brief(&message.into()))
        }
        Ending::Expired(_) => format!("{BAD}expired{BAD:#}: nobody answered in time"),
        Ending::Aborted(aborted) => {
            let message = brief(&aborted.message.as_str().into());
            format!("{BAD}aborted{BAD:#} by {} │ {message}", one_line(&aborted.who))
        }
        Ending::Waiting(_) => other(),
    }
}

/// Parses a JSON text. If it is nested too deeply, it is returned as a string.
fn value_or_text(text: &str) -> Value {
    json::from_str(text).unwrap_or_else(|_| Value::String(text.into()))
}

#[cfg(test)]
mod tests {
    use super::RunDetails;
    use crate::identify;
    use crate::runs::fixture::{self, at};
    use pml::{Journal, MemoryJournal, approval::AskKind, text::Redactor};
    use pml_kit::insta::assert_snapshot;

    async fn shown(journal: &dyn Journal) -> (RunDetails, String) {
        let summary = identify::find_run(journal, "last", at(60_000)).await.unwrap();
        let shown = RunDetails::load(journal, summary, at(60_000)).await.unwrap();
        let lines = shown.lines_within(100, at(60_000), &Redactor::new()).join("\n");
        (shown, anstream::adapter::strip_str(&lines).to_string())
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_run_is_told_from_its_start_to_its_end() {
        let journal = MemoryJournal::new();
        let run = fixture::finished(&journal).await;
        let (shown, text) = shown(&journal).await;
        for part in [
            &format!("run      {run}"),
            "state    finished",
            "2026-11-16T04:27:10.000Z (1m ago)",
            "1  github:list_issues",
            "failed TOOL_FAILED",
            "approved by ann (terminal), 2026-11-16T04:27:11.990Z",
            "result │ {\"items\":2,\"api_key\":\"[hidden: 3 characters]\"}",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains("t0p") && !text.contains('\u{1b}'), "{text}");
        let json = shown.json(&Redactor::new()).to_string();
        assert!(!json.contains("t0p") && json.contains("\"standing\":\"ok\""), "{json}");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_run_fits_80_columns_and_200() {
        let journal = MemoryJournal::new();
        fixture::finished(&journal).await;
        let summary = identify::find_run(&journal, "last", at(60_000)).await.unwrap();
        let shown = RunDetails::load(&journal, summary, at(60_000)).await.unwrap();
        let within = |width| {
            let text = shown.lines_within(width, at(60_000), &Redactor::new()).join("\n");
            let text = text.replace(&shown.summary.run.to_string(), "[run]");
            text.replace(&shown.decided[0].question.to_string(), "[question]")
                .replace('\u{1b}', "␛")
        };
        let narrow = anstream::adapter::strip_str(&within(80).replace('␛', "\u{1b}")).to_string();
        assert_snapshot!(narrow, @r#"
        run      [run]
        state    finished
        script   report\u{1b}.ts
        started  2026-11-16T04:27:10.000Z (1m ago)
        took     3s, without the time that people took; 12ms of CPU; 5 calls
        made by  pml 0.1.0, guest abababababab
        trace    cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd

          1  github:list_issues  ██▋                  ok                  390ms
          2  bank:pay              ░░░░░░░░░░▍█▋      ok                  300ms ░ 1.5s
          3  files:read                        ▍▎     failed TOOL_FAILED  90ms
          4  pml:sleep                          ────  ok                  500ms
          5  log:write                             ▊  unknown outcome     100ms
          whole width 3s   █ running 880ms   ░ waiting for a person 1.5s   ─ timer 500ms
           · queued 80ms

        asked 2026-11-16T04:27:10.450Z [question]
          tool      │ bank:pay
          call with │ {"to":"Ann","amount":5,"token":"[hidden: 3 characters]"}
          why       │ `bank:*` asks
          digest    │ e79d48d23d6b
          approved by ann (terminal), 2026-11-16T04:27:11.990Z

        result │ {"items":2,"api_key":"[hidden: 3 characters]"}
        "#);
        assert_snapshot!(within(200), @r#"
        ␛[2mrun     ␛[0m ␛[1m[run]␛[0m
        ␛[2mstate   ␛[0m ␛[32mfinished␛[0m
        ␛[2mscript  ␛[0m report\u{1b}.ts
        ␛[2mstarted ␛[0m 2026-11-16T04:27:10.000Z (1m ago)
        ␛[2mtook    ␛[0m 3s, without the time that people took; 12ms of CPU; 5 calls
        ␛[2mmade by ␛[0m pml 0.1.0, guest abababababab
        ␛[2mtrace   ␛[0m cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd

        ␛[2m  1␛[0m  github:list_issues  ␛[32m▉█████▊␛[0m                                             ␛[32mok␛[0m                  390ms         ␛[2m{"repo":"pml"}␛[0m
        ␛[2m  2␛[0m  bank:pay                  ␛[2m·␛[0m␛[33m░░░░░░░░░░░░░░░░░░░░░░░░░░␛[0m␛[32m▊████▍␛[0m             ␛[32mok␛[0m                  300ms␛[33m ░ 1.5s␛[0m  ␛[2m{"to":"Ann","amount":5,"token":"[hidden: 3 characters]"}␛[0m
        ␛[2m  3␛[0m  files:read                                                ␛[31m▌█␛[0m            ␛[31mfailed TOOL_FAILED␛[0m  90ms          ␛[2m{"path":"/tmp/a\n\u001b[2J"}␛[0m
        ␛[2m  4␛[0m  ␛[2mpml:sleep␛[0m                                                   ␛[2m─────────␛[0m   ␛[2mok␛[0m                  500ms         ␛[2m{"ms":500}␛[0m
        ␛[2m  5␛[0m  log:write                                                           ␛[31m▊█␛[0m  ␛[31munknown outcome␛[0m     100ms         ␛[2m{}␛[0m
        ␛[2m  whole width 3s␛[0m␛[32m   █ running 880ms␛[0m␛[33m   ░ waiting for a person 1.5s␛[0m␛[2m   ─ timer 500ms␛[0m␛[2m   · queued 80ms␛[0m

        ␛[1masked␛[0m 2026-11-16T04:27:10.450Z ␛[2m[question]␛[0m
          tool      │ bank:pay
          call with │ {"to":"Ann","amount":5,"token":"[hidden: 3 characters]"}
          why       │ `bank:*` asks
          digest    │ e79d48d23d6b
          approved by ann (terminal), 2026-11-16T04:27:11.990Z

        ␛[32mresult␛[0m │ {"items":2,"api_key":"[hidden: 3 characters]"}
        "#);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_run_that_waits_says_for_what() {
        let journal = MemoryJournal::new();
        let (_, lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
        let (_, text) = shown(&journal).await;
        assert!(text.contains("state    waiting (process"), "{text}");
        assert!(text.contains("asked") && text.contains("not decided yet"), "{text}");
        drop(lease);
    }
}
