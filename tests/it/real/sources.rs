//! The TypeScript sources of published packages before pml's own reader: it refuses nothing that
//! TypeScript itself accepts under `erasableSyntaxOnly`.

use pml::Script;
use pml::source::SourceError;
use pml_kit::real::{SourcePackage, left_out, not_erasable, source_packages};
use std::fs;
use std::path::PathBuf;

/// Files that pml refuses and TypeScript accepts, each with its reason.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// Reads one file alone. Its imports are not followed: without a workspace they are refused, but
/// only after the file itself was read, erased and compiled.
fn read(file: &PathBuf) -> Result<(), SourceError> {
    let text = fs::read_to_string(file).expect("UTF-8 text");
    match Script::ts(text).load(16 << 20) {
        Ok(_) | Err(SourceError::ImportRefused { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

#[test]
fn sources_of_packages_are_read_as_typescript_reads_them() {
    if left_out() {
        return;
    }
    let packages = source_packages();
    assert!(packages.len() >= 10);
    let mut refused = Vec::new();
    for SourcePackage { name, files, .. } in &packages {
        assert!(files.len() >= 4, "{name} ships its sources");
        refused.extend(files.iter().filter_map(|file| Some((file.clone(), read(file).err()?))));
    }
    let files: Vec<_> = refused.iter().map(|(file, _)| file.clone()).collect();
    let oracle = not_erasable(&files);
    let wrong: Vec<String> = refused
        .iter()
        .filter(|(file, _)| oracle[file].is_empty())
        .filter(|(file, _)| !EXCEPTIONS.iter().any(|(end, _)| file.ends_with(end)))
        .map(|(file, error)| format!("{}: {error}", file.display()))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let read: usize = packages.iter().map(|package| package.files.len()).sum();
    assert!(read > 1_000 && refused.len() * 10 < read, "{} of {read} refused", refused.len());
}

/// Entries whose modules all have erasable syntax and import no other package.
#[test]
fn whole_graphs_of_packages_load() {
    if left_out() {
        return;
    }
    let packages = source_packages();
    let load = |name: &str, entry: &str| {
        let package = packages.iter().find(|package| package.name == name).expect("a package");
        let script = Script::file(package.folder.join(entry)).in_workspace(&package.folder);
        let program = script.load(64 << 20).unwrap_or_else(|error| panic!("{name}: {error}"));
        program.modules.len()
    };
    for (name, entry, least) in [
        ("@noble/hashes", "src/sha2.ts", 4),
        ("effect", "src/Effect.ts", 60),
        ("effect", "src/Option.ts", 20),
        ("redux", "src/index.ts", 16),
        ("zod", "src/v4-mini/index.ts", 90),
        ("zod", "src/v4/core/index.ts", 80),
    ] {
        let modules = load(name, entry);
        assert!(modules >= least, "{name}: {modules} modules");
    }
}
