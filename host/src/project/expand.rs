//! Variables in settings: `${NAME}`, `${NAME:-default}`, and the same with `env:` before the name.
//!
//! Input: a text as written. Output: a [`Template`] and, once the project is trusted, its value.
//!
//! **Invariant:** a variable that is not set is reported; its spelling never becomes a value.
//! **Invariant:** a value is not expanded again.

use crate::model::Secret;

/// The findings of an expansion.
#[derive(Debug, Default)]
pub(super) struct ExpansionReport {
    /// Names of variables without a value and without a default.
    pub(super) missing: Vec<String>,
    /// The values of variables: each may be a key.
    pub(super) secrets: Vec<Secret>,
}

/// A text that may contain variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    written: String,
    parts: Vec<TemplatePart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Literal(String),
    Variable { name: String, default: Option<String> },
}

impl Template {
    /// Parses the variables of a text. Text that only looks like a variable is an error.
    pub(super) fn parse(text: &str) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            if start > 0 {
                parts.push(TemplatePart::Literal(rest[..start].into()));
            }
            let inner = &rest[start + 2..];
            let end = inner.find('}').ok_or("a `${` is not closed with `}`")?;
            parts.push(variable(&inner[..end])?);
            rest = &inner[end + 1..];
        }
        if !rest.is_empty() {
            parts.push(TemplatePart::Literal(rest.into()));
        }
        Ok(Template { written: text.into(), parts })
    }

    /// Returns the text as it was written.
    pub(super) fn written(&self) -> &str {
        &self.written
    }

    /// Reports whether it contains no variable.
    pub(super) fn is_plain(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, TemplatePart::Literal(_)))
    }

    /// Returns the names of its variables, each with whether it has a default.
    pub(super) fn variables(&self) -> impl Iterator<Item = (&str, bool)> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Literal(_) => None,
            TemplatePart::Variable { name, default } => Some((name.as_str(), default.is_some())),
        })
    }

    /// Expands the variables, and adds to `found`.
    pub(super) fn expand<'v>(
        &self,
        value: impl Fn(&str) -> Option<&'v str>,
        found: &mut ExpansionReport,
    ) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                TemplatePart::Literal(literal) => text += literal,
                TemplatePart::Variable { name, default } => match (value(name), default) {
                    // As in a shell, the default also replaces an empty value.
                    (None | Some(""), Some(default)) => text += default,
                    (Some(value), _) => {
                        found.secrets.push(Secret::new(value));
                        text += value;
                    }
                    (None, None) if found.missing.contains(name) => {}
                    (None, None) => found.missing.push(name.clone()),
                },
            }
        }
        text
    }
}

fn variable(inner: &str) -> Result<TemplatePart, String> {
    let bare = inner.strip_prefix("env:").unwrap_or(inner);
    let (name, default) = match bare.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (bare, None),
    };
    if !is_variable(name) {
        return Err(format!("`${{{}}}` is not a variable", crate::model::escape(inner)));
    }
    if default.is_some_and(|default| default.contains("${")) {
        return Err(format!("the default of `{name}` contains another variable"));
    }
    Ok(TemplatePart::Variable { name: name.into(), default: default.map(Into::into) })
}

/// Reports whether a text is a valid name of a variable.
pub(super) fn is_variable(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::{ExpansionReport, Template};

    fn expand(text: &str) -> (String, Vec<String>) {
        let value = |name: &str| match name {
            "SET" => Some("value"),
            "EMPTY" => Some(""),
            "HOSTILE" => Some("${SET}"),
            _ => None,
        };
        let mut found = ExpansionReport::default();
        let text = Template::parse(text).expect("a template").expand(value, &mut found);
        (text, found.missing)
    }

    #[test]
    fn variables_are_put_in() {
        for (text, expected) in [
            ("plain $SET {SET} $", "plain $SET {SET} $"),
            ("a ${SET} b ${env:SET}", "a value b value"),
            ("${UNSET:-x y}${env:UNSET:-}", "x y"),
            ("${SET:-x}${EMPTY}|${EMPTY:-d}", "value|d"),
            ("${UNSET:-a:-b}", "a:-b"),
            ("${HOSTILE}", "${SET}"),
        ] {
            assert_eq!(expand(text), (expected.into(), Vec::new()), "{text}");
        }
    }

    #[test]
    fn what_is_not_set_is_named_once_and_never_left_as_written() {
        let (text, missing) = expand("a${UNSET}b${OTHER}${UNSET}");
        assert_eq!((text.as_str(), missing), ("ab", vec!["UNSET".to_owned(), "OTHER".into()]));
    }

    #[test]
    fn values_of_variables_are_secrets_and_what_is_written_is_none() {
        let mut found = ExpansionReport::default();
        let template = Template::parse("--key=${SET} ${UNSET:-usual} x").expect("a template");
        template.expand(|name| (name == "SET").then_some("value"), &mut found);
        assert_eq!(found.secrets, [crate::model::Secret::new("value")]);
    }

    #[test]
    fn what_only_looks_like_a_variable_is_refused() {
        for text in ["${", "${}", "${a b}", "${1}", "${input:key}", "${A%%x}", "${A:-${B}}"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }
}
