//! Finds an `await` that is missing, if an error is about a promise.
//!
//! Input: the message of an error, which names an expression, and its module. Output: a hint.
//! **Invariant:** a name counts as a promise only if the module declares it once, as a constant that
//! holds the result of a tool call or of an async function.

use std::collections::{HashMap, HashSet};

use oxc::ast::ast::*;
use oxc::ast_visit::{Visit, walk};

use super::error::ModuleText;
use super::program::Program;
use super::{parse, stack};
use crate::model::WorkSlice;

impl Program {
    /// Returns the hint for an error whose message names a promise, or what was taken from one.
    pub(super) fn missing_await(
        &self,
        module: &str,
        message: &str,
        run: Option<&WorkSlice<'_>>,
    ) -> Option<String> {
        let subject = subject(message)?;
        let end = subject.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
        let (name, rest) = subject.split_at(end.unwrap_or(subject.len()));
        let module = self.module(module)?;
        let text = ModuleText { name: &module.name, text: &module.source };
        let names = stack::on_large_stack_for(run, text, || {
            parse::with_program(text, module.language, |parsed| {
                let mut names = PromiseNames::default();
                names.visit_program(parsed.program);
                names
            })
        });
        let names = names.ok()?.ok()?;
        let is_call = rest.starts_with('(');
        if is_call || (name == "mcp" && rest.contains('(')) {
            let is_promise = name == "mcp" || names.is_async(name);
            return is_promise.then(|| match name {
                "mcp" => "a call of a tool is a promise: `await` it first".to_owned(),
                _ => format!("`{name}(…)` is a promise: `await` it first"),
            });
        }
        names.hint(name)
    }
}

/// Returns the expression that a message is about.
fn subject(message: &str) -> Option<&str> {
    let quoted = |start: &str| message.split_once(start)?.1.split('`').next();
    quoted("(reading `").or_else(|| quoted("cannot read properties of `")).or_else(|| {
        let ends = [" is not iterable", " is not a function"];
        ends.iter().find_map(|end| Some(message.split_once(end)?.0))
    })
}

/// How a name came by its value.
enum NameValue {
    /// It holds what this function returned; `None` for a tool.
    Result(Option<String>),
    /// It was taken out of what this function returned.
    PartOf(Option<String>),
    /// It was taken out of what another name holds.
    PartOfName(String),
}

/// The names of a module that hold promises.
#[derive(Default)]
struct PromiseNames {
    declared: HashMap<String, usize>,
    values: HashMap<String, NameValue>,
    async_functions: HashSet<String>,
}

impl PromiseNames {
    fn is_unique(&self, name: &str) -> bool {
        self.declared.get(name) == Some(&1)
    }

    fn is_async(&self, name: &str) -> bool {
        self.is_unique(name) && self.async_functions.contains(name)
    }

    fn is_made_by(&self, function: Option<&String>) -> bool {
        function.is_none_or(|name| self.is_async(name))
    }

    /// Notes what a constant holds.
    fn note(&mut self, constant: &VariableDeclarator<'_>) {
        let Some(init) = &constant.init else { return };
        let is_async = match init.get_inner_expression() {
            Expression::ArrowFunctionExpression(function) => function.r#async,
            Expression::FunctionExpression(function) => function.r#async && !function.generator,
            _ => false,
        };
        let made_by = callee(init);
        if let Some(id) = constant.id.get_binding_identifier() {
            if is_async {
                self.async_functions.insert(id.name.to_string());
            } else if let Some(function) = made_by {
                self.values.insert(id.name.to_string(), NameValue::Result(function));
            }
            return;
        }
        let whole = init.get_identifier_reference().map(|it| it.name.to_string());
        for id in constant.id.get_binding_identifiers() {
            let value = match (&made_by, &whole) {
                (Some(function), _) => NameValue::PartOf(function.clone()),
                (None, Some(whole)) => NameValue::PartOfName(whole.clone()),
                (None, None) => continue,
            };
            self.values.insert(id.name.to_string(), value);
        }
    }

    fn hint(&self, name: &str) -> Option<String> {
        let value = self.values.get(name).filter(|_| self.is_unique(name))?;
        let held = |function: &Option<String>| self.is_made_by(function.as_ref());
        match value {
            NameValue::Result(function) if held(function) => {
                Some(format!("`{name}` is a promise: `await` it first"))
            }
            NameValue::PartOf(function) if held(function) => {
                Some(format!("`{name}` was taken from a promise: `await` the call first"))
            }
            NameValue::PartOfName(whole) => match self.values.get(whole)? {
                NameValue::Result(function) if self.is_unique(whole) && held(function) => {
                    let hint =
                        format!("`{name}` was taken from a promise: `await` `{whole}` first");
                    Some(hint)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

impl<'a> Visit<'a> for PromiseNames {
    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        *self.declared.entry(it.name.to_string()).or_default() += 1;
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: oxc::syntax::scope::ScopeFlags) {
        if let Some(id) = it.id.as_ref().filter(|_| it.r#async && !it.generator) {
            self.async_functions.insert(id.name.to_string());
        }
        walk::walk_function(self, it, flags);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        if it.kind == VariableDeclarationKind::Const {
            it.declarations.iter().for_each(|constant| self.note(constant));
        }
        walk::walk_variable_declaration(self, it);
    }
}

/// Returns the function that an expression calls: `Some(None)` for a tool, `Some(Some(name))` for a
/// name.
fn callee(expression: &Expression<'_>) -> Option<Option<String>> {
    let Expression::CallExpression(call) = expression.get_inner_expression() else { return None };
    let callee = call.callee.get_inner_expression();
    if let Some(name) = callee.get_identifier_reference() {
        return Some(Some(name.name.to_string()));
    }
    let member = callee.as_member_expression()?;
    let object = member.object().get_inner_expression();
    let is_tool = match object.as_member_expression() {
        Some(server) => server.object().is_specific_id("mcp"),
        None => object.is_specific_id("mcp") && member.static_property_name() == Some("call"),
    };
    is_tool.then_some(None)
}
