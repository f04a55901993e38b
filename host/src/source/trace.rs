//! Guest stack traces to positions in the user's own source.
//!
//! Flows in: the `stack` text of a QuickJS error, lines of `    at name (file:line:column)` or `    at file:line:column`.
//! Flows out: [`Frame`]s of the program's own modules, innermost first, or the same text with positions corrected.
//! **Invariant:** the text is hostile: what does not read as a frame of a known module is left out, lengths and counts are
//! bounded, and nothing panics.

use std::collections::HashMap;

use serde::Serialize;

use super::position::{Lines, Position, utf16_column};
use super::program::{Module, Program};

/// Most frames returned: enough to see a recursion, few enough to read.
const FRAMES: usize = 50;
/// Longest function name kept, in characters.
const NAME: usize = 100;
/// Longest line that is read as a frame, in bytes.
const LINE: usize = 4096;

/// One function call of a stack trace, in the user's own source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Frame {
    /// The function's name as the program chose it, not escaped; nothing for the program itself and nameless functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Where in it.
    pub position: Position,
}

impl Program {
    /// Reads the frames of a raw guest stack that lie in this program, innermost first, at most 50.
    pub fn trace(&self, raw_stack: &str) -> Vec<Frame> {
        let mut atlas = Atlas::new(self);
        raw_stack.lines().filter_map(|line| Some(atlas.read(line)?.frame)).take(FRAMES).collect()
    }

    /// Returns a raw guest stack with the positions of this program's frames as the user sees them; other lines stay.
    pub fn trace_text(&self, raw_stack: &str) -> String {
        let mut atlas = Atlas::new(self);
        let mut out = String::with_capacity(raw_stack.len());
        for line in raw_stack.split_inclusive('\n') {
            match atlas.read(line.trim_end_matches(['\n', '\r'])) {
                Some(read) => {
                    let Position { line: number, column, .. } = read.frame.position;
                    out.push_str(&line[..read.numbers.0]);
                    out.push_str(&format!("{number}:{column}"));
                    out.push_str(&line[read.numbers.1..]);
                }
                None => out.push_str(line),
            }
        }
        out
    }
}

/// The modules with their line indexes, made when first needed.
struct Atlas<'p> {
    modules: HashMap<&'p str, (&'p Module, Option<Lines<'p>>)>,
}

/// A frame, and where in its line the line and column numbers stand.
struct Read {
    frame: Frame,
    numbers: (usize, usize),
}

impl<'p> Atlas<'p> {
    fn new(program: &'p Program) -> Self {
        let modules =
            program.modules.iter().map(|module| (module.name.as_str(), (module, None))).collect();
        Self { modules }
    }

    fn read(&mut self, text: &str) -> Option<Read> {
        if text.len() > LINE {
            return None;
        }
        let indent = text.len() - text.trim_start_matches(' ').len();
        let call = text[indent..].strip_prefix("at ")?;
        let base = text.len() - call.len();
        // A name may hold ` (` itself: the last one that leads to a known module counts.
        let (function, place, start) =
            match call.strip_suffix(')').and_then(|inner| inner.rsplit_once(" (")) {
                Some((function, place)) => (Some(function), place, base + function.len() + 2),
                None => (None, call, base),
            };
        let (rest, column) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        let numbers = (start + file.len() + 1, start + place.len());
        let (module, lines) = self.modules.get_mut(file)?;
        let lines = lines.get_or_insert_with(|| Lines::new(&module.source));
        let position = locate(module, lines, number(line)?, number(column)?)?;
        let nameless = |name: &&str| {
            matches!(*name, "" | "<anonymous>" | "<eval>" | "<module>")
                || (*name == "default" && module.first_line == 0)
        };
        let function =
            function.filter(|name| !nameless(name)).map(|name| name.chars().take(NAME).collect());
        Some(Read { frame: Frame { function, position }, numbers })
    }
}

fn number(text: &str) -> Option<u32> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// QuickJS counts columns in bytes.
fn locate(module: &Module, lines: &Lines<'_>, line: u32, column: u32) -> Option<Position> {
    let text = lines.line(line)?;
    let column = match &module.shift {
        Some(shift) => shift.undo(line, column),
        None if line == module.first_line => first_line_column(text, column),
        None => column,
    };
    let byte = usize::try_from(column).ok()?.saturating_sub(1).min(text.len());
    Some(Position { module: module.name.clone(), line, column: utf16_column(text, byte) })
}

/// On the first line of a text QuickJS counts most columns one short, though not all: what starts a word tells.
fn first_line_column(text: &str, column: u32) -> u32 {
    let bytes = text.as_bytes();
    let is_word = |at: usize| {
        bytes.get(at).is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"_$#".contains(byte)
        })
    };
    let starts_word = |at: usize| is_word(at) && !at.checked_sub(1).is_some_and(is_word);
    let Some(at) = column.checked_sub(1).and_then(|at| usize::try_from(at).ok()) else {
        return column;
    };
    let is_space = matches!(bytes.get(at), Some(b' ' | b'\t'));
    if !starts_word(at) && (is_space || starts_word(at + 1)) { column + 1 } else { column }
}

#[cfg(test)]
mod tests {
    use super::super::Script;
    use super::*;

    fn program(text: &str) -> Program {
        Script::ts(text).load(1 << 20).unwrap()
    }

    fn places(program: &Program, stack: &str) -> Vec<(Option<String>, u32, u32)> {
        let frames = program.trace(stack).into_iter();
        frames.map(|frame| (frame.function, frame.position.line, frame.position.column)).collect()
    }

    #[test]
    fn frames_of_the_program_are_kept_and_others_dropped() {
        let program = program("function f() {\n  throw new Error('x')\n}\nf()");
        let stack = "    at f (program.ts:2:9)\n    at default (program.ts:4:1)\n    at native (native)\n    at run (pml:prelude:3:1)\n    at program.ts:1:10\n    at <anonymous> (program.ts:3:1)\n    at gone (missing)\n";
        assert_eq!(
            places(&program, stack),
            [(Some("f".into()), 2, 9), (None, 4, 1), (None, 1, 10), (None, 3, 1)]
        );
    }

    #[test]
    fn columns_are_utf16_and_shifts_are_undone() {
        let text = "const ä = '😀'; f(ä)";
        let program = program(text);
        let module = &program.modules[0];
        let line = module.code.lines().nth(1).unwrap();
        let raw = line.find("f(").unwrap() + 1;
        let stack = format!("    at default (program.ts:1:{raw})\n");
        let wanted = 1 + text[..text.find("f(").unwrap()].encode_utf16().count();
        assert_eq!(places(&program, &stack), [(None, 1, u32::try_from(wanted).unwrap())]);
        assert_eq!(program.trace_text(&stack), format!("    at default (program.ts:1:{wanted})\n"));
    }

    #[test]
    fn columns_of_a_modules_first_line_are_mended() {
        // Raw columns as QuickJS gives them.
        for (text, raw, column) in [
            ("export const z = 1;   null.y", 22, 23),
            ("   null.y; export {}", 3, 4),
            ("export default (() => { undef })()", 25, 25),
            ("export {}", 1, 1),
        ] {
            let stack = format!("    at <anonymous> (program.ts:1:{raw})");
            assert_eq!(places(&program(text), &stack), [(None, 1, column)], "{text}");
        }
    }

    #[test]
    fn hostile_stacks_are_bounded_and_never_panic() {
        let program = program("1");
        for stack in [
            "at ",
            "    at (program.ts:1:1)",
            "    at x (program.ts:99999999999:1)",
            "    at x (program.ts:0:1)",
            "    at x (program.ts:1:4294967295)",
            "    at ü (program.ts:1:-1)",
            "    at \u{202e}:1:1",
            "(((((",
            "    at x (program.ts::)",
            "    at )",
            "at at at (",
        ] {
            let _ = program.trace(stack);
            let _ = program.trace_text(stack);
        }
        let many = "    at f (program.ts:1:1)\n".repeat(10_000);
        assert_eq!(program.trace(&many).len(), FRAMES);
        let long = format!("    at {} (program.ts:1:1)", "n".repeat(3_000));
        assert_eq!(program.trace(&long)[0].function.as_ref().unwrap().len(), NAME);
        assert!(program.trace(&"x".repeat(1 << 20)).is_empty());
    }

    #[test]
    fn other_lines_of_a_text_stay_as_they_are() {
        let program = program("1; f()");
        let text = "Error: x\n    at default (program.ts:1:11)\n    at native (native)\n";
        assert_eq!(
            program.trace_text(text),
            "Error: x\n    at default (program.ts:1:4)\n    at native (native)\n"
        );
    }
}
