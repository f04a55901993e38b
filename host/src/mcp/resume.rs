//! `continue_workflow`: an answer is recorded, and the run goes on.
//!
//! **Invariant:** where the client can ask a person, what a model writes here approves nothing, unless the project's settings say
//! so: the person is asked instead.

use super::answer::{Answer, gone};
use super::attend::After;
use super::channel::{Caller, Channel};
use super::door::Visit;
use super::form;
use super::hosted::{Stand, take_up};
use super::ladder::{complete, see_through};
use super::parameters::{Continue, Said, SaidOfOne, wrong};
use super::record::{look_up, record};
use crate::{Clock, Code, Decisions, Error, QuestionId, SystemClock, escape};
use rmcp::ErrorData;
use rmcp::model::CallToolResponse;

/// Records an answer and goes on with its run.
pub(super) async fn go_on(
    visit: &Visit,
    caller: &Caller<'_>,
    answer: Continue,
) -> Result<CallToolResponse, ErrorData> {
    let answered = |answer: Answer| Ok(complete(caller, answer, Vec::new()));
    let Some(question) = answer.question else { return answered(gone()) };
    let approves = answer.said.approves();
    if approves && caller.channel.asks_people() && !visit.model_may_approve {
        return ask_a_person(visit, caller, question).await;
    }
    let decisions = match decisions(visit, question, answer.said).await? {
        Ok(decisions) => decisions,
        Err(answer) => return answered(*answer),
    };
    let name = Channel::Caller.name();
    let recorded = match record(visit, question, decisions, caller.who(), name).await {
        Ok(recorded) => recorded,
        Err(error) => return answered(Answer::of_error(&error)),
    };
    let Some(recorded) = recorded else {
        // Nothing waits for it any more; its run may go on all the same.
        let Ok(Some((question, _))) = look_up(visit, question, SystemClock.now()).await else {
            return answered(gone());
        };
        let hosted = take_up(visit, question.run).await;
        return see_through(visit, caller, &hosted, After::Nothing, Vec::new()).await;
    };
    let hosted = take_up(visit, recorded.question.run).await;
    let after = match recorded.settled {
        true => After::Settled(question),
        false => After::Part,
    };
    let notes = match recorded.late {
        true => vec!["this question was answered before: nothing was decided by this".into()],
        false => Vec::new(),
    };
    see_through(visit, caller, &hosted, after, notes).await
}

/// What was decided, or the answer to who decides about what is not asked.
async fn decisions(
    visit: &Visit,
    question: QuestionId,
    said: Said,
) -> Result<Result<Decisions, Box<Answer>>, ErrorData> {
    let each = match said {
        Said::All(decision) => return Ok(Ok(Decisions::All(decision))),
        Said::Each(each) => each,
    };
    let asked = match look_up(visit, question, SystemClock.now()).await {
        Ok(Some((asked, _))) => asked,
        Ok(None) => return Ok(Err(Box::new(gone()))),
        Err(error) => return Ok(Err(Box::new(Answer::of_error(&error)))),
    };
    let decided = each.into_iter().map(|(ask, said)| {
        let decision = match said {
            SaidOfOne::Decision(decision) => decision,
            SaidOfOne::AlwaysWithin(index) => asked
                .ask(ask)
                .and_then(|ask| form::within(ask, index))
                .ok_or_else(|| wrong("continue_workflow", "`always` is not one of the offers"))?,
        };
        Ok((ask, decision))
    });
    let decided = decided.collect::<Result<_, ErrorData>>()?;
    Ok(Ok(Decisions::Each(decided)))
}

/// The model's words count for nothing here: the person is asked, by the client's own dialog.
async fn ask_a_person(
    visit: &Visit,
    caller: &Caller<'_>,
    question: QuestionId,
) -> Result<CallToolResponse, ErrorData> {
    let asked = match look_up(visit, question, SystemClock.now()).await {
        Ok(Some((asked, _))) => asked,
        Ok(None) => return Ok(complete(caller, gone(), Vec::new())),
        Err(error) => return Ok(complete(caller, Answer::of_error(&error), Vec::new())),
    };
    let who = caller.who();
    visit.door.notice(&format!(
        "question {question}: `continue_workflow` of {} approves nothing, a person is asked",
        escape(&who)
    ));
    let hosted = take_up(visit, asked.run).await;
    let note = "`continue_workflow` approves nothing here: your client can ask a person, and did"
        .to_owned();
    let answer = see_through(visit, caller, &hosted, After::Nothing, vec![note]).await?;
    let owned = match &*hosted.stand().borrow() {
        Stand::Over(over) => over.error == Some(Code::RunOwned),
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
    Ok(complete(caller, Answer::of_error(&error), Vec::new()))
}
