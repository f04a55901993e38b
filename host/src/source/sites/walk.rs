//! Walks over a module and notes positions as QuickJS does.
//!
//! **Invariant:** every function notes its own positions; they do not affect other functions.

use std::collections::HashSet;

use oxc::ast::ast::*;
use oxc::ast_visit::{Visit, walk};
use oxc::span::{GetSpan as _, Span};
use oxc::syntax::operator::BinaryOperator;
use oxc::syntax::scope::ScopeFlags;

use super::callee::CalleeName;
use super::expression_text::{expression_text, member_text};
use crate::model::LineIndex;
use crate::source::sites::bound_names::BoundNames;
use crate::source::sites::call_site::{CallSite, CallSiteKind, CallSites};
use crate::source::sites::token_columns::TokenColumns;

/// The offset of a function that has noted no position yet.
const NO_OFFSET: u32 = u32::MAX;

/// The indexes of a code that the walk uses.
pub(super) struct CodeIndex<'w, 'a> {
    pub(super) lines: &'w LineIndex<'w>,
    pub(super) columns: TokenColumns,
    pub(super) names: BoundNames<'a>,
    /// The function that pml calls with the value of a last expression.
    pub(super) wrapper: Option<&'w str>,
}

/// Notes positions and collects the sites that are reported at wanted ones.
pub(super) struct CallSiteFinder<'w, 'a> {
    code: &'w CodeIndex<'w, 'a>,
    wanted: &'w HashSet<u32>,
    /// The position noted last in the current function.
    last_noted: u32,
    /// The position of the current function itself, which is reported before it notes another.
    head: u32,
    /// The start of the property that holds the function that is visited next.
    property_start: Option<u32>,
    /// The text of the value that the pattern visited next takes apart.
    pattern_value: Option<String>,
    /// The expression that the innermost `throw` throws.
    thrown: Option<Span>,
    /// The superclasses of the enclosing classes.
    superclasses: Vec<Option<&'a str>>,
    /// The name that a nameless class gets from its variable.
    class_name: Option<&'a str>,
    found: CallSites,
}

/// A call to record.
struct RecordedCall<'c, 'a> {
    kind: CallSiteKind,
    span: Span,
    /// The offset that is shown to people.
    start: u32,
    name: Option<&'c str>,
    /// The expression that is called.
    callee: Option<&'c Expression<'a>>,
    arguments: Option<&'c [Argument<'a>]>,
}

impl<'w, 'a> CallSiteFinder<'w, 'a> {
    /// Returns a finder for the sites at the wanted offsets.
    pub(super) fn new(code: &'w CodeIndex<'w, 'a>, wanted: &'w HashSet<u32>) -> Self {
        Self {
            code,
            wanted,
            last_noted: NO_OFFSET,
            head: 0,
            property_start: None,
            pattern_value: None,
            thrown: None,
            superclasses: Vec::new(),
            class_name: None,
            found: CallSites::default(),
        }
    }

    /// Returns the sites found.
    pub(super) fn finish(self) -> CallSites {
        self.found
    }

    fn superclass(&self) -> Option<&'a str> {
        self.superclasses.last().copied().flatten()
    }

    fn note_token(&mut self, start: u32) {
        self.last_noted = self.code.columns.reported_offset(start);
    }

    /// Visits a function that starts at `start`.
    fn in_function(&mut self, start: u32, walk: impl FnOnce(&mut Self)) {
        let property = self.property_start.take();
        let heads = [Some(self.code.columns.reported_offset(start)), Some(start), property];
        let head = heads.into_iter().flatten().find(|head| self.wanted.contains(head));
        let outer = (self.last_noted, self.head);
        (self.last_noted, self.head) = (NO_OFFSET, head.unwrap_or(NO_OFFSET));
        walk(self);
        (self.last_noted, self.head) = outer;
    }

    /// Records a value that is taken apart or iterated.
    fn record_value(&mut self, kind: CallSiteKind, span: Span, text: Option<String>) {
        let reported = if self.last_noted == NO_OFFSET { self.head } else { self.last_noted };
        if self.wanted.contains(&reported) {
            let site = CallSite {
                kind,
                start: span.start,
                name: None,
                is_declared: false,
                is_builtin: false,
                makes_error: false,
                is_inert: false,
                text,
                span,
            };
            self.found.push(reported, site);
        }
    }

    /// Returns the text of a value, if the position that is noted now is wanted.
    fn value_text(&self, value: Option<&Expression<'_>>) -> Option<String> {
        let reported = if self.last_noted == NO_OFFSET { self.head } else { self.last_noted };
        value.filter(|_| self.wanted.contains(&reported)).and_then(expression_text)
    }

    fn record_call(&mut self, call: RecordedCall<'_, '_>) {
        if !self.wanted.contains(&self.last_noted) {
            return;
        }
        let RecordedCall { kind, span, start, name, callee, arguments } = call;
        let text = callee.and_then(expression_text);
        let is_builtin = callee.is_some_and(|callee| self.code.names.is_builtin(callee));
        let is_error = name.is_some_and(|name| name.ends_with("Error") || name == "DOMException");
        let site = CallSite {
            kind,
            start,
            name: name.map(str::to_owned),
            is_declared: name.is_some_and(|name| self.code.names.is_declared(name)),
            is_builtin,
            makes_error: is_error || self.thrown == Some(span),
            is_inert: arguments.is_some_and(|it| self.code.names.are_inert(it)),
            text,
            span,
        };
        self.found.push(self.last_noted, site);
    }

    fn record_access(&mut self, kind: CallSiteKind, member: &StaticMemberExpression<'_>) {
        let property = &member.property;
        if self.wanted.contains(&self.last_noted) {
            let site = CallSite {
                kind,
                start: property.span.start,
                name: Some(property.name.to_string()),
                is_declared: false,
                is_builtin: false,
                makes_error: false,
                is_inert: false,
                text: member_text(member),
                span: member.span,
            };
            self.found.push(self.last_noted, site);
        }
    }
}

impl<'a> Visit<'a> for CallSiteFinder<'_, 'a> {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.last_noted = it.span.start;
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        // `{ a }` notes no position.
        if !it.shorthand {
            self.visit_property_key(&it.key);
            self.property_start = Some(it.span.start);
            self.visit_expression(&it.value);
            self.property_start = None;
        }
    }

    fn visit_object_property_kind(&mut self, it: &ObjectPropertyKind<'a>) {
        match it {
            ObjectPropertyKind::ObjectProperty(it) => self.visit_object_property(it),
            // Anything can be spread into an object.
            ObjectPropertyKind::SpreadProperty(it) => self.visit_expression(&it.argument),
        }
    }

    fn visit_spread_element(&mut self, it: &SpreadElement<'a>) {
        self.visit_expression(&it.argument);
        let text = self.value_text(Some(&it.argument));
        self.record_value(CallSiteKind::Iteration, it.argument.span(), text);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.visit_for_statement_left(&it.left);
        self.visit_expression(&it.right);
        let text = self.value_text(Some(&it.right));
        self.record_value(CallSiteKind::Iteration, it.right.span(), text);
        self.visit_statement(&it.body);
    }

    fn visit_binding_pattern(&mut self, it: &BindingPattern<'a>) {
        let text = self.pattern_value.take();
        match it {
            BindingPattern::ObjectPattern(pattern) => {
                self.record_value(CallSiteKind::ObjectPattern, pattern.span, text);
            }
            BindingPattern::ArrayPattern(pattern) => {
                self.record_value(CallSiteKind::Iteration, pattern.span, text);
            }
            _ => {}
        }
        walk::walk_binding_pattern(self, it);
    }

    fn visit_template_literal(&mut self, it: &TemplateLiteral<'a>) {
        self.visit_expressions(&it.expressions);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        self.note_token(it.expression.span().start);
        self.visit_expression(&it.expression);
    }

    fn visit_throw_statement(&mut self, it: &ThrowStatement<'a>) {
        self.note_token(it.argument.span().start);
        let thrown = it.argument.without_parentheses().span();
        let outer = self.thrown.replace(thrown);
        self.visit_expression(&it.argument);
        self.thrown = outer;
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        self.visit_expression(&it.left);
        if it.operator != BinaryOperator::Exponential {
            self.note_token(it.right.span().start);
        }
        self.visit_expression(&it.right);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.visit_expression(&it.callee);
        let first = it.arguments.first().map_or(it.span.end - 1, |first| first.span().start);
        if !matches!(it.callee, Expression::Super(_)) {
            self.note_token(first);
        }
        self.visit_arguments(&it.arguments);
        if self.code.wrapper.is_some_and(|wrapper| it.callee.is_specific_id(wrapper)) {
            return;
        }
        let callee = CalleeName::of(&it.callee, self.superclass());
        let start = callee.start.unwrap_or(it.callee.span().start);
        self.record_call(RecordedCall {
            kind: CallSiteKind::Call,
            span: it.span,
            start,
            name: callee.name,
            callee: Some(&it.callee),
            arguments: Some(&it.arguments),
        });
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        walk::walk_await_expression(self, it);
        if self.wanted.contains(&self.last_noted) {
            self.found.push_awaited(self.last_noted, it.argument.span());
        }
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.note_token(it.callee.span().start);
        self.visit_expression(&it.callee);
        self.visit_arguments(&it.arguments);
        let name = CalleeName::of(&it.callee, self.superclass()).name;
        self.record_call(RecordedCall {
            kind: CallSiteKind::New,
            span: it.span,
            start: it.span.start,
            name,
            callee: Some(&it.callee),
            arguments: Some(&it.arguments),
        });
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        self.visit_expression(&it.tag);
        self.note_token(it.quasi.span.start);
        self.visit_template_literal(&it.quasi);
        let callee = CalleeName::of(&it.tag, self.superclass());
        let start = callee.start.unwrap_or(it.quasi.span.start);
        self.record_call(RecordedCall {
            kind: CallSiteKind::Call,
            span: it.span,
            start,
            name: callee.name,
            callee: Some(&it.tag),
            arguments: None,
        });
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        self.visit_expression(&it.object);
        self.record_access(CallSiteKind::Get, it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        let text = self.value_text(Some(&it.right));
        match &it.left {
            AssignmentTarget::ObjectAssignmentTarget(pattern) => {
                self.record_value(CallSiteKind::ObjectPattern, pattern.span, text);
            }
            AssignmentTarget::ArrayAssignmentTarget(pattern) => {
                self.record_value(CallSiteKind::Iteration, pattern.span, text);
            }
            _ => {}
        }
        walk::walk_assignment_expression(self, it);
        if let AssignmentTarget::StaticMemberExpression(member) = &it.left {
            self.record_access(CallSiteKind::Set, member);
        }
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.in_function(it.span.start, |this| walk::walk_function(this, it, flags));
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.in_function(it.span.start, |this| walk::walk_arrow_function_expression(this, it));
    }

    fn visit_static_block(&mut self, it: &StaticBlock<'a>) {
        self.in_function(it.span.start, |this| walk::walk_static_block(this, it));
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.visit_property_key(&it.key);
        if let Some(value) = &it.value {
            self.in_function(it.span.start, |this| this.visit_expression(value));
        }
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.visit_property_key(&it.key);
        self.property_start = Some(it.span.start);
        self.visit_function(&it.value, ScopeFlags::empty());
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        let name = match (&it.id, &it.init) {
            (BindingPattern::BindingIdentifier(id), Some(Expression::ClassExpression(_))) => {
                Some(id.name.as_str())
            }
            _ => None,
        };
        self.class_name = name;
        self.pattern_value = self.value_text(it.init.as_ref());
        walk::walk_variable_declarator(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        let variable_name = self.class_name.take();
        let name = it.id.as_ref().map(|id| id.name.as_str()).or(variable_name);
        let has_constructor = it.body.body.iter().any(|element| {
            matches!(element, ClassElement::MethodDefinition(method)
                if method.kind == MethodDefinitionKind::Constructor)
        });
        if !has_constructor {
            let end = it.body.span.end - 1;
            let byte = u32::try_from(self.code.lines.locate(end as usize).1).unwrap_or(0);
            if self.wanted.contains(&(end - byte)) {
                self.found.push_class(end - byte, name.map(str::to_owned));
            }
        }
        let superclass = it
            .heritage
            .as_ref()
            .and_then(|heritage| CalleeName::of(&heritage.expression, None).name);
        self.superclasses.push(superclass);
        walk::walk_class(self, it);
        self.superclasses.pop();
        // QuickJS initialises static members in a nameless function that the class calls when it is
        // created.
        self.record_call(RecordedCall {
            kind: CallSiteKind::Call,
            span: it.span,
            start: it.span.start,
            name: Some("<anonymous>"),
            callee: None,
            arguments: None,
        });
    }
}
