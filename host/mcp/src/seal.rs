//! Sealed state that a client carries between two requests: it can be returned, but not forged or
//! changed.
//!
//! **Invariant:** a seal opens only for the same tool with the same arguments, and contains nothing
//! that a client may not read.

use pml::json::Value;
use pml::{Error, QuestionId, RunId, project::UserKey, text::digest};
use rmcp::model::{JsonObject, RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;
use std::time::Duration;

/// How long the state of a question without expiry can be opened: as long as the journal stores a
/// run.
const MAX_LIFETIME: Duration = pml::journal::PruneRule::AGE;

/// How long a state can be opened after its question has expired, so that a repeated call gets the
/// state of the run.
const LIFETIME_AFTER_EXPIRY: Duration = Duration::from_secs(60 * 60);

/// The format of a [`SealedQuestion`].
const FORMAT: u32 = 2;

/// Distinguishes the id of a task from all other sealed data.
const TASK_CONTEXT: &[u8] = b"pml task";

/// Seals state with a key that is loaded on first use.
pub(super) struct StateSealer {
    key: UserKey,
    codec: OnceLock<RequestStateCodec>,
}

/// The call that a state belongs to.
pub(super) struct CallBinding {
    /// The name of the tool, and the digest of its arguments.
    context: Vec<u8>,
}

/// An open question, as a client carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SealedQuestion {
    format: u32,
    pub(super) question: QuestionId,
    pub(super) run: RunId,
    /// The asks that were shown, each with its digest: an answer applies only to these.
    pub(super) asks: Vec<(u32, String)>,
    /// sha256 of the program, and of the lockfile that it runs under. They are compared after the
    /// seal is opened: the run that they belong to is known only then.
    pub(super) program: String,
    pub(super) lock: Option<String>,
}

impl CallBinding {
    pub(super) fn new(tool: &str, arguments: Option<&JsonObject>) -> CallBinding {
        let arguments = digest(&Value::Object(arguments.cloned().unwrap_or_default()));
        // The digest has a fixed length, so the end of the name is unambiguous.
        CallBinding { context: format!("pml call {arguments} {tool}").into_bytes() }
    }
}

impl SealedQuestion {
    pub(super) fn new(
        question: QuestionId,
        run: RunId,
        asks: Vec<(u32, String)>,
        program: String,
        lock: Option<String>,
    ) -> SealedQuestion {
        SealedQuestion { format: FORMAT, question, run, asks, program, lock }
    }
}

impl StateSealer {
    pub(super) fn new(key: UserKey) -> StateSealer {
        StateSealer { key, codec: OnceLock::new() }
    }

    fn codec(&self) -> Result<&RequestStateCodec, Error> {
        if let Some(codec) = self.codec.get() {
            return Ok(codec);
        }
        let key = self.key.load()?;
        Ok(self.codec.get_or_init(|| RequestStateCodec::new_unchecked(key)))
    }

    /// Seals a state. `time_left` is the time until its question expires.
    pub(super) fn seal_question(
        &self,
        state: &SealedQuestion,
        call: &CallBinding,
        time_left: Option<Duration>,
    ) -> Result<String, Error> {
        let ttl = time_left.map_or(MAX_LIFETIME, |time_left| time_left + LIFETIME_AFTER_EXPIRY);
        let options = SealOptions::new().associated_data(&call.context).ttl(ttl);
        let sealed = self.codec()?.seal_json_with(state, &options);
        sealed.map_err(|error| {
            Error::new(pml::Code::Internal, "the state cannot be written").with_source(error)
        })
    }

    /// Opens a state. Returns `None` if it was not issued for this call, or is too old. The caller
    /// does not learn which.
    pub(super) fn open_question(
        &self,
        sealed: &str,
        call: &CallBinding,
    ) -> Result<Option<SealedQuestion>, Error> {
        let state = self.codec()?.open_json_with::<SealedQuestion>(sealed, &call.context);
        Ok(state.ok().filter(|state| state.format == FORMAT))
    }

    /// Returns the task id of a run. It is always the same, and cannot be guessed.
    pub(super) fn seal_task(&self, run: RunId) -> Result<String, Error> {
        let options = SealOptions::new().associated_data(TASK_CONTEXT);
        Ok(self.codec()?.seal_with(run.to_string().as_bytes(), &options))
    }

    /// Returns the run of a task, or `None` if this server did not issue the id.
    pub(super) fn open_task(&self, task: &str) -> Result<Option<RunId>, Error> {
        let opened = self.codec()?.open_with(task, TASK_CONTEXT).ok();
        Ok(opened.and_then(|run| String::from_utf8(run).ok()?.parse().ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::{CallBinding, SealedQuestion, StateSealer};
    use pml::json::json;
    use pml::{QuestionId, RunId, project::UserKey};
    use std::time::Duration;

    #[test]
    fn a_state_opens_for_its_own_call_only_and_not_if_it_was_changed() {
        let seal = StateSealer::new(UserKey::of_this_process());
        let arguments = json!({ "code": "1", "inputs": { "a": 1, "b": 2 } });
        let again = json!({ "inputs": { "b": 2, "a": 1 }, "code": "1" });
        let call =
            |tool, arguments: &serde_json::Value| CallBinding::new(tool, arguments.as_object());
        let (question, run) = (QuestionId::new(), RunId::new());
        let state =
            SealedQuestion::new(question, run, vec![(1, "digest".into())], "program".into(), None);
        let own = call("execute", &arguments);
        let sealed = seal.seal_question(&state, &own, Some(Duration::from_secs(1))).unwrap();
        assert_eq!(seal.open_question(&sealed, &own).unwrap(), Some(state));
        assert!(seal.open_question(&sealed, &call("execute", &again)).unwrap().is_some());
        for other in [
            call("pml:execute", &arguments),
            call("execute", &json!({ "code": "1" })),
            CallBinding::new("execute", None),
        ] {
            assert_eq!(seal.open_question(&sealed, &other).unwrap(), None);
        }
        for index in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[index] = if changed[index] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            // The last character of base64 may contain unused bits.
            let opened = seal.open_question(&changed, &own).unwrap();
            assert!(opened.is_none(), "{index} of {sealed}");
        }
        let stranger = StateSealer::new(UserKey::of_this_process());
        assert_eq!(stranger.open_question(&sealed, &own).unwrap(), None);
    }

    #[test]
    fn a_task_is_not_a_state_and_a_run_is_not_a_task() {
        let seal = StateSealer::new(UserKey::of_this_process());
        let run = RunId::new();
        let task = seal.seal_task(run).unwrap();
        assert_eq!(seal.seal_task(run).unwrap(), task);
        assert_eq!(seal.open_task(&task).unwrap(), Some(run));
        assert_eq!(seal.open_task(&run.to_string()).unwrap(), None);
        assert_eq!(seal.open_question(&task, &CallBinding::new("execute", None)).unwrap(), None);
        let other = StateSealer::new(UserKey::of_this_process());
        assert_eq!(other.open_task(&task).unwrap(), None);
    }
}
