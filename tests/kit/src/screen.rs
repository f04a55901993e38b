//! What a terminal shows, as text and as a picture.
//!
//! A [`Screen`] takes the bytes that commands write to a terminal, and obeys those sequences that
//! commands of this project use: colours, moves of the cursor, and erasing. [`Screen::svg`] draws
//! it.

use std::fmt::Write;

/// How wide a column is in the picture, and how high a line.
const CELL: (f32, f32) = (8.43, 20.0);

/// The space around the text.
const MARGIN: f32 = 18.0;

/// The height of the bar above the text.
const BAR: f32 = 34.0;

/// Colours of text, by the number that a terminal gives them; 8 is for text without one.
const COLOURS: [&str; 9] = [
    "#6e7681", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", "#f0f6fc",
    "#d6dee8",
];

/// How a character is shown.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct CellStyle {
    bold: bool,
    dim: bool,
    colour: Option<u8>,
}

/// A terminal as wide and high as it must be.
#[derive(Default)]
pub struct Screen {
    lines: Vec<Vec<(char, CellStyle)>>,
    row: usize,
    column: usize,
    style: CellStyle,
}

impl Screen {
    /// Shows what a command writes.
    pub fn write(&mut self, text: &str) {
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '\n' => (self.row, self.column) = (self.row + 1, 0),
                '\r' => self.column = 0,
                '\u{8}' => self.column = self.column.saturating_sub(1),
                '\u{1b}' => self.obey(&mut characters),
                character if character.is_control() => {}
                character => self.put(character),
            }
        }
    }

    /// Shows the line of a shell that starts a command.
    pub fn write_command(&mut self, command: &str) {
        if self.column > 0 {
            self.write("\n");
        }
        if !self.lines.is_empty() {
            self.write("\n");
        }
        self.write(&format!("\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m\n"));
    }

    fn put(&mut self, character: char) {
        while self.lines.len() <= self.row {
            self.lines.push(Vec::new());
        }
        let line = &mut self.lines[self.row];
        while line.len() <= self.column {
            line.push((' ', CellStyle::default()));
        }
        line[self.column] = (character, self.style);
        self.column += 1;
    }

    /// Obeys an escape sequence, of which the first character was read.
    fn obey(&mut self, characters: &mut std::str::Chars<'_>) {
        if characters.next() != Some('[') {
            return;
        }
        let mut parameters = String::new();
        let command = loop {
            match characters.next() {
                Some(character) if "0123456789;?".contains(character) => parameters.push(character),
                Some(character) => break character,
                None => return,
            }
        };
        let first: usize = parameters.split(';').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        match command {
            'm' => parameters.split(';').for_each(|number| self.set_style(number)),
            'A' => self.row = self.row.saturating_sub(first.max(1)),
            'B' => self.row += first.max(1),
            'C' => self.column += first.max(1),
            'D' => self.column = self.column.saturating_sub(first.max(1)),
            'G' => self.column = first.saturating_sub(1),
            'K' if self.row < self.lines.len() => {
                let kept = if first == 2 { 0 } else { self.column };
                self.lines[self.row].truncate(kept);
            }
            'J' => self.lines.truncate(self.row + 1),
            _ => {}
        }
    }

    fn set_style(&mut self, number: &str) {
        match number.parse().unwrap_or(0) {
            0 => self.style = CellStyle::default(),
            1 => self.style.bold = true,
            2 => self.style.dim = true,
            22 => (self.style.bold, self.style.dim) = (false, false),
            colour @ 30..=37 => self.style.colour = Some(colour - 30),
            39 => self.style.colour = None,
            colour @ 90..=97 => self.style.colour = Some(colour - 90),
            _ => {}
        }
    }

    /// Returns the lines, without spaces at their ends.
    pub fn text(&self) -> Vec<String> {
        let line = |line: &Vec<(char, CellStyle)>| -> String {
            let text: String = line.iter().map(|(character, _)| character).collect();
            text.trim_end().to_owned()
        };
        self.lines.iter().map(line).collect()
    }

    /// Draws the terminal as SVG, with a title above it.
    pub fn svg(&self, title: &str) -> String {
        let lines: Vec<_> = self.lines.iter().map(|line| runs_of(line)).collect();
        let columns = self.text().iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let width = 2.0 * MARGIN + columns as f32 * CELL.0;
        let height = BAR + MARGIN + lines.len() as f32 * CELL.1;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n\
             <title>{}</title>\n\
             <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#0d1117\"/>\n",
            escaped(title)
        );
        for (index, colour) in ["#ff5f57", "#febc2e", "#28c840"].iter().enumerate() {
            let x = MARGIN + 6.0 + index as f32 * 20.0;
            let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"18\" r=\"6\" fill=\"{colour}\"/>");
        }
        svg += "<g font-family=\"ui-monospace, 'SF Mono', Menlo, 'DejaVu Sans Mono', monospace\" \
                font-size=\"14\" xml:space=\"preserve\">\n";
        for (row, runs) in lines.iter().enumerate() {
            let y = BAR + 14.0 + row as f32 * CELL.1;
            for (column, text, style) in runs {
                let _ = writeln!(svg, "{}", drawn(*column, y, text, *style));
            }
        }
        svg + "</g>\n</svg>\n"
    }
}

/// Draws a run of characters. Its length is written down, so that columns fit in every font.
fn drawn(column: usize, y: f32, text: &str, style: CellStyle) -> String {
    let x = MARGIN + column as f32 * CELL.0;
    let length = text.chars().count() as f32 * CELL.0;
    let colour = COLOURS[style.colour.map_or(8, usize::from)];
    let weight = if style.bold { " font-weight=\"bold\"" } else { "" };
    let opacity = if style.dim { " opacity=\"0.65\"" } else { "" };
    format!(
        "<text x=\"{x:.1}\" y=\"{y:.0}\" textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\" \
         fill=\"{colour}\"{weight}{opacity}>{}</text>",
        escaped(text)
    )
}

/// Cuts a line into runs of one style. Spaces before and after a run are left out.
fn runs_of(line: &[(char, CellStyle)]) -> Vec<(usize, String, CellStyle)> {
    let mut runs = Vec::new();
    let mut column = 0;
    for run in line.chunk_by(|left, right| left.1 == right.1) {
        let text: String = run.iter().map(|(character, _)| character).collect();
        let start = text.chars().take_while(|character| *character == ' ').count();
        if !text.trim().is_empty() {
            runs.push((column + start, text.trim_matches(' ').to_owned(), run[0].1));
        }
        column += run.len();
    }
    runs
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::Screen;

    #[test]
    fn what_is_written_over_is_gone() {
        let mut screen = Screen::default();
        screen.write("starting\r\x1b[2K\x1b[1mdone\x1b[0m\r\nnext\r\nlast\x1b[1A\r\x1b[Kup\r\n");
        assert_eq!(screen.text(), ["done", "up", "last"]);
    }

    #[test]
    fn the_picture_has_the_text_in_its_columns_with_its_colours() {
        let mut screen = Screen::default();
        screen.write_command("a < b");
        screen.write("  \x1b[31mred\x1b[0m  plain\n");
        let svg = screen.svg("t");
        assert!(svg.contains(">a &lt; b</text>"), "{svg}");
        assert!(svg.contains("x=\"34.9\" y=\"68\" textLength=\"25.3\""), "{svg}");
        assert!(svg.contains("fill=\"#ff7b72\">red</text>") && svg.contains(">plain</text>"));
    }
}
