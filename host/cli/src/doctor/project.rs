//! Checks the project: its files, their trust, the files that version control would include, and
//! whether Claude Code has pml.

use super::check::DoctorCheck;
use pml::{
    Environment, Project,
    project::{ImportSource, ProjectState, TrustState, find_servers},
    text::escape,
};
use std::path::Path;

const AREA: &str = "project";

/// Most bytes of a `.gitignore` that are read.
const GITIGNORE: usize = 1 << 20;

/// Checks a project's files.
pub(super) fn checks(project: &Project) -> Vec<DoctorCheck> {
    let root = escape(&project.root.to_string_lossy()).into_owned();
    let files: Vec<_> = project.files().map(|name| format!("`{name}`")).collect();
    let mut checks = vec![match files.is_empty() {
        true => DoctorCheck::note(AREA, format!("no `.pml.json` or `.mcp.json` here: {root}"))
            .hint("`pml init` makes a project of this folder"),
        false => DoctorCheck::fine(AREA, format!("{} can be read: {root}", files.join(" and "))),
    }];
    match (&project.trust, project.trust.reason()) {
        (_, Some(reason)) => checks.push(
            DoctorCheck::failure(AREA, format!("{reason}: what it declares does not count"))
                .hint("look at it, then run `pml trust`"),
        ),
        (TrustState::Trusted, None) => checks.push(DoctorCheck::fine(AREA, "you trust its files")),
        _ => {}
    }
    checks.extend(version_control(&project.root));
    checks
}

/// Checks that version control ignores the files it should not include.
fn version_control(root: &Path) -> Vec<DoctorCheck> {
    if !root.ancestors().any(|above| above.join(".git").exists()) {
        return Vec::new();
    }
    let folder = root.join(ProjectState::FOLDER);
    let ignored = |wanted: &[&str]| {
        let read = std::fs::read(root.join(".gitignore")).unwrap_or_default();
        let text = String::from_utf8_lossy(&read[..read.len().min(GITIGNORE)]).into_owned();
        text.lines().any(|line| wanted.contains(&line.trim().trim_start_matches('/')))
    };
    let mut checks = Vec::new();
    // If pml created the folder, it has a `.gitignore` of its own.
    let state = ignored(&[".pml", ".pml/", ".pml/*"]) || folder.join(".gitignore").exists();
    checks.push(match state {
        true => DoctorCheck::fine(AREA, "version control leaves `.pml/` alone"),
        false => DoctorCheck::warning(
            AREA,
            "version control would take `.pml/`, which is this machine's own",
        )
        .hint("`pml init` adds the lines to `.gitignore`"),
    });
    let keys = [".env", ".env*", "*.env", ".env.*"];
    if root.join(".env").exists() && !ignored(&keys) {
        checks.push(
            DoctorCheck::warning(AREA, "version control would take `.env`, which may hold keys")
                .hint("add `.env` to `.gitignore`"),
        );
    }
    checks
}

/// Checks whether Claude Code has pml among its servers.
pub(super) fn claude_code(folder: &Path, environment: &Environment) -> DoctorCheck {
    let found = find_servers(folder, environment, &[ImportSource::ClaudeCode]);
    match found.clients_with_pml.first() {
        Some((_, file)) => {
            let file = escape(&file.to_string_lossy()).into_owned();
            DoctorCheck::fine("clients", format!("Claude Code has pml: {file}"))
        }
        None => DoctorCheck::note("clients", "Claude Code does not have pml here")
            .hint("`claude mcp add pml -- pml stdio`"),
    }
}

#[cfg(test)]
mod tests {
    use super::version_control;
    use crate::doctor::check::CheckStatus;
    use std::fs;

    fn statuses(files: &[(&str, &str)]) -> Vec<CheckStatus> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        version_control(folder.path()).iter().map(|check| check.status).collect()
    }

    #[test]
    fn state_and_keys_are_to_be_kept_out_of_version_control() {
        let git = (".git/HEAD", "");
        assert_eq!(statuses(&[]), []);
        assert_eq!(statuses(&[git]), [CheckStatus::Warning]);
        assert_eq!(statuses(&[git, (".gitignore", "x\n.pml/*\n")]), [CheckStatus::Fine]);
        assert_eq!(statuses(&[git, (".pml/.gitignore", "*")]), [CheckStatus::Fine]);
        let env = (".env", "KEY=1");
        assert_eq!(
            statuses(&[git, (".gitignore", ".pml/*\n"), env]),
            [CheckStatus::Fine, CheckStatus::Warning]
        );
        assert_eq!(statuses(&[git, (".gitignore", ".pml/*\n/.env\n"), env]), [CheckStatus::Fine]);
    }
}
