//! Launch lines that are accepted, and some that are refused.

use super::{InstallScripts, PackageSpec};
use crate::model::{Code, Ecosystem};

fn of(line: &[&str]) -> Result<Option<PackageSpec>, crate::error::Error> {
    let words: Vec<String> = line[1..].iter().map(|word| (*word).to_owned()).collect();
    PackageSpec::parse(line[0], &words)
}

/// Returns package, additional packages, program, Python and arguments of a line, as one text.
fn read(line: &[&str]) -> String {
    let spec = of(line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
    let spec = spec.unwrap_or_else(|| panic!("{line:?} is a plain command"));
    let beside: Vec<_> = spec.beside().iter().map(ToString::to_string).collect();
    format!(
        "{} | {} | {} | {} | {}",
        spec.written(),
        beside.join(" "),
        spec.program().unwrap_or_default(),
        spec.python().unwrap_or_default(),
        spec.arguments().join(" ")
    )
}

#[test]
fn lines_of_npm_are_understood() {
    for (line, meant) in [
        (&["npx", "server"][..], "server |  |  |  | "),
        (&["npx", "-y", "server@1.2.3", "."], "server@1.2.3 |  |  |  | ."),
        (&["npx", "--yes", "@a/b", "-y", "--x=1"], "@a/b |  |  |  | -y --x=1"),
        (&["npx", "-y", "@a/b@^1.0", "x"], "@a/b@^1.0 |  |  |  | x"),
        (&["npx", "@a/b@next"], "@a/b@next |  |  |  | "),
        (&["npx", "s@>=1 <2 || 3.x"], "s@>=1 <2 || 3.x |  |  |  | "),
        (&["npx", "--", "s", "--", "x"], "s |  |  |  | -- x"),
        (&["npx", "-y", "--package", "a@1", "run", "x"], "a@1 |  | run |  | x"),
        (
            &["npx", "--package=a@1", "-p", "b@1.2.3-next.1", "run"],
            "a@1 | b@1.2.3-next.1 | run |  | ",
        ),
        (&["npx", "-q", "--loglevel", "error", "--prefer-offline", "s"], "s |  |  |  | "),
        (&["/usr/bin/npx", "s"], "s |  |  |  | "),
        (&["C:\\node\\NPX.cmd", "s"], "s |  |  |  | "),
        (&["npx.exe", "s"], "s |  |  |  | "),
        (&["npm", "exec", "s", "--", "--flag"], "s |  |  |  | --flag"),
        (&["npm", "exec", "--yes", "--", "s@2", "--flag", "x"], "s@2 |  |  |  | --flag x"),
        (&["npm", "exec", "s", "x", "--yes", "--", "-z"], "s |  |  |  | x -z"),
        (&["npm", "x", "--package=a", "--", "run", "-z"], "a |  | run |  | -z"),
        (&["bunx", "s@1.0.0", "--x"], "s@1.0.0 |  |  |  | --x"),
        (&["bunx", "-p", "a", "run"], "a |  | run |  | "),
        (&["bun", "x", "@a/b"], "@a/b |  |  |  | "),
    ] {
        assert_eq!(read(line), meant, "{line:?}");
        assert_eq!(of(line).unwrap().unwrap().ecosystem(), Ecosystem::Npm, "{line:?}");
    }
}

#[test]
fn lines_of_python_are_understood() {
    for (line, meant) in [
        (&["uvx", "server"][..], "server |  |  |  | "),
        (&["uvx", "mcp-server-time@2025.1.17", "--z"], "mcp-server-time==2025.1.17 |  |  |  | --z"),
        (&["uvx", "server@latest"], "server |  |  |  | "),
        (&["uvx", "server==1.2"], "server==1.2 |  |  |  | "),
        (&["uvx", "server>=1, <2"], "server>=1,<2 |  |  |  | "),
        (&["uvx", "mcp[cli,dev]~=1.2"], "mcp[cli,dev]~=1.2 |  |  |  | "),
        (&["uvx", "--from", "pkg[x]==1", "run", "-p"], "pkg[x]==1 |  | run |  | -p"),
        (&["uvx", "--from=pkg", "run"], "pkg |  | run |  | "),
        (
            &["uvx", "--with", "a==1.2,b[x,y]==1", "--with", "c@3", "s"],
            "s | a==1.2 b[x,y]==1 c==3 |  |  | ",
        ),
        (&["uvx", "-q", "--python", "3.12", "s"], "s |  |  | 3.12 | "),
        (&["uvx", "-p", "python3.11", "s", "x"], "s |  |  | 3.11 | x"),
        (&["uv", "tool", "run", "s", "x"], "s |  |  |  | x"),
        (&["pipx", "run", "s==1", "x"], "s==1 |  |  |  | x"),
        (
            &["pipx", "run", "--spec", "pkg==1", "--python", "3.11", "app", "--spec"],
            "pkg==1 |  | app | 3.11 | --spec",
        ),
    ] {
        assert_eq!(read(line), meant, "{line:?}");
        assert_eq!(of(line).unwrap().unwrap().ecosystem(), Ecosystem::Pypi, "{line:?}");
    }
}

#[test]
fn plain_commands_are_none_of_this_rooms_business() {
    for line in [
        &["node", "server.js"][..],
        &["python3", "-m", "server"],
        &["npm", "run", "start"],
        &["npm"],
        &["uv", "run", "server.py"],
        &["uv", "tool"],
        &["bun", "server.ts"],
        &["pipx", "install", "x"],
        &["my-npx", "x"],
        &["./npx-not", "x"],
        &["docker", "run", "npx"],
        &[""],
    ] {
        assert_eq!(of(line).unwrap(), None, "{line:?}");
    }
}

#[test]
fn what_has_no_version_to_pin_is_refused_by_name() {
    for (line, named) in [
        (&["npx", "./server"][..], "./server"),
        (&["npx", "../x"], "../x"),
        (&["npx", "/abs/x"], "/abs/x"),
        (&["npx", "~/x"], "~/x"),
        (&["npx", "."], "."),
        (&["npx", "x.tgz"], "x.tgz"),
        (&["npx", "user/repository"], "user/repository"),
        (&["npx", "github:user/repository"], "github:user/repository"),
        (&["npx", "x@file:y"], "x@file:y"),
        (&["npx", "x@npm:y@1"], "x@npm:y@1"),
        (&["npx", "x@"], "x@"),
        (&["npx", "@a"], "@a"),
        (&["npx", "@/b"], "@/b"),
        (&["npx", "x@1\n2"], "x@1 2"),
        (&["npx", "-p", "git+ssh://git@host/x", "run"], "git+ssh://host/…"),
        (&["npx", "https://host/x.tgz"], "https://host/…"),
        (&["uvx", "./server"], "./server"),
        (&["uvx", "--from", "git+https://host/a/b@main", "run"], "git+https://host/…"),
        (&["uvx", "pkg @ https://host/x.whl"], "https://host/…"),
        (&["uvx", "x.whl"], "x.whl"),
        (&["uvx", "x; python_version > '3'"], "x; python_version > '3'"),
        (&["uvx", "--with", "./x", "s"], "./x"),
        (&["pipx", "run", "--spec", "/x", "app"], "/x"),
        (&["uvx", "pkg[a"], "pkg[a"),
        (&["uvx", "pkg@main"], "pkg@main"),
    ] {
        let error = of(line).expect_err(named);
        assert_eq!(error.kind(), Code::Config, "{line:?}");
        let expected = format!(
            "`{named}` is not a package of a registry, so pml cannot install one exact version of it"
        );
        assert_eq!(error.to_string(), expected, "{line:?}");
        assert!(error.hint().unwrap().contains("use its program"), "{line:?}");
    }
}

#[test]
fn flags_that_are_not_known_are_refused_by_name() {
    for (line, flag) in [
        (&["npx", "-c", "x"][..], "-c"),
        (&["npx", "--no-install", "x"], "--no-install"),
        (&["npx", "--registry=https://x", "y"], "--registry"),
        (&["npx", "--yes=false", "y"], "--yes"),
        (&["npx", "--prefix", "x", "y"], "--prefix"),
        (&["npm", "exec", "x", "--flag"], "--flag"),
        (&["bunx", "--bun", "x"], "--bun"),
        (&["uvx", "--index-url", "https://x", "y"], "--index-url"),
        (&["uvx", "--with-editable", ".", "y"], "--with-editable"),
        (&["pipx", "run", "--pip-args=x", "y"], "--pip-args"),
    ] {
        let error = of(line).expect_err(flag);
        assert!(error.to_string().contains(&format!("flag `{flag}` of `")), "{error}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn lines_without_a_package_or_with_what_is_none_are_refused() {
    for line in [
        &["npx"][..],
        &["npx", "-y"],
        &["npx", "--"],
        &["npx", "-p"],
        &["npx", "-p", "a"],
        &["npx", "-p", "a", "../b"],
        &["npx", "-p", "a", "b/c"],
        &["npx", ""],
        &["uvx", "--python", "/usr/bin/python3", "x"],
        &["uvx", "--python", "", "x"],
        &["uvx", "--from", "a"],
        &["pipx", "run"],
    ] {
        assert!(of(line).is_err(), "{line:?}");
    }
}

#[test]
fn no_secret_of_a_line_stands_in_an_error_or_is_printed() {
    for line in [
        &["npx", "--registry=https://me:hunter2@host", "x", "--key", "hunter2"][..],
        &["npx", "https://me:hunter2@host/x.tgz?token=hunter2"],
        &["uvx", "--from", "git+https://hunter2@host/x", "y", "hunter2"],
        &["uvx", "pkg @ https://host/hunter2"],
        &["npm", "exec", "x", "--token=hunter2"],
    ] {
        let error = of(line).expect_err("refused");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    }
    let spec = of(&["npx", "x", "--key", "hunter2"]).unwrap().unwrap();
    assert!(!format!("{spec:?}").contains("hunter2"));
}

#[test]
fn the_identity_is_what_is_installed_and_started_and_not_the_arguments() {
    let identity = |line: &[&str]| of(line).unwrap().unwrap().identity();
    let plain = identity(&["npx", "-y", "x@1"]);
    assert_eq!(identity(&["bunx", "x@1", "--anything"]), plain);
    for line in [
        &["npx", "x@2"][..],
        &["npx", "x"],
        &["npx", "-p", "x@1", "x"],
        &["npx", "-p", "x@1", "-p", "y@1.0.0", "x"],
        &["uvx", "x@1"],
        &["uvx", "--python", "3.12", "x@1"],
    ] {
        assert_ne!(identity(line), plain, "{line:?}");
    }
    let spec = of(&["npx", "x@1"]).unwrap().unwrap();
    assert_eq!(spec.variant(), None);
    let allowed = spec.with_scripts(InstallScripts::Allowed);
    assert_ne!(allowed.identity(), plain);
    assert!(allowed.variant().is_some());
}

#[test]
fn what_comes_beside_is_named_in_an_exact_version() {
    for line in [
        &["npx", "-p", "good@1.0.0", "-p", "evil", "evil-bin"][..],
        &["npx", "-p", "good@1.0.0", "-p", "evil@1", "evil-bin"],
        &["npx", "-p", "good@1.0.0", "-p", "evil@^1.0.0", "evil-bin"],
        &["uvx", "--with", "evil", "good"],
        &["uvx", "--with", "evil>=1,<2", "good"],
        &["uvx", "--with", "evil==1.*", "good"],
    ] {
        let words: Vec<String> = line[1..].iter().map(|word| (*word).to_owned()).collect();
        let error = PackageSpec::parse(line[0], &words).expect_err("refused");
        assert!(error.to_string().contains("`evil"), "{line:?}: {error}");
    }
}
