//! Who sits at this machine, as far as it knows.

/// Returns the name of the user, or their number.
#[expect(clippy::disallowed_methods, reason = "a name to show and to record, not a setting")]
pub(super) fn user() -> String {
    let named = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
    named.filter(|name| !name.is_empty()).unwrap_or_else(number)
}

#[cfg(unix)]
fn number() -> String {
    format!("uid {}", rustix::process::getuid().as_raw())
}

#[cfg(not(unix))]
fn number() -> String {
    "somebody".into()
}
