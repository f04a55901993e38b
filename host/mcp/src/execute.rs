//! `execute`: a program is taken in, and seen through.

use super::channel::Caller;
use super::hosted::{host, release};
use super::parameters::ExecuteParameters;
use super::resume::AnsweringTool;
use super::{handle, resume};
use crate::answering::{complete, see_through};
use crate::server::RequestScope;
use crate::wait::PriorDecision;
use crate::workflows;
use pml::{Run, Script};
use rmcp::ErrorData;
use rmcp::model::CallToolResponse;

/// Does what `execute` is asked to do.
pub(super) async fn execute(
    visit: &RequestScope,
    caller: &Caller<'_>,
    asked: ExecuteParameters,
) -> Result<CallToolResponse, ErrorData> {
    match asked {
        ExecuteParameters::Code { code, inputs, resume_from } => {
            let mut run = visit.engine.run(Script::ts(code).named("execute.ts"));
            if let Some(inputs) = inputs {
                run = run.inputs(inputs);
            }
            if let Some(earlier) = resume_from {
                release(visit, earlier).await;
                run = run.resume_from(earlier);
            }
            begin(visit, caller, run).await
        }
        ExecuteParameters::Workflow { name } => {
            Ok(complete(caller, workflows::missing(&name), Vec::new()))
        }
        ExecuteParameters::Continue(answer) => {
            resume::go_on(visit, caller, AnsweringTool::Execute, answer).await
        }
        ExecuteParameters::Handle { handle, offset } => {
            let part = handle::read(&visit.engine, &handle, offset).await;
            Ok(complete(caller, part, Vec::new()))
        }
    }
}

/// Begins a run, and sees it through.
pub(super) async fn begin(
    visit: &RequestScope,
    caller: &Caller<'_>,
    run: Run,
) -> Result<CallToolResponse, ErrorData> {
    let hosted = host(visit, run);
    see_through(visit, caller, &hosted, PriorDecision::Nothing, Vec::new()).await
}
