//! Finds the place of a failure that the guest cannot place: a thrown value without a stack, a
//! promise that is never settled, a value that the first statement takes apart.
//!
//! Input: a program and its failure. Output: a byte offset, if only one place in the text can be
//! meant. **Invariant:** nothing is guessed: what may be another place counts as one.

use oxc::ast::ast::*;
use oxc::ast_visit::{Visit, walk};
use oxc::span::{GetSpan as _, Span};

use super::error::ModuleText;
use super::program::{Language, Program};
use super::{parse, stack};
use crate::model::{Position, WorkSlice};

/// Functions that make a promise fail with their argument.
const REJECTING: [&str; 3] = ["reject", "abort", "throw"];
/// Longest text of an expression that a message repeats, in bytes.
const TEXT: usize = 40;

/// A failure that has no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnplacedFailure<'f> {
    /// A thrown value that is not an error, as text.
    Thrown(&'f str),
    /// The program waits for what never happens.
    Stalled,
    /// Nothing was taken apart as if it were an object.
    Destructured,
}

/// The only place in a program that can be meant.
pub(super) struct OnlyPlace {
    pub(super) module: String,
    pub(super) offset: u32,
    pub(super) position: Position,
    /// The expression that is taken apart, if it is short.
    pub(super) text: Option<String>,
}

impl Program {
    /// Returns the only place that a failure can come from, or `None` if there are several.
    pub(super) fn only_place(
        &self,
        failure: UnplacedFailure<'_>,
        run: Option<&WorkSlice<'_>>,
    ) -> Option<OnlyPlace> {
        let mut certain = Vec::new();
        let mut possible = Vec::new();
        for module in &self.modules {
            if module.is_generated || module.language == Language::Json {
                continue;
            }
            run.map_or(Ok(()), |run| run.check().map_err(drop)).ok()?;
            let text = ModuleText { name: &module.name, text: &module.source };
            let found = stack::on_large_stack_for(run, text, || {
                parse::with_program(text, module.language, |parsed| {
                    let mut finder = PlaceFinder::new(failure, text.text);
                    finder.visit_program(parsed.program);
                    (finder.certain, finder.possible)
                })
            });
            let (sure, others) = found.ok()?.ok()?;
            certain.extend(sure.into_iter().map(|span| (text, span)));
            possible.extend(others.into_iter().map(|span| (text, span)));
        }
        let (text, span) = match (certain.as_slice(), possible.as_slice()) {
            ([only], _) | ([], [only]) => *only,
            _ => return None,
        };
        let shown = text.text.get(span.start as usize..span.end as usize);
        let shown = shown.filter(|shown| shown.len() <= TEXT && !shown.contains('\n'));
        let offset = match failure {
            // The span is that of the value: the pattern in front of it is meant.
            UnplacedFailure::Destructured => pattern_before(text.text, span.start),
            _ => span.start,
        };
        Some(OnlyPlace {
            module: text.name.to_owned(),
            offset,
            position: text.location(offset).position,
            text: shown.map(str::to_owned),
        })
    }
}

/// Returns the offset of the pattern in front of the `=` that precedes a value.
fn pattern_before(text: &str, value: u32) -> u32 {
    let before = text.get(..value as usize).unwrap_or_default();
    let start = ["const ", "let ", "var "].iter().filter_map(|word| {
        let at = before.rfind(word)?;
        Some(at + word.len())
    });
    start.max().and_then(|at| u32::try_from(at).ok()).unwrap_or(value)
}

struct PlaceFinder<'f> {
    failure: UnplacedFailure<'f>,
    text: &'f str,
    /// Places that are the failure if they are reached.
    certain: Vec<Span>,
    /// Places that may be the failure.
    possible: Vec<Span>,
}

impl<'f> PlaceFinder<'f> {
    fn new(failure: UnplacedFailure<'f>, text: &'f str) -> Self {
        Self { failure, text, certain: Vec::new(), possible: Vec::new() }
    }

    /// Notes a value that is thrown, unless it is another one, or an error, which has a stack.
    fn thrown(&mut self, value: &Expression<'_>) {
        let UnplacedFailure::Thrown(message) = self.failure else { return };
        let written = |span: Span| self.text.get(span.start as usize..span.end as usize);
        let is_possible = match value.get_inner_expression() {
            Expression::StringLiteral(text) => text.value == message,
            Expression::TemplateLiteral(text) if text.expressions.is_empty() => {
                let quasi = text.quasis.first().and_then(|quasi| quasi.value.cooked);
                quasi.is_some_and(|text| text == message)
            }
            Expression::NumericLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::BooleanLiteral(_) => written(value.span()) == Some(message),
            Expression::NewExpression(made) => {
                let name = made.callee.get_identifier_reference().map(|it| it.name.as_str());
                !name.is_some_and(|name| name.ends_with("Error") || name.ends_with("Exception"))
            }
            _ => true,
        };
        if is_possible {
            self.possible.push(value.span());
        }
    }
}

impl<'a> Visit<'a> for PlaceFinder<'_> {
    fn visit_throw_statement(&mut self, it: &ThrowStatement<'a>) {
        self.thrown(&it.argument);
        walk::walk_throw_statement(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if !it.callee_name().is_some_and(|name| REJECTING.contains(&name)) {
            return walk::walk_call_expression(self, it);
        }
        match it.arguments.first().and_then(Argument::as_expression) {
            Some(value) => self.thrown(value),
            None if matches!(self.failure, UnplacedFailure::Thrown(_)) => {
                self.possible.push(it.span);
            }
            None => {}
        }
        // The callee itself is no place: `reject` alone is a function that is passed on.
        if let Some(member) = it.callee.as_member_expression() {
            self.visit_member_expression(member);
        }
        self.visit_arguments(&it.arguments);
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        if matches!(self.failure, UnplacedFailure::Thrown(_))
            && REJECTING.contains(&it.name.as_str())
        {
            self.possible.push(it.span);
        }
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        if self.failure == UnplacedFailure::Stalled && !is_tool_call(&it.argument) {
            self.possible.push(it.span);
        }
        walk::walk_await_expression(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        if self.failure == UnplacedFailure::Stalled && it.r#await {
            self.possible.push(it.right.span());
        }
        walk::walk_for_of_statement(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        if self.failure == UnplacedFailure::Stalled
            && it.callee.is_specific_id("Promise")
            && takes_no_resolver(it)
        {
            self.certain.push(it.span);
        }
        walk::walk_new_expression(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if self.failure == UnplacedFailure::Destructured
            && matches!(it.id, BindingPattern::ObjectPattern(_))
            && let Some(value) = &it.init
        {
            self.possible.push(value.span());
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if self.failure == UnplacedFailure::Destructured
            && matches!(it.left, AssignmentTarget::ObjectAssignmentTarget(_))
        {
            self.certain.extend([it.span, it.span]);
        }
        walk::walk_assignment_expression(self, it);
    }
}

/// Reports whether a promise is made by a function that cannot settle it.
fn takes_no_resolver(made: &NewExpression<'_>) -> bool {
    match made.arguments.first().and_then(Argument::as_expression) {
        Some(Expression::ArrowFunctionExpression(executor)) => {
            executor.params.items.is_empty() && executor.params.rest.is_none()
        }
        _ => false,
    }
}

/// Reports whether an expression calls a tool: such a call is always answered.
fn is_tool_call(expression: &Expression<'_>) -> bool {
    let Expression::CallExpression(call) = expression.get_inner_expression() else { return false };
    let mut callee = call.callee.get_inner_expression();
    while let Some(member) = callee.as_member_expression() {
        callee = member.object().get_inner_expression();
    }
    callee.is_specific_id("mcp")
}
