//! The command `pml doctor`: runs all checks and prints them.

use super::check::{CheckStatus, DoctorCheck};
use super::{machine, policy, project, servers};
use crate::doctor::audit_trail;
use crate::execute::runtime;
use crate::project_context::ProjectContext;
use crate::quantity::counted;
use crate::report::{self, FAILED};
use crate::server_query::query_tools;
use crate::ui::{self, BAD, BOLD, GOOD};
use crate::widening_permit::TrustOnceFlags;
use anyhow::Result;
use clap::Args;
use pml::json::{Value, json};
use pml::{
    Code, Environment, Error,
    project::{Freshness, locate},
};
use std::process::ExitCode;

/// Check this machine and project, and say what to do about each problem
///
/// Checks whether programs can run, the project's files, its servers, its permissions, and whether a
/// client uses pml. Nothing is changed. Servers are started only with `--start`, and stopped again.
///
/// Exit codes: 0, or 1 if something does not work.
#[derive(Args)]
pub(crate) struct DoctorCommand {
    /// Start the servers, and check whether they answer
    #[arg(long)]
    start: bool,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    once: TrustOnceFlags,
}

impl DoctorCommand {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let environment = Environment::of_process();
        let folder = crate::project::current_folder()?;
        let root = locate(&folder, &environment);
        let mut checks = machine::checks(&root);
        checks.push(audit_trail::check());
        match ProjectContext::open(self.once.files_trust()?) {
            Ok(context) => self.check_project(&context, &environment, &mut checks)?,
            // A project that cannot be opened cannot be checked further.
            Err(error) => checks.push(match error.downcast_ref::<Error>() {
                Some(error) => DoctorCheck::error("project", error),
                None => DoctorCheck::failure("project", pml::text::escape(&error.to_string())),
            }),
        }
        checks.extend(project::clients(&folder, &environment));
        let failures = count(&checks, CheckStatus::Failure);
        let checks_json: Value = checks.iter().map(DoctorCheck::json).collect();
        let document = json!({ "ok": failures == 0, "checks": checks_json });
        match (self.json, failures as u64) {
            (true, 0) => ui::document(&document)?,
            (true, failures) => {
                let message = format!("{} failed", counted(failures, "check"));
                report::fail_with_document(document, Code::CommandFailed, &message)?;
            }
            (false, _) => ui::print(&lines(&checks).join("\n"))?,
        }
        Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }

    fn check_project(
        &self,
        context: &ProjectContext,
        environment: &Environment,
        checks: &mut Vec<DoctorCheck>,
    ) -> Result<()> {
        checks.extend(project::checks(&context.project));
        let freshness = if self.start { Freshness::Live } else { Freshness::CachedOnly };
        let offer = runtime()?.block_on(async {
            let offer = query_tools(context, |_| true, freshness).await;
            checks.extend(match self.start {
                true => servers::check_started(context).await,
                false => servers::check_declarations(context, environment).await,
            });
            context.servers.close().await;
            offer
        });
        checks.extend(policy::checks(&context.project, &offer.definitions));
        Ok(())
    }
}

fn count(checks: &[DoctorCheck], status: CheckStatus) -> usize {
    checks.iter().filter(|check| check.status == status).count()
}

fn lines(checks: &[DoctorCheck]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut area = None;
    for check in checks {
        if area.replace(check.area) != Some(check.area) {
            lines.push(format!("{BOLD}{}{BOLD:#}", check.area));
        }
        lines.push(check.line());
    }
    let warnings = count(checks, CheckStatus::Warning) as u64;
    lines.push(match (count(checks, CheckStatus::Failure) as u64, warnings) {
        (0, 0) => match checks.iter().filter(|check| check.is_next_step()).count() as u64 {
            0 => format!("{GOOD}no problems found{GOOD:#}"),
            1 => format!("{GOOD}no problems found{GOOD:#}, and 1 hint says what to do next"),
            steps => {
                format!("{GOOD}no problems found{GOOD:#}, and {steps} hints say what to do next")
            }
        },
        (0, warnings) => format!("{GOOD}no failures{GOOD:#}, {}", counted(warnings, "warning")),
        (failures, warnings) => format!(
            "{BAD}{}{BAD:#}, {}",
            counted(failures, "failure"),
            counted(warnings, "warning")
        ),
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::{DoctorCheck, lines};

    #[test]
    fn checks_stand_under_what_they_are_about() {
        let checks = [
            DoctorCheck::fine("machine", "programs run"),
            DoctorCheck::failure("project", "one\ntwo").hint("mend it"),
        ];
        let shown: Vec<_> = lines(&checks)
            .iter()
            .map(|line| anstream::adapter::strip_str(line).to_string())
            .collect();
        pml_kit::insta::assert_snapshot!(lines(&checks).join("\n").replace('\u{1b}', "␛"), @r"
        ␛[1mmachine␛[0m
        ␛[32mok  ␛[0m  programs run
        ␛[1mproject␛[0m
        ␛[31mfail␛[0m  one
              two
              ␛[1m␛[36mhint␛[0m: mend it
        ␛[31m1 failure␛[0m, 0 warnings
        ");
        let next = [DoctorCheck::note("clients", "no client").hint("add one")];
        assert!(
            lines(&next).last().is_some_and(|line| line.ends_with("1 hint says what to do next"))
        );
        assert_eq!(
            shown,
            [
                "machine",
                "ok    programs run",
                "project",
                "fail  one\n      two\n      hint: mend it",
                "1 failure, 0 warnings",
            ]
        );
    }
}
