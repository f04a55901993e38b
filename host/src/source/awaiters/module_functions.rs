//! The functions of one module, and the places where they are used.

use std::collections::{HashMap, HashSet};

use oxc::span::Span;
use oxc::syntax::symbol::SymbolId;

use super::holder::MethodHolder;

/// What becomes of the value of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueUse {
    /// The function around it awaits the value.
    Awaited,
    /// The function around it returns the value.
    Returned,
    /// A constant holds the value.
    Held(SymbolId),
    /// The value is an element of the list that a constant holds.
    Listed(SymbolId),
    /// Anything else.
    Other,
}

/// What is done with a variable or a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UseKind {
    /// It is called. `map` inside `Promise.all` counts as a call.
    Called,
    /// It is read as it is.
    Read,
    /// A member of it is read or called: see `members`.
    Member,
    /// An element is added to it.
    Pushed,
    /// `Promise.all` and the like wait for its elements.
    Gathered,
    /// It is called with `new`, and a constant holds the instance.
    Constructed,
    /// A member of a new instance of it is read or called: see `instance_members`.
    InstanceMember,
    /// It is an argument of a call.
    Passed { callee: SymbolId, index: usize },
}

/// A place where a function is called, or used in another way.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionUse {
    /// The function around the place; `None` for the top level.
    pub(super) inside: Option<usize>,
    /// The offset of the call.
    pub(super) offset: u32,
    pub(super) kind: UseKind,
    pub(super) value: ValueUse,
}

/// The member of an object or a class that a function is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct MethodName {
    /// The index of the object or class.
    pub(super) holder: usize,
    pub(super) member: MemberName,
}

/// The name of a member, and what it is a member of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct MemberName {
    pub(super) side: MemberSide,
    pub(super) name: String,
}

/// What a member belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MemberSide {
    /// An object, or the instances of a class.
    Instance,
    /// The class itself.
    Static,
}

/// One function of a module.
#[derive(Debug)]
pub(super) struct FunctionInfo {
    pub(super) span: Span,
    pub(super) name: Option<String>,
    pub(super) is_async: bool,
    /// The variable that holds it, if that never changes.
    pub(super) symbol: Option<SymbolId>,
    /// The member that it is.
    pub(super) method: Option<MethodName>,
    /// The place where a function without a variable is called.
    pub(super) used: Option<FunctionUse>,
    /// The parameters that are plain names and never change.
    pub(super) parameters: Vec<Option<SymbolId>>,
}

/// The functions of a module.
#[derive(Debug, Default)]
pub(super) struct ModuleFunctions {
    pub(super) functions: Vec<FunctionInfo>,
    /// The uses of each variable.
    pub(super) uses: HashMap<SymbolId, Vec<FunctionUse>>,
    /// The uses of the members of each variable.
    pub(super) members: HashMap<SymbolId, Vec<(String, FunctionUse)>>,
    /// The uses of members of new instances, by the variable of their class.
    pub(super) instance_members: HashMap<SymbolId, Vec<(String, FunctionUse)>>,
    /// The objects and classes with methods.
    pub(super) holders: Vec<MethodHolder>,
    /// Constants that hold a new list.
    pub(super) lists: HashSet<SymbolId>,
    /// The names under which variables are exported.
    pub(super) exports: Vec<(SymbolId, String)>,
    /// Variables that are imported: the specifier and the name.
    pub(super) imports: Vec<(SymbolId, String, String)>,
    /// Specifiers of modules that are imported or exported as a whole, so that any name of them may
    /// be used.
    pub(super) opaque: HashSet<String>,
    /// Whether a function may reach its arguments by `arguments`.
    pub(super) mentions_arguments: bool,
}

impl ModuleFunctions {
    /// Returns the innermost function around an offset.
    pub(super) fn function_at(&self, offset: u32) -> Option<usize> {
        let around =
            self.functions.iter().enumerate().filter(|(_, function)| {
                function.span.start <= offset && offset < function.span.end
            });
        around.min_by_key(|(_, function)| function.span.size()).map(|(index, _)| index)
    }

    /// Returns the uses of a variable.
    pub(super) fn uses_of(&self, symbol: SymbolId) -> &[FunctionUse] {
        self.uses.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// Returns the uses of the members of a variable.
    pub(super) fn members_of(&self, symbol: SymbolId) -> &[(String, FunctionUse)] {
        self.members.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// Returns the uses of members of new instances of a class.
    pub(super) fn instance_members_of(&self, class: SymbolId) -> &[(String, FunctionUse)] {
        self.instance_members.get(&class).map_or(&[], Vec::as_slice)
    }

    /// Reports whether a variable is exported.
    pub(super) fn is_exported(&self, symbol: SymbolId) -> bool {
        self.exports.iter().any(|(exported, _)| *exported == symbol)
    }
}
