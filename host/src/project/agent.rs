//! Detects that an agent runs this command, by the variables that agents set.
//!
//! Agents set variables for the commands that they run. A process with one of them was most likely
//! started by a model, and no person has seen what it is about to confirm.
//!
//! **Invariant:** this is a safeguard, not a security boundary. An agent runs as the same user, in
//! the same shell: it can unset a variable, open a terminal of its own, or write to the journal.
//! The check keeps a model from approving its own calls by accident or by habit, and records it in
//! the audit trail; it does not stop a determined one.

use crate::config::Environment;

/// The variables that agents set for the commands that they run, each with a description. A
/// variable that is also set where a person types (`CURSOR_TRACE_ID` and `TERM_PROGRAM` in an
/// editor's terminal, `REPL_ID` on a whole machine, `AIDER_*` as settings) is excluded: it would
/// refuse people.
const VARIABLES: &[&str] = &[
    // Claude Code: `1` in every command of its shell tool, and in hooks.
    "CLAUDECODE",
    // Claude Code: how it was started (`cli`, `sdk-py`, …), inherited by child processes.
    "CLAUDE_CODE_ENTRYPOINT",
    // Codex: `seatbelt` if its sandbox on macOS runs the command.
    "CODEX_SANDBOX",
    // Codex: `1` in every command that runs without a network, on all systems.
    "CODEX_SANDBOX_NETWORK_DISABLED",
    // Codex: `1` in commands of its non-interactive mode.
    "CODEX_CI",
    // Codex: the conversation that the command belongs to.
    "CODEX_THREAD_ID",
    // Cursor: `1` in commands that its agent runs, in the editor and on the command line.
    "CURSOR_AGENT",
    // Gemini CLI: `1` in every command of its shell tool.
    "GEMINI_CLI",
    // Qwen Code, a fork of Gemini CLI: the same.
    "QWEN_CODE",
    // OpenCode: `1` in child processes.
    "OPENCODE",
    // OpenCode: the client (`cli`, `desktop`) that started the command.
    "OPENCODE_CLIENT",
    // GitHub Copilot on the command line.
    "COPILOT_CLI",
    // GitHub Copilot's agent.
    "COPILOT_AGENT",
    // Goose: `1` in commands of its developer tools, beside `AGENT=goose`.
    "GOOSE_TERMINAL",
    // Cline: `true` in the terminals that it opens for its commands.
    "CLINE_ACTIVE",
    // Augment: `1` in commands of its agent.
    "AUGMENT_AGENT",
    // Antigravity: in commands of its agent.
    "ANTIGRAVITY_AGENT",
    // Amp: the conversation that the command belongs to, beside `AGENT=amp`.
    "AMP_CURRENT_THREAD_ID",
    // Trae: the shell that its agent runs commands in.
    "TRAE_AI_SHELL_ID",
    // Crush: `1` in child processes.
    "CRUSH",
    // A proposal that several agents follow: the name of the agent.
    "AI_AGENT",
    // The same, proposed with AGENTS.md: `goose`, `amp`, or only `1`.
    "AGENT",
];

/// Values that count as unset.
const NOTHING: &[&str] = &["", "0", "false", "no", "off"];

/// Returns the name of a variable that shows that an agent runs this process, or `None`.
///
/// It is a safeguard against a model that approves its own calls, not a security boundary: the
/// model may have a shell of the same user, in which it can unset the variable.
///
/// ```
/// let environment = [("HOME", "/home/ann"), ("CLAUDECODE", "1")].into_iter().collect();
/// assert_eq!(pml::project::agent_variable(&environment), Some("CLAUDECODE"));
/// ```
pub fn agent_variable(environment: &Environment) -> Option<&'static str> {
    let says = |name: &&&str| {
        let value = environment.variable(name).map(|value| value.trim().to_ascii_lowercase());
        value.is_some_and(|value| !NOTHING.contains(&value.as_str()))
    };
    VARIABLES.iter().find(says).copied()
}

#[cfg(test)]
mod tests {
    use super::{VARIABLES, agent_variable};

    fn variable_in(variables: &[(&str, &str)]) -> Option<&'static str> {
        agent_variable(&variables.iter().copied().collect())
    }

    #[test]
    fn each_variable_is_known_and_is_in_the_table_once() {
        for (index, name) in VARIABLES.iter().enumerate() {
            assert_eq!(variable_in(&[("HOME", "/h"), (name, "1")]), Some(*name));
            assert!(!VARIABLES[index + 1..].contains(name), "{name}");
        }
        assert_eq!(variable_in(&[("AGENT", "goose")]), Some("AGENT"));
    }

    #[test]
    fn a_person_is_no_agent() {
        let editor = [("TERM_PROGRAM", "vscode"), ("CURSOR_TRACE_ID", "1"), ("AIDER_MODEL", "x")];
        assert_eq!(variable_in(&editor), None);
        assert_eq!(variable_in(&[]), None);
        for nothing in ["", "0", "false", "OFF", " "] {
            assert_eq!(variable_in(&[("CLAUDECODE", nothing)]), None, "{nothing}");
        }
    }
}
