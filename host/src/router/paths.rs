//! Resolves the paths in a tool's arguments on this machine.
//!
//! Input: the steps of a path. Output: the real path after following the links that exist now.
//!
//! **Invariant:** the result is `None` if the real path is not known: for a dangling link, a folder
//! that cannot be read, or a path that begins in an unknown folder. A folder may be replaced by a
//! link before the call is carried out: a process that can write there can win that race.

use super::Provider;
use crate::model::PathBase;
use crate::model::{LexicalPaths, PathResolver, PathStart, ResolvedPath, ToolName};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The paths in the arguments of one tool. The folder that they begin at is requested only if the
/// arguments contain paths.
pub(super) struct ToolPaths<'a, P: ?Sized> {
    pub(super) provider: &'a P,
    pub(super) tool: &'a ToolName,
}

impl<P: Provider + ?Sized> PathResolver for ToolPaths<'_, P> {
    fn follow(&self, start: PathStart, steps: &[String]) -> Option<ResolvedPath> {
        let from = match (start, self.provider.path_base(self.tool)) {
            (_, PathBase::Elsewhere) => return LexicalPaths.follow(start, steps),
            (PathStart::Root, _) => PathBuf::from("/"),
            (PathStart::Here, PathBase::Folder(folder)) => real_path(&folder)?,
            _ => return None,
        };
        resolved_path(&walk(from, steps)?)
    }

    fn folder(&self, folder: ResolvedPath) -> Option<ResolvedPath> {
        match (folder.start, self.provider.path_base(self.tool)) {
            (_, PathBase::Elsewhere) | (PathStart::Root, _) => Some(folder),
            (PathStart::Here, PathBase::Folder(base)) => {
                let mut path = resolved_path(&real_path(&base)?)?;
                path.names.extend(folder.names);
                Some(path)
            }
            _ => None,
        }
    }
}

/// Returns the real path of a folder that settings name.
fn real_path(folder: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(folder).ok()
}

/// Maximum number of links followed for one path: as many as Linux follows.
const MAX_LINKS: usize = 40;

/// Folders that look different to each process: the host does not see there what a server sees.
const PER_PROCESS_FOLDERS: &[&str] = &["/proc", "/dev", "/sys"];

/// Walks step by step from a folder without links and follows links, as the system does. Steps that
/// do not exist contain no links.
fn walk(from: PathBuf, steps: &[String]) -> Option<PathBuf> {
    follow_steps(from, steps, &mut MAX_LINKS.clone())
}

fn follow_steps(from: PathBuf, steps: &[String], links: &mut usize) -> Option<PathBuf> {
    let mut at = from;
    for step in steps {
        if step == ".." {
            at.pop().then_some(())?;
            continue;
        }
        at.push(step);
        if PER_PROCESS_FOLDERS.iter().any(|folder| at.starts_with(folder)) {
            return None;
        }
        match std::fs::symlink_metadata(&at) {
            Ok(found) if found.is_symlink() => {
                *links = links.checked_sub(1)?;
                at = link_target(&at, links)?;
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(_) => return None,
        }
    }
    Some(at)
}

/// Returns the target of a link, or `None` if it is dangling: its target may be created at any
/// time.
fn link_target(link: &Path, links: &mut usize) -> Option<PathBuf> {
    let target = std::fs::read_link(link).ok()?;
    let from = match target.is_absolute() {
        true => PathBuf::from("/"),
        false => link.parent()?.to_owned(),
    };
    let mut steps = Vec::new();
    for component in target.components() {
        match component {
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir => steps.push("..".to_owned()),
            Component::Normal(name) => steps.push(name.to_str()?.to_owned()),
            Component::Prefix(_) => return None,
        }
    }
    follow_steps(from, &steps, links).filter(|end| end.symlink_metadata().is_ok())
}

/// Converts a real path into its names. Returns `None` if a name is not Unicode.
fn resolved_path(path: &Path) -> Option<ResolvedPath> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::RootDir => {}
            Component::Normal(name) => names.push(name.to_str()?.to_owned()),
            _ => return None,
        }
    }
    Some(ResolvedPath { start: PathStart::Root, names })
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::Tools;
    use super::super::providers::EmbeddedProvider;
    use super::ToolPaths;
    use crate::model::PathBase;
    use crate::model::{Call, Condition, Constraint, Reply, ToolName};
    use futures_util::future::BoxFuture;
    use serde_json::json;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::sync::Arc;

    struct ToolsAt(PathBase);

    impl Tools for ToolsAt {
        fn call(&self, _: Call) -> BoxFuture<'_, Reply> {
            unreachable!("nothing is called")
        }

        fn path_base(&self, _: &ToolName) -> PathBase {
            self.0.clone()
        }
    }

    fn covered(base: &PathBase, path: &str, folder: &str) -> bool {
        let tool = "a:b".parse().expect("a tool");
        let provider = EmbeddedProvider(Arc::new(ToolsAt(base.clone())));
        let paths = ToolPaths { provider: &provider, tool: &tool };
        let under = [Constraint::new("path", Condition::Under(folder.into()))];
        Constraint::cover(&under, &json!({ "path": path }), &paths)
    }

    /// Returns a folder with `notes`, `secret`, and links between them.
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let made = tempfile::tempdir().expect("a folder");
        let root = made.path().canonicalize().expect("a folder");
        for folder in ["notes/deep", "secret"] {
            fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        fs::write(root.join("notes/a"), "").expect("written");
        fs::write(root.join("secret/key"), "").expect("written");
        for (target, link) in [
            ("../secret", "notes/out"),
            ("../secret/key", "notes/key"),
            ("../secret/new", "notes/dangling"),
            ("loop", "notes/loop"),
            ("deep", "notes/inside"),
            ("notes", "alias"),
        ] {
            symlink(target, root.join(link)).expect("a link");
        }
        (made, root)
    }

    #[test]
    fn what_is_another_place_for_each_process_is_not_covered() {
        let here = std::env::current_dir().expect("a folder");
        let here = here.to_str().expect("a text");
        let (_made, root) = folder();
        symlink("/proc/self/cwd", root.join("notes/own")).expect("a link");
        symlink("own/deeper", root.join("notes/through")).expect("a link");
        for path in [
            "/proc/self/cwd/x".to_owned(),
            "/proc/thread-self/cwd/x".into(),
            "/dev/fd/3".into(),
            format!("{}/notes/own/x", root.display()),
            format!("{}/notes/through/x", root.display()),
        ] {
            assert!(!covered(&PathBase::Unknown, &path, here), "{path}");
            assert!(!covered(&PathBase::Unknown, &path, "/"), "{path}");
        }
    }

    #[test]
    fn a_link_out_of_the_folder_is_not_covered_and_one_within_is() {
        let (_made, root) = folder();
        let notes = root.join("notes");
        let at = |path: &str| format!("{}/{path}", notes.display());
        let notes = notes.to_str().expect("a text");
        let base = PathBase::Folder(notes.into());
        for unknown in [&PathBase::Unknown, &base] {
            for inside in [
                "a",
                "deep/new",
                "new/newer",
                "inside/x",
                "deep/../a",
                "inside/../a",
                // The parent of the link's target and the parent of the link are both in the
                // folder.
                "out/../notes/a",
                "",
            ] {
                assert!(covered(unknown, &at(inside), notes), "{inside}");
            }
            for outside in [
                "out",
                "out/key",
                "out/new",
                "key",
                "dangling",
                "dangling/x",
                "loop",
                "loop/x",
                "out/../a",
                "deep/../out/key",
                "a/x/../../out/key",
            ] {
                assert!(!covered(unknown, &at(outside), notes), "{outside}");
            }
        }
        assert!(
            covered(&base, "a", notes) && covered(&base, "a", ".") && covered(&base, &at("a"), ".")
        );
        assert!(!covered(&base, "out/key", notes) && !covered(&base, "out/key", "."));
        assert!(!covered(&base, "out/key", "out"));
    }

    #[test]
    fn a_folder_that_became_a_link_covers_nothing() {
        let (_made, root) = folder();
        let alias = root.join("alias").to_str().expect("a text").to_owned();
        assert!(!covered(&PathBase::Unknown, &format!("{alias}/a"), &alias));
        let notes = root.join("notes").to_str().expect("a text").to_owned();
        assert!(covered(&PathBase::Unknown, &format!("{notes}/deep/x"), &notes));
        assert!(covered(&PathBase::Unknown, &format!("{alias}/a"), &notes));
        fs::remove_dir_all(&notes).expect("gone");
        symlink(root.join("secret"), &notes).expect("a link");
        assert!(!covered(&PathBase::Unknown, &format!("{notes}/key"), &notes));
    }

    #[test]
    fn a_path_from_a_folder_that_nobody_knows_is_not_covered() {
        let missing = PathBase::Folder("/there/is/no/such/folder".into());
        for base in [&PathBase::Unknown, &missing] {
            assert!(!covered(base, "a", ".") && !covered(base, "docs/a", "docs"));
            assert!(!covered(base, "/docs/a", "docs"));
        }
        // For another machine only the text of a path is known.
        let elsewhere = PathBase::Elsewhere;
        assert!(covered(&elsewhere, "docs/a", "docs") && !covered(&elsewhere, "a", "docs"));
        assert!(!covered(&elsewhere, "/docs/a", "docs"));
    }
}
