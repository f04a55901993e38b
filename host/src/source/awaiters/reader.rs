//! Reads the functions of a module and their uses from its syntax tree.
//!
//! **Invariant:** every mention of a variable is recorded as a use. One that is not understood is
//! recorded as [`ValueUse::Other`], which ends a search.

use std::mem;

use oxc::ast::ast::*;
use oxc::ast_visit::{Visit, walk};
use oxc::semantic::Scoping;
use oxc::span::{GetSpan as _, Span};
use oxc::syntax::scope::ScopeFlags;
use oxc::syntax::symbol::SymbolId;

use super::module_functions::{FunctionInfo, FunctionUse, ModuleFunctions, ValueUse};

/// Reads the functions of a module.
pub(super) fn read(program: &Program<'_>, scoping: &Scoping) -> ModuleFunctions {
    let mut reader = FunctionReader {
        scoping,
        found: ModuleFunctions::default(),
        inside: None,
        value: ValueUse::Other,
        holder: FunctionHolder::default(),
    };
    reader.visit_program(program);
    reader.found
}

/// What is known about a function before it is visited.
#[derive(Default)]
struct FunctionHolder {
    name: Option<String>,
    symbol: Option<SymbolId>,
    used: Option<FunctionUse>,
}

struct FunctionReader<'s> {
    scoping: &'s Scoping,
    found: ModuleFunctions,
    inside: Option<usize>,
    /// What becomes of the expression that is visited next.
    value: ValueUse,
    /// The holder of the function that is visited next.
    holder: FunctionHolder,
}

impl FunctionReader<'_> {
    fn use_at(&self, offset: u32, value: ValueUse) -> FunctionUse {
        FunctionUse { inside: self.inside, offset, value }
    }

    fn record(&mut self, it: &IdentifierReference<'_>, value: ValueUse) {
        let reference = it.reference_id.get().map(|id| self.scoping.get_reference(id));
        if let Some(symbol) = reference.and_then(|reference| reference.symbol_id()) {
            let used = self.use_at(it.span.start, value);
            self.found.uses.entry(symbol).or_default().push(used);
        }
    }

    /// Returns a variable, if it is never assigned again.
    fn constant(&self, id: &BindingIdentifier<'_>) -> Option<SymbolId> {
        id.symbol_id.get().filter(|symbol| !self.scoping.symbol_is_mutated(*symbol))
    }

    fn in_function(
        &mut self,
        span: Span,
        is_async: bool,
        holder: FunctionHolder,
        visit: impl FnOnce(&mut Self),
    ) {
        let FunctionHolder { name, symbol, used } = holder;
        self.found.functions.push(FunctionInfo { span, name, is_async, symbol, used });
        let outer = self.inside.replace(self.found.functions.len() - 1);
        let value = mem::replace(&mut self.value, ValueUse::Other);
        visit(self);
        (self.inside, self.value) = (outer, value);
    }

    fn visit_as(&mut self, expression: &Expression<'_>, value: ValueUse) {
        self.value = value;
        self.visit_expression(expression);
    }

    fn visit_call(&mut self, it: &CallExpression<'_>, value: ValueUse) {
        match it.callee.without_parentheses() {
            Expression::Identifier(callee) => self.record(callee, value),
            Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) => {
                let start = it.arguments.first().map_or(it.span.end - 1, |it| it.span().start);
                self.holder.used = Some(self.use_at(start, value));
                self.visit_expression(&it.callee);
            }
            Expression::StaticMemberExpression(member) if passes_on(&member.property.name) => {
                self.visit_as(&member.object, value);
            }
            Expression::StaticMemberExpression(member) if is_promise_of_many(member) => {
                if let [Argument::ArrayExpression(list)] = it.arguments.as_slice() {
                    for element in &list.elements {
                        match element.as_expression() {
                            Some(element) => self.visit_as(element, value),
                            None => self.visit_array_expression_element(element),
                        }
                    }
                    return;
                }
                if let [Argument::CallExpression(mapped)] = it.arguments.as_slice()
                    && let Expression::StaticMemberExpression(map) = &mapped.callee
                    && map.property.name == "map"
                {
                    self.visit_expression(&map.object);
                    self.visit_mapped(mapped, member.property.span.start, value);
                    return;
                }
            }
            callee => self.visit_expression(callee),
        }
        self.visit_arguments(&it.arguments);
    }

    /// Visits the arguments of `map`, whose first one makes promises that are used as `value`.
    fn visit_mapped(&mut self, mapped: &CallExpression<'_>, offset: u32, value: ValueUse) {
        for (index, argument) in mapped.arguments.iter().enumerate() {
            match argument {
                Argument::Identifier(function) if index == 0 => self.record(function, value),
                Argument::ArrowFunctionExpression(_) | Argument::FunctionExpression(_)
                    if index == 0 =>
                {
                    self.holder.used = Some(self.use_at(offset, value));
                    self.visit_argument(argument);
                }
                _ => self.visit_argument(argument),
            }
        }
    }
}

/// Reports whether a method of a promise passes its error on to the promise that it returns.
fn passes_on(method: &str) -> bool {
    matches!(method, "then" | "catch" | "finally")
}

fn is_promise_of_many(member: &StaticMemberExpression<'_>) -> bool {
    matches!(&member.object, Expression::Identifier(it) if it.name == "Promise")
        && matches!(member.property.name.as_str(), "all" | "race" | "any" | "allSettled")
}

impl<'a> Visit<'a> for FunctionReader<'_> {
    fn visit_expression(&mut self, it: &Expression<'a>) {
        let value = mem::replace(&mut self.value, ValueUse::Other);
        match it {
            Expression::AwaitExpression(it) => self.visit_as(&it.argument, ValueUse::Awaited),
            Expression::ParenthesizedExpression(it) => self.visit_as(&it.expression, value),
            Expression::TSAsExpression(it) => self.visit_as(&it.expression, value),
            Expression::TSSatisfiesExpression(it) => self.visit_as(&it.expression, value),
            Expression::TSNonNullExpression(it) => self.visit_as(&it.expression, value),
            Expression::ConditionalExpression(it) => {
                self.visit_expression(&it.test);
                self.visit_as(&it.consequent, value);
                self.visit_as(&it.alternate, value);
            }
            Expression::LogicalExpression(it) => {
                self.visit_expression(&it.left);
                self.visit_as(&it.right, value);
            }
            Expression::CallExpression(it) => {
                self.visit_call(it, value);
            }
            Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) => {
                walk::walk_expression(self, it);
            }
            _ => {
                self.holder = FunctionHolder::default();
                walk::walk_expression(self, it);
            }
        }
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.record(it, ValueUse::Other);
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        if let Some(argument) = &it.argument {
            self.visit_as(argument, ValueUse::Returned);
        }
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.visit_for_statement_left(&it.left);
        let value = if it.r#await { ValueUse::Awaited } else { ValueUse::Other };
        self.visit_as(&it.right, value);
        self.visit_statement(&it.body);
    }

    // Functions

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        let mut holder = mem::take(&mut self.holder);
        if let Some(id) = &it.id {
            holder.name = Some(id.name.to_string());
            // The name of a function expression is known inside it only.
            if it.is_declaration() {
                holder.symbol = self.constant(id);
            }
        }
        self.in_function(it.span, it.r#async, holder, |this| walk::walk_function(this, it, flags));
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let holder = mem::take(&mut self.holder);
        self.in_function(it.span, it.r#async, holder, |this| {
            this.visit_formal_parameters(&it.params);
            match &it.body {
                ArrowFunctionBody::FunctionBody(body) => this.visit_function_body(body),
                body => {
                    if let Some(expression) = body.as_expression() {
                        this.visit_as(expression, ValueUse::Returned);
                    }
                }
            }
        });
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        self.visit_binding_pattern(&it.id);
        let Some(init) = &it.init else { return };
        if let BindingPattern::BindingIdentifier(id) = &it.id {
            let symbol = self.constant(id);
            self.holder = FunctionHolder { name: Some(id.name.to_string()), symbol, used: None };
        }
        self.visit_as(init, ValueUse::Other);
        self.holder = FunctionHolder::default();
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.visit_property_key(&it.key);
        self.holder.name = it.key.static_name().map(|name| name.into_owned());
        self.visit_function(&it.value, ScopeFlags::empty());
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        self.visit_property_key(&it.key);
        self.holder.name = it.key.static_name().map(|name| name.into_owned());
        self.visit_expression(&it.value);
        self.holder = FunctionHolder::default();
    }

    // Modules

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        for specifier in it.specifiers.iter().flatten() {
            let name = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(it) => it.imported.name(),
                ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => "default".into(),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => {
                    self.found.opaque.insert(it.source.value.to_string());
                    continue;
                }
            };
            if let Some(symbol) = specifier.local().symbol_id.get() {
                let import = (symbol, it.source.value.to_string(), name.to_string());
                self.found.imports.push(import);
            }
        }
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        if let Expression::StringLiteral(source) = &it.source {
            self.found.opaque.insert(source.value.to_string());
        }
        walk::walk_import_expression(self, it);
    }

    fn visit_export_from_declaration(&mut self, it: &ExportFromDeclaration<'a>) {
        self.found.opaque.insert(it.source.value.to_string());
    }

    fn visit_export_all_declaration(&mut self, it: &ExportAllDeclaration<'a>) {
        self.found.opaque.insert(it.source.value.to_string());
    }

    fn visit_export_specifier(&mut self, it: &ExportSpecifier<'a>) {
        if let ModuleExportName::IdentifierReference(local) = &it.local {
            let reference = local.reference_id.get().map(|id| self.scoping.get_reference(id));
            if let Some(symbol) = reference.and_then(|reference| reference.symbol_id()) {
                self.found.exports.push((symbol, it.exported.name().to_string()));
            }
        }
    }

    fn visit_export_declaration(&mut self, it: &ExportDeclaration<'a>) {
        let ids: Vec<&BindingIdentifier<'_>> = match &it.declaration {
            Declaration::FunctionDeclaration(it) => it.id.iter().collect(),
            Declaration::VariableDeclaration(it) => {
                let ids = it.declarations.iter();
                ids.filter_map(|it| it.id.get_binding_identifier()).collect()
            }
            _ => Vec::new(),
        };
        for id in ids {
            if let Some(symbol) = id.symbol_id.get() {
                self.found.exports.push((symbol, id.name.to_string()));
            }
        }
        walk::walk_export_declaration(self, it);
    }

    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'a>) {
        let symbol = match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => {
                it.id.as_ref().and_then(|id| id.symbol_id.get())
            }
            ExportDefaultDeclarationKind::Identifier(it) => {
                let reference = it.reference_id.get().map(|id| self.scoping.get_reference(id));
                let symbol = reference.and_then(|reference| reference.symbol_id());
                self.found.exports.extend(symbol.map(|symbol| (symbol, "default".to_owned())));
                return;
            }
            _ => None,
        };
        self.found.exports.extend(symbol.map(|symbol| (symbol, "default".to_owned())));
        walk::walk_export_default_declaration(self, it);
    }
}
