//! Draws calls as bars on the time scale of their run.

use super::phase::{PHASES, PhaseLook, look_of};
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
use std::time::Duration;

/// Characters that fill one to eight eighths of a cell, from its left.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
/// Most columns of a tool's name.
const TOOL: usize = 28;
/// Fewest columns of a bar.
const LEAST_BAR: usize = 10;
/// Fewest columns for arguments; with less, they are left out.
const ARGUMENTS: usize = 16;
/// Columns between two cells of the table.
const GAP: usize = 2;
/// Phases shorter than this are not named beside the bar.
const BRIEF: Duration = Duration::from_millis(10);

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

/// Returns one line for each call, and a legend of the marks that occur.
pub(super) fn draw(
    calls: &[&PastCall<'_>],
    scale: TimelineScale,
    owner: OwnerLiveness,
    width: usize,
    redactor: &Redactor,
) -> Vec<String> {
    // What remains beside the other columns is for the bar, and then for the arguments.
    let rows: Vec<Vec<TableCell>> = calls.iter().map(|call| row(call, scale, owner, 0)).collect();
    let room = width.saturating_sub(columns_of(&rows));
    let bar = room.min(width / 4).max(LEAST_BAR);
    let rows: Vec<Vec<TableCell>> = calls.iter().map(|call| row(call, scale, owner, bar)).collect();
    let room = width.saturating_sub(columns_of(&rows));
    let with_arguments = rows.into_iter().zip(calls).map(|(mut row, call)| {
        if room >= ARGUMENTS {
            row.push(TableCell::styled(arguments(call, room, redactor), DIM));
        }
        row
    });
    let mut lines = table(&with_arguments.collect::<Vec<_>>(), Some(width));
    lines.extend(legend(calls, scale, width));
    lines
}

/// Returns how many columns these rows take, with a gap behind each.
fn columns_of(rows: &[Vec<TableCell>]) -> usize {
    let columns = rows.first().map_or(0, Vec::len);
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width() + GAP).max().unwrap_or(0)
    };
    (0..columns).map(widest).sum()
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
    let name = escape(call.tool_name()).replace(['\n', '\t'], " ");
    vec![
        TableCell::styled(format!("{:>3}", call.call), DIM),
        TableCell::styled(cut_to_columns(&name, TOOL), tool),
        TableCell::of_parts(bar_parts(&call.spans, scale, width, bar)),
        TableCell::styled(state, colour),
        TableCell::of_parts(durations(call)),
    ]
}

/// Returns how long the call ran, and how long it was started, installed and asked about, if that
/// can be noticed.
fn durations(call: &PastCall<'_>) -> Vec<(String, Style)> {
    let active = call.active_time();
    let own = if active.is_zero() { "-".into() } else { format_span(active) };
    let mut parts = vec![(own, Style::new())];
    for PhaseLook { phase, mark, style, .. } in PHASES {
        let time = call.time_in(*phase);
        let other = [CallPhase::Starting, CallPhase::Installing, CallPhase::Asked];
        if other.contains(phase) && time >= BRIEF {
            parts.push((format!(" {mark} {}", format_span(time)), *style));
        }
    }
    parts
}

fn state_label(call: &PastCall<'_>, owner: OwnerLiveness) -> (String, Style) {
    let (state, style) = match call.state() {
        CallState::Ok if call.is_timer() => ("ok".into(), DIM),
        CallState::Ok => ("ok".into(), GOOD),
        CallState::Failed(code) => (format!("failed {}", cut_to_columns(&escape(code), 20)), BAD),
        CallState::Cancelled if call.sent.is_some() => ("cancelled".into(), WAITING),
        CallState::Cancelled | CallState::Abandoned if call.is_timer() => ("cancelled".into(), DIM),
        CallState::Abandoned if call.sent.is_some() => ("unknown outcome".into(), BAD),
        CallState::Cancelled | CallState::Abandoned => ("not sent".into(), DIM),
        CallState::Asked => ("asked".into(), WAITING),
        CallState::Executing if owner == OwnerLiveness::Gone => ("unknown outcome".into(), BAD),
        CallState::Executing => ("running".into(), WAITING),
        CallState::Sleeping => ("sleeping".into(), DIM),
        CallState::Starting => ("starting".into(), WAITING),
        CallState::Queued => ("queued".into(), DIM),
    };
    (if call.is_recalled() { format!("{state}, reused") } else { state }, style)
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

/// Draws the bar of a call in `width` cells. Cells of the same phase are one part. The part that ran
/// has the colour of the call.
fn bar_parts(
    spans: &[CallSpan],
    scale: TimelineScale,
    width: usize,
    colour: Style,
) -> Vec<(String, Style)> {
    let mut parts: Vec<(String, Style)> = Vec::new();
    for cell in 0..width {
        let (mark, style) = match phase_in(cell, spans, scale, width) {
            None => (' ', Style::new()),
            Some((CallPhase::Executing, share)) => {
                (EIGHTHS[((share * 8.0).ceil() as usize).clamp(1, 8) - 1], colour)
            }
            Some((phase, _)) => {
                look_of(phase).map_or((' ', colour), |look| (look.mark, look.style))
            }
        };
        match parts.last_mut() {
            Some((text, last)) if *last == style => text.push(mark),
            _ => parts.push((mark.into(), style)),
        }
    }
    parts
}

/// Returns the phase that is drawn in a cell, and how much of the cell it takes. If several share a
/// cell, running is drawn rather than anything else, and waiting for room last.
fn phase_in(
    cell: usize,
    spans: &[CallSpan],
    scale: TimelineScale,
    width: usize,
) -> Option<(CallPhase, f64)> {
    let total = scale.to.since(scale.from).as_micros().max(1) as f64;
    let column = |at: Timestamp| at.since(scale.from).as_micros() as f64 / total * width as f64;
    let share = |phase: CallPhase| -> f64 {
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
    let phases = PHASES.iter().map(|look| (look.phase, share(look.phase)));
    phases.into_iter().find(|(_, share)| *share > 0.0)
}

/// Names the marks that occur, with the time that all calls together spent so.
fn legend(calls: &[&PastCall<'_>], scale: TimelineScale, width: usize) -> Vec<String> {
    let whole = format_span(scale.to.since(scale.from));
    let mut lines = vec![(format!("  whole width {whole}"), Vec::new())];
    for PhaseLook { phase, mark, style, name } in PHASES {
        if !calls.iter().flat_map(|call| &call.spans).any(|span| span.phase == *phase) {
            continue;
        }
        let time: Duration = calls.iter().map(|call| call.time_in(*phase)).sum();
        let text = format!("   {mark} {name} {}", format_span(time));
        let length = |line: &(String, Vec<(String, Style)>)| {
            let parts = line.1.iter().map(|(text, _)| text.chars().count());
            line.0.chars().count() + parts.sum::<usize>()
        };
        let last = lines.last().map_or(0, length);
        if last + text.chars().count() > width {
            lines.push((String::new(), Vec::new()));
        }
        if let Some((_, parts)) = lines.last_mut() {
            parts.push((text, *style));
        }
    }
    let line = |(start, parts): (String, Vec<(String, Style)>)| {
        let parts = parts.iter().map(|(text, style)| format!("{style}{text}{style:#}"));
        format!("{DIM}{start}{DIM:#}{}", parts.collect::<String>())
    };
    lines.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{CallPhase, CallSpan, OwnerLiveness, Style, TimelineScale, bar_parts, draw};
    use crate::runs::fixture::{self, at};
    use pml::journal::Timeline;
    use unicode_width::UnicodeWidthStr;

    fn bar(spans: &[(u64, u64, CallPhase)]) -> String {
        let span = |(from, to, phase): &(u64, u64, CallPhase)| CallSpan {
            phase: *phase,
            from: at(*from),
            to: at(*to),
        };
        let spans: Vec<_> = spans.iter().map(span).collect();
        let scale = TimelineScale { from: at(0), to: at(1_000) };
        bar_parts(&spans, scale, 10, Style::new()).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn bars_stand_where_their_time_was() {
        assert_eq!(bar(&[(0, 1_000, CallPhase::Executing)]), "██████████");
        assert_eq!(bar(&[(200, 450, CallPhase::Executing)]), "  ██▌     ");
        assert_eq!(bar(&[(200, 500, CallPhase::Asked)]), "  ░░░     ");
        assert_eq!(bar(&[(0, 100, CallPhase::Sleeping)]), "─         ");
    }

    #[test]
    fn each_phase_has_a_mark_of_its_own() {
        let all = [
            (0, 100, CallPhase::Queued),
            (100, 300, CallPhase::Starting),
            (300, 500, CallPhase::Asked),
            (500, 800, CallPhase::Installing),
            (800, 1_000, CallPhase::Executing),
        ];
        assert_eq!(bar(&all), "·▒▒░░▓▓▓██");
    }

    #[test]
    fn moments_leave_a_mark_even_at_the_end() {
        assert_eq!(bar(&[(500, 500, CallPhase::Executing)]), "     ▏    ");
        assert_eq!(bar(&[(1_000, 1_000, CallPhase::Executing)]), "         ▏");
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
                assert!(plain.width() <= width, "{plain}");
                assert!(!plain.contains("t0p") && !plain.contains('\u{1b}'), "{plain}");
            }
        }
    }
}
