//! Checks a program against the available tools: the names of tools, and arguments as far as they
//! are written out.

use super::finding::Finding;
use crate::catalog::{ArgumentValidator, ToolListing, UnresolvedTool, built_in_definitions};
use crate::model::{Code, Definition, ToolName, cut, escape};
use crate::plan::partial_arguments::PartialArguments;
use crate::source::{Callee, LiteralValue, Program, ProgramCall, SourceError, calls_of};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Most findings of one program: more are not useful.
const FINDINGS: usize = 200;
/// Longest name quoted, in characters.
const QUOTE: usize = 128;

/// Returns the definite errors of a program, in the order of its text, module by module.
///
/// Errors are names that do not exist, spellings that could mean two tools, and arguments that are
/// wrong for every possible value of the parts that are not written out. Calls to a server whose
/// tools are not known are not checked.
///
/// # Errors
/// Fails if a module cannot be parsed. Modules of a loaded program can.
pub fn check(program: &Program, listing: &ToolListing) -> Result<Vec<Finding>, SourceError> {
    let own = ToolListing::new(built_in_definitions().into_iter().map(Arc::new));
    let mut checker = Checker { program, listing, own: &own, validators: HashMap::new() };
    let found = calls_of(program)?;
    Ok(found.iter().flat_map(|found| checker.check(found)).take(FINDINGS).collect())
}

struct Checker<'c> {
    program: &'c Program,
    listing: &'c ToolListing,
    /// The built-in tools of pml.
    own: &'c ToolListing,
    /// The validator of each tool; `None` if its schema is unusable.
    validators: HashMap<ToolName, Option<ArgumentValidator>>,
}

impl<'c> Checker<'c> {
    fn check(&mut self, found: &ProgramCall) -> Vec<Finding> {
        let (server, tool) = match &found.callee {
            Callee::Tool { server, tool } => (server.as_str(), tool.as_str()),
            Callee::Text(text) => match text.split_once(':') {
                Some(parts) => parts,
                None => return self.malformed(found, text),
            },
            Callee::Server(_) | Callee::Anything => return Vec::new(),
        };
        match self.resolve(server, tool) {
            Ok(definition) => self.arguments(found, definition),
            Err(UnresolvedTool::Unlisted) => Vec::new(),
            Err(why) => self.unresolved(found, server, tool, why),
        }
    }

    fn resolve(&self, server: &str, tool: &str) -> Result<&'c Arc<Definition>, UnresolvedTool> {
        match self.own.iter().next().is_some_and(|own| own.tool.server() == server) {
            true => self.own.resolve(server, tool),
            false => self.listing.resolve(server, tool),
        }
    }

    fn malformed(&self, found: &ProgramCall, text: &str) -> Vec<Finding> {
        let name = quote(text);
        let message = format!("`{name}` names no tool");
        let hint = Some("the first argument of `mcp.call` is `server:tool`".into());
        self.finding(found, found.offset, (Code::ToolUnknown, message, hint), name)
    }

    fn unresolved(
        &self,
        found: &ProgramCall,
        server: &str,
        tool: &str,
        why: UnresolvedTool,
    ) -> Vec<Finding> {
        let (server, tool) = (quote(server), quote(tool));
        let name = format!("{server}:{tool}");
        let said = match why {
            UnresolvedTool::Ambiguous(names) => {
                let message = format!("`{name}` could be {}", listed(&names, " or "));
                let hint = "write the name as the server does: `mcp[\"server\"][\"tool\"](…)`";
                (Code::ToolAmbiguous, message, Some(hint.to_owned()))
            }
            UnresolvedTool::Server(near) => {
                let message = format!("there is no server `{server}`");
                (Code::ToolUnknown, message, meant(&near))
            }
            UnresolvedTool::Tool(near) => {
                let message = format!("there is no tool `{name}`");
                (Code::ToolUnknown, message, meant(&near))
            }
            UnresolvedTool::Unlisted => return Vec::new(),
        };
        self.finding(found, found.offset, said, name)
    }

    fn arguments(&mut self, found: &ProgramCall, definition: &Arc<Definition>) -> Vec<Finding> {
        let partial = PartialArguments::new(&found.arguments);
        if partial.holes.contains("") {
            return Vec::new();
        }
        let name = definition.tool.to_string();
        if !matches!(partial.value, Value::Object(_)) {
            let message = format!("the arguments of `{name}` must be an object");
            let said = (Code::Arguments, message, None);
            return self.finding(found, found.arguments.offset, said, name);
        }
        let validator = self
            .validators
            .entry(definition.tool.clone())
            .or_insert_with(|| ArgumentValidator::new(&definition.input).ok());
        let Some(validator) = validator else { return Vec::new() };
        let wrong = validator.check_where(&partial.value, |wrong| partial.is_certain(wrong));
        let findings = wrong.iter().flat_map(|wrong| {
            // If the call has no arguments, the finding is at the call itself.
            let offset = match found.arguments.written {
                LiteralValue::Absent => found.offset,
                _ => partial.offset(wrong).unwrap_or(found.offset),
            };
            let said = (Code::Arguments, format!("`{name}`: {wrong}"), None);
            self.finding(found, offset, said, name.clone())
        });
        findings.collect()
    }

    fn finding(
        &self,
        found: &ProgramCall,
        offset: u32,
        (code, message, hint): (Code, String, Option<String>),
        tool: String,
    ) -> Vec<Finding> {
        let place = self.program.place(&found.position.module, offset);
        place
            .map(|place| Finding { code, message, hint, tool: Some(tool), place })
            .into_iter()
            .collect()
    }
}

fn quote(name: &str) -> String {
    escape(&cut(name, QUOTE)).replace('\n', "\\n")
}

fn listed(names: &[String], between: &str) -> String {
    names.iter().map(|name| format!("`{}`", quote(name))).collect::<Vec<_>>().join(between)
}

fn meant(near: &[String]) -> Option<String> {
    (!near.is_empty()).then(|| format!("did you mean {}?", listed(near, " or ")))
}
