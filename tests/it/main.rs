//! The tests of pml that see it from outside: the crate as an embedder does, the command as a person does, the tree as a
//! developer does.

mod answers;
mod approval_story;
mod approvals;
mod asks;
mod audit;
mod calls;
mod cases;
mod cli;
mod cloud;
mod commands_call;
mod commands_check;
mod commands_doctor;
mod commands_servers;
mod conformance;
mod costs;
mod cuts;
mod dependencies;
mod determinism;
#[cfg(target_os = "linux")]
mod endings;
mod examples;
mod fairness;
mod finding;
mod followed;
mod guest;
mod hostile;
mod hostile_conditions;
#[cfg(target_os = "linux")]
mod hostile_costs;
#[cfg(unix)]
mod hostile_install;
mod hostile_journal;
mod hostile_record;
mod hostile_showing;
mod hostile_trust;
mod init;
mod installs;
mod journals;
mod kills;
mod ladder_caller;
mod ladder_clients;
mod ladder_dialog;
mod ladder_rounds;
mod ladder_support;
mod ladder_tasks;
mod lapses;
mod limits;
#[cfg(unix)]
mod links;
mod logging;
mod mended;
mod missing;
#[cfg(unix)]
mod moved_journal;
mod needs;
mod older_journal;
#[cfg(target_os = "linux")]
mod prompts;
mod real_clients;
mod real_project;
mod real_servers;
mod rebuilds;
mod rooms;
mod run_commands;
mod settings;
mod stdio;
mod support;
mod survivors;
mod trust;
mod types;
mod watch;
mod workflow_state;
