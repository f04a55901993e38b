//! Reads the functions of a module and their uses from its syntax tree.
//!
//! **Invariant:** every mention of a variable is recorded as a use. One that is not understood is
//! recorded as [`ValueUse::Other`], which ends a search. **Invariant:** every mention of `this` is
//! recorded for the object or class that it is, if that is known.

use std::collections::HashSet;
use std::mem;

use oxc::ast::ast::*;
use oxc::ast_visit::{Visit, walk};
use oxc::semantic::Scoping;
use oxc::span::{GetSpan as _, Span};
use oxc::syntax::scope::ScopeFlags;
use oxc::syntax::symbol::SymbolId;

use super::holder::{HolderKind, MethodHolder, is_revealing};
use super::module_functions::{
    FunctionInfo, FunctionUse, MemberName, MemberSide, MethodName, ModuleFunctions, UseKind,
    ValueUse,
};

/// Reads the functions of a module.
pub(super) fn read(program: &Program<'_>, scoping: &Scoping) -> ModuleFunctions {
    let mut reader = FunctionReader {
        scoping,
        found: ModuleFunctions::default(),
        inside: None,
        value: ValueUse::Other,
        holder: FunctionHolder::default(),
        this: None,
        classes: Vec::new(),
    };
    reader.visit_program(program);
    reader.found
}

/// What is known about a function before it is visited.
#[derive(Default)]
struct FunctionHolder {
    name: Option<String>,
    symbol: Option<SymbolId>,
    method: Option<MethodName>,
    used: Option<FunctionUse>,
    /// What `this` is in it, unless it is an arrow function.
    this: Option<(usize, MemberSide)>,
}

pub(super) struct FunctionReader<'s> {
    scoping: &'s Scoping,
    pub(super) found: ModuleFunctions,
    inside: Option<usize>,
    /// What becomes of the expression that is visited next.
    value: ValueUse,
    /// The holder of the function that is visited next.
    holder: FunctionHolder,
    /// The object or class that `this` is.
    this: Option<(usize, MemberSide)>,
    /// The classes around, with their private methods.
    classes: Vec<(usize, HashSet<MemberName>)>,
}

impl FunctionReader<'_> {
    fn use_at(&self, offset: u32, kind: UseKind, value: ValueUse) -> FunctionUse {
        FunctionUse { inside: self.inside, offset, kind, value }
    }

    fn symbol_of(&self, it: &IdentifierReference<'_>) -> Option<SymbolId> {
        self.scoping.get_reference(it.reference_id.get()?).symbol_id()
    }

    fn record(&mut self, it: &IdentifierReference<'_>, used: FunctionUse) {
        if let Some(symbol) = self.symbol_of(it) {
            self.found.uses.entry(symbol).or_default().push(used);
        }
    }

    /// Records a mention of a variable.
    fn record_as(&mut self, it: &IdentifierReference<'_>, kind: UseKind, value: ValueUse) {
        self.record(it, self.use_at(it.span.start, kind, value));
    }

    /// Returns a variable, if it is never assigned again.
    fn constant(&self, id: &BindingIdentifier<'_>) -> Option<SymbolId> {
        id.symbol_id.get().filter(|symbol| !self.scoping.symbol_is_mutated(*symbol))
    }

    fn in_function(
        &mut self,
        (span, is_async): (Span, bool),
        parameters: &FormalParameters<'_>,
        holder: FunctionHolder,
        visit: impl FnOnce(&mut Self),
    ) {
        let FunctionHolder { name, symbol, method, used, this: _ } = holder;
        let parameters = parameters.items.iter().map(|parameter| match &parameter.pattern {
            BindingPattern::BindingIdentifier(id) => self.constant(id),
            _ => None,
        });
        let parameters = parameters.collect();
        let function = FunctionInfo { span, name, is_async, symbol, method, used, parameters };
        self.found.functions.push(function);
        let outer = self.inside.replace(self.found.functions.len() - 1);
        let value = mem::replace(&mut self.value, ValueUse::Other);
        visit(self);
        (self.inside, self.value) = (outer, value);
    }

    fn visit_as(&mut self, expression: &Expression<'_>, value: ValueUse) {
        self.value = value;
        self.visit_expression(expression);
    }

    /// Visits a function whose only use is known.
    fn visit_used(&mut self, function: &Argument<'_>, used: FunctionUse) {
        self.holder = FunctionHolder { used: Some(used), ..FunctionHolder::default() };
        self.visit_argument(function);
    }

    fn visit_call(&mut self, it: &CallExpression<'_>, value: ValueUse) {
        self.holder = FunctionHolder::default();
        match it.callee.without_parentheses() {
            Expression::Identifier(callee) => {
                self.record_as(callee, UseKind::Called, value);
                return self.visit_passed(callee, &it.arguments, value);
            }
            Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) => {
                let start = it.arguments.first().map_or(it.span.end - 1, |it| it.span().start);
                self.holder.used = Some(self.use_at(start, UseKind::Called, value));
                self.visit_expression(&it.callee);
            }
            Expression::StaticMemberExpression(member) if passes_on(&member.property.name) => {
                self.visit_as(&member.object, value);
                let used = self.use_at(member.property.span.start, UseKind::Called, value);
                for argument in &it.arguments {
                    match is_function(argument) {
                        true => self.visit_used(argument, used),
                        false => self.visit_argument(argument),
                    }
                }
                return;
            }
            Expression::StaticMemberExpression(member) if is_promise_of_many(member) => {
                return self.visit_gathered(&it.arguments, member.property.span.start, value);
            }
            Expression::StaticMemberExpression(member) if member.property.name == "push" => {
                if let Expression::Identifier(list) = &member.object
                    && let Some(symbol) = self.symbol_of(list)
                {
                    self.record_as(list, UseKind::Pushed, ValueUse::Other);
                    for argument in &it.arguments {
                        self.value = ValueUse::Listed(symbol);
                        self.visit_argument(argument);
                        self.value = ValueUse::Other;
                    }
                    return;
                }
                self.visit_member(member, UseKind::Called, value);
            }
            Expression::StaticMemberExpression(map)
                if map.property.name == "map" && matches!(value, ValueUse::Held(_)) =>
            {
                let ValueUse::Held(list) = value else { return };
                self.visit_expression(&map.object);
                let offset = map.property.span.start;
                return self.visit_mapped(it, offset, ValueUse::Listed(list));
            }
            Expression::StaticMemberExpression(member) => {
                self.visit_member(member, UseKind::Called, value);
            }
            Expression::PrivateFieldExpression(member) => {
                self.visit_private(member, UseKind::Called, value);
            }
            callee => self.visit_expression(callee),
        }
        self.visit_arguments(&it.arguments);
    }

    /// Visits the arguments of `Promise.all` and the like, whose value is used as `value`.
    fn visit_gathered(&mut self, arguments: &[Argument<'_>], offset: u32, value: ValueUse) {
        match arguments {
            [Argument::ArrayExpression(list)] => {
                for element in &list.elements {
                    match element.as_expression() {
                        Some(element) => self.visit_as(element, value),
                        None => self.visit_array_expression_element(element),
                    }
                }
            }
            [Argument::Identifier(list)] => {
                self.record(list, self.use_at(offset, UseKind::Gathered, value));
            }
            [Argument::CallExpression(mapped)]
                if let Expression::StaticMemberExpression(map) = &mapped.callee
                    && map.property.name == "map" =>
            {
                self.visit_expression(&map.object);
                self.visit_mapped(mapped, offset, value);
            }
            _ => {
                for argument in arguments {
                    self.visit_argument(argument);
                }
            }
        }
    }

    /// Visits the arguments of `map`, whose first one makes promises that are used as `value`.
    fn visit_mapped(&mut self, mapped: &CallExpression<'_>, offset: u32, value: ValueUse) {
        for (index, argument) in mapped.arguments.iter().enumerate() {
            match argument {
                Argument::Identifier(function) if index == 0 => {
                    self.record_as(function, UseKind::Called, value);
                }
                _ if index == 0 && is_function(argument) => {
                    self.visit_used(argument, self.use_at(offset, UseKind::Called, value));
                }
                _ => self.visit_argument(argument),
            }
        }
    }

    /// Visits the arguments of a call whose value is used as `value`.
    fn visit_passed(
        &mut self,
        callee: &IdentifierReference<'_>,
        arguments: &[Argument<'_>],
        value: ValueUse,
    ) {
        let symbol = self.symbol_of(callee);
        let mut is_counted = true;
        for (index, argument) in arguments.iter().enumerate() {
            is_counted &= !matches!(argument, Argument::SpreadElement(_));
            let kind =
                symbol.filter(|_| is_counted).map(|callee| UseKind::Passed { callee, index });
            match (kind, argument) {
                (Some(kind), Argument::Identifier(passed)) => {
                    self.record(passed, self.use_at(callee.span.start, kind, value));
                }
                (Some(kind), _) if is_function(argument) => {
                    self.visit_used(argument, self.use_at(callee.span.start, kind, value));
                }
                _ => self.visit_argument(argument),
            }
        }
    }

    /// Visits a member that is read or called.
    fn visit_member(&mut self, it: &StaticMemberExpression<'_>, kind: UseKind, value: ValueUse) {
        let name = it.property.name.as_str();
        let used = self.use_at(it.property.span.start, kind, value);
        match &it.object {
            Expression::Identifier(object) if !is_revealing(name) => {
                self.record_as(object, UseKind::Member, ValueUse::Other);
                if let Some(symbol) = self.symbol_of(object) {
                    let members = self.found.members.entry(symbol).or_default();
                    members.push((name.to_owned(), used));
                }
            }
            Expression::ThisExpression(_) if !is_revealing(name) => {
                if let Some((holder, side)) = self.this {
                    let member = MemberName { side, name: name.to_owned() };
                    let uses = &mut self.found.holders[holder].own_uses;
                    uses.entry(member).or_default().push(used);
                }
            }
            Expression::NewExpression(new)
                if let Expression::Identifier(class) = &new.callee
                    && !is_revealing(name) =>
            {
                self.record_as(class, UseKind::InstanceMember, ValueUse::Other);
                if let Some(symbol) = self.symbol_of(class) {
                    let members = self.found.instance_members.entry(symbol).or_default();
                    members.push((name.to_owned(), used));
                }
                self.visit_arguments(&new.arguments);
            }
            object => self.visit_expression(object),
        }
    }

    /// Visits a private member that is read or called.
    fn visit_private(&mut self, it: &PrivateFieldExpression<'_>, kind: UseKind, value: ValueUse) {
        let used = self.use_at(it.field.span.start, kind, value);
        let name = format!("#{}", it.field.name);
        for side in [MemberSide::Instance, MemberSide::Static] {
            let member = MemberName { side, name: name.clone() };
            let class = self.classes.iter().rev().find(|(_, names)| names.contains(&member));
            if let Some((class, _)) = class {
                let uses = &mut self.found.holders[*class].own_uses;
                uses.entry(member).or_default().push(used);
                break;
            }
        }
        if !matches!(it.object, Expression::ThisExpression(_)) {
            self.visit_expression(&it.object);
        }
    }

    /// Visits a member that is a function or holds another value.
    fn visit_member_value(&mut self, holder: usize, member: MemberName, value: &Expression<'_>) {
        if matches!(
            value,
            Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_)
        ) {
            let this = Some((holder, member.side));
            self.found.holders[holder].functions.insert(member.clone());
            self.holder = FunctionHolder {
                name: Some(member.name.clone()),
                method: Some(MethodName { holder, member }),
                this,
                ..FunctionHolder::default()
            };
        } else {
            let name = Some(member.name);
            self.holder = FunctionHolder { name, ..FunctionHolder::default() };
        }
        self.visit_expression(value);
        self.holder = FunctionHolder::default();
    }

    fn visit_object(&mut self, it: &ObjectExpression<'_>, symbol: Option<SymbolId>) {
        let holder = self.found.holders.len();
        self.found.holders.push(MethodHolder::new(HolderKind::Object, symbol));
        for property in &it.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else {
                self.found.holders[holder].is_open = true;
                self.visit_object_property_kind(property);
                continue;
            };
            self.visit_property_key(&property.key);
            let name = property.key.static_name().filter(|_| !property.computed);
            match name.filter(|name| !is_revealing(name)) {
                Some(name) if property.kind == PropertyKind::Init => {
                    let member = MemberName { side: MemberSide::Instance, name: name.into_owned() };
                    self.visit_member_value(holder, member, &property.value);
                }
                name => {
                    self.found.holders[holder].is_open |= name.is_none();
                    let this = Some((holder, MemberSide::Instance));
                    self.holder = FunctionHolder { this, ..FunctionHolder::default() };
                    self.visit_expression(&property.value);
                    self.holder = FunctionHolder::default();
                }
            }
        }
    }

    fn visit_class_with(&mut self, it: &Class<'_>, symbol: Option<SymbolId>) {
        let holder = self.found.holders.len();
        let mut class = MethodHolder::new(HolderKind::Class, symbol);
        class.is_open = it.heritage.is_some() || !it.decorators.is_empty();
        self.found.holders.push(class);
        if let Some(heritage) = &it.heritage {
            self.visit_expression(&heritage.expression);
        }
        let side_of = |is_static| match is_static {
            true => MemberSide::Static,
            false => MemberSide::Instance,
        };
        let name_of = |key: &PropertyKey<'_>| match key {
            PropertyKey::PrivateIdentifier(it) => Some(format!("#{}", it.name)),
            key => key.static_name().map(|name| name.into_owned()),
        };
        let private = it.body.body.iter().filter_map(|element| match element {
            ClassElement::MethodDefinition(it) => Some((&it.key, it.r#static)),
            ClassElement::PropertyDefinition(it) => Some((&it.key, it.r#static)),
            _ => None,
        });
        let private = private
            .filter(|(key, _)| matches!(key, PropertyKey::PrivateIdentifier(_)))
            .filter_map(|(key, is_static)| {
                Some(MemberName { side: side_of(is_static), name: name_of(key)? })
            });
        self.classes.push((holder, private.collect()));
        for element in &it.body.body {
            match element {
                ClassElement::MethodDefinition(it) => {
                    self.visit_property_key(&it.key);
                    let side = side_of(it.r#static);
                    let name = name_of(&it.key).filter(|_| !it.computed);
                    self.found.holders[holder].is_open |= name.is_none();
                    let method = name
                        .clone()
                        .filter(|_| it.kind == MethodDefinitionKind::Method)
                        .map(|name| MethodName { holder, member: MemberName { side, name } });
                    if let Some(method) = &method {
                        self.found.holders[holder].functions.insert(method.member.clone());
                    }
                    let this = Some((holder, side));
                    self.holder =
                        FunctionHolder { name, method, this, ..FunctionHolder::default() };
                    self.visit_function(&it.value, ScopeFlags::empty());
                }
                ClassElement::PropertyDefinition(it) => {
                    self.visit_property_key(&it.key);
                    let side = side_of(it.r#static);
                    let name = name_of(&it.key).filter(|_| !it.computed);
                    self.found.holders[holder].is_open |= name.is_none();
                    let outer = self.this.replace((holder, side));
                    match (&it.value, name) {
                        (Some(value), Some(name)) => {
                            self.visit_member_value(holder, MemberName { side, name }, value);
                        }
                        (Some(value), None) => self.visit_expression(value),
                        (None, _) => {}
                    }
                    self.this = outer;
                }
                element => {
                    let outer = self.this.replace((holder, MemberSide::Static));
                    self.found.holders[holder].is_open |=
                        !matches!(element, ClassElement::StaticBlock(_));
                    walk::walk_class_element(self, element);
                    self.this = outer;
                }
            }
        }
        self.classes.pop();
    }
}

fn is_function(argument: &Argument<'_>) -> bool {
    matches!(argument, Argument::ArrowFunctionExpression(_) | Argument::FunctionExpression(_))
}

/// Reports whether a method of a promise passes its error on to the promise that it returns.
fn passes_on(method: &str) -> bool {
    matches!(method, "then" | "catch" | "finally")
}

/// Reports whether an expression makes a list of its own.
fn is_new_list(init: &Expression<'_>) -> bool {
    match init.get_inner_expression() {
        Expression::ArrayExpression(_) => true,
        Expression::CallExpression(call) => matches!(&call.callee,
            Expression::StaticMemberExpression(member) if member.property.name == "map"),
        _ => false,
    }
}

fn is_promise_of_many(member: &StaticMemberExpression<'_>) -> bool {
    matches!(&member.object, Expression::Identifier(it) if it.name == "Promise")
        && matches!(member.property.name.as_str(), "all" | "race" | "any" | "allSettled")
}

impl<'a> Visit<'a> for FunctionReader<'_> {
    fn visit_expression(&mut self, it: &Expression<'a>) {
        let value = mem::replace(&mut self.value, ValueUse::Other);
        match it {
            Expression::AwaitExpression(it) => {
                self.holder = FunctionHolder::default();
                self.visit_as(&it.argument, ValueUse::Awaited);
            }
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
            Expression::Identifier(it) => {
                self.holder = FunctionHolder::default();
                self.found.mentions_arguments |= it.name == "arguments";
                self.record_as(it, UseKind::Read, value);
            }
            Expression::ObjectExpression(it) => {
                let symbol = mem::take(&mut self.holder).symbol;
                self.visit_object(it, symbol);
            }
            Expression::ClassExpression(it) => {
                let symbol = mem::take(&mut self.holder).symbol;
                // Inside of it, a class expression also has its own name.
                self.visit_class_with(it, symbol.filter(|_| it.id.is_none()));
            }
            Expression::ArrayExpression(it) if let ValueUse::Held(list) = value => {
                self.holder = FunctionHolder::default();
                for element in &it.elements {
                    match element.as_expression() {
                        Some(element) => self.visit_as(element, ValueUse::Listed(list)),
                        None => self.visit_array_expression_element(element),
                    }
                }
            }
            Expression::NewExpression(it) if let Expression::Identifier(class) = &it.callee => {
                self.holder = FunctionHolder::default();
                self.record_as(class, UseKind::Constructed, value);
                self.visit_arguments(&it.arguments);
            }
            _ => {
                self.holder = FunctionHolder::default();
                walk::walk_expression(self, it);
            }
        }
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.found.mentions_arguments |= it.name == "arguments";
        self.record_as(it, UseKind::Read, ValueUse::Other);
    }

    // A call with `?.` inside of a longer chain.
    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.visit_call(it, ValueUse::Other);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        self.visit_member(it, UseKind::Read, ValueUse::Other);
    }

    fn visit_private_field_expression(&mut self, it: &PrivateFieldExpression<'a>) {
        self.visit_private(it, UseKind::Read, ValueUse::Other);
    }

    fn visit_this_expression(&mut self, _: &ThisExpression) {
        if let Some((holder, _)) = self.this {
            self.found.holders[holder].passes_this_on = true;
        }
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if let AssignmentTarget::StaticMemberExpression(member) = &it.left {
            match (&member.object, self.this) {
                // A function that is put into an object gets it as `this`.
                (Expression::Identifier(object), _) => {
                    self.record_as(object, UseKind::Read, ValueUse::Other);
                }
                (Expression::ThisExpression(_), Some((holder, side))) => {
                    let name = member.property.name.to_string();
                    self.found.holders[holder].written.insert(MemberName { side, name });
                }
                _ => {}
            }
        }
        walk::walk_assignment_expression(self, it);
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        // Its object is `this` in a function that may come from elsewhere.
        if let Expression::StaticMemberExpression(member) = &it.tag {
            self.visit_expression(&member.object);
        }
        walk::walk_tagged_template_expression(self, it);
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
        let outer = mem::replace(&mut self.this, holder.this);
        self.in_function((it.span, it.r#async), &it.params, holder, |this| {
            walk::walk_function(this, it, flags);
        });
        self.this = outer;
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let holder = mem::take(&mut self.holder);
        self.in_function((it.span, it.r#async), &it.params, holder, |this| {
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
        let mut value = ValueUse::Other;
        if let BindingPattern::BindingIdentifier(id) = &it.id {
            let symbol = self.constant(id);
            let name = Some(id.name.to_string());
            self.holder = FunctionHolder { name, symbol, ..FunctionHolder::default() };
            if let Some(symbol) = symbol {
                value = ValueUse::Held(symbol);
                if is_new_list(init) {
                    self.found.lists.insert(symbol);
                }
            }
        }
        self.visit_as(init, value);
        self.holder = FunctionHolder::default();
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        let symbol = it.id.as_ref().and_then(|id| self.constant(id));
        self.visit_class_with(it, symbol);
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
            Declaration::ClassDeclaration(it) => it.id.iter().collect(),
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
            ExportDefaultDeclarationKind::ClassDeclaration(it) => {
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
