//! The choices of `always`: conditions under which a tool can be allowed permanently.
//!
//! The numbers are the same everywhere: 1 is any arguments, then come the conditions that the call
//! itself suggests.

#[cfg(test)]
use pml::approval::Condition;
use pml::{
    Ask, Decision,
    approval::{Constraint, describe_constraints},
};

/// Returns the sets of conditions that a call suggests.
pub(super) type ConstraintSuggester = fn(&Ask) -> Vec<Vec<Constraint>>;

/// Returns the choices, one line each. Returns an empty list if the call suggests no conditions.
pub(super) fn choices(ask: &Ask, suggester: ConstraintSuggester) -> Vec<String> {
    let suggestions = suggester(ask);
    if suggestions.is_empty() {
        return Vec::new();
    }
    let lines = suggestions.iter().zip(2..).map(|(constraints, number)| {
        format!("{number}  only with │ {}", describe_constraints(constraints))
    });
    std::iter::once("1  any arguments".to_owned()).chain(lines).collect()
}

/// Returns the decision for a choice's number, or `None` if there is no such choice.
pub(super) fn decision_of_choice(
    ask: &Ask,
    suggester: ConstraintSuggester,
    number: usize,
) -> Option<Decision> {
    match number {
        0 => None,
        1 => Some(Decision::Always),
        number => suggester(ask).into_iter().nth(number - 2).map(Decision::AlwaysWithin),
    }
}

#[cfg(test)]
pub(super) fn sample_suggester(ask: &Ask) -> Vec<Vec<Constraint>> {
    if ask.kind.may_be_always() { sample_suggestions() } else { Vec::new() }
}

#[cfg(test)]
pub(super) fn sample_suggestions() -> Vec<Vec<Constraint>> {
    let under = Constraint::new("path", Condition::Under("/x\u{202e}".into()));
    let secret = Constraint::new("token", Condition::Equals("t0p".into()));
    let content = Constraint::new("content", Condition::Any);
    vec![vec![under.clone(), content], vec![under, secret]]
}

#[cfg(test)]
mod tests {
    use super::{choices, decision_of_choice, sample_suggester, sample_suggestions};
    use pml::json::json;
    use pml::{
        Ask, Decision,
        approval::{AskKind, suggest_constraints},
    };

    fn ask(kind: AskKind) -> Ask {
        Ask::new(kind, None, "a:b", json!({}), "")
    }

    #[test]
    fn choices_are_numbered_from_any_arguments_on() {
        let ask = ask(AskKind::ToolPermission);
        let lines = choices(&ask, sample_suggester);
        assert_eq!(
            lines,
            [
                "1  any arguments",
                "2  only with │ `path` under `/x\\u{202e}`, `content`: anything",
                "3  only with │ `path` under `/x\\u{202e}`, `token` equal to `[hidden: 3 characters]`",
            ]
        );
        assert_eq!(decision_of_choice(&ask, sample_suggester, 1), Some(Decision::Always));
        let second = sample_suggestions().remove(0);
        assert_eq!(
            decision_of_choice(&ask, sample_suggester, 2),
            Some(Decision::AlwaysWithin(second))
        );
        assert_eq!(
            [
                decision_of_choice(&ask, sample_suggester, 0),
                decision_of_choice(&ask, sample_suggester, 4)
            ],
            [None, None]
        );
    }

    #[test]
    fn where_nothing_is_offered_there_is_nothing_to_choose() {
        assert_eq!(choices(&ask(AskKind::ToolPermission), suggest_constraints), [""; 0]);
        assert_eq!(choices(&ask(AskKind::UncertainCall), sample_suggester), [""; 0]);
        assert_eq!(choices(&ask(AskKind::Trust), sample_suggester), [""; 0]);
    }
}
