//! Resolves an import specifier to a file: relative, and inside the workspace.
//!
//! A specifier may leave out the extension, or name a folder with an `index` file, and `./x.js` may
//! mean `x.ts`. The exact name is preferred; then the order of `module_name` decides, which is that
//! of TypeScript and bundlers.
//!
//! Input: an importing file and a specifier. Output: the canonical path and the module's name, or
//! the reason for a refusal. **Invariant:** a path that leaves the workspace, by `..` or through a
//! link, is refused, and the error does not reveal whether the target exists.

use std::cell::Cell;
use std::path::{Component, Path, PathBuf};

use super::error::SourceError;
use super::escape::escaped;
use super::module_name::{self, UnsupportedName};
use super::program::Language;

/// Most missing imports of a program that a similar name is looked up for.
const SUGGESTIONS: usize = 5;

/// The hint for a program that imports anything else.
const ALLOWED_IMPORTS: &str =
    "programs have only `mcp` and relative imports of files in the workspace";
/// A folder that contains one of these names is the root of a workspace.
const MARKERS: [&str; 4] = [".git", ".pml.json", "package.json", "deno.json"];
/// Longest module name, in characters.
const NAME: usize = 1024;

/// The folder that imports may reach, as a canonical path.
#[derive(Debug, Clone)]
pub(super) struct Workspace {
    root: PathBuf,
    /// How many folders were read for the sake of a hint.
    suggestions: Cell<usize>,
}

/// A file inside the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModuleFile {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) language: Language,
}

/// The reason why a specifier cannot be resolved.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ImportRefusal {
    pub(super) reason: &'static str,
    pub(super) hint: Option<String>,
}

impl ImportRefusal {
    fn new(reason: &'static str, hint: impl Into<String>) -> Self {
        Self { reason, hint: Some(hint.into()) }
    }
}

/// Refuses any specifier that is not a relative path. Needs no workspace.
pub(super) fn check_specifier(specifier: &str) -> Result<(), ImportRefusal> {
    let relative = ["./", "../"].iter().any(|start| specifier.starts_with(start))
        || matches!(specifier, "." | "..");
    if !relative {
        return Err(ImportRefusal::new("it is not a relative path", ALLOWED_IMPORTS));
    }
    if specifier.contains(['\\', '\0', '?', '#', '%']) {
        return Err(ImportRefusal::new(
            "it is not a plain path",
            "use `/` between names, and no query, fragment or escapes",
        ));
    }
    Ok(())
}

impl Workspace {
    /// Returns the workspace with this folder as its root.
    pub(super) fn new(folder: &Path) -> Result<Self, SourceError> {
        let fail = |source| SourceError::SourceRead { path: folder.to_owned(), source };
        let root = folder.canonicalize().map_err(fail)?;
        if !root.is_dir() {
            return Err(SourceError::SourceKind {
                path: folder.to_owned(),
                reason: "workspace is not a folder",
                hint: "name the folder that holds the program and its imports".to_owned(),
            });
        }
        Ok(Self { root, suggestions: Cell::new(0) })
    }

    /// Finds the workspace of a file: the nearest folder above it that contains a marker, else its
    /// own folder. The home of the user and what is above it are shared by all programs there: home
    /// is the workspace only of a program that lies directly in it.
    pub(super) fn containing(file: &Path, home: Option<&Path>) -> Result<Self, SourceError> {
        let file = file
            .canonicalize()
            .map_err(|source| SourceError::SourceRead { path: file.to_owned(), source })?;
        let own_folder = file.parent().unwrap_or(&file);
        let home = home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_owned()));
        let around = home.filter(|home| own_folder.starts_with(home));
        let is_own = |folder: &&Path| {
            around.as_ref().is_none_or(|home| folder.starts_with(home) && *folder != home)
        };
        let marked = own_folder
            .ancestors()
            .take_while(is_own)
            .find(|folder| MARKERS.iter().any(|marker| folder.join(marker).exists()));
        Self::new(marked.unwrap_or(own_folder))
    }

    /// Returns the entry file.
    pub(super) fn entry(&self, file: &Path) -> Result<ModuleFile, SourceError> {
        let path = file
            .canonicalize()
            .map_err(|source| SourceError::SourceRead { path: file.to_owned(), source })?;
        let kind = |reason, hint: &str| SourceError::SourceKind {
            path: file.to_owned(),
            reason,
            hint: hint.to_owned(),
        };
        if !path.starts_with(&self.root) {
            return Err(kind(
                "program is outside its workspace",
                "name a workspace that holds the program",
            ));
        }
        match module_name::language(&path) {
            Ok(Language::Json) => {
                Err(kind("JSON is not a program", "import it from a `.ts` or `.js` file"))
            }
            Ok(language) => Ok(self.module_file(path, language)),
            Err(UnsupportedName::Jsx) => Err(kind(UnsupportedName::JSX, UnsupportedName::NO_JSX)),
            Err(UnsupportedName::Other) => Err(kind(
                "only JavaScript and TypeScript can be run",
                "name a file that ends in `.ts`, `.mts`, `.cts`, `.js`, `.mjs` or `.cjs`",
            )),
        }
    }

    /// Resolves a specifier against the importing file, or against the root for a text script.
    pub(super) fn resolve(
        &self,
        importer: Option<&Path>,
        specifier: &str,
    ) -> Result<ModuleFile, ImportRefusal> {
        check_specifier(specifier)?;
        let folder = importer.and_then(Path::parent).unwrap_or(&self.root);
        let wanted = self.join(folder, specifier)?;
        let exact = self.canonical_inside(&wanted)?;
        let names_folder = specifier.ends_with('/') || specifier.ends_with('.');
        let found = match &exact {
            Some(path) if path.is_file() && !specifier.ends_with('/') => Some(path.clone()),
            _ if names_folder => None,
            _ => self.first_file(module_name::meant_files(&wanted))?,
        };
        let found = match (found, &exact) {
            (Some(found), _) => found,
            (None, Some(path)) if path.is_dir() => {
                match self.first_file(module_name::index_files(path))? {
                    Some(index) => index,
                    None => return Err(no_index_file()),
                }
            }
            (None, Some(_)) => return Err(not_a_regular_file()),
            (None, None) => return Err(self.no_such_file(&wanted, specifier)),
        };
        match module_name::language(&found) {
            Ok(Language::Json) if self.is_hidden(folder, &found) => Err(ImportRefusal::new(
                "it is a hidden JSON file",
                "settings and keys are kept in such files: pass what the program needs as `inputs`",
            )),
            Ok(language) => Ok(self.module_file(found, language)),
            Err(UnsupportedName::Jsx) => {
                Err(ImportRefusal::new(UnsupportedName::JSX, UnsupportedName::NO_JSX))
            }
            Err(UnsupportedName::Other) => Err(ImportRefusal::new(
                "it is not JavaScript, TypeScript or JSON",
                "import a file that ends in `.ts`, `.js` or `.json`",
            )),
        }
    }

    /// Reports whether a name on the way from the importing folder, or from the root, to a file
    /// begins with a dot.
    fn is_hidden(&self, folder: &Path, file: &Path) -> bool {
        let way = file.strip_prefix(folder).or_else(|_| file.strip_prefix(&self.root));
        way.unwrap_or(file)
            .components()
            .any(|name| name.as_os_str().as_encoded_bytes().starts_with(b"."))
    }

    /// Returns the first of the candidates that is a file.
    fn first_file(
        &self,
        candidates: impl Iterator<Item = PathBuf>,
    ) -> Result<Option<PathBuf>, ImportRefusal> {
        for candidate in candidates {
            match self.canonical_inside(&candidate)? {
                Some(found) if found.is_file() => return Ok(Some(found)),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Joins a folder and a specifier without reading the disk, so that `..` beyond the root is
    /// refused before any file is looked up.
    fn join(&self, folder: &Path, specifier: &str) -> Result<PathBuf, ImportRefusal> {
        let mut path = folder.to_owned();
        for component in Path::new(specifier).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir if path != self.root => {
                    path.pop();
                }
                Component::Normal(name) => path.push(name),
                _ => return Err(leaves_workspace()),
            }
        }
        Ok(path)
    }

    fn canonical_inside(&self, path: &Path) -> Result<Option<PathBuf>, ImportRefusal> {
        match path.canonicalize() {
            Ok(path) if path.starts_with(&self.root) => Ok(Some(path)),
            Ok(_) => Err(leaves_workspace()),
            // A link may lead out of the workspace. What is there, and what is not, is none of the
            // program's business.
            Err(_) => {
                let mut above = path.ancestors().skip(1);
                let existing = above.find_map(|folder| folder.canonicalize().ok());
                match existing.is_some_and(|folder| folder.starts_with(&self.root)) {
                    true => Ok(None),
                    false => Err(leaves_workspace()),
                }
            }
        }
    }

    /// Returns the refusal of a missing file, with a file of a similar name as its hint.
    fn no_such_file(&self, wanted: &Path, specifier: &str) -> ImportRefusal {
        let reason = "there is no such file";
        let folder = wanted.parent().filter(
            |folder| matches!(self.canonical_inside(folder), Ok(Some(folder)) if folder.is_dir()),
        );
        let name = wanted.file_name().unwrap_or_default().to_string_lossy();
        // Each look reads a folder, and a program may have many wrong imports.
        let looks = self.suggestions.get();
        let folder = folder.filter(|_| looks < SUGGESTIONS);
        self.suggestions.set(looks + usize::from(folder.is_some()));
        let near = folder.and_then(|folder| module_name::nearest_file(folder, &name));
        let start = specifier.rsplit_once('/').map_or(".", |(start, _)| start);
        ImportRefusal { reason, hint: near.map(|near| format!("did you mean `{start}/{near}`?")) }
    }

    fn module_file(&self, path: PathBuf, language: Language) -> ModuleFile {
        let name = self.name(&path);
        ModuleFile { path, name, language }
    }

    fn name(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        let parts: Vec<_> =
            relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        escaped(&parts.join("/"), NAME)
    }
}

fn leaves_workspace() -> ImportRefusal {
    ImportRefusal::new("it leaves the workspace", ALLOWED_IMPORTS)
}

fn no_index_file() -> ImportRefusal {
    ImportRefusal::new("it is a folder without an `index` file", "name a file in it")
}

fn not_a_regular_file() -> ImportRefusal {
    ImportRefusal::new("it is not a regular file", ALLOWED_IMPORTS)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn workspace(files: &[&str]) -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join("root").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let workspace = Workspace::new(&folder.path().join("root")).unwrap();
        (folder, workspace)
    }

    #[test]
    fn relative_paths_resolve_against_the_importer() {
        let (_folder, workspace) = workspace(&["a.ts", "lib/b.ts", "lib/c.mjs", "d.json"]);
        let name = |from: &str, specifier| {
            workspace.resolve(Some(&workspace.root.join(from)), specifier).map(|found| found.name)
        };
        assert_eq!(name("a.ts", "./lib/b.ts").unwrap(), "lib/b.ts");
        assert_eq!(name("lib/b.ts", "./c.mjs").unwrap(), "lib/c.mjs");
        assert_eq!(name("lib/b.ts", "../d.json").unwrap(), "d.json");
        assert_eq!(name("lib/b.ts", "../lib/../a.ts").unwrap(), "a.ts");
        assert_eq!(workspace.resolve(None, "./a.ts").unwrap().name, "a.ts");
        assert_eq!(name("a.ts", "./lib/b.js").unwrap(), "lib/b.ts", "TypeScript habit");
    }

    #[test]
    fn names_are_completed_as_typescript_and_bundlers_do() {
        let (_folder, workspace) = workspace(&[
            "a.ts",
            "a.js",
            "b.mts",
            "c.cts",
            "d.cjs",
            "e.json",
            "e.test.ts",
            "lib.ts",
            "lib/index.ts",
            "lib/part.ts",
            "old/index.js",
            "deep/er/x.ts",
            "deep/index.mjs",
        ]);
        let resolved = |from: &str, specifier: &str| {
            let found = workspace.resolve(Some(&workspace.root.join(from)), specifier);
            found.unwrap_or_else(|error| panic!("{specifier}: {error:?}")).name
        };
        for (specifier, name) in [
            ("./a", "a.ts"),
            ("./a.js", "a.js"),
            ("./b", "b.mts"),
            ("./b.mjs", "b.mts"),
            ("./c", "c.cts"),
            ("./c.cjs", "c.cts"),
            ("./d", "d.cjs"),
            ("./e", "e.json"),
            ("./e.test", "e.test.ts"),
            ("./lib", "lib.ts"),
            ("./lib/", "lib/index.ts"),
            ("./lib/part", "lib/part.ts"),
            ("./lib/part.js", "lib/part.ts"),
            ("./old", "old/index.js"),
            ("./deep", "deep/index.mjs"),
        ] {
            assert_eq!(resolved("main.ts", specifier), name, "{specifier}");
        }
        assert_eq!(resolved("deep/er/x.ts", ".."), "deep/index.mjs");
        assert_eq!(resolved("lib/part.ts", "."), "lib/index.ts");
    }

    #[test]
    fn wrong_names_get_a_hint_with_the_right_one() {
        let (_folder, workspace) = workspace(&["lib/part.ts", "y.tsx", "w", "empty/x.txt"]);
        let refused = |specifier| workspace.resolve(None, specifier).unwrap_err();
        for (specifier, hint) in [
            ("./lib/prat.ts", "did you mean `./lib/part.ts`?"),
            ("./lib/prat", "did you mean `./lib/part.ts`?"),
            ("./lib/part.tss", "did you mean `./lib/part.ts`?"),
        ] {
            let refusal = refused(specifier);
            assert_eq!(refusal.reason, "there is no such file", "{specifier}");
            assert_eq!(refusal.hint.as_deref(), Some(hint), "{specifier}");
        }
        for specifier in ["./nope.ts", "./no/part.ts"] {
            let refusal = ImportRefusal { reason: "there is no such file", hint: None };
            assert_eq!(refused(specifier), refusal, "{specifier}");
        }
        assert_eq!(refused("./y.tsx").reason, "JSX files cannot be run");
        assert_eq!(refused("./y").reason, "JSX files cannot be run");
        assert_eq!(refused("./w").reason, "it is not JavaScript, TypeScript or JSON");
        assert_eq!(refused("./empty").reason, "it is a folder without an `index` file");
    }

    #[test]
    fn bare_and_absolute_specifiers_are_refused() {
        for specifier in [
            "fs",
            "node:fs",
            "npm:x",
            "jsr:@a/b",
            "https://x.org/a.js",
            "/etc/passwd",
            "file:///a.js",
            "",
            "...",
        ] {
            let refused = check_specifier(specifier).unwrap_err();
            assert_eq!(refused.reason, "it is not a relative path", "{specifier}");
            assert_eq!(refused.hint.as_deref(), Some(ALLOWED_IMPORTS));
        }
        assert!(check_specifier("./a\\..\\b.ts").is_err());
    }

    #[test]
    fn nothing_outside_the_workspace_is_reached() {
        let (folder, workspace) = workspace(&["a.ts", "lib/b.ts"]);
        fs::write(folder.path().join("secret.ts"), "").unwrap();
        for specifier in [
            "../secret.ts",
            "../secret",
            "./lib/../../secret.ts",
            "../absent.ts",
            "../root/a.ts",
            "..",
            "../",
        ] {
            assert_eq!(
                workspace.resolve(None, specifier).unwrap_err(),
                leaves_workspace(),
                "{specifier}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_workspace_are_refused() {
        use std::os::unix::fs::symlink;
        let (folder, workspace) = workspace(&["a.ts"]);
        fs::write(folder.path().join("secret.ts"), "").unwrap();
        symlink(folder.path().join("secret.ts"), workspace.root.join("link.ts")).unwrap();
        symlink(folder.path().join("secret.ts"), workspace.root.join("hidden.ts")).unwrap();
        symlink(folder.path(), workspace.root.join("up")).unwrap();
        symlink(workspace.root.join("a.ts"), workspace.root.join("inner.ts")).unwrap();
        assert_eq!(workspace.resolve(None, "./link.ts").unwrap_err(), leaves_workspace());
        for specifier in
            ["./up/secret.ts", "./up/secret", "./hidden", "./hidden.js", "./up", "./up/"]
        {
            assert_eq!(
                workspace.resolve(None, specifier).unwrap_err(),
                leaves_workspace(),
                "{specifier}"
            );
        }
        let refused = workspace.resolve(None, "./up/secrte.ts").unwrap_err();
        assert_eq!(refused, leaves_workspace(), "names outside are not suggested");
        assert_eq!(workspace.resolve(None, "./inner.ts").unwrap().name, "a.ts");
    }

    #[test]
    fn workspace_of_a_file_is_the_nearest_marked_folder() {
        let (_folder, outer) = workspace(&["package.json", "deep/er/a.ts"]);
        let found = Workspace::containing(&outer.root.join("deep/er/a.ts"), None).unwrap();
        assert_eq!(found.root, outer.root);
        assert_eq!(found.entry(&outer.root.join("deep/er/a.ts")).unwrap().name, "deep/er/a.ts");
    }

    #[test]
    fn home_is_the_workspace_only_of_a_program_directly_in_it() {
        let files = [
            "package.json",
            "home/package.json",
            "home/a.ts",
            "home/scripts/deep/a.ts",
            "home/project/deno.json",
            "home/project/deep/a.ts",
            "other/a.ts",
        ];
        let (_folder, top) = workspace(&files);
        let home = top.root.join("home");
        for (file, wanted) in [
            ("home/a.ts", "home"),
            ("home/scripts/deep/a.ts", "home/scripts/deep"),
            ("home/project/deep/a.ts", "home/project"),
            ("other/a.ts", ""),
        ] {
            let found = Workspace::containing(&top.root.join(file), Some(&home)).unwrap();
            assert_eq!(found.root, top.root.join(wanted), "{file}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_behind_a_link_out_of_the_workspace_is_not_told() {
        let (outside, inside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(outside.path().join("there.ts"), "").unwrap();
        std::os::unix::fs::symlink(outside.path(), inside.path().join("out")).unwrap();
        let workspace = Workspace::new(inside.path()).unwrap();
        for name in ["./out/there.ts", "./out/there", "./out/absent.ts", "./out/no/such/folder"] {
            let refusal = workspace.resolve(None, name).unwrap_err();
            assert_eq!(refusal.reason, "it leaves the workspace", "{name}");
        }
    }

    #[test]
    fn hidden_json_files_are_not_data_for_programs() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(".pml/library")).unwrap();
        for name in [".mcp.json", ".pml/servers.json", ".pml/library/data.json", "data.json"] {
            std::fs::write(folder.path().join(name), "{}").unwrap();
        }
        let workspace = Workspace::new(folder.path()).unwrap();
        for name in ["./.mcp.json", "./.mcp", "./.pml/servers.json"] {
            let refusal = workspace.resolve(None, name).unwrap_err();
            assert_eq!(refusal.reason, "it is a hidden JSON file", "{name}");
        }
        assert!(workspace.resolve(None, "./data.json").is_ok());
        // A program in such a folder has its own files there.
        let importer = folder.path().canonicalize().unwrap().join(".pml/library/main.ts");
        assert!(workspace.resolve(Some(&importer), "./data.json").is_ok());
        assert!(workspace.resolve(Some(&importer), "../servers.json").is_err());
    }

    #[test]
    fn similar_names_are_looked_up_for_a_few_imports_only() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("report.ts"), "").unwrap();
        let workspace = Workspace::new(folder.path()).unwrap();
        let hints: Vec<_> =
            (0..9).map(|_| workspace.resolve(None, "./reprot.ts").unwrap_err().hint).collect();
        assert_eq!(hints.iter().flatten().count(), SUGGESTIONS);
    }
}
