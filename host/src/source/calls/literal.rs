//! Values that are written out in a program, with holes for parts that are not.

use super::names::ModuleVariables;
use oxc::ast::ast::*;
use oxc::span::GetSpan as _;
use oxc::syntax::operator::UnaryOperator;
use serde_json::{Number, Value};

/// Largest number up to which every integer is exact. Larger ones may differ from their source
/// text.
const MAX_EXACT: f64 = 9_007_199_254_740_991.0;

/// A value as a program writes it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Literal {
    /// The byte offset in the module's text.
    pub(crate) offset: u32,
    /// The value at that offset.
    pub(crate) value: LiteralValue,
}

/// The value of a literal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LiteralValue {
    /// A hole: a value that cannot be read from the text.
    Hole,
    /// `undefined`, or a missing argument.
    Absent,
    /// A string, a number, a boolean or null.
    Scalar(Value),
    /// A list. If it is open, more items may follow.
    List { items: Vec<Literal>, open: bool },
    /// An object. If it is open, it may have further fields.
    Object { fields: Vec<LiteralField>, open: bool },
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LiteralField {
    pub(crate) name: String,
    /// The offset of its name.
    pub(crate) offset: u32,
    pub(crate) value: Literal,
}

impl Literal {
    /// Returns a hole.
    pub(super) fn hole(offset: u32) -> Literal {
        Literal { offset, value: LiteralValue::Hole }
    }

    /// Returns an absent value.
    pub(super) fn absent(offset: u32) -> Literal {
        Literal { offset, value: LiteralValue::Absent }
    }

    /// Reads an argument of a call. `end` is the offset for a missing argument.
    pub(super) fn from_argument(
        argument: Option<&Argument<'_>>,
        names: &ModuleVariables<'_>,
        end: u32,
    ) -> Self {
        match argument.map(|argument| (argument.as_expression(), argument.span().start)) {
            None => Literal::absent(end),
            Some((Some(expression), _)) => Literal::from_expression(expression, names),
            Some((None, offset)) => Literal::hole(offset),
        }
    }

    /// Reads an expression.
    pub(super) fn from_expression(
        expression: &Expression<'_>,
        names: &ModuleVariables<'_>,
    ) -> Literal {
        let inner = expression.get_inner_expression();
        let offset = inner.span().start;
        let value = match inner {
            Expression::ObjectExpression(it) => object(it, names),
            Expression::ArrayExpression(it) => list(it, names),
            Expression::Identifier(it) if names.is_undefined(it) => LiteralValue::Absent,
            Expression::Identifier(it) => names
                .constant_value(it)
                .map_or(LiteralValue::Hole, |value| LiteralValue::Scalar(value.clone())),
            other => scalar(other).map_or(LiteralValue::Hole, LiteralValue::Scalar),
        };
        Literal { offset, value }
    }
}

/// Returns a string, a number, a boolean or null, if the expression is a literal of that kind.
pub(super) fn scalar(expression: &Expression<'_>) -> Option<Value> {
    match expression.get_inner_expression() {
        Expression::NullLiteral(_) => Some(Value::Null),
        Expression::BooleanLiteral(it) => Some(Value::Bool(it.value)),
        Expression::NumericLiteral(it) => number(it.value),
        Expression::StringLiteral(it) if !it.lone_surrogates => Some(it.value.as_str().into()),
        Expression::TemplateLiteral(it) => match it.quasis.as_slice() {
            [only] if !only.lone_surrogates => {
                only.value.cooked.as_ref().map(|text| text.as_str().into())
            }
            _ => None,
        },
        Expression::UnaryExpression(it) if it.operator == UnaryOperator::UnaryNegation => {
            match it.argument.get_inner_expression() {
                Expression::NumericLiteral(it) => number(-it.value),
                _ => None,
            }
        }
        _ => None,
    }
}

fn number(value: f64) -> Option<Value> {
    match value.fract() == 0.0 && value.abs() <= MAX_EXACT {
        // The number is within the bounds. Minus zero is zero in JSON.
        #[expect(clippy::cast_possible_truncation, reason = "it is a whole number that fits")]
        true => Some((value as i64).into()),
        false => Number::from_f64(value).map(Value::Number),
    }
}

fn list(it: &ArrayExpression<'_>, names: &ModuleVariables<'_>) -> LiteralValue {
    let mut items = Vec::new();
    for element in &it.elements {
        let item = match element {
            // Later items have no certain index.
            ArrayExpressionElement::SpreadElement(_) => {
                return LiteralValue::List { items, open: true };
            }
            ArrayExpressionElement::Elision(it) => Literal::absent(it.span.start),
            _ => match element.as_expression() {
                Some(expression) => Literal::from_expression(expression, names),
                None => Literal::hole(element.span().start),
            },
        };
        // JSON has no `undefined`: in a list it becomes null.
        items.push(match item.value {
            LiteralValue::Absent => Literal { value: LiteralValue::Scalar(Value::Null), ..item },
            _ => item,
        });
    }
    LiteralValue::List { items, open: false }
}

fn object(it: &ObjectExpression<'_>, names: &ModuleVariables<'_>) -> LiteralValue {
    let mut fields: Vec<LiteralField> = Vec::new();
    let mut open = false;
    for property in &it.properties {
        let property = match property {
            ObjectPropertyKind::ObjectProperty(property) => property,
            ObjectPropertyKind::SpreadProperty(_) => {
                forget_fields(&mut fields, &mut open);
                continue;
            }
        };
        let Some(name) = names.property_name(&property.key, property.computed) else {
            forget_fields(&mut fields, &mut open);
            continue;
        };
        let sets_prototype = name == "__proto__" && !property.computed && !property.shorthand;
        if sets_prototype || name == "toJSON" {
            // The JSON of such an object does not follow from its fields.
            return LiteralValue::Hole;
        }
        let value = match property.kind {
            PropertyKind::Init if !property.method => {
                Literal::from_expression(&property.value, names)
            }
            _ => Literal::hole(property.span.start),
        };
        fields.retain(|field| field.name != name);
        if value.value != LiteralValue::Absent {
            fields.push(LiteralField { name, offset: property.key.span().start, value });
        }
    }
    LiteralValue::Object { fields, open }
}

/// Turns the fields so far into holes: a property with an unknown name may replace any of them.
fn forget_fields(fields: &mut [LiteralField], open: &mut bool) {
    *open = true;
    for field in fields {
        field.value.value = LiteralValue::Hole;
    }
}
