//! `execute`: a program is taken in, and seen through.

use super::attend::After;
use super::channel::Caller;
use super::door::Visit;
use super::hosted::{host, release};
use super::ladder::{complete, see_through};
use super::parameters::Execute;
use super::resume::AnsweredOn;
use super::{handle, library, resume};
use pml::{Run, Script};
use rmcp::ErrorData;
use rmcp::model::CallToolResponse;

/// Does what `execute` is asked to do.
pub(super) async fn execute(
    visit: &Visit,
    caller: &Caller<'_>,
    asked: Execute,
) -> Result<CallToolResponse, ErrorData> {
    match asked {
        Execute::Code { code, inputs, resume_from } => {
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
        Execute::Workflow { name } => Ok(complete(caller, library::missing(&name), Vec::new())),
        Execute::Continue(answer) => {
            resume::go_on(visit, caller, AnsweredOn::Execute, answer).await
        }
        Execute::Handle { handle, offset } => {
            let part = handle::read(&visit.engine, &handle, offset).await;
            Ok(complete(caller, part, Vec::new()))
        }
    }
}

/// Begins a run, and sees it through.
pub(super) async fn begin(
    visit: &Visit,
    caller: &Caller<'_>,
    run: Run,
) -> Result<CallToolResponse, ErrorData> {
    let hosted = host(visit, run);
    see_through(visit, caller, &hosted, After::Nothing, Vec::new()).await
}
