//! Derives the decision, and the asks that it is about, from the flags.

use super::command::ApproveCommand;
use crate::always_choices::{ConstraintSuggester, choices, decision_of_choice};
use crate::report::{HintedError, UsageError};
use anyhow::{Result, bail};
use pml::{
    Ask, Decision,
    approval::{AskId, AskKind},
    journal::StoredQuestion,
};

impl ApproveCommand {
    /// Returns the asks that are answered: those named by `--only`, otherwise the open ones.
    pub(super) fn selected_asks<'a>(&self, stored: &'a StoredQuestion) -> Result<Vec<&'a Ask>> {
        let all = &stored.question.asks;
        if let Some(number) = self.only.iter().find(|it| stored.question.ask(AskId(**it)).is_none())
        {
            let asks = all.len();
            return Err(
                UsageError(format!("there is no ask {number}: the question has {asks}")).into()
            );
        }
        if !self.only.is_empty() {
            return Ok(all.iter().filter(|ask| self.only.contains(&ask.id.0)).collect());
        }
        let open = |ask: &&Ask| !stored.decided.iter().any(|decided| decided.ask == ask.id);
        let open_asks: Vec<_> = all.iter().filter(open).collect();
        Ok(if open_asks.is_empty() { all.iter().collect() } else { open_asks })
    }

    /// Checks that the asks have the digests that `--digest` names, if it was given.
    pub(super) fn check_digests(&self, asks: &[&Ask]) -> Result<()> {
        if self.digest.is_empty() {
            return Ok(());
        }
        for ask in asks {
            let digest = ask.digest();
            if !self.digest.iter().any(|prefix| digest.starts_with(prefix)) {
                let message = format!(
                    "ask {} has the digest {}, not the one in `--digest`: nothing was recorded",
                    ask.id,
                    ask.short_digest()
                );
                return Err(
                    HintedError::new(message, "`pml approvals` shows what is asked now").into()
                );
            }
        }
        Ok(())
    }

    /// Returns the decision for these asks.
    pub(super) fn decision(
        &self,
        asks: &[&Ask],
        suggester: ConstraintSuggester,
    ) -> Result<Decision> {
        if let Some(result) = &self.result {
            let ask = only_ask(asks, "--result")?;
            if ask.kind != AskKind::UncertainCall {
                bail!(
                    "`--result` is for a call whose outcome is unknown, and this one was not made yet"
                );
            }
            return Ok(Decision::Result(result.clone()));
        }
        if self.always && !asks.iter().all(|ask| ask.kind.may_be_always()) {
            let message = "`--always` is for permissions of tools, and not all of these asks are";
            return Err(HintedError::new(message, "answer one of them with `--only ASK`").into());
        }
        if let Some(number) = self.only_for {
            let ask = only_ask(asks, "--only-for")?;
            return decision_of_choice(ask, suggester, number)
                .ok_or_else(|| no_such_choice(number, ask, suggester));
        }
        Ok(match () {
            () if self.always => Decision::Always,
            () if self.decline => Decision::Decline,
            () if self.replan => Decision::Replan,
            () if self.abort => Decision::Abort,
            () => Decision::Approve,
        })
    }
}

/// Returns the only ask, for a flag that answers exactly one.
fn only_ask<'a>(asks: &[&'a Ask], flag: &str) -> Result<&'a Ask> {
    match asks {
        [ask] => Ok(ask),
        _ => {
            let message = format!("`{flag}` answers one ask, and {} are open", asks.len());
            Err(HintedError::new(message, "choose it with `--only ASK`").into())
        }
    }
}

fn no_such_choice(number: usize, ask: &Ask, suggester: ConstraintSuggester) -> anyhow::Error {
    let message = match choices(ask, suggester).len() {
        0 => "this call has no condition to choose: use `--always` alone, for any arguments".into(),
        most => format!("there is no condition {number}: choose 1 to {most}"),
    };
    UsageError(message).into()
}
