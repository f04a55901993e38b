//! Installing a package, and finding the installation again.

use super::{InstallFixture, InstallationState, agreed, listening, quietly, spec};
use crate::install::error::InstallError;
use crate::install::{InstallScripts, Installer};
use crate::model::{Code, Ecosystem};
use std::fs;

const LINE: &str = "npx -y fake-server --root . --key hunter2";

#[tokio::test]
async fn what_was_agreed_to_is_installed_once_and_started_directly() {
    let place = InstallFixture::new();
    let (installer, spec) = (place.installer(), spec(LINE));
    assert_eq!(installer.installed("fake", &spec).await.unwrap(), InstallationState::Missing);
    let (tell, heard) = listening();
    let installed = installer.install(&spec, &agreed(), tell).await.unwrap();
    assert_eq!(installed.command, "node");
    let entry = place.place().join("node_modules/fake-server/cli.js");
    let expected = [entry.to_str().unwrap(), "--root", ".", "--key", "hunter2"];
    assert_eq!(installed.arguments, expected);
    assert!(installed.digest.starts_with("sha256:"));
    assert_eq!(installed.package, agreed());
    let heard: Vec<_> = heard.lock().unwrap().iter().map(|told| told.what.clone()).collect();
    for step in [
        "preparing fake-server@1.2.3",
        "installing fake-server@1.2.3",
        "checking fake-server@1.2.3",
    ] {
        assert!(heard.iter().any(|told| told == step), "{heard:?}");
    }
    // In this process and in another one it is found without asking npm.
    for installer in [installer, place.installer()] {
        let found = installer.installed("fake", &spec).await.unwrap();
        assert_eq!(found, InstallationState::Ready(installed.clone()));
    }
    assert_eq!(place.calls("install").len(), 1);
    assert!(place.unfinished().is_empty());
    let deps = fs::read_to_string(place.state().join("deps.json")).unwrap();
    assert!(deps.contains(&installed.digest) && !deps.contains("hunter2"), "{deps}");
}

#[tokio::test]
async fn another_launch_line_or_server_is_another_installation() {
    let place = InstallFixture::new();
    let installer = place.installer();
    installer.install(&spec(LINE), &agreed(), quietly()).await.unwrap();
    let missing = |server: &'static str, line: &'static str| {
        let installer = place.installer();
        async move {
            installer.installed(server, &spec(line)).await.unwrap() == InstallationState::Missing
        }
    };
    assert!(missing("fake", "npx fake-server@1.2.3").await);
    assert!(missing("other", LINE).await);
    // Other arguments mean the same package.
    assert!(!missing("fake", "npx fake-server --other").await);
}

#[tokio::test]
async fn a_second_server_of_the_same_package_uses_what_is_there() {
    let place = InstallFixture::new();
    let mut other = agreed();
    other.server = "other".into();
    let first = place.installer().install(&spec(LINE), &agreed(), quietly()).await.unwrap();
    let exact = spec("npx fake-server@1.2.3 x");
    let second = place.installer().install(&exact, &other, quietly()).await.unwrap();
    assert_eq!((first.digest, place.calls("install").len()), (second.digest, 1));
    let found = place.installer().installed("other", &exact).await.unwrap();
    assert!(matches!(found, InstallationState::Ready(_)));
}

#[tokio::test]
async fn all_who_install_at_once_install_once() {
    let place = InstallFixture::new();
    let spec = spec(LINE);
    // Two of them share their memory, and two act like other processes.
    let shared = place.installer();
    let installers = [shared.clone(), shared, place.installer(), place.installer()];
    let agreed = agreed();
    let all = installers.iter().map(|installer| installer.install(&spec, &agreed, quietly()));
    let all = futures_util::future::join_all(all).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    assert_eq!(place.calls("install").len(), 1);
}

#[tokio::test]
async fn what_has_changed_since_is_never_ready_until_it_is_installed_again() {
    let place = InstallFixture::new();
    let spec = spec(LINE);
    let first = place.installer().install(&spec, &agreed(), quietly()).await.unwrap();
    let entry = place.place().join("node_modules/fake-server/cli.js");
    fs::write(&entry, "steal()").unwrap();
    let InstallationState::Changed(package) =
        place.installer().installed("fake", &spec).await.unwrap()
    else {
        panic!("it was not noticed")
    };
    assert!(package.changed);
    assert_eq!(package.version, "1.2.3");
    let again = place.installer().install(&spec, &package, quietly()).await.unwrap();
    assert_eq!((again.digest, again.package.changed), (first.digest, false));
    assert!(!fs::read_to_string(&entry).unwrap().contains("steal"));
    let found = place.installer().installed("fake", &spec).await.unwrap();
    assert!(matches!(found, InstallationState::Ready(_)));
    assert!(place.unfinished().is_empty());
}

#[tokio::test]
async fn a_folder_that_was_removed_is_missing_and_comes_back() {
    let place = InstallFixture::new();
    let spec = spec(LINE);
    place.installer().install(&spec, &agreed(), quietly()).await.unwrap();
    fs::remove_dir_all(place.place()).unwrap();
    assert_eq!(
        place.installer().installed("fake", &spec).await.unwrap(),
        InstallationState::Missing
    );
    assert!(place.installer().install(&spec, &agreed(), quietly()).await.is_ok());
}

#[tokio::test]
async fn a_clone_that_brings_packages_along_brings_nothing() {
    let place = InstallFixture::new();
    let spec = spec(LINE);
    place.installer().install(&spec, &agreed(), quietly()).await.unwrap();
    // Another user has the same files, but another key.
    let path = format!("{}:/usr/bin:/bin", place.at("bin").display());
    let home = place.at("elsewhere").display().to_string();
    let theirs = || {
        let environment = [("PATH", path.clone()), ("HOME", home.clone())];
        Installer::new(place.state(), environment.into_iter().collect())
    };
    assert_eq!(theirs().installed("fake", &spec).await.unwrap(), InstallationState::Missing);
    // The cloned files are not used, but replaced.
    theirs().install(&spec, &agreed(), quietly()).await.unwrap();
    assert_eq!(place.calls("install").len(), 2);
    assert!(matches!(
        theirs().installed("fake", &spec).await.unwrap(),
        InstallationState::Ready(_)
    ));
}

#[tokio::test]
async fn what_is_not_what_was_agreed_to_is_not_installed() {
    for (mode, what) in [("integrity", "the integrity"), ("version", "the version")] {
        let place = InstallFixture::new();
        place.mode(mode);
        let installer = place.installer();
        let error = installer.install(&spec(LINE), &agreed(), quietly()).await.unwrap_err();
        assert_eq!(error.code(), Code::Integrity);
        assert!(error.to_string().contains(&format!("{what} of `fake-server`")), "{error}");
        assert!(!place.place().exists());
        let found = installer.installed("fake", &spec(LINE)).await.unwrap();
        assert_eq!(found, InstallationState::Missing);
    }
}

#[tokio::test]
async fn a_package_that_the_launch_line_does_not_ask_for_is_refused() {
    let place = InstallFixture::new();
    let installer = place.installer();
    for change in [
        |package: &mut crate::model::Package| package.name = "other".into(),
        |package: &mut crate::model::Package| package.ecosystem = Ecosystem::Pypi,
        |package: &mut crate::model::Package| package.version = "1/../../x".into(),
        |package: &mut crate::model::Package| package.program_of = Some("other".into()),
    ] {
        let mut package = agreed();
        change(&mut package);
        let refused = installer.install(&spec(LINE), &package, quietly()).await;
        assert!(matches!(refused, Err(InstallError::Mismatch { .. })), "{package:?}");
    }
    assert!(place.calls("install").is_empty());
}

#[tokio::test]
async fn install_scripts_run_only_if_they_are_allowed_and_after_the_fetch() {
    let place = InstallFixture::new();
    let refused = spec(LINE);
    place.installer().install(&refused, &agreed(), quietly()).await.unwrap();
    assert!(place.calls("rebuild").is_empty());
    let allowed = refused.with_scripts(InstallScripts::Allowed);
    // An installation without scripts does not satisfy this spec.
    let found = place.installer().installed("fake", &allowed).await.unwrap();
    assert_eq!(found, InstallationState::Missing);
    // The agreement does not cover scripts either, unless it names them.
    let refused = place.installer().install(&allowed, &agreed(), quietly()).await;
    assert!(matches!(refused, Err(InstallError::Mismatch { .. })), "{refused:?}");
    let mut package = agreed();
    package.scripts = true;
    place.installer().install(&allowed, &package, quietly()).await.unwrap();
    assert_eq!(place.calls("rebuild").len(), 1);
    // The fetching steps never run scripts, even if they are allowed.
    for fetch in place.calls("install").iter().chain(&place.calls("ci")) {
        assert!(fetch.contains(" --ignore-scripts ") && fetch.contains(" --allow-git=none "));
    }
}

#[tokio::test]
async fn only_the_fetch_gets_keys_of_the_registry_and_what_runs_scripts_gets_another_home() {
    let place = InstallFixture::new();
    let settings = "//registry.example/:_authToken=hunter2\nregistry=https://registry.example/\n";
    fs::write(place.at("home/.npmrc"), settings).unwrap();
    let path = format!("{}:/usr/bin:/bin", place.at("bin").display());
    let environment = [
        ("PATH", path),
        ("HOME", place.at("home").display().to_string()),
        ("npm_config__auth", "hunter2".into()),
        ("npm_config_otp", "hunter3".into()),
        ("NETRC", "/hunter2".into()),
    ];
    let mut package = agreed();
    package.scripts = true;
    let spec = spec(LINE).with_scripts(InstallScripts::Allowed);
    let installer = Installer::new(place.state(), environment.into_iter().collect());
    installer.install(&spec, &package, quietly()).await.unwrap();
    let seen =
        |call: &str| fs::read_to_string(place.at(&format!("bin/environment.{call}"))).unwrap();
    for fetch in ["install", "ci"] {
        let seen = seen(fetch);
        assert!(seen.contains("npm_config__auth=hunter2") && !seen.contains("hunter3"), "{seen}");
        assert!(seen.contains("NODE_OPTIONS=--require"), "{seen}");
    }
    let (seen, call) = (seen("rebuild"), place.calls("rebuild").remove(0));
    assert!(!seen.contains("hunter") && !seen.contains("NODE_OPTIONS"), "{seen}");
    let home = format!("HOME={}\n", place.at("home").display());
    assert!(seen.contains("HOME=") && !seen.contains(&home), "{seen}");
    assert!(call.contains("--userconfig=") && call.contains("--globalconfig="), "{call}");
}

#[tokio::test]
async fn what_does_not_come_from_a_registry_is_refused_before_and_after_it_is_unpacked() {
    for (mode, unpacked) in [("elsewhere", 0), ("inside", 1)] {
        let place = InstallFixture::new();
        place.mode(mode);
        let refused = place.installer().install(&spec(LINE), &agreed(), quietly()).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused.code(), Code::Integrity);
        assert!(refused.to_string().contains("comes from `https://evil.example/"), "{refused}");
        assert_eq!(place.calls("ci").len(), unpacked);
        assert!(!place.place().exists());
    }
}

#[tokio::test]
async fn no_link_that_came_with_a_clone_is_followed() {
    let place = InstallFixture::new();
    fs::create_dir(place.at("victim")).unwrap();
    std::os::unix::fs::symlink(place.at("victim"), place.state().join("deps")).unwrap();
    let refused = place.installer().install(&spec(LINE), &agreed(), quietly()).await;
    assert!(matches!(refused, Err(InstallError::Io { .. })), "{refused:?}");
    assert_eq!(fs::read_dir(place.at("victim")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_project_without_its_folder_gets_one_that_stays_out_of_version_control() {
    let place = InstallFixture::new();
    fs::remove_dir(place.state()).unwrap();
    assert_eq!(
        place.installer().installed("fake", &spec(LINE)).await.unwrap(),
        InstallationState::Missing
    );
    assert!(!place.state().exists());
    place.installer().install(&spec(LINE), &agreed(), quietly()).await.unwrap();
    assert_eq!(fs::read_to_string(place.state().join(".gitignore")).unwrap(), "*\n!mcp.lock\n");
}
