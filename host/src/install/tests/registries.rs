//! Installs real packages from the registries that this machine is configured for.
//!
//! With `PML_TEST_OFFLINE=1` in the environment these tests are skipped, and each prints that
//! to stderr.

use super::{InstallationState, ignore_progress, record_progress, spec};
use crate::config::Environment;
use crate::install::error::InstallError;
use crate::install::{InstallScripts, InstalledPackage, Installer};
use pml_kit::real::left_out;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// Returns this process's variables, with a state folder of the test.
fn environment(folder: &Path) -> Environment {
    let names = ["XDG_STATE_HOME", "XDG_CACHE_HOME"];
    let own = Environment::of_process().pick(|name| !names.contains(&name));
    let own = own.into_iter().map(|(name, value)| (name, value.reveal().to_owned()));
    let here = |name: &str| folder.join(name).display().to_string();
    let theirs = [(names[0], here("state")), (names[1], here("cache"))];
    own.chain(theirs.map(|(name, value)| (name.to_owned(), value))).collect()
}

fn installer(folder: &Path) -> Installer {
    Installer::new(folder.join("project"), environment(folder))
}

/// Starts a server and returns its answer to the handshake.
async fn greet(installed: &InstalledPackage, folder: &Path) -> String {
    let mut child = tokio::process::Command::new(&installed.command)
        .args(&installed.arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it starts");
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(format!("{hello}\n").as_bytes()).await.expect("written");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let answer = tokio::time::timeout(super::PATIENCE, lines.next_line()).await.expect("in time");
    answer.expect("a line").expect("an answer")
}

#[tokio::test]
async fn a_package_of_npm_is_installed_whatever_the_project_says_of_registries() {
    if left_out() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    // A hostile project: every file that npm would read, with a registry that does not exist.
    for at in [project.clone(), project.join(".pml"), project.join(".pml/deps")] {
        fs::create_dir_all(&at).unwrap();
        fs::write(at.join(".npmrc"), "registry=http://127.0.0.1:9/\nfetch-retries=0\n").unwrap();
        fs::write(at.join("package.json"), r#"{ "workspaces": ["**"] }"#).unwrap();
    }
    let (installer, spec) = (installer(folder.path()), spec("npx -y mcp-hello-world@^1.1"));
    let package =
        installer.resolve("hello", &spec, "npx -y mcp-hello-world@^1.1", None).await.unwrap();
    assert!(package.version.starts_with("1."), "{package:?}");
    assert!(package.size.is_some_and(|size| size > 1_000), "{package:?}");
    assert!(package.integrity.as_ref().is_some_and(|text| text.starts_with("sha512-")));
    let (on_progress, reports) = record_progress();
    let installed = installer.install(&spec, &package, on_progress).await.unwrap();
    assert_eq!(installed.command, "node");
    assert!(reports.lock().unwrap().iter().any(|progress| progress.done > 0), "no count was told");
    let answer = greet(&installed, &project).await;
    assert!(answer.contains("serverInfo"), "{answer}");
    // After the server ran, its files are still unchanged.
    let found = self::installer(folder.path()).installation_state("hello", &spec).await.unwrap();
    assert_eq!(found, InstallationState::Ready(installed));
}

#[tokio::test]
async fn a_package_of_python_is_installed_and_stays_what_it_was() {
    if left_out() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("uv.toml"), "index-url = \"http://127.0.0.1:9/\"\n").unwrap();
    fs::write(project.join("pip.py"), "raise SystemExit('the project ran')\n").unwrap();
    let (installer, spec) = (installer(folder.path()), spec("uvx mcp-server-calculator>=0.2"));
    let package =
        installer.resolve("sums", &spec, "uvx mcp-server-calculator", None).await.unwrap();
    assert!(package.integrity.as_ref().is_some_and(|text| text.starts_with("sha256:")));
    let installed = installer.install(&spec, &package, ignore_progress()).await.unwrap();
    let python = Path::new(&installed.command);
    assert!(python.starts_with(folder.path().canonicalize().unwrap().join("cache/pml/packages")));
    let package_folder = python.ancestors().nth(2).unwrap();
    let script = fs::read_to_string(package_folder.join("bin/mcp-server-calculator")).unwrap();
    assert!(!script.contains(".work"), "{script}");
    let answer = greet(&installed, &project).await;
    assert!(answer.contains("serverInfo"), "{answer}");
    let found = self::installer(folder.path()).installation_state("sums", &spec).await.unwrap();
    assert_eq!(found, InstallationState::Ready(installed));
}

#[tokio::test]
async fn packages_that_no_registry_has_are_named() {
    if left_out() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for line in
        ["npx pml-no-such-package-a8f3", "uvx pml-no-such-package-a8f3", "npx mcp-hello-world@999"]
    {
        let error =
            installer(folder.path()).resolve("x", &spec(line), line, None).await.unwrap_err();
        assert!(matches!(error, InstallError::NoVersion { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_python_package_that_would_have_to_be_built_is_refused_unless_that_is_allowed() {
    if left_out() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // It has only been published as source.
    let docopt = spec("uvx docopt==0.6.2");
    let refused = installer(folder.path()).resolve("x", &docopt, "", None).await.unwrap_err();
    assert!(matches!(refused, InstallError::NoWheel { .. }), "{refused}");
    assert!(refused.hint().unwrap().contains("installScripts"));
    let allowed = docopt.with_scripts(InstallScripts::Allowed);
    let package = installer(folder.path()).resolve("x", &allowed, "", None).await.unwrap();
    assert_eq!(package.version, "0.6.2");
}
