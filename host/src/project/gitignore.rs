//! The lines of `.gitignore` that keep a project's settings and state out of version control, and
//! its lock in.

use crate::disk::user_files::read;
use crate::disk::user_files::replace_ordinary;
use crate::error::Error;
use std::path::Path;

/// The state belongs to one machine; the lockfile is shared.
const STATE: &[&str] = &[".pml/*", "!.pml/mcp.lock"];

const SETTINGS: &str = ".pml.json";

/// Whether the settings are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsSharing {
    /// `.pml.json` stays on this machine.
    Private,
    /// `.pml.json` is committed to version control.
    Shared,
}

/// Updates the project's `.gitignore`. Reports whether anything had to be changed.
///
/// # Errors
/// If the file cannot be read or written.
pub fn update_gitignore(root: &Path, sharing: SettingsSharing) -> Result<bool, Error> {
    let found = read(root, ".gitignore")?;
    let path = found.as_ref().map_or_else(|| root.join(".gitignore"), |file| file.path.clone());
    let before = found.map(|file| file.bytes).unwrap_or_default();
    // Bytes that are not Unicode belong to a file name, and stay as they are.
    let after = updated(&before, sharing);
    if after == before {
        return Ok(false);
    }
    replace_ordinary(&path, &after).map(|()| true)
}

fn updated(before: &[u8], sharing: SettingsSharing) -> Vec<u8> {
    let end: &[u8] = if before.windows(2).any(|pair| pair == b"\r\n") { b"\r\n" } else { b"\n" };
    let is = |line: &[u8], text: &str| line.trim_ascii_end() == text.as_bytes();
    let mut lines: Vec<&[u8]> = before.split_inclusive(|byte| *byte == b'\n').collect();
    if sharing == SettingsSharing::Shared {
        lines.retain(|line| !is(line, SETTINGS));
    }
    let mut after = lines.concat();
    // If the state lines are there without the settings line, the user has decided to share the
    // settings.
    let has = |text: &str| lines.iter().any(|line| is(line, text));
    let shared = STATE.iter().all(|text| has(text)) && !has(SETTINGS);
    let wanted = (sharing == SettingsSharing::Private && !shared).then_some(SETTINGS).into_iter();
    for wanted in wanted.chain(STATE.iter().copied()) {
        if lines.iter().any(|line| is(line, wanted)) {
            continue;
        }
        if !after.is_empty() && !after.ends_with(b"\n") {
            after.extend(end);
        }
        after.extend(wanted.as_bytes());
        after.extend(end);
    }
    after
}

#[cfg(test)]
mod tests {
    use super::{SettingsSharing, updated};

    fn text(before: &str, sharing: SettingsSharing) -> String {
        String::from_utf8(updated(before.as_bytes(), sharing)).unwrap()
    }

    #[test]
    fn lines_are_added_once() {
        let once = text("node_modules", SettingsSharing::Private);
        assert_eq!(once, "node_modules\n.pml.json\n.pml/*\n!.pml/mcp.lock\n");
        assert_eq!(text(&once, SettingsSharing::Private), once);
        assert_eq!(text("", SettingsSharing::Private), ".pml.json\n.pml/*\n!.pml/mcp.lock\n");
    }

    #[test]
    fn a_project_that_is_shared_stays_so() {
        let shared = text("node_modules\n", SettingsSharing::Shared);
        assert_eq!(text(&shared, SettingsSharing::Private), shared);
    }

    #[test]
    fn line_ends_stay_as_they_are() {
        let once = text("a\r\nb\r\n", SettingsSharing::Private);
        assert_eq!(once, "a\r\nb\r\n.pml.json\r\n.pml/*\r\n!.pml/mcp.lock\r\n");
        assert_eq!(text(&once, SettingsSharing::Private), once);
    }

    #[test]
    fn shared_settings_are_not_ignored() {
        assert_eq!(text("", SettingsSharing::Shared), ".pml/*\n!.pml/mcp.lock\n");
        let private = text("a\n", SettingsSharing::Private);
        assert_eq!(text(&private, SettingsSharing::Shared), "a\n.pml/*\n!.pml/mcp.lock\n");
    }
}
