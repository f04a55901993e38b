//! What the model of a client does next, after a question.

use pml::{Question, ToolName, text::escape};

/// The way in which a person decides, if not in a dialog of the client right away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecisionWay {
    /// The client's model asks the person, and reports the answer.
    Caller,
    /// The client can ask in a dialog, and did.
    Dialog,
    /// The person runs a command.
    Command,
}

/// Returns the tool that asked, if the question is not one of `execute`: a program of one call has
/// the name of its tool.
pub(crate) fn asking_tool(question: &Question) -> Option<ToolName> {
    let name = question.script.strip_suffix(".ts")?;
    name.parse().ok().filter(|_| name.contains(':') && !name.contains('/'))
}

/// Tells the client's model what to do.
pub(super) fn next_step(question: &Question, by: DecisionWay) -> String {
    let tool = asking_tool(question);
    let tool = tool.as_ref().map_or("execute".into(), |tool| escape(tool.as_str()));
    let again = format!("call the same tool, `{tool}`, with only `continue_workflow`");
    let for_people_only = question.asks.iter().any(|ask| ask.kind.is_for_people_only());
    match by {
        DecisionWay::Caller if !for_people_only => format!(
            "show the person what is asked; when they have decided, {again}: {{workflow_id, \
             approved}}. Or they run `answer_with` themselves"
        ),
        DecisionWay::Dialog => format!(
            "the person was not ready to decide: they can run `answer_with`; {again}: \
             {{workflow_id, approved: true}} opens the dialog again, or tells what became of it"
        ),
        DecisionWay::Caller | DecisionWay::Command => format!(
            "only the person can decide: they run `answer_with` in a terminal; then {again}: \
             {{workflow_id, approved: true}} tells what became of it"
        ),
    }
}
