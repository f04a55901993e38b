//! Checks a server that is to be written into `.pml.json`.

use super::document::Document;
use super::parts::DeclaredServer;
use super::raw;
use super::resolve::resolve;
use crate::config::check_name;
use crate::disk::user_files::FileContents;
use crate::error::Error;
use serde_json::{Value, json};

/// The name of the file in errors, which the caller does not see.
const FILE: &str = ".pml.json";

/// Reads an entry as if it were in `.pml.json`, and returns the server that it declares.
///
/// # Errors
/// If the name or the entry is not valid. The error names no position, because no file has the
/// entry yet.
pub(super) fn check_new_server(name: &str, entry: &Value) -> Result<DeclaredServer, Error> {
    check_name(name)?;
    let bytes = json!({ "servers": { name: entry } }).to_string().into_bytes();
    let read = || {
        let document = Document::new(FileContents { path: FILE.into(), bytes })?;
        resolve(&raw::settings(&document)?, &document)
    };
    let resolved = read().map_err(|error| {
        let message = error.to_string();
        let message = message.split(&format!(": {FILE}:")).next().unwrap_or_default();
        let without_position = Error::new(error.kind(), message);
        match error.hint() {
            Some(hint) => without_position.with_hint(hint),
            None => without_position,
        }
    })?;
    let declared = resolved.entries.into_iter().next().map(|entry| entry.declared);
    declared.ok_or_else(super::edit::not_an_object)
}

#[cfg(test)]
mod tests {
    use super::check_new_server;
    use serde_json::json;

    #[test]
    fn what_is_wrong_with_a_new_server_is_said_without_a_position() {
        let refusal = |name: &str, entry| {
            let error = check_new_server(name, &entry).expect_err(name);
            assert!(error.code_frame().is_none());
            format!("{error} ({})", error.hint().unwrap_or_default())
        };
        assert_eq!(
            refusal("bad name", json!({ "command": "x" })),
            "a server cannot have the name `bad name` (use visible characters only, and no space, `:` or `*`)"
        );
        assert_eq!(
            refusal("web", json!({ "url": "not a url" })),
            "`servers.web.url` is not a URL that begins with `https://` or `http://` ()"
        );
        let fine = check_new_server("web", &json!({ "command": "x", "args": ["y z"] }));
        assert_eq!(fine.unwrap().launch, "x 'y z'");
    }
}
