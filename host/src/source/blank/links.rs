//! Reads the names that a module imports and exports.
//!
//! **Invariant:** a name counts as a type only if a declaration at the top level says so and no
//! other one gives it a value.

use std::collections::{HashMap, HashSet};

use oxc::ast::ast::*;
use oxc::ast_visit::Visit;
use oxc::span::GetSpan as _;

use super::edits::Edits;
use super::erase;
use super::import_uses::{self, ImportUses};
use crate::source::links::{ExportOrigin, ExportedName, ImportedName, ModuleLinks, NameText};

/// Reads the imports and exports of a program that remain after its types are erased.
pub(super) fn read(program: &Program<'_>, edits: &Edits<'_>, uses: &ImportUses) -> ModuleLinks {
    let mut links = ModuleLinks::default();
    for declaration in import_uses::declarations(program).filter(|it| !uses.is_erased(it)) {
        for specifier in declaration.specifiers.iter().flatten() {
            let name = match specifier {
                _ if import_uses::is_type(specifier) => continue,
                ImportDeclarationSpecifier::ImportSpecifier(it) => it.imported.name(),
                ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => "default".into(),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => continue,
            };
            if edits.is_blank(specifier.span()) {
                continue;
            }
            links.imports.push(ImportedName {
                specifier: declaration.source.value.to_string(),
                name: name.to_string(),
                local: specifier.local().name.to_string(),
                text: NameText {
                    offset: specifier.span().start,
                    erased: import_uses::erased_span(edits, declaration, specifier),
                },
            });
        }
    }
    let mut reader = ExportReader {
        program,
        edits,
        imported: links.imports.iter().map(|it| (it.local.clone(), it.origin())).collect(),
        locals: None,
        links,
    };
    for statement in &program.body {
        match erase::is_erased(statement) {
            true => read_erased_exports(statement, &mut reader.links),
            false => reader.read(statement),
        }
    }
    reader.links
}

struct ExportReader<'r, 'a> {
    program: &'r Program<'a>,
    edits: &'r Edits<'r>,
    /// The origin of each imported name.
    imported: HashMap<String, ExportOrigin>,
    locals: Option<LocalNames>,
    links: ModuleLinks,
}

impl ExportReader<'_, '_> {
    fn read(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ExportDeclaration(it) => {
                let names = declared_names(&it.declaration).into_iter();
                self.links.exports.extend(names.map(ExportedName::value));
            }
            Statement::ExportDefaultDeclaration(_) => {
                self.links.exports.push(ExportedName::value("default".to_owned()));
            }
            Statement::ExportNamedDeclaration(it) => {
                for specifier in &it.specifiers {
                    let origin = match specifier.export_kind {
                        ImportOrExportKind::Type => ExportOrigin::Type,
                        ImportOrExportKind::Value => self.origin(&specifier.local.name()),
                    };
                    self.push(specifier, origin);
                }
            }
            Statement::ExportFromDeclaration(it) => {
                for specifier in &it.specifiers {
                    let origin = match specifier.export_kind {
                        ImportOrExportKind::Type => ExportOrigin::Type,
                        ImportOrExportKind::Value => ExportOrigin::Module {
                            specifier: it.source.value.to_string(),
                            name: specifier.local.name().to_string(),
                        },
                    };
                    self.push(specifier, origin);
                }
            }
            Statement::ExportAllDeclaration(it) => match &it.exported {
                Some(name) => self.links.exports.push(ExportedName::value(name.name().to_string())),
                None => self.links.stars.push(it.source.value.to_string()),
            },
            _ => {}
        }
    }

    fn push(&mut self, specifier: &ExportSpecifier<'_>, origin: ExportOrigin) {
        let text =
            NameText { offset: specifier.span.start, erased: self.edits.item_span(specifier.span) };
        let name = specifier.exported.name().to_string();
        self.links.exports.push(ExportedName { name, origin, text: Some(text) });
    }

    /// Returns the origin of a name of this module that is exported.
    fn origin(&mut self, local: &str) -> ExportOrigin {
        if let Some(origin) = self.imported.get(local) {
            return origin.clone();
        }
        let locals = self.locals.get_or_insert_with(|| LocalNames::new(self.program));
        if locals.is_type(local) { ExportOrigin::Type } else { ExportOrigin::Value }
    }
}

/// Reads the names that a module exports only as types.
fn read_erased_exports(statement: &Statement<'_>, links: &mut ModuleLinks) {
    let mut push = |name: String| {
        links.exports.push(ExportedName { name, origin: ExportOrigin::Type, text: None });
    };
    match statement {
        Statement::ExportDeclaration(it) => {
            declared_names(&it.declaration).into_iter().for_each(push);
        }
        Statement::ExportNamedDeclaration(it) => {
            it.specifiers.iter().for_each(|it| push(it.exported.name().to_string()));
        }
        Statement::ExportFromDeclaration(it) => {
            it.specifiers.iter().for_each(|it| push(it.exported.name().to_string()));
        }
        Statement::ExportDefaultDeclaration(it)
            if matches!(
                it.declaration,
                ExportDefaultDeclarationKind::TSInterfaceDeclaration(_)
            ) =>
        {
            push("default".to_owned());
        }
        _ => {}
    }
}

/// The names that the top level of a module declares as types and as values.
struct LocalNames {
    types: HashSet<String>,
    values: HashSet<String>,
}

impl LocalNames {
    fn new(program: &Program<'_>) -> Self {
        let mut names = Self { types: HashSet::new(), values: HashSet::new() };
        for statement in &program.body {
            let declaration = match statement {
                Statement::ImportDeclaration(it) => {
                    let types = it.specifiers.iter().flatten().filter(|specifier| {
                        it.import_kind.is_type() || import_uses::is_type(specifier)
                    });
                    names.types.extend(types.map(|it| it.local().name.to_string()));
                    None
                }
                Statement::ExportDeclaration(it) => Some(&it.declaration),
                _ => statement.as_declaration(),
            };
            if let Some(declaration) = declaration {
                let list = match erase::is_erased(statement) {
                    true => &mut names.types,
                    false => &mut names.values,
                };
                list.extend(declared_names(declaration));
            }
        }
        names
    }

    fn is_type(&self, name: &str) -> bool {
        self.types.contains(name) && !self.values.contains(name)
    }
}

fn declared_names(declaration: &Declaration<'_>) -> Vec<String> {
    let named = |id: Option<&BindingIdentifier<'_>>| {
        id.map(|id| id.name.to_string()).into_iter().collect::<Vec<_>>()
    };
    match declaration {
        Declaration::VariableDeclaration(it) => {
            let mut names = PatternNames(Vec::new());
            it.declarations.iter().for_each(|it| names.visit_binding_pattern(&it.id));
            names.0
        }
        Declaration::FunctionDeclaration(it) => named(it.id.as_ref()),
        Declaration::ClassDeclaration(it) => named(it.id.as_ref()),
        Declaration::TSTypeAliasDeclaration(it) => named(Some(&it.id)),
        Declaration::TSInterfaceDeclaration(it) => named(Some(&it.id)),
        Declaration::TSEnumDeclaration(it) => named(Some(&it.id)),
        Declaration::TSNamespaceDeclaration(it) => named(Some(&it.id)),
        Declaration::TSImportEqualsDeclaration(it) => named(Some(&it.id)),
        _ => Vec::new(),
    }
}

struct PatternNames(Vec<String>);

impl<'a> Visit<'a> for PatternNames {
    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.0.push(it.name.to_string());
    }

    // Default values declare nothing outside themselves.
    fn visit_expression(&mut self, _: &Expression<'a>) {}
}
