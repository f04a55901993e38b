//! Checks a program against the available tools: the names of tools, and arguments as far as they
//! are written out.

use super::finding::Finding;
use crate::catalog::{ArgumentValidator, ToolListing, UnresolvedTool, built_in_definitions};
use crate::model::{Code, Definition, ToolName, cut};
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
    let built_in = ToolListing::new(built_in_definitions().into_iter().map(Arc::new));
    let mut checker = Checker { program, listing, built_in: &built_in, validators: HashMap::new() };
    let calls = calls_of(program)?;
    Ok(calls.iter().flat_map(|call| checker.check_call(call)).take(FINDINGS).collect())
}

struct Checker<'c> {
    program: &'c Program,
    listing: &'c ToolListing,
    /// The built-in tools of pml.
    built_in: &'c ToolListing,
    /// The validator of each tool; `None` if its schema is unusable.
    validators: HashMap<ToolName, Option<ArgumentValidator>>,
}

impl<'c> Checker<'c> {
    fn check_call(&mut self, call: &ProgramCall) -> Vec<Finding> {
        let (server, tool) = match &call.callee {
            Callee::Tool { server, tool } => (server.as_str(), tool.as_str()),
            Callee::Name(text) => match text.split_once(':') {
                Some(parts) => parts,
                None => return self.malformed_name(call, text),
            },
            Callee::SomeToolOf(_) | Callee::SomeTool => return Vec::new(),
        };
        match self.resolve(server, tool) {
            Ok(definition) => self.check_arguments(call, definition),
            Err(UnresolvedTool::Unlisted) => Vec::new(),
            Err(reason) => self.unresolved_tool(call, server, tool, reason),
        }
    }

    fn resolve(&self, server: &str, tool: &str) -> Result<&'c Arc<Definition>, UnresolvedTool> {
        match self.built_in.iter().next().is_some_and(|built_in| built_in.tool.server() == server) {
            true => self.built_in.resolve(server, tool),
            false => self.listing.resolve(server, tool),
        }
    }

    fn malformed_name(&self, call: &ProgramCall, text: &str) -> Vec<Finding> {
        let name = quote(text);
        let message = format!("`{name}` names no tool");
        let hint = Some("the first argument of `mcp.call` is `server:tool`".into());
        self.finding(call, call.offset, (Code::ToolUnknown, message, hint), name)
    }

    fn unresolved_tool(
        &self,
        call: &ProgramCall,
        server: &str,
        tool: &str,
        reason: UnresolvedTool,
    ) -> Vec<Finding> {
        let (server, tool) = (quote(server), quote(tool));
        let name = format!("{server}:{tool}");
        let problem = match reason {
            UnresolvedTool::Ambiguous(names) => {
                let message = format!("`{name}` could be {}", quoted_list(&names, " or "));
                let hint = "write the name as the server does: `mcp[\"server\"][\"tool\"](…)`";
                (Code::ToolAmbiguous, message, Some(hint.to_owned()))
            }
            UnresolvedTool::Server(near) => {
                let message = format!("there is no server `{server}`");
                (Code::ToolUnknown, message, suggestion(&near))
            }
            UnresolvedTool::Tool(near) => {
                let message = format!("there is no tool `{name}`");
                (Code::ToolUnknown, message, suggestion(&near))
            }
            UnresolvedTool::Unlisted => return Vec::new(),
        };
        self.finding(call, call.offset, problem, name)
    }

    fn check_arguments(
        &mut self,
        call: &ProgramCall,
        definition: &Arc<Definition>,
    ) -> Vec<Finding> {
        let partial = PartialArguments::new(&call.arguments);
        if partial.holes.contains("") {
            return Vec::new();
        }
        let name = definition.tool.to_string();
        if !matches!(partial.value, Value::Object(_)) {
            let message = format!("the arguments of `{name}` must be an object");
            let problem = (Code::Arguments, message, None);
            return self.finding(call, call.arguments.offset, problem, name);
        }
        let validator = self
            .validators
            .entry(definition.tool.clone())
            .or_insert_with(|| ArgumentValidator::new(&definition.input).ok());
        let Some(validator) = validator else { return Vec::new() };
        let mismatches =
            validator.mismatches(&partial.value, |mismatch| partial.is_certain(mismatch));
        let findings = mismatches.iter().flat_map(|mismatch| {
            // If the call has no arguments, the finding is at the call itself.
            let offset = match call.arguments.value {
                LiteralValue::Absent => call.offset,
                _ => partial.offset(mismatch).unwrap_or(call.offset),
            };
            let problem = (Code::Arguments, format!("`{name}`: {mismatch}"), None);
            self.finding(call, offset, problem, name.clone())
        });
        findings.collect()
    }

    fn finding(
        &self,
        call: &ProgramCall,
        offset: u32,
        (code, message, hint): (Code, String, Option<String>),
        tool: String,
    ) -> Vec<Finding> {
        let location = self.program.location(&call.position.module, offset);
        location
            .map(|location| Finding { code, message, hint, tool: Some(tool), location })
            .into_iter()
            .collect()
    }
}

fn quote(name: &str) -> String {
    cut(name, QUOTE)
}

fn quoted_list(names: &[String], between: &str) -> String {
    names.iter().map(|name| format!("`{}`", quote(name))).collect::<Vec<_>>().join(between)
}

fn suggestion(near: &[String]) -> Option<String> {
    (!near.is_empty()).then(|| format!("did you mean {}?", quoted_list(near, " or ")))
}
