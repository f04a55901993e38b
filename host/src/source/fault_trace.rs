//! Explains a fault of a program: the functions that led to it, the tool call that failed, and the
//! expression that an error is about.
//!
//! Input: what the guest reports of an error. Output: frames in the user's own source, and a message
//! that names what was called or read. What is read from the text is used only if it is certain.
//! **Invariant:** nothing here runs unless a program failed, and the CPU time is charged to its run.

use super::awaiters::FunctionIndex;
use super::calls::{Callee, ProgramCall, calls_of};
use super::only_place::UnplacedFailure;
use super::program::Program;
use super::sites::CallSiteKind;
use super::trace::{self, StackFrame};
use super::trace_resolver::{InnermostFrame, StackLine, TraceResolver};
use crate::model::Position;
use crate::model::WorkSlice;

/// Methods of the language that call their first argument.
const CALLBACK_METHODS: [&str; 14] = [
    "every",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "flatMap",
    "forEach",
    "map",
    "reduce",
    "reduceRight",
    "some",
    "sort",
    "toSorted",
];

/// The message of QuickJS where `null` or `undefined` is taken apart.
const NOT_AN_OBJECT: &str = "Cannot convert undefined or null to object";

/// An error as the guest reports it.
pub(crate) struct RawFault<'f> {
    /// The raw stack.
    pub(crate) stack: &'f str,
    /// The message of the error.
    pub(crate) message: &'f str,
    /// The tool whose failure the error reports, as the program wrote its name.
    pub(crate) tool: Option<&'f str>,
    /// What failed, if the guest cannot place it.
    pub(crate) unplaced: Option<UnplacedFailure<'f>>,
}

/// An error in terms of the user's own source.
#[derive(Debug, Default)]
pub(crate) struct FaultTrace {
    /// The calls that led to the error, innermost first.
    pub(crate) frames: Vec<StackFrame>,
    /// A message that names the expression, if it is known.
    pub(crate) message: Option<String>,
    /// What to do, if the text shows it.
    pub(crate) hint: Option<String>,
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
        let subject = match &innermost {
            Some(frame) => subject(frame, fault.message),
            None => callback_subject(&resolver, &lines, fault.message),
        };
        let mut message = subject.map(|FaultSubject { message, position }| {
            match (position, frames.first_mut()) {
                (Some(position), Some(frame)) => frame.position = position,
                // QuickJS reports the function that pml wrote around the program.
                (Some(position), None) => {
                    frames.push(StackFrame { function: None, position, is_async: false });
                }
                (None, _) => {}
            }
            message
        });
        if run.is_some_and(|run| run.check().is_err()) {
            return FaultTrace { frames, message, hint: None };
        }
        if frames.is_empty() {
            message = self.place_alone(fault, &mut frames, run).or(message);
        }
        let mut functions = FunctionIndex::new(self, run);
        if let Some(tool) = fault.tool
            && let Some(call) = self.failed_call(tool, innermost.as_ref())
        {
            let offset = call.function_offset;
            let position = match self.location(&call.position.module, offset) {
                Some(location) => location.position,
                None => call.position,
            };
            place_call(&mut frames, (position, offset), innermost.as_ref(), &mut functions);
        }
        if let Some(outermost) = frames.last() {
            let awaiting = functions.awaiting(&outermost.position.clone());
            frames.extend(awaiting);
        }
        let named = message.as_deref().zip(frames.first());
        let hint =
            named.and_then(|(text, frame)| self.missing_await(&frame.position.module, text, run));
        FaultTrace { frames, message, hint }
    }

    /// Adds the frame of a failure that has none, if only one place in the text can be meant.
    /// Returns a message that names the expression, if it is known.
    fn place_alone(
        &self,
        fault: &RawFault<'_>,
        frames: &mut Vec<StackFrame>,
        run: Option<&WorkSlice<'_>>,
    ) -> Option<String> {
        let unplaced = match fault.message {
            NOT_AN_OBJECT => Some(UnplacedFailure::Destructured),
            _ => fault.unplaced,
        };
        let place = self.only_place(unplaced?, run)?;
        let mut functions = FunctionIndex::new(self, run);
        let function = functions.function_name(&place.module, place.offset).flatten();
        frames.push(StackFrame { function, position: place.position, is_async: false });
        let text = place.text.filter(|_| unplaced == Some(UnplacedFailure::Destructured))?;
        Some(format!("cannot read properties of `{text}`: it is null or undefined"))
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
    (position, offset): (Position, u32),
    innermost: Option<&InnermostFrame<'_, '_>>,
    functions: &mut FunctionIndex<'_>,
) {
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
            (site, format!("{} is not a {what}", site.text.as_deref()?))
        }
        NOT_AN_OBJECT => {
            let (site, text) = sites.value(offset, CallSiteKind::ObjectPattern)?;
            let message = match text {
                Some(text) => {
                    format!("cannot read properties of `{text}`: it is null or undefined")
                }
                None => "cannot read properties of a value that is null or undefined".into(),
            };
            (site, message)
        }
        "value is not iterable"
        | "cannot read property 'Symbol.iterator' of undefined"
        | "cannot read property 'Symbol.iterator' of null" => {
            let (site, text) = sites.value(offset, CallSiteKind::Iteration)?;
            let text = text.unwrap_or("value");
            let message = match message.rsplit_once("' of ") {
                Some((_, value)) if value != text => {
                    format!("{text} is not iterable: it is {value}")
                }
                _ => format!("{text} is not iterable"),
            };
            (site, message)
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
            (site, format!("{message} ({verb} `{}`)", site.text.as_deref()?))
        }
    };
    Some(FaultSubject { message, position: frame.user_position(site.start) })
}

/// Returns the method of the language whose argument should be a function and is not.
fn callback_subject(
    resolver: &TraceResolver<'_>,
    lines: &[StackLine<'_>],
    message: &str,
) -> Option<FaultSubject> {
    let (method, caller) = resolver.native_caller(lines)?;
    if message != "not a function" || !CALLBACK_METHODS.contains(&method) {
        return None;
    }
    let site = caller.sites().method_call(caller.offset(), method)?;
    let message = format!("the first argument of {} is not a function", site.text.as_deref()?);
    Some(FaultSubject { message, position: caller.user_position(site.start) })
}
