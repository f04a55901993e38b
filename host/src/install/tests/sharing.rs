//! One package cache for all projects: what counts in it, for whom, and what is removed from it.

use super::{InstallFixture, InstallationState, agreed, ignore_progress, overwrite, spec};
use crate::install::error::InstallError;
use crate::install::{CachedPackage, PruneMode, PruneScope};
use crate::model::{ANY_PLATFORM, Code, Package, PackageClosure, PinnedPackage};
use std::fs;
use std::path::Path;

const LINE: &str = "npx -y fake-server";

/// Lets the fake's package need another one, in one version with one hash.
fn needs_helper(fixture: &InstallFixture, version: &str, hash: &str) {
    fs::write(fixture.at("bin/helper"), format!("{version} {hash}\n")).expect("written");
}

/// Resolves and installs the fake's package in a project.
async fn install_in(fixture: &InstallFixture, project: &str) -> Result<Package, InstallError> {
    let installer = fixture.installer_of(project);
    let package = installer.resolve("fake", &spec(LINE), LINE, None).await?;
    installer.install(&spec(LINE), &package, ignore_progress()).await.map(|done| done.package)
}

async fn state_in(fixture: &InstallFixture, project: &str) -> InstallationState {
    fixture.installer_of(project).installation_state("fake", &spec(LINE)).await.expect("a state")
}

fn is_ready(state: &InstallationState) -> bool {
    matches!(state, InstallationState::Ready(_))
}

fn names(packages: &[CachedPackage]) -> Vec<String> {
    let version = |one: &CachedPackage| one.package.as_ref().map(|it| it.version.clone());
    packages.iter().map(|one| version(one).unwrap_or_else(|| "none".into())).collect()
}

#[tokio::test]
async fn a_second_project_is_asked_and_then_installs_without_the_registry() {
    let fixture = InstallFixture::new();
    let first = install_in(&fixture, "project").await.unwrap();
    assert!(is_ready(&state_in(&fixture, "project").await));
    assert_eq!(state_in(&fixture, "second").await, InstallationState::Missing);
    fixture.set_mode("fail");
    let second = install_in(&fixture, "second").await.unwrap();
    assert_eq!(second.closure, first.closure);
    assert_eq!((fixture.calls("ci").len(), fixture.entries().len()), (1, 1));
    assert!(is_ready(&state_in(&fixture, "second").await));
    // Another server of the same project has not agreed to it.
    let installer = fixture.installer_of("second");
    let other = installer.installation_state("other", &spec(LINE)).await.unwrap();
    assert_eq!(other, InstallationState::Missing);
}

#[tokio::test]
async fn what_was_shown_is_installed_even_if_the_registry_has_moved_on() {
    let fixture = InstallFixture::new();
    needs_helper(&fixture, "1.0.0", "sha512-one");
    let installer = fixture.installer();
    let shown = installer.resolve("fake", &spec(LINE), LINE, None).await.unwrap();
    assert_eq!((shown.packages, shown.further_packages()), (Some(2), Some(1)));
    needs_helper(&fixture, "2.0.0", "sha512-two");
    fixture.installer().install(&spec(LINE), &shown, ignore_progress()).await.unwrap();
    let lock = fixture.package_folder().join("package-lock.json");
    let lock = fs::read_to_string(lock).unwrap();
    assert!(lock.contains("sha512-one") && !lock.contains("sha512-two"), "{lock}");
}

/// The replaced package is one of a fake registry: a real one refuses that.
#[tokio::test]
async fn a_dependency_that_was_replaced_under_the_same_version_is_another_package() {
    let fixture = InstallFixture::new();
    needs_helper(&fixture, "1.0.0", "sha512-one");
    let first = install_in(&fixture, "project").await.unwrap();
    needs_helper(&fixture, "1.0.0", "sha512-two");
    // The kept closure is lost, so npm is asked again.
    fs::remove_dir_all(fixture.at("home/.cache/pml/closures")).unwrap();
    let installer = fixture.installer_of("second");
    let refused = installer.install(&spec(LINE), &first, ignore_progress()).await.unwrap_err();
    assert_eq!(refused.code(), Code::Integrity);
    assert!(refused.to_string().contains("the digest of all packages that come with it"));
    let second = install_in(&fixture, "second").await.unwrap();
    assert_ne!(second.closure, first.closure);
    assert_eq!(fixture.entries().len(), 2);
}

#[tokio::test]
async fn a_poisoned_entry_is_reported_as_changed_and_installed_anew() {
    let changes: [fn(&Path); 8] = [
        |entry| overwrite(&entry.join("tree/node_modules/fake-server/cli.js"), "steal()"),
        |entry| fs::write(entry.join("tree/node_modules/evil.js"), "steal()").unwrap(),
        |entry| fs::remove_file(entry.join("tree/package.json")).unwrap(),
        // Half of it.
        |entry| fs::remove_file(entry.join("record.json")).unwrap(),
        |entry| crate::disk::remove_tree(&entry.join("tree")).unwrap(),
        // Not sealed, or with the seal of something else.
        |entry| edit_record(entry, |record| record["seal"] = "".into()),
        |entry| edit_record(entry, |record| record["entry"] = "node_modules/evil.js".into()),
        |entry| edit_record(entry, |record| record["digest"] = "sha256:0".into()),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let fixture = InstallFixture::new();
        install_in(&fixture, "project").await.unwrap();
        make_writable(&fixture.entries()[0]);
        change(&fixture.entries()[0]);
        let InstallationState::Changed(package) = state_in(&fixture, "project").await else {
            panic!("change {index} was not noticed")
        };
        assert!(package.changed);
        // A project that has not agreed is not started from it either.
        assert_eq!(state_in(&fixture, "second").await, InstallationState::Missing);
        let installer = fixture.installer();
        installer.install(&spec(LINE), &package, ignore_progress()).await.unwrap();
        assert!(is_ready(&state_in(&fixture, "project").await), "change {index}");
        assert_eq!(fixture.calls("ci").len(), 2);
        assert!(fixture.unfinished().is_empty(), "{:?}", fixture.unfinished());
    }
}

#[tokio::test]
async fn a_poisoned_entry_is_replaced_by_a_project_that_agrees_to_it_later() {
    let fixture = InstallFixture::new();
    install_in(&fixture, "project").await.unwrap();
    overwrite(&fixture.package_folder().join("node_modules/fake-server/cli.js"), "steal()");
    install_in(&fixture, "second").await.unwrap();
    assert_eq!(fixture.calls("ci").len(), 2);
    for project in ["project", "second"] {
        assert!(is_ready(&state_in(&fixture, project).await), "{project}");
    }
}

#[tokio::test]
async fn an_entry_does_not_count_in_the_place_of_another() {
    let fixture = InstallFixture::new();
    needs_helper(&fixture, "1.0.0", "sha512-one");
    install_in(&fixture, "project").await.unwrap();
    let first = fixture.entries().remove(0);
    needs_helper(&fixture, "2.0.0", "sha512-two");
    install_in(&fixture, "second").await.unwrap();
    let second = fixture.entries().into_iter().find(|entry| *entry != first).unwrap();
    let aside = first.with_file_name("aside");
    for (from, to) in [(&first, &aside), (&second, &first), (&aside, &second)] {
        fs::rename(from, to).unwrap();
    }
    for project in ["project", "second"] {
        let state = state_in(&fixture, project).await;
        assert!(matches!(state, InstallationState::Changed(_)), "{project}: {state:?}");
    }
}

#[tokio::test]
async fn installed_files_are_read_only() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = InstallFixture::new();
    install_in(&fixture, "project").await.unwrap();
    let tree = fixture.package_folder();
    for path in ["", "node_modules", "node_modules/fake-server/cli.js", "package.json"] {
        let mode = tree.join(path).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o222, 0, "{path}");
    }
    let cache = fixture.at("home/.cache/pml").metadata().unwrap().permissions().mode();
    assert_eq!(cache & 0o777, 0o700);
}

#[tokio::test]
async fn what_no_project_needs_is_removed_and_what_is_used_stays() {
    let fixture = InstallFixture::new();
    needs_helper(&fixture, "1.0.0", "sha512-one");
    install_in(&fixture, "old").await.unwrap();
    needs_helper(&fixture, "2.0.0", "sha512-two");
    install_in(&fixture, "project").await.unwrap();
    let cache = fixture.cache();
    let nothing = cache.prune(PruneScope::Unneeded, PruneMode::Remove).unwrap();
    assert!(nothing.removed.is_empty() && nothing.in_use.is_empty());
    fs::remove_dir_all(fixture.at("old")).unwrap();
    let planned = cache.prune(PruneScope::Unneeded, PruneMode::DryRun).unwrap();
    assert_eq!(names(&planned.removed), ["1.2.3"]);
    assert!(planned.freed() > 10);
    assert_eq!(cache.packages().unwrap().len(), 2);
    let removed = cache.prune(PruneScope::Unneeded, PruneMode::Remove).unwrap();
    assert_eq!(removed, planned);
    assert_eq!(cache.packages().unwrap().len(), 1);
    // An installer that may start it holds it.
    let installer = fixture.installer();
    let state = installer.installation_state("fake", &spec(LINE)).await.unwrap();
    assert!(is_ready(&state));
    assert!(cache.packages().unwrap()[0].in_use);
    let kept = cache.prune(PruneScope::All, PruneMode::Remove).unwrap();
    assert_eq!((kept.removed.len(), kept.in_use.len()), (0, 1));
    assert!(is_ready(&state_in(&fixture, "project").await));
    drop(installer);
    let removed = cache.prune(PruneScope::All, PruneMode::Remove).unwrap();
    assert_eq!(removed.removed.len(), 1);
    assert!(fixture.unfinished().is_empty());
    assert_eq!(state_in(&fixture, "project").await, InstallationState::Missing);
}

#[tokio::test]
async fn offline_only_what_is_on_this_machine_is_installed() {
    let fixture = InstallFixture::new();
    let offline = |project: &str| {
        let installer = fixture.installer_of(project);
        installer.refuse_fetching();
        installer
    };
    let refused = offline("project").resolve("fake", &spec(LINE), LINE, None).await.unwrap_err();
    assert!(matches!(refused, InstallError::NotCached { .. }), "{refused}");
    install_in(&fixture, "project").await.unwrap();
    fixture.set_versions(&["9.0.0"]);
    let (installer, before) = (offline("second"), fixture.calls("").len());
    let package = installer.resolve("fake", &spec(LINE), LINE, None).await.unwrap();
    assert_eq!((package.server.as_str(), package.version.as_str()), ("fake", "1.2.3"));
    installer.install(&spec(LINE), &package, ignore_progress()).await.unwrap();
    assert_eq!(fixture.calls("").len(), before, "npm was asked");
    assert!(is_ready(&state_in(&fixture, "second").await));
}

#[tokio::test]
async fn what_is_pinned_is_installed_without_asking_for_versions() {
    let fixture = InstallFixture::new();
    needs_helper(&fixture, "1.0.0", "sha512-one");
    let (installer, spec) = (fixture.installer(), spec(LINE));
    let package = installer.resolve("fake", &spec, LINE, None).await.unwrap();
    let pinned = installer.pin(&spec, &package).await.unwrap();
    assert_eq!((pinned.spec.clone(), pinned.version.as_str()), (spec.identity(), "1.2.3"));
    assert_eq!(pinned.closures[ANY_PLATFORM].len(), 2);
    // Another machine, where the registry has moved on.
    let other = InstallFixture::new();
    other.set_versions(&["9.0.0"]);
    let installer = other.installer();
    let found = installer.resolve("fake", &spec, LINE, Some(&pinned)).await.unwrap();
    assert_eq!((found.version.as_str(), &found.closure), ("1.2.3", &package.closure));
    assert_eq!(found.source, "registry.example");
    installer.install(&spec, &found, ignore_progress()).await.unwrap();
    assert!(other.calls("view").is_empty() && other.calls("install").is_empty());
    // What is pinned for another launch line does not count.
    let elsewhere = PinnedPackage { spec: "other".into(), ..pinned.clone() };
    let second = other.installer_of("second");
    let found = second.resolve("fake", &spec, LINE, Some(&elsewhere)).await.unwrap();
    assert_eq!(found.version, "9.0.0");
    // A closure that lacks the package, or has it with another hash, is refused.
    let changes: [fn(&mut PackageClosure); 2] = [
        |closure| drop(closure.packages.remove("fake-server")),
        |closure| closure.packages.get_mut("fake-server").unwrap().hash = "sha512-x".into(),
    ];
    for change in changes {
        let mut wrong = pinned.clone();
        change(wrong.closures.get_mut(ANY_PLATFORM).unwrap());
        let refused = installer.resolve("fake", &spec, LINE, Some(&wrong)).await.unwrap_err();
        assert_eq!(refused.code(), Code::Integrity, "{refused}");
    }
}

#[tokio::test]
async fn what_was_agreed_to_stays_if_it_has_to_be_installed_again() {
    let fixture = InstallFixture::new();
    install_in(&fixture, "project").await.unwrap();
    fixture.set_versions(&["9.0.0"]);
    crate::disk::remove_tree(&fixture.entries()[0]).unwrap();
    assert_eq!(state_in(&fixture, "project").await, InstallationState::Missing);
    assert_eq!(install_in(&fixture, "project").await.unwrap().version, "1.2.3");
    // The twin: a project that has agreed to nothing gets the newest.
    let installer = fixture.installer_of("second");
    let found = installer.resolve("fake", &spec(LINE), LINE, None).await.unwrap();
    assert_eq!(found.version, "9.0.0");
}

#[tokio::test]
async fn users_that_share_a_cache_do_not_use_each_others_packages() {
    let fixture = InstallFixture::new();
    fixture.installer().install(&spec(LINE), &agreed(), ignore_progress()).await.unwrap();
    let mut variables: Vec<(String, String)> = vec![
        ("XDG_CACHE_HOME".into(), fixture.at("home/.cache").display().to_string()),
        ("HOME".into(), fixture.at("elsewhere").display().to_string()),
    ];
    variables.push(("PATH".into(), format!("{}:/usr/bin:/bin", fixture.at("bin").display())));
    let theirs =
        crate::install::Installer::new(fixture.at("project"), variables.into_iter().collect());
    let found = theirs.installation_state("fake", &spec(LINE)).await.unwrap();
    assert_eq!(found, InstallationState::Missing);
    theirs.install(&spec(LINE), &agreed(), ignore_progress()).await.unwrap();
    assert_eq!((fixture.calls("ci").len(), fixture.entries().len()), (2, 2));
    assert!(is_ready(&state_in(&fixture, "project").await));
}

fn edit_record(entry: &Path, change: impl Fn(&mut serde_json::Value)) {
    let path = entry.join("record.json");
    let mut record = serde_json::from_str(&fs::read_to_string(&path).expect("it is there"))
        .expect("it is there");
    change(&mut record);
    fs::write(&path, record.to_string()).expect("it is there");
}

/// Lets the owner write into all folders, as an attacker who runs as the user can.
fn make_writable(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).expect("it is there");
    for entry in fs::read_dir(folder).expect("it is there").flatten() {
        if entry.file_type().expect("it is there").is_dir() {
            make_writable(&entry.path());
        }
    }
}
