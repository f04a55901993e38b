//! `continue_workflow`: an answer is recorded, and the run goes on.

use super::answer::{Answer, gone};
use super::door::Visit;
use super::execute::{see_through, who};
use super::parameters::{Continue, Said};
use crate::json::json;
use crate::{Answered, Code, Question};
use rmcp::ErrorData;
use rmcp::service::{RequestContext, RoleServer};

/// How the answer came: words of the model, not of a person that we asked.
const CHANNEL: &str = "continue_workflow";

/// Records an answer and goes on with its run.
pub(super) async fn go_on(
    visit: &Visit,
    answer: Continue,
    context: &RequestContext<RoleServer>,
) -> Result<Answer, ErrorData> {
    let Some(question) = answer.question else { return Ok(gone()) };
    let who = who(context);
    let said = match answer.said {
        Said::All(decision) => crate::Answer::all(decision, who, CHANNEL),
        Said::Each(decisions) => crate::Answer::each(decisions, who, CHANNEL),
    };
    match visit.engine.answer(question, said).await {
        Ok(Answered::Recorded { question, .. }) => {
            let run = visit.engine.resume(question.run);
            see_through(visit, run, context).await
        }
        Ok(Answered::Late { question, .. }) => late(visit, &question, context).await,
        Ok(_) => Ok(gone()),
        Err(error) => Ok(Answer::of_error(&error)),
    }
}

/// Somebody was faster. If nobody goes on with the run, it goes on here; nothing is approved twice.
async fn late(
    visit: &Visit,
    question: &Question,
    context: &RequestContext<RoleServer>,
) -> Result<Answer, ErrorData> {
    let run = visit.engine.resume(question.run);
    let answer = see_through(visit, run, context).await?;
    let code = |code: Code| {
        answer.body.get("error").and_then(|error| error.get("code")) == Some(&json!(code))
    };
    if !code(Code::RunEnded) && !code(Code::RunOwned) {
        return Ok(answer);
    }
    Ok(Answer::error(json!({
        "code": Code::WorkflowUnknown,
        "type": "WorkflowError",
        "message": "this question was answered before",
        "hint": format!("`pml runs show {}` tells what became of it", question.run),
    })))
}
