//! Chooses the file of a version that fits a machine, by the rules that the tools follow: the tags
//! in its name.

use super::platform::{PythonPlatform, PythonSystem};

/// How well a file fits. The best one is chosen.
type WheelRank = (u32, u32, u32);

/// Returns how well a wheel fits a machine, or `None` if it does not.
pub(super) fn rank(file: &str, platform: &PythonPlatform) -> Option<WheelRank> {
    let stem = file.strip_suffix(".whl")?;
    let parts: Vec<&str> = stem.split('-').collect();
    let (build, tags) = match parts.as_slice() {
        [_, _, tags @ ..] if tags.len() == 3 => ("", tags),
        [_, _, build, tags @ ..] if tags.len() == 3 => (*build, tags),
        _ => return None,
    };
    let digits: String = build.chars().take_while(char::is_ascii_digit).collect();
    let build = digits.parse().unwrap_or(0);
    let all = tags[0].split('.').flat_map(|python| {
        let abis = tags[1].split('.').map(move |abi| (python, abi));
        abis.flat_map(|(python, abi)| tags[2].split('.').map(move |at| (python, abi, at)))
    });
    let ranks = all.filter_map(|(python, abi, at)| {
        let machine = machine_rank(at, platform)?;
        Some((code_rank(python, abi, machine, platform)?, machine, build))
    });
    ranks.max()
}

/// Returns the rank of the Python and the interface that code was compiled for. `machine` is 0 for
/// code that is for all machines.
fn code_rank(python: &str, abi: &str, machine: u32, platform: &PythonPlatform) -> Option<u32> {
    let (major, minor) = platform.version;
    let short = match platform.implementation.as_str() {
        "cpython" => "cp",
        "pypy" => "pp",
        _ => "py",
    };
    let own = format!("{short}{major}{minor}");
    let own_abi = format!("{own}{}", if platform.threads { "t" } else { "" });
    let steps_back = |prefix: &str| {
        let rest = python.strip_prefix(prefix)?;
        let older: u32 = rest.strip_prefix(&major.to_string())?.parse().ok()?;
        minor.checked_sub(older)
    };
    let for_all = machine == 0;
    if python == own && (abi == own_abi || (short == "pp" && abi.starts_with("pypy"))) {
        return Some(900);
    }
    if abi == "abi3" && short == "cp" && !platform.threads {
        return Some(if python == own { 800 } else { 600_u32.saturating_sub(steps_back("cp")?) });
    }
    if abi != "none" {
        return None;
    }
    if python == own {
        return Some(if for_all { 350 } else { 700 });
    }
    let generic = match python {
        "py3" => 99,
        _ => 100_u32.checked_sub(2 * steps_back("py")?)?,
    };
    Some(generic + if for_all { 100 } else { 400 })
}

/// Returns the rank of the machine that code was compiled for: 0 means all machines, and more means
/// a newer system.
fn machine_rank(tag: &str, platform: &PythonPlatform) -> Option<u32> {
    if tag == "any" {
        return Some(0);
    }
    let architecture = platform.architecture();
    let version = |rest: &str, end: &str| {
        let (major, minor) = rest.strip_suffix(&format!("_{end}"))?.split_once('_')?;
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
    };
    match platform.system() {
        PythonSystem::Glibc(major, minor) => {
            if tag == platform.tag() {
                return Some(1);
            }
            let rest = tag.strip_prefix("manylinux")?;
            let wanted = match rest.split_once('_')? {
                ("1", rest) if rest == architecture => (2, 5),
                ("2010", rest) if rest == architecture => (2, 12),
                ("2014", rest) if rest == architecture => (2, 17),
                ("", rest) => version(rest, architecture)?,
                _ => return None,
            };
            (wanted <= (major, minor)).then_some(2 + wanted.0 * 1000 + wanted.1)
        }
        PythonSystem::Musl => {
            if tag == platform.tag() {
                return Some(1);
            }
            let (major, minor) = version(tag.strip_prefix("musllinux_")?, architecture)?;
            (major == 1).then_some(2 + minor)
        }
        PythonSystem::MacOs(major, minor) => {
            let rest = tag.strip_prefix("macosx_")?;
            let of = |end: &str, bonus: u32| {
                let wanted = version(rest, end)?;
                let fits = wanted <= (major, minor);
                fits.then_some(2 + wanted.0 * 1000 + wanted.1 * 10 + bonus)
            };
            of(architecture, 1).or_else(|| of("universal2", 0))
        }
        PythonSystem::Other => (tag == platform.tag()).then_some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::super::platform::PythonPlatform;
    use super::rank;

    fn best<'a>(files: &[&'a str], platform: &PythonPlatform) -> Option<&'a str> {
        let ranked = files.iter().filter_map(|file| Some((rank(file, platform)?, *file)));
        ranked.max().map(|(_, file)| file)
    }

    #[test]
    fn the_most_specific_file_that_fits_is_chosen() {
        let linux = PythonPlatform::sample("linux-x86_64", ("glibc", "2.28"));
        let files = [
            "x-1.0-py3-none-any.whl",
            "x-1.0-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
            "x-1.0-cp311-cp311-manylinux_2_28_x86_64.whl",
            "x-1.0-cp311-cp311-manylinux_2_34_x86_64.whl",
            "x-1.0-cp311-cp311-manylinux_2_28_aarch64.whl",
            "x-1.0-cp312-cp312-manylinux_2_28_x86_64.whl",
            "x-1.0-cp39-abi3-manylinux_2_28_x86_64.whl",
            "x-1.0-cp311-cp311-musllinux_1_2_x86_64.whl",
            "x-1.0-cp311-cp311-win_amd64.whl",
        ];
        let of = |platform: &PythonPlatform| best(&files, platform);
        assert_eq!(of(&linux), Some("x-1.0-cp311-cp311-manylinux_2_28_x86_64.whl"));
        let musl = PythonPlatform::sample("linux-x86_64", ("", ""));
        assert_eq!(of(&musl), Some("x-1.0-cp311-cp311-musllinux_1_2_x86_64.whl"));
        let windows = PythonPlatform::sample("win-amd64", ("", ""));
        assert_eq!(of(&windows), Some("x-1.0-cp311-cp311-win_amd64.whl"));
        let mac = PythonPlatform::sample("macosx-11.0-arm64", ("", ""));
        assert_eq!(of(&mac), Some("x-1.0-py3-none-any.whl"));
    }

    #[test]
    fn files_for_another_machine_or_python_do_not_fit() {
        let linux = PythonPlatform::sample("linux-x86_64", ("glibc", "2.36"));
        for good in [
            "x-1-py3-none-any.whl",
            "x-1-py2.py3-none-any.whl",
            "x-1-1-py3-none-any.whl",
            "x-1-cp37-abi3-linux_x86_64.whl",
            "x-1-py311-none-any.whl",
        ] {
            assert!(rank(good, &linux).is_some(), "{good}");
        }
        for bad in [
            "x-1-py2-none-any.whl",
            "x-1-py312-none-any.whl",
            "x-1-cp312-abi3-linux_x86_64.whl",
            "x-1-cp311-cp311t-linux_x86_64.whl",
            "x-1-cp311-cp311-macosx_11_0_arm64.whl",
            "x-1.tar.gz",
            "x.whl",
        ] {
            assert!(rank(bad, &linux).is_none(), "{bad}");
        }
        let mac = PythonPlatform::sample("macosx-11.0-arm64", ("", ""));
        assert!(rank("x-1-cp311-cp311-macosx_11_0_arm64.whl", &mac).is_some());
        assert!(rank("x-1-cp311-cp311-macosx_10_9_universal2.whl", &mac).is_some());
        assert!(rank("x-1-cp311-cp311-macosx_15_0_arm64.whl", &mac).is_none());
    }

    #[test]
    fn a_later_build_of_the_same_file_is_better() {
        let linux = PythonPlatform::sample("linux-x86_64", ("glibc", "2.36"));
        let files = ["x-1-2-py3-none-any.whl", "x-1-10-py3-none-any.whl", "x-1-py3-none-any.whl"];
        assert_eq!(best(&files, &linux), Some("x-1-10-py3-none-any.whl"));
    }
}
