//! Finds the imports whose names are used only as types, and erases them as TypeScript does.
//!
//! An import that nothing mentions stays: nothing shows that it is meant as a type.
//!
//! **Invariant:** a name counts as used as a value if any variable of that name is: an import is
//! erased only if it certainly is not.

use std::collections::HashMap;

use oxc::ast::ast::{
    ImportDeclaration, ImportDeclarationSpecifier, ImportOrExportKind, Program, Statement,
};
use oxc::parser::{Kind, Token};
use oxc::span::{GetSpan as _, Span};

use super::edits::Edits;

/// How a module uses the names that it imports.
pub(super) struct ImportUses {
    names: HashMap<String, ImportUse>,
    /// Tells most other names apart without a lookup: the first byte and the length of each name.
    marks: [bool; 256],
}

#[derive(Default, Clone, Copy)]
struct ImportUse {
    is_value: bool,
    is_exported: bool,
    is_mentioned: bool,
}

impl ImportUse {
    fn is_type(self) -> bool {
        self.is_mentioned && !self.is_value && !self.is_exported
    }
}

impl ImportUses {
    /// Reads the names that a TypeScript program imports. JavaScript has no types, and none of its
    /// imports are erased.
    pub(super) fn new(program: &Program<'_>) -> Self {
        let mut uses = Self { names: HashMap::new(), marks: [false; 256] };
        if program.source_type.is_typescript() {
            for declaration in declarations(program) {
                for specifier in declaration.specifiers.iter().flatten() {
                    let name = specifier.local().name.as_str();
                    uses.marks[mark(name)] = true;
                    uses.names.insert(name.to_owned(), ImportUse::default());
                }
            }
        }
        uses
    }

    /// Notes that a name is used as a value.
    pub(super) fn note_value(&mut self, name: &str) {
        if self.marks[mark(name)]
            && let Some(found) = self.names.get_mut(name)
        {
            found.is_value = true;
        }
    }

    /// Notes that a name is exported again, as a value or a type.
    pub(super) fn note_export(&mut self, name: &str) {
        if let Some(found) = self.names.get_mut(name) {
            found.is_exported = true;
        }
    }

    /// Notes which of the other names are mentioned outside imports.
    pub(super) fn note_mentions(&mut self, program: &Program<'_>, tokens: &[Token]) {
        if self.names.values().all(|used| used.is_value || used.is_exported) {
            return;
        }
        let mut imports = declarations(program).map(|it| it.span).peekable();
        for token in tokens {
            while imports.next_if(|import| import.end <= token.start()).is_some() {}
            if imports.peek().is_some_and(|import| import.start <= token.start()) {
                continue;
            }
            let text = &program.source_text[token.start() as usize..token.end() as usize];
            if self.marks[mark(text)]
                && let Some(found) = self.names.get_mut(text)
            {
                found.is_mentioned = true;
            }
        }
    }

    /// Reports whether all names of a declaration are types, and not all of them are marked `type`.
    pub(super) fn is_erased(&self, declaration: &ImportDeclaration<'_>) -> bool {
        let specifiers = declaration.specifiers.as_ref().map_or(&[][..], |it| it.as_slice());
        specifiers.iter().any(|specifier| !is_type(specifier))
            && specifiers.iter().all(|it| is_type(it) || self.is_used_as_type(it))
    }

    fn is_used_as_type(&self, specifier: &ImportDeclarationSpecifier<'_>) -> bool {
        self.names.get(specifier.local().name.as_str()).is_some_and(|used| used.is_type())
    }

    /// Blanks the names of a declaration that are used only as types.
    pub(super) fn blank_types(&self, edits: &mut Edits<'_>, declaration: &ImportDeclaration<'_>) {
        for specifier in declaration.specifiers.iter().flatten() {
            if !is_type(specifier) && self.is_used_as_type(specifier) {
                let span = erased_span(edits, declaration, specifier);
                edits.blank_span(span);
            }
        }
    }
}

/// Returns the import declarations of a program that are not marked `type`.
pub(super) fn declarations<'p, 'a>(
    program: &'p Program<'a>,
) -> impl Iterator<Item = &'p ImportDeclaration<'a>> {
    program.body.iter().filter_map(|statement| match statement {
        Statement::ImportDeclaration(it) if !it.import_kind.is_type() => Some(&**it),
        _ => None,
    })
}

/// Reports whether a name of an import is marked `type`.
pub(super) fn is_type(specifier: &ImportDeclarationSpecifier<'_>) -> bool {
    matches!(specifier, ImportDeclarationSpecifier::ImportSpecifier(it)
        if it.import_kind == ImportOrExportKind::Type)
}

/// Returns the text to blank so that a declaration no longer imports one of its names.
pub(super) fn erased_span(
    edits: &Edits<'_>,
    declaration: &ImportDeclaration<'_>,
    specifier: &ImportDeclarationSpecifier<'_>,
) -> Span {
    let span = specifier.span();
    let specifiers = declaration.specifiers.as_ref().map_or(&[][..], |it| it.as_slice());
    match specifier {
        // `import a from "./a.ts"` becomes `import "./a.ts"`.
        ImportDeclarationSpecifier::ImportDefaultSpecifier(_)
        | ImportDeclarationSpecifier::ImportNamespaceSpecifier(_)
            if specifiers.len() == 1 && !has_braces(edits, span.end) =>
        {
            Span::new(span.start, declaration.source.span.start)
        }
        ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => {
            let start = specifiers.first().map_or(span.start, |first| first.span().end);
            Span::new(start.min(span.start), span.end)
        }
        _ => edits.item_span(span),
    }
}

/// Reports whether an empty list of names follows a default import.
fn has_braces(edits: &Edits<'_>, end: u32) -> bool {
    edits.token_from(end).is_some_and(|token| token.kind() == Kind::Comma)
}

fn mark(name: &str) -> usize {
    let first = name.as_bytes().first().copied().unwrap_or_default();
    usize::from(first ^ (name.len() as u8).rotate_left(4))
}
