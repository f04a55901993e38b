//! `execute`: starts a program and answers its request.

use super::channel::Caller;
use super::parameters::ExecuteParameters;
use super::resume::AnsweringTool;
use super::{handle, resume};
use crate::answering::{complete, wait_and_answer};
use crate::server::RequestScope;
use crate::workflows;
use pml::hosting::PriorDecision;
use pml::{Run, Script};
use rmcp::ErrorData;
use rmcp::model::CallToolResponse;

/// Carries out a request of `execute`.
pub(super) async fn execute(
    scope: &RequestScope,
    caller: &Caller<'_>,
    parameters: ExecuteParameters,
) -> Result<CallToolResponse, ErrorData> {
    match parameters {
        ExecuteParameters::Code { code, inputs, resume_from } => {
            let mut run = scope.engine.run(Script::ts(code).named("execute.ts"));
            if let Some(inputs) = inputs {
                run = run.inputs(inputs);
            }
            if let Some(earlier) = resume_from {
                scope.server.host.release(earlier).await;
                run = run.resume_from(earlier);
            }
            start_and_answer(scope, caller, run).await
        }
        ExecuteParameters::Workflow { name } => {
            Ok(complete(caller, workflows::missing(&name), Vec::new()))
        }
        ExecuteParameters::Continue(answer) => {
            resume::continue_run(scope, caller, AnsweringTool::Execute, answer).await
        }
        ExecuteParameters::Handle { handle, offset } => {
            let part = handle::read(&scope.engine, &handle, offset).await;
            Ok(complete(caller, part, Vec::new()))
        }
    }
}

/// Starts a run, waits for it, and answers.
pub(super) async fn start_and_answer(
    scope: &RequestScope,
    caller: &Caller<'_>,
    run: Run,
) -> Result<CallToolResponse, ErrorData> {
    let server = &scope.server;
    let run = run.tools(scope.servers.clone());
    let hosted = server.host.start(&scope.engine, &server.client, run);
    wait_and_answer(scope, caller, &hosted, PriorDecision::Nothing, Vec::new()).await
}
