//! The walk over a module that finds its calls, and the places where it hands on what it could call.

use super::find::Callee;
use super::literal::Literal;
use super::names::{Known, Names};
use oxc::ast::ast::*;
use oxc::ast_visit::{Visit, walk};
use oxc::span::GetSpan as _;
use oxc::syntax::operator::UnaryOperator;

/// A call, and where the name of what it calls stands.
pub(super) struct Call {
    pub(super) offset: u32,
    pub(super) callee: Callee,
    pub(super) arguments: Literal,
}

/// Finds calls.
pub(super) struct Walk<'w, 's> {
    names: &'w Names<'s>,
    found: Vec<Call>,
}

impl<'w, 's> Walk<'w, 's> {
    /// Makes a walk over a module.
    pub(super) fn new(names: &'w Names<'s>) -> Walk<'w, 's> {
        Walk { names, found: Vec::new() }
    }

    /// Returns what was found, in the order of the text.
    pub(super) fn finish(mut self) -> Vec<Call> {
        self.found.sort_by_key(|call| call.offset);
        self.found
    }

    fn keep(&mut self, offset: u32, callee: Callee, arguments: Literal) {
        self.found.push(Call { offset, callee, arguments });
    }

    /// What a program could call leaves its hands: anybody may call it, with anything.
    fn hand_on(&mut self, expression: &Expression<'_>, known: Known) {
        let callee = match known {
            Known::Global | Known::Harmless => return,
            Known::Tool(Some(server), Some(tool)) => Callee::Tool { server, tool },
            Known::Tool(Some(server), None) | Known::Server(Some(server)) => Callee::Server(server),
            Known::Mcp | Known::Call | Known::Server(None) | Known::Tool(..) => Callee::Anything,
        };
        let offset = name_of(expression);
        self.keep(offset, callee, Literal::hole(offset));
    }

    fn call(&mut self, it: &CallExpression<'_>, known: Known) {
        let argument = |index: usize| it.arguments.get(index);
        // A spread before them moves the arguments to no certain place.
        let is_certain = |index: usize| {
            !it.arguments.iter().take(index).any(|it| matches!(it, Argument::SpreadElement(_)))
        };
        let read = |index: usize| match is_certain(index) {
            true => Literal::of_argument(argument(index), self.names, it.span.end),
            false => Literal::hole(it.span.end),
        };
        let at = name_of(&it.callee);
        let (offset, callee, arguments) = match known {
            Known::Tool(Some(server), Some(tool)) => (at, Callee::Tool { server, tool }, read(0)),
            Known::Tool(Some(server), None) => (at, Callee::Server(server), read(0)),
            Known::Tool(..) => (at, Callee::Anything, read(0)),
            Known::Call => {
                let name = argument(0).and_then(Argument::as_expression);
                let offset = name.map_or(at, |name| name.span().start);
                let callee = match name.and_then(|name| self.names.text(name)) {
                    Some(text) => Callee::Text(text),
                    None => Callee::Anything,
                };
                (offset, callee, read(1))
            }
            // `mcp()` and `mcp.server()` throw: they call nothing.
            Known::Mcp | Known::Global | Known::Server(_) | Known::Harmless => return,
        };
        self.keep(offset, callee, arguments);
    }

    /// Goes on into what is computed inside of an expression that stands for something: `mcp[await f()]`.
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

/// Where the name of what is called stands: the last name of `a.b.c`.
fn name_of(expression: &Expression<'_>) -> u32 {
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

impl<'a> Visit<'a> for Walk<'_, '_> {
    fn visit_expression(&mut self, it: &Expression<'a>) {
        match self.names.resolve(it) {
            Some(known) => {
                self.hand_on(it, known);
                self.visit_keys(it);
            }
            None => walk::walk_expression(self, it),
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        match self.names.resolve(&it.callee) {
            Some(known) => {
                self.call(it, known);
                self.visit_keys(&it.callee);
                self.visit_arguments(&it.arguments);
            }
            None => walk::walk_call_expression(self, it),
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        // A name for it is not a use of it: the uses of the name are found.
        if let Some(init) = &it.init
            && let Some(known) = self.names.resolve(init)
            && self.names.is_bound(&it.id, &known)
        {
            return self.visit_keys(init);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        // `typeof mcp` looks at it and no more.
        let looks = it.operator == UnaryOperator::Typeof;
        if !looks || self.names.resolve(&it.argument).is_none() {
            walk::walk_unary_expression(self, it);
        }
    }
}
