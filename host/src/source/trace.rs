//! Turns guest stack traces into positions in the user's own source.
//!
//! Input: the `stack` text of a QuickJS error, in lines of `    at name (file:line:column)` or
//! `    at file:line:column`. Output: [`StackFrame`]s of the program's own modules, innermost
//! first, or the same text with corrected positions. **Invariant:** the text is hostile. A line
//! that does not read as a frame of a known module is left out, lengths and counts are bounded, and
//! no input causes a panic.

use serde::{Deserialize, Serialize};

use super::program::Program;
use crate::model::Position;
use crate::source::trace_resolver::{FrameLocation, StackLine, TraceResolver};

/// Most frames returned: enough to see a recursion, few enough to read.
const FRAMES: usize = 50;
/// Longest function name, in characters.
const NAME: usize = 100;
/// Most lines that are read to find those frames.
const LINES: usize = 10_000;

/// One function call of a stack trace, in the user's own source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StackFrame {
    /// The function's name as the program chose it, not escaped; `None` for the program itself and
    /// for nameless functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The position inside the function.
    pub position: Position,
    /// Whether the function awaits the frame before it, and does not run.
    #[serde(default, rename = "async", skip_serializing_if = "std::ops::Not::not")]
    pub is_async: bool,
}

impl Program {
    /// Returns the frames of a raw guest stack that lie in this program, innermost first, at most
    /// 50.
    ///
    /// Implicit constructors are left out, unless the stack has no other frames of this program.
    pub fn trace(&self, raw_stack: &str) -> Vec<StackFrame> {
        let lines = stack_lines(raw_stack);
        frames(&TraceResolver::new(self, &lines, None), &lines)
    }

    /// Returns a raw guest stack in which the positions of this program's frames are those of the
    /// user's text. Other lines stay.
    pub fn trace_text(&self, raw_stack: &str) -> String {
        let texts: Vec<_> = StackLine::split(raw_stack).collect();
        let lines: Vec<_> = texts
            .iter()
            .map(|text| StackLine::parse(text.trim_end_matches(['\n', '\r'])))
            .collect();
        let locations = TraceResolver::new(self, &lines, None).locations(&lines);
        let filter = FrameFilter::for_locations(&locations);
        let mut out = String::with_capacity(raw_stack.len());
        for ((text, line), location) in texts.iter().zip(&lines).zip(&locations) {
            match (filter.position(location), location) {
                (Some(Position { line: number, column, .. }), _) => {
                    let (start, end) = line.number_range();
                    out.push_str(&text[..start]);
                    out.push_str(&format!("{number}:{column}"));
                    out.push_str(&text[end..]);
                }
                (None, FrameLocation::OutsideProgram) => out.push_str(text),
                (None, _) => {}
            }
        }
        out
    }
}

/// Parses the lines of a raw stack.
pub(super) fn stack_lines(raw_stack: &str) -> Vec<StackLine<'_>> {
    let lines = StackLine::split(raw_stack).take(LINES);
    lines.map(|line| StackLine::parse(line.trim_end_matches(['\n', '\r']))).collect()
}

/// Returns the frames that lie in the program.
pub(super) fn frames(resolver: &TraceResolver<'_>, lines: &[StackLine<'_>]) -> Vec<StackFrame> {
    let locations = resolver.locations(lines);
    let filter = FrameFilter::for_locations(&locations);
    let frames = lines.iter().zip(&locations).filter_map(|(line, location)| {
        let position = filter.position(location)?;
        Some(StackFrame {
            function: function_name(resolver, line, position),
            position: position.clone(),
            is_async: false,
        })
    });
    frames.take(FRAMES).collect()
}

/// Selects the frames that are shown.
enum FrameFilter {
    HideImplicit,
    All,
}

impl FrameFilter {
    fn for_locations(locations: &[FrameLocation]) -> Self {
        if locations.iter().any(|location| matches!(location, FrameLocation::At(_))) {
            Self::HideImplicit
        } else {
            Self::All
        }
    }

    fn position<'a>(&self, location: &'a FrameLocation) -> Option<&'a Position> {
        match (location, self) {
            (FrameLocation::At(position), _)
            | (FrameLocation::ImplicitConstructor(position), Self::All) => Some(position),
            _ => None,
        }
    }
}

/// Returns the name that the program gave to a function, or `None` if it has none.
fn function_name(
    resolver: &TraceResolver<'_>,
    line: &StackLine<'_>,
    position: &Position,
) -> Option<String> {
    match line.function() {
        "" | "<anonymous>" | "<eval>" | "<module>" => None,
        "default" if resolver.is_function_body(position) => None,
        name => Some(name.chars().take(NAME).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Script;
    use super::*;

    fn program(text: &str) -> Program {
        Script::ts(text).load(1 << 20).unwrap()
    }

    fn locations(program: &Program, stack: &str) -> Vec<(Option<String>, u32, u32)> {
        let frames = program.trace(stack).into_iter();
        frames.map(|frame| (frame.function, frame.position.line, frame.position.column)).collect()
    }

    #[test]
    fn frames_of_the_program_are_kept_and_others_dropped() {
        let program = program("function f() {\n  throw new Error('x')\n}\nf()");
        let stack = "    at f (program.ts:2:9)\n    at default (program.ts:4:1)\n    at native (native)\n    at run (pml:prelude:3:1)\n    at program.ts:1:10\n    at <anonymous> (program.ts:3:1)\n    at gone (missing)\n";
        assert_eq!(
            locations(&program, stack),
            [(Some("f".into()), 2, 9), (None, 4, 1), (None, 1, 10), (None, 3, 1)]
        );
    }

    #[test]
    fn a_line_end_in_a_name_does_not_break_the_stack() {
        let program = program("function f() {\n  throw new Error('x')\n}\nf()");
        let stack = "    at a\nb (program.ts:2:9)\n    at c\n    at d\n\ne (program.ts:3:1)\n    at map (native)\n    at default (program.ts:4:1)\n";
        assert_eq!(
            locations(&program, stack),
            [(Some("a\nb".into()), 2, 9), (Some("c\n    at d\n\ne".into()), 3, 1), (None, 4, 1)]
        );
        assert_eq!(program.trace_text(stack), stack);
        let endless = format!("    at a{}", "\nb".repeat(100_000));
        assert_eq!(locations(&program, &endless), []);
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
        assert_eq!(locations(&program, &stack), [(None, 1, u32::try_from(wanted).unwrap())]);
        assert_eq!(program.trace_text(&stack), format!("    at default (program.ts:1:{wanted})\n"));
    }

    #[test]
    fn columns_of_a_modules_first_line_are_mended() {
        // Raw columns as QuickJS reports them.
        for (text, raw, column) in [
            ("export const z = 1;   null.y", 22, 23),
            ("   null.y; export {}", 3, 4),
            ("export default (() => { undef })()", 25, 25),
            ("export {}", 1, 1),
        ] {
            let stack = format!("    at <anonymous> (program.ts:1:{raw})");
            assert_eq!(locations(&program(text), &stack), [(None, 1, column)], "{text}");
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
        let text = "Error: x\n    at default (program.ts:1:26)\n    at native (native)\n";
        assert_eq!(
            program.trace_text(text),
            "Error: x\n    at default (program.ts:1:4)\n    at native (native)\n"
        );
    }
}
