//! Checks the project: its files, their trust, the files that git would include, and whether a
//! client uses pml.

use super::check::DoctorCheck;
use crate::project_context::ProjectContext;
use crate::quantity::{counted, size};
use pml::{
    Environment, Project,
    lock::LockFile,
    project::{ImportSource, ProjectState, TrustState, find_servers},
    text::{escape, in_one_line},
};
use std::path::Path;

const AREA: &str = "project";

/// Most bytes of a `.gitignore` that are read.
const GITIGNORE: usize = 1 << 20;

/// Checks a project's files.
pub(super) fn checks(project: &Project) -> Vec<DoctorCheck> {
    // With `--trust` the files count as trusted, whatever is recorded.
    let recorded = ProjectContext::reload_project().map(|project| project.trust);
    let recorded = recorded.unwrap_or(TrustState::Unknown);
    let root = escape(&project.root.to_string_lossy()).into_owned();
    let files: Vec<_> = project.files().map(|name| format!("`{name}`")).collect();
    let mut checks = vec![match files.is_empty() {
        true => DoctorCheck::note(
            AREA,
            format!("this folder has no `.pml.json` and no `.mcp.json`: {root}"),
        )
        .hint("`pml init` makes this folder a project"),
        false => DoctorCheck::fine(AREA, format!("{} can be read: {root}", files.join(" and "))),
    }];
    match (&project.trust, project.trust.reason()) {
        (_, Some(reason)) => checks.push(
            DoctorCheck::failure(
                AREA,
                format!("{reason}: its servers and permissions have no effect"),
            )
            .hint("read what it declares with `pml trust --show`, then run `pml trust`"),
        ),
        (TrustState::Trusted, None) => checks.push(match recorded {
            TrustState::Trusted => DoctorCheck::fine(AREA, "you trust these files"),
            _ => DoctorCheck::note(AREA, "these files are trusted for this command only")
                .hint("`pml trust` trusts them from now on"),
        }),
        _ => {}
    }
    checks.extend(lock(project));
    checks.extend(version_control(&project.root));
    checks.extend(project.unused_packages().map(|unused| {
        let (folder, bytes) = (in_one_line(&unused.folder.to_string_lossy()), size(unused.size));
        let message = format!("packages of an older pml are not used any more: {folder} ({bytes})");
        DoctorCheck::note(AREA, message).hint("the folder can be removed")
    }));
    checks
}

/// Checks that the lock can be read. What it lacks is for `pml lock --check` to say.
fn lock(project: &Project) -> Option<DoctorCheck> {
    match LockFile::in_folder(project.state_folder()).read() {
        Ok(None) if project.servers.is_empty() => None,
        Ok(None) => Some(
            DoctorCheck::note(AREA, "there is no `.pml/mcp.lock` yet: the first call writes it")
                .hint("`pml lock` writes it for all servers; commit it"),
        ),
        Ok(Some(lock)) => {
            let tools: usize = lock.servers.values().map(|server| server.tools.len()).sum();
            let servers = counted(lock.servers.len() as u64, "server");
            let tools = counted(tools as u64, "tool");
            Some(DoctorCheck::fine(AREA, format!("the lock can be read: {servers}, {tools}")))
        }
        Err(error) => Some(DoctorCheck::error(AREA, &error)),
    }
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
        true => DoctorCheck::fine(AREA, "git ignores `.pml/`"),
        false => DoctorCheck::warning(
            AREA,
            "git does not ignore `.pml/`, which is for this machine only",
        )
        .hint("`pml init` adds it to `.gitignore`"),
    });
    let keys = [".env", ".env*", "*.env", ".env.*"];
    if root.join(".env").exists() && !ignored(&keys) {
        checks.push(
            DoctorCheck::warning(AREA, "git does not ignore `.env`, which may have keys in it")
                .hint("add `.env` to `.gitignore`"),
        );
    }
    checks
}

fn client_name(client: ImportSource) -> &'static str {
    match client {
        ImportSource::ClaudeCode => "Claude Code",
        ImportSource::ClaudeDesktop => "Claude Desktop",
        ImportSource::VsCode => "VS Code",
        ImportSource::Cursor => "Cursor",
        other => other.as_str(),
    }
}

/// Checks whether a client starts pml.
pub(super) fn clients(folder: &Path, environment: &Environment) -> Vec<DoctorCheck> {
    let found = find_servers(folder, environment, ImportSource::ALL);
    let with_pml = found.clients_with_pml.iter().map(|(client, file)| {
        let file = escape(&file.to_string_lossy()).into_owned();
        DoctorCheck::fine("clients", format!("{} uses pml: {file}", client_name(*client)))
    });
    let broken = found.broken_pml_entries.iter().map(|entry| {
        let (name, file) = (in_one_line(&entry.name), in_one_line(&entry.file.to_string_lossy()));
        let client = client_name(entry.client);
        let message = format!("{client} has a server `{name}` that does not start pml: {file}");
        DoctorCheck::warning("clients", message)
            .hint("write `\"command\": \"pml\", \"args\": [\"stdio\"]`, or the full path of pml")
    });
    let mut checks: Vec<_> = with_pml.chain(broken).collect();
    if checks.is_empty() {
        checks.push(
            DoctorCheck::note("clients", "no client uses pml in this folder")
                .hint("for Claude Code, run `claude mcp add pml -- pml stdio`"),
        );
    }
    checks
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
