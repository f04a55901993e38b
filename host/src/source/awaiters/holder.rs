//! The objects and classes of a module that hold methods.
//!
//! A method is called only by naming it after its object, if the object itself is never passed on:
//! neither by the variable that holds it, nor by `this`.

use std::collections::{HashMap, HashSet};

use oxc::syntax::symbol::SymbolId;

use super::module_functions::{FunctionUse, MemberName, MemberSide, UseKind};

/// Members through which an object or its class can be had as a whole.
const REVEALING: [&str; 4] = ["__proto__", "constructor", "prototype", "valueOf"];

/// Reports whether a member gives the object or its class as a whole.
pub(super) fn is_revealing(name: &str) -> bool {
    REVEALING.contains(&name)
}

/// Whether something is an object or a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HolderKind {
    Object,
    Class,
}

/// An object or a class with methods.
#[derive(Debug)]
pub(super) struct MethodHolder {
    pub(super) kind: HolderKind,
    /// The variable that holds it, if that never changes.
    pub(super) symbol: Option<SymbolId>,
    /// Whether it has members that the text does not name: spread, computed or inherited ones.
    pub(super) is_open: bool,
    /// Whether its functions pass `this` on.
    pub(super) passes_this_on: bool,
    /// Its functions that are written out.
    pub(super) functions: HashSet<MemberName>,
    /// Members that its functions write to.
    pub(super) written: HashSet<MemberName>,
    /// Uses of members of `this`, and of private members.
    pub(super) own_uses: HashMap<MemberName, Vec<FunctionUse>>,
}

impl MethodHolder {
    /// Returns a holder without members.
    pub(super) fn new(kind: HolderKind, symbol: Option<SymbolId>) -> Self {
        Self {
            kind,
            symbol,
            is_open: false,
            passes_this_on: false,
            functions: HashSet::new(),
            written: HashSet::new(),
            own_uses: HashMap::new(),
        }
    }

    /// Reports whether only those who name a method of it can call it. `false` if it can be had as a
    /// whole, or if one of its members may be a function from elsewhere, which gets it as `this`.
    pub(super) fn is_sealed(&self) -> bool {
        let calls_own = self.own_uses.iter().all(|(member, uses)| {
            self.functions.contains(member) || !uses.iter().any(|it| it.kind == UseKind::Called)
        });
        !self.is_open
            && !self.passes_this_on
            && calls_own
            && self.functions.is_disjoint(&self.written)
    }

    /// Returns the uses of a member among those of a variable that holds the object or an instance.
    /// Returns `None` if a function from elsewhere is called on it.
    pub(super) fn uses_of_member<'u>(
        &self,
        member: &MemberName,
        uses: &'u [(String, FunctionUse)],
    ) -> Option<impl Iterator<Item = FunctionUse> + use<'u>> {
        let of_side = |name: &str| MemberName { side: member.side, name: name.to_owned() };
        let is_own = |(name, used): &(String, FunctionUse)| {
            used.kind != UseKind::Called || self.functions.contains(&of_side(name))
        };
        let name = member.name.clone();
        let named =
            move |(used_name, used): &(String, FunctionUse)| (*used_name == name).then_some(*used);
        uses.iter().all(is_own).then(|| uses.iter().filter_map(named))
    }

    /// Reports whether a class has a static function of this name.
    pub(super) fn has_static(&self, name: &str) -> bool {
        let member = MemberName { side: MemberSide::Static, name: name.to_owned() };
        self.functions.contains(&member)
    }
}
