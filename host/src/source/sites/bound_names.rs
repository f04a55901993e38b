//! The names that a module binds, and a check for arguments that cannot throw.
//!
//! If nothing else in a call can throw, an error reported there is the call's own: its target is
//! not a function.

use std::collections::HashSet;

use oxc::ast::ast::*;
use oxc::ast_visit::{Visit, walk};
use oxc::syntax::scope::ScopeFlags;

/// Deepest nesting of arrays and objects that is checked.
const DEPTH: u32 = 8;

/// Functions of the language that programs often call around others.
const BUILTINS: [&str; 16] = [
    "Array",
    "BigInt",
    "Boolean",
    "Date",
    "Error",
    "Map",
    "Number",
    "Object",
    "Promise",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "TypeError",
    "parseFloat",
    "parseInt",
];

/// The names that a module binds, in any scope.
#[derive(Default)]
pub(super) struct BoundNames<'a> {
    bound: HashSet<&'a str>,
    /// Names of function and class declarations, which are also the names of their frames.
    declared: HashSet<&'a str>,
}

impl<'a> BoundNames<'a> {
    /// Reads the names of a program.
    pub(super) fn new(program: &Program<'a>) -> Self {
        let mut names = Self::default();
        names.visit_program(program);
        names
    }

    /// Reports whether a function or class of that name is declared.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.declared.contains(name)
    }

    /// Reports whether an expression is a function for certain: one of the language, such as `String`
    /// or `console.log`, or one that is written out.
    pub(super) fn is_builtin(&self, callee: &Expression<'_>) -> bool {
        let (name, members): (&str, &[&str]) = match callee.without_parentheses() {
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => {
                return true;
            }
            Expression::Identifier(it) => (it.name.as_str(), &[]),
            Expression::StaticMemberExpression(it) => match &it.object {
                Expression::Identifier(object) => {
                    let known: &[&str] = match object.name.as_str() {
                        "console" => &["debug", "error", "info", "log", "warn"],
                        "JSON" => &["parse", "stringify"],
                        "Object" => &["assign", "entries", "fromEntries", "keys", "values"],
                        "Promise" => &["all", "allSettled", "any", "race", "reject", "resolve"],
                        _ => return false,
                    };
                    if !known.contains(&it.property.name.as_str()) {
                        return false;
                    }
                    (object.name.as_str(), known)
                }
                _ => return false,
            },
            _ => return false,
        };
        let is_global = !members.is_empty() || BUILTINS.contains(&name);
        is_global && !self.bound.contains(name)
    }

    /// Reports whether none of the arguments can throw.
    pub(super) fn are_inert(&self, arguments: &[Argument<'_>]) -> bool {
        arguments.iter().all(|argument| {
            argument.as_expression().is_some_and(|expression| self.is_inert(expression, DEPTH))
        })
    }

    fn is_inert(&self, expression: &Expression<'_>, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match expression {
            Expression::Identifier(it) => {
                it.name == "undefined" || self.bound.contains(it.name.as_str())
            }
            Expression::TemplateLiteral(it) => {
                it.expressions.iter().all(|inner| self.is_inert(inner, depth))
            }
            Expression::ArrayExpression(it) => it.elements.iter().all(|element| {
                element.as_expression().is_some_and(|inner| self.is_inert(inner, depth))
            }),
            Expression::ObjectExpression(it) => it.properties.iter().all(|property| {
                matches!(property, ObjectPropertyKind::ObjectProperty(property)
                    if !property.computed && self.is_inert(&property.value, depth))
            }),
            Expression::ParenthesizedExpression(it) => self.is_inert(&it.expression, depth),
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => true,
            _ => expression.is_literal(),
        }
    }
}

impl<'a> Visit<'a> for BoundNames<'a> {
    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.bound.insert(it.name.as_str());
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if let (Some(id), true) = (&it.id, it.is_declaration()) {
            self.declared.insert(id.name.as_str());
        }
        walk::walk_function(self, it, flags);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if let (Some(id), true) = (&it.id, it.is_declaration()) {
            self.declared.insert(id.name.as_str());
        }
        walk::walk_class(self, it);
    }
}
