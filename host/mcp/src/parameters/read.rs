//! Reads parameters, and refuses wrong ones in words that a model can act on.

use pml::json::{Map, Value};
use pml::text::{cut, in_one_line, nearest};
use rmcp::ErrorData;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;

/// Maximum number of characters of a wrong name or value that a refusal repeats.
const MAX_SHOWN: usize = 60;

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterType {
    Text,
    Flag,
    /// A whole number from 0 on.
    Number,
    Object,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// A parameter of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    name: &'static str,
    kind: ParameterType,
    required: bool,
}

impl Parameter {
    /// Returns a parameter that may be left out.
    pub(crate) const fn optional(name: &'static str, kind: ParameterType) -> Parameter {
        Parameter { name, kind, required: false }
    }

    /// Returns a parameter that must be given.
    pub(crate) const fn required(name: &'static str, kind: ParameterType) -> Parameter {
        Parameter { name, kind, required: true }
    }
}

/// Reads the arguments of a tool, which has these parameters. `null` counts as left out.
pub(crate) fn read<T: DeserializeOwned>(
    known: &[Parameter],
    arguments: Option<JsonObject>,
) -> Result<T, ErrorData> {
    read_object("", known, arguments.unwrap_or_default())
}

/// Reads an object. `path` is what its fields are called by, such as `continue_workflow.`.
pub(super) fn read_object<T: DeserializeOwned>(
    path: &str,
    known: &[Parameter],
    mut given: Map<String, Value>,
) -> Result<T, ErrorData> {
    given.retain(|_, value| !value.is_null());
    for (name, value) in &given {
        let Some(parameter) = known.iter().find(|parameter| parameter.name == name) else {
            return Err(unknown(path, name, known));
        };
        if let Some(expected) = parameter.kind.mismatch(value) {
            let found = found(value);
            return Err(wrong(&format!("`{path}{name}` must be {expected}, not {found}")));
        }
    }
    let missing = known.iter().find(|it| it.required && !given.contains_key(it.name));
    if let Some(Parameter { name, kind, .. }) = missing {
        return Err(wrong(&format!("`{path}{name}` is missing: it must be {}", kind.expected())));
    }
    serde_json::from_value(Value::Object(given)).map_err(|error| {
        let error = error.to_string();
        wrong(&match path.strip_suffix('.') {
            Some(path) => format!("`{path}`: {error}"),
            None => error,
        })
    })
}

/// Returns the refusal of wrong parameters.
pub(crate) fn wrong(what: &str) -> ErrorData {
    ErrorData::invalid_params(what.to_owned(), None)
}

/// Returns the refusal of a `tools/call` whose own parameters are wrong.
pub(crate) fn wrong_call(params: Option<&Value>) -> ErrorData {
    const KNOWN: [Parameter; 2] = [
        Parameter::required("name", ParameterType::Text),
        Parameter::optional("arguments", ParameterType::Object),
    ];
    let given = params.and_then(Value::as_object);
    let named = |parameter: &Parameter| {
        Some((parameter.name.to_owned(), given?.get(parameter.name)?.clone()))
    };
    match read_object::<Value>("", &KNOWN, KNOWN.iter().filter_map(named).collect()) {
        Err(error) => error,
        Ok(_) => wrong("the parameters of `tools/call` are wrong"),
    }
}

fn unknown(path: &str, name: &str, known: &[Parameter]) -> ErrorData {
    let names = || known.iter().map(|parameter| parameter.name);
    let shown = cut(&in_one_line(name), MAX_SHOWN);
    let hint = match nearest(name, names()).first() {
        Some(similar) => format!("did you mean `{path}{similar}`?"),
        None => format!("there are {}", listed(names())),
    };
    wrong(&format!("there is no parameter `{path}{shown}`: {hint}"))
}

/// Formats names as a list.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    match &names[..] {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        names => names.concat(),
    }
}

impl ParameterType {
    /// Returns what is expected, if a value is something else.
    fn mismatch(self, value: &Value) -> Option<String> {
        let fits = match self {
            ParameterType::Text => value.is_string(),
            ParameterType::Flag => value.is_boolean(),
            ParameterType::Number => value.is_u64(),
            ParameterType::Object => value.is_object(),
            ParameterType::Word(words) => value.as_str().is_some_and(|it| words.contains(&it)),
        };
        (!fits).then(|| self.expected())
    }

    fn expected(self) -> String {
        match self {
            ParameterType::Text => "a string".into(),
            ParameterType::Flag => "true or false".into(),
            ParameterType::Number => "a whole number from 0 on".into(),
            ParameterType::Object => "an object".into(),
            ParameterType::Word(words) => {
                let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
                format!("one of {}", words.join(", "))
            }
        }
    }
}

/// Describes a value that was given.
fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.chars().count() <= MAX_SHOWN => {
            format!("the string \"{}\"", in_one_line(text))
        }
        Value::String(_) => "a string".into(),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
    }
}
