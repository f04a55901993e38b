//! Finds the program of a package by the rules of `npx`: the only program, the one with the
//! package's name, or the one that the launch line names.

use super::super::error::InstallError;
use super::super::spec::{PackageSpec, Requirement};
use crate::disk;
use crate::install::installation_record::StartedBy;
use crate::install::package_program::{PackageProgram, is_file_within, shebang};
use crate::model::{Package, cut, escape};
use serde_json::Value;
use std::path::Path;

/// Maximum size of a `package.json`, in bytes.
const MAX_MANIFEST: u64 = 4 << 20;

/// The programs of a package: names and files, relative to the package's folder.
type BinEntries = Vec<(String, String)>;

/// Returns the program that a launch line starts. It always belongs to the package that was agreed
/// to. `node_modules/.bin` is not used, because there a package can replace the program of another.
pub(in super::super) fn program(
    folder: &Path,
    spec: &PackageSpec,
    agreed: &Package,
) -> Result<PackageProgram, InstallError> {
    let first = spec.package();
    let mut all = vec![first];
    all.extend(spec.beside());
    // Older records do not name the package that the program belongs to.
    all.retain(|one| agreed.program_of.as_ref().is_none_or(|name| *name == one.name));
    let mut available_names = Vec::new();
    let mut found = None;
    for one in all {
        let programs = read_programs(folder, one)?;
        let file = match spec.program() {
            None if one == first => choose_program(&programs, one.base_name()),
            None => None,
            Some(wanted) => find_program(&programs, wanted),
        };
        available_names.extend(programs.into_iter().map(|(name, _)| name));
        found = file.map(|file| (&one.name, file));
        if found.is_some() {
            break;
        }
    }
    let missing = || InstallError::NoProgram {
        package: agreed.program_of.clone().unwrap_or_else(|| first.name.clone()),
        wanted: spec.program().map(Into::into),
        available: available_names.clone(),
    };
    let (package, file) = found.ok_or_else(missing)?;
    let own = format!("node_modules/{package}");
    let entry = format!("{own}/{}", file.trim_start_matches("./"));
    let path = folder.join(&entry);
    if !is_file_within(&path, &folder.join(own)) {
        return Err(match is_file_within(&path, folder) {
            true => InstallError::Shadowed {
                package: package.clone(),
                what: format!("the file of its program, `{}`,", cut(&escape(&file), 120)),
                by: "another package".into(),
            },
            false => missing(),
        });
    }
    Ok(PackageProgram { started_by: started_by(&path), entry })
}

/// Reports whether a package's `bin`, as the registry has it, names a program.
pub(super) fn has_program(bin: &Value, base_name: &str, wanted: &str) -> bool {
    find_program(&read_bin(bin, base_name), wanted).is_some()
}

/// Chooses as `npx` does: the only program, whatever its name, or else the one with the package's
/// name.
fn choose_program(programs: &BinEntries, base_name: &str) -> Option<String> {
    let (_, first) = programs.first()?;
    match programs.iter().all(|(_, file)| file == first) {
        true => Some(first.clone()),
        false => find_program(programs, base_name),
    }
}

fn find_program(programs: &BinEntries, wanted: &str) -> Option<String> {
    programs.iter().find(|(name, _)| name == wanted).map(|(_, file)| file.clone())
}

/// Reads the programs of an installed package.
fn read_programs(folder: &Path, package: &Requirement) -> Result<BinEntries, InstallError> {
    let path = folder.join("node_modules").join(&package.name).join("package.json");
    let failed = |error| InstallError::io("read", &path, error);
    let manifest = disk::read(&path, MAX_MANIFEST).map_err(failed)?;
    let manifest: Value =
        serde_json::from_slice(&manifest).map_err(|error| failed(std::io::Error::other(error)))?;
    Ok(read_bin(&manifest["bin"], package.base_name()))
}

/// Reads the `bin` of a package: one file, or files by name.
fn read_bin(bin: &Value, base_name: &str) -> BinEntries {
    match bin {
        Value::String(file) => vec![(base_name.into(), file.clone())],
        Value::Object(files) => {
            let file =
                |(name, file): (&String, &Value)| Some((name.clone(), file.as_str()?.into()));
            files.iter().filter_map(file).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns `Node` for a file whose first line names node, or that has no such line and looks like
/// JavaScript. The OS starts all other files.
fn started_by(path: &Path) -> StartedBy {
    let is_script = path.extension().is_some_and(|ending| {
        ["js", "mjs", "cjs"].iter().any(|script| ending.eq_ignore_ascii_case(script))
    });
    let Some(words) = shebang(path) else {
        return if is_script { StartedBy::Node } else { StartedBy::Itself };
    };
    let base = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    let words: Vec<String> = words.iter().map(base).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["node"] | ["env", "node"] | ["env", "-S", "node"] => StartedBy::Node,
        _ => StartedBy::Itself,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::spec::PackageSpec;
    use super::{PackageProgram, StartedBy, has_program, program};
    use crate::model::{Ecosystem, Package};
    use serde_json::{Value, json};
    use std::fs;
    use std::path::Path;

    fn package(folder: &Path, name: &str, bin: &Value, files: &[(&str, &str)]) {
        let at = folder.join("node_modules").join(name);
        for (file, text) in files {
            let path = at.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(&at).unwrap();
        fs::write(at.join("package.json"), json!({ "bin": bin }).to_string()).unwrap();
    }

    fn spec(line: &str) -> PackageSpec {
        let words: Vec<String> = line.split(' ').map(Into::into).collect();
        PackageSpec::parse(&words[0], &words[1..]).unwrap().unwrap()
    }

    fn found(bin: &Value, line: &str) -> Option<PackageProgram> {
        found_of(bin, line, None)
    }

    /// `owner` is the package whose program was agreed to.
    fn found_of(bin: &Value, line: &str, owner: Option<&str>) -> Option<PackageProgram> {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ("dist/index.js", "#!/usr/bin/env node\n"),
            ("other.js", "1"),
            ("native", "#!/usr/bin/env bun\n"),
            ("flags.js", "#!/usr/bin/env -S node --expose-gc\n"),
        ];
        package(folder.path(), "@a/x", bin, &files);
        package(folder.path(), "y", &json!({ "why": "why.mjs" }), &[("why.mjs", "")]);
        fs::write(folder.path().join("outside.js"), "").unwrap();
        let mut agreed = Package::new("s", Ecosystem::Npm, "@a/x", "1.0.0", "host", line);
        agreed.program_of = owner.map(Into::into);
        program(folder.path(), &spec(line), &agreed).ok()
    }

    #[test]
    fn the_program_is_the_one_that_npx_would_start() {
        let node = |file: &str| {
            Some(PackageProgram {
                entry: format!("node_modules/{file}"),
                started_by: StartedBy::Node,
            })
        };
        let one = json!({ "anything": "./dist/index.js" });
        assert_eq!(found(&one, "npx @a/x"), node("@a/x/dist/index.js"));
        assert_eq!(found(&json!("other.js"), "npx @a/x"), node("@a/x/other.js"));
        let same = json!({ "p": "other.js", "q": "other.js" });
        assert_eq!(found(&same, "npx @a/x"), node("@a/x/other.js"));
        let two = json!({ "y": "other.js", "x": "dist/index.js" });
        assert_eq!(found(&two, "npx @a/x"), node("@a/x/dist/index.js"));
        assert_eq!(found(&two, "npx -p @a/x y"), node("@a/x/other.js"));
        assert_eq!(found(&two, "npx -p @a/x -p y@1.0.0 why"), node("y/why.mjs"));
        let neither = json!({ "p": "other.js", "q": "dist/index.js" });
        assert_eq!(found(&neither, "npx @a/x"), None);
        assert_eq!(found(&neither, "npx -p @a/x z"), None);
        assert_eq!(found(&json!(null), "npx @a/x"), None);
    }

    #[test]
    fn the_program_is_that_of_the_package_that_was_agreed_to() {
        let both = json!({ "why": "other.js" });
        let line = "npx -p @a/x -p y@1.0.0 why";
        let of = |owner: &str| found_of(&both, line, Some(owner)).map(|found| found.entry);
        assert_eq!(of("@a/x").as_deref(), Some("node_modules/@a/x/other.js"));
        assert_eq!(of("y").as_deref(), Some("node_modules/y/why.mjs"));
        assert_eq!(found_of(&json!({ "x": "other.js" }), line, Some("@a/x")), None);
        assert!(
            has_program(&json!("a.js"), "x", "x") && has_program(&json!({ "y": "a.js" }), "x", "y")
        );
        assert!(!has_program(&json!("a.js"), "x", "y") && !has_program(&json!(null), "x", "x"));
    }

    #[test]
    fn a_file_of_another_package_is_no_program() {
        for file in ["../../y/why.mjs", "../../../outside.js", "dist/../../../y/why.mjs"] {
            assert_eq!(found(&json!({ "x": file }), "npx @a/x"), None, "{file}");
        }
    }

    #[test]
    fn what_is_not_for_node_alone_is_started_by_the_system() {
        for file in ["native", "flags.js"] {
            let found = found(&json!(file), "npx @a/x").unwrap();
            assert_eq!(found.started_by, StartedBy::Itself, "{file}");
        }
    }

    #[test]
    fn a_program_outside_of_the_folder_is_none() {
        for file in
            ["../../../outside.js/../../x", "../../../../../../etc/passwd", "missing.js", ""]
        {
            assert_eq!(found(&json!({ "x": file }), "npx @a/x"), None, "{file}");
        }
    }
}
