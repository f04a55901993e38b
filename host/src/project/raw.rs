//! `.pml.json` as it is typed: every value has the right type and every key is known, but nothing
//! is interpreted yet.
//!
//! Input: a [`Document`]. Output: [`RawSettings`], which `resolve.rs` interprets.
//! `host/pml.schema.json` describes the same for editors; a test compares the two.

use super::document::Document;
use super::fields::{FieldReader, LocatedText, Scalar, UnknownKeys};
use super::raw_grant::{RawGrant, grants};
use super::raw_server::{RawServer, servers};
use crate::error::Error;
use jsonc_parser::ast::Value;

/// The keys of the file.
pub(super) const KEYS: &[&str] = &[
    "$schema",
    "version",
    "permissions",
    "servers",
    "routing",
    "cloud",
    "limits",
    "approvals",
    "durability",
];

/// The keys of `permissions`.
pub(super) const PERMISSION_KEYS: &[&str] = &["allow", "deny", "ask", "grants"];

/// The keys of `cloud`.
pub(super) const CLOUD_KEYS: &[&str] = &["url", "apiKeyEnv"];

/// The keys of `approvals`.
pub(super) const APPROVAL_KEYS: &[&str] = &["timeout", "modelMayApprove"];

/// The keys of `limits`.
pub(super) const LIMIT_KEYS: &[&str] = &[
    "cpuTime",
    "timeout",
    "memory",
    "stack",
    "source",
    "inputs",
    "result",
    "console",
    "calls",
    "callsInFlight",
    "arguments",
    "journal",
    "reply",
];

/// The file as typed.
#[derive(Debug, Default)]
pub(super) struct RawSettings {
    pub(super) version: Option<LocatedText>,
    /// `None` if the file has no `permissions`.
    pub(super) permissions: Option<RawPermissions>,
    pub(super) servers: Vec<RawServer>,
    pub(super) routing: Vec<(LocatedText, LocatedText)>,
    pub(super) cloud: Option<RawCloud>,
    pub(super) limits: Vec<(&'static str, Scalar)>,
    pub(super) approval_timeout: Option<LocatedText>,
    pub(super) model_may_approve: Option<bool>,
    pub(super) durability: Option<LocatedText>,
}

/// `permissions` as typed.
#[derive(Debug, Default)]
pub(super) struct RawPermissions {
    pub(super) allow: Vec<LocatedText>,
    pub(super) deny: Vec<LocatedText>,
    pub(super) ask: Vec<LocatedText>,
    pub(super) grants: Vec<RawGrant>,
}

/// `cloud` as typed.
#[derive(Debug, Default)]
pub(super) struct RawCloud {
    pub(super) at: usize,
    pub(super) url: Option<LocatedText>,
    pub(super) api_key_env: Option<LocatedText>,
}

/// Reads `.pml.json`.
pub(super) fn settings(document: &Document) -> Result<RawSettings, Error> {
    let reader = FieldReader { document, unknown: UnknownKeys::Refused };
    let mut raw = RawSettings::default();
    // An empty file is probably one that is still being written.
    let tree = document.tree()?;
    let tree =
        tree.ok_or_else(|| document.error_at(0, "the file is empty").with_hint("write `{}`"))?;
    for (key, property) in reader.fields(&tree, "`.pml.json`", KEYS)? {
        let value = &property.value;
        match key {
            "version" => raw.version = Some(reader.text(value, "`version`")?),
            "permissions" => raw.permissions = Some(permissions(reader, value)?),
            "servers" => raw.servers = servers(reader, value, "`servers`")?,
            "routing" => raw.routing = reader.pairs(value, "`routing`")?,
            "cloud" => raw.cloud = Some(cloud(reader, value, property.range.start)?),
            "limits" => raw.limits = limits(reader, value)?,
            "approvals" => approvals(reader, value, &mut raw)?,
            "durability" => raw.durability = Some(reader.text(value, "`durability`")?),
            // The schema is for editors.
            _ => drop(reader.text(value, "`$schema`")?),
        }
    }
    Ok(raw)
}

fn permissions(reader: FieldReader<'_>, value: &Value<'_>) -> Result<RawPermissions, Error> {
    let mut raw = RawPermissions::default();
    for (key, property) in reader.fields(value, "`permissions`", PERMISSION_KEYS)? {
        let what = format!("`permissions.{key}`");
        match key {
            "allow" => raw.allow = reader.texts(&property.value, &what)?,
            "deny" => raw.deny = reader.texts(&property.value, &what)?,
            "ask" => raw.ask = reader.texts(&property.value, &what)?,
            _ => raw.grants = grants(reader, &property.value)?,
        }
    }
    Ok(raw)
}

fn cloud(reader: FieldReader<'_>, value: &Value<'_>, at: usize) -> Result<RawCloud, Error> {
    let mut raw = RawCloud { at, ..RawCloud::default() };
    for (key, property) in reader.fields(value, "`cloud`", CLOUD_KEYS)? {
        let text = reader.text(&property.value, &format!("`cloud.{key}`"))?;
        match key {
            "url" => raw.url = Some(text),
            _ => raw.api_key_env = Some(text),
        }
    }
    Ok(raw)
}

fn limits(
    reader: FieldReader<'_>,
    value: &Value<'_>,
) -> Result<Vec<(&'static str, Scalar)>, Error> {
    let fields = reader.fields(value, "`limits`", LIMIT_KEYS)?.into_iter();
    let scalar = |(key, property): (_, &jsonc_parser::ast::ObjectProp<'_>)| {
        Ok((key, reader.scalar(&property.value, &format!("`limits.{key}`"))?))
    };
    fields.map(scalar).collect()
}

fn approvals(
    reader: FieldReader<'_>,
    value: &Value<'_>,
    raw: &mut RawSettings,
) -> Result<(), Error> {
    for (key, property) in reader.fields(value, "`approvals`", APPROVAL_KEYS)? {
        let what = format!("`approvals.{key}`");
        match key {
            "timeout" => raw.approval_timeout = Some(reader.text(&property.value, &what)?),
            _ => raw.model_may_approve = Some(reader.boolean(&property.value, &what)?),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Document, settings};
    use crate::disk::user_files::FileContents;

    fn refusal(text: &str) -> String {
        let file = FileContents { path: "/p/.pml.json".into(), bytes: text.into() };
        let error = settings(&Document::new(file).unwrap()).expect_err(text);
        let frame = error.code_frame().expect("a code frame");
        format!("{error}\n{frame}\nhint: {}", error.hint().unwrap_or_default())
    }

    #[test]
    fn a_wrong_key_is_shown_with_the_right_one() {
        let shown = refusal("{\n  \"version\": \"0.1.0\",\n  \"permisions\": {}\n}");
        let expected = "`.pml.json` has no key `permisions`: /p/.pml.json:3:3\n  \
                        ╭─[.pml.json:3:3]\n3 │   \"permisions\": {}\n  ·   ╵\n\
                        hint: did you mean `permissions`?";
        assert_eq!(shown, expected);
        let shown = refusal(r#"{ "servers": { "a": { "comand": "x" } } }"#);
        assert!(shown.ends_with("hint: did you mean `command`?"), "{shown}");
    }

    #[test]
    fn a_wrong_kind_is_named_by_its_key() {
        for (text, part) in [
            ("[]", "`.pml.json` must be an object, not an array"),
            ("", "the file is empty"),
            (r#"{ "version": 1 }"#, "`version` must be a string, not a number"),
            (
                r#"{ "permissions": { "allow": "*" } }"#,
                "`permissions.allow` must be an array, not a string",
            ),
            (
                r#"{ "permissions": { "deny": [1] } }"#,
                "each item of `permissions.deny` must be a string, not a number",
            ),
            (
                r#"{ "limits": { "calls": [] } }"#,
                "`limits.calls` must be a string or a number, not an array",
            ),
            (r#"{ "approvals": { "modelMayApprove": "yes" } }"#, "must be `true` or `false`"),
            (
                r#"{ "servers": { "a": { "env": { "N": 1 } } } }"#,
                "`N` in `servers.a.env` must be a string, not a number",
            ),
            (r#"{ "cloud": {}, "cloud": {} }"#, "`.pml.json` has the key `cloud` twice"),
        ] {
            assert!(refusal(text).contains(part), "{text}: {}", refusal(text));
        }
    }
}
