//! Waits for a run, and reports its progress.

use super::channel::Caller;
use crate::progress_reporter::ProgressReporter;
use crate::server::RequestScope;
use pml::Question;
use pml::hosting::{
    CancelRequest, EndedRun, HostedRun, PriorDecision, WaitOutcome, WaitingRequest,
};
use rmcp::ErrorData;
use std::sync::Arc;

/// The journal's name for the channel through which a client cancels.
const CHANNEL: &str = "mcp";

/// The result of waiting for a run.
pub(super) enum RunNews {
    /// The run is over, or cannot continue here.
    Ended(Arc<EndedRun>),
    /// The run asks.
    Asked(Question),
}

/// Waits for a run, and reports its progress.
pub(super) async fn wait_for_run(
    scope: &RequestScope,
    caller: &Caller<'_>,
    hosted: &HostedRun,
    request: &WaitingRequest<'_>,
    after: PriorDecision,
    reporter: &mut ProgressReporter,
) -> Result<RunNews, ErrorData> {
    let client = &scope.server.client;
    let cancelled = async {
        caller.context.ct.cancelled().await;
        cancel_request(caller.who())
    };
    let waiting = hosted.wait_for_request(request, after, cancelled);
    tokio::pin!(waiting);
    loop {
        tokio::select! {
            biased;
            outcome = &mut waiting => return match outcome {
                WaitOutcome::Ended(ended) => Ok(RunNews::Ended(ended)),
                WaitOutcome::Asked(question) => Ok(RunNews::Asked(question)),
                WaitOutcome::Cancelled => Err(request_cancelled()),
                WaitOutcome::ClientGone => Err(client_gone()),
            },
            () = reporter.wait_until_due(), if !client.is_gone() => {
                reporter.report_progress(&hosted.watcher().progress(), &scope.servers.redactor());
            }
        }
    }
}

/// Returns the cancellation of a client.
pub(super) fn cancel_request(who: String) -> CancelRequest {
    CancelRequest::new(who, CHANNEL)
}

/// Returns the error for a request that its client cancelled.
pub(super) fn request_cancelled() -> ErrorData {
    ErrorData::internal_error("the request was cancelled", None)
}

/// Returns the error for a client that is gone. It is never read.
pub(super) fn client_gone() -> ErrorData {
    ErrorData::internal_error(
        "the client is gone: the run can be taken up with `pml run --resume`",
        None,
    )
}
