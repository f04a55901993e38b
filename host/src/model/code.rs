//! The registry of error codes: stable names that people search for and programs compare.
//!
//! Policy for change: a code is never renamed or given another meaning; a new one is added.

use serde::{Serialize, Serializer};
use std::fmt;

/// The party or part that is responsible for a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ErrorClass {
    /// The script threw, or is not a program.
    Script,
    /// Policy, a person or a limit refused.
    Refused,
    /// The user's files or flags are wrong.
    Usage,
    /// pml itself is broken.
    Internal,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal, $class:ident;)+) => {
        /// A stable error code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Code] = &[$(Code::$name),+];

            /// Returns the code as it is written.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }

            /// Returns who is responsible for such a failure.
            pub fn class(self) -> ErrorClass {
                match self { $(Code::$name => ErrorClass::$class,)+ }
            }

            /// Returns one sentence that explains the code.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$name => concat!($($doc),+).trim_ascii(),)+ }
            }
        }
    };
}

codes! {
    /// The script threw an error that nobody caught.
    Threw = "THREW", Script;
    /// A promise was rejected, and nobody had handled the error when the program ended.
    UnhandledRejection = "UNHANDLED_REJECTION", Script;
    /// The source is not JavaScript or TypeScript.
    Syntax = "SYNTAX", Script;
    /// The source uses TypeScript that has to be compiled, not just erased, or JSX.
    UnsupportedSyntax = "UNSUPPORTED_SYNTAX", Script;
    /// An import names something that programs cannot reach.
    ImportRefused = "IMPORT_REFUSED", Refused;
    /// The result cannot be written as JSON: it is cyclic, a function, a symbol or a BigInt.
    ResultNotJson = "RESULT_NOT_JSON", Script;
    /// The program waits for a promise that nothing can settle any more.
    Stalled = "STALLED", Script;
    /// JavaScript, or the host's work on its values, ran for longer than `--cpu-time`; waiting does
    /// not count.
    CpuTime = "CPU_TIME", Refused;
    /// The run took longer than `--timeout`; waiting for people does not count.
    Timeout = "TIMEOUT", Refused;
    /// The program needs more memory than `--memory`.
    Memory = "MEMORY", Refused;
    /// The program recursed too deep.
    Stack = "STACK", Refused;
    /// The modules of the program are too large together.
    SourceSize = "SOURCE_SIZE", Refused;
    /// The inputs are too large.
    InputSize = "INPUT_SIZE", Refused;
    /// The result is too large.
    ResultSize = "RESULT_SIZE", Refused;
    /// The program made more calls than it may in one run.
    Calls = "CALLS", Refused;
    /// The arguments of the calls that wait are too large together, as text or once they are
    /// parsed.
    ArgumentsSize = "ARGUMENTS_SIZE", Refused;
    /// The arguments of a call are not a JSON object, or nested too deep.
    Arguments = "ARGUMENTS", Script;
    /// The answer of a tool is too large for the program.
    ReplySize = "REPLY_SIZE", Refused;
    /// The run would need more of the journal than `--journal-size`.
    JournalSize = "JOURNAL_SIZE", Refused;
    /// The policy does not allow this tool.
    ToolDenied = "TOOL_DENIED", Refused;
    /// No such tool.
    ToolUnknown = "TOOL_UNKNOWN", Refused;
    /// The name as written stands for more than one tool.
    ToolAmbiguous = "TOOL_AMBIGUOUS", Refused;
    /// The tool is not the one that was decided about: its definition or its server has changed
    /// meanwhile.
    Integrity = "INTEGRITY", Refused;
    /// The lock is frozen, and does not have it, or has it otherwise.
    NotLocked = "NOT_LOCKED", Refused;
    /// The lock cannot be used: it is damaged, changed by hand, of a newer pml, or has conflicts.
    LockInvalid = "LOCK_INVALID", Usage;
    /// The project's files say so, and nobody has trusted them.
    Untrusted = "UNTRUSTED", Refused;
    /// A server cannot be started or reached, went away in the middle of a call, or does not speak
    /// MCP.
    ServerFailed = "SERVER_FAILED", Refused;
    /// A server did not answer a call in time.
    CallTimeout = "CALL_TIMEOUT", Refused;
    /// A variable that a server declares is not set.
    ApiKeyRequired = "API_KEY_REQUIRED", Refused;
    /// The tool is one of the cloud's, and no cloud is configured.
    CloudRequired = "CLOUD_REQUIRED", Refused;
    /// A name that would lead out of its folder.
    Security = "SECURITY", Refused;
    /// There is no such workflow, or it has expired.
    WorkflowUnknown = "WORKFLOW_UNKNOWN", Usage;
    /// There is no such result, or it was forgotten.
    HandleUnknown = "HANDLE_UNKNOWN", Usage;
    /// The tool reports that it failed.
    ToolFailed = "TOOL_FAILED", Script;
    /// A person declined the call.
    ApprovalDeclined = "APPROVAL_DECLINED", Refused;
    /// A person decides: where the client can ask one, a model's own arguments approve nothing.
    ApprovalByModel = "APPROVAL_BY_MODEL", Refused;
    /// Nobody knows what became of the call, and it was not made again.
    OutcomeUnknown = "OUTCOME_UNKNOWN", Refused;
    /// A person ended the run.
    Aborted = "ABORTED", Refused;
    /// The run waited for a person for too long.
    Expired = "EXPIRED", Refused;
    /// The run was made with another guest, and does something else with this one.
    GuestChanged = "GUEST_CHANGED", Refused;
    /// The run does not do what its journal says it did.
    ReplayDiverged = "REPLAY_DIVERGED", Internal;
    /// There is no such run.
    RunUnknown = "RUN_UNKNOWN", Usage;
    /// Another process has the run.
    RunOwned = "RUN_OWNED", Usage;
    /// The run is over.
    RunEnded = "RUN_ENDED", Usage;
    /// The journal cannot be read or written.
    Journal = "JOURNAL", Usage;
    /// The run was cancelled from outside.
    Cancelled = "CANCELLED", Refused;
    /// A file cannot be read.
    SourceRead = "SOURCE_READ", Usage;
    /// A setting is out of its range.
    Config = "CONFIG", Usage;
    /// The command line is wrong: a command, a flag or a value.
    Usage = "USAGE", Usage;
    /// A file or a stream cannot be read or written.
    Io = "IO", Usage;
    /// The command cannot do what it was asked for.
    CommandFailed = "COMMAND_FAILED", Usage;
    /// There is no such server.
    ServerUnknown = "SERVER_UNKNOWN", Usage;
    /// A person must say yes, and there is no terminal to ask on.
    PersonRequired = "PERSON_REQUIRED", Usage;
    /// An agent runs the command, which is for people.
    AgentRefused = "AGENT_REFUSED", Refused;
    /// A person said no.
    Declined = "DECLINED", Refused;
    /// The user stopped the command: Ctrl-C or a signal.
    Interrupted = "INTERRUPTED", Refused;
    /// The audit trail is not what was written.
    AuditBroken = "AUDIT_BROKEN", Refused;
    /// The sandbox itself failed.
    Internal = "INTERNAL", Internal;
}

impl Code {
    /// Reports whether a limit ended the program in the middle of its work.
    pub(crate) fn is_limit_of_run(self) -> bool {
        matches!(
            self,
            Code::CpuTime | Code::Timeout | Code::Memory | Code::Calls | Code::JournalSize
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Code;
    use std::collections::HashSet;

    #[test]
    fn every_code_is_written_once_and_means_something() {
        let texts: HashSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), Code::ALL.len());
        for code in Code::ALL {
            assert!(code.as_str().chars().all(|c| c.is_ascii_uppercase() || c == '_'), "{code}");
            assert!(code.meaning().ends_with('.'), "{code}");
        }
    }
}
