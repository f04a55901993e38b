//! What a person allowed for good.

use super::{Constraint, Origin, Timestamp, ToolName};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;

/// A tool that need not be asked about any more, as long as it stays what it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Grant {
    /// The tool.
    pub tool: ToolName,
    /// Its definition and its server, where they were known: if one changes, the grant lapses.
    pub origin: Option<Origin>,
    /// What the arguments must be.
    pub constraints: Vec<Constraint>,
    /// When it was given, where that is known.
    pub granted: Option<Timestamp>,
}

impl Grant {
    /// Returns a grant.
    pub fn new(tool: ToolName, origin: Option<Origin>, constraints: Vec<Constraint>) -> Grant {
        Grant { tool, origin, constraints, granted: None }
    }

    /// Returns whether the tool is what it was, as far as the grant says what that is.
    pub fn is_of(&self, origin: Option<&Origin>) -> bool {
        let Some(was) = &self.origin else { return true };
        origin.is_some_and(|is| {
            let package = was.package.is_none() || was.package == is.package;
            was.definition == is.definition && was.server == is.server && package
        })
    }

    /// Returns whether arguments are like those that it was given for.
    pub fn covers(&self, arguments: &Value) -> bool {
        Constraint::all_hold(&self.constraints, arguments)
    }

    /// Returns whether two grants are for the same arguments, in whatever order that is said.
    #[cfg(feature = "servers")]
    pub(crate) fn same_conditions(&self, other: &Grant) -> bool {
        let within = |some: &[Constraint], all: &[Constraint]| {
            some.iter().all(|constraint| all.contains(constraint))
        };
        within(&self.constraints, &other.constraints)
            && within(&other.constraints, &self.constraints)
    }

    /// Returns the conditions by argument, as they are written.
    fn written_conditions(&self) -> Map<String, Value> {
        let mut written = Map::new();
        for Constraint { argument, is } in &self.constraints {
            let conditions = written.entry(argument.as_str()).or_insert_with(|| Map::new().into());
            let (key, value) = is.written();
            conditions[key] = value;
        }
        written
    }
}

/// As it stands in `.pml.json`.
impl Serialize for Grant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("tool", &self.tool)?;
        if let Some(Origin { definition, server, package }) = &self.origin {
            map.serialize_entry("definition", &**definition)?;
            map.serialize_entry("server", &**server)?;
            if let Some(package) = package {
                map.serialize_entry("package", &**package)?;
            }
        }
        if !self.constraints.is_empty() {
            map.serialize_entry("where", &self.written_conditions())?;
        }
        if let Some(granted) = self.granted {
            map.serialize_entry("granted", &granted.to_string())?;
        }
        map.end()
    }
}

/// For people: the tool, and what the arguments must be.
impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.tool)?;
        for (index, constraint) in self.constraints.iter().enumerate() {
            let joint = if index == 0 { "with" } else { "and" };
            write!(f, " {joint} {constraint}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Grant;
    use crate::model::{Condition, Constraint, Origin, Timestamp};
    use serde_json::json;

    fn grant(constraints: Vec<Constraint>) -> Grant {
        let origin = Origin::new("d", "s").with_package(Some("p".into()));
        Grant::new("a:b".parse().expect("a tool"), Some(origin), constraints)
    }

    #[test]
    fn it_is_of_a_tool_that_is_what_it_was() {
        let of = |origin: Origin| grant(Vec::new()).is_of(Some(&origin));
        let package = |package: &str| Some(package.into());
        assert!(of(Origin::new("d", "s").with_package(package("p"))));
        assert!(!of(Origin::new("e", "s").with_package(package("p"))));
        assert!(!of(Origin::new("d", "t").with_package(package("p"))));
        assert!(!of(Origin::new("d", "s").with_package(package("q"))));
        assert!(!of(Origin::new("d", "s")));
        assert!(!grant(Vec::new()).is_of(None));
        // What it does not name may be anything.
        let unpacked = Grant { origin: Some(Origin::new("d", "s")), ..grant(Vec::new()) };
        assert!(unpacked.is_of(Some(&Origin::new("d", "s").with_package(package("p")))));
        let unknown = Grant { origin: None, ..grant(Vec::new()) };
        assert!(unknown.is_of(None) && unknown.is_of(Some(&Origin::new("x", "y"))));
    }

    #[test]
    fn it_is_written_and_shown() {
        let within = vec![
            Constraint::new("path", Condition::Under("/n".into())),
            Constraint::new("owner", Condition::Equals(json!("acme"))),
        ];
        let whole = Grant { granted: Some(Timestamp(0)), ..grant(within) };
        let expected = json!({
            "tool": "a:b", "definition": "d", "server": "s", "package": "p",
            "where": { "path": { "under": "/n" }, "owner": { "equals": "acme" } },
            "granted": "1970-01-01T00:00:00.000Z",
        });
        assert_eq!(serde_json::to_value(&whole).expect("JSON"), expected);
        assert_eq!(whole.to_string(), "`a:b` with `path` under `/n` and `owner` equal to `acme`");
        let plain = Grant { origin: None, ..grant(Vec::new()) };
        assert_eq!(serde_json::to_value(&plain).expect("JSON"), json!({ "tool": "a:b" }));
    }
}
