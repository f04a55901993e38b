//! The conditions that a call suggests, for a person to choose from.
//!
//! **Invariant:** an offer names every argument of the call, holds for that very call, and contains
//! no secret: no offer is better than a loose one. **Invariant:** an argument that looks like a
//! path, a URL, a command or one of a few values is never left free in the first offer.

mod offers;
mod suggested;
#[cfg(test)]
mod tests;

pub use offers::offered;
pub(crate) use offers::offered_with;
