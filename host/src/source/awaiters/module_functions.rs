//! The functions of one module, and the places where they are used.

use std::collections::{HashMap, HashSet};

use oxc::span::Span;
use oxc::syntax::symbol::SymbolId;

/// What becomes of the value of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueUse {
    /// The function around it awaits the value.
    Awaited,
    /// The function around it returns the value.
    Returned,
    /// Anything else.
    Other,
}

/// A place where a function is called, or used in another way.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionUse {
    /// The function around the place; `None` for the top level.
    pub(super) inside: Option<usize>,
    /// The offset of the call.
    pub(super) offset: u32,
    pub(super) value: ValueUse,
}

/// One function of a module.
#[derive(Debug)]
pub(super) struct FunctionInfo {
    pub(super) span: Span,
    pub(super) name: Option<String>,
    pub(super) is_async: bool,
    /// The variable that holds it, if that never changes.
    pub(super) symbol: Option<SymbolId>,
    /// The place where a function without a variable is called.
    pub(super) used: Option<FunctionUse>,
}

/// The functions of a module.
#[derive(Debug, Default)]
pub(super) struct ModuleFunctions {
    pub(super) functions: Vec<FunctionInfo>,
    /// The uses of each variable.
    pub(super) uses: HashMap<SymbolId, Vec<FunctionUse>>,
    /// The names under which variables are exported.
    pub(super) exports: Vec<(SymbolId, String)>,
    /// Variables that are imported: the specifier and the name.
    pub(super) imports: Vec<(SymbolId, String, String)>,
    /// Specifiers of modules that are imported or exported as a whole, so that any name of them may
    /// be used.
    pub(super) opaque: HashSet<String>,
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
}
