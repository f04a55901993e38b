//! Packages that attack whoever installs them, through the binary and the real tools: none of their
//! code runs, none takes the place of what was agreed to, and only the fetch has keys. The packages
//! are in `tests/cases/hostile/registry`.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::real::{left_out, older_npm, package_project, registries, uv};
use pml_kit::{FakeRegistry, TestEnv, project_root};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The tools that are put before those of the `PATH`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tools {
    OfThisMachine,
    OlderNpm,
    Uv,
}

/// A trusted project and a registry that it installs from.
struct Attack {
    env: TestEnv,
    registry: FakeRegistry,
    tools: Tools,
}

impl Attack {
    /// Each server is named for what its launch line ends with.
    fn new(tools: Tools, lines: &[&[&str]]) -> Attack {
        let registry = FakeRegistry::start(&project_root().join("tests/cases/hostile/registry"));
        let server = |line: &&[&str]| {
            let (last, scripts) = match line.last().expect("a line") {
                &"+scripts" => (line[line.len() - 2], true),
                last => (*last, false),
            };
            let end = line.len() - usize::from(scripts);
            let name = format!("{last}{}", if scripts { "-scripts" } else { "" });
            let entry =
                json!({ "command": line[0], "args": line[1..end], "installScripts": scripts });
            (name, entry)
        };
        let servers: Value = lines.iter().map(server).collect::<json::Map<String, Value>>().into();
        let env = package_project(pml(), &json!({ "allow": ["*"] }), &servers);
        let settings = format!("//127.0.0.1:{}/:_authToken=hunter2\n", registry.port());
        fs::write(registry.folder().join("npmrc"), settings).expect("settings of npm");
        Attack { env, registry, tools }
    }

    #[expect(clippy::disallowed_methods, reason = "where this machine's tools are")]
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.env.command(arguments);
        registries(&mut command);
        let (port, own) = (self.registry.port(), self.registry.folder());
        let path = std::env::var("PATH").expect("a path");
        let first = match self.tools {
            Tools::OfThisMachine => own.join("none"),
            Tools::OlderNpm => older_npm(),
            Tools::Uv => uv(),
        };
        command.env("PATH", format!("{}:{path}", first.display()));
        command.env("npm_config_registry", format!("http://127.0.0.1:{port}/"));
        command.env("npm_config_userconfig", own.join("npmrc"));
        command.env("npm_config_cache", own.join("npm-cache"));
        command.env_remove("PIP_FIND_LINKS");
        for name in ["PIP_INDEX_URL", "UV_DEFAULT_INDEX"] {
            command.env(name, format!("http://me:hunter2@127.0.0.1:{port}/simple/"));
        }
        command
            .env("PIP_CACHE_DIR", own.join("pip-cache"))
            .env("UV_CACHE_DIR", own.join("uv-cache"));
        for name in ["NPM_TOKEN", "NODE_AUTH_TOKEN", "UV_PUBLISH_TOKEN", "TWINE_PASSWORD"] {
            command.env(name, "hunter3");
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let output = self.command(arguments).output().expect("it runs");
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    }

    /// What is installed, and what was left behind.
    fn there(&self) -> Vec<PathBuf> {
        let work = fs::read_dir(self.env.packages().join(".work")).into_iter().flatten().flatten();
        let left = work.map(|it| it.path()).filter(|path| path.is_dir());
        self.env.installed().into_iter().chain(left).collect()
    }

    fn refused(&self, server: &str, words: &[&str]) {
        let (done, said) = self.run(&["install", "--yes", server]);
        assert!(!done, "{server} was installed: {said}");
        for word in words {
            assert!(said.contains(word), "{server}: `{word}` is not in: {said}");
        }
        assert_eq!(self.registry.written(), "", "code of `{server}` ran");
        assert_eq!(self.there(), Vec::<PathBuf>::new());
    }

    /// Installs a server and returns what it tells when it is started.
    fn started(&self, server: &str) -> Value {
        let (done, said) = self.run(&["install", "--yes", server]);
        assert!(done, "{said}");
        assert!(!said.contains("hunter"), "{said}");
        let (done, said) = self.run(&["call", &format!("{server}:told"), "--json"]);
        assert!(done, "{said}");
        let line = said.lines().find(|line| line.starts_with('{')).expect("a result");
        let told: Value = json::from_str(line).expect("JSON");
        assert!(!told["variables"].to_string().contains("hunter"), "{told}");
        told
    }
}

const FROM_NPM: &[&[&str]] = &[
    &["npx", "-y", "honest-server"],
    &["npx", "-y", "git-server"],
    &["npx", "-y", "remote-server"],
    &["npx", "-y", "folder-server"],
    &["npx", "-y", "file-server"],
    &["npx", "-y", "locking-server"],
    &["npx", "-y", "thief-server"],
    &["npx", "-y", "script-server"],
    &["npx", "-y", "script-server", "+scripts"],
];

/// Makes what the dependencies on files and folders name.
fn nearby(attack: &Attack) {
    let manifest =
        r#"{ "name": "nearby", "version": "1.0.0", "scripts": { "prepare": "exit 1" } }"#;
    let own = attack.registry.folder();
    for folder in ["marker-folder", "package"] {
        fs::create_dir(own.join(folder)).expect("a folder");
        fs::write(own.join(folder).join("package.json"), manifest).expect("a file");
    }
    let packed =
        Command::new("tar").args(["czf", "marker.tgz", "package"]).current_dir(own).status();
    assert!(packed.expect("tar is installed").success());
}

fn npm_refuses_all(tools: Tools, git: &[&str]) {
    let attack = Attack::new(tools, FROM_NPM);
    nearby(&attack);
    attack.refused("git-server", git);
    let refused = [
        (
            "remote-server",
            "`plain`, which `remote-middle` depends on, is wanted as `http://127.0.0.1:",
        ),
        ("folder-server", "`nearby`, which `folder-middle` depends on, "),
        ("file-server", "`nearby`, which `file-middle` depends on, "),
        (
            "locking-server",
            "`plain`, which `locking-middle` depends on, comes from `http://localhost:",
        ),
        (
            "thief-server",
            "the file of its program, `../shadower/cli.js`, comes from another package",
        ),
    ];
    for (server, words) in refused {
        attack.refused(server, &[words]);
    }
    // The twin: another name of a registry's package, a bundle, and a lock that names the registry.
    assert_eq!(attack.started("honest-server")["program"], "honest-server");
    assert!(attack.registry.requests().contains("Bearer hunter2"), "the fetch has its key");
}

#[test]
fn npm_installs_nothing_from_git_other_hosts_files_and_folders_at_any_depth() {
    if left_out() {
        return;
    }
    npm_refuses_all(Tools::OfThisMachine, &["`git-server` cannot be installed", "git+file://"]);
}

#[test]
fn an_npm_that_cannot_be_told_to_refuse_git_starts_none() {
    if left_out() {
        return;
    }
    npm_refuses_all(Tools::OlderNpm, &["git-server` cannot be installed: `", "would be started"]);
}

#[test]
fn scripts_of_npm_run_only_if_allowed_and_then_without_keys() {
    if left_out() {
        return;
    }
    let attack = Attack::new(Tools::OfThisMachine, FROM_NPM);
    assert_eq!(attack.started("script-server")["program"], "script-server");
    assert_eq!(attack.registry.written(), "");
    attack.started("script-server-scripts");
    let seen = attack.registry.written();
    assert!(seen.contains("npm_lifecycle_event=postinstall"), "{seen}");
    assert!(
        !seen.contains("hunter") && !seen.contains("npmrc=") && !seen.contains("INDEX"),
        "{seen}"
    );
    let home = seen.lines().find(|line| line.starts_with("HOME=")).expect("a home");
    assert_ne!(home, format!("HOME={}", attack.env.path().display()));
}

#[test]
fn the_package_whose_program_is_started_is_named_before_it_is_installed() {
    if left_out() {
        return;
    }
    let line: &[&str] = &["npx", "-y", "-p", "honest-server", "-p", "shadower@1.0.0", "shadowed"];
    let both: &[&str] =
        &["npx", "-y", "-p", "honest-server", "-p", "shadower@1.0.0", "honest-server"];
    let attack = Attack::new(Tools::OfThisMachine, &[line, both]);
    let (_, said) = attack.run(&["install", "--dry-run", "--json"]);
    let told: Value = json::from_str(said.lines().next().expect("a line")).expect("JSON");
    let of = |server: &str| {
        let all = told["would_install"].as_array().expect("a list").iter();
        all.filter(|one| one["server"] == server).map(|one| one["program_of"].clone()).next()
    };
    assert_eq!(of("shadowed"), Some(json!("shadower")), "{told}");
    // Both have a program of this name: it is the one of the package that is named first.
    assert_eq!(of("honest-server"), Some(json!("honest-server")), "{told}");
    assert_eq!(attack.started("shadowed")["program"], "shadower");
    assert_eq!(attack.started("honest-server")["program"], "honest-server");
}

const FROM_PYPI: &[&[&str]] = &[
    &["uvx", "honest-py"],
    &["uvx", "--from", "honest-py", "second"],
    &["uvx", "--from", "honest-py", "shadowed"],
    &["uvx", "pth-py"],
    &["uvx", "interpreter-py"],
    &["uvx", "settings-py"],
    &["uvx", "spoken-py"],
    &["uvx", "covered-py"],
    &["uvx", "built-py"],
    &["uvx", "address-py"],
    &["uvx", "builds"],
    &["uvx", "builds", "+scripts"],
];

fn python_runs_nothing_and_starts_what_was_named(tools: Tools) {
    let attack = Attack::new(tools, FROM_PYPI);
    for (server, words) in [
        ("interpreter-py", "python`"),
        ("settings-py", "`pyvenv.cfg` of its environment comes from a package that comes with it"),
        ("spoken-py", "spoken_py-1.0.dist-info/entry_points.txt` comes from `spoken_evil`"),
        ("covered-py", "covered_py/__init__.py`, which would be started, comes from"),
        ("built-py", "`built-py` cannot be installed"),
        ("address-py", "`plain-py`"),
        ("shadowed", "`shadowed` is not a program of `honest-py`, but of `shadower_py`"),
        ("builds", "to build it would run its code"),
    ] {
        attack.refused(server, &[words]);
    }
    // A dependency brings a program of the same name, and modules beside it.
    for server in ["honest-py", "second"] {
        assert_eq!(attack.started(server)["program"], "honest-py");
    }
    // A `.pth` runs when the server is started, and not before.
    let (done, said) = attack.run(&["install", "--yes", "pth-py"]);
    assert!(done, "{said}");
    assert_eq!(attack.registry.written(), "");
    assert_eq!(attack.started("pth-py")["program"], "pth-py");
    assert!(attack.registry.written().contains("pth\n"));
    fs::remove_file(attack.registry.marker()).expect("it ran");
    // What is built runs code, and has no key.
    assert_eq!(attack.started("builds-scripts")["program"], "builds");
    let seen = attack.registry.written();
    assert!(seen.contains("PATH=") && !seen.contains("hunter"), "{seen}");
}

#[test]
fn pip_runs_no_code_of_a_package_and_starts_what_was_named() {
    if left_out() {
        return;
    }
    python_runs_nothing_and_starts_what_was_named(Tools::OfThisMachine);
}

#[test]
fn uv_runs_no_code_of_a_package_and_starts_what_was_named() {
    if left_out() {
        return;
    }
    python_runs_nothing_and_starts_what_was_named(Tools::Uv);
}
