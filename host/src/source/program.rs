//! A program that is ready for the guest: JavaScript modules, the entry first, each with its
//! original text.
//!
//! Input: compiled modules from `load`. Output: code to execute, and code frames of the user's own
//! text. **Invariant:** every byte of `code` has the same position as in `source`, apart from the
//! wrapper's first line and `shift`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::PathBuf;
use std::sync::Arc;

use super::error::{ModuleText, QUOTE, SourceLocation};
use super::escape::escaped;
use super::resolve::ImportRefusal;
use crate::model::{CodeFrame, Position};

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

    /// Returns the dynamic import that an error is about, and its location, if the import is
    /// written out as a string.
    ///
    /// QuickJS reports the error at the last position that it noted before the import. So of
    /// several imports of the same thing, the first one from there on is meant.
    pub(crate) fn refused_import(
        &self,
        message: &str,
        reported: Option<&Position>,
    ) -> Option<(&RefusedImport, SourceLocation)> {
        let modules = self
            .modules
            .iter()
            .filter(|module| reported.is_none_or(|reported| reported.module == module.name));
        let all = modules.flat_map(|module| {
            let refused = module.refused_imports.iter().filter(|it| it.message == message);
            refused.filter_map(|it| Some((it, self.location(&module.name, it.offset)?)))
        });
        let mut all: Vec<_> = all.collect();
        let is_after = |location: &SourceLocation| {
            let place = |position: &Position| (position.line, position.column);
            reported.is_none_or(|reported| place(&location.position) >= place(reported))
        };
        let meant = all.iter().position(|(_, location)| is_after(location));
        meant.or(all.len().checked_sub(1)).map(|index| all.swap_remove(index))
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
    /// Dynamic imports that fail when the program gets there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_imports: Vec<RefusedImport>,
    /// The line number of the first line of `code`: 1 for a module, 0 for a wrapped function body,
    /// so that in both cases the user's first line is line 1.
    pub first_line: u32,
    /// The line of `code` that has more text than the same line of `source`, if any.
    pub shift: Option<ColumnShift>,
    /// Whether pml wrote it: no position in it is ever shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_generated: bool,
}

/// A dynamic import, written out as a string, of something that programs cannot reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RefusedImport {
    /// The specifier as the program wrote it.
    pub specifier: String,
    /// The message of the error that the program gets.
    pub message: String,
    /// Advice on what to write instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The byte offset of `import` in the module's source.
    pub offset: u32,
}

impl RefusedImport {
    pub(super) fn new(specifier: String, offset: u32, refusal: ImportRefusal) -> Self {
        let shown = escaped(&specifier, QUOTE);
        let message = format!("import of `{shown}` is refused, {}", refusal.reason);
        let hint = refusal.hint.map(|hint| escaped(&hint, QUOTE * 2));
        Self { specifier, message, hint, offset }
    }
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
