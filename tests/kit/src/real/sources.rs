//! Packages that ship the TypeScript they are written in, and the compiler's word about it.

use super::clients::typescript_program;
use super::install::{Group, npm};
use crate::tree::{files_under, project_root};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

const SOURCES: Group = npm(
    "sources",
    &[
        "@noble/curves@2.4.0",
        "@noble/hashes@2.4.0",
        "@reduxjs/toolkit@2.14.0",
        "@tanstack/query-core@5.107.1",
        "chevrotain@13.2.0",
        "comlink@4.4.2",
        "effect@4.1.0",
        "immer@11.2.10",
        "mobx@7.1.3",
        "redux@5.0.1",
        "rxjs@7.8.2",
        "zod@4.6.7",
    ],
);

/// A package with its TypeScript files.
pub struct SourcePackage {
    /// Its name.
    pub name: &'static str,
    /// Its folder.
    pub folder: PathBuf,
    /// Every `.ts`, `.mts` and `.cts` file in it that is not a declaration file.
    pub files: Vec<PathBuf>,
}

/// Packages that ship their TypeScript sources.
pub fn source_packages() -> Vec<SourcePackage> {
    let modules = SOURCES.folder().join("node_modules");
    let packages = SOURCES.packages.iter().map(|package| {
        let name = package.rsplit_once('@').expect("a version").0;
        let folder = modules.join(name);
        let mut files: Vec<_> =
            files_under(&folder).into_iter().filter(|file| is_typescript(file)).collect();
        files.sort();
        SourcePackage { name, folder, files }
    });
    packages.collect()
}

fn is_typescript(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_declaration = [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| name.ends_with(end));
    let is_nested = file.components().filter(|part| part.as_os_str() == "node_modules").count() > 1;
    !is_declaration && !is_nested && [".ts", ".mts", ".cts"].iter().any(|end| name.ends_with(end))
}

/// Returns what the compiler says about files under `erasableSyntaxOnly`: the text of each place
/// that it refuses, or its syntax errors.
pub fn not_erasable(files: &[PathBuf]) -> BTreeMap<PathBuf, Vec<String>> {
    let script = project_root().join("tests/kit/node/erasable_syntax.cjs");
    let folder = tempfile::tempdir().expect("a folder");
    let mut child =
        typescript_program(&script).command(folder.path()).spawn().expect("node starts");
    let list = serde_json::to_string(files).expect("JSON");
    child.stdin.take().expect("a pipe").write_all(list.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("node ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).expect("a map of files")
}
