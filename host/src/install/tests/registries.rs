//! Installs real packages from the registries that this machine is configured for.
//!
//! With `PML_TEST_OFFLINE=1` in the environment these tests are skipped, and each prints that
//! to stderr.

use super::{CleanFolder, InstallationState, ignore_progress, record_progress, spec};
use crate::config::Environment;
use crate::install::error::InstallError;
use crate::install::{InstallScripts, InstalledPackage, Installer};
use crate::model::ANY_PLATFORM;
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
    let folder = CleanFolder::new();
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
    let folder = CleanFolder::new();
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
    let folder = CleanFolder::new();
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
    let folder = CleanFolder::new();
    // It has only been published as source.
    let docopt = spec("uvx docopt==0.6.2");
    let refused = installer(folder.path()).resolve("x", &docopt, "", None).await.unwrap_err();
    assert!(matches!(refused, InstallError::NoWheel { .. }), "{refused}");
    assert!(refused.hint().unwrap().contains("installScripts"));
    let allowed = docopt.with_scripts(InstallScripts::Allowed);
    let package = installer(folder.path()).resolve("x", &allowed, "", None).await.unwrap();
    assert_eq!(package.version, "0.6.2");
}

#[tokio::test]
async fn platforms_aliases_and_nested_versions_are_installed_as_they_were_resolved() {
    if left_out() {
        return;
    }
    let folder = CleanFolder::new();
    fs::create_dir(folder.path().join("project")).unwrap();
    let line = "npx -y -p @modelcontextprotocol/server-everything@2026.7.4 -p sharp@0.34.5 -p @isaacs/cliui@8.0.2 mcp-server-everything";
    let (installer, spec) = (installer(folder.path()), spec(line));
    let package = installer.resolve("all", &spec, line, None).await.unwrap();
    let pinned = installer.pin(&spec, &package).await.unwrap();
    let closure = &pinned.closures[ANY_PLATFORM];
    // All platforms are in the closure; a person is told about those of this machine.
    assert!(package.packages.is_some_and(|count| count > 90 && count < closure.len() as u64));
    assert!(closure.packages.contains_key("@img/sharp-win32-x64"));
    assert!(closure.packages.keys().any(|path| path.contains("/node_modules/")), "{closure:?}");
    let alias = &closure.packages["wrap-ansi-cjs"];
    assert_eq!(alias.name.as_deref(), Some("wrap-ansi"));
    let installed = installer.install(&spec, &package, ignore_progress()).await.unwrap();
    assert!(installed.packages < closure.len() as u64);
    let answer = greet(&installed, folder.path()).await;
    assert!(answer.contains("serverInfo"), "{answer}");
    // Another machine, with what is pinned, gets the same without asking for versions.
    let other = CleanFolder::new();
    fs::create_dir(other.path().join("project")).unwrap();
    let installer = self::installer(other.path());
    let again = installer.resolve("all", &spec, line, Some(&pinned)).await.unwrap();
    assert_eq!((&again.closure, again.packages), (&package.closure, package.packages));
    let second = installer.install(&spec, &again, ignore_progress()).await.unwrap();
    assert_eq!((second.closure, second.packages), (installed.closure, installed.packages));
}

#[tokio::test]
async fn a_closure_with_another_hash_is_not_installed() {
    if left_out() {
        return;
    }
    let folder = CleanFolder::new();
    fs::create_dir(folder.path().join("project")).unwrap();
    for (line, name) in [("npx mcp-hello-world@1.1.2", "zod"), ("uvx mcp-server-calculator", "mcp")]
    {
        let (installer, spec) = (installer(folder.path()), spec(line));
        let package = installer.resolve("a", &spec, line, None).await.unwrap();
        let mut pinned = installer.pin(&spec, &package).await.unwrap();
        for closure in pinned.closures.values_mut() {
            let one = closure.packages.get_mut(name).expect("it is needed");
            let last = if one.hash.ends_with('0') { "1" } else { "0" };
            let end = one.hash.len() - if one.hash.starts_with("sha512-") { 3 } else { 1 };
            one.hash.replace_range(end..=end, last);
        }
        let wrong = installer.resolve("a", &spec, line, Some(&pinned)).await.unwrap();
        assert_ne!(wrong.closure, package.closure);
        let refused = installer.install(&spec, &wrong, ignore_progress()).await;
        assert!(refused.is_err(), "{line}: {refused:?}");
        // The twin.
        installer.install(&spec, &package, ignore_progress()).await.unwrap();
    }
}

#[tokio::test]
async fn uv_and_pip_resolve_the_same_closure_and_install_each_others() {
    if left_out() {
        return;
    }
    let line = "uvx mcp-server-calculator==0.2.1";
    let (folder, spec) = (CleanFolder::new(), spec(line));
    fs::create_dir(folder.path().join("project")).unwrap();
    let with_uv = |folder: &Path| {
        let variables = environment(folder).pick(|_| true).into_iter();
        let variables = variables.map(|(name, value)| match &*name {
            "PATH" => {
                let uv = pml_kit::real::uv();
                (name, format!("{}:{}", uv.display(), value.reveal()))
            }
            _ => (name, value.reveal().to_owned()),
        });
        Installer::new(folder.join("project"), variables.collect())
    };
    let (pip, uv) = (installer(folder.path()), with_uv(folder.path()));
    let of_pip = pip.resolve("a", &spec, line, None).await.unwrap();
    let pinned = pip.pin(&spec, &of_pip).await.unwrap();
    let of_uv = uv.resolve("a", &spec, line, None).await.unwrap();
    let pinned_by_uv = uv.pin(&spec, &of_uv).await.unwrap();
    let (label, closure) = pinned.closures.iter().next().unwrap();
    let files = |closure: &crate::model::PackageClosure| -> Vec<_> {
        let one = |(name, one): (&String, &crate::model::ClosurePackage)| {
            (name.clone(), one.version.clone(), one.hash.clone(), one.file.clone())
        };
        closure.packages.iter().map(one).collect()
    };
    assert!(label.contains("-cpython3."), "{label}");
    assert_eq!(files(closure), files(&pinned_by_uv.closures[label]));
    let shown = uv.resolve("a", &spec, line, Some(&pinned)).await.unwrap();
    let installed = uv.install(&spec, &shown, ignore_progress()).await.unwrap();
    assert_eq!(Some(&installed.closure), of_pip.closure.as_ref());
    let answer = greet(&installed, folder.path()).await;
    assert!(answer.contains("serverInfo"), "{answer}");
}

#[tokio::test]
async fn a_closure_of_another_platform_decides_the_versions_for_this_one() {
    if left_out() {
        return;
    }
    let line = "uvx mcp-server-calculator==0.2.1";
    let (folder, spec) = (CleanFolder::new(), spec(line));
    fs::create_dir(folder.path().join("project")).unwrap();
    let installer = installer(folder.path());
    let package = installer.resolve("a", &spec, line, None).await.unwrap();
    let mut pinned = installer.pin(&spec, &package).await.unwrap();
    let (own, mut closure) = pinned.closures.pop_first().unwrap();
    // An older version than the newest, and a hash of another machine's file.
    let idna = closure.packages.get_mut("idna").unwrap();
    idna.version = "3.7".into();
    pinned.closures.insert("plan9-mips-cpython3.11".into(), closure);
    let found = installer.resolve("a", &spec, line, Some(&pinned)).await.unwrap();
    let again = installer.pin(&spec, &found).await.unwrap();
    let idna = &again.closures[&own].packages["idna"];
    assert_eq!(idna.version, "3.7");
    installer.install(&spec, &found, ignore_progress()).await.unwrap();
}

#[tokio::test]
async fn offline_a_second_project_installs_what_the_cache_of_npm_has() {
    if left_out() {
        return;
    }
    let (first, second) = (CleanFolder::new(), CleanFolder::new());
    let line = "npx mcp-hello-world@1.1.2";
    let spec = spec(line);
    let own = |folder: &Path| {
        fs::create_dir_all(folder.join("project")).unwrap();
        let npm_cache = first.path().join("npm-cache").display().to_string();
        let variables = environment(folder).pick(|name| name != "npm_config_cache").into_iter();
        let variables = variables.map(|(name, value)| (name, value.reveal().to_owned()));
        let all = variables.chain([("npm_config_cache".to_owned(), npm_cache)]);
        Installer::new(folder.join("project"), all.collect())
    };
    // pip does not use its cache without asking its index.
    let python = self::spec("uvx mcp-server-calculator==0.2.1");
    fs::create_dir(second.path().join("project")).unwrap();
    let pip = installer(second.path());
    pip.refuse_fetching();
    let refused = pip.resolve("b", &python, "uvx …", None).await.unwrap_err();
    assert!(matches!(refused, InstallError::NotCached { .. }), "{refused}");
    // The second one has other state and cache folders, like another user with the same npm.
    let offline = own(second.path());
    offline.refuse_fetching();
    let refused = offline.resolve("a", &spec, line, None).await.unwrap_err();
    assert!(matches!(refused, InstallError::NotCached { .. }), "{refused}");
    let online = own(first.path());
    let package = online.resolve("a", &spec, line, None).await.unwrap();
    online.install(&spec, &package, ignore_progress()).await.unwrap();
    let found = offline.resolve("a", &spec, line, None).await.unwrap();
    assert_eq!(found.closure, package.closure);
    offline.install(&spec, &found, ignore_progress()).await.unwrap();
}
