//! Finds things by the ids that people type: a whole id, or enough of its beginning or end.
//!
//! Run ids begin with the time, so ids of about the same time differ only at their end. The short
//! form is therefore the end.

use super::report::HintedError;
use anyhow::Result;
use pml::{
    Code, Error, Journal, RunId, Timestamp,
    journal::{RunFilter, RunSummary},
    text::escape,
};
use std::fmt::Display;

/// Fewest characters of an id; fewer would match by accident.
const MIN_CHARACTERS: usize = 4;
/// Number of candidates that are named when several match.
const MAX_CANDIDATES: usize = 5;
/// Number of digits in the short form.
const SHORT_DIGITS: usize = 8;

/// Returns the short form of an id: its last eight digits.
pub(super) fn short(id: impl Display) -> String {
    let id = id.to_string();
    id[id.len().saturating_sub(SHORT_DIGITS)..].into()
}

/// Returns the candidates whose id begins or ends with what was typed.
pub(super) fn matching<T>(typed: &str, candidates: Vec<T>, id: impl Fn(&T) -> String) -> Vec<T> {
    let normalized = |text: &str| text.replace('-', "").to_ascii_lowercase();
    let typed = normalized(typed);
    let matches_typed = |candidate: &T| {
        let id = normalized(&id(candidate));
        typed.len() >= MIN_CHARACTERS && (id.starts_with(&typed) || id.ends_with(&typed))
    };
    candidates.into_iter().filter(matches_typed).collect()
}

/// Returns the error for a typed id that matches several candidates.
pub(super) fn ambiguous_error(what: &str, typed: &str, candidates: &[String]) -> anyhow::Error {
    let mut message = format!("`{typed}` fits {} {what}", candidates.len());
    for candidate in candidates.iter().take(MAX_CANDIDATES) {
        message += &format!("\n{candidate}");
    }
    if candidates.len() > MAX_CANDIDATES {
        message += "\n…";
    }
    HintedError::new(message, "write more of the end of the id").into()
}

/// Finds a run by its id, a unique beginning or end of it, or `last`.
pub(super) async fn find_run(
    journal: &dyn Journal,
    typed: &str,
    now: Timestamp,
) -> Result<RunSummary> {
    let mut filter = RunFilter::default();
    if typed == "last" {
        filter.limit = Some(1);
    } else if let Ok(run) = typed.parse::<RunId>() {
        filter.id_prefix = Some(run.to_string());
    }
    let listed = journal.runs(filter, now).await.map_err(Error::from)?;
    let mut found = match typed {
        "last" => listed,
        _ => matching(typed, listed, |summary| summary.run.to_string()),
    };
    match found.len() {
        1 => Ok(found.remove(0)),
        0 if typed == "last" => {
            let hint = "`pml run FILE` runs a program";
            let error = HintedError::new("this project has no run yet", hint);
            Err(error.with_code(Code::RunUnknown).into())
        }
        0 if typed.len() < MIN_CHARACTERS => {
            let message = format!("`{typed}` is too short to find a run by");
            let hint = "write at least four characters of its id, or `last`";
            Err(HintedError::new(message, hint).with_code(Code::RunUnknown).into())
        }
        0 => {
            let message = format!("there is no run `{typed}`");
            let error = HintedError::new(message, "`pml runs` lists the runs");
            Err(error.with_code(Code::RunUnknown).into())
        }
        _ => {
            let line = |found: &RunSummary| format!("{}  {}", found.run, escape(&found.script));
            let candidates: Vec<_> = found.iter().map(line).collect();
            Err(ambiguous_error("runs", typed, &candidates))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{find_run, matching, short};
    use crate::runs::fixture;
    use pml::{MemoryJournal, Timestamp};

    #[test]
    fn the_beginning_and_the_end_of_an_id_name_it() {
        let ids =
            || vec!["019a8c7e-1111-7000-8000-00000000abcd", "019a8c7e-2222-7000-8000-00000000ef01"];
        let found = |typed: &str| matching(typed, ids(), |id| id.to_string()).len();
        assert_eq!(
            [found("abcd"), found("EF01"), found("019a8c7e-1"), found("019a8c7e1111")],
            [1; 4]
        );
        assert_eq!([found("019a"), found("ef0"), found(""), found("beef")], [2, 0, 0, 0]);
        assert_eq!(short(ids()[0]), "0000abcd");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_run_is_found_or_the_error_helps() {
        let journal = MemoryJournal::new();
        let missing = find_run(&journal, "last", Timestamp(0)).await.unwrap_err();
        assert_eq!(missing.to_string(), "this project has no run yet");
        let first = fixture::finished(&journal).await;
        let second = fixture::finished(&journal).await;
        let find = async |typed: &str| find_run(&journal, typed, Timestamp(0)).await;
        assert_eq!(find("last").await.unwrap().run, second);
        assert_eq!(find(&first.to_string()).await.unwrap().run, first);
        assert_eq!(find(&short(first)).await.unwrap().run, first);
        let ambiguous = find(&first.to_string()[..6]).await.unwrap_err().to_string();
        assert!(ambiguous.contains(&second.to_string()), "{ambiguous}");
        let unknown = find("ffffffff").await.unwrap_err();
        assert_eq!(unknown.to_string(), "there is no run `ffffffff`");
    }
}
