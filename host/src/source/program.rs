//! A program ready for the guest: JavaScript modules, entry first, beside the text they came from.
//!
//! Flows in: compiled modules from `load`. Flows out: code to execute, and code frames of the
//! user's own text. **Invariant:** `code` and `source` agree byte for byte in position, apart from
//! the wrapper's first line and `shift`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "servers")]
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
    /// Returns the module of that name.
    pub fn module(&self, name: &str) -> Option<&SourceModule> {
        self.modules.iter().find(|module| module.name == name)
    }

    /// Returns the user's lines around a position, or nothing if it is not in this program.
    pub fn code_frame(&self, position: &Position) -> Option<CodeFrame> {
        CodeFrame::new(&self.module(&position.module)?.source, position)
    }

    /// Returns the place of an offset in a module's own text, in bytes.
    #[cfg(feature = "servers")]
    pub(crate) fn place(&self, module: &str, offset: u32) -> Option<SourceLocation> {
        let module = self.module(module)?;
        let text = ModuleText { name: &module.name, text: &module.source };
        Some(*text.place(offset))
    }
}

/// One module: what is executed, and what the user wrote.
///
/// It is journalled with its run; fields are added, never renamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SourceModule {
    /// The path relative to the workspace with `/`, or the script's display name.
    pub name: String,
    /// The file it was read from, links resolved; nothing for a text script.
    #[serde(skip)]
    pub path: Option<PathBuf>,
    /// What the source is written in.
    pub language: Language,
    /// The JavaScript to execute, always an ES module.
    ///
    /// A function body is its `default` export, an async function without parameters.
    pub code: String,
    /// The text as the user wrote it, without a byte order mark.
    #[serde(serialize_with = "write_text", deserialize_with = "read_text")]
    pub source: Arc<str>,
    /// Specifiers as written, each with the name of the module it leads to.
    pub imports: Vec<(String, String)>,
    /// The line number of the first line of `code`: 1 for a module, 0 for a wrapped function body,
    /// so that in both cases the user's first line is line 1.
    pub first_line: u32,
    /// Where a line of `code` has more text than the same line of `source`.
    pub shift: Option<ColumnShift>,
}

/// What a module's source is written in.
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
    /// The byte column from 1 at which text was inserted: what stood there or after it has moved
    /// right.
    pub column: u32,
    /// How many bytes were inserted.
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
