//! Installing a package, and finding the installation again.

use super::{
    InstallFixture, InstallationState, agreed, ignore_progress, overwrite, record_progress, spec,
};
use crate::install::error::InstallError;
use crate::install::{InstallScripts, Installer};
use crate::model::{Code, Ecosystem, Package};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const LINE: &str = "npx -y fake-server --root . --key hunter2";

#[tokio::test]
async fn what_was_agreed_to_is_installed_once_and_started_directly() {
    let fixture = InstallFixture::new();
    let (installer, spec) = (fixture.installer(), spec(LINE));
    assert_eq!(
        installer.installation_state("fake", &spec).await.unwrap(),
        InstallationState::Missing
    );
    let (on_progress, reports) = record_progress();
    let installed = installer.install(&spec, &agreed(), on_progress).await.unwrap();
    assert_eq!(installed.command, "node");
    let entry = fixture.package_folder().join("node_modules/fake-server/cli.js");
    let expected = [entry.to_str().unwrap(), "--root", ".", "--key", "hunter2"];
    assert_eq!(installed.arguments, expected);
    assert_eq!((installed.closure.len(), installed.packages), (64, 1));
    let shown = Package { closure: Some(installed.closure.clone()), packages: Some(1), ..agreed() };
    assert_eq!(installed.package, shown);
    let reports: Vec<_> =
        reports.lock().unwrap().iter().map(|progress| progress.what.clone()).collect();
    for step in [
        "preparing fake-server@1.2.3",
        "installing fake-server@1.2.3",
        "checking fake-server@1.2.3",
    ] {
        assert!(reports.iter().any(|progress| progress == step), "{reports:?}");
    }
    // In this process and in another one it is found without asking npm.
    for installer in [installer, fixture.installer()] {
        let found = installer.installation_state("fake", &spec).await.unwrap();
        assert_eq!(found, InstallationState::Ready(installed.clone()));
    }
    assert_eq!(fixture.calls("ci").len(), 1);
    assert!(fixture.unfinished().is_empty());
    let agreed = fs::read_to_string(fixture.at("home/.local/state/pml/packages.json")).unwrap();
    assert!(agreed.contains(&installed.closure) && !agreed.contains("hunter2"), "{agreed}");
    // Nothing is written into the project.
    assert_eq!(fs::read_dir(fixture.state()).unwrap().count(), 0);
}

#[tokio::test]
async fn another_launch_line_or_server_is_another_installation() {
    let fixture = InstallFixture::new();
    let installer = fixture.installer();
    installer.install(&spec(LINE), &agreed(), ignore_progress()).await.unwrap();
    let missing = |server: &'static str, line: &'static str| {
        let installer = fixture.installer();
        async move {
            installer.installation_state(server, &spec(line)).await.unwrap()
                == InstallationState::Missing
        }
    };
    assert!(missing("fake", "npx fake-server@1.2.3").await);
    assert!(missing("other", LINE).await);
    // Other arguments mean the same package.
    assert!(!missing("fake", "npx fake-server --other").await);
}

#[tokio::test]
async fn a_second_server_of_the_same_package_uses_what_is_there() {
    let fixture = InstallFixture::new();
    let mut other = agreed();
    other.server = "other".into();
    let first =
        fixture.installer().install(&spec(LINE), &agreed(), ignore_progress()).await.unwrap();
    let exact = spec("npx fake-server@1.2.3 x");
    let second = fixture.installer().install(&exact, &other, ignore_progress()).await.unwrap();
    assert_eq!((first.closure, fixture.calls("ci").len()), (second.closure, 1));
    let found = fixture.installer().installation_state("other", &exact).await.unwrap();
    assert!(matches!(found, InstallationState::Ready(_)));
}

#[tokio::test]
async fn all_who_install_at_once_install_once() {
    let fixture = InstallFixture::new();
    let spec = spec(LINE);
    // Two of them share their memory, and two act like other processes.
    let shared = fixture.installer();
    let installers = [shared.clone(), shared, fixture.installer(), fixture.installer()];
    let agreed = agreed();
    let all =
        installers.iter().map(|installer| installer.install(&spec, &agreed, ignore_progress()));
    let all = futures_util::future::join_all(all).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    assert_eq!(fixture.calls("ci").len(), 1);
}

#[tokio::test]
async fn what_has_changed_since_is_never_ready_until_it_is_installed_again() {
    let fixture = InstallFixture::new();
    let spec = spec(LINE);
    let first = fixture.installer().install(&spec, &agreed(), ignore_progress()).await.unwrap();
    let entry = fixture.package_folder().join("node_modules/fake-server/cli.js");
    overwrite(&entry, "steal()");
    let InstallationState::Changed(package) =
        fixture.installer().installation_state("fake", &spec).await.unwrap()
    else {
        panic!("it was not noticed")
    };
    assert!(package.changed);
    assert_eq!(package.version, "1.2.3");
    let again = fixture.installer().install(&spec, &package, ignore_progress()).await.unwrap();
    assert_eq!((again.closure, again.package.changed), (first.closure, false));
    assert!(!fs::read_to_string(&entry).unwrap().contains("steal"));
    let found = fixture.installer().installation_state("fake", &spec).await.unwrap();
    assert!(matches!(found, InstallationState::Ready(_)));
    assert!(fixture.unfinished().is_empty());
}

#[tokio::test]
async fn a_folder_that_was_removed_is_missing_and_comes_back() {
    let fixture = InstallFixture::new();
    let spec = spec(LINE);
    fixture.installer().install(&spec, &agreed(), ignore_progress()).await.unwrap();
    crate::disk::remove_tree(&fixture.entries()[0]).unwrap();
    assert_eq!(
        fixture.installer().installation_state("fake", &spec).await.unwrap(),
        InstallationState::Missing
    );
    assert!(fixture.installer().install(&spec, &agreed(), ignore_progress()).await.is_ok());
}

#[tokio::test]
async fn what_is_not_what_was_agreed_to_is_not_installed() {
    for mode in ["integrity", "version"] {
        let fixture = InstallFixture::new();
        fixture.set_mode(mode);
        let installer = fixture.installer();
        let error = installer.install(&spec(LINE), &agreed(), ignore_progress()).await.unwrap_err();
        assert_eq!(error.code(), Code::Integrity);
        assert!(
            error.to_string().contains(
                "`fake-server` was installed and is not what was approved: a package that comes \
                 with it is `fake-server 1.2."
            ),
            "{error}"
        );
        assert!(fixture.entries().is_empty());
        let found = installer.installation_state("fake", &spec(LINE)).await.unwrap();
        assert_eq!(found, InstallationState::Missing);
    }
}

#[tokio::test]
async fn a_package_that_the_launch_line_does_not_ask_for_is_refused() {
    let fixture = InstallFixture::new();
    let installer = fixture.installer();
    for change in [
        |package: &mut crate::model::Package| package.name = "other".into(),
        |package: &mut crate::model::Package| package.ecosystem = Ecosystem::Pypi,
        |package: &mut crate::model::Package| package.version = "1/../../x".into(),
        |package: &mut crate::model::Package| package.program_of = Some("other".into()),
    ] {
        let mut package = agreed();
        change(&mut package);
        let refused = installer.install(&spec(LINE), &package, ignore_progress()).await;
        assert!(matches!(refused, Err(InstallError::Mismatch { .. })), "{package:?}");
    }
    assert!(fixture.calls("ci").is_empty());
}

#[tokio::test]
async fn install_scripts_run_only_if_they_are_allowed_and_after_the_fetch() {
    let fixture = InstallFixture::new();
    let refused = spec(LINE);
    fixture.installer().install(&refused, &agreed(), ignore_progress()).await.unwrap();
    assert!(fixture.calls("rebuild").is_empty());
    let allowed = refused.with_scripts(InstallScripts::Allowed);
    // An installation without scripts does not satisfy this spec.
    let found = fixture.installer().installation_state("fake", &allowed).await.unwrap();
    assert_eq!(found, InstallationState::Missing);
    // The agreement does not cover scripts either, unless it names them.
    let refused = fixture.installer().install(&allowed, &agreed(), ignore_progress()).await;
    assert!(matches!(refused, Err(InstallError::Mismatch { .. })), "{refused:?}");
    let mut package = agreed();
    package.scripts = true;
    fixture.installer().install(&allowed, &package, ignore_progress()).await.unwrap();
    assert_eq!(fixture.calls("rebuild").len(), 1);
    // The fetching steps never run scripts, even if they are allowed.
    for fetch in fixture.calls("install").iter().chain(&fixture.calls("ci")) {
        assert!(fetch.contains(" --ignore-scripts ") && fetch.contains(" --allow-git=none "));
    }
}

#[tokio::test]
async fn only_the_fetch_gets_keys_of_the_registry_and_what_runs_scripts_gets_another_home() {
    let fixture = InstallFixture::new();
    let settings = "//registry.example/:_authToken=hunter2\nregistry=https://registry.example/\n";
    fs::write(fixture.at("home/.npmrc"), settings).unwrap();
    let path = format!("{}:/usr/bin:/bin", fixture.at("bin").display());
    let environment = [
        ("PATH", path),
        ("HOME", fixture.at("home").display().to_string()),
        ("npm_config__auth", "hunter2".into()),
        ("npm_config_otp", "hunter3".into()),
        ("NETRC", "/hunter2".into()),
    ];
    let mut package = agreed();
    package.scripts = true;
    let spec = spec(LINE).with_scripts(InstallScripts::Allowed);
    let installer = Installer::new(fixture.at("project"), environment.into_iter().collect());
    installer.install(&spec, &package, ignore_progress()).await.unwrap();
    let seen =
        |call: &str| fs::read_to_string(fixture.at(&format!("bin/environment.{call}"))).unwrap();
    for fetch in ["install", "ci"] {
        let seen = seen(fetch);
        assert!(seen.contains("npm_config__auth=hunter2") && !seen.contains("hunter3"), "{seen}");
        assert!(seen.contains("NODE_OPTIONS=--require"), "{seen}");
    }
    let (seen, call) = (seen("rebuild"), fixture.calls("rebuild").remove(0));
    assert!(!seen.contains("hunter") && !seen.contains("NODE_OPTIONS"), "{seen}");
    let home = format!("HOME={}\n", fixture.at("home").display());
    assert!(seen.contains("HOME=") && !seen.contains(&home), "{seen}");
    assert!(call.contains("--userconfig=") && call.contains("--globalconfig="), "{call}");
}

#[tokio::test]
async fn what_does_not_come_from_a_registry_is_refused_before_and_after_it_is_unpacked() {
    for (mode, unpacked, reason) in [
        ("elsewhere", 0, "comes from `https://evil.example/"),
        ("inside", 1, "a package that comes with it is `evil 1.0.0 "),
    ] {
        let fixture = InstallFixture::new();
        fixture.set_mode(mode);
        let refused = fixture.installer().install(&spec(LINE), &agreed(), ignore_progress()).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused.code(), Code::Integrity);
        assert!(refused.to_string().contains(reason), "{refused}");
        assert_eq!(fixture.calls("ci").len(), unpacked);
        assert!(fixture.entries().is_empty());
    }
}

#[tokio::test]
async fn no_link_in_the_cache_is_followed() {
    let fixture = InstallFixture::new();
    fs::create_dir(fixture.at("victim")).unwrap();
    let packages = fixture.cache().folder();
    fs::create_dir_all(packages.parent().unwrap()).unwrap();
    fs::set_permissions(packages.parent().unwrap(), PermissionsExt::from_mode(0o700)).unwrap();
    std::os::unix::fs::symlink(fixture.at("victim"), packages).unwrap();
    let refused = fixture.installer().install(&spec(LINE), &agreed(), ignore_progress()).await;
    assert!(matches!(refused, Err(InstallError::Io { .. })), "{refused:?}");
    assert_eq!(fs::read_dir(fixture.at("victim")).unwrap().count(), 0);
}
