//! Formats runs as a table, and as JSON.

use crate::identify::short;
use crate::moment::{ago, format_span};
use crate::present_fields::present_fields;
use crate::table::{TableCell, table};
use crate::ui::{BAD, BOLD, DIM, GOOD, WAITING};
use anstyle::Style;
use pml::json::{Value, json};
use pml::text::cut_to_columns;
use pml::{
    Timestamp,
    journal::{RunState, RunSummary},
    text::{escape, milliseconds},
};

/// Returns the runs as a table that fits into `width` columns.
pub(super) fn lines(runs: &[RunSummary], now: Timestamp, width: Option<usize>) -> Vec<String> {
    let titles = ["RUN", "STATE", "SCRIPT", "STARTED", "TIME", "CALLS"];
    let mut rows = vec![titles.map(|title| TableCell::styled(title, BOLD)).into()];
    rows.extend(runs.iter().map(|run| {
        vec![
            TableCell::plain(short(run.run)),
            TableCell::styled(run.state.as_str(), state_style(run.state)),
            TableCell::plain(script_name(&run.script, usize::MAX)),
            TableCell::styled(ago(run.created, now), DIM),
            TableCell::plain(format_span(run.meter.wall)),
            TableCell::plain(run.meter.calls.to_string()),
        ]
    }));
    table(&rows, width)
}

/// Returns the name of a script in one line, cut to `limit` columns.
pub(crate) fn script_name(name: &str, limit: usize) -> String {
    cut_to_columns(&escape(name).replace(['\n', '\t'], " "), limit)
}

pub(super) fn state_style(state: RunState) -> Style {
    match state {
        RunState::Finished => GOOD,
        RunState::Failed | RunState::Aborted | RunState::Expired => BAD,
        RunState::Waiting | RunState::Interrupted => WAITING,
        _ => BOLD,
    }
}

pub(super) fn json(runs: &[RunSummary]) -> Value {
    runs.iter().map(summary_json).collect()
}

/// Returns a run as JSON: points in time as dates, durations in milliseconds.
pub(super) fn summary_json(run: &RunSummary) -> Value {
    present_fields(json!({
        "run_id": run.run,
        "state": run.state,
        "script": run.script,
        "started": run.created.to_string(),
        "updated": run.updated.to_string(),
        "wall_ms": milliseconds(run.meter.wall),
        "cpu_ms": milliseconds(run.meter.cpu),
        "call_count": run.meter.calls,
        "owner": run.owner,
        "resumed_from": run.resumed_from,
        "open_questions": run.questions,
    }))
}

#[cfg(test)]
mod tests {
    use super::{json, lines};
    use crate::identify::short;
    use crate::runs::fixture;
    use pml::{Journal, MemoryJournal, Timestamp, journal::RunFilter};

    #[tokio::test(flavor = "current_thread")]
    async fn a_run_has_one_line_and_json_has_its_whole_id() {
        let journal = MemoryJournal::new();
        let run = fixture::finished(&journal).await;
        let runs = journal.runs(RunFilter::default(), Timestamp(0)).await.unwrap();
        let now = Timestamp(fixture::START + 180_000_000);
        let lines = lines(&runs, now, None);
        assert_eq!(lines.len(), 2);
        let plain = anstream::adapter::strip_str(&lines[1]).to_string();
        assert!(
            plain.starts_with(&format!("{}  finished  report\\u{{1b}}.ts", short(run))),
            "{plain}"
        );
        assert!(plain.ends_with("3m ago   3s    5"), "{plain}");
        let narrow = super::lines(&runs, now, Some(40)).join("\n");
        let narrow = anstream::adapter::strip_str(&narrow).to_string();
        pml_kit::insta::assert_snapshot!(narrow.replace(&short(run), "[run]   "), @r"
        RUN       STATE     SCRIPT    STARTED  TIME  CALLS
        [run]     finished  report\…  3m ago   3s    5
        ");
        assert_eq!(json(&runs)[0]["run_id"], run.to_string());
        assert_eq!(json(&runs)[0]["wall_ms"], 3000.0);
    }
}
