//! Follows a function to the one that awaits it, and on, as long as that is certain.

use std::collections::{HashMap, HashSet};

use oxc::syntax::symbol::SymbolId;

use super::holder::HolderKind;
use super::module_functions::{
    FunctionInfo, FunctionUse, MemberSide, MethodName, ModuleFunctions, UseKind, ValueUse,
};
use super::reader;
use crate::model::WorkSlice;
use crate::model::{LineIndex, Position};
use crate::source::error::ModuleText;
use crate::source::program::{Language, Program, SourceModule};
use crate::source::trace::StackFrame;
use crate::source::{parse, stack};

/// Most frames that are followed.
const FRAMES: usize = 20;

/// A function of the program: the indexes of its module, and of itself in there.
type FunctionId = (usize, usize);
/// A use of a function, with the index of its module.
type PlacedUse = (usize, FunctionUse);

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
        let mut passed = Vec::new();
        let Some(mut at) = self.async_function_at(outermost) else { return frames };
        while frames.len() < FRAMES {
            let Some((module, site)) = self.awaiting_use(at, &mut passed, &mut visited) else {
                break;
            };
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
    fn async_function_at(&mut self, position: &Position) -> Option<FunctionId> {
        let program = self.program;
        let (module, functions) = self.module(&position.module)?;
        let offset = LineIndex::new(&program.modules[module].source).byte_offset(position)?;
        let function = functions.function_at(offset)?;
        functions.functions[function].is_async.then_some((module, function))
    }

    /// Returns the place that awaits a function or returns its promise. `passed` are the functions
    /// that were given a function of the search so far, each with the call that gave it.
    fn awaiting_use(
        &mut self,
        at: FunctionId,
        passed: &mut Vec<(FunctionId, PlacedUse)>,
        visited: &mut HashSet<FunctionId>,
    ) -> Option<PlacedUse> {
        if let Some((_, call)) = passed.pop_if(|(receiver, _)| *receiver == at) {
            return self.settled_use(call);
        }
        if !visited.insert(at) {
            return None;
        }
        let (module, only) = self.only_use(at)?;
        match only.kind {
            UseKind::Called => self.settled_use((module, only)),
            UseKind::Passed { callee, index } => {
                let receiver = self.function_of(module, callee)?;
                let functions = self.modules.get(&receiver.0)?;
                let parameter = (*functions.functions[receiver.1].parameters.get(index)?)?;
                let [call] = functions.uses_of(parameter) else { return None };
                if call.kind != UseKind::Called || functions.mentions_arguments {
                    return None;
                }
                let call = (receiver.0, *call);
                passed.push((receiver, (module, only)));
                self.settled_use(call)
            }
            _ => None,
        }
    }

    /// Follows the value of a call to the place that awaits or returns it.
    fn settled_use(&self, (module, mut used): PlacedUse) -> Option<PlacedUse> {
        let functions = self.modules.get(&module)?;
        for _ in 0..FRAMES {
            let (ValueUse::Held(symbol) | ValueUse::Listed(symbol)) = used.value else {
                return (used.value != ValueUse::Other).then_some((module, used));
            };
            if functions.is_exported(symbol) {
                return None;
            }
            let is_list = matches!(used.value, ValueUse::Listed(_));
            let uses = functions.uses_of(symbol).iter();
            let mut uses = uses.filter(|it| !is_list || it.kind != UseKind::Pushed);
            let (only, None) = (uses.next()?, uses.next()) else { return None };
            let wanted = match is_list && functions.lists.contains(&symbol) {
                true => UseKind::Gathered,
                false => UseKind::Read,
            };
            if only.kind != wanted || is_list != (wanted == UseKind::Gathered) {
                return None;
            }
            used = *only;
        }
        None
    }

    /// Returns the only place that can have called a function, or passed it on.
    fn only_use(&mut self, (module, function): FunctionId) -> Option<PlacedUse> {
        let info = self.function(module, function)?;
        let uses = match (info.symbol, &info.method) {
            (Some(symbol), _) => {
                let aliases = self.aliases(module, symbol)?;
                let uses = aliases.iter().flat_map(|(module, symbol)| {
                    let uses = self.modules.get(module).map_or(&[][..], |it| it.uses_of(*symbol));
                    uses.iter().map(|used| (*module, *used))
                });
                uses.collect()
            }
            (None, Some(method)) => {
                let method = method.clone();
                self.method_uses(module, &method)?
            }
            (None, None) => return info.used.map(|used| (module, used)),
        };
        match uses.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Returns the places that name a method. Returns `None` if it can be called without its name.
    fn method_uses(&mut self, module: usize, method: &MethodName) -> Option<Vec<PlacedUse>> {
        let functions = self.modules.get(&module)?;
        let (holder, member) = (functions.holders.get(method.holder)?, &method.member);
        let own = holder.own_uses.get(member).into_iter().flatten();
        let mut uses: Vec<PlacedUse> = own.map(|used| (module, *used)).collect();
        // Only the class itself can name a private member.
        if member.name.starts_with('#') {
            return Some(uses);
        }
        if !holder.is_sealed() {
            return None;
        }
        let (kind, symbol) = (holder.kind, holder.symbol?);
        let mut instances = Vec::new();
        for (place, symbol) in self.aliases(module, symbol)? {
            let holder = self.modules.get(&module)?.holders.get(method.holder)?;
            let functions = self.modules.get(&place)?;
            if kind == HolderKind::Object {
                instances.push((place, symbol));
                continue;
            }
            for used in functions.uses_of(symbol) {
                match (used.kind, used.value) {
                    (UseKind::Member | UseKind::InstanceMember, _) => {}
                    (UseKind::Constructed, ValueUse::Held(instance)) => {
                        instances.push((place, instance));
                    }
                    _ => return None,
                }
            }
            let members = functions.members_of(symbol);
            if !members.iter().all(|(name, _)| holder.has_static(name)) {
                return None;
            }
            let found = match member.side {
                MemberSide::Static => members,
                MemberSide::Instance => functions.instance_members_of(symbol),
            };
            uses.extend(holder.uses_of_member(member, found)?.map(|used| (place, used)));
        }
        for (place, instance) in instances {
            for (place, symbol) in self.aliases(place, instance)? {
                let holder = self.modules.get(&module)?.holders.get(method.holder)?;
                let functions = self.modules.get(&place)?;
                if functions.uses_of(symbol).iter().any(|used| used.kind != UseKind::Member) {
                    return None;
                }
                if member.side == MemberSide::Instance {
                    let found = holder.uses_of_member(member, functions.members_of(symbol))?;
                    uses.extend(found.map(|used| (place, used)));
                }
            }
        }
        Some(uses)
    }

    /// Returns the function that a variable holds, in this module or the one that it comes from.
    fn function_of(&mut self, module: usize, symbol: SymbolId) -> Option<FunctionId> {
        let functions = self.modules.get(&module)?;
        let import = functions.imports.iter().find(|(imported, ..)| *imported == symbol);
        let Some((_, specifier, name)) = import.cloned() else {
            return self.holding(module, symbol);
        };
        let program = self.program;
        let imports = &program.modules[module].imports;
        let (_, target) = imports.iter().find(|(from, _)| *from == specifier)?;
        let (exporter, exported) = self.module(target)?;
        let (symbol, _) = exported.exports.iter().find(|(_, exported)| *exported == name)?;
        let symbol = *symbol;
        self.holding(exporter, symbol)
    }

    /// Returns the only function that a variable of a module holds.
    fn holding(&self, module: usize, symbol: SymbolId) -> Option<FunctionId> {
        let functions = self.modules.get(&module)?.functions.iter().enumerate();
        let mut held = functions.filter(|(_, function)| function.symbol == Some(symbol));
        let (only, None) = (held.next()?, held.next()) else { return None };
        Some((module, only.0))
    }

    /// Returns the variables of all modules that are one variable. Returns `None` if others may use
    /// it in a way that cannot be seen.
    fn aliases(&mut self, exporter: usize, symbol: SymbolId) -> Option<Vec<(usize, SymbolId)>> {
        let mut aliases = vec![(exporter, symbol)];
        let exports = &self.modules.get(&exporter)?.exports;
        let names: Vec<String> = exports
            .iter()
            .filter(|(exported, _)| *exported == symbol)
            .map(|(_, name)| name.clone())
            .collect();
        if names.is_empty() {
            return Some(aliases);
        }
        // The guest calls the default export of the program itself.
        if exporter == 0 && names.iter().any(|name| name == "default") {
            return None;
        }
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
            for (imported, specifier, name) in &functions.imports {
                if specifiers.contains(&specifier.as_str()) && names.contains(name) {
                    // What is exported again may be used anywhere.
                    if functions.is_exported(*imported) {
                        return None;
                    }
                    aliases.push((index, *imported));
                }
            }
        }
        Some(aliases)
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
