//! Files that a command runs or loads without naming them: those of a module, of a folder, and of a
//! program that reads its instructions from a file beside it.
//!
//! **Invariant:** every word that is the name of a known program begins a command, because the
//! words before it may run it.

use super::words::{LaunchWord, program};
use crate::model::steers_loading;
use std::collections::BTreeSet;

/// Programs that resolve modules as Node.js does.
const MODULAR: &[&str] = &[
    "babel-node",
    "bun",
    "bunx",
    "c8",
    "deno",
    "electron",
    "esr",
    "jiti",
    "node",
    "nodejs",
    "nodemon",
    "nyc",
    "pm2",
    "ts-node",
    "ts-node-dev",
    "ts-node-esm",
    "tsx",
    "vite-node",
];

/// Endings that a module's file may have if the module is named without one.
const ENDINGS: &[&str] =
    &["js", "cjs", "mjs", "json", "node", "ts", "mts", "cts", "jsx", "tsx", "rb"];

/// Files that name other files which are loaded with them.
pub(super) const NAMING: &[&str] = &[".npmrc", ".yarnrc", ".yarnrc.yml", "bunfig.toml"];

/// Returns the files that the commands run without naming them, relative to the folder that they
/// run in or one of its parents.
pub(super) fn implicit_files(commands: &[Vec<String>]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for command in commands {
        // The words after the first program of a kind include those after the others.
        let (mut python, mut packages) = (false, false);
        for (index, text) in command.iter().enumerate() {
            let next = command.get(index + 1).map_or("", String::as_str);
            for module in python_modules(text, next) {
                names.extend(python_module_files(module));
            }
            let rest = &command[index + 1..];
            let given = || rest.iter().map(String::as_str).filter(|text| !text.starts_with('-'));
            let program = program(text);
            names.extend(files_run_by(&program, rest).into_iter().map(str::to_owned));
            match program.as_str() {
                "python" | "pypy" | "ipython" if !std::mem::replace(&mut python, true) => {
                    let main =
                        |folder: &str| format!("{}/__main__.py", folder.trim_end_matches('/'));
                    names.extend(given().map(main));
                }
                "npx" | "pnpx" | "bunx" | "npm" | "pnpm" | "yarn" | "bun"
                    if !std::mem::replace(&mut packages, true) =>
                {
                    names.extend(given().flat_map(package_files));
                }
                _ => {}
            }
        }
    }
    names
}

/// Returns the words that may name a module that Node.js resolves.
pub(super) fn modules<'a>(
    commands: &'a [Vec<String>],
    words: &'a [LaunchWord],
    options: bool,
) -> BTreeSet<&'a str> {
    let mut modules = BTreeSet::new();
    let mut any = options;
    for command in commands {
        let Some(at) = command.iter().position(|it| MODULAR.contains(&program(it).as_str())) else {
            continue;
        };
        any = true;
        let rest = command[at + 1..].iter().filter(|text| !text.starts_with('-'));
        modules.extend(rest.map(String::as_str));
    }
    if any || commands.iter().flatten().any(|text| program(text) == "ruby") {
        let paths = words.iter().filter(|word| word.text.contains('/') && !word.data);
        modules.extend(paths.map(|word| word.text.as_str()));
    }
    modules.retain(|text| !text.contains("://") && !text.contains(char::is_whitespace));
    modules
}

/// Returns the files that a module may be in.
pub(super) fn module_files(module: &str) -> impl Iterator<Item = String> {
    let module = module.trim_end_matches('/');
    let ended = ENDINGS.iter().map(move |ending| format!("{module}.{ending}"));
    let index = ENDINGS.iter().map(move |ending| format!("{module}/index.{ending}"));
    ended.chain(index).chain([format!("{module}/package.json")])
}

/// Returns the variables that the commands set and that control what is loaded: `PYTHONPATH=lib
/// python x.py`.
pub(super) fn assigned_variables(commands: &[Vec<String>]) -> Vec<(String, String)> {
    let pairs = commands.iter().flatten().filter_map(|text| text.split_once('='));
    let pairs = pairs.filter(|(name, _)| steers_loading(name));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Returns the modules of `-m a.b`, `-ma.b`, `-um a.b`, `--module a.b`.
fn python_modules<'a>(text: &'a str, next: &'a str) -> Vec<&'a str> {
    if let Some(long) = text.strip_prefix("--") {
        return match long.split_once('=') {
            Some(("module", module)) => vec![module],
            None if long == "module" => vec![next],
            _ => Vec::new(),
        };
    }
    let Some(flags) = text.strip_prefix('-').filter(|flags| flags.len() <= 200) else {
        return Vec::new();
    };
    let module = |(at, _): (usize, &str)| match &flags[at + 1..] {
        "" => next,
        module => module,
    };
    flags.match_indices('m').take(8).map(module).collect()
}

/// Returns the files of `python -m a.b`.
fn python_module_files(module: &str) -> Vec<String> {
    let parts: Vec<&str> = module.split('.').collect();
    let plain = |part: &&str| !part.is_empty() && !part.contains(['/', '\\', '\0']);
    if parts.len() > 16 || !parts.iter().all(plain) {
        return Vec::new();
    }
    let mut names = Vec::new();
    for within in ["", "src/"] {
        let path = format!("{within}{}", parts.join("/"));
        let ends = [".py", ".pyc", ".so", ".abi3.so", "/__main__.py", "/__main__.pyc"];
        names.extend(ends.iter().map(|end| format!("{path}{end}")));
        for length in 1..=parts.len() {
            let package = format!("{within}{}/__init__", parts[..length].join("/"));
            names.extend([".py", ".pyc", ".so", ".abi3.so"].map(|end| format!("{package}{end}")));
        }
    }
    names
}

/// Returns the files of `npx PACKAGE`: a package in the project takes precedence over the registry.
fn package_files(package: &str) -> Vec<String> {
    let version = package.char_indices().skip(1).find(|(_, c)| *c == '@');
    let package = version.map_or(package, |(at, _)| &package[..at]);
    let plain = |c: char| c.is_alphanumeric() || "@/-_.".contains(c);
    if package.is_empty() || !package.chars().all(plain) || package.split('/').any(|it| it == "..")
    {
        return Vec::new();
    }
    let name = package.rsplit('/').next().unwrap_or(package);
    vec![format!("node_modules/.bin/{name}"), format!("node_modules/{package}/package.json")]
}

/// Returns the files that tell a program what to run, or where to find it. `rest` are the words
/// after it.
fn files_run_by(program: &str, rest: &[String]) -> Vec<&'static str> {
    let says = |word: &str| rest.iter().any(|text| text == word);
    let first = || rest.iter().find(|text| !text.starts_with('-')).map_or("", String::as_str);
    let mut names: Vec<&'static str> = match program {
        "npm" | "npx" => vec![".npmrc"],
        "pnpm" | "pnpx" => {
            vec![".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs", "pnpm-workspace.yaml"]
        }
        "yarn" => vec![".yarnrc", ".yarnrc.yml", ".npmrc"],
        "bun" | "bunx" => vec!["bunfig.toml", ".npmrc", "tsconfig.json"],
        "tsx" | "ts-node" | "ts-node-esm" | "ts-node-dev" => vec!["tsconfig.json"],
        "uvx" => vec!["uv.toml"],
        "uv" => vec!["uv.toml", "pyproject.toml"],
        "poetry" => vec!["pyproject.toml", "poetry.toml"],
        "pdm" | "hatch" | "rye" => vec!["pyproject.toml"],
        "pipenv" => vec!["Pipfile"],
        "pixi" => vec!["pixi.toml", "pyproject.toml"],
        "make" | "gmake" => vec!["GNUmakefile", "makefile", "Makefile"],
        "just" => vec!["justfile", "Justfile", ".justfile"],
        "task" => vec!["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"],
        "mise" => vec!["mise.toml", ".mise.toml", ".tool-versions"],
        "direnv" => vec![".envrc"],
        "devbox" => vec!["devbox.json"],
        "nix" | "nix-shell" => vec!["flake.nix", "shell.nix", "default.nix"],
        "deno" => vec!["deno.json", "deno.jsonc", "package.json"],
        "cargo" => {
            vec![
                "Cargo.toml",
                "build.rs",
                ".cargo/config.toml",
                ".cargo/config",
                "rust-toolchain.toml",
            ]
        }
        "rake" => vec!["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"],
        "bundle" | "bundler" => vec!["Gemfile", ".bundle/config"],
        "composer" => vec!["composer.json"],
        "gradle" | "gradlew" => vec![
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
            "gradle.properties",
            "gradle/wrapper/gradle-wrapper.jar",
            "gradle/wrapper/gradle-wrapper.properties",
        ],
        "mvn" | "mvnw" => {
            vec!["pom.xml", ".mvn/jvm.config", ".mvn/maven.config", ".mvn/extensions.xml"]
        }
        "invoke" | "inv" => vec!["tasks.py"],
        "foreman" | "overmind" | "honcho" => vec!["Procfile"],
        "docker-compose" | "podman-compose" => COMPOSE.to_vec(),
        "docker" | "podman" if says("compose") => COMPOSE.to_vec(),
        "docker" | "podman" if says("build") => vec!["Dockerfile", "Containerfile"],
        _ => Vec::new(),
    };
    if matches!(program, "npm" | "yarn" | "pnpm" | "bun")
        && !["dlx", "x", "exec", "create", "init"].contains(&first())
    {
        names.push("package.json");
    }
    names
}

/// Files of Docker Compose: the last two are used automatically.
const COMPOSE: &[&str] = &[
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
    "compose.override.yaml",
    "compose.override.yml",
    "docker-compose.override.yaml",
    "docker-compose.override.yml",
];
