//! Resolving the version that a launch line means.

use super::{InstallFixture, spec};
use crate::install::error::InstallError;
use crate::model::CallError;
use std::fs;

#[tokio::test]
async fn a_question_asked_again_shows_the_same_version() {
    let fixture = InstallFixture::new();
    fixture.set_versions(&["1.2.3", "1.10.0", "2.0.0-rc.1"]);
    let (installer, spec) = (fixture.installer(), spec("npx -y fake-server@>1"));
    let first = installer.resolve("fake", &spec, "npx …", None).await.unwrap();
    assert_eq!((first.version.as_str(), first.size), ("1.10.0", Some(123)));
    assert_eq!(first.source, "registry.example");
    assert_eq!(first.integrity.as_deref(), Some("sha512-good"));
    assert_eq!((first.install.as_str(), first.changed), ("npx …", false));
    fixture.set_versions(&["9.0.0"]);
    let again = installer.resolve("other", &spec, "npx …", None).await.unwrap();
    assert_eq!((again.version.as_str(), again.server.as_str()), ("1.10.0", "other"));
    assert_eq!(fixture.calls("view").len(), 1);
    // No file was written into the project.
    assert_eq!(fs::read_dir(fixture.state()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_launch_line_without_a_version_means_the_latest() {
    let fixture = InstallFixture::new();
    fixture.installer().resolve("fake", &spec("npx fake-server"), "", None).await.unwrap();
    assert!(fixture.calls("view")[0].contains("-- fake-server@latest name"));
}

#[tokio::test]
async fn the_package_whose_program_is_started_is_known_before_anything_is_installed() {
    let fixture = InstallFixture::new();
    let of = |line: &'static str| {
        let fixture = &fixture;
        async move {
            let package = fixture.installer().resolve("f", &spec(line), line, None).await.unwrap();
            (package.program, package.program_of)
        }
    };
    let expected = |program: Option<&str>, of: &str| (program.map(Into::into), Some(of.to_owned()));
    assert_eq!(of("npx fake-server").await, expected(None, "fake-server"));
    let view = |bin: &str| {
        let text = format!(r#"{{ "name": "fake-server", "version": "1.2.3", "bin": {bin} }}"#);
        fs::write(fixture.at("bin/view.json"), text).unwrap();
    };
    // The fake gives the same answer for all packages.
    view(r#"{ "run": "cli.js" }"#);
    let line = "npx -p fake-server -p beside@1.0.0 run";
    assert_eq!(of(line).await, expected(Some("run"), "fake-server"));
    view(r#""cli.js""#);
    let line = "npx -p fake-server -p beside@1.0.0 beside";
    assert_eq!(of(line).await, expected(Some("beside"), "beside"));
}

#[tokio::test]
async fn trouble_with_the_network_is_told_with_the_tools_own_words() {
    let fixture = InstallFixture::new();
    fixture.set_mode("offline");
    let installer = fixture.installer();
    let error = installer.resolve("fake", &spec("npx fake-server"), "", None).await.unwrap_err();
    let message = CallError::from(error).message;
    assert!(
        message.starts_with("`npm` cannot resolve `fake-server`: it ended with exit"),
        "{message}"
    );
    assert!(
        message.contains("| npm error network request to https://registry.example/x"),
        "{message}"
    );
    assert!(message.contains("hint: check the network"), "{message}");
    // Failures are not remembered.
    fixture.set_mode("");
    assert!(installer.resolve("fake", &spec("npx fake-server"), "", None).await.is_ok());
}

#[tokio::test]
async fn a_package_that_is_not_there_is_told_from_trouble() {
    let fixture = InstallFixture::new();
    let resolve =
        || async { fixture.installer().resolve("f", &spec("npx fake-server"), "", None).await };
    fixture.set_mode("unknown");
    assert!(matches!(resolve().await, Err(InstallError::NoVersion { .. })));
    fixture.set_mode("");
    fixture.set_versions(&[]);
    assert!(matches!(resolve().await, Err(InstallError::NoVersion { .. })));
}

#[tokio::test]
async fn a_registry_that_lies_is_not_believed() {
    let fixture = InstallFixture::new();
    let resolve =
        || async { fixture.installer().resolve("f", &spec("npx fake-server"), "", None).await };
    for version in ["../../x", "1.0.0/..", "latest", ""] {
        fixture.set_versions(&[version]);
        assert!(matches!(resolve().await, Err(InstallError::Unreadable { .. })), "{version}");
    }
    let other = r#"{ "name": "other", "version": "1.0.0" }"#;
    fs::write(fixture.at("bin/view.json"), other).unwrap();
    assert!(matches!(resolve().await, Err(InstallError::Unreadable { .. })));
    fixture.set_mode("endless");
    let message = resolve().await.unwrap_err().to_string();
    assert!(message.contains("it prints without end"), "{message}");
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_named() {
    let fixture = InstallFixture::new();
    fs::remove_file(fixture.at("bin/npm")).unwrap();
    let home = fixture.at("home").display().to_string();
    let environment = [("PATH", fixture.at("bin").display().to_string()), ("HOME", home)];
    let installer =
        crate::install::Installer::new(fixture.at("project"), environment.into_iter().collect());
    for (line, tool) in [("bunx x", "npm"), ("uvx x", "python3"), ("uvx -p 3.9 x", "python3.9")] {
        let error = installer.resolve("f", &spec(line), "", None).await.unwrap_err();
        let expected = format!("`x` cannot be installed: `{tool}` is not on the `PATH`");
        assert_eq!(error.to_string(), expected);
        assert!(error.hint().is_some());
    }
}

#[tokio::test]
async fn tools_get_no_keys_of_others_and_do_not_run_in_the_project() {
    let fixture = InstallFixture::new();
    fixture.installer().resolve("fake", &spec("npx fake-server"), "", None).await.unwrap();
    let variables = fs::read_to_string(fixture.at("bin/environment")).unwrap();
    assert!(variables.contains("PATH=") && !variables.contains("hunter2"), "{variables}");
    let folder = fs::read_to_string(fixture.at("bin/folder")).unwrap();
    let home = fixture.at("home").canonicalize().unwrap();
    assert!(folder.starts_with(home.to_str().unwrap()), "{folder}");
}
