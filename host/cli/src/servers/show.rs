//! Formats servers as a table, with their problems below it.

use super::row::{ServerHealth, ServerRow};
use crate::moment::format_span;
use crate::quantity::{counted, size};
use crate::table::{TableCell, table};
use crate::trust::one_line;
use crate::ui::{BAD, BOLD, DIM, GOOD, HINT, WAITING};
use crate::wrap::wrap;
use anstyle::Style;
use pml::text::{cut_to_columns, escape};

/// Number of stderr lines that are shown; `--json` has all that are stored.
const STDERR_LINES: usize = 10;

/// Most tools that are named as not callable, and most columns of each.
const MAX_LEFT_OUT: usize = 5;
const LEFT_OUT_COLUMNS: usize = 120;

/// Columns of a terminal that has room for the whole table.
const WIDE: usize = 100;

/// The columns that are left out on a narrower terminal: era, protocol and memory. `--json` has them.
const LEFT_OUT_IF_NARROW: &[usize] = &[3, 4, 7];

/// Shown in a cell whose value is unknown.
const UNKNOWN: &str = "-";

/// Returns the table. All text from servers is escaped.
pub(super) fn lines(rows: &[ServerRow], width: Option<usize>) -> Vec<String> {
    let titles = [
        "SERVER",
        "KIND",
        "STATUS",
        "ERA",
        "PROTOCOL",
        "TOOLS",
        "START",
        "MEMORY",
        "NAME AND VERSION",
    ];
    let mut cells: Vec<Vec<_>> = vec![titles.map(|title| TableCell::styled(title, BOLD)).into()];
    cells.extend(rows.iter().map(row_cells));
    if width.is_some_and(|width| width < WIDE) {
        for row in &mut cells {
            let mut column = 0;
            row.retain(|_| {
                column += 1;
                !LEFT_OUT_IF_NARROW.contains(&(column - 1))
            });
        }
    }
    let mut lines = table(&cells, width);
    // Text of a server that the terminal wraps could be mistaken for a line of pml.
    let fit = |line: String| match width {
        Some(width) if line.contains('│') && !line.contains('\n') => wrap(&line, width),
        _ => line,
    };
    lines.extend(rows.iter().filter_map(installed_line));
    lines.extend(rows.iter().flat_map(problem_lines).map(fit));
    lines
}

fn row_cells(row: &ServerRow) -> Vec<TableCell> {
    let (status, style) = status_text(&row.health);
    let mut cells = vec![
        TableCell::plain(escape(&row.name)),
        TableCell::styled(row.kind, DIM),
        TableCell::styled(status, style),
    ];
    let Some(reported) = &row.status else { return cells };
    // A status from an earlier start is dimmed, because it may be outdated.
    let style = if row.is_remembered() { DIM } else { Style::new() };
    let cell = |text: Option<String>| match text {
        Some(text) => TableCell::styled(text, style),
        None => TableCell::styled(UNKNOWN, DIM),
    };
    let words = |text: &Option<String>| text.as_ref().map(|text| one_line(text));
    let name = match (words(&reported.title), words(&reported.version)) {
        (Some(title), Some(version)) => Some(format!("{title} {version}")),
        (title, version) => title.or(version),
    };
    let remembered = || row.is_remembered().then(|| "(remembered)".to_owned());
    cells.extend([
        cell(reported.era.map(|era| era.to_string())),
        cell(words(&reported.protocol)),
        cell(reported.tool_count.map(|tools| tools.to_string())),
        cell(reported.startup_time.map(format_span)),
        cell(reported.memory.map(size)),
        cell(name.or_else(remembered)),
    ]);
    cells
}

/// Returns how much is installed for a server.
fn installed_line(row: &ServerRow) -> Option<String> {
    let installed = row.installed?;
    let (name, packages) = (one_line(&row.name), counted(installed.count, "package"));
    Some(format!("{name}: installed │ {packages}, {} together", size(installed.size)))
}

fn status_text(health: &ServerHealth) -> (String, Style) {
    match health {
        ServerHealth::NotStarted => ("not started".into(), DIM),
        ServerHealth::Answers => ("ok".into(), GOOD),
        ServerHealth::Failed(_) => ("failed".into(), BAD),
        ServerHealth::Missing(variables) => {
            (format!("needs {}", escape(&variables.join(", "))), WAITING)
        }
        ServerHealth::NotInstalled(_) => ("not installed".into(), WAITING),
        ServerHealth::Unusable(_) => ("unusable".into(), BAD),
        ServerHealth::Untrusted => ("not trusted".into(), WAITING),
    }
}

/// Returns a server's problems, and the last lines of its stderr behind a bar.
fn problem_lines(row: &ServerRow) -> Vec<String> {
    let mut lines = Vec::new();
    if let ServerHealth::NotInstalled(package) = &row.health {
        let (name, package) = (one_line(&row.name), one_line(package));
        lines.push(format!("{WAITING}{name}{WAITING:#}: not installed │ {package}"));
        lines.push(format!("  {HINT}hint{HINT:#}: `pml install {name}` installs it"));
    }
    let name = escape(&row.name);
    if let Some(reason) = row.reason() {
        let lines_of_reason = escape(reason).replace('\n', "\n  ");
        lines.push(format!("{BAD}{name}{BAD:#}: {lines_of_reason}"));
    }
    if let Some(hint) = row.hint() {
        lines.push(format!("  {HINT}hint{HINT:#}: {}", escape(hint).replace('\n', "\n  ")));
    }
    let Some(reported) = &row.status else { return lines };
    if !lines.is_empty() {
        let start = reported.stderr.len().saturating_sub(STDERR_LINES);
        lines.extend(reported.stderr[start..].iter().map(|line| format!("  │ {}", one_line(line))));
    }
    if !reported.skipped_tools.is_empty() {
        let count = counted(reported.skipped_tools.len() as u64, "tool");
        lines.push(format!("{WAITING}{name}{WAITING:#}: {count} cannot be called"));
        let tools = reported.skipped_tools.iter().take(MAX_LEFT_OUT);
        lines.extend(
            tools.map(|tool| format!("  │ {}", cut_to_columns(&one_line(tool), LEFT_OUT_COLUMNS))),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::servers::row::{ServerHealth, ServerRow, UnusableState};
    use pml::project::UnusableCause;

    #[test]
    fn names_and_reasons_cannot_draw_on_the_terminal() {
        let (reason, cause) = ("its type is `\u{1b}[2J`\nok".into(), UnusableCause::Mistake);
        let hint = Some("\u{1b}[2J\nok".into());
        let health = ServerHealth::Unusable(UnusableState { reason, hint, cause });
        let row = ServerRow {
            name: "a\u{1b}[2J".into(),
            kind: "stdio",
            health,
            status: None,
            installed: None,
        };
        let shown = anstream::adapter::strip_str(&lines(&[row], None).join("\n")).to_string();
        assert!(!shown.contains('\u{1b}'), "{shown}");
        assert!(shown.contains("\n  ok"), "{shown}");
    }
}
