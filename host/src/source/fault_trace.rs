//! Explains a fault of a program: the functions that led to it, the tool call that failed, and the
//! expression that an error is about.
//!
//! Input: what the guest reports of an error. Output: frames in the user's own source, and a message
//! that names what was called or read. What is read from the text is used only if it is certain.
//! **Invariant:** nothing here runs unless a program failed, and the CPU time is charged to its run.

use super::awaiters::FunctionIndex;
use super::calls::{Callee, ProgramCall, calls_of};
use super::program::Program;
use super::sites::{CallSite, CallSiteKind};
use super::trace::{self, StackFrame};
use super::trace_resolver::{InnermostFrame, TraceResolver};
use crate::model::Position;
use crate::model::WorkSlice;

/// Longest expression that a message names, in characters.
const EXPRESSION: usize = 80;

/// An error as the guest reports it.
pub(crate) struct RawFault<'f> {
    /// The raw stack.
    pub(crate) stack: &'f str,
    /// The message of the error.
    pub(crate) message: &'f str,
    /// The tool whose failure the error reports, as the program wrote its name.
    pub(crate) tool: Option<&'f str>,
}

/// An error in terms of the user's own source.
#[derive(Debug, Default)]
pub(crate) struct FaultTrace {
    /// The calls that led to the error, innermost first.
    pub(crate) frames: Vec<StackFrame>,
    /// A message that names the expression, if it is known.
    pub(crate) message: Option<String>,
}

impl Program {
    /// Explains an error of this program, and charges the CPU time to its run. If the run has no CPU
    /// time left, positions are less exact.
    pub(crate) fn explain(&self, fault: &RawFault<'_>, run: Option<&WorkSlice<'_>>) -> FaultTrace {
        if self.modules.first().is_some_and(|entry| entry.is_generated) {
            return FaultTrace::default();
        }
        let lines = trace::stack_lines(fault.stack);
        let resolver = TraceResolver::new(self, &lines, run);
        let mut frames = trace::frames(&resolver, &lines);
        let innermost = resolver.innermost(&lines);
        let subject = innermost.as_ref().and_then(|frame| subject(frame, fault.message));
        let message = subject.map(|subject| {
            if let (Some(position), Some(frame)) = (subject.position, frames.first_mut()) {
                frame.position = position;
            }
            subject.message
        });
        if run.is_some_and(|run| run.check().is_err()) {
            return FaultTrace { frames, message };
        }
        let mut functions = FunctionIndex::new(self, run);
        if let Some(tool) = fault.tool
            && let Some(call) = self.failed_call(tool, innermost.as_ref())
        {
            place_call(&mut frames, call, innermost.as_ref(), &mut functions);
        }
        if let Some(outermost) = frames.last() {
            let awaiting = functions.awaiting(&outermost.position.clone());
            frames.extend(awaiting);
        }
        FaultTrace { frames, message }
    }

    /// Returns the call of a tool that failed, if only one in the text can be meant: the only one in
    /// the expression that is awaited, else the only one in the program.
    fn failed_call(
        &self,
        tool: &str,
        innermost: Option<&InnermostFrame<'_, '_>>,
    ) -> Option<ProgramCall> {
        let calls = calls_of(self).ok()?;
        let meant = |call: &&ProgramCall| match &call.callee {
            Callee::Tool { server, tool: name } => {
                tool.split_once(':') == Some((server.as_str(), name.as_str()))
            }
            Callee::Name(name) => name == tool,
            Callee::SomeToolOf(server) => tool.split_once(':').is_some_and(|(of, _)| of == server),
            Callee::SomeTool => true,
        };
        let awaited = innermost.and_then(|frame| {
            let span = frame.sites().awaited(frame.offset()).last()?;
            let (start, end) = (frame.user_offset(span.start)?, frame.user_offset(span.end)?);
            Some((frame.module(), start..end))
        });
        let in_awaited = |call: &&ProgramCall| {
            awaited.as_ref().is_some_and(|(module, span)| {
                call.position.module == *module && span.contains(&call.offset)
            })
        };
        let mut inside = calls.iter().filter(meant).filter(in_awaited);
        let only = match inside.next() {
            Some(first) => only(first, inside),
            None => {
                let mut all = calls.iter().filter(meant);
                all.next().and_then(|first| only(first, all))
            }
        };
        only.filter(|call| matches!(call.callee, Callee::Tool { .. } | Callee::Name(_))).cloned()
    }
}

fn only<'c>(
    first: &'c ProgramCall,
    mut others: impl Iterator<Item = &'c ProgramCall>,
) -> Option<&'c ProgramCall> {
    if others.next().is_some() { None } else { Some(first) }
}

/// Puts a failed call at the top of the frames. In the function of the innermost frame it is that
/// frame's position; elsewhere it is a frame of its own.
fn place_call(
    frames: &mut Vec<StackFrame>,
    call: ProgramCall,
    innermost: Option<&InnermostFrame<'_, '_>>,
    functions: &mut FunctionIndex<'_>,
) {
    let ProgramCall { position, offset, .. } = call;
    let reported = innermost
        .filter(|frame| frame.module() == position.module)
        .and_then(|frame| frame.user_offset(frame.offset()));
    if let (Some(reported), Some(frame)) = (reported, frames.first_mut())
        && functions.is_same_function(&position.module, offset, reported)
    {
        frame.position = position;
        return;
    }
    let function = functions.function_name(&position.module, offset).flatten();
    frames.insert(0, StackFrame { function, position, is_async: false });
}

/// The expression that an error is about.
struct FaultSubject {
    /// The message of QuickJS with the expression.
    message: String,
    position: Option<Position>,
}

/// Returns the expression that an error of QuickJS is about, if it is certain.
fn subject(frame: &InnermostFrame<'_, '_>, message: &str) -> Option<FaultSubject> {
    let (sites, offset) = (frame.sites(), frame.offset());
    let (site, message) = match message {
        "not a function" | "not a constructor" => {
            let site = sites.uncallable(offset)?;
            let what = match site.kind {
                CallSiteKind::New => "constructor",
                _ if message == "not a constructor" => return None,
                _ => "function",
            };
            (site, format!("{} is not a {what}", expression(frame, site)?))
        }
        _ => {
            let (kind, verb, rest) = [
                (CallSiteKind::Get, "reading", "cannot read property '"),
                (CallSiteKind::Set, "setting", "cannot set property '"),
            ]
            .into_iter()
            .find_map(|(kind, verb, start)| Some((kind, verb, message.strip_prefix(start)?)))?;
            let (name, of) = rest.rsplit_once("' of ")?;
            if !matches!(of, "undefined" | "null") {
                return None;
            }
            let site = sites.property(offset, kind, name)?;
            (site, format!("{message} ({verb} `{}`)", expression(frame, site)?))
        }
    };
    Some(FaultSubject { message, position: frame.user_position(site.start) })
}

/// Returns the text of an expression, if it is short and plain: names, members and indexes.
fn expression(frame: &InnermostFrame<'_, '_>, site: &CallSite) -> Option<String> {
    let text: String = frame.text(site.target?)?.split_whitespace().collect();
    let is_plain = |c: char| c.is_alphanumeric() || "_$.?!#[]'\"-".contains(c);
    let fits = text.chars().count() <= EXPRESSION;
    (fits && text.chars().all(is_plain) && !text.is_empty()).then_some(text)
}
