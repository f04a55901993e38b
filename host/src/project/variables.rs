//! The variables for settings: those of the process, and those of `.env` where they are allowed.

use crate::config::Environment;
use crate::model::Secret;
use std::collections::BTreeMap;

/// The variables for an expansion.
pub(super) struct ExpansionVariables<'a> {
    process: &'a Environment,
    file: &'a BTreeMap<String, Secret>,
}

impl<'a> ExpansionVariables<'a> {
    /// Returns the variables of a process and a `.env`.
    pub(super) fn new(
        process: &'a Environment,
        file: &'a BTreeMap<String, Secret>,
    ) -> ExpansionVariables<'a> {
        ExpansionVariables { process, file }
    }

    /// Returns a variable of the process. Only these may decide what is started and where keys are
    /// sent.
    pub(super) fn of_process(&self, name: &str) -> Option<&'a str> {
        self.process.variable(name)
    }

    /// Returns a variable of the process or of `.env`; the process wins.
    pub(super) fn of_process_or_file(&self, name: &str) -> Option<&'a str> {
        self.of_process(name).or_else(|| self.file.get(name).map(Secret::reveal))
    }
}
