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
    let found = script.load(source_limit).and_then(|program| check(&program, listing));
    found.or_else(|error| unloaded(&error).map(|finding| vec![finding]))
}

fn unloaded(error: &SourceError) -> Result<Finding, Error> {
    let code = error.code();
    let hint = error.hint().map(str::to_owned);
    match error.position() {
        Some(position) => {
            // The finding shows the position itself.
            let message = error.to_string();
            let end = format!(": {position}");
            let message = message.strip_suffix(&end).unwrap_or(&message).to_owned();
            let place = SourceLocation { position, frame: error.frame() };
            Ok(Finding { code, message, hint, tool: None, place })
        }
        None => {
            let mut usage = Error::new(code, error.to_string());
            if let Some(hint) = hint {
                usage = usage.with_hint(hint);
            }
            if let Some(source) = std::error::Error::source(error) {
                usage = usage.with_source(source.to_string());
            }
            Err(usage)
        }
    }
}
