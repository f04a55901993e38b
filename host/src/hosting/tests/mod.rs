//! Tests of hosted runs: who keeps them, who waits for them, and who sees what of them.

mod retention;
