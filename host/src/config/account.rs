//! This user's entry in the machine's list of accounts, which no variable and no clone can change.

use std::path::PathBuf;

/// Limit for the list of accounts: larger than any real one.
#[cfg(unix)]
const SIZE_LIMIT: u64 = 16 << 20;

/// Returns the home folder of this user's account, with links resolved. Returns `None` for a user
/// who is not in the machine's own list: directory services are not queried.
#[cfg(unix)]
pub(crate) fn home() -> Option<PathBuf> {
    home_of(&accounts()?, rustix::process::geteuid().as_raw())?.canonicalize().ok()
}

/// Returns the name of this user's account. Returns `None` for a user who is not in the machine's
/// own list.
#[cfg(unix)]
pub(crate) fn name() -> Option<String> {
    name_of(&accounts()?, rustix::process::getuid().as_raw())
}

/// Without a list of accounts there is no name.
#[cfg(not(unix))]
pub(crate) fn name() -> Option<String> {
    None
}

#[cfg(unix)]
fn accounts() -> Option<String> {
    use std::io::Read as _;
    let mut text = Vec::new();
    std::fs::File::open("/etc/passwd").ok()?.take(SIZE_LIMIT).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(unix)]
fn name_of(accounts: &str, user: u32) -> Option<String> {
    let name = accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let number = fields.nth(1)?.parse::<u32>().ok()?;
        (number == user).then(|| name.to_owned())
    });
    name.filter(|name| !name.is_empty())
}

/// Returns the home folder that the variable names: without a list of accounts it is the only
/// source.
#[cfg(not(unix))]
#[expect(clippy::disallowed_methods, reason = "it is asked for in `config` alone")]
pub(crate) fn home() -> Option<PathBuf> {
    PathBuf::from(std::env::var_os("USERPROFILE")?).canonicalize().ok()
}

#[cfg(unix)]
fn home_of(accounts: &str, user: u32) -> Option<PathBuf> {
    let home = accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let number = fields.nth(2)?.parse::<u32>().ok()?;
        (number == user).then(|| fields.nth(2).map(PathBuf::from))
    });
    // The root of the file system counts as nobody's home: everything lies in it.
    home.flatten().filter(|home| home.is_absolute() && home.parent().is_some())
}

#[cfg(all(test, unix))]
mod tests {
    use super::{home_of, name_of};
    use std::path::PathBuf;

    #[test]
    fn a_home_is_found_by_the_users_number() {
        let accounts = "root:x:0:0:root:/root:/bin/sh\n# a comment\nann:x:1000:1000::/home/ann:/bin/sh\nsys:x:3:3::/:/bin/false\n";
        assert_eq!(home_of(accounts, 1000), Some(PathBuf::from("/home/ann")));
        assert_eq!(home_of(accounts, 0), Some(PathBuf::from("/root")));
        assert_eq!(
            (home_of(accounts, 3), home_of(accounts, 7), home_of("", 0)),
            (None, None, None)
        );
        assert_eq!(name_of(accounts, 1000).as_deref(), Some("ann"));
        assert_eq!((name_of(accounts, 7), name_of(":x:5:", 5)), (None, None));
    }
}
