//! Finds the program of a package by the rules of `npx`: the only one, or the one of the package's own name, or the one asked for.

use super::super::error::InstallError;
use super::super::found::{Program, is_file_within, shebang};
use super::super::spec::Spec;
use crate::config::StartedBy;
use crate::disk;
use serde_json::Value;
use std::path::Path;

/// More than any `package.json`.
const MANIFEST: u64 = 4 << 20;

/// Programs that a package has: a name and a file each, seen from the package.
type Programs = Vec<(String, String)>;

/// Returns the program that a launch line starts.
pub(in super::super) fn program(folder: &Path, spec: &Spec) -> Result<Program, InstallError> {
    let own = programs(folder, &spec.package().name, spec.package().base_name())?;
    let name = &spec.package().name;
    let found = match spec.program() {
        None => choose(&own, spec.package().base_name()).map(|file| (name, file)),
        Some(wanted) => {
            let mut found = named(&own, wanted).map(|file| (name, file));
            for other in spec.beside() {
                if found.is_none() {
                    let theirs = programs(folder, &other.name, other.base_name())?;
                    found = named(&theirs, wanted).map(|file| (&other.name, file));
                }
            }
            found
        }
    };
    let missing = || InstallError::NoProgram {
        package: name.clone(),
        wanted: spec.program().map(Into::into),
        there: own.iter().map(|(name, _)| name.clone()).collect(),
    };
    let (package, file) = found.ok_or_else(missing)?;
    let entry = format!("node_modules/{package}/{}", file.trim_start_matches("./"));
    let path = folder.join(&entry);
    if !is_file_within(&path, folder) {
        return Err(missing());
    }
    Ok(Program { started_by: started_by(&path), entry })
}

/// As `npx`: the only one, whatever its name; else the one of the package's name.
fn choose(programs: &Programs, base_name: &str) -> Option<String> {
    let (_, first) = programs.first()?;
    match programs.iter().all(|(_, file)| file == first) {
        true => Some(first.clone()),
        false => named(programs, base_name),
    }
}

fn named(programs: &Programs, wanted: &str) -> Option<String> {
    programs.iter().find(|(name, _)| name == wanted).map(|(_, file)| file.clone())
}

/// Reads `bin` of a package: one file, or files by name.
fn programs(folder: &Path, package: &str, base_name: &str) -> Result<Programs, InstallError> {
    let path = folder.join("node_modules").join(package).join("package.json");
    let failed = |error| InstallError::io("read", &path, error);
    let manifest = disk::read(&path, MANIFEST).map_err(failed)?;
    let manifest: Value =
        serde_json::from_slice(&manifest).map_err(|error| failed(std::io::Error::other(error)))?;
    Ok(match &manifest["bin"] {
        Value::String(file) => vec![(base_name.into(), file.clone())],
        Value::Object(files) => {
            let file =
                |(name, file): (&String, &Value)| Some((name.clone(), file.as_str()?.into()));
            files.iter().filter_map(file).collect()
        }
        _ => Vec::new(),
    })
}

/// What says that it is for node, or says nothing and looks like JavaScript, is started by node; all else by the OS.
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
    use super::super::super::spec::Spec;
    use super::{Program, StartedBy, program};
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

    fn spec(line: &str) -> Spec {
        let words: Vec<String> = line.split(' ').map(Into::into).collect();
        Spec::of(&words[0], &words[1..]).unwrap().unwrap()
    }

    fn found(bin: &Value, line: &str) -> Option<Program> {
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
        program(folder.path(), &spec(line)).ok()
    }

    #[test]
    fn the_program_is_the_one_that_npx_would_start() {
        let node = |file: &str| {
            Some(Program { entry: format!("node_modules/{file}"), started_by: StartedBy::Node })
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
