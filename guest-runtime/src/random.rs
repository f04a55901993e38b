//! The program's random numbers: ChaCha20 over the run's seed.
//!
//! QuickJS's own generator is seeded when the engine is made, which here is before the snapshot: every run would draw
//! the same numbers. This one is seeded by `start`.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::cell::RefCell;

thread_local! {
    static GENERATOR: RefCell<Option<ChaCha20Rng>> = const { RefCell::new(None) };
}

/// Starts the run's sequence.
pub(crate) fn seed(seed: [u8; 32]) {
    GENERATOR.set(Some(ChaCha20Rng::from_seed(seed)));
}

/// Fills `bytes` with the next part of the sequence.
pub(crate) fn fill(bytes: &mut [u8]) {
    with(|generator| generator.fill_bytes(bytes));
}

/// The next number in `[0, 1)`, with all the 53 bits a double can hold.
pub(crate) fn float() -> f64 {
    const SCALE: f64 = 1.0 / (1u64 << 53) as f64;
    with(|generator| (generator.next_u64() >> 11) as f64 * SCALE)
}

fn with<T>(draw: impl FnOnce(&mut ChaCha20Rng) -> T) -> T {
    GENERATOR.with_borrow_mut(|generator| {
        draw(generator.as_mut().expect("programs run only after `start` has given the seed"))
    })
}
