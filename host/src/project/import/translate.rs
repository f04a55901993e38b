//! Converts an entry of another client's file into one of `.pml.json`.

use super::source::{ImportLocation, ImportScope, ImportSource};
use crate::model::{escape, redact};
use crate::project::expand::is_variable;
use crate::project::fields::shown;
use crate::project::new_server::check_new_server;
use crate::project::raw_server::{SERVER_KEYS, is_pml};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// A server that can be added to `.pml.json`. It may come from an untrusted file: escape it before
/// it is shown.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FoundServer {
    /// Its name, changed to one that pml accepts.
    pub name: String,
    /// The client that it comes from.
    pub client: ImportSource,
    /// The file that contains it.
    pub file: PathBuf,
    /// The owner of that file.
    pub scope: ImportScope,
    /// Its launch line or URL, as it would be written.
    pub launch: String,
    /// The entry as it would be written.
    pub entry: Value,
    /// Notes for the user; safe to show.
    pub notes: Vec<String>,
}

/// Translates the entries at one location.
pub(super) struct ImportTranslator<'a> {
    pub(super) client: ImportSource,
    pub(super) location: &'a ImportLocation,
    pub(super) root: &'a Path,
}

impl ImportTranslator<'_> {
    /// Returns the translated entry, or `None` if the server is pml itself. The error says why it
    /// cannot be translated.
    pub(super) fn translate(
        &self,
        name: &str,
        entry: &Value,
    ) -> Result<Option<FoundServer>, String> {
        let Some(fields) = entry.as_object() else { return Err("it is not an object".into()) };
        let command = fields.get("command").and_then(Value::as_str);
        if name == "pml" || command.is_some_and(is_pml) {
            return Ok(None);
        }
        if let Some(kind @ ("sse" | "ws")) = fields.get("type").and_then(Value::as_str) {
            return Err(format!("its type `{kind}` is not supported"));
        }
        let mut notes = Vec::new();
        let (ours, foreign): (Map<_, _>, Map<_, _>) =
            fields.clone().into_iter().partition(|(key, _)| SERVER_KEYS.contains(&key.as_str()));
        for key in foreign.keys() {
            notes.push(format!("its key {} is left out, because pml does not know it", shown(key)));
        }
        let entry = self.text_of(&Value::Object(ours), &mut notes)?;
        let valid = valid_name(name);
        if valid != name {
            notes.push(format!("its name there is {}", shown(name)));
        }
        note_literal_secrets(&entry, &mut notes);
        let launch = check(&valid, &entry)?;
        Ok(Some(FoundServer {
            name: valid,
            client: self.client,
            file: self.location.path.clone(),
            scope: self.location.scope,
            launch,
            entry,
            notes,
        }))
    }

    /// Replaces the client's variables by those of pml, in all texts of a value.
    fn text_of(&self, value: &Value, notes: &mut Vec<String>) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => self.variables(text, notes)?.into(),
            Value::Array(items) => {
                items.iter().map(|item| self.text_of(item, notes)).collect::<Result<_, _>>()?
            }
            Value::Object(fields) => {
                let field = |(key, value): (&String, &Value)| {
                    Ok((key.clone(), self.text_of(value, notes)?))
                };
                Value::Object(fields.iter().map(field).collect::<Result<_, String>>()?)
            }
            plain => plain.clone(),
        })
    }

    fn variables(&self, text: &str, notes: &mut Vec<String>) -> Result<String, String> {
        if !matches!(self.client, ImportSource::VsCode | ImportSource::Cursor) {
            return Ok(text.into());
        }
        let mut translated = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            translated += &rest[..start];
            let inner = &rest[start + 2..];
            let Some(end) = inner.find('}') else {
                return Err("a `${` is not closed with `}`".into());
            };
            translated += &self.variable(&inner[..end], notes)?;
            rest = &inner[end + 1..];
        }
        Ok(translated + rest)
    }

    fn variable(&self, inner: &str, notes: &mut Vec<String>) -> Result<String, String> {
        let root = || {
            self.root.to_str().ok_or_else(|| "the path of this folder is not Unicode".to_owned())
        };
        match inner {
            "workspaceFolder" => {
                let note = "`${workspaceFolder}` is replaced by the path of this folder".to_owned();
                if !notes.contains(&note) {
                    notes.push(note);
                }
                root().map(Into::into)
            }
            "userHome" => Ok("${HOME}".into()),
            _ if inner.starts_with("env:") || is_environment(inner) => Ok(format!("${{{inner}}}")),
            _ => match inner.strip_prefix("input:") {
                Some(input) => {
                    let name = variable_name(input);
                    let note = format!(
                        "set the variable `{name}`, which takes the place of the input {}",
                        shown(input)
                    );
                    if !notes.contains(&note) {
                        notes.push(note);
                    }
                    Ok(format!("${{{name}}}"))
                }
                None => Err(format!("pml has no variable `${{{}}}`", escape(inner))),
            },
        }
    }
}

/// Reports whether a variable is one of the environment. The clients' own variables are written
/// like `workspaceFolder`; those of the environment are in capitals.
fn is_environment(inner: &str) -> bool {
    let name = inner.split(":-").next().unwrap_or(inner);
    is_variable(name) && !name.contains(|c: char| c.is_ascii_lowercase())
}

/// Converts an input's id into a variable: `perplexity-key` → `PERPLEXITY_KEY`.
fn variable_name(input: &str) -> String {
    let upper = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name: String = input.chars().map(upper).collect();
    match name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        true => name,
        false => format!("INPUT_{name}"),
    }
}

/// Converts a name into one that pml accepts: some clients allow any text.
fn valid_name(name: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '-' };
    let valid: String = name.trim().chars().take(64).map(keep).collect();
    if valid.is_empty() { "server".into() } else { valid }
}

/// Adds notes that name the literal values that look like secrets.
fn note_literal_secrets(entry: &Value, notes: &mut Vec<String>) {
    for key in ["env", "headers"] {
        for (name, value) in entry[key].as_object().into_iter().flatten() {
            let Some(text) = value.as_str().filter(|text| !text.is_empty()) else { continue };
            let looks_secret = redact(&json!({ name: text })) != json!({ name: text });
            if looks_secret && !text.contains("${") {
                let variable = variable_name(name);
                notes.push(format!(
                    "its {key} holds {} as it is: move the value to `.env` and write `${{{variable}}}`",
                    shown(name)
                ));
            }
        }
    }
}

/// Reads the entry as if it were in `.pml.json`, and returns its launch line.
fn check(name: &str, entry: &Value) -> Result<String, String> {
    let declared = check_new_server(name, entry).map_err(|error| error.to_string())?;
    Ok(declared.launch)
}
