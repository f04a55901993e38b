//! Finds the question that is meant.

use crate::cli::identify::{ambiguous, matching, short};
use crate::cli::report::Hinted;
use crate::json::Value;
use crate::{Asked, AuditFilter, Error, Journal, QuestionId, Timestamp, escape};
use anyhow::Result;

/// Finds a question by its id or by its run's, or by enough of either. One that is closed is found too, so that whoever is late
/// hears who was first.
pub(super) async fn find(journal: &dyn Journal, typed: &str, now: Timestamp) -> Result<Asked> {
    if let Ok(id) = typed.parse::<QuestionId>()
        && let Some(asked) = journal.question(id, now).await.map_err(Error::from)?
    {
        return Ok(asked);
    }
    let open = journal.questions(None, now).await.map_err(Error::from)?;
    let mut found = matching(typed, open.clone(), |asked| asked.question.id.to_string());
    if found.is_empty() {
        found = matching(typed, open, |asked| asked.question.run.to_string());
    }
    match found.len() {
        0 => closed(journal, typed, now).await?.ok_or_else(gone),
        1 => Ok(found.remove(0)),
        _ => {
            let line = |it: &Asked| {
                let question = &it.question;
                format!(
                    "{}  run {}  {}",
                    question.id,
                    short(question.run),
                    escape(&question.script)
                )
            };
            Err(ambiguous("open questions", typed, &found.iter().map(line).collect::<Vec<_>>()))
        }
    }
}

/// Finds the last question that was asked under such an id. The trail knows them all.
async fn closed(journal: &dyn Journal, typed: &str, now: Timestamp) -> Result<Option<Asked>> {
    let trail = journal.audited(AuditFilter::default()).await.map_err(Error::from)?;
    let id = |field: &'static str| {
        move |body: &Value| body[field].as_str().unwrap_or_default().to_owned()
    };
    let asked = trail.entries.iter().filter(|entry| entry.kind() == "asked");
    let asked: Vec<_> = asked.map(|entry| entry.body.clone()).collect();
    let mut found = matching(typed, asked.clone(), id("workflow_id"));
    if found.is_empty() {
        found = matching(typed, asked, id("run_id"));
    }
    let Some(last) = found.last().and_then(|body| id("workflow_id")(body).parse().ok()) else {
        return Ok(None);
    };
    Ok(journal.question(last, now).await.map_err(Error::from)?)
}

/// The protocol's own words for it.
pub(super) fn gone() -> anyhow::Error {
    Hinted::new("Workflow expired or not found", "`pml approvals` lists what waits for an answer")
        .into()
}
