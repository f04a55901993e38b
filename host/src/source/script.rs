//! The program to run, as callers pass it in: text or a file, and the folder that its imports may
//! reach.
//!
//! Input: text, paths. Output: a [`Script`], and through [`Script::load`] a [`Program`].
//! **Invariant:** building a script reads no file; only `load` does.

use std::path::PathBuf;

use super::error::SourceError;
use super::escape::escaped;
use super::load;
use super::program::{Language, Program};
use crate::model::HostWork;

/// Longest display name, in characters.
const NAME: usize = 256;

/// A script to run.
///
/// Types are erased, never checked. An import whose names are used only as types is erased too, as
/// TypeScript does it; the module that it names is then not read. An import that is not used at all
/// stays.
#[derive(Debug, Clone)]
pub struct Script {
    pub(super) origin: ScriptSource,
    pub(super) name: Option<String>,
    pub(super) workspace: Option<PathBuf>,
    pub(super) is_generated: bool,
}

#[derive(Debug, Clone)]
pub(super) enum ScriptSource {
    Text { text: String, language: Language },
    File { path: PathBuf },
}

impl Script {
    /// Returns a script of TypeScript text, named `program.ts`, without a workspace.
    pub fn ts(text: impl Into<String>) -> Self {
        Self::text(text.into(), Language::TypeScript)
    }

    /// Returns a script of JavaScript text, named `program.js`, without a workspace.
    pub fn js(text: impl Into<String>) -> Self {
        Self::text(text.into(), Language::JavaScript)
    }

    /// Returns a script that is read from a file, whose name ends in `.ts`, `.mts`, `.cts`, `.js`,
    /// `.mjs` or `.cjs`. A name without an extension means the file that has one of these.
    ///
    /// Its workspace is the nearest folder above it that contains `.git`, `.pml.json`,
    /// `package.json` or `deno.json`, else its own folder. The user's home is the workspace only of
    /// a program that lies directly in it.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(ScriptSource::File { path: path.into() })
    }

    fn new(origin: ScriptSource) -> Self {
        Self { origin, name: None, workspace: None, is_generated: false }
    }

    fn text(text: String, language: Language) -> Self {
        Self::new(ScriptSource::Text { text, language })
    }

    /// Marks the script as written by pml, so that no position in it is shown.
    #[must_use]
    pub(crate) fn generated(mut self) -> Self {
        self.is_generated = true;
        self
    }

    /// Sets the display name of a text script. A file is named by its path in the workspace.
    #[must_use]
    pub fn named(mut self, name: impl AsRef<str>) -> Self {
        self.name = Some(escaped(name.as_ref(), NAME));
        self
    }

    /// Sets the folder that relative imports may reach. A text script imports as if it were a file
    /// in that folder.
    #[must_use]
    pub fn in_workspace(mut self, folder: impl Into<PathBuf>) -> Self {
        self.workspace = Some(folder.into());
        self
    }

    /// Returns the length of a text script in bytes, or `None` for a file, whose length is not
    /// known before it is read.
    pub(crate) fn length(&self) -> Option<usize> {
        match &self.origin {
            ScriptSource::Text { text, .. } => Some(text.len()),
            ScriptSource::File { .. } => None,
        }
    }

    /// Reads the script and all modules that it imports. `source_limit` counts the bytes of all
    /// modules together.
    ///
    /// # Errors
    /// Fails if a file cannot be read, is too large, is not valid, uses syntax that cannot be
    /// erased, or imports a file outside the workspace.
    pub fn load(&self, source_limit: usize) -> Result<Program, SourceError> {
        load::load(self, source_limit, None)
    }

    /// Does the same as [`Script::load`] for a run, and charges the CPU time to it.
    pub(crate) fn load_for(
        &self,
        source_limit: usize,
        run: &HostWork<'_>,
    ) -> Result<Program, SourceError> {
        load::load(self, source_limit, Some(run))
    }
}
