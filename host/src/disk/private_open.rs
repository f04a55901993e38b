//! The options to open files with.

use std::fs::OpenOptions;

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewFileMode {
    /// This user only.
    Private,
    /// Whoever the umask allows, as with files that the user makes.
    Ordinary,
}

/// Returns options that create files for this user only, follow no link, and do not wait for the
/// other end of a pipe.
pub(super) fn private_options() -> OpenOptions {
    options(NewFileMode::Private)
}

/// Returns the same options for files with this mode.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only unix has modes"))]
pub(super) fn options(mode: NewFileMode) -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only unix has modes"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let mode = match mode {
            NewFileMode::Private => 0o600,
            NewFileMode::Ordinary => 0o666,
        };
        options.mode(mode).custom_flags(flags.bits().cast_signed());
    }
    options
}
