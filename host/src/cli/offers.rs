//! Conditions under which a tool can be allowed for good, as a person chooses among them.
//!
//! They are numbered alike everywhere: 1 is any arguments, what the call itself suggests follows.

use crate::json::{Value, json};
use crate::{Ask, AskKind, Condition, Constraint, Decision, brief, redact};

/// Returns sets of conditions that a call suggests.
pub(super) type Offers = fn(&Value) -> Vec<Vec<Constraint>>;

/// Returns what is offered for these arguments.
pub(super) fn offered(_: &Value) -> Vec<Vec<Constraint>> {
    Vec::new()
}

/// Characters of a value that are shown.
const VALUE: usize = 120;

/// Whether an ask can be answered for good.
pub(super) fn can_be_always(ask: &Ask) -> bool {
    matches!(ask.kind, AskKind::ToolPermission | AskKind::Dependency | AskKind::Integrity)
}

/// Returns the choices there are, a line each; none if there is nothing to choose.
pub(super) fn choices(ask: &Ask, offers: Offers) -> Vec<String> {
    let offers = if can_be_always(ask) { offers(&ask.arguments) } else { Vec::new() };
    if offers.is_empty() {
        return Vec::new();
    }
    let lines = offers
        .iter()
        .zip(2..)
        .map(|(constraints, number)| format!("{number}  only where │ {}", words(constraints)));
    std::iter::once("1  any arguments".to_owned()).chain(lines).collect()
}

/// Returns the decision of that number.
pub(super) fn chosen(ask: &Ask, offers: Offers, number: usize) -> Option<Decision> {
    match number {
        0 => None,
        1 => Some(Decision::Always),
        number => offers(&ask.arguments).into_iter().nth(number - 2).map(Decision::AlwaysWithin),
    }
}

/// Returns conditions in words; arguments and values are a program's own, on one line and without secrets.
pub(super) fn words(constraints: &[Constraint]) -> String {
    let words = |constraint: &Constraint| {
        let (how, value) = match &constraint.is {
            Condition::Under(folder) => ("is under", folder.as_str().into()),
            Condition::Host(host) => ("is a URL of", host.as_str().into()),
            Condition::Equals(value) => ("is", value.clone()),
        };
        let named = redact(&json!({ constraint.argument.as_str(): value }));
        let value = named.as_object().and_then(|named| named.values().next());
        let argument = brief(&constraint.argument.as_str().into(), VALUE);
        format!("{argument} {how} {}", brief(value.unwrap_or(&Value::Null), VALUE))
    };
    constraints.iter().map(words).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
pub(super) fn some(_: &Value) -> Vec<Vec<Constraint>> {
    let under = Constraint::new("path", Condition::Under("/x\u{202e}".into()));
    let secret = Constraint::new("token", Condition::Equals("t0p".into()));
    vec![vec![under.clone()], vec![under, secret]]
}

#[cfg(test)]
mod tests {
    use super::{choices, chosen, offered, some};
    use crate::json::{Value, json};
    use crate::{Ask, AskKind, Decision};

    fn ask(kind: AskKind) -> Ask {
        Ask::new(kind, None, "a:b", json!({}), "")
    }

    #[test]
    fn choices_are_numbered_from_any_arguments_on() {
        let ask = ask(AskKind::ToolPermission);
        let lines = choices(&ask, some);
        assert_eq!(
            lines,
            [
                "1  any arguments",
                "2  only where │ \"path\" is under \"/x\\u{202e}\"",
                "3  only where │ \"path\" is under \"/x\\u{202e}\" and \"token\" is \"[redacted]\"",
            ]
        );
        assert_eq!(chosen(&ask, some, 1), Some(Decision::Always));
        let second = some(&Value::Null).remove(0);
        assert_eq!(chosen(&ask, some, 2), Some(Decision::AlwaysWithin(second)));
        assert_eq!([chosen(&ask, some, 0), chosen(&ask, some, 4)], [None, None]);
    }

    #[test]
    fn where_nothing_is_offered_there_is_nothing_to_choose() {
        assert_eq!(choices(&ask(AskKind::ToolPermission), offered), [""; 0]);
        assert_eq!(choices(&ask(AskKind::UncertainCall), some), [""; 0]);
        assert_eq!(choices(&ask(AskKind::Trust), some), [""; 0]);
    }
}
