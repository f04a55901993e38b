//! The machine's Python, as far as it decides which files of a package fit.

use super::super::error::InstallError;
use crate::install::package_tool::PackageTool;
use serde::Deserialize;

/// Prints the facts. It imports only what comes with Python.
pub(super) const PRINT_PLATFORM: &str = "import json, platform, sys, sysconfig\n\
    print(json.dumps({'implementation': sys.implementation.name, \
    'version': sys.version_info[:2], 'platform': sysconfig.get_platform(), \
    'machine': platform.machine(), 'libc': platform.libc_ver(), 'macos': platform.mac_ver()[0], \
    'threads': bool(sysconfig.get_config_var('Py_GIL_DISABLED'))}))";

/// Flags for an interpreter that loads no file of the project and of no package.
pub(super) const ISOLATED: &[&str] = &["-I", "-S", "-c", PRINT_PLATFORM];

/// A Python and the machine that it runs on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(in super::super) struct PythonPlatform {
    /// As in `cpython`.
    pub(super) implementation: String,
    pub(super) version: (u32, u32),
    /// As in `linux-x86_64`, `macosx-11.0-arm64`, `win-amd64`.
    platform: String,
    machine: String,
    /// The name and the version of the C library, if it is glibc.
    libc: (String, String),
    /// The version of macOS, if it is one.
    macos: String,
    /// Whether it runs threads without a global lock.
    pub(super) threads: bool,
}

/// The operating system of a [`PythonPlatform`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PythonSystem {
    /// Linux with glibc of this version.
    Glibc(u32, u32),
    /// Linux with another C library.
    Musl,
    /// macOS of this version.
    MacOs(u32, u32),
    /// Another system, whose files have exactly its name.
    Other,
}

impl PythonPlatform {
    /// Reads what [`PRINT_PLATFORM`] printed.
    pub(super) fn read(
        tool: &PackageTool<'_>,
        printed: &[u8],
    ) -> Result<PythonPlatform, InstallError> {
        let found: Option<PythonPlatform> = serde_json::from_slice(printed).ok();
        let plain = |text: &str| {
            !text.is_empty()
                && text.len() <= 60
                && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        found
            .filter(|found| plain(&found.implementation) && plain(&found.platform))
            .ok_or_else(|| tool.unreadable("its Python does not say what it is"))
    }

    /// Returns the label, as in `linux-x86_64-cpython3.11`.
    pub(in super::super) fn label(&self) -> String {
        let machine = match self.system() {
            PythonSystem::Glibc(..) => self.platform.clone(),
            PythonSystem::Musl => self.platform.replacen("linux", "linux_musl", 1),
            PythonSystem::MacOs(..) => format!("macos-{}", self.architecture()),
            PythonSystem::Other => self.platform.clone(),
        };
        let (major, minor) = self.version;
        let threads = if self.threads { "t" } else { "" };
        format!("{machine}-{}{major}.{minor}{threads}", self.implementation)
    }

    /// Returns the system.
    pub(super) fn system(&self) -> PythonSystem {
        let version = |text: &str| {
            let mut parts = text.split('.').map(|part| part.parse().unwrap_or(0));
            (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
        };
        if self.platform.starts_with("linux") {
            let (name, libc) = &self.libc;
            let (major, minor) = version(libc);
            return match name.as_str() {
                "glibc" => PythonSystem::Glibc(major, minor),
                _ => PythonSystem::Musl,
            };
        }
        if self.platform.starts_with("macosx") {
            let (major, minor) = version(&self.macos);
            return PythonSystem::MacOs(major, minor);
        }
        PythonSystem::Other
    }

    /// Returns the processor, as in the names of files.
    pub(super) fn architecture(&self) -> &str {
        match self.system() {
            PythonSystem::MacOs(..) => &self.machine,
            _ => self.platform.split_once('-').map_or("", |(_, machine)| machine),
        }
    }

    /// Returns the name of the machine, as in the names of files.
    pub(super) fn tag(&self) -> String {
        self.platform.replace(['-', '.'], "_")
    }

    #[cfg(test)]
    pub(super) fn sample(platform: &str, libc: (&str, &str)) -> PythonPlatform {
        PythonPlatform {
            implementation: "cpython".into(),
            version: (3, 11),
            platform: platform.into(),
            machine: "arm64".into(),
            libc: (libc.0.into(), libc.1.into()),
            macos: "14.2".into(),
            threads: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PythonPlatform;

    #[test]
    fn a_label_says_what_decides_which_files_fit() {
        let label = |platform: &str, libc| PythonPlatform::sample(platform, libc).label();
        assert_eq!(label("linux-x86_64", ("glibc", "2.36")), "linux-x86_64-cpython3.11");
        assert_eq!(label("linux-aarch64", ("", "")), "linux_musl-aarch64-cpython3.11");
        assert_eq!(label("macosx-10.9-universal2", ("", "")), "macos-arm64-cpython3.11");
        assert_eq!(label("win-amd64", ("", "")), "win-amd64-cpython3.11");
    }
}
