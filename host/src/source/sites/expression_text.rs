//! Writes an expression as a message names it: names and members as they are, and what is inside
//! of parentheses as `…`.

use oxc::ast::ast::*;

/// Most steps of an expression that are written.
const DEPTH: u32 = 12;
/// Longest expression, in characters.
const LENGTH: usize = 80;

/// Returns the short text of an expression. Returns `None` if it has no short one.
pub(super) fn expression_text(expression: &Expression<'_>) -> Option<String> {
    let text = written(expression, DEPTH)?;
    (text.chars().count() <= LENGTH).then_some(text)
}

fn written(expression: &Expression<'_>, depth: u32) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let inner = |expression| written(expression, depth);
    Some(match expression {
        Expression::Identifier(it) => it.name.to_string(),
        Expression::ThisExpression(_) => "this".into(),
        Expression::Super(_) => "super".into(),
        Expression::NullLiteral(_) => "null".into(),
        Expression::BooleanLiteral(it) => it.value.to_string(),
        Expression::NumericLiteral(it) => it.raw.as_ref()?.to_string(),
        Expression::StringLiteral(it) => quoted(it)?,
        Expression::ArrayExpression(it) => elided(it.elements.is_empty(), "[]", "[…]"),
        Expression::ObjectExpression(it) => elided(it.properties.is_empty(), "{}", "{…}"),
        Expression::ArrowFunctionExpression(it) => {
            elided(it.params.items.is_empty(), "() => …", "(…) => …")
        }
        Expression::ParenthesizedExpression(it) => format!("({})", inner(&it.expression)?),
        Expression::AwaitExpression(it) => format!("await {}", inner(&it.argument)?),
        Expression::NewExpression(it) => {
            format!("new {}{}", inner(&it.callee)?, arguments(&it.arguments))
        }
        Expression::CallExpression(it) => call(it, depth)?,
        Expression::StaticMemberExpression(it) => static_member(it, depth)?,
        Expression::ComputedMemberExpression(it) => computed_member(it, depth)?,
        Expression::PrivateFieldExpression(it) => private_field(it, depth)?,
        Expression::ChainExpression(it) => match &it.expression {
            ChainElement::CallExpression(it) => call(it, depth)?,
            ChainElement::StaticMemberExpression(it) => static_member(it, depth)?,
            ChainElement::ComputedMemberExpression(it) => computed_member(it, depth)?,
            ChainElement::PrivateFieldExpression(it) => private_field(it, depth)?,
            _ => return None,
        },
        _ => return None,
    })
}

/// Returns the short text of a member.
pub(super) fn member_text(member: &StaticMemberExpression<'_>) -> Option<String> {
    static_member(member, DEPTH).filter(|text| text.chars().count() <= LENGTH)
}

fn call(it: &CallExpression<'_>, depth: u32) -> Option<String> {
    let dot = if it.optional { "?." } else { "" };
    Some(format!("{}{dot}{}", written(&it.callee, depth)?, arguments(&it.arguments)))
}

fn static_member(it: &StaticMemberExpression<'_>, depth: u32) -> Option<String> {
    let dot = if it.optional { "?." } else { "." };
    Some(format!("{}{dot}{}", written(&it.object, depth)?, it.property.name))
}

fn computed_member(it: &ComputedMemberExpression<'_>, depth: u32) -> Option<String> {
    let dot = if it.optional { "?." } else { "" };
    let key = written(&it.expression, depth).unwrap_or_else(|| "…".into());
    Some(format!("{}{dot}[{key}]", written(&it.object, depth)?))
}

fn private_field(it: &PrivateFieldExpression<'_>, depth: u32) -> Option<String> {
    let dot = if it.optional { "?." } else { "." };
    Some(format!("{}{dot}#{}", written(&it.object, depth)?, it.field.name))
}

fn arguments(arguments: &[Argument<'_>]) -> String {
    elided(arguments.is_empty(), "()", "(…)")
}

fn elided(is_empty: bool, empty: &str, full: &str) -> String {
    if is_empty { empty.into() } else { full.into() }
}

/// Returns a string as the program wrote it, if it is plain.
fn quoted(it: &StringLiteral<'_>) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "_$.-:/ '\"".contains(c);
    let raw = it.raw.as_ref()?.as_str();
    raw.chars().all(is_plain).then(|| raw.to_owned())
}
