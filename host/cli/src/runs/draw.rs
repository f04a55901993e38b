//! Draws calls as bars on the time scale of their run.

use crate::moment::format_span;
use crate::table::{TableCell, table};
use crate::ui::{BAD, DIM, GOOD, WAITING};
use anstyle::Style;
use pml::journal::{CallPhase, CallSpan, CallState, PastCall};
use pml::json::{self, Value};
use pml::text::cut_to_columns;
use pml::{
    Timestamp,
    text::{Redactor, brief_with, escape},
};
use unicode_width::UnicodeWidthStr;

/// Characters that fill one to eight eighths of a cell, from its left.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
/// Most columns of a tool's name.
const TOOL: usize = 28;
/// Fewest columns for arguments, however narrow the terminal.
const ARGUMENTS: usize = 16;

/// The time from the start to the end of a run.
#[derive(Clone, Copy)]
pub(super) struct TimelineScale {
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
}

/// The state of the process that owns the run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnerLiveness {
    Alive,
    Gone,
}

/// Returns one line for each call, and a legend of the characters that occur.
pub(super) fn draw(
    calls: &[&PastCall<'_>],
    scale: TimelineScale,
    owner: OwnerLiveness,
    width: usize,
    redactor: &Redactor,
) -> Vec<String> {
    let bar = (width * 3 / 10).max(10);
    let rows: Vec<Vec<TableCell>> = calls.iter().map(|call| row(call, scale, owner, bar)).collect();
    let used_columns: usize = (0..5)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.text.width() + 2).max().unwrap_or(0)
        })
        .sum();
    let room = width.saturating_sub(used_columns).max(ARGUMENTS);
    let with_arguments = rows.into_iter().zip(calls).map(|(mut row, call)| {
        row.push(TableCell::styled(arguments(call, room, redactor), DIM));
        row
    });
    let mut lines = table(&with_arguments.collect::<Vec<_>>());
    lines.push(legend(calls, scale));
    lines
}

fn row(
    call: &PastCall<'_>,
    scale: TimelineScale,
    owner: OwnerLiveness,
    width: usize,
) -> Vec<TableCell> {
    let (state, colour) = state_label(call, owner);
    let (tool, bar) = match call.is_timer() {
        true => (DIM, DIM),
        false => (Style::new(), colour),
    };
    let active = call.active_time();
    let name = escape(call.tool_name()).replace(['\n', '\t'], " ");
    vec![
        TableCell::styled(format!("{:>3}", call.call), DIM),
        TableCell::styled(cut_to_columns(&name, TOOL), tool),
        TableCell::styled(bar_cells(&call.spans, scale, width), bar),
        TableCell::styled(state, colour),
        TableCell::plain(if active.is_zero() { "-".into() } else { format_span(active) }),
    ]
}

fn state_label(call: &PastCall<'_>, owner: OwnerLiveness) -> (String, Style) {
    let (state, style) = match call.state() {
        CallState::Ok if call.is_timer() => ("ok".into(), DIM),
        CallState::Ok => ("ok".into(), GOOD),
        CallState::Failed(code) => (format!("failed {}", cut_to_columns(&escape(code), 20)), BAD),
        CallState::Cancelled => ("cancelled".into(), DIM),
        CallState::Abandoned => ("abandoned".into(), WAITING),
        CallState::Asked => ("asked".into(), WAITING),
        CallState::Executing if owner == OwnerLiveness::Gone => ("unknown outcome".into(), BAD),
        CallState::Executing => ("executing".into(), WAITING),
        CallState::Sleeping => ("sleeping".into(), DIM),
        CallState::Queued => ("queued".into(), DIM),
    };
    (if call.is_recalled() { format!("{state}, recalled") } else { state }, style)
}

fn arguments(call: &PastCall<'_>, room: usize, redactor: &Redactor) -> String {
    match call.arguments {
        Ok(text) => match json::from_str::<Value>(text) {
            Ok(value) => cut_to_columns(&brief_with(&value, room, redactor), room),
            Err(_) => "(not JSON, or nested too deep to show)".into(),
        },
        Err(size) => format!("({size} bytes, too large to keep)"),
    }
}

/// Draws the bar of a call in `width` cells. If several spans share a cell, executing is shown
/// rather than waiting.
fn bar_cells(spans: &[CallSpan], scale: TimelineScale, width: usize) -> String {
    let total = scale.to.since(scale.from).as_micros().max(1) as f64;
    let column = |at: Timestamp| at.since(scale.from).as_micros() as f64 / total * width as f64;
    let share = |cell: usize, phase: CallPhase| -> f64 {
        let of_phase = spans.iter().filter(|one| one.phase == phase);
        let shares = of_phase.map(|one| {
            let (from, to) = (column(one.from), column(one.to));
            // Even a very short span leaves a mark, in the cell where it began.
            let to = to.max(from + 0.125);
            let from = from.min(width as f64 - 0.125);
            to.min(cell as f64 + 1.0) - from.max(cell as f64)
        });
        shares.filter(|share| *share > 0.0).sum()
    };
    let cell = |cell: usize| match share(cell, CallPhase::Executing) {
        executing if executing > 0.0 => {
            EIGHTHS[((executing * 8.0).ceil() as usize).clamp(1, 8) - 1]
        }
        _ if share(cell, CallPhase::Sleeping) > 0.0 => '─',
        _ if share(cell, CallPhase::Asked) > 0.0 => '░',
        _ if share(cell, CallPhase::Queued) > 0.0 => '·',
        _ => ' ',
    };
    (0..width).map(cell).collect()
}

fn legend(calls: &[&PastCall<'_>], scale: TimelineScale) -> String {
    let occurs = |phase| calls.iter().flat_map(|call| &call.spans).any(|it| it.phase == phase);
    let kinds = [
        (CallPhase::Executing, "█ out"),
        (CallPhase::Asked, "░ waiting for a person"),
        (CallPhase::Sleeping, "─ timer"),
        (CallPhase::Queued, "· queued"),
    ];
    let kinds = kinds.into_iter().filter(|(phase, _)| occurs(*phase)).map(|(_, name)| name);
    let kinds: Vec<_> = kinds.collect();
    let whole = format_span(scale.to.since(scale.from));
    format!("{DIM}  whole width {whole}   {}{DIM:#}", kinds.join("   "))
}

#[cfg(test)]
mod tests {
    use super::{CallPhase, CallSpan, OwnerLiveness, TimelineScale, bar_cells, draw};
    use crate::runs::fixture::{self, at};
    use pml::journal::Timeline;
    use unicode_width::UnicodeWidthStr;

    fn drawn(from: u64, to: u64, phase: CallPhase) -> String {
        let one = CallSpan { phase, from: at(from), to: at(to) };
        bar_cells(&[one], TimelineScale { from: at(0), to: at(1_000) }, 10)
    }

    #[test]
    fn bars_stand_where_their_time_was() {
        assert_eq!(drawn(0, 1_000, CallPhase::Executing), "██████████");
        assert_eq!(drawn(200, 450, CallPhase::Executing), "  ██▌     ");
        assert_eq!(drawn(200, 500, CallPhase::Asked), "  ░░░     ");
        assert_eq!(drawn(0, 100, CallPhase::Sleeping), "─         ");
    }

    #[test]
    fn moments_leave_a_mark_even_at_the_end() {
        assert_eq!(drawn(500, 500, CallPhase::Executing), "     ▏    ");
        assert_eq!(drawn(1_000, 1_000, CallPhase::Executing), "         ▏");
    }

    #[test]
    fn no_line_is_wider_than_asked_and_secrets_are_out() {
        let scale = TimelineScale { from: at(0), to: at(3_000) };
        for width in [80, 100, 200] {
            let entries = fixture::entries();
            let timeline = Timeline::until(&entries, at(3_000));
            let calls: Vec<_> = timeline.calls.values().collect();
            for line in draw(&calls, scale, OwnerLiveness::Gone, width, &pml::text::Redactor::new())
            {
                let plain = anstream::adapter::strip_str(&line).to_string();
                assert!(plain.width() <= width + super::ARGUMENTS, "{plain}");
                assert!(!plain.contains("t0p") && !plain.contains('\u{1b}'), "{plain}");
            }
        }
    }
}
