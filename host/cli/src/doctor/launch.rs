//! Finds the package that a launch line would fetch. Package runners fetch the newest version
//! unless the line names one.

/// Package runners, the subcommands that must follow them, and the characters that separate a
/// package from its version.
const RUNNERS: &[(&str, &[&str], &str)] = &[
    ("npx", &[], "@"),
    ("bunx", &[], "@"),
    ("npm", &["exec", "x"], "@"),
    ("pnpm", &["dlx"], "@"),
    ("yarn", &["dlx"], "@"),
    ("bun", &["x"], "@"),
    ("uvx", &[], "@="),
    ("uv", &["run", "tool"], "@="),
    ("pipx", &["run"], "@="),
    ("deno", &["run"], "@"),
];

/// Flags whose value is the package.
const PACKAGE_FLAGS: &[&str] = &["--from", "--package", "-p", "--spec", "--with"];

/// Returns the package that a launch line fetches without a fixed version, or `None`.
pub(super) fn unpinned<'a>(command: &str, arguments: &'a [String]) -> Option<&'a str> {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    let name = name.strip_suffix(".cmd").or_else(|| name.strip_suffix(".exe")).unwrap_or(name);
    let (_, subcommands, separators) = RUNNERS.iter().find(|(runner, ..)| *runner == name)?;
    let mut rest = arguments.iter().map(String::as_str).peekable();
    if !subcommands.is_empty() && !rest.next().is_some_and(|word| subcommands.contains(&word)) {
        return None;
    }
    let mut package = None;
    while let Some(argument) = rest.next() {
        match argument.split_once('=') {
            Some((flag, value)) if PACKAGE_FLAGS.contains(&flag) => package = Some(value),
            _ if PACKAGE_FLAGS.contains(&argument) => package = rest.peek().copied(),
            // Arguments after `--` belong to the server.
            _ if argument == "--" => break,
            _ if argument.starts_with('-') => continue,
            _ => package = package.or(Some(argument)),
        }
        if package.is_some() {
            break;
        }
    }
    let package = package?;
    // A file, or a URL that names its own version.
    if package.starts_with(['.', '/']) || package.contains("://") || package.contains("git+") {
        return None;
    }
    // The `@` at the start of `@scope/name` does not begin a version.
    let version =
        package.get(1..)?.split_once(|c| separators.contains(c)).map(|(_, version)| version);
    let pinned = version.is_some_and(|version| version.contains(|c: char| c.is_ascii_digit()));
    (!pinned).then_some(package)
}

#[cfg(test)]
mod tests {
    use super::unpinned;

    fn found(line: &str) -> Option<String> {
        let mut words = line.split(' ').map(str::to_owned);
        let command = words.next().unwrap();
        unpinned(&command, &words.collect::<Vec<_>>()).map(str::to_owned)
    }

    #[test]
    fn packages_without_a_version_are_found() {
        let package = Some("@modelcontextprotocol/server-everything".to_owned());
        assert_eq!(found("npx -y @modelcontextprotocol/server-everything stdio"), package);
        assert_eq!(found("/usr/bin/npx -y everything@latest"), Some("everything@latest".into()));
        assert_eq!(found("uvx mcp-server-git --repository ."), Some("mcp-server-git".into()));
        assert_eq!(found("uvx --from mcp-git serve"), Some("mcp-git".into()));
        assert_eq!(found("pnpm dlx thing"), Some("thing".into()));
    }

    #[test]
    fn packages_with_a_version_and_other_programs_are_left_alone() {
        for line in [
            "npx -y @modelcontextprotocol/server-everything@2025.9.25 stdio",
            "uvx mcp-server-git==2025.1.14",
            "uvx mcp-server-git@2025.1.14",
            "uvx --from=mcp-git==1.0 serve",
            "npx ./server.js",
            "uvx git+https://example.org/x",
            "python3 server.py",
            "pnpm install thing",
            "npx",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}
