//! Writes one line that shows an agent how to call a tool and what it returns.

use super::reader::{ReferenceMode, SchemaReader};
use super::result::{self, ResultTypeSource};
use super::text::{comment, is_identifier, quoted};
use super::types::{FieldPresence, Type};
use super::write::{Style, write};
use crate::catalog::ObservedResults;
use crate::model::{Definition, cut};
use serde_json::Value;

/// Longest signature, in characters, without the comment. A call with a dozen fields fits.
const SIGNATURE: usize = 600;
/// Longest first sentence of a description, in characters.
const SENTENCE: usize = 160;
/// Deepest object that is written out, if there is space for it.
const DEPTH: usize = 4;

/// Returns the signature of a tool, on one line:
/// `mcp.github.search(args: { q: string }): Promise<any> // Searches.`
///
/// Objects that are too deep for the available space become `{ … }`.
pub fn signature(definition: &Definition, observed: Option<&ObservedResults>) -> String {
    let call = call_signature(definition, observed);
    match first_sentence(&definition.description) {
        about if about.is_empty() => call,
        about => format!("{call} // {about}"),
    }
}

/// Returns the signature of a tool, without its description.
pub(in crate::catalog) fn call_signature(
    definition: &Definition,
    observed: Option<&ObservedResults>,
) -> String {
    let inline = |schema: &Value| SchemaReader::new(schema, ReferenceMode::Inline).read_root();
    let arguments = inline(&definition.input);
    let (result, source) = result::result_type(definition, observed, inline);
    let name = format!(
        "mcp{}{}",
        member_access(definition.tool.server()),
        member_access(definition.tool.tool())
    );
    let inferred = match source {
        ResultTypeSource::Inferred(_) => source.note().map(|note| format!(" /* {note} */")),
        _ => None,
    };
    let mut text = String::new();
    for depth in (0..=DEPTH).rev() {
        let arguments = match takes_no_arguments(&arguments) {
            true => String::new(),
            false => {
                let mark = if is_optional(&arguments) { "?" } else { "" };
                format!("args{mark}: {}", write(&arguments, Style::Line(depth)))
            }
        };
        let result = write(&result, Style::Line(depth));
        let inferred = inferred.as_deref().unwrap_or_default();
        text = format!("{name}({arguments}): Promise<{result}>{inferred}");
        if text.chars().count() <= SIGNATURE {
            return text;
        }
    }
    cut(&text, SIGNATURE)
}

/// Reports whether a call may omit its arguments.
pub(super) fn is_optional(arguments: &Type) -> bool {
    match arguments {
        Type::Object(fields, _) => {
            fields.iter().all(|field| field.presence == FieldPresence::Optional)
        }
        Type::Unknown(_) => true,
        _ => false,
    }
}

fn takes_no_arguments(arguments: &Type) -> bool {
    arguments.is_uninformative()
        || matches!(arguments, Type::Object(fields, Some(index))
            if fields.is_empty() && **index == Type::Never)
}

fn member_access(name: &str) -> String {
    match is_identifier(name) {
        true => format!(".{name}"),
        false => format!("[{}]", quoted(name)),
    }
}

/// Returns the first sentence of a description, on one line.
pub(in crate::catalog) fn first_sentence(description: &str) -> String {
    let start: String = description.trim_start().chars().take(SENTENCE * 4).collect();
    let paragraph = start.split("\n\n").next().unwrap_or_default();
    let end = paragraph
        .match_indices(['.', '!', '?'])
        .map(|(at, mark)| at + mark.len())
        .find(|end| paragraph[*end..].chars().next().is_none_or(char::is_whitespace));
    comment(&paragraph[..end.unwrap_or(paragraph.len())], SENTENCE)
}
