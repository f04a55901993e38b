//! Resolves the lines of a raw stack to positions in the user's own text.
//!
//! Input: the lines of a stack, and the program. Output: for each line the position in the user's
//! text, if it is a frame of the program. A module is parsed again only if the stack has frames in
//! it, and then once. **Invariant:** the text is hostile. A line that does not read as a frame of a
//! known module is outside the program, and no input causes a panic.

use crate::model::WorkSlice;
use std::collections::{HashMap, HashSet};

use super::program::{Program, SourceModule};
use super::sites::{self, CallSites};
use super::wrap;
use crate::model::{LineIndex, Position, utf16_column};

/// Longest line that is read as a frame, in bytes.
const LINE: usize = 4096;

/// One line of a raw stack.
pub(super) struct StackLine<'t> {
    /// The function's name, empty if it has none; `None` if the line is not a frame.
    function: Option<&'t str>,
    raw: Option<RawPosition<'t>>,
}

/// A position as QuickJS reports it.
struct RawPosition<'t> {
    file: &'t str,
    line: u32,
    column: u32,
    /// The start and end of the line and column numbers in the text.
    numbers: (usize, usize),
}

impl<'t> StackLine<'t> {
    /// Splits a raw stack into lines, with their line ends. QuickJS ends each frame with its
    /// position, so a line that begins a frame and has none is a name that contains a line end.
    pub(super) fn split(raw_stack: &'t str) -> impl Iterator<Item = &'t str> {
        let mut rest = raw_stack;
        std::iter::from_fn(move || {
            let mut end = 0;
            loop {
                let line_end = rest[end..].find('\n').map_or(rest.len(), |at| end + at + 1);
                if line_end == end {
                    break;
                }
                end = line_end;
                let frame = rest[..end].trim_end_matches(['\n', '\r']);
                let is_open = frame.trim_start_matches(' ').starts_with("at ")
                    && !frame.ends_with(')')
                    && StackLine::parse(frame).raw.is_none();
                if !is_open || end > LINE {
                    break;
                }
            }
            let (line, tail) = rest.split_at(end);
            rest = tail;
            (!line.is_empty()).then_some(line)
        })
    }

    /// Parses a line without its line end.
    pub(super) fn parse(text: &'t str) -> Self {
        let frame = || {
            if text.len() > LINE {
                return None;
            }
            text.trim_start_matches(' ').strip_prefix("at ")
        };
        let Some(call) = frame() else { return Self { function: None, raw: None } };
        let base = text.len() - call.len();
        // A name may contain ` (` itself: the last one counts.
        let (function, location, start) =
            match call.strip_suffix(')').and_then(|inner| inner.rsplit_once(" (")) {
                Some((function, location)) => (function, location, base + function.len() + 2),
                None => ("", call, base),
            };
        let raw = || {
            let (rest, column) = location.rsplit_once(':')?;
            let (file, line) = rest.rsplit_once(':')?;
            let numbers = (start + file.len() + 1, start + location.len());
            Some(RawPosition { file, line: number(line)?, column: number(column)?, numbers })
        };
        Self { function: Some(function), raw: raw() }
    }

    /// Returns the function's name, empty if it has none.
    pub(super) fn function(&self) -> &'t str {
        self.function.unwrap_or_default()
    }

    /// Returns the start and end of the line and column numbers in the text.
    pub(super) fn number_range(&self) -> (usize, usize) {
        self.raw.as_ref().map_or((0, 0), |raw| raw.numbers)
    }
}

fn number(text: &str) -> Option<u32> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// The location that a line of a stack refers to.
pub(super) enum FrameLocation {
    /// Outside the program.
    OutsideProgram,
    /// In an implicit constructor of the program, which has no text of its own.
    ImplicitConstructor(Position),
    /// At this position of the program.
    At(Position),
}

/// The modules that a stack has frames in.
pub(super) struct TraceResolver<'p> {
    modules: HashMap<&'p str, IndexedModule<'p>>,
}

/// One module with its line indexes.
struct IndexedModule<'p> {
    module: &'p SourceModule,
    source: LineIndex<'p>,
    code: LineIndex<'p>,
    sites: CallSites,
}

impl<'p> TraceResolver<'p> {
    /// Indexes the modules that the lines have frames in.
    pub(super) fn new(
        program: &'p Program,
        lines: &[StackLine<'_>],
        run: Option<&WorkSlice<'_>>,
    ) -> Self {
        let files: HashSet<&str> =
            lines.iter().filter_map(|line| Some(line.raw.as_ref()?.file)).collect();
        let modules = program.modules.iter().filter(|module| files.contains(module.name.as_str()));
        let modules =
            modules.map(|module| (module.name.as_str(), IndexedModule::new(module, lines, run)));
        Self { modules: modules.collect() }
    }

    /// Returns the location of each line.
    pub(super) fn locations(&self, lines: &[StackLine<'_>]) -> Vec<FrameLocation> {
        let mut callee = None;
        let mut locations = Vec::with_capacity(lines.len());
        for line in lines {
            locations.push(self.location(line, callee).unwrap_or(FrameLocation::OutsideProgram));
            callee = line.function.or(callee);
        }
        locations
    }

    /// Reports whether the module of a position is the body of a function.
    pub(super) fn is_function_body(&self, position: &Position) -> bool {
        let indexed = self.modules.get(position.module.as_str());
        indexed.is_some_and(|indexed| indexed.module.first_line == 0)
    }

    /// Returns the expressions of the program that an error of the innermost frame can be about.
    /// Returns `None` if the innermost frame is not in the program.
    pub(super) fn innermost<'l>(
        &'l self,
        lines: &'l [StackLine<'_>],
    ) -> Option<InnermostFrame<'l, 'p>> {
        let raw = lines.first()?.raw.as_ref()?;
        let indexed = self.modules.get(raw.file)?;
        Some(InnermostFrame { indexed, offset: indexed.offset(raw)? })
    }

    /// Returns the frame that called a function of the language in which an error was made, and the
    /// name of that function.
    pub(super) fn native_caller<'l>(
        &'l self,
        lines: &'l [StackLine<'_>],
    ) -> Option<(&'l str, InnermostFrame<'l, 'p>)> {
        let [native, caller, ..] = lines else { return None };
        let name = native.function.filter(|_| native.raw.is_none())?;
        let raw = caller.raw.as_ref()?;
        let indexed = self.modules.get(raw.file)?;
        Some((name, InnermostFrame { indexed, offset: indexed.offset(raw)? }))
    }

    /// Returns the location of one line. The callee is the function that the frame waits for; the
    /// frame in which the error was made waits for none.
    fn location(&self, line: &StackLine<'_>, callee: Option<&str>) -> Option<FrameLocation> {
        let raw = line.raw.as_ref()?;
        let indexed = self.modules.get(raw.file)?;
        let reported = indexed.reported_position(raw)?;
        let Some(offset) = indexed.offset(raw) else { return Some(FrameLocation::At(reported)) };
        if indexed.sites.is_implicit_constructor(offset, line.function()) {
            return Some(FrameLocation::ImplicitConstructor(reported));
        }
        let site = match callee {
            None => indexed.sites.error_site(offset),
            Some(callee) => indexed.sites.call_site(offset, callee),
        };
        Some(FrameLocation::At(site.and_then(|site| indexed.position(site)).unwrap_or(reported)))
    }
}

/// The frame in which an error was made, if it is in the program.
pub(super) struct InnermostFrame<'l, 'p> {
    indexed: &'l IndexedModule<'p>,
    /// The offset in the executed code that QuickJS reports.
    offset: u32,
}

impl InnermostFrame<'_, '_> {
    /// Returns the module's name.
    pub(super) fn module(&self) -> &str {
        &self.indexed.module.name
    }

    /// Returns the sites of the module.
    pub(super) fn sites(&self) -> &CallSites {
        &self.indexed.sites
    }

    /// Returns the reported offset in the executed code.
    pub(super) fn offset(&self) -> u32 {
        self.offset
    }

    /// Returns the position in the user's text of an offset in the executed code.
    pub(super) fn user_position(&self, offset: u32) -> Option<Position> {
        self.indexed.position(offset)
    }

    /// Returns the offset in the user's text of one in the executed code.
    pub(super) fn user_offset(&self, offset: u32) -> Option<u32> {
        self.indexed.source.byte_offset(&self.user_position(offset)?)
    }
}

impl<'p> IndexedModule<'p> {
    fn new(module: &'p SourceModule, lines: &[StackLine<'_>], run: Option<&WorkSlice<'_>>) -> Self {
        let (source, code) = (LineIndex::new(&module.source), LineIndex::new(&module.code));
        let mut indexed = Self { module, source, code, sites: CallSites::default() };
        let raws = lines.iter().filter_map(|line| line.raw.as_ref());
        let wanted = raws
            .filter(|raw| raw.file == module.name)
            .filter_map(|raw| indexed.offset(raw))
            .collect::<HashSet<_>>();
        // Without sites, positions are those that QuickJS reports: good enough for a run that has
        // no CPU time left.
        if run.is_none_or(|run| run.check().is_ok()) {
            let wrapper = if module.first_line == 0 { wrap::parameter(&module.code) } else { None };
            indexed.sites = sites::find(&module.code, wrapper, &indexed.code, &wanted, run);
        }
        indexed
    }

    /// Returns the offset of a reported position in the executed code.
    fn offset(&self, raw: &RawPosition<'_>) -> Option<u32> {
        let line = raw.line.checked_add(1)?.checked_sub(self.module.first_line)?;
        self.code.offset(line, raw.column)
    }

    /// Returns the user's position for an offset in the executed code.
    fn position(&self, offset: u32) -> Option<Position> {
        let (line, byte) = self.code.locate(usize::try_from(offset).ok()?);
        let line = (line + self.module.first_line).checked_sub(1)?;
        self.user_position(line, u32::try_from(byte + 1).ok()?)
    }

    /// Returns the user's position for a position as QuickJS reports it.
    fn reported_position(&self, raw: &RawPosition<'_>) -> Option<Position> {
        let column = match self.source.line(raw.line) {
            Some(text) if self.module.first_line == 1 && raw.line == 1 => {
                first_line_column(text, raw.column)
            }
            _ => raw.column,
        };
        self.user_position(raw.line, column)
    }

    /// Returns the user's position for a line and a column of the executed code. The column counts
    /// bytes, as QuickJS does.
    fn user_position(&self, line: u32, column: u32) -> Option<Position> {
        let text = self.source.line(line)?;
        let column = self.module.shift.map_or(column, |shift| shift.undo(line, column));
        let byte = usize::try_from(column).ok()?.saturating_sub(1).min(text.len());
        Some(Position { module: self.module.name.clone(), line, column: utf16_column(text, byte) })
    }
}

/// Corrects a column that QuickJS reports on the first line of a text. Most of them are one too
/// small, but not all: a column is corrected if it is not at the start of a word and the next one
/// is, or if it is at a blank.
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
