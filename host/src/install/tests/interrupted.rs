//! A failed or interrupted installation leaves no files behind and can be tried again.

use super::{InstallFixture, InstallationState, agreed, eventually, is_alive, quietly, spec};
use crate::install::Installer;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const LINE: &str = "npx fake-server";

/// The variable that turns a test into the process to be killed.
const VICTIM: &str = "PML_TEST_INSTALL";

/// The pids of the fake that hangs and of its child.
fn pids(place: &InstallFixture) -> Vec<i32> {
    let text = fs::read_to_string(place.at("bin/pids")).expect("it wrote its pids");
    text.split_whitespace().map(|pid| pid.parse().expect("a number")).collect()
}

async fn works(place: &InstallFixture) {
    place.mode("");
    let installed = place.installer().install(&spec(LINE), &agreed(), quietly()).await;
    assert!(installed.is_ok(), "{installed:?}");
    assert!(place.unfinished().is_empty(), "{:?}", place.unfinished());
    let found = place.installer().installed("fake", &spec(LINE)).await.unwrap();
    assert!(matches!(found, InstallationState::Ready(_)));
}

#[tokio::test]
async fn one_that_fails_says_why_and_leaves_nothing() {
    let place = InstallFixture::new();
    place.mode("fail");
    let error = place.installer().install(&spec(LINE), &agreed(), quietly()).await.unwrap_err();
    let told = error.to_string();
    assert!(told.contains("cannot install `fake-server@1.2.3`: it ended with exit status 7"));
    assert!(told.ends_with("| npm error code EFAKE"), "{told}");
    eventually("nothing is left", || place.unfinished().is_empty()).await;
    assert!(!place.place().exists() && !place.state().join("deps.json").exists());
    works(&place).await;
}

#[tokio::test]
async fn one_that_is_dropped_ends_what_it_started_and_leaves_nothing() {
    let place = InstallFixture::new();
    place.mode("hang");
    let installer = place.installer();
    let task =
        tokio::spawn(async move { installer.install(&spec(LINE), &agreed(), quietly()).await });
    eventually("it hangs", || place.at("bin/pids").exists()).await;
    assert!(pids(&place).iter().all(|pid| is_alive(*pid)));
    assert_eq!(place.unfinished().len(), 1);
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    eventually("all are gone", || !pids(&place).iter().any(|pid| is_alive(*pid))).await;
    eventually("nothing is left", || place.unfinished().is_empty()).await;
    assert!(!place.place().exists());
    works(&place).await;
}

#[tokio::test]
async fn one_that_is_killed_is_swept_by_the_next() {
    #[expect(clippy::disallowed_methods, reason = "it tells the two processes of this test apart")]
    if let Some(folder) = std::env::var_os(VICTIM) {
        return be_killed(&PathBuf::from(folder)).await;
    }
    let place = InstallFixture::new();
    place.mode("hang");
    let mut victim = Command::new(std::env::current_exe().expect("this test"))
        .args(["install::tests::interrupted::one_that_is_killed_is_swept_by_the_next", "--exact"])
        .env(VICTIM, place.folder.path())
        .spawn()
        .expect("it starts");
    eventually("it hangs", || place.at("bin/pids").exists()).await;
    victim.kill().expect("it can be killed");
    victim.wait().expect("it ends");
    // No process that it started continues, and its files are abandoned.
    eventually("all are gone", || !pids(&place).iter().any(|pid| is_alive(*pid))).await;
    assert_eq!(place.unfinished().len(), 1);
    let found = place.installer().installed("fake", &spec(LINE)).await.unwrap();
    assert_eq!(found, InstallationState::Missing);
    works(&place).await;
}

async fn be_killed(folder: &Path) {
    let path = format!("{}:/usr/bin:/bin", folder.join("bin").display());
    let home = folder.join("home").display().to_string();
    let environment = [("PATH", path), ("HOME", home)].into_iter().collect();
    let installer = Installer::new(folder.join("project/.pml"), environment);
    let ended = installer.install(&spec(LINE), &agreed(), quietly()).await;
    panic!("it ended: {ended:?}");
}
