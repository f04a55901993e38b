//! Errors in a source: one error type, with a stable code, and a position and a code frame where
//! they are known.
//!
//! Input: errors of the parser, the loader and the file system. Output: [`SourceError`].
//! **Invariant:** text taken from a program (specifiers, parser messages) is escaped before it
//! becomes part of a message.

use std::io;
use std::path::PathBuf;

use super::escape::escaped;
use crate::model::Code;
use crate::model::CodeFrame;
use crate::model::{LineIndex, Position, format_bytes};

/// Longest piece of a program that is quoted in a message: enough to recognise it, too short to
/// flood a terminal.
pub(super) const QUOTE: usize = 200;

/// The reason why a script could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The text is not JavaScript or TypeScript.
    #[error("{message}: {}", at.position)]
    Syntax {
        /// The parser's message.
        message: String,
        /// The location.
        at: Box<SourceLocation>,
        /// Advice on how to fix it.
        hint: Option<String>,
    },
    /// The text is valid TypeScript that cannot be run by removing its types.
    #[error("{what} cannot be used here: {}", at.position)]
    UnsupportedSyntax {
        /// The name of the construct.
        what: &'static str,
        /// The location.
        at: Box<SourceLocation>,
        /// Advice on what to write instead.
        hint: &'static str,
    },
    /// An import does not resolve to a module inside the workspace.
    #[error("import of `{specifier}` is refused, {reason}: {}", at.position)]
    ImportRefused {
        /// The specifier as the program wrote it, escaped.
        specifier: String,
        /// The reason for the refusal.
        reason: &'static str,
        /// The location.
        at: Box<SourceLocation>,
        /// Advice on what to write instead.
        hint: Option<String>,
    },
    /// All modules together are larger than allowed.
    #[error("the source is larger than {}: {name}", format_bytes(*limit))]
    SourceSize {
        /// The module that exceeded the limit.
        name: String,
        /// The limit in bytes, over all modules.
        limit: usize,
    },
    /// The run has no CPU time left for parsing it.
    #[error("parsing the source took longer than the CPU time of the run: {name}")]
    CpuTime {
        /// The module that was about to be parsed.
        name: String,
    },
    /// A file could not be read.
    #[error("cannot read source file: {}", path.display())]
    SourceRead {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file cannot be run.
    #[error("{reason}: {}", path.display())]
    SourceKind {
        /// The file.
        path: PathBuf,
        /// The reason why it cannot be run.
        reason: &'static str,
        /// Advice on how to fix it.
        hint: String,
    },
    /// There is no such file.
    #[error("there is no such file: {}", path.display())]
    SourceMissing {
        /// The file.
        path: PathBuf,
        /// Advice on which file may be meant.
        hint: Option<String>,
    },
    /// A module does not export what another imports from it.
    #[error("`{module}` does not export `{name}`: {}", at.position)]
    ExportMissing {
        /// The imported name, escaped.
        name: String,
        /// The module that should export it.
        module: String,
        /// The location of the import.
        at: Box<SourceLocation>,
        /// Advice on what to write instead.
        hint: Option<String>,
    },
}

impl SourceError {
    /// Returns the stable code of this error.
    pub fn code(&self) -> Code {
        match self {
            Self::Syntax { .. } | Self::ExportMissing { .. } => Code::Syntax,
            Self::UnsupportedSyntax { .. } => Code::UnsupportedSyntax,
            Self::ImportRefused { .. } => Code::ImportRefused,
            Self::SourceSize { .. } => Code::SourceSize,
            Self::CpuTime { .. } => Code::CpuTime,
            Self::SourceRead { .. } | Self::SourceKind { .. } | Self::SourceMissing { .. } => {
                Code::SourceRead
            }
        }
    }

    /// Returns the position of the error, if it is in a module's text.
    pub fn position(&self) -> Option<Position> {
        self.location().map(|location| location.position.clone())
    }

    /// Returns the lines around the error, if it is in a module's text.
    pub fn code_frame(&self) -> Option<CodeFrame> {
        self.location().and_then(|location| location.frame.clone())
    }

    /// Returns advice for the author of the program, if there is any.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Syntax { hint, .. }
            | Self::ImportRefused { hint, .. }
            | Self::SourceMissing { hint, .. }
            | Self::ExportMissing { hint, .. } => hint.as_deref(),
            Self::UnsupportedSyntax { hint, .. } => Some(hint),
            Self::SourceKind { hint, .. } => Some(hint),
            Self::SourceSize { .. } => Some(
                "pass data as `inputs` instead of code, or raise `limits.source` in `.pml.json`",
            ),
            Self::CpuTime { .. } => Some("pass data as `inputs` instead of code"),
            Self::SourceRead { .. } => None,
        }
    }

    fn location(&self) -> Option<&SourceLocation> {
        match self {
            Self::Syntax { at, .. }
            | Self::UnsupportedSyntax { at, .. }
            | Self::ExportMissing { at, .. }
            | Self::ImportRefused { at, .. } => Some(at),
            _ => None,
        }
    }

    pub(super) fn syntax(
        text: ModuleText<'_>,
        offset: u32,
        message: &str,
        hint: Option<&str>,
    ) -> Self {
        Self::Syntax {
            message: lowered(message),
            at: text.location(offset),
            hint: hint.map(lowered),
        }
    }

    pub(super) fn unsupported(text: ModuleText<'_>, refusal: UnsupportedConstruct) -> Self {
        Self::UnsupportedSyntax {
            what: refusal.what,
            at: text.location(refusal.offset),
            hint: refusal.hint,
        }
    }

    pub(super) fn import(
        text: ModuleText<'_>,
        offset: u32,
        specifier: &str,
        reason: &'static str,
        hint: Option<String>,
    ) -> Self {
        Self::ImportRefused {
            specifier: escaped(specifier, QUOTE),
            reason,
            at: text.location(offset),
            hint: hint.map(|hint| escaped(&hint, QUOTE * 2)),
        }
    }
}

/// Returns a text of the parser, escaped, without a capital and a full stop.
fn lowered(text: &str) -> String {
    let text = escaped(text.trim_end_matches('.'), QUOTE);
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        // Lower the first letter, but not of an acronym or a quoted token.
        (Some(first), Some(second))
            if first.is_ascii_uppercase() && !second.is_ascii_uppercase() =>
        {
            format!("{}{}", first.to_ascii_lowercase(), &text[1..])
        }
        _ => text,
    }
}

/// A position with the lines around it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SourceLocation {
    /// The location.
    pub position: Position,
    /// The lines around the position.
    pub frame: Option<CodeFrame>,
}

/// A module's name and text, from which locations are made.
#[derive(Clone, Copy)]
pub(super) struct ModuleText<'t> {
    pub(super) name: &'t str,
    pub(super) text: &'t str,
}

impl ModuleText<'_> {
    pub(super) fn location(self, offset: u32) -> Box<SourceLocation> {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let position = LineIndex::new(self.text).position(self.name, offset);
        let frame = CodeFrame::new(self.text, &position);
        Box::new(SourceLocation { position, frame })
    }
}

/// A construct that cannot be run, with its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnsupportedConstruct {
    pub(super) offset: u32,
    pub(super) what: &'static str,
    pub(super) hint: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_lower_case_escaped_and_placed() {
        let text = ModuleText { name: "a.ts", text: "let x\nlet y" };
        let error = SourceError::syntax(text, 10, "Unexpected \u{202e}token.", None);
        assert_eq!(error.to_string(), "unexpected \\u{202e}token: a.ts:2:5");
        assert_eq!(error.code(), Code::Syntax);
        assert_eq!(error.position().unwrap().line, 2);
        assert!(error.code_frame().unwrap().to_string().contains("let y"));
    }
}
