//! What programs can do, and what limits them.

mod calls;
mod cases;
mod costs;
mod determinism;
mod failures;
mod fairness;
mod imports;
mod last_expression;
mod limits;
mod unhandled;
mod unplaced;
