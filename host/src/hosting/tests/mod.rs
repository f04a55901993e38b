//! Tests of hosted runs: their retention, their clients, and what each client reads.

mod clients;
mod console;
mod fixture;
mod retention;

use fixture::{approve, asking_run, engine, host_of_two, result, tools, wait_asked, wait_ended};
