//! Checks a script on disk: an error that prevents loading it is a finding too.

use super::check::check;
use super::finding::Finding;
use crate::catalog::ToolListing;
use crate::error::Error;
use crate::source::{Script, SourceError, SourceLocation};

/// Returns the definite errors of a script and of all modules that it imports. `source_limit`
/// counts the bytes of all modules together.
///
/// A script that is not a valid program, or has an import that is refused, has that error as its
/// only finding.
///
/// # Errors
/// Fails if a file cannot be read, or is too large.
pub fn check_script(
    script: &Script,
    source_limit: usize,
    listing: &ToolListing,
) -> Result<Vec<Finding>, Error> {
    let findings = script.load(source_limit).and_then(|program| check(&program, listing));
    findings.or_else(|error| load_finding(&error).map(|finding| vec![finding]))
}

fn load_finding(error: &SourceError) -> Result<Finding, Error> {
    let code = error.code();
    let hint = error.hint().map(str::to_owned);
    match error.position() {
        Some(position) => {
            // The finding shows the position itself.
            let message = error.to_string();
            let end = format!(": {position}");
            let message = message.strip_suffix(&end).unwrap_or(&message).to_owned();
            let location = SourceLocation { position, frame: error.code_frame() };
            Ok(Finding { code, message, hint, tool: None, location })
        }
        None => {
            let mut failure = Error::new(code, error.to_string());
            if let Some(hint) = hint {
                failure = failure.with_hint(hint);
            }
            if let Some(source) = std::error::Error::source(error) {
                failure = failure.with_source(source.to_string());
            }
            Err(failure)
        }
    }
}
