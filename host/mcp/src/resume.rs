//! `continue_workflow`: records an answer and continues the run.
//!
//! **Invariant:** an answer counts only on the tool that returned the question.
//! **Invariant:** if the client can ask a person, an answer written by a model approves nothing,
//! unless the project's settings allow it: the person is asked instead.

use super::answer::{ToolAnswer, workflow_not_found};
use super::channel::{Caller, ClientChannel};
use super::form;
use super::parameters::{AskAnswer, ContinueParameters, ShownDigests, WorkflowAnswer, wrong};
use super::question::asking_tool;
use super::record::{name_for_log, not_shown, record};
use crate::answering::{complete, wait_and_answer};
use crate::server::RequestScope;
use pml::hosting::{HostedRunState, PriorDecision, RecordOutcome, find_question};
use pml::{
    Ask, Clock, Code, Error, Question, QuestionId, SystemClock, ToolName,
    approval::{AskKind, Decisions},
    journal::{AuditEvent, AuditNote},
    text::escape,
};
use rmcp::ErrorData;
use rmcp::model::CallToolResponse;

/// Records an answer and continues its run.
pub(super) async fn continue_run(
    scope: &RequestScope,
    caller: &Caller<'_>,
    on: AnsweringTool<'_>,
    parameters: ContinueParameters,
) -> Result<CallToolResponse, ErrorData> {
    let answered = |answer: ToolAnswer| Ok(complete(caller, answer, Vec::new()));
    let Some(question) = parameters.question else { return answered(workflow_not_found()) };
    check_tool(scope, caller, on, question).await?;
    let approves = parameters.answer.approves();
    let shown = match as_shown(scope, question, &parameters.digests).await {
        Ok(Some(shown)) => shown,
        Ok(None) => return answered(workflow_not_found()),
        Err(error) => return answered(ToolAnswer::of_error(&error)),
    };
    let decisions = decisions(&shown, parameters.answer)?;
    let for_people_only = shown.asks.iter().any(|ask| ask.kind.is_for_people_only());
    if approves && (for_people_only || !scope.model_may_approve) {
        if caller.channel.asks_people() {
            return ask_a_person(scope, caller, question).await;
        }
        if let Some(refused) = refuse_model_answer(scope, caller, question).await {
            return answered(refused);
        }
    }
    let name = ClientChannel::Caller.name();
    let recorded = match record(scope, &shown, decisions, caller.who(), name).await {
        Ok(recorded) => recorded,
        Err(error) => return answered(ToolAnswer::of_error(&error)),
    };
    let after = match recorded.is_partial() {
        true => PriorDecision::Part,
        false => PriorDecision::Settled(question),
    };
    let (run, after, notes) = match recorded {
        RecordOutcome::Recorded { question, .. } => (question.run, after, Vec::new()),
        RecordOutcome::Late { question, .. } => {
            let note = "this question was answered before: nothing was decided by this".into();
            (question.run, after, vec![note])
        }
        RecordOutcome::Gone => {
            // The question is no longer open, but its run may continue.
            let now = SystemClock.now();
            let Ok(Some(stored)) = find_question(&scope.engine, question, now).await else {
                return answered(workflow_not_found());
            };
            (stored.question.run, PriorDecision::Nothing, Vec::new())
        }
    };
    let hosted = scope.find_or_resume(run).await;
    wait_and_answer(scope, caller, &hosted, after, notes).await
}

/// The tool that an answer arrives on.
#[derive(Clone, Copy)]
pub(super) enum AnsweringTool<'a> {
    /// `execute`, in any spelling.
    Execute,
    /// A tool of a server, called by its name.
    Tool(&'a ToolName),
}

/// Refuses an answer that arrives on another tool than the one that returned the question: it
/// decides nothing.
async fn check_tool(
    scope: &RequestScope,
    caller: &Caller<'_>,
    on: AnsweringTool<'_>,
    question: QuestionId,
) -> Result<(), ErrorData> {
    // A missing question or a failing journal is handled by the caller.
    let Ok(Some(asked)) = scope.engine.journal().question(question, SystemClock.now()).await else {
        return Ok(());
    };
    let own = asking_tool(&asked.question);
    let meant = match (on, &own) {
        (AnsweringTool::Execute, None) => return Ok(()),
        (AnsweringTool::Tool(tool), Some(own)) if tool == own => return Ok(()),
        (_, Some(own)) => format!("`{}`", escape(own.as_str())),
        (_, None) => "`execute`".into(),
    };
    if asked.open {
        let reason = "`continue_workflow` came on another tool than the question";
        refuse(scope, caller, &asked.question, reason).await;
    }
    Err(wrong(&format!(
        "`continue_workflow` goes to the same tool that asked, {meant}: nothing was decided"
    )))
}

/// Returns the question as this server showed it, or as the client reports that it was shown,
/// otherwise as the journal has it: then another process asked. Returns `None` if the question no
/// longer exists.
///
/// # Errors
/// If the journal fails, or its question has changed.
async fn as_shown(
    scope: &RequestScope,
    question: QuestionId,
    digests: &ShownDigests,
) -> Result<Option<Question>, Error> {
    // All asks are loaded, so that those decided meanwhile are not treated as unknown.
    let asked = scope.engine.journal().question(question, SystemClock.now()).await?;
    let Some(asked) = asked.map(|asked| asked.question) else { return Ok(None) };
    let hosted = scope.server.host.find(asked.run);
    let shown = hosted.and_then(|hosted| hosted.shown(question)).unwrap_or_default();
    let same = |ask: &Ask| {
        let unchanged = shown.get(&ask.id).is_none_or(|digest| *digest == ask.digest());
        unchanged && digests.each.get(&ask.id).is_none_or(|digest| digest.is_of(ask))
    };
    let only = match &digests.only {
        None => true,
        Some(digest) => matches!(&asked.asks[..], [ask] if digest.is_of(ask)),
    };
    match only && asked.asks.iter().all(same) {
        true => Ok(Some(asked)),
        false => Err(not_shown(question)),
    }
}

/// Converts an answer into decisions.
fn decisions(asked: &Question, answer: WorkflowAnswer) -> Result<Decisions, ErrorData> {
    let each = match answer {
        WorkflowAnswer::All(decision) => return Ok(Decisions::All(decision)),
        WorkflowAnswer::Each(each) => each,
    };
    if let Some(unknown) = each.keys().find(|ask| asked.ask(**ask).is_none()) {
        let count = asked.asks.len();
        let asks = if count == 1 { "1 ask" } else { &format!("{count} asks") };
        return Err(wrong(&format!(
            "`continue_workflow.answers`: there is no ask `{unknown}`: the question has {asks}, \
             see `asks`"
        )));
    }
    let decided = each.into_iter().map(|(ask, answer)| {
        let decision = match answer {
            AskAnswer::Decision(decision) => decision,
            AskAnswer::AlwaysWithin(index) => {
                asked.ask(ask).and_then(|ask| form::always_within(ask, index)).ok_or_else(|| {
                    wrong("`continue_workflow.answers`: `always` is not one of the `options`")
                })?
            }
        };
        Ok((ask, decision))
    });
    let decided = decided.collect::<Result<_, ErrorData>>()?;
    Ok(Decisions::Each(decided))
}

/// Refuses an answer to a question that is for people only. The user who cloned a repository
/// decides whether to trust it, and whether a tool may be another one than before. The programs that
/// run in it do not, nor does the model that reads what its tools say.
async fn refuse_model_answer(
    scope: &RequestScope,
    caller: &Caller<'_>,
    question: QuestionId,
) -> Option<ToolAnswer> {
    let stored = find_question(&scope.engine, question, SystemClock.now()).await.ok()??;
    let asked = stored.question;
    let ask = asked.asks.iter().find(|ask| ask.kind.is_for_people_only());
    let kind = ask.filter(|_| stored.open)?.kind;
    let (reason, subject, or) = match kind {
        AskKind::Trust => (
            "`continue_workflow` trusts nothing",
            "whether to trust this folder's files",
            ", or `pml trust`",
        ),
        _ => (
            "`continue_workflow` approves no change",
            "whether to go on with something that has changed since it was approved",
            "",
        ),
    };
    refuse(scope, caller, &asked, reason).await;
    let message = format!("{subject} is for a person to say, not for `continue_workflow`");
    let hint = format!(
        "a person says `pml approve {question}` in a terminal, which goes on with the program{or}"
    );
    Some(ToolAnswer::of_error(&Error::new(Code::ApprovalByModel, message).with_hint(hint)))
}

/// Writes to the log and to the audit trail that an answer was refused.
async fn refuse(scope: &RequestScope, caller: &Caller<'_>, asked: &Question, reason: &str) {
    let (who, channel) = (caller.who(), ClientChannel::Caller.name().to_owned());
    scope.server.log(&format!(
        "question {}: refused from {}: {reason}",
        asked.id,
        name_for_log(&who)
    ));
    let reason = reason.to_owned();
    let what = AuditEvent::Refused { question: Some(asked.id), who, channel, reason };
    // The answer stays refused if the audit trail cannot be written.
    let note = AuditNote::new(SystemClock.now(), Some(asked.run), what);
    let _ = scope.engine.journal().audit(note).await;
}

/// Ignores the model's answer, and asks the person through the client's own dialog.
async fn ask_a_person(
    scope: &RequestScope,
    caller: &Caller<'_>,
    question: QuestionId,
) -> Result<CallToolResponse, ErrorData> {
    let asked = match find_question(&scope.engine, question, SystemClock.now()).await {
        Ok(Some(stored)) => stored.question,
        Ok(None) => return Ok(complete(caller, workflow_not_found(), Vec::new())),
        Err(error) => return Ok(complete(caller, ToolAnswer::of_error(&error), Vec::new())),
    };
    let reason = "`continue_workflow` approves nothing where the client can ask a person";
    refuse(scope, caller, &asked, reason).await;
    let hosted = scope.find_or_resume(asked.run).await;
    let note = "`continue_workflow` approves nothing here: your client can ask a person, and did"
        .to_owned();
    let answer =
        wait_and_answer(scope, caller, &hosted, PriorDecision::Nothing, vec![note]).await?;
    let owned = match &*hosted.state().borrow() {
        HostedRunState::Ended(ended) => ended.error() == Some(Code::RunOwned),
        _ => false,
    };
    if !owned {
        return Ok(answer);
    }
    let error = Error::new(
        Code::ApprovalByModel,
        "a person decides, not `continue_workflow`; and the run is another process's",
    );
    let error = error.with_hint(format!("the person can say `pml approve {question}`"));
    Ok(complete(caller, ToolAnswer::of_error(&error), Vec::new()))
}
