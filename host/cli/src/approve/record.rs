//! Records an answer to a question. Others may answer the same question meanwhile.
//!
//! **Invariant:** only asks that were shown are answered, and no approval is recorded without a
//! person's yes: typed on the terminal, or given as `--yes`. **Invariant:** before an answer is
//! recorded, it is checked that the run can be resumed. **Invariant:** an agent approves nothing
//! unless the user's own settings permit it; an attempt is recorded in the audit trail.

use super::command::ApproveCommand;
use super::confirm::{Confirm, is_confirmed, is_refusal, print_ask};
use super::find::{closed_error, find};
use crate::always_choices::ConstraintSuggester;
use crate::identify::short;
use crate::report::{FAILED, HintedError};
use crate::ui::HINT;
use crate::user_name::user;
use crate::widening_permit::CallingAgent;
use crate::{runs, ui};
use anyhow::Result;
use pml::{
    Answer, Ask, Clock, Code, Decision, Error, Journal, RunId, Timestamp,
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
    pub(super) agent: CallingAgent,
    /// The error if the user's own settings, which may permit agents, could not be read.
    pub(super) settings_error: Option<Error>,
    pub(super) suggester: ConstraintSuggester,
    /// Hides secrets in the output.
    pub(super) redactor: &'a Redactor,
    /// Checks that the run can be resumed in this process.
    pub(super) check_resumable: &'a dyn Fn() -> Result<()>,
}

impl ApproveCommand {
    /// Finds the question, shows it, asks for a yes, and records the answer.
    pub(super) async fn record(
        &self,
        journal: &dyn Journal,
        context: &ApproveContext<'_>,
    ) -> Result<RecordedStatus> {
        let stored = find(journal, &self.id, context.clock.now()).await?;
        let asks = self.selected_asks(&stored)?;
        let decision = self.decision(&asks, context.suggester)?;
        self.check_digests(&asks)?;
        if stored.open {
            refuse_agents(journal, context, &stored, &decision).await?;
            let run = run_summary(journal, stored.question.run, context.clock.now()).await?;
            if run.is_none_or(|run| run.owner.is_none()) {
                (context.check_resumable)()?;
            }
            asks.iter()
                .for_each(|ask| print_ask(ask, stored.question.asks.len(), context.redactor));
            if !self.yes && !is_confirmed(context, &decision, &asks)? {
                ui::say("nothing was recorded");
                return Ok(RecordedStatus::NotRecorded(ExitCode::from(FAILED)));
            }
        }
        let answer = match decision.ends_run() {
            true => {
                Answer::all(&stored.question, decision.clone(), user(), context.agent.channel())
            }
            false => {
                let each = asks.iter().map(|ask| (ask.id, decision.clone()));
                Answer::each(&stored.question, each, user(), context.agent.channel())
            }
        };
        // The time is taken now, because the confirmation may have taken long.
        let now = context.clock.now();
        let answered =
            journal.answer(stored.question.id, answer, now).await.map_err(Error::from)?;
        match answered {
            AnswerOutcome::Recorded { question, open } => {
                let updated = journal.question(question.id, now).await.map_err(Error::from)?;
                let before: Vec<_> = updated.iter().flat_map(|stored| &stored.decided).collect();
                print_earlier_decisions(&before, &asks, now);
                let run = question.run;
                let owner = run_summary(journal, run, now).await?.and_then(|run| run.owner);
                let asks = asks.iter().map(|ask| (ask.id, ask.digest())).collect();
                Ok(RecordedStatus::Recorded { run, owner, open, asks })
            }
            AnswerOutcome::Late { question, decided } => {
                let resumable_run = resumable_run(journal, question.run, now).await?;
                if let Some(run) =
                    resumable_run.filter(|_| is_same_decision(&decided, &asks, &decision))
                {
                    (context.check_resumable)()?;
                    return Ok(RecordedStatus::AnsweredBefore { run });
                }
                Ok(RecordedStatus::NotRecorded(print_late(
                    &decided,
                    &asks,
                    &decision,
                    resumable_run,
                )))
            }
            AnswerOutcome::NotShown { .. } => {
                let message = "the question has changed since it was shown: nothing was recorded";
                Err(HintedError::new(message, "`pml approvals` shows what is asked now").into())
            }
            AnswerOutcome::Gone => Err(closed_error(journal, &stored.question, now).await?),
        }
    }
}

/// Returns the run if it has no open question, has not ended, and no process owns it.
async fn resumable_run(journal: &dyn Journal, run: RunId, now: Timestamp) -> Result<Option<RunId>> {
    let idle =
        |run: &RunSummary| run.owner.is_none() && run.questions == 0 && !run.state.has_ended();
    Ok(run_summary(journal, run, now).await?.filter(idle).map(|run| run.run))
}

/// Reads the summary of a run.
async fn run_summary(
    journal: &dyn Journal,
    run: RunId,
    now: Timestamp,
) -> Result<Option<RunSummary>> {
    let filter = RunFilter { id_prefix: Some(run.to_string()), ..RunFilter::default() };
    Ok(journal.runs(filter, now).await.map_err(Error::from)?.into_iter().next())
}

/// Refuses an approval by an agent, and records the attempt. Declining or ending a run is not
/// refused.
async fn refuse_agents(
    journal: &dyn Journal,
    context: &ApproveContext<'_>,
    stored: &StoredQuestion,
    decision: &Decision,
) -> Result<()> {
    let CallingAgent::Refused(variable) = context.agent else { return Ok(()) };
    if is_refusal(decision) {
        return Ok(());
    }
    let question = &stored.question;
    let decision_name = decision.name();
    let reason =
        format!("`pml approve` ({decision_name}): an agent runs the command: `{variable}` is set");
    let (who, channel) = (user(), context.agent.channel());
    let what = AuditEvent::Refused { question: Some(question.id), who, channel, reason };
    let note = AuditNote::new(context.clock.now(), Some(question.run), what);
    journal.audit(note).await.map_err(Error::from)?;
    let message =
        format!("an agent runs this command (`{variable}` is set), and only a person may approve");
    // The hint must not say how to get around the refusal.
    let refused = HintedError::new(message, "run it yourself, in a terminal of your own")
        .with_code(Code::AgentRefused);
    Err(match &context.settings_error {
        Some(settings_error) => anyhow::anyhow!("{settings_error}").context(refused),
        None => refused.into(),
    })
}

/// Prints which asks somebody else decided meanwhile.
fn print_earlier_decisions(decided: &[&RecordedDecision], asks: &[&Ask], now: Timestamp) {
    let answered_here = |decided: &RecordedDecision| asks.iter().any(|ask| ask.id == decided.ask);
    for decided in decided.iter().filter(|decided| answered_here(decided) && decided.at != now) {
        let line = runs::decision_line(decided);
        ui::say(&format!("ask {} was already decided: {line}", decided.ask));
    }
}

/// Prints the earlier decisions. Returns success if they are the same as this one.
fn print_late(
    decided: &[RecordedDecision],
    asks: &[&Ask],
    decision: &Decision,
    resumable_run: Option<RunId>,
) -> ExitCode {
    ui::say("it was already decided, and nothing was changed:");
    for decided in decided {
        ui::say(&format!("  ask {}: {}", decided.ask, runs::decision_line(decided)));
    }
    if let Some(run) = resumable_run.map(short) {
        ui::say(&format!(
            "{HINT}hint{HINT:#}: no process runs it: `pml run --resume {run}` goes on"
        ));
    }
    match is_same_decision(decided, asks, decision) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(FAILED),
    }
}

/// Reports whether these asks have been decided in the same way before.
fn is_same_decision(decided: &[RecordedDecision], asks: &[&Ask], decision: &Decision) -> bool {
    asks.iter().all(|ask| {
        decided.iter().any(|decided| decided.ask == ask.id && decided.decision == *decision)
    })
}
