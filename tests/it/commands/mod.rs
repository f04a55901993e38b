//! The commands of `pml`, as a person or a script uses them.

mod cache;
mod call;
mod check;
mod cli;
mod doctor;
mod habits;
mod help;
mod init;
mod interrupts;
mod json;
mod logging;
mod runs;
mod screens;
mod servers;
mod setup_screens;
mod watch;
mod wrong_inputs;
