//! The exports of all modules, and the search for the origin of a name.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::super::blank;
use super::super::error::{ModuleText, SourceError};
use super::super::escape::escaped;
use super::super::links::{ExportOrigin, ImportedName, ModuleLinks};
use super::super::program::{Language, SourceModule};
use super::super::{parse, stack};
use crate::model::{WorkSlice, nearest};
use oxc::ast::ast::{ModuleExportName, Statement};
use oxc::span::Span;
use oxc::syntax::reference::ReferenceId;

/// Longest name that is quoted.
const NAME: usize = 100;
/// Most exported names that are compared to find a similar one.
const NAMES: usize = 1_000;
/// Most modules that are visited in search of names. Many names behind many `export *` could cost
/// quadratic time; beyond this, QuickJS links them.
const STEPS: usize = 1_000_000;

/// What a module exports under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExportKind {
    Value,
    Type,
    Missing,
}

/// Links modules whose imports are resolved.
pub(in super::super) fn link(
    modules: &mut [SourceModule],
    links: &[ModuleLinks],
    run: Option<&WorkSlice<'_>>,
) -> Result<(), SourceError> {
    if links.iter().all(|links| links.imports.is_empty() && links.exports.is_empty()) {
        return Ok(());
    }
    let erased = ExportIndex::new(modules, links).types_to_erase(run)?;
    for (module, spans) in modules.iter_mut().zip(erased) {
        if !spans.is_empty() {
            module.code = blank::blank_spans(&module.code, &spans);
        }
    }
    Ok(())
}

/// The exports of all modules by name.
struct ExportIndex<'m> {
    modules: &'m [SourceModule],
    links: &'m [ModuleLinks],
    exports: Vec<HashMap<&'m str, &'m ExportOrigin>>,
    /// The modules that specifiers resolve to.
    targets: Vec<HashMap<&'m str, usize>>,
    steps: Cell<usize>,
}

impl<'m> ExportIndex<'m> {
    fn new(modules: &'m [SourceModule], links: &'m [ModuleLinks]) -> Self {
        let names: HashMap<&str, usize> =
            modules.iter().enumerate().map(|(at, module)| (module.name.as_str(), at)).collect();
        let targets = modules.iter().map(|module| {
            let imports = module.imports.iter();
            imports
                .filter_map(|(specifier, name)| {
                    Some((specifier.as_str(), *names.get(name.as_str())?))
                })
                .collect()
        });
        let exports = links.iter().map(|links| {
            let mut exports: HashMap<&str, &ExportOrigin> = HashMap::new();
            for export in &links.exports {
                let known = exports.entry(&export.name).or_insert(&export.origin);
                // A name may be a type and a value: `export type A = …; export const A = …`.
                if matches!(known, ExportOrigin::Type) {
                    *known = &export.origin;
                }
            }
            exports
        });
        let (exports, targets) = (exports.collect(), targets.collect());
        Self { modules, links, exports, targets, steps: Cell::new(0) }
    }

    /// Returns the spans to erase from each module.
    fn types_to_erase(&self, run: Option<&WorkSlice<'_>>) -> Result<Vec<Vec<Span>>, SourceError> {
        let mut erased = vec![Vec::new(); self.modules.len()];
        for (at, links) in self.links.iter().enumerate() {
            let mut used = None;
            for import in &links.imports {
                match self.kind_of(at, &import.specifier, &import.name) {
                    ExportKind::Value => {}
                    ExportKind::Type => {
                        let used = used.get_or_insert_with(|| self.names_of_values(at, run));
                        if used.contains(&import.local) {
                            return Err(self.type_as_value(at, import));
                        }
                        erased[at].push(import.text.erased);
                    }
                    ExportKind::Missing => {
                        let text = import.text.offset;
                        return Err(self.missing(at, &import.specifier, &import.name, text));
                    }
                }
            }
            for export in &links.exports {
                let (ExportOrigin::Module { specifier, name }, Some(text)) =
                    (&export.origin, export.text)
                else {
                    continue;
                };
                match self.kind_of(at, specifier, name) {
                    ExportKind::Value => {}
                    ExportKind::Type => erased[at].push(text.erased),
                    ExportKind::Missing => {
                        return Err(self.missing(at, specifier, name, text.offset));
                    }
                }
            }
        }
        Ok(erased)
    }

    /// Returns what the module that a specifier resolves to exports under a name.
    fn kind_of(&self, importer: usize, specifier: &str, name: &str) -> ExportKind {
        match self.targets[importer].get(specifier) {
            Some(target) => self.find(*target, name),
            None => ExportKind::Value,
        }
    }

    fn find(&self, module: usize, name: &str) -> ExportKind {
        let mut visited = HashSet::new();
        let mut pending = vec![(module, name)];
        let mut found = ExportKind::Missing;
        while let Some((module, name)) = pending.pop() {
            if !visited.insert((module, name)) {
                continue;
            }
            self.steps.set(self.steps.get() + 1);
            if self.steps.get() > STEPS {
                return ExportKind::Value;
            }
            if self.modules[module].language == Language::Json {
                if name == "default" {
                    return ExportKind::Value;
                }
                continue;
            }
            match self.exports[module].get(name) {
                Some(ExportOrigin::Value) => return ExportKind::Value,
                Some(ExportOrigin::Type) => found = ExportKind::Type,
                Some(ExportOrigin::Module { specifier, name }) => {
                    match self.targets[module].get(specifier.as_str()) {
                        Some(target) => pending.push((*target, name)),
                        None => return ExportKind::Value,
                    }
                }
                // `export *` passes on all names but `default`.
                None if name != "default" => {
                    for specifier in &self.links[module].stars {
                        match self.targets[module].get(specifier.as_str()) {
                            Some(target) => pending.push((*target, name)),
                            None => return ExportKind::Value,
                        }
                    }
                }
                None => {}
            }
        }
        found
    }

    /// Returns the names of the top level that a module uses as values.
    fn names_of_values(&self, module: usize, run: Option<&WorkSlice<'_>>) -> HashSet<String> {
        let module = &self.modules[module];
        let text = ModuleText { name: &module.name, text: &module.source };
        let used = stack::on_large_stack_for(run, text, || {
            parse::with_scopes(text, module.language, |program, scoping| {
                let exported = exported_references(program);
                let names = scoping.get_bindings(scoping.root_scope_id()).iter();
                let used = names.filter(|(_, symbol)| {
                    let references = scoping.get_resolved_reference_ids(**symbol).iter();
                    let mut references = references.filter(|id| !exported.contains(id));
                    references.any(|id| scoping.get_reference(*id).is_value())
                });
                used.map(|(name, _)| name.to_string()).collect()
            })
        });
        used.and_then(|used| used).unwrap_or_default()
    }

    fn type_as_value(&self, at: usize, import: &ImportedName) -> SourceError {
        let module = &self.modules[at];
        let text = ModuleText { name: &module.name, text: &module.source };
        let message = format!(
            "`{}` is only a type in `{}`, and is used as a value",
            escaped(&import.name, NAME),
            self.target_name(at, &import.specifier),
        );
        let hint = "write `import type` for types, and use them only as types";
        SourceError::syntax(text, import.text.offset, &message, Some(hint))
    }

    fn missing(&self, at: usize, specifier: &str, name: &str, offset: u32) -> SourceError {
        let module = &self.modules[at];
        let text = ModuleText { name: &module.name, text: &module.source };
        SourceError::ExportMissing {
            name: escaped(name, NAME),
            module: self.target_name(at, specifier).to_owned(),
            at: text.location(offset),
            hint: self.hint(at, specifier, name),
        }
    }

    fn hint(&self, at: usize, specifier: &str, name: &str) -> Option<String> {
        let target = *self.targets[at].get(specifier)?;
        if self.modules[target].language == Language::Json {
            return Some("a JSON file has only a default export: `import data from …`".to_owned());
        }
        let names: Vec<&str> = self.exports[target].keys().copied().take(NAMES).collect();
        match (name, names.as_slice()) {
            (_, []) if self.links[target].stars.is_empty() => {
                Some("write `export` before what it shares".to_owned())
            }
            ("default", _) => {
                let mut names: Vec<_> =
                    names.into_iter().filter(|name| *name != "default").collect();
                names.sort_unstable();
                let first = escaped(names.first()?, NAME);
                Some(format!("it has no `export default`: write `import {{ {first} }} from …`"))
            }
            _ => {
                let near = nearest(name, names).first().map(|near| escaped(near, NAME));
                let has_default = self.exports[target].contains_key("default");
                let default = || {
                    has_default.then(|| {
                        format!("it has a default export: `import {} from …`", escaped(name, NAME))
                    })
                };
                match near.as_deref() {
                    Some("default") | None => default(),
                    Some(near) => Some(format!("did you mean `{near}`?")),
                }
            }
        }
    }

    fn target_name<'n>(&'n self, at: usize, specifier: &'n str) -> &'n str {
        self.targets[at].get(specifier).map_or(specifier, |target| &self.modules[*target].name)
    }
}

/// Returns the mentions of names in `export { … }`, which pass on types too.
fn exported_references(program: &oxc::ast::ast::Program<'_>) -> HashSet<ReferenceId> {
    let mut references = HashSet::new();
    for statement in &program.body {
        if let Statement::ExportNamedDeclaration(export) = statement {
            references.extend(export.specifiers.iter().filter_map(|it| match &it.local {
                ModuleExportName::IdentifierReference(local) => local.reference_id.get(),
                _ => None,
            }));
        }
    }
    references
}
