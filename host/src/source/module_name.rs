//! What the name of a file says about it: its language, and the files that a name without an
//! extension may mean.
//!
//! Input: paths. Output: a [`Language`], candidate paths in the order in which they are tried, or
//! the nearest name in a folder. **Invariant:** only `nearest_file` reads the disk, and only the
//! names in one folder.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::program::Language;
use crate::model::nearest;

/// Extensions in the order in which a name without one is completed. JSX is among them so that the
/// refusal can say what the file is.
const EXTENSIONS: [&str; 9] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json"];
/// Most entries of a folder that are read to find a similar name.
const ENTRIES: usize = 1_000;

/// The kind of a file that is neither a program nor JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnsupportedName {
    Jsx,
    Other,
}

impl UnsupportedName {
    /// The reason why a JSX file is refused.
    pub(super) const JSX: &'static str = "JSX files cannot be run";
    /// The hint for a JSX file.
    pub(super) const NO_JSX: &'static str = "programs have no JSX: use a `.ts` or `.js` file";
}

/// Returns the language of a file by its extension.
pub(super) fn language(path: &Path) -> Result<Language, UnsupportedName> {
    match extension(path) {
        "ts" | "mts" | "cts" => Ok(Language::TypeScript),
        "js" | "mjs" | "cjs" => Ok(Language::JavaScript),
        "json" => Ok(Language::Json),
        "tsx" | "jsx" => Err(UnsupportedName::Jsx),
        _ => Err(UnsupportedName::Other),
    }
}

/// Reports whether the name says that the file is a CommonJS module.
pub(super) fn says_common_js(path: &Path) -> bool {
    matches!(extension(path), "cts" | "cjs")
}

/// Returns the files that a path to no file may mean: the name with an extension, and for `x.js`
/// the TypeScript file that it is compiled from.
pub(super) fn meant_files(path: &Path) -> impl Iterator<Item = PathBuf> {
    let twin = match extension(path) {
        "js" => Some("ts"),
        "jsx" => Some("tsx"),
        "mjs" => Some("mts"),
        "cjs" => Some("cts"),
        _ => None,
    };
    let twin = twin.map(|extension| path.with_extension(extension));
    let name = path.file_name().unwrap_or_default().to_owned();
    let completed = EXTENSIONS.map(|extension| {
        let mut name = name.clone();
        name.push(".");
        name.push(extension);
        path.with_file_name(name)
    });
    twin.into_iter().chain(completed)
}

/// Returns the files that a path to a folder may mean.
pub(super) fn index_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    EXTENSIONS.map(|extension| folder.join("index").with_extension(extension)).into_iter()
}

/// Returns the program or JSON file of a folder whose name is most similar to `name`.
pub(super) fn nearest_file(folder: &Path, name: &str) -> Option<String> {
    let entries = fs::read_dir(folder).ok()?.take(ENTRIES).filter_map(Result::ok);
    let files: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| language(Path::new(name)).is_ok() && !name.starts_with('.'))
        .filter(|name| folder.join(name).is_file())
        .collect();
    let stem = |name: &str| -> String {
        let path = Path::new(name);
        let is_known = EXTENSIONS.contains(&extension(path));
        let stem = if is_known { path.file_stem() } else { path.file_name() };
        stem.and_then(OsStr::to_str).unwrap_or_default().to_owned()
    };
    // Extensions are not compared: in a short name they would make everything similar.
    let stems: Vec<String> = files.iter().map(|file| stem(file)).collect();
    let near = *nearest(&stem(name), stems.iter().map(String::as_str)).first()?;
    let same: Vec<&String> =
        files.iter().zip(&stems).filter(|(_, stem)| *stem == near).map(|(file, _)| file).collect();
    let same_extension = |file: &&&String| extension(Path::new(file)) == extension(Path::new(name));
    same.iter().find(same_extension).or(same.first()).map(|file| (*file).clone())
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(OsStr::to_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_similar_name_is_found_with_its_extension() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["report.ts", "data.json", "notes.txt", ".hidden.ts", "x.ts"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        fs::create_dir(folder.path().join("reports.ts")).unwrap();
        for (name, near) in [
            ("reprot.ts", Some("report.ts")),
            ("reprot", Some("report.ts")),
            ("report.js", Some("report.ts")),
            ("daata.json", Some("data.json")),
            ("notes.txt", None),
            ("hidden.ts", None),
            ("nothing-like-it.ts", None),
            ("y.ts", None),
        ] {
            assert_eq!(nearest_file(folder.path(), name).as_deref(), near, "{name}");
        }
    }
}
