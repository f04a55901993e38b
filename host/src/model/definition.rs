//! The definition of a tool, as its server gives it.

use super::{Effects, ToolName, canonical};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// A tool as its server describes it. Everything but the name comes unchecked from the server: text
/// for people is escaped where it is shown, and schemas are bounded where they are used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Definition {
    /// `server:tool`: the server's name as in the configuration, the tool's name as the server
    /// writes it.
    pub tool: ToolName,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description for people and models.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its arguments: an object.
    pub input: Value,
    /// JSON Schema of its result, if the server gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// The server's hints about its effects.
    #[serde(default)]
    pub annotations: Annotations,
}

/// Hints of a server about one of its tools. They are hints: a server may lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Annotations {
    /// The tool changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// The tool may destroy something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Two equal calls have the same effect as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// The tool interacts with the world outside its server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

impl Definition {
    /// Returns the definition of a tool whose arguments match the schema `input`.
    pub fn new(tool: ToolName, description: impl Into<String>, input: Value) -> Definition {
        Definition {
            tool,
            title: None,
            description: description.into(),
            input,
            output: None,
            annotations: Annotations::default(),
        }
    }

    /// Returns the sha256, in hex, of name, title, description, schemas and annotations: of
    /// everything that an approval relies on.
    pub fn digest(&self) -> String {
        canonical::digest(&json!({
            "name": self.tool.tool(),
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input,
            "outputSchema": self.output,
            "annotations": self.annotations,
        }))
    }

    /// Returns what a call may do to the world, according to the annotations.
    pub fn effects(&self) -> Effects {
        let Annotations { read_only_hint, idempotent_hint, .. } = self.annotations;
        match (read_only_hint, idempotent_hint) {
            (Some(true), _) => Effects::ReadOnly,
            (_, Some(true)) => Effects::Idempotent,
            _ => Effects::Unknown,
        }
    }
}

/// The origin of a tool: the digests of its definition and its server at the time of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "RawOrigin", into = "RawOrigin")]
#[non_exhaustive]
pub struct ToolOrigin {
    /// sha256 of the tool's definition, in hex.
    pub definition: Arc<str>,
    /// sha256, in hex, of its server's identity: its launch line, or its URL.
    pub server: Arc<str>,
    /// sha256, in hex, of the package that the server was started from, if one was installed.
    pub package: Option<Arc<str>>,
}

impl ToolOrigin {
    /// Returns an origin.
    pub fn new(definition: impl Into<Arc<str>>, server: impl Into<Arc<str>>) -> ToolOrigin {
        ToolOrigin { definition: definition.into(), server: server.into(), package: None }
    }

    /// Returns the same origin with the package that the server was started from.
    pub fn with_package(self, package: Option<Arc<str>>) -> ToolOrigin {
        ToolOrigin { package, ..self }
    }
}

/// The serialised form of an origin.
#[derive(Serialize, Deserialize)]
struct RawOrigin {
    definition: String,
    server: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    package: Option<String>,
}

impl From<RawOrigin> for ToolOrigin {
    fn from(written: RawOrigin) -> ToolOrigin {
        let package = written.package.map(Arc::from);
        ToolOrigin::new(written.definition, written.server).with_package(package)
    }
}

impl From<ToolOrigin> for RawOrigin {
    fn from(origin: ToolOrigin) -> RawOrigin {
        RawOrigin {
            definition: origin.definition.as_ref().into(),
            server: origin.server.as_ref().into(),
            package: origin.package.as_deref().map(Into::into),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Definition;
    use crate::model::Effects;
    use serde_json::json;

    fn definition() -> Definition {
        let tool = "fs:read".parse().expect("a tool");
        Definition::new(tool, "Reads.", json!({ "type": "object" }))
    }

    #[test]
    fn everything_an_approval_relied_on_is_in_the_digest() {
        let one = definition();
        let changed = |change: fn(&mut Definition)| {
            let mut other = definition();
            change(&mut other);
            other.digest() != one.digest()
        };
        assert!(changed(|d| d.description.push('!')));
        assert!(changed(|d| d.title = Some("Read".into())));
        assert!(changed(|d| d.input = json!({ "type": "object", "properties": {} })));
        assert!(changed(|d| d.output = Some(json!({}))));
        assert!(changed(|d| d.annotations.read_only_hint = Some(true)));
        assert!(changed(|d| d.tool = "fs:write".parse().expect("a tool")));
        // The server's name is the user's choice, so it does not count as a change of the tool.
        assert!(!changed(|d| d.tool = "files:read".parse().expect("a tool")));
    }

    #[test]
    fn effects_are_those_that_the_tool_admits() {
        let mut one = definition();
        assert_eq!(one.effects(), Effects::Unknown);
        one.annotations.idempotent_hint = Some(true);
        assert_eq!(one.effects(), Effects::Idempotent);
        one.annotations.read_only_hint = Some(true);
        assert_eq!(one.effects(), Effects::ReadOnly);
    }
}
