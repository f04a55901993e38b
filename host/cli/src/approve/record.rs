//! Records an answer to a question. Others may answer the same question meanwhile.
//!
//! **Invariant:** only asks that were shown are answered, and no approval is recorded without a
//! person's yes: typed on the terminal, or given as `--yes`. **Invariant:** before an answer is
//! recorded, it is checked that the run can be resumed. **Invariant:** an agent approves nothing
//! unless the user's own settings permit it; an attempt is recorded in the audit trail.

use super::command::ApproveCommand;
use super::confirm::{Confirm, is_a_no, show, wants};
use super::find::{find, gone};
use crate::always_choices::ConstraintSuggester;
use crate::identify::short;
use crate::report::{FAILED, HintedError};
use crate::ui::HINT;
use crate::user_name::user;
use crate::widening_permit::CallingAgent;
use crate::{runs, ui};
use anyhow::Result;
use pml::{
    Answer, Ask, Clock, Decision, Error, Journal, RunId, Timestamp,
    approval::{AskId, RecordedDecision},
    journal::{AnswerOutcome, AuditEvent, AuditNote, RunFilter, RunSummary, StoredQuestion},
    text::Redactor,
};
use std::process::ExitCode;

/// The result of recording an answer.
#[derive(Debug)]
pub(super) enum RecordedStatus {
    /// The answer is recorded.
    Recorded {
        /// The run that waits for the answer.
        run: RunId,
        /// The process that owns the run and resumes it, if there is one.
        owner: Option<u32>,
        /// Number of asks of the question that are still open.
        open: usize,
        /// The asks that were decided, with their digests.
        asks: Vec<(AskId, String)>,
    },
    /// The same answer was recorded before, and no process has resumed the run.
    AnsweredBefore {
        /// The run.
        run: RunId,
    },
    /// Nothing was recorded; the reason has been printed.
    NotRecorded(ExitCode),
}

/// The surroundings of the command, replaceable in tests.
pub(super) struct ApproveContext<'a> {
    pub(super) clock: &'a dyn Clock,
    pub(super) confirm: Confirm<'a>,
    pub(super) around: CallingAgent,
    /// The error if the user's own settings, which may permit agents, could not be read.
    pub(super) wrong: Option<Error>,
    pub(super) offers: ConstraintSuggester,
    /// Hides secrets in the output.
    pub(super) redactor: &'a Redactor,
    /// Checks that the run can be resumed in this process.
    pub(super) ready: &'a dyn Fn() -> Result<()>,
}

impl ApproveCommand {
    /// Finds the question, shows it, asks for a yes, and records the answer.
    pub(super) async fn record(
        &self,
        journal: &dyn Journal,
        place: &ApproveContext<'_>,
    ) -> Result<RecordedStatus> {
        let asked = find(journal, &self.id, place.clock.now()).await?;
        let asks = self.asks(&asked)?;
        let decision = self.decision(&asks, place.offers)?;
        self.pinned(&asks)?;
        if asked.open {
            refuse_agents(journal, place, &asked, &decision).await?;
            let run = standing(journal, asked.question.run, place.clock.now()).await?;
            if run.is_none_or(|run| run.owner.is_none()) {
                (place.ready)()?;
            }
            asks.iter().for_each(|ask| show(ask, asked.question.asks.len(), place.redactor));
            if !self.yes && !wants(place, &decision, &asks)? {
                ui::say("nothing was recorded");
                return Ok(RecordedStatus::NotRecorded(ExitCode::from(FAILED)));
            }
        }
        let answer = match decision.ends() {
            true => Answer::all(&asked.question, decision.clone(), user(), place.around.channel()),
            false => {
                let each = asks.iter().map(|ask| (ask.id, decision.clone()));
                Answer::each(&asked.question, each, user(), place.around.channel())
            }
        };
        // The time is taken now, because the confirmation may have taken long.
        let now = place.clock.now();
        let answered = journal.answer(asked.question.id, answer, now).await.map_err(Error::from)?;
        match answered {
            AnswerOutcome::Recorded { question, open } => {
                let again = journal.question(question.id, now).await.map_err(Error::from)?;
                let before: Vec<_> = again.iter().flat_map(|asked| &asked.decided).collect();
                earlier(&before, &asks, now);
                let run = question.run;
                let owner = standing(journal, run, now).await?.and_then(|run| run.owner);
                let asks = asks.iter().map(|ask| (ask.id, ask.digest())).collect();
                Ok(RecordedStatus::Recorded { run, owner, open, asks })
            }
            AnswerOutcome::Late { question, decided } => {
                let left = left(journal, question.run, now).await?;
                if let Some(run) = left.filter(|_| same(&decided, &asks, &decision)) {
                    (place.ready)()?;
                    return Ok(RecordedStatus::AnsweredBefore { run });
                }
                Ok(RecordedStatus::NotRecorded(late(&decided, &asks, &decision, left)))
            }
            AnswerOutcome::NotShown { .. } => {
                let message = "the question is not the one that was shown: nothing was recorded";
                Err(HintedError::new(message, "`pml approvals` shows what is asked now").into())
            }
            AnswerOutcome::Gone => Err(gone(journal, &asked.question, now).await?),
        }
    }
}

/// Returns the run if it has no open question, has not ended, and no process owns it.
async fn left(journal: &dyn Journal, run: RunId, now: Timestamp) -> Result<Option<RunId>> {
    let idle = |run: &RunSummary| run.owner.is_none() && run.questions == 0 && !run.state.ended();
    Ok(standing(journal, run, now).await?.filter(idle).map(|left| left.run))
}

/// Reads the summary of a run.
async fn standing(journal: &dyn Journal, run: RunId, now: Timestamp) -> Result<Option<RunSummary>> {
    let filter = RunFilter { id: Some(run.to_string()), ..RunFilter::default() };
    Ok(journal.runs(filter, now).await.map_err(Error::from)?.into_iter().next())
}

/// Refuses an approval by an agent, and records the attempt. Declining or ending a run is not
/// refused.
async fn refuse_agents(
    journal: &dyn Journal,
    place: &ApproveContext<'_>,
    asked: &StoredQuestion,
    decision: &Decision,
) -> Result<()> {
    let CallingAgent::Refused(variable) = place.around else { return Ok(()) };
    if is_a_no(decision) {
        return Ok(());
    }
    let question = &asked.question;
    let said = decision.name();
    let reason = format!("`pml approve` ({said}): an agent runs the command: `{variable}` is set");
    let (who, channel) = (user(), place.around.channel());
    let what = AuditEvent::Refused { question: Some(question.id), who, channel, reason };
    let note = AuditNote::new(place.clock.now(), Some(question.run), what);
    journal.audit(note).await.map_err(Error::from)?;
    let message =
        format!("an agent runs this command (`{variable}` is set), and who asks does not approve");
    // The hint must not say how to get around the refusal.
    let refused = HintedError::new(message, "a person answers in a terminal of their own");
    Err(match &place.wrong {
        Some(wrong) => anyhow::anyhow!("{wrong}").context(refused),
        None => refused.into(),
    })
}

/// Prints which asks somebody else decided meanwhile.
fn earlier(decided: &[&RecordedDecision], asks: &[&Ask], now: Timestamp) {
    let ours = |decided: &RecordedDecision| asks.iter().any(|ask| ask.id == decided.ask);
    for decided in decided.iter().filter(|decided| ours(decided) && decided.at != now) {
        let line = runs::decided_line(decided);
        ui::say(&format!("ask {} had been decided: {line}", decided.ask));
    }
}

/// Prints the earlier decisions. Returns success if they are the same as this one.
fn late(
    decided: &[RecordedDecision],
    asks: &[&Ask],
    decision: &Decision,
    left: Option<RunId>,
) -> ExitCode {
    ui::say("too late, nothing was changed; it had been decided:");
    for decided in decided {
        ui::say(&format!("  ask {}: {}", decided.ask, runs::decided_line(decided)));
    }
    if let Some(run) = left.map(short) {
        ui::say(&format!(
            "{HINT}hint{HINT:#}: nobody goes on with the run: `pml run --resume {run}` does"
        ));
    }
    match same(decided, asks, decision) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(FAILED),
    }
}

/// Reports whether these asks have been decided in the same way before.
fn same(decided: &[RecordedDecision], asks: &[&Ask], decision: &Decision) -> bool {
    asks.iter().all(|ask| {
        decided.iter().any(|decided| decided.ask == ask.id && decided.decision == *decision)
    })
}
