//! A failed or interrupted installation leaves no files behind and can be tried again.

use super::{
    InstallFixture, InstallationState, agreed, eventually, ignore_progress, is_alive, spec,
};
use crate::install::Installer;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const LINE: &str = "npx fake-server";

/// The variable that turns a test into the process to be killed.
const VICTIM: &str = "PML_TEST_INSTALL";

/// The pids of the fake that hangs and of its child.
fn pids(fixture: &InstallFixture) -> Vec<i32> {
    let text = fs::read_to_string(fixture.at("bin/pids")).expect("it wrote its pids");
    text.split_whitespace().map(|pid| pid.parse().expect("a number")).collect()
}

async fn assert_installs(fixture: &InstallFixture) {
    fixture.set_mode("");
    let installed = fixture.installer().install(&spec(LINE), &agreed(), ignore_progress()).await;
    assert!(installed.is_ok(), "{installed:?}");
    assert!(fixture.unfinished().is_empty(), "{:?}", fixture.unfinished());
    let found = fixture.installer().installation_state("fake", &spec(LINE)).await.unwrap();
    assert!(matches!(found, InstallationState::Ready(_)));
}

#[tokio::test]
async fn one_that_fails_says_why_and_leaves_nothing() {
    let fixture = InstallFixture::new();
    fixture.set_mode("fail");
    let error =
        fixture.installer().install(&spec(LINE), &agreed(), ignore_progress()).await.unwrap_err();
    let message = error.to_string();
    assert!(message.contains("cannot install `fake-server@1.2.3`: it ended with exit status 7"));
    assert!(message.ends_with("| npm error code EFAKE"), "{message}");
    eventually("nothing is left", || fixture.unfinished().is_empty()).await;
    assert!(fixture.entries().is_empty());
    assert!(!fixture.at("home/.local/state/pml/packages.json").exists());
    assert_installs(&fixture).await;
}

#[tokio::test]
async fn one_that_is_dropped_ends_what_it_started_and_leaves_nothing() {
    let fixture = InstallFixture::new();
    fixture.set_mode("hang");
    let installer = fixture.installer();
    let task =
        tokio::spawn(
            async move { installer.install(&spec(LINE), &agreed(), ignore_progress()).await },
        );
    eventually("it hangs", || fixture.at("bin/pids").exists()).await;
    assert!(pids(&fixture).iter().all(|pid| is_alive(*pid)));
    assert_eq!(fixture.unfinished().len(), 1);
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    eventually("all are gone", || !pids(&fixture).iter().any(|pid| is_alive(*pid))).await;
    eventually("nothing is left", || fixture.unfinished().is_empty()).await;
    assert!(fixture.entries().is_empty());
    assert_installs(&fixture).await;
}

#[tokio::test]
async fn one_that_is_killed_is_swept_by_the_next() {
    #[expect(clippy::disallowed_methods, reason = "it tells the two processes of this test apart")]
    if let Some(folder) = std::env::var_os(VICTIM) {
        return be_killed(&PathBuf::from(folder)).await;
    }
    let fixture = InstallFixture::new();
    fixture.set_mode("hang");
    let mut victim = Command::new(std::env::current_exe().expect("this test"))
        .args(["install::tests::interrupted::one_that_is_killed_is_swept_by_the_next", "--exact"])
        .env(VICTIM, fixture.folder.path())
        .spawn()
        .expect("it starts");
    eventually("it hangs", || fixture.at("bin/pids").exists()).await;
    victim.kill().expect("it can be killed");
    victim.wait().expect("it ends");
    // No process that it started continues, and its files are abandoned.
    eventually("all are gone", || !pids(&fixture).iter().any(|pid| is_alive(*pid))).await;
    assert_eq!(fixture.unfinished().len(), 1);
    let found = fixture.installer().installation_state("fake", &spec(LINE)).await.unwrap();
    assert_eq!(found, InstallationState::Missing);
    assert_installs(&fixture).await;
}

async fn be_killed(folder: &Path) {
    let path = format!("{}:/usr/bin:/bin", folder.join("bin").display());
    let home = folder.join("home").display().to_string();
    let environment = [("PATH", path), ("HOME", home)].into_iter().collect();
    let installer = Installer::new(folder.join("project"), environment);
    let ended = installer.install(&spec(LINE), &agreed(), ignore_progress()).await;
    panic!("it ended: {ended:?}");
}
