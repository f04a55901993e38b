//! Resolving the version that a launch line means.

use super::{InstallFixture, spec};
use crate::install::error::InstallError;
use crate::model::CallError;
use std::fs;

#[tokio::test]
async fn a_question_asked_again_shows_the_same_version() {
    let place = InstallFixture::new();
    place.answers(&["1.2.3", "1.10.0", "2.0.0-rc.1"]);
    let (installer, spec) = (place.installer(), spec("npx -y fake-server@>1"));
    let first = installer.resolve("fake", &spec, "npx …").await.unwrap();
    assert_eq!((first.version.as_str(), first.size), ("1.10.0", Some(123)));
    assert_eq!(first.source, "registry.example");
    assert_eq!(first.integrity.as_deref(), Some("sha512-good"));
    assert_eq!((first.install.as_str(), first.changed), ("npx …", false));
    place.answers(&["9.0.0"]);
    let again = installer.resolve("other", &spec, "npx …").await.unwrap();
    assert_eq!((again.version.as_str(), again.server.as_str()), ("1.10.0", "other"));
    assert_eq!(place.calls("view").len(), 1);
    // No file was written into the project.
    assert_eq!(fs::read_dir(place.state()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_launch_line_without_a_version_means_the_latest() {
    let place = InstallFixture::new();
    place.installer().resolve("fake", &spec("npx fake-server"), "").await.unwrap();
    assert!(place.calls("view")[0].contains("-- fake-server@latest name"));
}

#[tokio::test]
async fn the_package_whose_program_is_started_is_known_before_anything_is_installed() {
    let place = InstallFixture::new();
    let of = |line: &'static str| {
        let place = &place;
        async move {
            let package = place.installer().resolve("f", &spec(line), line).await.unwrap();
            (package.program, package.program_of)
        }
    };
    let told = |program: Option<&str>, of: &str| (program.map(Into::into), Some(of.to_owned()));
    assert_eq!(of("npx fake-server").await, told(None, "fake-server"));
    let view = |bin: &str| {
        let text = format!(r#"{{ "name": "fake-server", "version": "1.2.3", "bin": {bin} }}"#);
        fs::write(place.at("bin/view.json"), text).unwrap();
    };
    // The fake gives the same answer for all packages.
    view(r#"{ "run": "cli.js" }"#);
    let line = "npx -p fake-server -p beside@1.0.0 run";
    assert_eq!(of(line).await, told(Some("run"), "fake-server"));
    view(r#""cli.js""#);
    let line = "npx -p fake-server -p beside@1.0.0 beside";
    assert_eq!(of(line).await, told(Some("beside"), "beside"));
}

#[tokio::test]
async fn trouble_with_the_network_is_told_with_the_tools_own_words() {
    let place = InstallFixture::new();
    place.mode("offline");
    let installer = place.installer();
    let error = installer.resolve("fake", &spec("npx fake-server"), "").await.unwrap_err();
    let told = CallError::from(error).message;
    assert!(told.starts_with("`npm` cannot resolve `fake-server`: it ended with exit"), "{told}");
    assert!(told.contains("| npm error network request to https://registry.example/x"), "{told}");
    assert!(told.contains("hint: check the network"), "{told}");
    // Failures are not remembered.
    place.mode("");
    assert!(installer.resolve("fake", &spec("npx fake-server"), "").await.is_ok());
}

#[tokio::test]
async fn a_package_that_is_not_there_is_told_from_trouble() {
    let place = InstallFixture::new();
    let resolve = || async { place.installer().resolve("f", &spec("npx fake-server"), "").await };
    place.mode("unknown");
    assert!(matches!(resolve().await, Err(InstallError::NoVersion { .. })));
    place.mode("");
    place.answers(&[]);
    assert!(matches!(resolve().await, Err(InstallError::NoVersion { .. })));
}

#[tokio::test]
async fn a_registry_that_lies_is_not_believed() {
    let place = InstallFixture::new();
    let resolve = || async { place.installer().resolve("f", &spec("npx fake-server"), "").await };
    for version in ["../../x", "1.0.0/..", "latest", ""] {
        place.answers(&[version]);
        assert!(matches!(resolve().await, Err(InstallError::Unreadable { .. })), "{version}");
    }
    let other = r#"{ "name": "other", "version": "1.0.0" }"#;
    fs::write(place.at("bin/view.json"), other).unwrap();
    assert!(matches!(resolve().await, Err(InstallError::Unreadable { .. })));
    place.mode("endless");
    let told = resolve().await.unwrap_err().to_string();
    assert!(told.contains("it prints without end"), "{told}");
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_named() {
    let place = InstallFixture::new();
    fs::remove_file(place.at("bin/npm")).unwrap();
    let home = place.at("home").display().to_string();
    let environment = [("PATH", place.at("bin").display().to_string()), ("HOME", home)];
    let installer =
        crate::install::Installer::new(place.state(), environment.into_iter().collect());
    for (line, tool) in [("bunx x", "npm"), ("uvx x", "python3"), ("uvx -p 3.9 x", "python3.9")] {
        let error = installer.resolve("f", &spec(line), "").await.unwrap_err();
        let expected = format!("`x` cannot be installed: there is no `{tool}` on the `PATH`");
        assert_eq!(error.to_string(), expected);
        assert!(error.hint().is_some());
    }
}

#[tokio::test]
async fn tools_get_no_keys_of_others_and_do_not_run_in_the_project() {
    let place = InstallFixture::new();
    place.installer().resolve("fake", &spec("npx fake-server"), "").await.unwrap();
    let told = fs::read_to_string(place.at("bin/environment")).unwrap();
    assert!(told.contains("PATH=") && !told.contains("hunter2"), "{told}");
    let folder = fs::read_to_string(place.at("bin/folder")).unwrap();
    let home = place.at("home").canonicalize().unwrap();
    assert!(folder.starts_with(home.to_str().unwrap()), "{folder}");
}
