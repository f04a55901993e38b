//! Resolves an import specifier to a file: relative, inside the workspace, and with its full name.
//!
//! Input: an importing file and a specifier. Output: the canonical path and the module's name, or
//! the reason for a refusal. **Invariant:** a path that leaves the workspace, by `..` or through a
//! link, is refused, and the error does not reveal whether the target exists.

use std::path::{Component, Path, PathBuf};

use super::error::SourceError;
use super::escape::escaped;
use super::program::Language;

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
    let relative = ["./", "../"].iter().any(|start| specifier.starts_with(start));
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
                hint: "name the folder that holds the program and its imports",
            });
        }
        Ok(Self { root })
    }

    /// Finds the workspace of a file: the nearest folder above it that contains a marker, else its
    /// own folder.
    pub(super) fn containing(file: &Path) -> Result<Self, SourceError> {
        let file = file
            .canonicalize()
            .map_err(|source| SourceError::SourceRead { path: file.to_owned(), source })?;
        let own_folder = file.parent().unwrap_or(&file);
        let marked = own_folder
            .ancestors()
            .find(|folder| MARKERS.iter().any(|marker| folder.join(marker).exists()));
        Self::new(marked.unwrap_or(own_folder))
    }

    /// Returns the entry file.
    pub(super) fn entry(&self, file: &Path) -> Result<ModuleFile, SourceError> {
        let path = file
            .canonicalize()
            .map_err(|source| SourceError::SourceRead { path: file.to_owned(), source })?;
        let kind = |reason, hint| SourceError::SourceKind { path: file.to_owned(), reason, hint };
        if !path.starts_with(&self.root) {
            return Err(kind(
                "program is outside its workspace",
                "name a workspace that holds the program",
            ));
        }
        match language(&path) {
            Ok(Language::Json) => {
                Err(kind("JSON is not a program", "import it from a `.ts` or `.js` file"))
            }
            Ok(language) => Ok(self.module_file(path, language)),
            Err((reason, hint)) => Err(kind(reason, hint)),
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
        let found = match self.canonical_inside(&wanted)? {
            Some(path) => path,
            None => match self.canonical_inside(&typescript_twin(&wanted))? {
                Some(path) => path,
                None => return Err(self.no_such_file(&wanted)),
            },
        };
        if !found.is_file() {
            return Err(self.not_a_file(&wanted, &found));
        }
        match language(&found) {
            Ok(language) => Ok(self.module_file(found, language)),
            Err((reason, hint)) => Err(ImportRefusal::new(reason, hint)),
        }
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
            Err(_) => Ok(None),
        }
    }

    fn no_such_file(&self, wanted: &Path) -> ImportRefusal {
        let stem = wanted.file_stem().map(|stem| wanted.with_file_name(stem));
        let name = wanted.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut candidates = Vec::new();
        for extension in ["ts", "js", "mts", "mjs", "json"] {
            candidates.push(wanted.with_file_name(format!("{name}.{extension}")));
            candidates.extend(stem.as_ref().map(|stem| stem.with_extension(extension)));
        }
        let found = candidates
            .iter()
            .find(|path| matches!(self.canonical_inside(path), Ok(Some(found)) if found.is_file()));
        ImportRefusal {
            reason: "there is no such file",
            hint: found.map(|path| format!("write the whole name: `{}`", self.name(path))),
        }
    }

    fn not_a_file(&self, wanted: &Path, found: &Path) -> ImportRefusal {
        let index = ["index.ts", "index.js"]
            .iter()
            .map(|name| found.join(name))
            .find(|path| path.is_file());
        match index {
            Some(path) => ImportRefusal::new(
                "it is a folder",
                format!("write the whole name: `{}`", self.name(&path)),
            ),
            None if found.is_dir() => self.no_such_file(wanted),
            None => ImportRefusal::new("it is not a regular file", ALLOWED_IMPORTS),
        }
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

/// Returns the TypeScript file that a specifier may mean: TypeScript programs often import `./x.js`
/// for a file `./x.ts` on disk.
fn typescript_twin(path: &Path) -> PathBuf {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("js") => path.with_extension("ts"),
        Some("mjs") => path.with_extension("mts"),
        _ => path.to_owned(),
    }
}

fn language(path: &Path) -> Result<Language, (&'static str, &'static str)> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("ts" | "mts") => Ok(Language::TypeScript),
        Some("js" | "mjs") => Ok(Language::JavaScript),
        Some("json") => Ok(Language::Json),
        Some("tsx" | "jsx") => {
            Err(("JSX files cannot be run", "programs have no JSX: use a `.ts` or `.js` file"))
        }
        Some("cts" | "cjs") => Err((
            "CommonJS files cannot be run",
            "use `import` and `export` in a `.ts` or `.js` file",
        )),
        _ => Err((
            "file is not a program",
            "use a file that ends in `.ts`, `.mts`, `.js`, `.mjs` or `.json`",
        )),
    }
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
    fn wrong_names_get_a_hint_with_the_right_one() {
        let (_folder, workspace) = workspace(&["x.ts", "lib/index.ts", "y.tsx", "z.cjs", "w"]);
        let refused = |specifier| workspace.resolve(None, specifier).unwrap_err();
        assert_eq!(refused("./x").hint.unwrap(), "write the whole name: `x.ts`");
        assert_eq!(refused("./x.mjs").hint.unwrap(), "write the whole name: `x.ts`");
        assert_eq!(refused("./lib").hint.unwrap(), "write the whole name: `lib/index.ts`");
        assert_eq!(
            refused("./nope.ts"),
            ImportRefusal { reason: "there is no such file", hint: None }
        );
        assert_eq!(refused("./y.tsx").reason, "JSX files cannot be run");
        assert_eq!(refused("./z.cjs").reason, "CommonJS files cannot be run");
        assert_eq!(refused("./w").reason, "file is not a program");
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
            ".",
            "..",
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
        for specifier in ["../secret.ts", "./lib/../../secret.ts", "../absent.ts", "../root/a.ts"] {
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
        symlink(folder.path(), workspace.root.join("up")).unwrap();
        symlink(workspace.root.join("a.ts"), workspace.root.join("inner.ts")).unwrap();
        assert_eq!(workspace.resolve(None, "./link.ts").unwrap_err(), leaves_workspace());
        assert_eq!(workspace.resolve(None, "./up/secret.ts").unwrap_err(), leaves_workspace());
        assert_eq!(workspace.resolve(None, "./inner.ts").unwrap().name, "a.ts");
    }

    #[test]
    fn workspace_of_a_file_is_the_nearest_marked_folder() {
        let (_folder, outer) = workspace(&["package.json", "deep/er/a.ts"]);
        let found = Workspace::containing(&outer.root.join("deep/er/a.ts")).unwrap();
        assert_eq!(found.root, outer.root);
        assert_eq!(found.entry(&outer.root.join("deep/er/a.ts")).unwrap().name, "deep/er/a.ts");
    }
}
