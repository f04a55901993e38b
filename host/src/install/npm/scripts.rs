//! Runs the install scripts of packages, if that is allowed: after everything was fetched, and
//! without any key.

use super::super::environment;
use super::super::error::InstallError;
use super::resolve::QUIET_FLAGS;
use crate::config::Environment;
use crate::disk;
use crate::install::folders::ScratchFolder;
use crate::install::package_tool::PackageTool;
use crate::model::Secret;
use std::path::{Path, PathBuf};

/// Maximum size of npm's settings file, in bytes.
const MAX_SETTINGS: u64 = 1 << 20;

/// Settings that control how to build and where to fetch from, and that never hold a key.
const KEYLESS_SETTINGS: &[&str] = &[
    "arch",
    "build-from-source",
    "cafile",
    "disturl",
    "https-proxy",
    "jobs",
    "msvs-version",
    "node-gyp",
    "nodedir",
    "noproxy",
    "platform",
    "proxy",
    "python",
    "registry",
    "runtime",
    "script-shell",
    "strict-ssl",
    "target",
];

/// Suffixes of the names of settings that control where a package fetches its binary from.
const MIRROR_SUFFIXES: &[&str] = &["-binary-host", "-binary-host-mirror", "-mirror", "-cdnurl"];

/// Runs the scripts of the packages in `folder`.
pub(super) async fn run(
    tool: &PackageTool<'_>,
    environment: &Environment,
    scratch: &ScratchFolder,
    folder: &Path,
) -> Result<(), InstallError> {
    let settings = user_settings(environment)
        .and_then(|path| disk::read(&path, MAX_SETTINGS).ok())
        .map(|text| keyless_lines(&String::from_utf8_lossy(&text)))
        .unwrap_or_default();
    let settings = scratch.write("npmrc", &settings)?;
    let global_settings = scratch.write("global-npmrc", "")?;
    let home = scratch.make_home(environment)?;
    let mut variables = environment::for_scripts(environment, &home.to_string_lossy());
    // npm does not use these, and they contain the addresses of indexes.
    variables.retain(|(name, _)| !name.starts_with("PIP_") && !name.starts_with("UV_"));
    variables.extend(keyless_variables(environment));
    let prefix = format!("--prefix={}", folder.display());
    let settings = format!("--userconfig={}", settings.display());
    let global_settings = format!("--globalconfig={}", global_settings.display());
    let arguments = ["rebuild", &prefix, &settings, &global_settings, "--no-ignore-scripts"];
    let arguments = arguments.into_iter().chain(["--dangerously-allow-all-scripts"]);
    let tool = tool.with_variables(&variables);
    let output = tool.run(arguments.chain(QUIET_FLAGS.iter().copied())).await?;
    tool.check_success(output).map(|_| ())
}

/// Returns the path of the user's npm settings.
fn user_settings(environment: &Environment) -> Option<PathBuf> {
    let named = environment.pick(|name| name.eq_ignore_ascii_case("npm_config_userconfig"));
    let home = || environment.pick(|name| name == "HOME");
    match named.first() {
        Some((_, path)) => Some(path.reveal().into()),
        None => home().first().map(|(_, home)| Path::new(home.reveal()).join(".npmrc")),
    }
}

/// Returns the npm settings among our variables that hold no key.
fn keyless_variables(environment: &Environment) -> Vec<(String, Secret)> {
    let mut picked = environment.pick(|name| {
        let lower = name.to_ascii_lowercase();
        lower.strip_prefix("npm_config_").is_some_and(is_keyless)
    });
    picked.retain(|(_, value)| is_plain(value.reveal()));
    picked
}

/// Returns the lines of npm settings that hold no key.
fn keyless_lines(settings: &str) -> String {
    let lines = settings.lines().filter(|line| {
        let split = line.split_once('=');
        split.is_some_and(|(name, value)| is_keyless(name.trim()) && is_plain(value))
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn is_keyless(name: &str) -> bool {
    let name = name.replace('_', "-");
    KEYLESS_SETTINGS.contains(&name.as_str())
        || MIRROR_SUFFIXES.iter().any(|end| name.ends_with(end))
}

/// Reports whether a value contains neither a user name with a password nor a reference to a
/// variable.
fn is_plain(value: &str) -> bool {
    !value.contains('@') && !value.contains("${")
}

#[cfg(test)]
mod tests {
    use super::{keyless_lines, keyless_variables};
    use crate::config::Environment;

    #[test]
    fn settings_without_keys_are_kept_and_all_others_are_not() {
        let settings = "registry=https://mirror.example/\n//mirror.example/:_authToken=hunter2\n\
            _auth=hunter2\nnodedir = /usr\nproxy=http://me:hunter2@proxy\n; a comment\n\
            email=me@example.com\nsharp_binary_host=https://mirror.example/sharp\n\
            cafile=${SOME_TOKEN}\nkey=hunter2\n@mine:registry=https://mine.example\n";
        assert_eq!(
            keyless_lines(settings),
            "registry=https://mirror.example/\nnodedir = /usr\n\
            sharp_binary_host=https://mirror.example/sharp\n"
        );
        let environment: Environment = [
            ("npm_config_registry", "https://me:hunter2@mirror.example"),
            ("NPM_CONFIG_NODEDIR", "/usr"),
            ("npm_config_//mirror.example/:_authToken", "hunter2"),
            ("NPM_TOKEN", "hunter2"),
        ]
        .into_iter()
        .collect();
        let names: Vec<_> =
            keyless_variables(&environment).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["NPM_CONFIG_NODEDIR"]);
    }
}
