//! The target of a call: its name and its position.

use oxc::ast::ast::Expression;

/// The name of the target of a call.
pub(super) struct CalleeName<'a> {
    /// The name that the function most likely has, without the `#` of a private one.
    pub(super) name: Option<&'a str>,
    /// The offset of the name, if it is directly before the arguments; `None` for `a[b](…)` and the
    /// like.
    pub(super) start: Option<u32>,
}

impl<'a> CalleeName<'a> {
    /// Reads the target of a call inside a class that extends `superclass`.
    pub(super) fn of(expression: &Expression<'a>, superclass: Option<&'a str>) -> Self {
        let (name, start) = match expression {
            Expression::Identifier(it) => (Some(it.name.as_str()), Some(it.span.start)),
            Expression::StaticMemberExpression(it) => {
                (Some(it.property.name.as_str()), Some(it.property.span.start))
            }
            Expression::PrivateFieldExpression(it) => {
                (Some(it.field.name.as_str()), Some(it.field.span.start))
            }
            Expression::Super(it) => (superclass, Some(it.span.start)),
            Expression::FunctionExpression(it) => (it.id.as_ref().map(|id| id.name.as_str()), None),
            Expression::ParenthesizedExpression(it) => {
                (Self::of(&it.expression, superclass).name, None)
            }
            Expression::ComputedMemberExpression(it) => match &it.expression {
                Expression::StringLiteral(key) => (Some(key.value.as_str()), None),
                _ => (None, None),
            },
            _ => (None, None),
        };
        Self { name, start }
    }
}
