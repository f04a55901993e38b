//! Follows a function to the one that awaits it, and on, as long as that is certain.

use std::collections::{HashMap, HashSet};

use super::module_functions::{FunctionInfo, FunctionUse, ModuleFunctions, ValueUse};
use super::reader;
use crate::model::WorkSlice;
use crate::model::{LineIndex, Position};
use crate::source::error::ModuleText;
use crate::source::program::{Language, Program, SourceModule};
use crate::source::trace::StackFrame;
use crate::source::{parse, stack};

/// Most frames that are followed.
const FRAMES: usize = 20;

/// The functions of a program, read module by module as they are needed.
pub(in crate::source) struct FunctionIndex<'p> {
    program: &'p Program,
    run: Option<&'p WorkSlice<'p>>,
    modules: HashMap<usize, ModuleFunctions>,
}

impl<'p> FunctionIndex<'p> {
    /// Returns an index that has read no module yet.
    pub(in crate::source) fn new(program: &'p Program, run: Option<&'p WorkSlice<'p>>) -> Self {
        Self { program, run, modules: HashMap::new() }
    }

    /// Returns the name of the innermost function around an offset; `None` at the top level, and
    /// `Some(None)` for a nameless function.
    pub(in crate::source) fn function_name(
        &mut self,
        module: &str,
        offset: u32,
    ) -> Option<Option<String>> {
        let functions = self.module(module)?.1;
        let function = functions.function_at(offset)?;
        Some(functions.functions[function].name.clone())
    }

    /// Reports whether two offsets of a module are inside the same function.
    pub(in crate::source) fn is_same_function(&mut self, module: &str, one: u32, two: u32) -> bool {
        let found = self.module(module);
        found.is_some_and(|(_, it)| it.function_at(one) == it.function_at(two))
    }

    /// Returns the frames that await the function of a frame, innermost first.
    pub(in crate::source) fn awaiting(&mut self, outermost: &Position) -> Vec<StackFrame> {
        let mut frames = Vec::new();
        let mut visited = HashSet::new();
        let Some(mut at) = self.async_function_at(outermost) else { return frames };
        while frames.len() < FRAMES && visited.insert(at) {
            let Some((module, site)) = self.only_use(at) else { break };
            let source = &self.program.modules[module];
            let position =
                LineIndex::new(&source.source).position(&source.name, site.offset as usize);
            let name = site.inside.and_then(|inside| self.function(module, inside)?.name.clone());
            frames.push(StackFrame { function: name, position, is_async: true });
            match site.inside {
                Some(function) => at = (module, function),
                None => break,
            }
        }
        frames
    }

    /// Returns the function around a position, if it can have been resumed.
    fn async_function_at(&mut self, position: &Position) -> Option<(usize, usize)> {
        let program = self.program;
        let (module, functions) = self.module(&position.module)?;
        let offset = LineIndex::new(&program.modules[module].source).byte_offset(position)?;
        let function = functions.function_at(offset)?;
        functions.functions[function].is_async.then_some((module, function))
    }

    /// Returns the only place that can have called a function, if it passes the result on.
    fn only_use(&mut self, (module, function): (usize, usize)) -> Option<(usize, FunctionUse)> {
        let info = self.function(module, function)?;
        let (symbol, used) = (info.symbol, info.used);
        let Some(symbol) = symbol else {
            return used.filter(|used| used.value != ValueUse::Other).map(|used| (module, used));
        };
        let functions = self.modules.get(&module)?;
        let mut uses: Vec<(usize, FunctionUse)> = Vec::new();
        uses.extend(functions.uses.get(&symbol).into_iter().flatten().map(|used| (module, *used)));
        let names: Vec<String> = functions
            .exports
            .iter()
            .filter(|(exported, _)| *exported == symbol)
            .map(|(_, name)| name.clone())
            .collect();
        if !names.is_empty() {
            uses.extend(self.uses_elsewhere(module, &names)?);
        }
        match uses.as_slice() {
            [(module, only)] if only.value != ValueUse::Other => Some((*module, *only)),
            _ => None,
        }
    }

    /// Returns the uses of exported names in other modules. Returns `None` if a module may use them
    /// in a way that cannot be seen.
    fn uses_elsewhere(
        &mut self,
        exporter: usize,
        names: &[String],
    ) -> Option<Vec<(usize, FunctionUse)>> {
        let mut uses = Vec::new();
        let program = self.program;
        let exporter_name = &program.modules[exporter].name;
        for (index, importer) in program.modules.iter().enumerate() {
            let specifiers: Vec<&str> = importer
                .imports
                .iter()
                .filter(|(_, target)| target == exporter_name)
                .map(|(specifier, _)| specifier.as_str())
                .collect();
            if specifiers.is_empty() {
                continue;
            }
            let (_, functions) = self.module(&importer.name)?;
            if specifiers.iter().any(|specifier| functions.opaque.contains(*specifier)) {
                return None;
            }
            for (symbol, specifier, name) in &functions.imports {
                if specifiers.contains(&specifier.as_str()) && names.contains(name) {
                    let found = functions.uses.get(symbol).into_iter().flatten();
                    uses.extend(found.map(|used| (index, *used)));
                    // What is exported again may be used anywhere.
                    if functions.exports.iter().any(|(exported, _)| exported == symbol) {
                        return None;
                    }
                }
            }
        }
        Some(uses)
    }

    fn function(&self, module: usize, function: usize) -> Option<&FunctionInfo> {
        self.modules.get(&module)?.functions.get(function)
    }

    /// Reads a module, unless it was read before or the run has no CPU time left.
    fn module(&mut self, name: &str) -> Option<(usize, &ModuleFunctions)> {
        let index = self.program.modules.iter().position(|module| module.name == name)?;
        if !self.modules.contains_key(&index) {
            if self.run.is_some_and(|run| run.check().is_err()) {
                return None;
            }
            let functions = read(&self.program.modules[index], self.run)?;
            self.modules.insert(index, functions);
        }
        self.modules.get(&index).map(|functions| (index, functions))
    }
}

fn read(module: &SourceModule, run: Option<&WorkSlice<'_>>) -> Option<ModuleFunctions> {
    if module.language == Language::Json {
        return Some(ModuleFunctions::default());
    }
    let text = ModuleText { name: &module.name, text: &module.source };
    let read = stack::on_large_stack_for(run, text, || {
        parse::with_scopes(text, module.language, reader::read)
    });
    read.ok()?.ok()
}
