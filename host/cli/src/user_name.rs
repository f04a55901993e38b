//! The name of the current user, as far as the system reports it.

/// Returns the user's name, the name of the account, or the user id if there is no name.
#[expect(clippy::disallowed_methods, reason = "a name to show and to record, not a setting")]
pub(super) fn user() -> String {
    let named = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
    let named = named.filter(|name| !name.is_empty());
    named.or_else(pml::Environment::account_name).unwrap_or_else(user_id)
}

#[cfg(unix)]
fn user_id() -> String {
    format!("uid {}", rustix::process::getuid().as_raw())
}

#[cfg(not(unix))]
fn user_id() -> String {
    "somebody".into()
}
