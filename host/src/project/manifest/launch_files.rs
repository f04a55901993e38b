//! The files of a project that the launch line of one server names.
//!
//! Input: a launch line. Output: the digests of the files that it names. The scan can be repeated
//! before the server is started.

use super::words::{LaunchArgument, LaunchWord, words, words_of};
use crate::config::PinnedFileCheck;
use crate::model::{digest, escape};
use crate::project::manifest::implicit_files::{
    NAMING, assigned_variables, implicit_files, module_files, modules,
};
use crate::project::manifest::word_target::{ScanBudget, ScanLimitExceeded, WordTarget, real_path};
use crate::project::parts::DeclaredFileState;
use crate::project::{MCP_FILE, PML_FILE};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// Maximum number of folders that a launch line may name and that are searched for its words. A
/// server with more cannot be used.
const MAX_FOLDERS: usize = 64;

/// Maximum size of a file that names other files which are loaded with it.
const MAX_SETTINGS: u64 = 1 << 16;

/// Files that Python loads first from the folders of `PYTHONPATH`.
const PYTHON_STARTUP_FILES: &[&str] = &[
    "sitecustomize.py",
    "sitecustomize/__init__.py",
    "usercustomize.py",
    "usercustomize/__init__.py",
];

/// Maximum size of a `package.json` whose `main` is read.
const MAX_PACKAGE_JSON: u64 = 1 << 20;

/// A launch line with the variables of the process expanded.
#[derive(Clone, Default, PartialEq, Eq)]
pub(in crate::project) struct LaunchLine {
    /// The folder in which it runs.
    folder: PathBuf,
    /// The command and its arguments.
    arguments: Vec<LaunchArgument>,
    /// Variables that control what is loaded, with their values.
    steering: Vec<(String, String)>,
}

/// Returns a launch line. Each argument comes with whether the settings have it literally.
pub(in crate::project) fn launch_line(
    folder: PathBuf,
    arguments: impl Iterator<Item = (String, bool)>,
    steering: Vec<(String, String)>,
) -> LaunchLine {
    let arguments = arguments.map(|(text, plain)| LaunchArgument { text, plain }).collect();
    LaunchLine { folder, arguments, steering }
}

/// The files that a server's launch line names, with their state when the project was read.
#[derive(Clone, Default)]
pub(crate) struct LaunchFiles {
    root: PathBuf,
    line: LaunchLine,
    /// The digest of each file, by name.
    digests: BTreeMap<String, String>,
    /// The sha256 of the content of each file, by name.
    contents: BTreeMap<String, String>,
    /// The state of each file, as it is shown to a person.
    states: BTreeMap<String, DeclaredFileState>,
}

impl LaunchFiles {
    /// Scans the files that a launch line names. The error says that there are too many.
    pub(in crate::project) fn of(
        root: &Path,
        line: LaunchLine,
        budget: &mut ScanBudget,
    ) -> Result<LaunchFiles, String> {
        let mut files = LaunchFiles { root: root.into(), line, ..LaunchFiles::default() };
        files.scan(budget).map_err(|ScanLimitExceeded| ScanLimitExceeded::reason())?;
        Ok(files)
    }

    /// Returns the digest of each file, by name.
    pub(in crate::project) fn digests(&self) -> &BTreeMap<String, String> {
        &self.digests
    }

    /// Returns the state of each file, by name, as it is shown to a person.
    pub(in crate::project) fn states(&self) -> &BTreeMap<String, DeclaredFileState> {
        &self.states
    }

    fn scan(&mut self, budget: &mut ScanBudget) -> Result<(), ScanLimitExceeded> {
        let read = words(&self.line.arguments).ok_or(ScanLimitExceeded)?;
        let (mut all, commands) = (read.found, read.commands);
        let mut steering = self.line.steering.clone();
        steering.extend(assigned_variables(&commands));
        all.extend(steering.iter().flat_map(|(_, value)| words_of(value)));
        let folders = self.folders(&all, budget)?;
        self.add_load_folders(&steering, &folders, budget)?;
        for word in &all {
            let mut exists = false;
            for folder in &folders {
                let found = budget.resolve_word(&self.root, folder, &word.text)?;
                exists |= found != WordTarget::Nothing;
                self.add_target(found, word.data);
            }
            if !exists && word.showable {
                self.add_absent(word);
            }
        }
        let is = |known: &str| steering.iter().any(|(name, _)| name.eq_ignore_ascii_case(known));
        let mut names = implicit_files(&commands);
        if is("PYTHONPATH") {
            names.extend(PYTHON_STARTUP_FILES.iter().map(|name| (*name).to_owned()));
        }
        self.add_implicit_files(&names, &folders, budget)?;
        for module in modules(&commands, &all, is("NODE_OPTIONS")) {
            self.add_module_files(module, &folders, budget)?;
        }
        for text in read.unresolved {
            self.states.entry(text).or_insert(DeclaredFileState::Unresolved);
        }
        Ok(())
    }

    /// Returns the folders that are searched for words: the working folder, the folders that the
    /// line names, and those that it names relative to these.
    fn folders(
        &mut self,
        words: &[LaunchWord],
        budget: &mut ScanBudget,
    ) -> Result<Vec<PathBuf>, ScanLimitExceeded> {
        if let Some(folder) = self.line.folder.to_str() {
            let found = budget.resolve_word(&self.root, &self.root, folder)?;
            self.add_target(found, false);
        }
        let mut folders = vec![self.line.folder.clone()];
        let mut next = 0;
        while let Some(from) = folders.get(next).cloned() {
            for word in words {
                if let WordTarget::Folder(folder) =
                    budget.resolve_word(&self.root, &from, &word.text)?
                    && !folders.contains(&folder)
                {
                    folders.push(folder);
                }
            }
            if folders.len() > MAX_FOLDERS {
                return Err(ScanLimitExceeded);
            }
            next += 1;
        }
        Ok(folders)
    }

    /// Adds the folders from which variables make programs load files.
    fn add_load_folders(
        &mut self,
        steering: &[(String, String)],
        folders: &[PathBuf],
        budget: &mut ScanBudget,
    ) -> Result<(), ScanLimitExceeded> {
        for word in steering.iter().flat_map(|(_, value)| words_of(value)) {
            for folder in folders {
                if let WordTarget::Folder(found) =
                    budget.resolve_word(&self.root, folder, &word.text)?
                {
                    let own = found.strip_prefix(&self.root).unwrap_or(&found);
                    let name = format!("{}{}", super::FILE, own.to_string_lossy());
                    self.states.entry(name).or_insert(DeclaredFileState::LoadFolder);
                }
            }
        }
        Ok(())
    }

    /// Adds files that are run without being named. Programs also look for theirs in the parent
    /// folders.
    fn add_implicit_files(
        &mut self,
        names: &BTreeSet<String>,
        folders: &[PathBuf],
        budget: &mut ScanBudget,
    ) -> Result<(), ScanLimitExceeded> {
        let root = self.root.clone();
        let searched = folders.iter().flat_map(|folder| folder.ancestors());
        let searched = searched.filter(|folder| folder.starts_with(&root));
        let mut searched: Vec<_> = searched.map(Path::to_path_buf).collect();
        searched.extend_from_slice(folders);
        let searched: BTreeSet<_> = searched.into_iter().collect();
        for folder in &searched {
            for name in names {
                let found = budget.resolve_word(&self.root, folder, name)?;
                if NAMING.contains(&name.as_str()) && matches!(found, WordTarget::File { .. }) {
                    let bytes =
                        crate::disk::read(&folder.join(name), MAX_SETTINGS).unwrap_or_default();
                    for word in words_of(&String::from_utf8_lossy(&bytes)) {
                        let named = budget.resolve_word(&self.root, folder, &word.text)?;
                        self.add_target(named, false);
                    }
                }
                self.add_target(found, false);
            }
        }
        Ok(())
    }

    /// Adds the files in which Node.js may find a module.
    fn add_module_files(
        &mut self,
        module: &str,
        folders: &[PathBuf],
        budget: &mut ScanBudget,
    ) -> Result<(), ScanLimitExceeded> {
        for folder in folders {
            for name in module_files(module) {
                let found = budget.resolve_word(&self.root, folder, &name)?;
                self.add_target(found, false);
            }
            let WordTarget::Folder(inner) = budget.resolve_word(&self.root, folder, module)? else {
                continue;
            };
            let package = crate::disk::read(&inner.join("package.json"), MAX_PACKAGE_JSON).ok();
            let package = package.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
            let main = package.as_ref().and_then(|package| package["main"].as_str());
            for name in
                main.into_iter().flat_map(|main| module_files(main).chain([main.to_owned()]))
            {
                let found = budget.resolve_word(&self.root, &inner, &name)?;
                self.add_target(found, false);
            }
        }
        Ok(())
    }

    fn add_target(&mut self, found: WordTarget, data: bool) {
        match found {
            // Settings files are trusted as a whole.
            WordTarget::File { name, .. } | WordTarget::LinksOutside { name, .. }
                if is_settings(&name) => {}
            WordTarget::File { name, .. } if data => {
                self.states.entry(name).or_insert(DeclaredFileState::Data);
            }
            WordTarget::File { name, digest, content } => {
                self.states.insert(name.clone(), DeclaredFileState::Pinned);
                self.contents.insert(name.clone(), content);
                self.digests.insert(name, digest);
            }
            WordTarget::LinksOutside { name, digest, to } => {
                let to = to.to_string_lossy().into_owned();
                self.states.insert(name.clone(), DeclaredFileState::LinksOutside { to });
                self.digests.insert(name, digest);
            }
            WordTarget::Folder(_) | WordTarget::Nothing => {}
        }
    }

    /// Adds a program that is no file of the project: it does not exist, or it is outside. Its
    /// appearance in the project counts as a change in any case.
    fn add_absent(&mut self, word: &LaunchWord) {
        let path = real_path(&self.line.folder.join(&word.text));
        match path.strip_prefix(&self.root) {
            Ok(own) => {
                let name = format!("{}{}", super::FILE, own.to_string_lossy());
                self.states.entry(name).or_insert(DeclaredFileState::Absent);
            }
            Err(_) if path.is_file() => {
                let name = path.to_string_lossy().into_owned();
                self.states.entry(name).or_insert(DeclaredFileState::Outside);
            }
            Err(_) => {}
        }
    }
}

fn is_settings(name: &str) -> bool {
    let name = name.strip_prefix(super::FILE).unwrap_or(name);
    name == PML_FILE || name == MCP_FILE
}

impl PinnedFileCheck for LaunchFiles {
    /// Returns the names of the files that have changed or appeared. A file that was removed cannot
    /// be run.
    fn changed(&self) -> Vec<String> {
        if self.root.as_os_str().is_empty() {
            return Vec::new();
        }
        let mut now = LaunchFiles {
            root: self.root.clone(),
            line: self.line.clone(),
            ..LaunchFiles::default()
        };
        match now.scan(&mut ScanBudget::default()) {
            Ok(()) => {
                let known =
                    |(name, digest): &(String, String)| self.digests.get(name) == Some(digest);
                let changed = now.digests.into_iter().filter(|part| !known(part));
                changed.map(|(name, _)| name).collect()
            }
            Err(ScanLimitExceeded) => self.digests.keys().cloned().collect(),
        }
    }

    /// The states for people are excluded, because data files come and go without changing the
    /// server.
    fn digest(&self) -> String {
        let arguments = self.line.arguments.iter();
        let arguments: Vec<_> = arguments.map(|one| (&one.text, one.plain)).collect();
        let line = (&self.line.folder, arguments, &self.line.steering);
        digest(&json!([self.root, line, self.digests]))
    }

    fn contents(&self) -> BTreeMap<String, String> {
        self.contents.clone()
    }
}

/// Shows only the names of files, because arguments may contain keys.
impl fmt::Debug for LaunchFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.digests.keys().map(|name| escape(name))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{DeclaredFileState, LaunchFiles, PinnedFileCheck, ScanBudget, launch_line};
    use std::fs;
    use std::path::Path;

    fn launch_files(root: &Path, folder: &str, line: &[&str]) -> LaunchFiles {
        let arguments = line.iter().map(|text| ((*text).to_owned(), true));
        let line = launch_line(root.join(folder), arguments, Vec::new());
        LaunchFiles::of(root, line, &mut ScanBudget::default()).unwrap()
    }

    fn pinned(root: &Path, folder: &str, line: &[&str]) -> Vec<String> {
        launch_files(root, folder, line).digests.into_keys().collect()
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
            "my-mod.py",
            "tools/__main__.py",
            "tools/server.js",
            "pre.js",
            "a/b/x.py",
            "node_modules/.bin/srv",
            "web/sub/keep",
        ];
        let (_folder, root) = place(&files);
        const WEB: &[&str] = &["./web/lib/start.js", "./web/package.json"];
        for (line, expected) in [
            (&["python3", "./tools/docs.py"][..], &["./tools/docs.py"][..]),
            (&["./tools/docs.py", "--config=.pml.json"], &["./tools/docs.py"]),
            (&["uv", "--directory", "tools", "run", "docs.py"], &["./tools/docs.py"]),
            (&["sh", "-c", "cd tools && exec python docs.py"], &["./tools/docs.py"]),
            (&["python", "-m", "pkg.mod"], &["./pkg/__init__.py", "./pkg/mod.py"]),
            (&["python", "-m", "app"], &["./src/app/__main__.py"]),
            (&["node", "web"], WEB),
            (&["env", "node", "web"], WEB),
            (&["sh", "-c", "exec node web"], WEB),
            (&["node", "--require", "./nothing.js", "web"], WEB),
            (&["node", "tools/server"], &["./tools/server.js"]),
            (&["node", "--require", "./pre", "-"], &["./pre.js"]),
            (&["node", "-e", "require(\"./tools/server\")"], &["./tools/server.js"]),
            (&["node", "-e", "const x = require('./tools/server')"], &["./tools/server.js"]),
            (&["sh", "-c", "make -s serve"], &["./Makefile"]),
            (&["bash", "-lc", "exec make serve -s"], &["./Makefile"]),
            (&["timeout", "50", "make", "-s", "serve"], &["./Makefile"]),
            (&["sh", "-c", "npm -s run serve"], &["./package.json"]),
            (&["env", "npm", "-s", "run", "serve"], &["./package.json"]),
            (&["sh", "-c", "cd web && npm -s start"], &["./package.json", "./web/package.json"]),
            (&["npm", "--prefix", "web", "run", "x"], &["./package.json", "./web/package.json"]),
            (&["sh", "-c", "python3 -m pkg.mod"], &["./pkg/__init__.py", "./pkg/mod.py"]),
            (&["python3", "-um", "pkg.mod"], &["./pkg/__init__.py", "./pkg/mod.py"]),
            (&["python3", "-m", "my-mod"], &["./my-mod.py"]),
            (&["env", "python3", "tools"], &["./tools/__main__.py"]),
            (&["sh", "-c", "npx srv"], &["./node_modules/.bin/srv"]),
            (&["npx", "srv@1.2"], &["./node_modules/.bin/srv"]),
            (&["sh", "-c", "cd a && cd b && python x.py"], &["./a/b/x.py"]),
            (&["sh", "-c", "exec python3 \"$PWD/tools/docs.py\""], &["./tools/docs.py"]),
            (&["sh", "-c", "./to\"ol\"s/docs.py"], &["./tools/docs.py"]),
            (&["npm", "run", "serve"], &["./package.json"]),
            (&["make", "serve"], &["./Makefile"]),
            (&["npx", "-y", "@scope/server", "."], &[]),
            (&["uvx", "sqlite-server", "--db-path", "notes.db"], &[]),
        ] {
            assert_eq!(pinned(&root, "", line), expected, "{line:?}");
        }
        assert_eq!(pinned(&root, "tools", &["python", "docs.py"]), ["./tools/docs.py"]);
    }

    #[test]
    fn what_is_not_there_or_not_held_is_told() {
        let (_folder, root) = place(&["notes.db"]);
        let later = launch_files(&root, "", &["python", "./tools/docs.py"]);
        assert_eq!(later.states.get("./tools/docs.py"), Some(&DeclaredFileState::Absent));
        assert!(later.changed().is_empty());
        fs::create_dir(root.join("tools")).unwrap();
        fs::write(root.join("tools/docs.py"), "evil").unwrap();
        assert_eq!(later.changed(), ["./tools/docs.py"]);
        let data = launch_files(&root, "", &["uvx", "server", "--db", "notes.db"]);
        assert_eq!(data.states.get("./notes.db"), Some(&DeclaredFileState::Data));
    }

    #[test]
    fn a_file_outside_is_no_file_of_the_project_however_it_is_named() {
        let (_folder, root) = place(&["project/own.py", "shop.py"]);
        let (project, shop) = (root.join("project"), root.join("shop.py"));
        let shop = shop.to_str().unwrap();
        for line in [
            &["python3", shop][..],
            &["python3", "../shop.py"],
            &["sh", "-c", &format!("exec python3 {shop}")],
            &["server", &format!("--script={shop}")],
        ] {
            let states = launch_files(&project, "", line).states;
            let states: Vec<_> =
                states.iter().map(|(name, state)| (name.as_str(), state)).collect();
            assert_eq!(states, [(shop, &DeclaredFileState::Outside)], "{line:?}");
            assert!(pinned(&project, "", line).is_empty(), "{line:?}");
        }
        // By its full path, a file of the project is one, also before it exists.
        let own = project.join("own.py");
        assert_eq!(pinned(&project, "", &["python3", own.to_str().unwrap()]), ["./own.py"]);
        let later = project.join("later.py");
        let later = launch_files(&project, "", &["python3", later.to_str().unwrap()]).states;
        assert_eq!(later.keys().collect::<Vec<_>>(), ["./later.py"]);
        let url = launch_files(&project, "", &["server", "https://x.example/a.js"]).states;
        assert!(url.is_empty(), "{url:?}");
    }

    #[test]
    fn a_script_that_changes_is_named_and_one_that_is_gone_is_not() {
        let (_folder, root) = place(&["a.py", "b.py"]);
        let before = launch_files(&root, "", &["sh", "-c", "./a.py; ./b.py"]);
        assert!(before.changed().is_empty());
        fs::write(root.join("a.py"), "evil").unwrap();
        fs::remove_file(root.join("b.py")).unwrap();
        assert_eq!(before.changed(), ["./a.py"]);
    }
    #[cfg(unix)]
    #[test]
    fn folders_are_held_to_where_they_lead_and_too_many_are_refused() {
        let (_folder, root) = place(&["d/x.py"]);
        let (_other, outside) = place(&["x.py"]);
        std::os::unix::fs::symlink(&outside, root.join("out")).unwrap();
        let line = &["sh", "-c", "cd out && python x.py"][..];
        assert_eq!(pinned(&root, "", line), ["./out"]);
        assert!(pinned(&root, "out", &["server"]).contains(&"./out".to_owned()));
        let before = launch_files(&root, "", line);
        fs::remove_file(root.join("out")).unwrap();
        std::os::unix::fs::symlink("d", root.join("out")).unwrap();
        assert_eq!(before.changed(), ["./d/x.py"]);
        // Folders beyond the limit are not ignored.
        let names: Vec<String> = (0..70).map(|n| format!("f{n}")).collect();
        names.iter().for_each(|name| fs::create_dir(root.join(name)).unwrap());
        let named = |count: usize| {
            let arguments = names[..count].iter().map(|name| (name.clone(), true));
            let line = launch_line(root.clone(), arguments, Vec::new());
            LaunchFiles::of(&root, line, &mut ScanBudget::default())
        };
        assert!(named(20).is_ok());
        assert!(named(70).is_err());
    }

    #[test]
    fn what_variables_have_loaded_is_held_or_told() {
        let (_folder, root) = place(&["lib/a.py", "pre.js", "bin/server", ".npmrc"]);
        let with = |name: &str, value: &str| {
            let steering = vec![(name.to_owned(), value.to_owned())];
            let line =
                launch_line(root.clone(), [("server".to_owned(), true)].into_iter(), steering);
            LaunchFiles::of(&root, line, &mut ScanBudget::default()).unwrap()
        };
        let python = with("PYTHONPATH", "lib:/usr/lib");
        assert_eq!(python.states.get("./lib"), Some(&DeclaredFileState::LoadFolder));
        fs::write(root.join("lib/usercustomize.py"), "").unwrap();
        assert_eq!(python.changed(), ["./lib/usercustomize.py"]);
        assert!(with("NODE_OPTIONS", "--require ./pre").digests.contains_key("./pre.js"));
        assert!(with("PATH", "bin:/usr/bin").digests.contains_key("./bin/server"));
        // A file that names others is pinned together with them.
        fs::write(root.join(".npmrc"), "node-options=--require ./pre.js").unwrap();
        assert_eq!(pinned(&root, "", &["npx", "-y", "x"]), ["./.npmrc", "./pre.js"]);
    }
}
