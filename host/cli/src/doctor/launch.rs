//! Finds what is wrong with a launch line: the script that it names and that does not exist, and
//! the package that it fetches each time it starts, in the newest version that fits. Lines of runners that pml installs from itself are not meant: their packages are installed
//! once.

use std::path::Path;

/// Programs that run the first file among their arguments, without the version in their names.
const INTERPRETERS: &[&str] =
    &["python", "pypy", "node", "bun", "deno", "tsx", "ruby", "perl", "php", "sh", "bash", "uv"];

/// Options after which an interpreter runs something else than a file.
const NO_FILE: &[&str] = &["-", "-c", "-m", "-e", "-p", "-r", "--eval", "--print", "-lc", "-ic"];

/// Endings of the scripts that interpreters run.
const SCRIPTS: &[&str] =
    &["py", "js", "mjs", "cjs", "ts", "mts", "cts", "rb", "pl", "php", "sh", "bash"];

/// Package runners that pml starts as they are written, and the subcommand that must follow them.
const RUNNERS: &[(&str, &str)] = &[("pnpm", "dlx"), ("yarn", "dlx"), ("deno", "run")];

/// What begins the name of a package for `deno run`, which also runs files.
const DENO_PACKAGES: &[&str] = &["npm:", "jsr:"];

/// Returns the script that a launch line runs and that does not exist, or `None`. A script that a
/// line does not name plainly is not looked for.
pub(super) fn missing_script<'a>(
    command: &str,
    arguments: &'a [String],
    folder: &Path,
) -> Option<&'a str> {
    let name = program_name(command).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !INTERPRETERS.contains(&name) {
        return None;
    }
    let words = arguments.iter().map(String::as_str).skip_while(|word| *word == "run");
    let mut words = words.take_while(|word| !NO_FILE.contains(word));
    let script = words.find(|word| !word.starts_with('-'))?;
    let (_, ending) = script.rsplit_once('.')?;
    let is_script = SCRIPTS.contains(&ending) && !script.contains("://");
    (is_script && !folder.join(script).exists()).then_some(script)
}

/// Returns the name of a program, without its folder and ending.
fn program_name(command: &str) -> &str {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    name.strip_suffix(".cmd").or_else(|| name.strip_suffix(".exe")).unwrap_or(name)
}

/// Returns the package that a launch line fetches without an exact version, or `None`.
pub(super) fn fetched_anew<'a>(command: &str, arguments: &'a [String]) -> Option<&'a str> {
    let name = program_name(command);
    let (runner, subcommand) = RUNNERS.iter().find(|(runner, _)| *runner == name)?;
    let mut words = arguments.iter().map(String::as_str);
    if words.next() != Some(*subcommand) {
        return None;
    }
    let package = words.find(|word| !word.starts_with('-'))?;
    let package = match *runner {
        "deno" => DENO_PACKAGES.iter().find_map(|scheme| package.strip_prefix(scheme))?,
        _ => package,
    };
    // A file, or a URL that names its own version.
    if package.starts_with(['.', '/']) || package.contains("://") || package.contains("git+") {
        return None;
    }
    // The `@` at the start of `@scope/name` does not begin a version.
    let version = package.get(1..)?.split_once('@').map(|(_, version)| version);
    (!version.is_some_and(is_exact)).then_some(package)
}

/// Reports whether a version is one version and not a range or a tag.
fn is_exact(version: &str) -> bool {
    let numbers = version.split(['-', '+', '/']).next().unwrap_or_default();
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    numbers.split('.').count() == 3 && numbers.split('.').all(number)
}

#[cfg(test)]
mod tests {
    use super::{fetched_anew, missing_script};

    fn found(line: &str) -> Option<String> {
        let mut words = line.split(' ').map(str::to_owned);
        let command = words.next().unwrap();
        fetched_anew(&command, &words.collect::<Vec<_>>()).map(str::to_owned)
    }

    #[test]
    fn packages_without_an_exact_version_are_found() {
        assert_eq!(found("pnpm dlx thing"), Some("thing".into()));
        assert_eq!(
            found("/usr/bin/yarn dlx @scope/thing@latest"),
            Some("@scope/thing@latest".into())
        );
        assert_eq!(found("pnpm dlx thing@^1.2.3 serve"), Some("thing@^1.2.3".into()));
        assert_eq!(found("pnpm dlx thing@1"), Some("thing@1".into()));
        assert_eq!(found("deno run -A npm:thing"), Some("thing".into()));
    }

    #[test]
    fn exact_versions_files_and_what_pml_installs_are_left_alone() {
        for line in [
            "pnpm dlx @scope/thing@2025.9.25 stdio",
            "deno run -A jsr:@scope/thing@1.2.3-beta.1/serve",
            "deno run server.ts",
            "pnpm dlx ./thing",
            "npx -y thing",
            "uvx thing",
            "uv run server.py",
            "python3 server.py",
            "pnpm install thing",
            "pnpm",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn a_script_that_does_not_exist_is_found_where_the_line_names_it_plainly() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("here.py"), "").unwrap();
        let missing = |line: &str| {
            let mut words = line.split(' ').map(str::to_owned);
            let command = words.next().unwrap();
            let arguments: Vec<_> = words.collect();
            missing_script(&command, &arguments, folder.path()).map(str::to_owned)
        };
        for line in ["python3 lost.py", "/usr/bin/python3.12 -u lost.py --x", "uv run lost.py"] {
            assert_eq!(missing(line), Some("lost.py".into()), "{line}");
        }
        for line in [
            "python3 here.py lost.py",
            "python3 -m lost.py",
            "sh -c lost.sh",
            "node server",
            "npx lost.js",
            "deno run https://x.example/lost.ts",
        ] {
            assert_eq!(missing(line), None, "{line}");
        }
    }
}
