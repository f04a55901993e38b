//! The calls of a program, for whoever wants to know before it runs.

use crate::plan::partial_arguments::PartialArguments;
use crate::source::{Callee, Position, Program, ProgramCall, SourceError, calls_of};
use serde::Serialize;
use serde_json::Value;

/// A call that a program will make if it comes to that place, as far as its text says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlannedCall {
    /// The server, as the program spells it; nothing if it is computed.
    pub server: Option<String>,
    /// The tool, as the program spells it; nothing if it is computed.
    pub tool: Option<String>,
    /// Where.
    pub position: Position,
    /// The arguments, with null in each hole; nothing if none of it is known.
    pub arguments: Option<Value>,
    /// Parts of the arguments that are not written out, as JSON pointers.
    pub holes: Vec<String>,
    /// Objects and lists of the arguments that may have more parts than are written out, as JSON
    /// pointers.
    pub open: Vec<String>,
}

impl PlannedCall {
    /// Returns whether what is called is known only when the program runs.
    pub fn is_dynamic(&self) -> bool {
        self.server.is_none() || self.tool.is_none()
    }
}

/// Returns the calls that a program makes, in the order of its text, module by module. Where it
/// hands on what it could call, that is a call of which only a part is known.
///
/// # Errors
/// Fails if a module cannot be parsed, which one that was loaded can.
pub fn planned_calls(program: &Program) -> Result<Vec<PlannedCall>, SourceError> {
    let found = calls_of(program)?;
    Ok(found.iter().map(planned).collect())
}

fn planned(found: &ProgramCall) -> PlannedCall {
    let (server, tool) = match &found.callee {
        Callee::Tool { server, tool } => (Some(server.clone()), Some(tool.clone())),
        Callee::Text(text) => match text.split_once(':') {
            Some((server, tool)) => (Some(server.to_owned()), Some(tool.to_owned())),
            None => (None, None),
        },
        Callee::Server(server) => (Some(server.clone()), None),
        Callee::Anything => (None, None),
    };
    let position = found.position.clone();
    let PartialArguments { value, holes, open, .. } = PartialArguments::new(&found.arguments);
    let arguments = (!holes.contains("")).then_some(value);
    let (holes, open) = (holes.into_iter().collect(), open.into_iter().collect());
    PlannedCall { server, tool, position, arguments, holes, open }
}
