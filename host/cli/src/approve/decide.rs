//! Derives the decision, and the asks that it is about, from the flags.

use super::command::ApproveCommand;
use crate::always_choices::{ConstraintSuggester, choices, chosen};
use crate::report::{HintedError, UsageError};
use anyhow::{Result, bail};
use pml::{
    Ask, Decision,
    approval::{AskId, AskKind},
    journal::StoredQuestion,
};

impl ApproveCommand {
    /// Returns the asks that are answered: those named by `--only`, otherwise the open ones.
    pub(super) fn asks<'a>(&self, asked: &'a StoredQuestion) -> Result<Vec<&'a Ask>> {
        let all = &asked.question.asks;
        if let Some(number) = self.only.iter().find(|it| asked.question.ask(AskId(**it)).is_none())
        {
            let asks = all.len();
            return Err(
                UsageError(format!("there is no ask {number}: the question has {asks}")).into()
            );
        }
        if !self.only.is_empty() {
            return Ok(all.iter().filter(|ask| self.only.contains(&ask.id.0)).collect());
        }
        let open = |ask: &&Ask| !asked.decided.iter().any(|decided| decided.ask == ask.id);
        let left: Vec<_> = all.iter().filter(open).collect();
        Ok(if left.is_empty() { all.iter().collect() } else { left })
    }

    /// Checks that the asks have the digests that `--digest` names, if it was given.
    pub(super) fn pinned(&self, asks: &[&Ask]) -> Result<()> {
        if self.digest.is_empty() {
            return Ok(());
        }
        for ask in asks {
            let digest = ask.digest();
            if !self.digest.iter().any(|prefix| digest.starts_with(prefix)) {
                let message = format!(
                    "ask {} has the digest {}, and not the one of `--digest`: nothing was recorded",
                    ask.id,
                    ask.short_digest()
                );
                return Err(HintedError::new(message, "`pml approvals` shows what is asked").into());
            }
        }
        Ok(())
    }

    /// Returns the decision for these asks.
    pub(super) fn decision(&self, asks: &[&Ask], offers: ConstraintSuggester) -> Result<Decision> {
        if let Some(result) = &self.result {
            let ask = one(asks, "--result")?;
            if ask.kind != AskKind::UncertainCall {
                bail!(
                    "`--result` is for a call of which nobody knows what became; this one was not made yet"
                );
            }
            return Ok(Decision::Result(result.clone()));
        }
        if self.always && !asks.iter().all(|ask| ask.kind.may_be_always()) {
            let message = "`--always` is for asks about a tool, and not all of these are";
            return Err(HintedError::new(message, "name one with `--only ASK`").into());
        }
        if let Some(number) = self.only_for {
            let ask = one(asks, "--only-for")?;
            return chosen(ask, offers, number).ok_or_else(|| none_of(number, ask, offers));
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
fn one<'a>(asks: &[&'a Ask], flag: &str) -> Result<&'a Ask> {
    match asks {
        [ask] => Ok(ask),
        _ => {
            let message = format!("`{flag}` answers one ask, and {} are open", asks.len());
            Err(HintedError::new(message, "name it with `--only ASK`").into())
        }
    }
}

fn none_of(number: usize, ask: &Ask, offers: ConstraintSuggester) -> anyhow::Error {
    let message = match choices(ask, offers).len() {
        0 => "nothing can be chosen for this call: `--always` alone is for any arguments".into(),
        most => format!("there is no choice {number}: there are 1 to {most}"),
    };
    UsageError(message).into()
}
