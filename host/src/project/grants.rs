//! Interprets the grants of `.pml.json`. Input: a [`RawGrant`] and the document for positions.
//! Output: a [`Grant`].

use super::document::Document;
use super::fields::{LocatedText, Scalar, shown};
use super::raw_grant::{RawCondition, RawGrant};
use crate::error::Error;
use crate::model::{Condition, Constraint, Grant, GrantVersion, ToolName, ToolOrigin};

/// Maximum length of the digest of a definition, a server or a package.
const DIGEST: usize = 128;

/// Interprets a grant.
pub(super) fn grant(raw: &RawGrant, document: &Document) -> Result<Grant, Error> {
    let Some(tool) = &raw.tool else {
        return Err(document
            .error_at(raw.at, "a grant has no `tool`")
            .with_hint("add the tool that it allows, as in `\"tool\": \"server:tool\"`"));
    };
    let name: ToolName = tool.value.parse().ok().filter(is_one_tool).ok_or_else(|| {
        let message = format!(
            "`tool` of a grant is {}, which is not the name of one tool",
            shown(&tool.value)
        );
        document.error_at(tool.at, message).with_hint("write it as `server:tool`")
    })?;
    let version = version(raw, document)?;
    let conditions = raw.conditions.iter().map(|raw| constraint(raw, version, document));
    let mut grant = Grant::new(name, origin(raw, document)?, conditions.collect::<Result<_, _>>()?);
    grant.version = version;
    let granted = raw.granted.as_ref().map(|text| {
        let refuse = |error: crate::model::InvalidTimestamp| {
            let written = shown(&text.value);
            document.error_at(text.at, format!("`granted` of a grant is {written}: {error}"))
        };
        text.value.parse().map_err(refuse)
    });
    grant.granted = granted.transpose()?;
    Ok(grant)
}

/// Reports whether a name in `permissions.allow` would allow this tool and no other.
pub(super) fn is_one_tool(tool: &ToolName) -> bool {
    !tool.as_str().contains('*')
}

fn origin(raw: &RawGrant, document: &Document) -> Result<Option<ToolOrigin>, Error> {
    let known = |text: &LocatedText| {
        let length = text.value.len();
        match (1..=DIGEST).contains(&length)
            && text.value.bytes().all(|byte| byte.is_ascii_graphic())
        {
            true => Ok(text.value.clone()),
            false => {
                Err(document.error_at(text.at, "a grant has a text here that is not a digest"))
            }
        }
    };
    let package = raw.package.as_ref().map(known).transpose()?;
    match (&raw.definition, &raw.server) {
        (Some(definition), Some(server)) => {
            let origin = ToolOrigin::new(known(definition)?, known(server)?);
            Ok(Some(origin.with_package(package.map(Into::into))))
        }
        (None, None) if package.is_none() => Ok(None),
        // An incomplete origin does not identify a tool.
        _ => Err(document
            .error_at(raw.at, "a grant must have both `definition` and `server`, or neither")
            .with_hint("remove the grant: the next `always` writes it again")),
    }
}

/// Returns the version of a grant's conditions. Conditions without a version were written by an
/// older pml.
fn version(raw: &RawGrant, document: &Document) -> Result<GrantVersion, Error> {
    match &raw.version {
        None if raw.conditions.is_empty() => Ok(GrantVersion::Current),
        None => Ok(GrantVersion::Older),
        Some(Scalar::Number(number)) if number.value == GrantVersion::NUMBER.to_string() => {
            Ok(GrantVersion::Current)
        }
        Some(other) => {
            let message = format!("`version` of a grant can only be {}", GrantVersion::NUMBER);
            let hint = "update pml if a newer one wrote it; otherwise remove the grant: the next `always` \
                        writes it again";
            Err(document.error_at(other.at(), message).with_hint(hint))
        }
    }
}

fn constraint(
    raw: &RawCondition,
    version: GrantVersion,
    document: &Document,
) -> Result<Constraint, Error> {
    let text = || raw.value.as_str().unwrap_or_default().to_owned();
    let is = match raw.key {
        "under" => Condition::Under(text()),
        "host" => Condition::Host(text()),
        "any" => Condition::Any,
        _ => Condition::Equals(raw.value.clone()),
    };
    let constraint = Constraint::new(raw.argument.value.clone(), is);
    // Conditions of an older pml cover nothing, whatever they are: they are only shown.
    let flaw = match version {
        GrantVersion::Older => None,
        GrantVersion::Current => constraint.flaw(),
    };
    match flaw {
        None => Ok(constraint),
        Some(flaw) => {
            let message = format!("the condition on {} {flaw}", shown(&raw.argument.value));
            Err(document.error_at(raw.argument.at, message))
        }
    }
}
