//! Grants: permissions that a person gave permanently.

use super::{Constraint, PathResolver, Timestamp, ToolName, ToolOrigin};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;

/// A permission to call a tool without asking, as long as the tool does not change.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Grant {
    /// The tool.
    pub tool: ToolName,
    /// Its definition and its server, if they were known: if one changes, the grant lapses.
    pub origin: Option<ToolOrigin>,
    /// Conditions on the arguments. Without conditions the arguments may be anything; with
    /// conditions, every argument must be named.
    pub constraints: Vec<Constraint>,
    /// The version of pml's rules that the conditions were written for.
    pub version: GrantVersion,
    /// The conditions of an older grant of the tool that this one replaces. They are not written to
    /// the file.
    pub replaces: Vec<Constraint>,
    /// When it was given, if that is known.
    pub granted: Option<Timestamp>,
}

/// The rules by which the conditions of a grant are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrantVersion {
    /// The rules of an older pml: arguments that no condition names were free. Such a grant covers
    /// no call any more.
    Older,
    /// Every argument must be named.
    #[default]
    Current,
}

impl GrantVersion {
    /// The version number in the file for grants whose conditions follow the current rules.
    pub(crate) const NUMBER: u64 = 2;
}

impl Grant {
    /// Returns a grant.
    pub fn new(tool: ToolName, origin: Option<ToolOrigin>, constraints: Vec<Constraint>) -> Grant {
        let (version, replaces) = (GrantVersion::Current, Vec::new());
        Grant { tool, origin, constraints, version, replaces, granted: None }
    }

    /// Reports whether it has conditions that an older pml wrote.
    pub fn has_older_conditions(&self) -> bool {
        self.version == GrantVersion::Older && !self.constraints.is_empty()
    }

    /// Reports whether `origin` is the one that the grant was given for. A grant without an origin
    /// matches any; one without a package matches any package.
    pub fn matches_origin(&self, origin: Option<&ToolOrigin>) -> bool {
        let Some(was) = &self.origin else { return true };
        origin.is_some_and(|is| {
            let package = was.package.is_none() || was.package == is.package;
            was.definition == is.definition && was.server == is.server && package
        })
    }

    /// Reports whether the grant covers the arguments of a call: all arguments if it has no
    /// conditions, otherwise those that its conditions cover.
    pub(crate) fn covers(&self, arguments: &Value, paths: &dyn PathResolver) -> bool {
        let covered = || Constraint::cover(&self.constraints, arguments, paths);
        self.constraints.is_empty() || !self.has_older_conditions() && covered()
    }

    /// Reports whether it covered the arguments under the older rules, by which arguments that no
    /// condition names were free.
    pub(crate) fn covered_under_older_rules(&self, arguments: &Value) -> bool {
        self.has_older_conditions()
            && Constraint::covered_under_older_rules(&self.constraints, arguments)
    }

    /// Reports whether two grants have the same conditions, in any order.
    pub(crate) fn same_conditions(&self, other: &Grant) -> bool {
        self.has_older_conditions() == other.has_older_conditions()
            && same_constraints(&self.constraints, &other.constraints)
    }

    /// Reports whether it replaces an older grant.
    pub(crate) fn replaces_grant(&self, older: &Grant) -> bool {
        let same = || same_constraints(&self.replaces, &older.constraints);
        // A grant for some arguments adds nothing to a grant for all.
        self.tool == older.tool
            && older.has_older_conditions()
            && (self.constraints.is_empty() || same())
    }

    /// Returns the conditions by argument, in their serialised form.
    pub(crate) fn written_conditions(&self) -> Map<String, Value> {
        let mut written = Map::new();
        for Constraint { argument, is } in &self.constraints {
            let conditions = written.entry(argument.as_str()).or_insert_with(|| Map::new().into());
            let (key, value) = is.written();
            conditions[key] = value;
        }
        written
    }
}

/// Reports whether two lists hold the same conditions, in any order.
fn same_constraints(some: &[Constraint], others: &[Constraint]) -> bool {
    let within = |some: &[Constraint], all: &[Constraint]| some.iter().all(|one| all.contains(one));
    within(some, others) && within(others, some)
}

/// Writes the form of `.pml.json`.
impl Serialize for Grant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("tool", &self.tool)?;
        if let Some(ToolOrigin { definition, server, package }) = &self.origin {
            map.serialize_entry("definition", &**definition)?;
            map.serialize_entry("server", &**server)?;
            if let Some(package) = package {
                map.serialize_entry("package", &**package)?;
            }
        }
        if !self.constraints.is_empty() {
            if !self.has_older_conditions() {
                map.serialize_entry("version", &GrantVersion::NUMBER)?;
            }
            map.serialize_entry("where", &self.written_conditions())?;
        }
        if let Some(granted) = self.granted {
            map.serialize_entry("granted", &granted.to_string())?;
        }
        map.end()
    }
}

/// Writes the tool and the conditions, for people.
impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.tool)?;
        for (index, constraint) in self.constraints.iter().enumerate() {
            let joint = if index == 0 { " with" } else { "," };
            write!(f, "{joint} {constraint}")?;
        }
        match self.has_older_conditions() {
            true => f.write_str(" (written by an older pml: it asks once more)"),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Grant, GrantVersion};
    use crate::model::{Condition, Constraint, LexicalPaths, Timestamp, ToolOrigin};
    use serde_json::json;

    fn grant(constraints: Vec<Constraint>) -> Grant {
        let origin = ToolOrigin::new("d", "s").with_package(Some("p".into()));
        Grant::new("a:b".parse().expect("a tool"), Some(origin), constraints)
    }

    #[test]
    fn it_is_of_a_tool_that_is_what_it_was() {
        let of = |origin: ToolOrigin| grant(Vec::new()).matches_origin(Some(&origin));
        let package = |package: &str| Some(package.into());
        assert!(of(ToolOrigin::new("d", "s").with_package(package("p"))));
        assert!(!of(ToolOrigin::new("e", "s").with_package(package("p"))));
        assert!(!of(ToolOrigin::new("d", "t").with_package(package("p"))));
        assert!(!of(ToolOrigin::new("d", "s").with_package(package("q"))));
        assert!(!of(ToolOrigin::new("d", "s")));
        assert!(!grant(Vec::new()).matches_origin(None));
        // A grant without a package matches any package.
        let unpacked = Grant { origin: Some(ToolOrigin::new("d", "s")), ..grant(Vec::new()) };
        assert!(
            unpacked.matches_origin(Some(&ToolOrigin::new("d", "s").with_package(package("p"))))
        );
        let unknown = Grant { origin: None, ..grant(Vec::new()) };
        assert!(
            unknown.matches_origin(None)
                && unknown.matches_origin(Some(&ToolOrigin::new("x", "y")))
        );
    }

    #[test]
    fn it_is_written_and_shown() {
        let within = vec![
            Constraint::new("path", Condition::Under("/n".into())),
            Constraint::new("owner", Condition::Equals(json!("acme"))),
            Constraint::new("content", Condition::Any),
        ];
        let whole = Grant { granted: Some(Timestamp(0)), ..grant(within) };
        let expected = json!({
            "tool": "a:b", "definition": "d", "server": "s", "package": "p",
            "version": 2, "where": { "path": { "under": "/n" }, "owner": { "equals": "acme" }, "content": { "any": true } },
            "granted": "1970-01-01T00:00:00.000Z",
        });
        assert_eq!(serde_json::to_value(&whole).expect("JSON"), expected);
        let words = "`a:b` with `path` under `/n`, `owner` equal to `acme`, `content`: anything";
        assert_eq!(whole.to_string(), words);
        let older = Grant { version: GrantVersion::Older, ..whole };
        assert_eq!(
            older.to_string(),
            format!("{words} (written by an older pml: it asks once more)")
        );
        assert!(serde_json::to_value(&older).expect("JSON").get("version").is_none());
        let plain = Grant { origin: None, ..grant(Vec::new()) };
        assert_eq!(serde_json::to_value(&plain).expect("JSON"), json!({ "tool": "a:b" }));
    }

    #[test]
    fn without_conditions_it_covers_everything_and_an_older_one_with_some_nothing() {
        let under = vec![Constraint::new("path", Condition::Under("/n".into()))];
        let (inside, more) = (json!({ "path": "/n/a" }), json!({ "path": "/n/a", "force": true }));
        let now = grant(under.clone());
        assert!(now.covers(&inside, &LexicalPaths) && !now.covers(&more, &LexicalPaths));
        assert!(!now.covered_under_older_rules(&inside));
        let older = Grant { version: GrantVersion::Older, ..now };
        assert!(!older.covers(&inside, &LexicalPaths) && !older.covers(&more, &LexicalPaths));
        assert!(older.covered_under_older_rules(&inside) && older.covered_under_older_rules(&more));
        for version in [GrantVersion::Older, GrantVersion::Current] {
            let plain = Grant { version, ..grant(Vec::new()) };
            for arguments in [inside.clone(), more.clone(), json!(null), json!([1])] {
                assert!(plain.covers(&arguments, &LexicalPaths), "{arguments}");
            }
        }
    }
}
