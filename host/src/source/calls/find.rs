//! Finds the calls of a program, module by module.

use super::literal::Literal;
use super::names::ModuleVariables;
use super::walk::{CallFinder, UnplacedCall};
use crate::model::{LineIndex, Position, utf16_column};
use crate::source::error::{ModuleText, SourceError};
use crate::source::parse;
use crate::source::program::{Language, Program, SourceModule};
use crate::source::stack;
use oxc::ast_visit::Visit as _;

/// The target of a call, as far as the text names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// A tool that is named by its server and its own name: `mcp.server.tool`.
    Tool { server: String, tool: String },
    /// A tool that is named by one string: `mcp.call("server:tool")`.
    Name(String),
    /// Some tool of this server.
    SomeToolOf(String),
    /// Some tool of some server.
    SomeTool,
}

/// A call in the text, or a place where the program passes on a reference that can be called.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProgramCall {
    /// The position of the tool's name.
    pub(crate) position: Position,
    /// The same position as a byte offset in the module's text.
    pub(crate) offset: u32,
    /// The byte offset of the function that is called: `call` of `mcp.call("server:tool")`.
    pub(crate) function_offset: u32,
    /// The target of the call.
    pub(crate) callee: Callee,
    /// The arguments of the call.
    pub(crate) arguments: Literal,
}

/// Returns the calls of a program, in the order of its modules and of their text.
///
/// # Errors
/// Fails if a module cannot be parsed. Modules of a loaded program can.
pub(crate) fn calls_of(program: &Program) -> Result<Vec<ProgramCall>, SourceError> {
    let mut found = Vec::new();
    for module in &program.modules {
        if module.language != Language::Json {
            found.extend(calls_in_module(module)?);
        }
    }
    Ok(found)
}

fn calls_in_module(module: &SourceModule) -> Result<Vec<ProgramCall>, SourceError> {
    let text = ModuleText { name: &module.name, text: &module.source };
    // Most modules call no tools and need not be parsed a second time.
    if !module.source.contains("mcp") && !module.source.contains('\\') {
        return Ok(Vec::new());
    }
    stack::on_large_stack(text, || {
        parse::with_scopes(text, module.language, |program, scoping| {
            let names = ModuleVariables::new(program, scoping);
            let mut walk = CallFinder::new(&names);
            walk.visit_program(program);
            with_positions(text, walk.finish())
        })
    })?
}

/// Adds positions to calls. Columns are counted from the previous call on the line, since a text
/// may be one long line with many calls.
fn with_positions(text: ModuleText<'_>, calls: Vec<UnplacedCall>) -> Vec<ProgramCall> {
    let lines = LineIndex::new(text.text);
    let mut before = (0, 0, 0);
    let mut found = Vec::with_capacity(calls.len());
    for UnplacedCall { offset, function_offset, callee, arguments } in calls {
        let at = usize::try_from(offset).unwrap_or(usize::MAX).min(text.text.len());
        let (line, byte) = lines.locate(at);
        let column = match before {
            (same, start, column) if same == line => {
                let between = text.text.get(start..at).unwrap_or_default();
                column + utf16_column(between, between.len()) - 1
            }
            _ => utf16_column(lines.line(line).unwrap_or_default(), byte),
        };
        before = (line, at, column);
        let position = Position { module: text.name.to_owned(), line, column };
        found.push(ProgramCall { position, offset, function_offset, callee, arguments });
    }
    found
}
