//! The names that modules import from each other, as their texts write them.
//!
//! Input: what `blank` reads from one module. Output: [`ModuleLinks`], which `link` compares with
//! those of other modules. **Invariant:** spans are those of the user's text.

use oxc::span::Span;

/// The names that one module imports and exports.
#[derive(Debug, Default)]
pub(super) struct ModuleLinks {
    pub(super) imports: Vec<ImportedName>,
    pub(super) exports: Vec<ExportedName>,
    /// The specifiers of `export * from`.
    pub(super) stars: Vec<String>,
}

/// A name that a module imports as a value.
#[derive(Debug)]
pub(super) struct ImportedName {
    /// The module, as the import writes it.
    pub(super) specifier: String,
    /// The name in that module.
    pub(super) name: String,
    /// The name in this module.
    pub(super) local: String,
    pub(super) text: NameText,
}

impl ImportedName {
    /// Returns the origin of this name if it is exported again.
    pub(super) fn origin(&self) -> ExportOrigin {
        ExportOrigin::Module { specifier: self.specifier.clone(), name: self.name.clone() }
    }
}

/// A name that a module exports.
#[derive(Debug)]
pub(super) struct ExportedName {
    pub(super) name: String,
    pub(super) origin: ExportOrigin,
    /// Its text in a list of names, if it is in one.
    pub(super) text: Option<NameText>,
}

impl ExportedName {
    /// Returns an exported value that is declared in the module.
    pub(super) fn value(name: String) -> Self {
        Self { name, origin: ExportOrigin::Value, text: None }
    }
}

/// Where an exported name comes from.
#[derive(Debug, Clone)]
pub(super) enum ExportOrigin {
    /// A value of the module.
    Value,
    /// A type of the module, which does not exist at run time.
    Type,
    /// A name of another module.
    Module { specifier: String, name: String },
}

/// The text of a name in a list of imports or exports.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameText {
    pub(super) offset: u32,
    /// The text to blank if the name turns out to be a type.
    pub(super) erased: Span,
}
