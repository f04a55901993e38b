//! Walks over a module and finds its calls, and the places where it passes on a reference that can
//! be called.

use super::find::Callee;
use super::literal::Literal;
use super::names::{McpReference, ModuleVariables};
use oxc::ast::ast::*;
use oxc::ast_visit::{Visit, walk};
use oxc::span::GetSpan as _;
use oxc::syntax::operator::UnaryOperator;

/// A call whose position is still a byte offset: that of the name of its target.
pub(super) struct UnplacedCall {
    pub(super) offset: u32,
    /// The offset of the function that is called: `call` of `mcp.call("server:tool")`.
    pub(super) function_offset: u32,
    pub(super) callee: Callee,
    pub(super) arguments: Literal,
}

/// Finds the calls of a module.
pub(super) struct CallFinder<'w, 's> {
    names: &'w ModuleVariables<'s>,
    found: Vec<UnplacedCall>,
}

impl<'w, 's> CallFinder<'w, 's> {
    /// Returns a finder that resolves names with `names`.
    pub(super) fn new(names: &'w ModuleVariables<'s>) -> CallFinder<'w, 's> {
        CallFinder { names, found: Vec::new() }
    }

    /// Returns the calls found, in the order of the text.
    pub(super) fn finish(mut self) -> Vec<UnplacedCall> {
        self.found.sort_by_key(|call| call.offset);
        self.found
    }

    fn record(
        &mut self,
        (offset, function_offset): (u32, u32),
        callee: Callee,
        arguments: Literal,
    ) {
        self.found.push(UnplacedCall { offset, function_offset, callee, arguments });
    }

    /// Records a reference that the program passes on: any code may call it, with any arguments.
    fn record_escape(&mut self, expression: &Expression<'_>, reference: McpReference) {
        let callee = match reference {
            McpReference::Global | McpReference::Harmless => return,
            McpReference::Tool(Some(server), Some(tool)) => Callee::Tool { server, tool },
            McpReference::Tool(Some(server), None) | McpReference::Server(Some(server)) => {
                Callee::SomeToolOf(server)
            }
            McpReference::Mcp
            | McpReference::Call
            | McpReference::Server(None)
            | McpReference::Tool(..) => Callee::SomeTool,
        };
        let offset = name_offset(expression);
        self.record((offset, offset), callee, Literal::hole(offset));
    }

    fn record_call(&mut self, it: &CallExpression<'_>, reference: McpReference) {
        let argument = |index: usize| it.arguments.get(index);
        // After a spread, the index of an argument is not certain.
        let is_certain = |index: usize| {
            !it.arguments.iter().take(index).any(|it| matches!(it, Argument::SpreadElement(_)))
        };
        let read = |index: usize| match is_certain(index) {
            true => Literal::from_argument(argument(index), self.names, it.span.end),
            false => Literal::hole(it.span.end),
        };
        let at = name_offset(&it.callee);
        let (offset, callee, arguments) = match reference {
            McpReference::Tool(Some(server), Some(tool)) => {
                (at, Callee::Tool { server, tool }, read(0))
            }
            McpReference::Tool(Some(server), None) => (at, Callee::SomeToolOf(server), read(0)),
            McpReference::Tool(..) => (at, Callee::SomeTool, read(0)),
            McpReference::Call => {
                let name = argument(0).and_then(Argument::as_expression);
                let offset = name.map_or(at, |name| name.span().start);
                let callee = match name.and_then(|name| self.names.string_value(name)) {
                    Some(text) => Callee::Name(text),
                    None => Callee::SomeTool,
                };
                (offset, callee, read(1))
            }
            // `mcp()` and `mcp.server()` throw: they call no tool.
            McpReference::Mcp
            | McpReference::Global
            | McpReference::Server(_)
            | McpReference::Harmless => return,
        };
        self.record((offset, at), callee, arguments);
    }

    /// Visits the computed keys inside an expression that is a reference: `mcp[await f()]`.
    fn visit_keys<'a>(&mut self, expression: &Expression<'a>) {
        let mut expression = expression.get_inner_expression();
        loop {
            expression = match expression {
                Expression::StaticMemberExpression(it) => it.object.get_inner_expression(),
                Expression::ComputedMemberExpression(it) => {
                    self.visit_expression(&it.expression);
                    it.object.get_inner_expression()
                }
                Expression::ChainExpression(it) => match &it.expression {
                    ChainElement::StaticMemberExpression(it) => it.object.get_inner_expression(),
                    ChainElement::ComputedMemberExpression(it) => {
                        self.visit_expression(&it.expression);
                        it.object.get_inner_expression()
                    }
                    _ => return,
                },
                _ => return,
            };
        }
    }
}

/// Returns the offset of the name of a target: the last name of `a.b.c`.
fn name_offset(expression: &Expression<'_>) -> u32 {
    match expression.get_inner_expression() {
        Expression::StaticMemberExpression(it) => it.property.span.start,
        Expression::ComputedMemberExpression(it) => it.expression.span().start,
        Expression::ChainExpression(it) => match &it.expression {
            ChainElement::StaticMemberExpression(it) => it.property.span.start,
            ChainElement::ComputedMemberExpression(it) => it.expression.span().start,
            other => other.span().start,
        },
        other => other.span().start,
    }
}

impl<'a> Visit<'a> for CallFinder<'_, '_> {
    fn visit_expression(&mut self, it: &Expression<'a>) {
        match self.names.resolve(it) {
            Some(reference) => {
                self.record_escape(it, reference);
                self.visit_keys(it);
            }
            None => walk::walk_expression(self, it),
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        match self.names.resolve(&it.callee) {
            Some(reference) => {
                self.record_call(it, reference);
                self.visit_keys(&it.callee);
                self.visit_arguments(&it.arguments);
            }
            None => walk::walk_call_expression(self, it),
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        // Binding a name to a reference does not use it: the uses of the name are found.
        if let Some(init) = &it.init
            && let Some(reference) = self.names.resolve(init)
            && self.names.binds_only_known(&it.id, &reference)
        {
            return self.visit_keys(init);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        // `typeof mcp` does not call it.
        let is_typeof = it.operator == UnaryOperator::Typeof;
        if !is_typeof || self.names.resolve(&it.argument).is_none() {
            walk::walk_unary_expression(self, it);
        }
    }
}
