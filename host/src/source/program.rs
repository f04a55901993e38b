//! A program that is ready for the guest: JavaScript modules, the entry first, each with its
//! original text.
//!
//! Input: compiled modules from `load`. Output: code to execute, and code frames of the user's own
//! text. **Invariant:** every byte of `code` has the same position as in `source`, apart from the
//! wrapper's first line and `shift`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::PathBuf;
use std::sync::Arc;

use super::error::{ModuleText, SourceLocation};
use super::position::Position;
use crate::source::code_frame::CodeFrame;

/// The modules of one program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// All modules, the entry first, each once.
    pub modules: Vec<SourceModule>,
}

impl Program {
    /// Returns the module with the given name.
    pub fn module(&self, name: &str) -> Option<&SourceModule> {
        self.modules.iter().find(|module| module.name == name)
    }

    /// Returns the user's lines around a position, or `None` if it is not in this program.
    pub fn code_frame(&self, position: &Position) -> Option<CodeFrame> {
        CodeFrame::new(&self.module(&position.module)?.source, position)
    }

    /// Returns the location of a byte offset in a module's own text.
    pub(crate) fn location(&self, module: &str, offset: u32) -> Option<SourceLocation> {
        let module = self.module(module)?;
        let text = ModuleText { name: &module.name, text: &module.source };
        Some(*text.location(offset))
    }
}

/// One module: the executed code, and the text that the user wrote.
///
/// It is stored in the journal with its run; fields are added, never renamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SourceModule {
    /// The path relative to the workspace with `/`, or the script's display name.
    pub name: String,
    /// The file it was read from, with links resolved; `None` for a text script.
    #[serde(skip)]
    pub path: Option<PathBuf>,
    /// The language of the source.
    pub language: Language,
    /// The JavaScript to execute, always an ES module.
    ///
    /// A function body is its `default` export, an async function without parameters.
    pub code: String,
    /// The text as the user wrote it, without a byte order mark.
    #[serde(serialize_with = "write_text", deserialize_with = "read_text")]
    pub source: Arc<str>,
    /// Specifiers as written, each with the name of the module it resolves to.
    pub imports: Vec<(String, String)>,
    /// The line number of the first line of `code`: 1 for a module, 0 for a wrapped function body,
    /// so that in both cases the user's first line is line 1.
    pub first_line: u32,
    /// The line of `code` that has more text than the same line of `source`, if any.
    pub shift: Option<ColumnShift>,
    /// Whether pml wrote it: no position in it is ever shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_generated: bool,
}

/// The language of a module's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Language {
    /// TypeScript, whose types are blanked.
    TypeScript,
    /// JavaScript, executed as written.
    JavaScript,
    /// JSON, a module whose default export is the value.
    Json,
}

/// Text that wrapping inserted before other text of the same line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ColumnShift {
    /// The line, from 1.
    pub line: u32,
    /// The byte column, from 1, at which text was inserted. Text at or after this column has moved
    /// right.
    pub column: u32,
    /// The number of inserted bytes.
    pub by: u32,
}

impl ColumnShift {
    /// Returns the byte column in the user's line for a byte column in the executed line.
    pub(super) fn undo(self, line: u32, column: u32) -> u32 {
        if line != self.line || column < self.column {
            column
        } else {
            column.saturating_sub(self.by).max(self.column)
        }
    }
}

fn write_text<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

fn read_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    String::deserialize(deserializer).map(Arc::from)
}
