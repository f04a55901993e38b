//! Tests which folder is the user's state folder, and which ones are refused.

use super::super::journal::ProjectJournal;
use crate::config::Environment;
use crate::error::Error;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

struct Machine {
    folder: tempfile::TempDir,
    root: PathBuf,
}

/// Makes a project in a repository, and a home folder elsewhere.
fn machine() -> Machine {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["repository/.git", "repository/project", "home"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    Machine { folder, root }
}

impl Machine {
    fn at(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn made(&self, name: &str, mode: u32) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn of(&self, variable: &str, folder: impl AsRef<Path>) -> Result<Option<PathBuf>, Error> {
        let environment = match variable {
            "--state-dir" => Environment::default().with_state_folder(folder.as_ref()),
            name => [(name, folder.as_ref().to_str().unwrap())].into_iter().collect(),
        };
        environment.state_folder(&self.at("repository/project"))
    }

    fn refused(&self, folder: impl AsRef<Path>) -> String {
        let error = self.of("PML_STATE_DIR", folder).unwrap_err();
        assert!(error.hint().is_some());
        error.to_string()
    }
}

#[test]
fn the_first_that_is_named_counts() {
    let machine = machine();
    let path = |name: &str| machine.at(name).to_str().unwrap().to_owned();
    let of = |variables: &[(&str, String)]| {
        let environment: Environment = variables.iter().cloned().collect();
        environment.state_folder(&machine.at("repository/project")).unwrap()
    };
    let (home, xdg) = (("HOME", path("home")), ("XDG_STATE_HOME", path("s")));
    assert_eq!(of(&[]), None);
    assert_eq!(of(std::slice::from_ref(&home)), Some(machine.at("home/.local/state/pml")));
    assert_eq!(
        of(&[home.clone(), ("XDG_STATE_HOME", "s".into())]),
        of(std::slice::from_ref(&home))
    );
    assert_eq!(of(&[home.clone(), xdg.clone()]), Some(machine.at("s/pml")));
    let variable = ("PML_STATE_DIR", path("v"));
    assert_eq!(of(&[home.clone(), xdg.clone(), variable.clone()]), Some(machine.at("v")));
    assert_eq!(
        of(&[home.clone(), ("PML_STATE_DIR", String::new())]),
        of(std::slice::from_ref(&home))
    );
    let all: Environment = [home, xdg, variable].into_iter().collect();
    let flag = all.with_state_folder(machine.at("f")).state_folder(&machine.at("repository"));
    assert_eq!(flag.unwrap(), Some(machine.at("f")));
    assert!(machine.refused("relative").contains("`PML_STATE_DIR` is no absolute path: relative"));
}

#[test]
fn one_in_the_project_or_a_repository_around_it_is_refused_by_each_name() {
    let machine = machine();
    for name in ["--state-dir", "PML_STATE_DIR", "XDG_STATE_HOME", "HOME"] {
        for (folder, why) in [
            ("repository/project", "lies in the project"),
            ("repository/project/deep/er", "lies in the project"),
            ("repository/project/../project/x", "lies in the project"),
            ("repository", "lies in the repository around the project, "),
            ("repository/other", "lies in the repository around the project, "),
        ] {
            if folder == "repository" && !["XDG_STATE_HOME", "HOME"].contains(&name) {
                continue;
            }
            let error = machine.of(name, machine.at(folder)).unwrap_err().to_string();
            let expected = format!("the state folder that `{name}` names {why}");
            assert!(error.starts_with(&expected), "{error}");
        }
        let elsewhere = machine.of(name, machine.made("mine", 0o700));
        assert!(elsewhere.is_ok(), "{elsewhere:?}");
    }
}

#[test]
fn links_are_followed_before_it_is_judged() {
    let machine = machine();
    symlink(machine.at("repository/project"), machine.at("link")).unwrap();
    symlink(machine.at("repository/not-there"), machine.at("dangling")).unwrap();
    assert!(machine.refused(machine.at("link")).contains("lies in the project"));
    assert!(machine.refused(machine.at("link/new/er")).contains("lies in the project"));
    assert!(machine.refused(machine.at("dangling")).contains("leads through a link to nowhere"));
    assert!(machine.refused(machine.at("dangling/x")).contains("leads through a link to nowhere"));
    // The project itself may be reached through a link too.
    let environment: Environment =
        [("PML_STATE_DIR", machine.at("repository/project/s").to_str().unwrap())]
            .into_iter()
            .collect();
    assert!(environment.state_folder(&machine.at("link")).is_err());
    let out = machine.at("repository/project/out");
    symlink(machine.made("mine", 0o700), &out).unwrap();
    assert_eq!(machine.of("PML_STATE_DIR", out).unwrap(), Some(machine.at("mine")));
}

#[test]
fn a_repository_around_the_repository_counts_and_the_project_within_the_folder_too() {
    let machine = machine();
    fs::create_dir_all(machine.at(".hg")).unwrap();
    assert!(machine.refused(machine.at("home/s")).contains("lies in the repository around"));
    fs::remove_dir(machine.at(".hg")).unwrap();
    assert!(machine.refused(&machine.root).contains("has the project in it"));
}

#[test]
fn one_that_is_open_to_others_is_refused() {
    let machine = machine();
    for mode in [0o750, 0o705, 0o770, 0o777] {
        let folder = machine.made("s", mode);
        let error = machine.of("PML_STATE_DIR", &folder).unwrap_err();
        assert!(
            error.to_string().contains(&format!("is open to others (mode {mode:o})")),
            "{error}"
        );
        assert!(error.hint().unwrap().contains("`chmod 700 "), "{error:?}");
    }
    let folder = machine.made("s", 0o700);
    assert!(machine.of("PML_STATE_DIR", &folder).is_ok());
    machine.made("open", 0o777);
    assert!(machine.refused(machine.at("open/s")).contains("that everybody may write to"));
    machine.made("open", 0o1777);
    assert!(machine.of("PML_STATE_DIR", machine.at("open/s")).is_ok());
    fs::write(machine.at("file"), "").unwrap();
    assert!(machine.refused(machine.at("file")).contains("is no folder"));
}

#[test]
fn one_of_another_user_is_refused() {
    // Only root can give a folder to another user, and other users do not own the root folder.
    let machine = machine();
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        let folder = machine.made("theirs", 0o700);
        std::os::unix::fs::chown(&folder, Some(65_534), None).unwrap();
        let error = machine.refused(folder.join("pml"));
        assert!(error.contains("would lie in a folder of another user, "), "{error}");
        // A folder of this user in another user's folder: the other user could replace it.
        machine.made("theirs/mine", 0o700);
        let error = machine.refused(folder.join("mine"));
        assert!(error.contains(" lies in a folder of another user, "), "{error}");
        assert!(machine.refused(folder).contains("belongs to another user (uid 65534, not 0)"));
    } else {
        assert!(machine.refused("/etc").contains("belongs to another user (uid 0, not "));
    }
}

#[test]
fn the_root_of_the_file_system_came_with_no_clone() {
    let machine = machine();
    let folder = machine.made("s", 0o700);
    let variables = [("PML_STATE_DIR", folder.to_str().unwrap())];
    let environment: Environment = variables.into_iter().collect();
    assert!(environment.state_folder(Path::new("/")).is_ok());
}

#[test]
fn the_home_of_the_account_may_be_the_project() {
    // Nothing is written there: it is the home folder of the user who runs this test. Some accounts
    // have none.
    let Some(home) = crate::config::account::home() else { return };
    let of = |variable: &str, folder: &Path| {
        let environment: Environment = [(variable, folder.to_str().unwrap())].into_iter().collect();
        environment.state_folder(&home)
    };
    let not_in_project = |error: Error| !error.to_string().contains("lies in the project");
    // It may be refused for other reasons, but not for lying in the project.
    assert!(of("HOME", &home).map_or_else(not_in_project, |_| true));
    assert!(of("XDG_STATE_HOME", &home.join("s")).map_or_else(not_in_project, |_| true));
    assert!(of("PML_STATE_DIR", &home.join("s")).is_err());
    // A home folder that only a variable names is a folder like any other.
    let machine = machine();
    assert!(machine.of("HOME", machine.at("repository/project")).is_err());
}

#[test]
fn each_path_has_a_journal_of_its_own_and_says_whose_it_is() {
    let machine = machine();
    let environment: Environment =
        [("HOME", machine.at("home").to_str().unwrap())].into_iter().collect();
    let of = |name: &str| {
        fs::create_dir_all(machine.at(name)).unwrap();
        ProjectJournal::of(&machine.at(name), &environment).unwrap()
    };
    let (one, other) = (of("a/p"), of("b/p"));
    assert_ne!(one.folder(), other.folder());
    let name = |fixture: &ProjectJournal| {
        fixture.folder().file_name().unwrap().to_str().unwrap().to_owned()
    };
    assert!(name(&one).starts_with("p-") && name(&one).len() == 26, "{}", name(&one));
    assert!(
        name(&of("c/-.\u{1b}[2J ü")).starts_with("__2J__-"),
        "{}",
        name(&of("c/-.\u{1b}[2J ü"))
    );
    one.prepare().unwrap();
    one.prepare().unwrap();
    let mode = |path: PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(one.folder()), 0o700);
    assert_eq!(mode(one.folder().join("project.json")), 0o600);
    fs::rename(one.folder(), other.folder()).unwrap();
    let error = other.prepare().unwrap_err().to_string();
    assert!(
        error.starts_with("the journal in this folder belongs to another project, "),
        "{error}"
    );
    assert_eq!(one.orphaned_journals().len(), 0, "its project is there");
    fs::remove_dir(machine.at("a/p")).unwrap();
    assert_eq!(one.orphaned_journals().len(), 0, "it is this one");
    assert_eq!(other.orphaned_journals().len(), 1);
    drop(machine.folder);
}

#[test]
fn a_journals_folder_that_others_could_have_filled_is_refused() {
    let machine = machine();
    let environment: Environment =
        [("HOME", machine.at("home").to_str().unwrap())].into_iter().collect();
    let fixture = ProjectJournal::of(&machine.at("repository/project"), &environment).unwrap();
    fixture.prepare().unwrap();
    fs::set_permissions(fixture.folder(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(
        fixture
            .prepare()
            .unwrap_err()
            .to_string()
            .contains("can be read or written by other users")
    );
    fs::remove_dir_all(fixture.folder()).unwrap();
    symlink(machine.at("repository/project"), fixture.folder()).unwrap();
    assert!(fixture.prepare().unwrap_err().to_string().contains("is a link or a file"));
    assert_eq!(fs::read_dir(machine.at("repository/project")).unwrap().count(), 0);
}
