//! The form of a question: its fields and choices, and the decisions in its result.

use super::message::message;
use crate::ask_choice::{AskChoice, offers};
use pml::json::Value;
use pml::{
    Ask, Decision, Question,
    approval::{AskId, Decisions, Need, suggest_constraints},
    text::{Redactor, fold_middle, in_one_line},
};
use rmcp::model::{
    ConstTitle, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    EnumSchema, LegacyEnumSchema, PrimitiveSchemaDefinition, SingleSelectEnumSchema,
    TitledSingleSelectEnumSchema,
};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of asks in one dialog: nobody decides more at once.
const MAX_FIELDS: usize = 9;

/// Maximum number of characters of a line of details.
pub(super) const MAX_WIDTH: usize = 200;

/// Maximum number of characters of a field's title.
const MAX_TITLE: usize = 60;

/// Maximum number of characters of a tool's name while its call waits.
const MAX_TOOL: usize = 100;

/// The name of the field in a form with one field.
const DECISION: &str = "decision";

/// The answer that a person gave in a form.
#[derive(Debug, PartialEq)]
pub(crate) enum FormAnswer {
    /// These decisions were made.
    Decided(Decisions),
    /// No decision: the question stays open.
    Nothing,
}

/// How the choices of a field are represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChoiceFormat {
    /// Since 2025-11-25: each choice has a title, and one of them is preselected.
    Titled,
    /// Before that: values with parallel names.
    Names,
}

/// Returns the open asks that one dialog shows and decides.
pub(crate) fn shown_asks(question: &Question) -> &[Ask] {
    &question.asks[..question.asks.len().min(MAX_FIELDS)]
}

/// Returns the progress line for a run whose question waits.
pub(crate) fn waiting_message(question: &Question) -> String {
    match &question.asks[..] {
        [ask, ..] => {
            format!("waiting for a person: {}", fold_middle(&in_one_line(&ask.tool), MAX_TOOL))
        }
        [] => "waiting for a person".into(),
    }
}

/// Returns the dialog for the open asks of a question, or for the first of them.
pub(crate) fn elicitation(
    question: &Question,
    format: ChoiceFormat,
    redactor: &Redactor,
) -> ElicitRequestParams {
    let field = |title, choices, description| field(title, choices, description, format);
    let mut fields = BTreeMap::new();
    match shown_asks(question) {
        [ask] => {
            let mut choices = choices(ask);
            choices.push(replan());
            fields.insert(DECISION.into(), field("Decision".into(), choices, description(ask)));
        }
        asks => {
            for ask in asks {
                let title =
                    fold_middle(&format!("{}. {}", ask.id, in_one_line(&ask.tool)), MAX_TITLE);
                fields.insert(field_name(ask.id), field(title, choices(ask), description(ask)));
            }
        }
    }
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message(shown_asks(question), question.asks.len(), redactor),
        requested_schema: ElicitationSchema::new(fields),
    }
}

/// Reads the result of a dialog.
pub(crate) fn read_answer(question: &Question, result: &ElicitResult) -> FormAnswer {
    match result.action {
        ElicitationAction::Accept => {
            match accepted_decisions(shown_asks(question), result.content.as_ref()) {
                Some(decisions) => FormAnswer::Decided(decisions),
                None => FormAnswer::Nothing,
            }
        }
        ElicitationAction::Decline => FormAnswer::Decided(Decisions::All(Decision::Abort)),
        _ => FormAnswer::Nothing,
    }
}

/// Returns the chosen decisions, or `None` if one of them was not offered.
fn accepted_decisions(asks: &[Ask], content: Option<&Value>) -> Option<Decisions> {
    let empty = Default::default();
    let chosen = match content {
        None | Some(Value::Null) => &empty,
        Some(Value::Object(chosen)) => chosen,
        Some(_) => return None,
    };
    let keyword = |name: &str| match chosen.get(name) {
        None | Some(Value::Null) => Some("approve"),
        Some(value) => value.as_str(),
    };
    let named: BTreeSet<String> = match asks {
        [_] => [DECISION.to_owned()].into(),
        asks => asks.iter().map(|ask| field_name(ask.id)).collect(),
    };
    if chosen.keys().any(|key| !named.contains(key)) {
        return None;
    }
    if let [ask] = asks {
        return match keyword(DECISION)? {
            "replan" => Some(Decisions::All(Decision::Replan)),
            keyword => Some(Decisions::Each([(ask.id, decision_for(ask, keyword)?)].into())),
        };
    }
    let each =
        asks.iter().map(|ask| Some((ask.id, decision_for(ask, keyword(&field_name(ask.id))?)?)));
    each.collect::<Option<_>>().map(Decisions::Each)
}

/// Returns the decision for a keyword, if it was offered.
fn decision_for(ask: &Ask, keyword: &str) -> Option<Decision> {
    let offer = offers(ask).into_iter().find(|offer| offer.keyword() == keyword)?;
    Some(match offer {
        AskChoice::Approve => Decision::Approve,
        AskChoice::Always => Decision::Always,
        AskChoice::AlwaysWithin(_, within) => Decision::AlwaysWithin(within),
        AskChoice::Decline => Decision::Decline,
    })
}

/// Returns the decision to allow calls like this permanently, under the offered conditions with
/// that number.
pub(crate) fn always_within(ask: &Ask, index: usize) -> Option<Decision> {
    suggest_constraints(ask).into_iter().nth(index).map(Decision::AlwaysWithin)
}

fn field_name(ask: AskId) -> String {
    format!("ask_{ask}")
}

fn choices(ask: &Ask) -> Vec<ConstTitle> {
    let choices = offers(ask).into_iter();
    choices.map(|offer| ConstTitle::new(offer.keyword(), offer.title(ask))).collect()
}

fn replan() -> ConstTitle {
    ConstTitle::new("replan", "No: end the program, a better one is wanted")
}

fn field(
    title: String,
    choices: Vec<ConstTitle>,
    description: Option<String>,
    format: ChoiceFormat,
) -> PrimitiveSchemaDefinition {
    if format == ChoiceFormat::Names {
        let (keywords, names) =
            choices.into_iter().map(|choice| (choice.const_, choice.title)).unzip();
        let mut schema = LegacyEnumSchema::new(keywords);
        schema.enum_names = Some(names);
        schema.title = Some(title.into());
        schema.description = description.map(Into::into);
        return PrimitiveSchemaDefinition::Enum(EnumSchema::Legacy(schema));
    }
    let mut schema = TitledSingleSelectEnumSchema::new(choices);
    schema.title = Some(title.into());
    schema.description = description.map(Into::into);
    schema.default = Some("approve".into());
    PrimitiveSchemaDefinition::Enum(EnumSchema::Single(SingleSelectEnumSchema::Titled(schema)))
}

/// Describes what a person has to do before accepting.
fn description(ask: &Ask) -> Option<String> {
    let Some(Need::Variables(variables)) = &ask.need else { return None };
    let names = in_one_line(&variables.names.join(", "));
    let file = in_one_line(&variables.file);
    let text = format!("Write {names} into {file}, never into this dialog; then accept");
    Some(fold_middle(&text, MAX_WIDTH))
}
