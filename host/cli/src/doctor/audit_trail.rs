//! Checks that the audit trail was not changed.

use super::check::DoctorCheck;
use crate::execute::runtime;
use crate::project;
use anyhow::Result;
use pml::{
    Error,
    journal::{AuditFilter, AuditTrail},
    text::escape,
};

const AREA: &str = "project";

/// Checks the audit trail of the project.
pub(super) fn check() -> DoctorCheck {
    match read_trail() {
        Ok(trail) => check_trail(&trail),
        Err(error) => {
            let why = escape(&error.to_string()).into_owned();
            DoctorCheck::failure(AREA, format!("the audit trail cannot be read: {why}"))
        }
    }
}

fn read_trail() -> Result<AuditTrail> {
    let journal = project::audit_journal()?;
    // The whole trail is verified, however many entries are returned.
    let none = AuditFilter { limit: Some(0), ..AuditFilter::default() };
    Ok(runtime()?.block_on(journal.audit_trail(none)).map_err(Error::from)?)
}

fn check_trail(trail: &AuditTrail) -> DoctorCheck {
    if let Some(broken) = &trail.defect {
        let how = escape(&broken.to_string()).into_owned();
        return DoctorCheck::failure(AREA, format!("the audit trail was changed: {how}")).hint(
            "`pml audit` shows it; if you know why, `pml audit --accept` accepts it as it is",
        );
    }
    match (trail.accepted, trail.count) {
        (_, 0) => DoctorCheck::note(AREA, "the audit trail is empty"),
        (None, _) if trail.anchored.is_none() => {
            DoctorCheck::warning(
                AREA,
                "the last hash of the audit trail is not in your state folder, so entries may be missing",
            )
            .hint("`pml audit --accept` records the hash from now on")
        }
        (None, _) => DoctorCheck::fine(AREA, "the audit trail is unchanged"),
        (Some(up_to), _) => DoctorCheck::fine(
            AREA,
            format!(
                "the audit trail is unchanged; its entries up to {up_to} were accepted as they are"
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::check_trail;
    use crate::doctor::check::CheckStatus;
    use pml::journal::{AuditTrail, TrailDefect};

    #[test]
    fn a_trail_is_what_was_written_or_it_is_said() {
        let with = |change: fn(&mut AuditTrail)| {
            let mut trail = AuditTrail::default();
            (trail.count, trail.anchored) = (3, Some(3));
            change(&mut trail);
            check_trail(&trail)
        };
        assert_eq!(with(|_| {}).status, CheckStatus::Fine);
        assert_eq!(with(|trail| trail.count = 0).status, CheckStatus::Note);
        assert_eq!(with(|trail| trail.anchored = None).status, CheckStatus::Warning);
        let accepted = with(|trail| trail.accepted = Some(2));
        assert!(
            accepted.status == CheckStatus::Fine && accepted.message.contains("up to 2"),
            "{accepted:?}"
        );
        let broken = with(|trail| trail.defect = Some(TrailDefect::Changed { number: 2 }));
        assert_eq!(broken.status, CheckStatus::Failure);
        assert!(broken.hint.is_some_and(|hint| hint.contains("`pml audit`")));
    }
}
