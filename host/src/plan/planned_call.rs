//! Lists the calls of a program before it runs.

use crate::plan::partial_arguments::PartialArguments;
use crate::source::{Callee, Position, Program, ProgramCall, SourceError, calls_of};
use serde::Serialize;
use serde_json::Value;

/// A call that a program makes if it reaches that position, as far as its text shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlannedCall {
    /// The server, as the program spells it; `None` if it is computed.
    pub server: Option<String>,
    /// The tool, as the program spells it; `None` if it is computed.
    pub tool: Option<String>,
    /// The position of the call.
    pub position: Position,
    /// The arguments, with null in each hole; `None` if they are not known at all.
    pub arguments: Option<Value>,
    /// Parts of the arguments that are not written out, as JSON pointers.
    pub holes: Vec<String>,
    /// Objects and lists of the arguments that may have more parts than are written out, as JSON
    /// pointers.
    pub open: Vec<String>,
}

impl PlannedCall {
    /// Reports whether the target of the call is known only when the program runs.
    pub fn is_dynamic(&self) -> bool {
        self.server.is_none() || self.tool.is_none()
    }
}

/// Returns the calls that a program makes, in the order of its text, module by module. A place
/// where it passes on a reference that can be called is a call that is known only in part.
///
/// # Errors
/// Fails if a module cannot be parsed. Modules of a loaded program can.
pub fn planned_calls(program: &Program) -> Result<Vec<PlannedCall>, SourceError> {
    let calls = calls_of(program)?;
    Ok(calls.iter().map(planned_call).collect())
}

fn planned_call(call: &ProgramCall) -> PlannedCall {
    let (server, tool) = match &call.callee {
        Callee::Tool { server, tool } => (Some(server.clone()), Some(tool.clone())),
        Callee::Name(text) => match text.split_once(':') {
            Some((server, tool)) => (Some(server.to_owned()), Some(tool.to_owned())),
            None => (None, None),
        },
        Callee::SomeToolOf(server) => (Some(server.clone()), None),
        Callee::SomeTool => (None, None),
    };
    let position = call.position.clone();
    let PartialArguments { value, holes, open, .. } = PartialArguments::new(&call.arguments);
    let arguments = (!holes.contains("")).then_some(value);
    let (holes, open) = (holes.into_iter().collect(), open.into_iter().collect());
    PlannedCall { server, tool, position, arguments, holes, open }
}
