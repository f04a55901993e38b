//! Compares what modules import with what others export, before anything runs.
//!
//! A name that is only a type in the module it comes from is erased from imports and exports. A
//! name that does not exist is refused with its position; QuickJS would name only the modules.
//!
//! Input: the loaded modules with their names. Output: the same modules with the types erased, or
//! the first refusal. **Invariant:** the search for a name visits each module at most once.

mod export_index;
#[cfg(test)]
mod tests;

pub(super) use export_index::link;
