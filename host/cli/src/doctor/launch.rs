//! Finds the package that a launch line fetches each time it starts, in the newest version that
//! fits. Lines of runners that pml installs from itself are not meant: their packages are installed
//! once.

/// Package runners that pml starts as they are written, and the subcommand that must follow them.
const RUNNERS: &[(&str, &str)] = &[("pnpm", "dlx"), ("yarn", "dlx"), ("deno", "run")];

/// What begins the name of a package for `deno run`, which also runs files.
const DENO_PACKAGES: &[&str] = &["npm:", "jsr:"];

/// Returns the package that a launch line fetches without an exact version, or `None`.
pub(super) fn fetched_anew<'a>(command: &str, arguments: &'a [String]) -> Option<&'a str> {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    let name = name.strip_suffix(".cmd").or_else(|| name.strip_suffix(".exe")).unwrap_or(name);
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
    use super::fetched_anew;

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
}
