//! Reads the entry and follows its imports until every module is loaded once.
//!
//! Input: a [`Script`]. Output: a [`Program`], entry first, modules in the order in which they are
//! first imported. **Invariant:** no more than the limit is ever read, and only regular files are
//! opened.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compile::{self, CompiledModule, ImportTiming, ModuleRole};
use super::error::{ModuleText, SourceError};
use super::escape::escaped;
use super::links::ModuleLinks;
use super::program::{Language, Program, RefusedImport, SourceModule};
use super::resolve::{self, ModuleFile, Workspace};
use super::script::{Script, ScriptSource};
use super::{common_js, json, link, module_name};
use crate::config::Environment;
use crate::model::LineIndex;
use crate::model::{HostWork, WorkSlice};

/// Longest path that is shown in a hint, in characters.
const SHOWN_PATH: usize = 1024;

/// Loads a script within a limit of bytes, and charges the CPU time to `run`, if it is given.
/// Loading stops after the current module if the run has no CPU time left or is no longer waited
/// for.
pub(super) fn load(
    script: &Script,
    limit: usize,
    run: Option<&HostWork<'_>>,
) -> Result<Program, SourceError> {
    let work = run.map(HostWork::begin);
    let workspace = |folder: &Path| Workspace::new(folder);
    let mut loader = Loader {
        work: work.as_ref(),
        limit,
        is_generated: script.is_generated,
        remaining: limit,
        workspace: None,
        modules: Vec::new(),
        indexes: HashMap::new(),
    };
    match &script.origin {
        ScriptSource::Text { text, language } => {
            loader.workspace = script.workspace.as_deref().map(workspace).transpose()?;
            let default =
                if *language == Language::TypeScript { "program.ts" } else { "program.js" };
            let name = script.name.as_deref().unwrap_or(default).to_owned();
            loader.use_bytes(text.len(), &name)?;
            loader.add(None, name, *language, text, ModuleRole::Entry)?;
        }
        ScriptSource::File { path } => {
            let path = &existing_file(path)?;
            let workspace = match &script.workspace {
                Some(folder) => Workspace::new(folder)?,
                None => Workspace::containing(path, Environment::of_process().home().as_deref())?,
            };
            let entry = workspace.entry(path)?;
            loader.workspace = Some(workspace);
            loader.indexes.insert(entry.path.clone(), 0);
            loader.add_file(entry, ModuleRole::Entry)?;
        }
    }
    loader.follow_imports()
}

struct Loader<'w> {
    /// The work slice of the run that the script is loaded for.
    work: Option<&'w WorkSlice<'w>>,
    limit: usize,
    is_generated: bool,
    remaining: usize,
    workspace: Option<Workspace>,
    modules: Vec<LoadedModule>,
    /// Canonical path → index in `modules`.
    indexes: HashMap<PathBuf, usize>,
}

struct LoadedModule {
    module: SourceModule,
    imports: Vec<compile::ModuleImport>,
    links: ModuleLinks,
}

impl Loader<'_> {
    /// Adds the imported modules until no new one is found. Cycles end because each file is added
    /// once.
    fn follow_imports(mut self) -> Result<Program, SourceError> {
        let mut next = 0;
        while next < self.modules.len() {
            let imports = std::mem::take(&mut self.modules[next].imports);
            for import in imports {
                let resolved = match self.resolve(next, &import) {
                    Ok(resolved) => resolved,
                    Err(refused) if import.timing == ImportTiming::Dynamic => {
                        let refused = RefusedImport::new(import.specifier, import.offset, refused);
                        self.modules[next].module.refused_imports.push(refused);
                        continue;
                    }
                    Err(refused) => return Err(self.refusal(next, &import, refused)),
                };
                let index = match self.indexes.get(&resolved.path) {
                    Some(index) => *index,
                    None => {
                        let index = self.modules.len();
                        self.indexes.insert(resolved.path.clone(), index);
                        self.add_file(resolved, ModuleRole::Imported)?;
                        index
                    }
                };
                let imported = (import.specifier, self.modules[index].module.name.clone());
                let imports = &mut self.modules[next].module.imports;
                if !imports.contains(&imported) {
                    imports.push(imported);
                }
            }
            next += 1;
        }
        let work = self.work;
        let (mut modules, links): (Vec<_>, Vec<_>) =
            self.modules.into_iter().map(|loaded| (loaded.module, loaded.links)).unzip();
        link::link(&mut modules, &links, work)?;
        Ok(Program { modules })
    }

    fn resolve(
        &self,
        importer: usize,
        import: &compile::ModuleImport,
    ) -> Result<ModuleFile, resolve::ImportRefusal> {
        let importer = &self.modules[importer];
        match &self.workspace {
            Some(workspace) => {
                workspace.resolve(importer.module.path.as_deref(), &import.specifier)
            }
            None => resolve::check_specifier(&import.specifier).and(Err(resolve::ImportRefusal {
                reason: "the program has no workspace",
                hint: Some("run it from a file, or name a workspace folder".to_owned()),
            })),
        }
    }

    fn refusal(
        &self,
        importer: usize,
        import: &compile::ModuleImport,
        refused: resolve::ImportRefusal,
    ) -> SourceError {
        let module = &self.modules[importer].module;
        let text = ModuleText { name: &module.name, text: &module.source };
        SourceError::import(text, import.offset, &import.specifier, refused.reason, refused.hint)
    }

    fn add_file(&mut self, file: ModuleFile, role: ModuleRole) -> Result<(), SourceError> {
        let bytes = self.read(&file)?;
        let text = String::from_utf8(bytes).map_err(|_| SourceError::SourceKind {
            path: file.path.clone(),
            reason: "source file is not UTF-8 text",
            hint: "save it as UTF-8".to_owned(),
        })?;
        // A text script may have the name of a file that it imports; names must be distinct.
        let taken = self.modules.first().is_some_and(|entry| entry.module.name == file.name);
        let name = if taken { format!("./{}", file.name) } else { file.name };
        self.add(Some(file.path), name, file.language, &text, role)
    }

    fn add(
        &mut self,
        path: Option<PathBuf>,
        name: String,
        language: Language,
        text: &str,
        role: ModuleRole,
    ) -> Result<(), SourceError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // QuickJS takes its source as a C string.
        if let Some(at) = text.find('\0') {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            return Err(SourceError::syntax(
                ModuleText { name: &name, text },
                at,
                "unexpected NUL character",
                None,
            ));
        }
        let compiled = match language {
            Language::Json => {
                let code = json::module(text).map_err(|(message, line, column)| {
                    SourceError::syntax(
                        ModuleText { name: &name, text },
                        offset(text, line, column),
                        &message,
                        None,
                    )
                })?;
                CompiledModule {
                    code,
                    first_line: 1,
                    shift: None,
                    imports: Vec::new(),
                    links: ModuleLinks::default(),
                }
            }
            _ => compile::compile(self.work, ModuleText { name: &name, text }, language, role)?,
        };
        if path.as_deref().is_some_and(module_name::says_common_js) {
            let text = ModuleText { name: &name, text };
            if let Some(found) = common_js::first_use(self.work, text, language) {
                return Err(SourceError::unsupported(text, found));
            }
        }
        self.check_cpu_time(&name)?;
        let CompiledModule { code, first_line, shift, imports, links } = compiled;
        let module = SourceModule {
            name,
            path,
            language,
            code,
            source: Arc::from(text),
            imports: Vec::new(),
            refused_imports: Vec::new(),
            first_line,
            shift,
            is_generated: self.is_generated && role == ModuleRole::Entry,
        };
        self.modules.push(LoadedModule { module, imports, links });
        Ok(())
    }

    /// Fails if the run has no CPU time left after a module.
    fn check_cpu_time(&self, name: &str) -> Result<(), SourceError> {
        match self.work.map_or(Ok(()), WorkSlice::check) {
            Ok(()) => Ok(()),
            Err(_) => Err(SourceError::CpuTime { name: name.to_owned() }),
        }
    }

    fn read(&mut self, file: &ModuleFile) -> Result<Vec<u8>, SourceError> {
        let fail = |source| SourceError::SourceRead { path: file.path.clone(), source };
        // This is checked before opening, since opening a pipe would wait for its writer.
        let metadata = fs::metadata(&file.path).map_err(fail)?;
        if !metadata.is_file() {
            return Err(SourceError::SourceKind {
                path: file.path.clone(),
                reason: "source is not a regular file",
                hint: "name a file".to_owned(),
            });
        }
        if metadata.len() > self.remaining as u64 {
            return Err(self.too_large(&file.name));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        // The file may have grown since: reading one byte more than allowed detects it.
        let limit = (self.remaining as u64).saturating_add(1);
        File::open(&file.path)
            .and_then(|opened| opened.take(limit).read_to_end(&mut bytes))
            .map_err(fail)?;
        self.use_bytes(bytes.len(), &file.name)?;
        Ok(bytes)
    }

    fn use_bytes(&mut self, bytes: usize, name: &str) -> Result<(), SourceError> {
        self.remaining = self.remaining.checked_sub(bytes).ok_or_else(|| self.too_large(name))?;
        Ok(())
    }

    fn too_large(&self, name: &str) -> SourceError {
        SourceError::SourceSize { name: name.to_owned(), limit: self.limit }
    }
}

/// Returns the file to run: the one that is named, or the one that is meant if the name has no
/// extension.
fn existing_file(path: &Path) -> Result<PathBuf, SourceError> {
    let missing = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let index = module_name::index_files(path).find(|index| index.is_file());
            let hint = match index {
                Some(index) => format!("name a file in it, such as `{}`", shown(&index)),
                None => "name a file in it".to_owned(),
            };
            let reason = "this is a folder, not a program";
            return Err(SourceError::SourceKind { path: path.to_owned(), reason, hint });
        }
        Ok(_) => return Ok(path.to_owned()),
        Err(source) if source.kind() == ErrorKind::NotFound => path,
        Err(source) => return Err(SourceError::SourceRead { path: path.to_owned(), source }),
    };
    let meant = module_name::meant_files(missing).find(|meant| meant.is_file());
    if let (Some(meant), None) = (meant, missing.extension()) {
        return Ok(meant);
    }
    let folder = missing.parent().filter(|parent| !parent.as_os_str().is_empty());
    let name = missing.file_name().unwrap_or_default().to_string_lossy();
    let near = module_name::nearest_file(folder.unwrap_or(Path::new(".")), &name);
    let hint = near.map(|near| format!("did you mean `{}`?", shown(&missing.with_file_name(near))));
    Err(SourceError::SourceMissing { path: missing.to_owned(), hint })
}

fn shown(path: &Path) -> String {
    escaped(&path.to_string_lossy(), SHOWN_PATH)
}

/// Returns the byte offset of a 1-based line and byte column.
fn offset(text: &str, line: usize, column: usize) -> u32 {
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    let start = LineIndex::new(text)
        .line(line)
        .map_or(text.len(), |line| line.as_ptr() as usize - text.as_ptr() as usize);
    u32::try_from(start + column.saturating_sub(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Code;

    const LIMIT: usize = 1 << 20;

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("package.json"), "{}").unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn names(program: &Program) -> Vec<&str> {
        program.modules.iter().map(|module| module.name.as_str()).collect()
    }

    #[test]
    fn imports_are_followed_once_and_cycles_end() {
        let folder = folder(&[
            ("src/main.ts", b"import { b } from '../lib/b.js'\nimport data from './d.json'\nexport default b + data.x"),
            ("lib/b.ts", b"import { c } from './c.mts'\nexport const b: number = c"),
            ("lib/c.mts", b"import { b } from './b.ts'\nexport const c = 1; export const later = () => b"),
            ("src/d.json", b"{\"x\": 1}"),
        ]);
        let program = Script::file(folder.path().join("src/main.ts")).load(LIMIT).unwrap();
        assert_eq!(names(&program), ["src/main.ts", "lib/b.ts", "src/d.json", "lib/c.mts"]);
        let entry = &program.modules[0];
        assert_eq!(
            entry.imports,
            [
                ("../lib/b.js".to_owned(), "lib/b.ts".to_owned()),
                ("./d.json".to_owned(), "src/d.json".to_owned())
            ]
        );
        assert_eq!(program.module("src/d.json").unwrap().code, "export default {\"x\": 1}");
        assert_eq!(program.module("lib/c.mts").unwrap().imports[0].1, "lib/b.ts");
    }

    #[test]
    fn a_function_body_imports_dynamically() {
        let folder = folder(&[("a.js", b"export default 1")]);
        let program = Script::ts("(await import('./a.js')).default")
            .in_workspace(folder.path())
            .load(LIMIT)
            .unwrap();
        assert_eq!(names(&program), ["program.ts", "a.js"]);
        assert_eq!(program.modules[0].first_line, 0);
    }

    #[test]
    fn a_text_named_like_a_file_keeps_its_name() {
        let folder = folder(&[("program.ts", b"export default 1")]);
        let program = Script::ts("import a from './program.ts'; a")
            .in_workspace(folder.path())
            .load(LIMIT)
            .unwrap();
        assert_eq!(names(&program), ["program.ts", "./program.ts"]);
    }

    #[test]
    fn refused_imports_say_where_and_what_to_do() {
        let refused = |text: &str| Script::ts(text).named("p.ts").load(LIMIT).unwrap_err();
        let error = refused("let a\nimport fs from 'node:fs'\nfs");
        assert_eq!(error.code(), Code::ImportRefused);
        assert_eq!(
            error.to_string(),
            "import of `node:fs` is refused, it is not a relative path: p.ts:2:16"
        );
        assert!(error.hint().unwrap().contains("only `mcp`"));
        let error = refused("import './a.ts'");
        assert_eq!(
            error.to_string(),
            "import of `./a.ts` is refused, the program has no workspace: p.ts:1:8"
        );
        assert!(Script::ts("import type { A } from 'anything'; 1").load(LIMIT).is_ok());
        assert!(Script::ts("require('fs')").load(LIMIT).is_ok());
    }

    #[test]
    fn a_name_without_extension_and_a_near_name_find_the_entry() {
        let folder = folder(&[("report.ts", b"1"), ("lib/index.ts", b"2"), ("x.py", b"print()")]);
        let load = |name: &str| Script::file(folder.path().join(name)).load(LIMIT);
        assert_eq!(names(&load("report").unwrap()), ["report.ts"]);
        let hint = |name: &str| {
            let error = load(name).unwrap_err();
            assert_eq!(error.code(), Code::SourceRead, "{name}");
            let hint =
                error.hint().unwrap_or("-").replace(&format!("{}/", folder.path().display()), "");
            let message = error.to_string().replace(&format!("{}/", folder.path().display()), "");
            format!("{message}\n{hint}")
        };
        assert_eq!(
            hint("reprot.ts"),
            "there is no such file: reprot.ts\ndid you mean `report.ts`?"
        );
        assert_eq!(hint("nothing.ts"), "there is no such file: nothing.ts\n-");
        assert_eq!(
            hint("lib"),
            "this is a folder, not a program: lib\nname a file in it, such as `lib/index.ts`"
        );
        assert_eq!(
            hint("x.py"),
            "only JavaScript and TypeScript can be run: x.py\nname a file that ends in `.ts`, `.mts`, `.cts`, `.js`, `.mjs` or `.cjs`"
        );
    }

    #[test]
    fn common_js_names_run_without_common_js_only() {
        let folder = folder(&[
            ("plain.cts", b"export const a: number = 1"),
            ("old.cjs", b"const fs = 1\nmodule.exports = { fs }"),
            ("main.ts", b"import { a } from './plain.cjs'\nexport default a"),
            ("bad.ts", b"import old from './old'\nexport default old"),
        ]);
        let load = |name: &str| Script::file(folder.path().join(name)).load(LIMIT);
        assert_eq!(names(&load("main.ts").unwrap()), ["main.ts", "plain.cts"]);
        let error = load("bad.ts").unwrap_err();
        assert_eq!(error.to_string(), "CommonJS `module` cannot be used here: old.cjs:2:1");
        assert_eq!(error.hint(), Some("programs are ES modules: use `import` and `export`"));
    }

    #[test]
    fn a_dynamic_import_is_refused_when_the_program_gets_there() {
        let folder = folder(&[("a.js", b"export default 1")]);
        let text = "import a from './a.js'\nawait import('./a.js'); await import('node:fs')\n\
                    await import(`./absent`); import('node:fs'); import(name)";
        let program = Script::ts(text).in_workspace(folder.path()).load(LIMIT).unwrap();
        let entry = &program.modules[0];
        assert_eq!(entry.imports, [("./a.js".to_owned(), "a.js".to_owned())]);
        let refused = entry.refused_imports.iter().map(|it| (it.message.as_str(), it.offset));
        assert_eq!(
            refused.collect::<Vec<_>>(),
            [
                ("import of `node:fs` is refused, it is not a relative path", 53),
                ("import of `./absent` is refused, there is no such file", 77),
                ("import of `node:fs` is refused, it is not a relative path", 97),
            ]
        );
        assert!(entry.refused_imports[0].hint.as_ref().unwrap().contains("only `mcp`"));
        let written = serde_json::to_string(&program).unwrap();
        assert_eq!(serde_json::from_str::<Program>(&written).unwrap().modules[0].imports.len(), 1);
    }

    #[test]
    fn errors_in_imported_files_name_them() {
        let folder = folder(&[
            ("main.ts", b"import './bad.ts'"),
            ("bad.ts", b"let x = \n}"),
            ("j.ts", b"import './j.json'"),
            ("j.json", b"{\n  nope }"),
            ("u.ts", b"import './u.js'"),
            ("u.js", b"\xff\xfe"),
            ("r.ts", b"import './ret.js'"),
            ("ret.js", b"return 1"),
            ("bom.ts", b"\xef\xbb\xbflet x: number = 1"),
            ("t.js", b"let x: number = 1"),
        ]);
        let load = |name: &str| Script::file(folder.path().join(name)).load(LIMIT);
        assert_eq!(load("main.ts").unwrap_err().position().unwrap().to_string(), "bad.ts:2:1");
        assert_eq!(load("j.ts").unwrap_err().to_string(), "key must be a string: j.json:2:3");
        assert!(
            load("u.ts").unwrap_err().to_string().starts_with("source file is not UTF-8 text: ")
        );
        assert_eq!(load("r.ts").unwrap_err().code(), Code::Syntax);
        assert_eq!(
            load("bom.ts").unwrap().modules[0].code,
            "export default async()=>{\nlet x         = 1\n}"
        );
        assert_eq!(load("t.js").unwrap_err().code(), Code::Syntax);
        assert_eq!(load("absent.ts").unwrap_err().code(), Code::SourceRead);
        assert_eq!(load("j.json").unwrap_err().code(), Code::SourceRead);
    }

    #[test]
    fn the_limit_counts_all_modules_together() {
        let folder = folder(&[("main.ts", b"import './a.ts'"), ("a.ts", b"let x = 1")]);
        let load = |limit| Script::file(folder.path().join("main.ts")).load(limit);
        assert!(load(24).is_ok());
        let error = load(23).unwrap_err();
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            (Code::SourceSize, "the source is larger than 23 bytes: a.ts")
        );
        assert_eq!(Script::ts("1234").load(3).unwrap_err().code(), Code::SourceSize);
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_opened() {
        let folder = folder(&[("main.ts", b"import './dir.ts'"), ("dir.ts/x", b"")]);
        let error = Script::file(folder.path().join("main.ts")).load(LIMIT).unwrap_err();
        assert_eq!(error.code(), Code::ImportRefused);
        assert_eq!(
            Script::file(folder.path().join("dir.ts")).load(LIMIT).unwrap_err().code(),
            Code::SourceRead
        );
    }
}
