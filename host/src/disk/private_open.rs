//! The options to open files with.

use std::fs::OpenOptions;

/// Returns options that create files for this user only, follow no link, and do not wait for the
/// other end of a pipe.
pub(super) fn private_options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only unix has modes"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options
}
