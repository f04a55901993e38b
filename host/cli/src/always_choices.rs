//! The choices of `always`: conditions under which a tool can be allowed permanently.
//!
//! The numbers are the same everywhere: 1 is any arguments, then come the conditions that the call
//! itself suggests.

#[cfg(test)]
use pml::approval::Condition;
use pml::{
    Ask, Decision,
    approval::{Constraint, words_of_constraints},
};

/// Returns the sets of conditions that a call suggests.
pub(super) type ConstraintSuggester = fn(&Ask) -> Vec<Vec<Constraint>>;

/// Returns the choices, one line each. Returns an empty list if the call suggests no conditions.
pub(super) fn choices(ask: &Ask, offers: ConstraintSuggester) -> Vec<String> {
    let offers = offers(ask);
    if offers.is_empty() {
        return Vec::new();
    }
    let lines = offers.iter().zip(2..).map(|(constraints, number)| {
        format!("{number}  only where │ {}", words_of_constraints(constraints))
    });
    std::iter::once("1  any arguments".to_owned()).chain(lines).collect()
}

/// Returns the decision for a choice's number, or `None` if there is no such choice.
pub(super) fn chosen(ask: &Ask, offers: ConstraintSuggester, number: usize) -> Option<Decision> {
    match number {
        0 => None,
        1 => Some(Decision::Always),
        number => offers(ask).into_iter().nth(number - 2).map(Decision::AlwaysWithin),
    }
}

#[cfg(test)]
pub(super) fn some(ask: &Ask) -> Vec<Vec<Constraint>> {
    if ask.kind.may_be_always() { some_of() } else { Vec::new() }
}

#[cfg(test)]
pub(super) fn some_of() -> Vec<Vec<Constraint>> {
    let under = Constraint::new("path", Condition::Under("/x\u{202e}".into()));
    let secret = Constraint::new("token", Condition::Equals("t0p".into()));
    let content = Constraint::new("content", Condition::Any);
    vec![vec![under.clone(), content], vec![under, secret]]
}

#[cfg(test)]
mod tests {
    use super::{choices, chosen, some, some_of};
    use pml::json::json;
    use pml::{
        Ask, Decision,
        approval::{AskKind, offers_of_ask},
    };

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
                "2  only where │ `path` under `/x\\u{202e}`, `content`: anything",
                "3  only where │ `path` under `/x\\u{202e}`, `token` equal to `[hidden: 3 characters]`",
            ]
        );
        assert_eq!(chosen(&ask, some, 1), Some(Decision::Always));
        let second = some_of().remove(0);
        assert_eq!(chosen(&ask, some, 2), Some(Decision::AlwaysWithin(second)));
        assert_eq!([chosen(&ask, some, 0), chosen(&ask, some, 4)], [None, None]);
    }

    #[test]
    fn where_nothing_is_offered_there_is_nothing_to_choose() {
        assert_eq!(choices(&ask(AskKind::ToolPermission), offers_of_ask), [""; 0]);
        assert_eq!(choices(&ask(AskKind::UncertainCall), some), [""; 0]);
        assert_eq!(choices(&ask(AskKind::Trust), some), [""; 0]);
    }
}
