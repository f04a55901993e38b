//! `continue_workflow`: an answer is recorded, and the run goes on.
//!
//! **Invariant:** an answer counts only on the tool that was answered with the question.
//! **Invariant:** where the client can ask a person, what a model writes here approves nothing, unless the project's settings say
//! so: the person is asked instead.

use super::answer::{ToolAnswer, gone};
use super::channel::{Caller, ClientChannel};
use super::form;
use super::hosted::{HostedRunState, take_up};
use super::parameters::{AskAnswer, ContinueParameters, ShownDigests, WorkflowAnswer, wrong};
use super::record::{look_up, not_shown, record};
use crate::answering::{complete, see_through};
use crate::server::RequestScope;
use crate::wait::PriorDecision;
use pml::{
    Ask, AskKind, AuditEvent, AuditNote, Clock, Code, Decisions, Error, Question, QuestionId,
    SystemClock, ToolName, escape,
};
use rmcp::ErrorData;
use rmcp::model::CallToolResponse;

/// Records an answer and goes on with its run.
pub(super) async fn go_on(
    visit: &RequestScope,
    caller: &Caller<'_>,
    on: AnsweringTool<'_>,
    answer: ContinueParameters,
) -> Result<CallToolResponse, ErrorData> {
    let answered = |answer: ToolAnswer| Ok(complete(caller, answer, Vec::new()));
    let Some(question) = answer.question else { return answered(gone()) };
    check_tool(visit, caller, on, question).await?;
    let approves = answer.said.approves();
    let shown = match as_shown(visit, question, &answer.digests).await {
        Ok(Some(shown)) => shown,
        Ok(None) => return answered(gone()),
        Err(error) => return answered(ToolAnswer::of_error(&error)),
    };
    let decisions = decisions(&shown, answer.said)?;
    if approves && !visit.model_may_approve {
        if caller.channel.asks_people() {
            return ask_a_person(visit, caller, question).await;
        }
        if let Some(refused) = no_trust(visit, caller, question).await {
            return answered(refused);
        }
    }
    let name = ClientChannel::Caller.name();
    let recorded = match record(visit, &shown, decisions, caller.who(), name).await {
        Ok(recorded) => recorded,
        Err(error) => return answered(ToolAnswer::of_error(&error)),
    };
    let Some(recorded) = recorded else {
        // Nothing waits for it any more; its run may go on all the same.
        let Ok(Some((question, _))) = look_up(visit, question, SystemClock.now()).await else {
            return answered(gone());
        };
        let hosted = take_up(visit, question.run).await;
        return see_through(visit, caller, &hosted, PriorDecision::Nothing, Vec::new()).await;
    };
    let hosted = take_up(visit, recorded.question.run).await;
    let after = match recorded.settled {
        true => PriorDecision::Settled(question),
        false => PriorDecision::Part,
    };
    let notes = match recorded.late {
        true => vec!["this question was answered before: nothing was decided by this".into()],
        false => Vec::new(),
    };
    see_through(visit, caller, &hosted, after, notes).await
}

/// The tool that an answer comes on.
#[derive(Clone, Copy)]
pub(super) enum AnsweringTool<'a> {
    /// `execute`, however it is spelled.
    Execute,
    /// A tool of a server, called by its name.
    Tool(&'a ToolName),
}

/// Refuses an answer that comes on another tool than the one that was answered with the question: nothing is decided by it.
async fn check_tool(
    visit: &RequestScope,
    caller: &Caller<'_>,
    on: AnsweringTool<'_>,
    question: QuestionId,
) -> Result<(), ErrorData> {
    // One that is gone, or a journal that fails, is answered further on.
    let Ok(Some(asked)) = visit.engine.journal().question(question, SystemClock.now()).await else {
        return Ok(());
    };
    // A program of one call is named for its tool.
    let script = &asked.question.script;
    let own = script.strip_suffix(".ts").filter(|name| name.contains(':') && !name.contains('/'));
    let own = own.and_then(|name| name.parse::<ToolName>().ok());
    let meant = match (on, &own) {
        (AnsweringTool::Execute, None) => return Ok(()),
        (AnsweringTool::Tool(tool), Some(own)) if tool == own => return Ok(()),
        (_, Some(own)) => format!("`{}`", escape(own.as_str())),
        (_, None) => "`execute`".into(),
    };
    if asked.open {
        let reason = "`continue_workflow` came on another tool than the question";
        refuse(visit, caller, &asked.question, reason).await;
    }
    let what =
        format!("this question was asked by {meant}: come back on that tool; nothing was decided");
    Err(wrong("continue_workflow", &what))
}

/// The question as this door showed it, or as the client says that it was shown; else as the journal has it: another process
/// asked. Nothing comes back if there is no such question any more.
///
/// # Errors
/// If the journal fails, or has another question by now.
async fn as_shown(
    visit: &RequestScope,
    question: QuestionId,
    digests: &ShownDigests,
) -> Result<Option<Question>, Error> {
    // All of it: what was decided meanwhile is not unknown.
    let asked = visit.engine.journal().question(question, SystemClock.now()).await?;
    let Some(asked) = asked.map(|asked| asked.question) else { return Ok(None) };
    let hosted = visit.door.house.find(asked.run);
    let shown = hosted.and_then(|hosted| hosted.shown(question)).unwrap_or_default();
    let same = |ask: &Ask| {
        let here = shown.get(&ask.id).is_none_or(|digest| *digest == ask.digest());
        here && digests.each.get(&ask.id).is_none_or(|digest| digest.is_of(ask))
    };
    let only = match &digests.only {
        None => true,
        Some(digest) => matches!(&asked.asks[..], [ask] if digest.is_of(ask)),
    };
    match only && asked.asks.iter().all(same) {
        true => Ok(Some(asked)),
        false => Err(not_shown()),
    }
}

/// What was decided.
fn decisions(asked: &Question, said: WorkflowAnswer) -> Result<Decisions, ErrorData> {
    let each = match said {
        WorkflowAnswer::All(decision) => return Ok(Decisions::All(decision)),
        WorkflowAnswer::Each(each) => each,
    };
    if let Some(unknown) = each.keys().find(|ask| asked.ask(**ask).is_none()) {
        let count = asked.asks.len();
        let asks = if count == 1 { "1 ask" } else { &format!("{count} asks") };
        let what = format!("there is no ask `{unknown}`: the question has {asks}, see `asks`");
        return Err(wrong("continue_workflow", &what));
    }
    let decided = each.into_iter().map(|(ask, said)| {
        let decision = match said {
            AskAnswer::Decision(decision) => decision,
            AskAnswer::AlwaysWithin(index) => asked
                .ask(ask)
                .and_then(|ask| form::within(ask, index))
                .ok_or_else(|| wrong("continue_workflow", "`always` is not one of the offers"))?,
        };
        Ok((ask, decision))
    });
    let decided = decided.collect::<Result<_, ErrorData>>()?;
    Ok(Decisions::Each(decided))
}

/// Whoever cloned a repository decides whether to trust it, not what runs in it: no client's word will do that no person gave.
async fn no_trust(
    visit: &RequestScope,
    caller: &Caller<'_>,
    question: QuestionId,
) -> Option<ToolAnswer> {
    let (asked, open) = look_up(visit, question, SystemClock.now()).await.ok()??;
    if !open || !asked.asks.iter().any(|ask| ask.kind == AskKind::Trust) {
        return None;
    }
    let reason = "`continue_workflow` trusts nothing";
    refuse(visit, caller, &asked, reason).await;
    let message =
        "whether to trust this folder's files is for a person to say, not for `continue_workflow`";
    let hint = format!(
        "a person says `pml approve {question}` in a terminal, which goes on with the program, or `pml trust`"
    );
    Some(ToolAnswer::of_error(&Error::new(Code::ApprovalByModel, message).with_hint(hint)))
}

/// Tells that an answer counts for nothing, in the log and in the trail.
async fn refuse(visit: &RequestScope, caller: &Caller<'_>, asked: &Question, reason: &str) {
    let (who, channel) = (caller.who(), ClientChannel::Caller.name().to_owned());
    visit.door.notice(&format!("question {}: refused from {}: {reason}", asked.id, escape(&who)));
    let reason = reason.to_owned();
    let what = AuditEvent::Refused { question: Some(asked.id), who, channel, reason };
    // A trail that cannot be written lets nothing through.
    let note = AuditNote::new(SystemClock.now(), Some(asked.run), what);
    let _ = visit.engine.journal().audit(note).await;
}

/// The model's words count for nothing here: the person is asked, by the client's own dialog.
async fn ask_a_person(
    visit: &RequestScope,
    caller: &Caller<'_>,
    question: QuestionId,
) -> Result<CallToolResponse, ErrorData> {
    let asked = match look_up(visit, question, SystemClock.now()).await {
        Ok(Some((asked, _))) => asked,
        Ok(None) => return Ok(complete(caller, gone(), Vec::new())),
        Err(error) => return Ok(complete(caller, ToolAnswer::of_error(&error), Vec::new())),
    };
    let reason = "`continue_workflow` approves nothing where the client can ask a person";
    refuse(visit, caller, &asked, reason).await;
    let hosted = take_up(visit, asked.run).await;
    let note = "`continue_workflow` approves nothing here: your client can ask a person, and did"
        .to_owned();
    let answer = see_through(visit, caller, &hosted, PriorDecision::Nothing, vec![note]).await?;
    let owned = match &*hosted.stand().borrow() {
        HostedRunState::Ended(over) => over.error == Some(Code::RunOwned),
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
