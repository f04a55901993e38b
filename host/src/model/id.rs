//! Ids of runs, questions and calls.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use uuid::Uuid;

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident = $make:ident;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Returns a new id.
            #[expect(
                clippy::new_without_default,
                reason = "two ids are never equal, so there is no default one"
            )]
            pub fn new() -> $name {
                $name(Uuid::$make())
            }

            /// Returns the id of these bytes.
            pub(crate) fn from_bytes(bytes: [u8; 16]) -> $name {
                $name(Uuid::from_bytes(bytes))
            }

            /// Returns the bytes of the id, as a journal stores them.
            pub(crate) fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<$name, uuid::Error> {
                text.parse().map($name)
            }
        }
    )+};
}

ids! {
    /// The id of a run, unique for ever. Ids sort by the time they were made.
    RunId = now_v7;
    /// The id of a question: the `workflow_id` of the protocol. It cannot be guessed.
    QuestionId = new_v4;
}

/// The id of a call within its run. Ids sort in the order in which the program made the calls.
///
/// It is opaque: its form may change once calls can contain calls of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(u64);

impl CallId {
    /// Returns the id of the call with this number: 1 for the first of a program, then counting up.
    pub const fn numbered(number: u64) -> CallId {
        CallId(number)
    }

    /// Returns the number of the call, which the guest and the journal use.
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl FromStr for CallId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<CallId, Self::Err> {
        text.parse().map(CallId)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{CallId, RunId};

    #[test]
    fn ids_are_version_7_and_sort_by_time() {
        let (first, second) = (RunId::new(), RunId::new());
        assert_eq!(first.0.get_version_num(), 7);
        assert!(first < second);
    }

    #[test]
    fn a_call_reads_back_from_its_text_and_sorts_by_number() {
        let (second, tenth) = (CallId::numbered(2), CallId::numbered(10));
        assert!(second < tenth);
        assert_eq!(tenth.to_string().parse(), Ok(tenth));
        assert_eq!(serde_json::to_string(&tenth).expect("JSON"), "10");
        assert!("-1".parse::<CallId>().is_err());
    }

    #[test]
    fn an_id_reads_back_from_its_text() {
        let id = RunId::new();
        assert_eq!(id.to_string().parse::<RunId>().expect("its own text"), id);
        assert!("run-1".parse::<RunId>().is_err());
    }
}
