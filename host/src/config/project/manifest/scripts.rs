//! The files of a project that the launch line of one server names.
//!
//! In flows a launch line, out flow the digests of what it names. It can be looked at again, before the server is started.

use super::look::{Budget, Found, TooMuch};
use super::words::{Argument, Word, program, words, words_of};
use crate::config::project::file::{MCP_FILE, PML_FILE};
use crate::config::project::parts::FileState;
use crate::model::escape;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// Folders that a launch line may name and that its words are looked for in.
const FOLDERS: usize = 8;

/// Bytes of a `package.json` that is asked for its `main`.
const PACKAGE: u64 = 1 << 20;

/// A launch line with its variables put in, as far as they are of the process.
#[derive(Clone, Default, PartialEq, Eq)]
pub(in crate::config::project) struct Line {
    /// Where it runs.
    folder: PathBuf,
    /// The command and its arguments.
    arguments: Vec<Argument>,
    /// Values of variables that steer what is loaded.
    steering: Vec<String>,
}

/// Returns a launch line: each argument with whether it stands like this in the settings.
pub(in crate::config::project) fn launch_of(
    folder: PathBuf,
    arguments: impl Iterator<Item = (String, bool)>,
    steering: Vec<String>,
) -> Line {
    let arguments = arguments.map(|(text, plain)| Argument { text, plain }).collect();
    Line { folder, arguments, steering }
}

/// The files that a server's launch line names, as they were when the project was read.
#[derive(Clone, Default)]
pub(crate) struct Scripts {
    root: PathBuf,
    line: Line,
    /// The digest of each, by its name.
    held: BTreeMap<String, String>,
    /// What a person is told of each.
    told: BTreeMap<String, FileState>,
}

impl Scripts {
    /// Looks at what a launch line names, or says why there is too much.
    pub(in crate::config::project) fn of(
        root: &Path,
        line: Line,
        budget: &mut Budget,
    ) -> Result<Scripts, String> {
        let mut scripts = Scripts { root: root.into(), line, ..Scripts::default() };
        scripts.look(budget).map_err(|TooMuch| TooMuch::reason())?;
        Ok(scripts)
    }

    /// Returns the digest of each file, by its name.
    pub(in crate::config::project) fn held(&self) -> &BTreeMap<String, String> {
        &self.held
    }

    /// Returns what a person is told of each file, by its name.
    pub(in crate::config::project) fn told(&self) -> &BTreeMap<String, FileState> {
        &self.told
    }

    /// Returns the names of the files that are not what they were, or came since. One that is gone cannot be run.
    pub(crate) fn changed(&self) -> Vec<String> {
        if self.root.as_os_str().is_empty() {
            return Vec::new();
        }
        let mut now =
            Scripts { root: self.root.clone(), line: self.line.clone(), ..Scripts::default() };
        match now.look(&mut Budget::default()) {
            Ok(()) => {
                let known = |(name, digest): &(String, String)| self.held.get(name) == Some(digest);
                let changed = now.held.into_iter().filter(|part| !known(part));
                changed.map(|(name, _)| name).collect()
            }
            Err(TooMuch) => self.held.keys().cloned().collect(),
        }
    }

    fn look(&mut self, budget: &mut Budget) -> Result<(), TooMuch> {
        let mut all = words(&self.line.arguments).ok_or(TooMuch)?;
        let steering = self.line.steering.iter().flat_map(|text| words_of(text));
        all.extend(steering);
        let folders = self.folders(&all, budget)?;
        all.extend(self.beside(&folders));
        for word in &all {
            let mut there = false;
            for folder in &folders {
                let found = budget.look(&self.root, folder, &word.text)?;
                there |= found != Found::Nothing;
                self.take(found, word.data);
            }
            if !there && word.tellable {
                self.missing(word);
            }
        }
        Ok(())
    }

    /// Where words are looked for: the folder that it runs in, and those that it names.
    fn folders(&self, words: &[Word], budget: &mut Budget) -> Result<Vec<PathBuf>, TooMuch> {
        let mut folders = vec![self.line.folder.clone()];
        for word in words {
            let found = budget.look(&self.root, &self.line.folder, &word.text)?;
            if let Found::Folder(folder) = found
                && folders.len() < FOLDERS
                && !folders.contains(&folder)
            {
                folders.push(folder);
            }
        }
        Ok(folders)
    }

    fn take(&mut self, found: Found, data: bool) {
        match found {
            // They are trusted as a whole.
            Found::File { name, .. } | Found::LeadsOut { name, .. } if is_settings(&name) => {}
            Found::File { name, .. } if data => {
                self.told.entry(name).or_insert(FileState::NotHeld);
            }
            Found::File { name, digest } => {
                self.told.insert(name.clone(), FileState::Held);
                self.held.insert(name, digest);
            }
            Found::LeadsOut { name, digest, to } => {
                let to = to.to_string_lossy().into_owned();
                self.told.insert(name.clone(), FileState::LeadsOut { to });
                self.held.insert(name, digest);
            }
            Found::Folder(_) | Found::Nothing => {}
        }
    }

    /// Tells of a program that is not there. That it comes is a change, whether it was told or not.
    fn missing(&mut self, word: &Word) {
        let name = word.text.strip_prefix("./").unwrap_or(&word.text);
        if !name.starts_with('/') && !name.split('/').any(|part| part == "..") {
            let folder = self.line.folder.strip_prefix(&self.root).ok();
            let folder = folder.map(|folder| folder.to_string_lossy().into_owned());
            let name = match folder.as_deref() {
                None => return,
                Some("") => format!("./{name}"),
                Some(folder) => format!("./{folder}/{name}"),
            };
            self.told.entry(name).or_insert(FileState::Absent);
        }
    }

    /// Files that are run without being named: those of a module, of a folder, and of a program that runs what a file lists.
    fn beside(&self, folders: &[PathBuf]) -> Vec<Word> {
        let texts: Vec<&str> = self.line.arguments.iter().map(|it| it.text.as_str()).collect();
        let mut names: Vec<String> = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let next = texts.get(index + 1).copied().unwrap_or_default();
            if let Some(module) = if *text == "-m" { Some(next) } else { text.strip_prefix("-m") } {
                names.extend(of_module(module));
            }
        }
        let Some((command, rest)) = texts.split_first() else { return Vec::new() };
        let first = rest.iter().find(|text| !text.starts_with('-')).copied().unwrap_or_default();
        names.extend(run_by(&program(command), first).iter().map(|name| (*name).to_owned()));
        if let Ok(folder) = self.line.folder.join(first).canonicalize()
            && !first.is_empty()
            && folders.contains(&folder)
        {
            names.extend(of_folder(&program(command), &folder, first));
        }
        let word = |text| Word { text, tellable: false, data: false };
        names.into_iter().map(word).collect()
    }
}

/// `python -m a.b`.
fn of_module(module: &str) -> Vec<String> {
    let parts: Vec<&str> = module.split('.').collect();
    let plain = |part: &&str| part.chars().all(|c| c.is_alphanumeric() || c == '_');
    if module.is_empty() || parts.len() > 16 || !parts.iter().all(plain) {
        return Vec::new();
    }
    let mut names = Vec::new();
    for within in ["", "src/"] {
        let path = format!("{within}{}", parts.join("/"));
        names.extend([format!("{path}.py"), format!("{path}/__main__.py")]);
        for length in 1..=parts.len() {
            names.push(format!("{within}{}/__init__.py", parts[..length].join("/")));
        }
    }
    names
}

/// `node FOLDER` and `python FOLDER`.
fn of_folder(program: &str, folder: &Path, written: &str) -> Vec<String> {
    let within = |name: &str| format!("{}/{name}", written.trim_end_matches('/'));
    match program {
        "node" | "nodejs" | "bun" | "deno" | "tsx" | "ts-node" => {
            let mut names = vec![within("package.json"), within("index.js")];
            let package = crate::disk::read(&folder.join("package.json"), PACKAGE).ok();
            let package = package.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
            if let Some(main) = package.as_ref().and_then(|package| package["main"].as_str()) {
                let ended = [main.to_owned(), format!("{main}.js"), format!("{main}/index.js")];
                names.extend(ended.iter().map(|main| within(main)));
            }
            names
        }
        "python" | "pypy" => vec![within("__main__.py")],
        _ => Vec::new(),
    }
}

/// Files that say what a program runs.
fn run_by(program: &str, first: &str) -> &'static [&'static str] {
    match (program, first) {
        ("npm", "run" | "run-script" | "start" | "test" | "restart") => &["package.json"],
        ("yarn" | "pnpm" | "bun", "dlx" | "x" | "exec" | "create") => &[],
        ("yarn" | "pnpm" | "bun", _) => &["package.json"],
        ("make" | "gmake", _) => &["GNUmakefile", "makefile", "Makefile"],
        ("just", _) => &["justfile", "Justfile", ".justfile"],
        ("deno", "task" | "run") => &["deno.json", "deno.jsonc"],
        ("uv", "run") => &["pyproject.toml"],
        ("cargo", "run" | "r") => &["Cargo.toml", "build.rs"],
        ("docker-compose", _) | ("docker", "compose") => {
            &["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"]
        }
        _ => &[],
    }
}

fn is_settings(name: &str) -> bool {
    let name = name.strip_prefix(super::FILE).unwrap_or(name);
    name == PML_FILE || name == MCP_FILE
}

/// What a person is told makes no other server: data comes and goes.
impl PartialEq for Scripts {
    fn eq(&self, other: &Scripts) -> bool {
        (&self.root, &self.line, &self.held) == (&other.root, &other.line, &other.held)
    }
}

/// Arguments may hold keys: only names of files are shown.
impl fmt::Debug for Scripts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.held.keys().map(|name| escape(name))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, FileState, Scripts, launch_of};
    use std::fs;
    use std::path::Path;

    fn scripts(root: &Path, folder: &str, line: &[&str]) -> Scripts {
        let arguments = line.iter().map(|text| ((*text).to_owned(), true));
        let line = launch_of(root.join(folder), arguments, Vec::new());
        Scripts::of(root, line, &mut Budget::default()).unwrap()
    }

    fn held(root: &Path, folder: &str, line: &[&str]) -> Vec<String> {
        scripts(root, folder, line).held.into_keys().collect()
    }

    fn place(files: &[&str]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in files {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), "{ \"main\": \"lib/start.js\" }").unwrap();
        }
        (folder, root)
    }

    #[test]
    fn what_a_line_runs_is_held_wherever_it_says_so() {
        let files = [
            "tools/docs.py",
            "pkg/mod.py",
            "pkg/__init__.py",
            "src/app/__main__.py",
            "web/package.json",
            "web/lib/start.js",
            "package.json",
            "Makefile",
            ".pml.json",
            "notes.db",
        ];
        let (_folder, root) = place(&files);
        for (line, expected) in [
            (&["python3", "./tools/docs.py"][..], &["./tools/docs.py"][..]),
            (&["./tools/docs.py", "--config=.pml.json"], &["./tools/docs.py"]),
            (&["uv", "--directory", "tools", "run", "docs.py"], &["./tools/docs.py"]),
            (&["sh", "-c", "cd tools && exec python docs.py"], &["./tools/docs.py"]),
            (&["python", "-m", "pkg.mod"], &["./pkg/__init__.py", "./pkg/mod.py"]),
            (&["python", "-m", "app"], &["./src/app/__main__.py"]),
            (&["node", "web"], &["./web/lib/start.js", "./web/package.json"]),
            (&["npm", "run", "serve"], &["./package.json"]),
            (&["make", "serve"], &["./Makefile"]),
            (&["npx", "-y", "@scope/server", "."], &[]),
            (&["uvx", "sqlite-server", "--db-path", "notes.db"], &[]),
        ] {
            assert_eq!(held(&root, "", line), expected, "{line:?}");
        }
        assert_eq!(held(&root, "tools", &["python", "docs.py"]), ["./tools/docs.py"]);
    }

    #[test]
    fn what_is_not_there_or_not_held_is_told() {
        let (_folder, root) = place(&["notes.db"]);
        let later = scripts(&root, "", &["python", "./tools/docs.py"]);
        assert_eq!(later.told.get("./tools/docs.py"), Some(&FileState::Absent));
        assert!(later.changed().is_empty());
        fs::create_dir(root.join("tools")).unwrap();
        fs::write(root.join("tools/docs.py"), "evil").unwrap();
        assert_eq!(later.changed(), ["./tools/docs.py"]);
        let data = scripts(&root, "", &["uvx", "server", "--db", "notes.db"]);
        assert_eq!(data.told.get("./notes.db"), Some(&FileState::NotHeld));
    }

    #[test]
    fn a_script_that_changes_is_named_and_one_that_is_gone_is_not() {
        let (_folder, root) = place(&["a.py", "b.py"]);
        let before = scripts(&root, "", &["sh", "-c", "./a.py; ./b.py"]);
        assert!(before.changed().is_empty());
        fs::write(root.join("a.py"), "evil").unwrap();
        fs::remove_file(root.join("b.py")).unwrap();
        assert_eq!(before.changed(), ["./a.py"]);
    }
}
