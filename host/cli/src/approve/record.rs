//! Records an answer to a question, whoever else may be asked.
//!
//! **Invariant:** only what was shown is answered, and nothing is recorded without a person's yes:
//! typed on the terminal, or given as `--yes`. **Invariant:** nothing is recorded that nobody could
//! go on with: that is seen before. **Invariant:** an agent approves nothing unless the user's own
//! settings say that it may; an attempt stands in the audit trail.

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

/// What came of it.
#[derive(Debug)]
pub(super) enum RecordedStatus {
    /// The answer counts.
    Recorded {
        /// The run that waited for it.
        run: RunId,
        /// The process that has the run, if one does: it goes on there.
        owner: Option<u32>,
        /// Asks of the question that are still open.
        open: usize,
        /// What was decided about, by its digest.
        asks: Vec<(AskId, String)>,
    },
    /// It was answered like this before, and nobody went on with the run.
    AnsweredBefore {
        /// The run.
        run: RunId,
    },
    /// Nothing was recorded, and why was told.
    NotRecorded(ExitCode),
}

/// Where the command is run.
pub(super) struct ApproveContext<'a> {
    pub(super) clock: &'a dyn Clock,
    pub(super) confirm: Confirm<'a>,
    pub(super) around: CallingAgent,
    /// Why the user's own settings could not be asked about agents, if they could not.
    pub(super) wrong: Option<Error>,
    pub(super) offers: ConstraintSuggester,
    /// Takes secrets out of what is shown.
    pub(super) redactor: &'a Redactor,
    /// Sees whether the run could go on here.
    pub(super) ready: &'a dyn Fn() -> Result<()>,
}

impl ApproveCommand {
    /// Finds the question, shows it, wants a yes, and records the answer.
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
        // Only now: somebody may have taken their time to confirm it.
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

/// Returns the run if it waits for nothing, and nobody goes on with it.
async fn left(journal: &dyn Journal, run: RunId, now: Timestamp) -> Result<Option<RunId>> {
    let idle = |run: &RunSummary| run.owner.is_none() && run.questions == 0 && !run.state.ended();
    Ok(standing(journal, run, now).await?.filter(idle).map(|left| left.run))
}

/// Reads how a run stands.
async fn standing(journal: &dyn Journal, run: RunId, now: Timestamp) -> Result<Option<RunSummary>> {
    let filter = RunFilter { id: Some(run.to_string()), ..RunFilter::default() };
    Ok(journal.runs(filter, now).await.map_err(Error::from)?.into_iter().next())
}

/// Refuses to let an agent approve. Ending or declining harms nobody.
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
    // Who is refused is not told how to get around it.
    let refused = HintedError::new(message, "a person answers in a terminal of their own");
    Err(match &place.wrong {
        Some(wrong) => anyhow::anyhow!("{wrong}").context(refused),
        None => refused.into(),
    })
}

/// Tells of asks that somebody else decided about meanwhile.
fn earlier(decided: &[&RecordedDecision], asks: &[&Ask], now: Timestamp) {
    let ours = |decided: &RecordedDecision| asks.iter().any(|ask| ask.id == decided.ask);
    for decided in decided.iter().filter(|decided| ours(decided) && decided.at != now) {
        let line = runs::decided_line(decided);
        ui::say(&format!("ask {} had been decided: {line}", decided.ask));
    }
}

/// Tells what had been decided; fine if it is what was wanted.
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

/// Whether it had been decided as it is wanted now.
fn same(decided: &[RecordedDecision], asks: &[&Ask], decision: &Decision) -> bool {
    asks.iter().all(|ask| {
        decided.iter().any(|decided| decided.ask == ask.id && decided.decision == *decision)
    })
}
