//! Reads the metadata of a package in the folder that it is installed into: its files and its
//! programs.

use super::super::error::InstallError;
use super::compile::site_packages;
use super::name::is_same_name;
use crate::disk;
use crate::model::{Package, escape};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Maximum size of a list of files, in bytes. The largest packages have some ten thousand files.
const MAX_LIST: u64 = 32 << 20;

/// An installed Python package.
pub(super) struct Distribution {
    /// Its name, as in the name of its metadata folder.
    pub(super) name: String,
    version: String,
    /// Its metadata folder, relative to the environment's folder.
    pub(super) info: PathBuf,
    /// Its files, relative to the environment's folder, with their hashes where the metadata has
    /// them.
    files: BTreeMap<PathBuf, Option<String>>,
    /// Its programs that are functions, by name.
    pub(super) entry_points: Vec<(String, EntryPoint)>,
}

/// A function that is started as a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EntryPoint {
    pub(super) module: String,
    pub(super) attribute: String,
}

impl Distribution {
    /// Reads all packages that are installed in an environment.
    pub(super) fn all(folder: &Path) -> Result<Vec<Distribution>, InstallError> {
        let site = site_packages(folder)?;
        let path = folder.join(&site);
        let entries =
            std::fs::read_dir(&path).map_err(|error| InstallError::io("read", &path, error))?;
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        let mut all = Vec::new();
        for name in names {
            let Some((name, version)) =
                name.to_str().and_then(|it| it.strip_suffix(".dist-info")?.rsplit_once('-'))
            else {
                continue;
            };
            all.push(Distribution::read(folder, &site, name, version)?);
        }
        Ok(all)
    }

    fn read(
        folder: &Path,
        site: &Path,
        name: &str,
        version: &str,
    ) -> Result<Distribution, InstallError> {
        let info = site.join(format!("{name}-{version}.dist-info"));
        let text = |file: &str| {
            let path = folder.join(&info).join(file);
            match disk::read(&path, MAX_LIST) {
                Ok(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
                Err(error) => Err(InstallError::io("read", &path, error)),
            }
        };
        Ok(Distribution {
            name: escape(name).into_owned(),
            version: version.into(),
            files: read_record(&text("RECORD")?, site),
            entry_points: read_entry_points(&text("entry_points.txt")?),
            info,
        })
    }

    /// Returns its version, as in the name of its metadata folder.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// Reports whether it is the package that was agreed to.
    pub(super) fn matches(&self, package: &Package) -> bool {
        is_same_name(&self.name, &package.name) && self.version == package.version
    }

    /// Reports whether a file belongs to it.
    pub(super) fn owns(&self, file: &Path) -> bool {
        self.files.contains_key(file)
    }

    /// Returns its files.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// Reports whether one of its files has the hash in the metadata. Returns `true` if there is
    /// none.
    pub(super) fn is_unchanged(&self, folder: &Path, file: &Path) -> bool {
        let Some(Some(expected)) = self.files.get(file) else { return true };
        disk::read(&folder.join(file), MAX_LIST)
            .is_ok_and(|bytes| base64_url(&Sha256::digest(bytes)) == *expected)
    }

    /// Returns the file of one of its programs that are files.
    pub(super) fn script(&self, name: &str) -> Option<PathBuf> {
        Some(Path::new("bin").join(name)).filter(|path| self.owns(path))
    }

    /// Returns one of its programs that are functions.
    pub(super) fn entry_point(&self, name: &str) -> Option<&EntryPoint> {
        self.entry_points.iter().find(|(own, _)| own == name).map(|(_, entry_point)| entry_point)
    }
}

/// Reads the list of a package's files: paths, hashes and sizes. Paths that lead out of the
/// environment are left out.
fn read_record(text: &str, site: &Path) -> BTreeMap<PathBuf, Option<String>> {
    let line = |line: &str| {
        let (path, rest) = match line.strip_prefix('"') {
            Some(quoted) => {
                let (path, rest) = quoted.rsplit_once("\",")?;
                (path.replace("\"\"", "\""), rest)
            }
            None => line.split_once(',').map(|(path, rest)| (path.to_owned(), rest))?,
        };
        let hash = rest.split(',').next().and_then(|hash| hash.strip_prefix("sha256="));
        Some((normalize_path(&site.join(path))?, hash.map(ToOwned::to_owned)))
    };
    text.lines().filter_map(line).collect()
}

/// Returns a path without its `..`, or `None` if it leads out.
fn normalize_path(path: &Path) -> Option<PathBuf> {
    let mut made = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => made.push(name),
            Component::CurDir => {}
            Component::ParentDir if made.pop() => {}
            _ => return None,
        }
    }
    Some(made)
}

/// Reads `[console_scripts]`. Entries that are not plain Python names are left out, since they
/// become part of code.
fn read_entry_points(text: &str) -> Vec<(String, EntryPoint)> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        match line.split_once('=') {
            _ if line.starts_with('[') => inside = line == "[console_scripts]",
            Some((name, attribute)) if inside => {
                let attribute = attribute.split('[').next().unwrap_or_default();
                let Some((module, attribute)) = attribute.split_once(':') else { continue };
                let (name, module, attribute) = (name.trim(), module.trim(), attribute.trim());
                if is_program_name(name) && is_dotted(module) && is_dotted(attribute) {
                    let entry_point =
                        EntryPoint { module: module.into(), attribute: attribute.into() };
                    found.push((name.to_owned(), entry_point));
                }
            }
            _ => {}
        }
    }
    found
}

/// Reports whether a text can be a plain file name.
pub(super) fn is_program_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.+@".contains(c);
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(plain)
}

fn is_dotted(text: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    text.len() <= 300 && text.split('.').all(plain)
}

/// Encodes as base64 for URLs, without padding, as hashes in lists of files are.
fn base64_url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut made = String::new();
    for chunk in bytes.chunks(3) {
        let of = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
        let bits = of(0) << 16 | of(1) << 8 | of(2);
        for at in 0..=chunk.len() {
            made.push(char::from(LETTERS[(bits >> (18 - 6 * at)) as usize & 63]));
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::{base64_url, read_entry_points, read_record};
    use std::path::Path;

    #[test]
    fn files_are_those_of_the_list_and_inside() {
        let text = "x/__init__.py,sha256=abc,3\n../../../bin/x,,\n\"a,\"\"b\"\"\",sha256=d,1\n../../../../../etc/passwd,,\n/etc/passwd,,\n";
        let found = read_record(text, Path::new("lib/python3.11/site-packages"));
        let names: Vec<_> = found.keys().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "bin/x",
                "lib/python3.11/site-packages/a,\"b\"",
                "lib/python3.11/site-packages/x/__init__.py"
            ]
        );
        assert_eq!(
            found[Path::new("lib/python3.11/site-packages/x/__init__.py")].as_deref(),
            Some("abc")
        );
    }

    #[test]
    fn a_program_is_a_plain_name_or_none() {
        let text = "[console_scripts]\nx = a.b:c.d [extra]\n../y = a:b\nz = a;import os:b\nw = a:b()\nv = a\n[gui]\nu = a:b\n";
        let found = read_entry_points(text);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].1.module.as_str(), found[0].1.attribute.as_str()), ("a.b", "c.d"));
    }

    #[test]
    fn a_hash_is_written_as_in_the_list() {
        assert_eq!(base64_url(b"\xfb\xff\xfe"), "-__-");
        assert_eq!((base64_url(b"a"), base64_url(b"ab")), ("YQ".into(), "YWI".into()));
    }
}
