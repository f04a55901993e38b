//! The commands of `pml`, as a person or a script uses them.

mod call;
mod check;
mod cli;
mod doctor;
mod init;
mod logging;
mod runs;
mod screens;
mod servers;
mod watch;
mod wrong_inputs;
