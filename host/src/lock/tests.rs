//! The text of a lock, and every way in which it can be wrong.

use super::io::LockFile;
use super::model::{Lock, LockedServer, LockedServerKind};
use super::schema;
use crate::model::{ANY_PLATFORM, ClosurePackage, Ecosystem, PackageClosure, PinnedPackage};
use std::fs;
use std::path::Path;

const SHA: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn sample() -> Lock {
    let mut shop = LockedServer::new(LockedServerKind::Command, "python3 shop.py");
    shop.folder = Some("tools".into());
    shop.given = vec!["NODE_OPTIONS=--require ./x".into(), "TOKEN".into()];
    shop.files.insert("./shop.py".into(), SHA.into());
    shop.tools.insert("orders".into(), SHA.into());
    shop.tools.insert("re fund\u{202e}".into(), SHA.into());
    let remote = LockedServer::new(LockedServerKind::Remote, "https://docs.example/mcp");
    let mut package = LockedServer::new(LockedServerKind::Package, "npx -y x");
    package.install_scripts = true;
    let one = |version: &str, needs: &[&str]| ClosurePackage {
        version: version.into(),
        hash: "sha512-abc==".into(),
        needs: needs.iter().map(|name| (*name).to_owned()).collect(),
        ..ClosurePackage::default()
    };
    let optional = ClosurePackage { optional: true, os: vec!["linux".into()], ..one("2.0.0", &[]) };
    let packages =
        [("x", one("1.2.3", &["y"])), ("y", one("1.0.0", &[])), ("x/node_modules/y", optional)];
    let packages = packages.into_iter().map(|(path, package)| (path.to_owned(), package));
    package.package = Some(PinnedPackage {
        spec: SHA.into(),
        ecosystem: Ecosystem::Npm,
        name: "@a/x".into(),
        version: "1.2.3".into(),
        integrity: Some("sha512-abc==".into()),
        program_of: None,
        closures: [(ANY_PLATFORM.to_owned(), PackageClosure { packages: packages.collect() })]
            .into(),
    });
    let servers = [("shop", shop), ("docs", remote), ("my.server", package)];
    Lock { servers: servers.into_iter().map(|(name, it)| (name.to_owned(), it)).collect() }
}

#[test]
fn the_text_is_for_people_and_for_git_and_reads_back_the_same() {
    let text = schema::write(&sample());
    assert_eq!(text, include_str!("versions/1.lock"));
    assert_eq!(schema::parse(&text), Ok(sample()));
    assert_eq!(schema::write(&schema::parse(&text).unwrap()), text);
}

#[test]
fn every_old_version_still_loads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lock/versions");
    let mut versions = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert_eq!(schema::parse(&text), Ok(sample()));
        versions += 1;
    }
    assert_eq!(versions, schema::VERSION);
}

#[test]
fn a_file_that_pml_would_not_have_written_is_refused_by_name_and_left() {
    let good = schema::write(&sample());
    let shop = "[servers.shop]";
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1)
    };
    let cut = "the lock was changed by hand, or is cut off, at line";
    let unreadable = "the lock cannot be read:";
    let newer = "the lock was written by a newer pml: it has";
    let cases = [
        (
            "cut off after an entry",
            good[..good.find(shop).unwrap()].to_owned(),
            format!("{cut} 22"),
        ),
        (
            "cut off in a line",
            good[..good.len() / 2].to_owned(),
            format!("{unreadable} key with no value, expected `=` at line 19"),
        ),
        ("without its last line", good.replace("\n# end of the lock\n", ""), format!("{cut} 34")),
        ("empty", String::new(), format!("{unreadable} missing field `version` at line 1")),
        ("a comment of somebody", changed("# It restricts", "# It allows"), format!("{cut} 2")),
        (
            "two lines changed places",
            changed(
                "kind = \"command\"\nlaunch = \"python3 shop.py\"",
                "launch = \"python3 shop.py\"\nkind = \"command\"",
            ),
            format!("{cut} 23"),
        ),
        ("blanks", changed("version = 1", "version  =  1"), format!("{cut} 3")),
        ("another quote", changed("\"python3 shop.py\"", "'python3 shop.py'"), format!("{cut} 24")),
        ("an unsorted entry", changed("orders =", "zorders ="), format!("{cut} 32")),
        (
            "the same key twice",
            changed("orders =", "orders = \"sha256:00\"\norders ="),
            format!("{unreadable} duplicate key at line 32"),
        ),
        (
            "the same server twice",
            format!("{good}\n{shop}\nkind = \"remote\"\nlaunch = \"https://evil.example\"\n"),
            format!("{unreadable} duplicate key at line 37"),
        ),
        (
            "no version",
            changed("version = 1\n", ""),
            format!("{unreadable} missing field `version` at line 1"),
        ),
        (
            "a newer version",
            changed("version = 1", "version = 2"),
            format!("{newer} `version = 2`"),
        ),
        (
            "a version that is no number",
            changed("version = 1", "version = \"1\""),
            format!("{unreadable} invalid type: string \"1\", expected i64 at line 3"),
        ),
        (
            "something to understand",
            changed("version = 1\n", "version = 1\nmust_understand = [\"signatures\"]\n"),
            format!("{newer} `signatures`"),
        ),
        (
            "an unknown table",
            format!("{good}\n[capabilities.x]\n"),
            format!("{newer} `capabilities`"),
        ),
        (
            "an unknown field",
            changed("launch =", "also = 1\nlaunch ="),
            format!("{newer} `servers.docs.also`"),
        ),
        (
            "an unknown kind",
            changed("kind = \"command\"", "kind = \"component\""),
            format!("{unreadable} server `shop`: `component` is not a kind of server"),
        ),
        (
            "a digest that is none",
            changed(&format!("sha256:{SHA}"), "sha256:00"),
            format!("{unreadable} server `shop`: `./shop.py` has no sha256"),
        ),
        (
            "a digest of another kind",
            changed(&format!("sha256:{SHA}"), &format!("md5:{SHA}")),
            format!("{unreadable} server `shop`: `./shop.py` has no sha256"),
        ),
        (
            "a package of nothing",
            changed("npm:@a/x@1.2.3", "gem:x@1"),
            format!("{unreadable} server `my.server`: `gem:x@1` is not `npm:NAME@VERSION`"),
        ),
        (
            "packages of a command",
            changed("kind = \"package\"", "kind = \"command\""),
            format!("{unreadable} server `my.server`: a server of kind `command` has no packages"),
        ),
        (
            "a name that no server has",
            good.replace("[servers.shop", "[servers.pml"),
            format!("{unreadable} a server cannot have the name `pml`"),
        ),
        (
            "a name with a colon",
            good.replace("[servers.shop", "[servers.\"a:b\""),
            format!("{unreadable} a server cannot have the name `a:b`"),
        ),
        (
            "a platform that forges a line",
            good.replace("packages.any", "packages.\"a\\nb\""),
            format!("{unreadable} server `my.server`: `a\\nb` is not a platform"),
        ),
        (
            "a package with a hidden character",
            changed("y = {", "\"y\\U0000202E\" = {"),
            format!(
                "{unreadable} server `my.server`: `y\\u{{202e}}` has a text that no registry has"
            ),
        ),
        (
            "marks of a merge",
            changed(shop, "<<<<<<< HEAD\n=======\n>>>>>>> theirs\n[servers.shop]"),
            "the lock has conflicts of a merge, which are not settled".into(),
        ),
        (
            "an unknown part of a package",
            changed("needs =", "wants = [], needs ="),
            format!(
                "{unreadable} unknown field `wants`, expected one of `version`, `hash`, `file`, `name`, `needs`, `may_need`, `optional`, `os`, `cpu`, `libc` at line 18"
            ),
        ),
    ];
    for (what, text, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let file = LockFile::in_folder(folder.path());
        fs::write(file.path(), &text).unwrap();
        let error = file.read().expect_err(what);
        let update = file.update(|lock| {
            lock.servers.clear();
            Ok(())
        });
        assert!(update.is_err(), "{what}");
        assert_eq!(fs::read_to_string(file.path()).unwrap(), text, "{what}");
        assert!(error.hint().is_some(), "{what}");
        let message = error.to_string().replace(&file.path().display().to_string(), "LOCK");
        assert_eq!(message, format!("{expected}: LOCK"), "{what}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_a_pipe_and_a_huge_file_are_refused() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let (own, other) = (folder.path().join("own"), folder.path().join("other"));
    fs::create_dir_all(&own).unwrap();
    fs::create_dir_all(&other).unwrap();
    let file = LockFile::in_folder(&own);
    fs::write(other.join("mcp.lock"), schema::write(&sample())).unwrap();
    symlink(other.join("mcp.lock"), file.path()).unwrap();
    assert!(file.read().unwrap_err().to_string().contains("reached by a link"));
    fs::remove_file(file.path()).unwrap();
    symlink(&other, folder.path().join("linked")).unwrap();
    let linked = LockFile::in_folder(folder.path().join("linked"));
    assert!(linked.read().is_err());
    assert!(linked.update(|_| Ok(())).is_err());
    fs::create_dir(file.path()).unwrap();
    assert!(file.read().is_err());
    fs::remove_dir(file.path()).unwrap();
    fs::write(file.path(), "#".repeat(17 << 20)).unwrap();
    assert!(file.read().unwrap_err().to_string().contains("larger than"));
}

#[test]
fn many_writers_lose_nothing_and_what_stays_the_same_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = LockFile::in_folder(folder.path());
    std::thread::scope(|scope| {
        for index in 0..8 {
            let file = file.clone();
            scope.spawn(move || {
                let add = |lock: &mut Lock| {
                    let server = LockedServer::new(LockedServerKind::Command, "x");
                    lock.servers.insert(format!("s{index}"), server);
                    Ok(())
                };
                assert!(file.update(add).unwrap());
                assert!(!file.update(add).unwrap());
            });
        }
    });
    assert_eq!(file.read().unwrap().unwrap().servers.len(), 8);
}

#[test]
fn a_checkout_with_other_line_ends_is_the_same_lock() {
    let folder = tempfile::tempdir().unwrap();
    let file = LockFile::in_folder(folder.path());
    fs::write(file.path(), schema::write(&sample()).replace('\n', "\r\n")).unwrap();
    assert_eq!(file.read().unwrap(), Some(sample()));
}

#[test]
fn both_sides_of_a_merge_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = LockFile::in_folder(folder.path());
    let text = schema::write(&sample());
    fs::write(file.path(), &text).unwrap();
    assert!(file.read_sides().unwrap().is_none());
    let line = format!("orders = \"sha256:{SHA}\"\n");
    let theirs = format!("orders = \"sha256:{}\"\n", "f".repeat(64));
    let both = format!("<<<<<<< HEAD\n{line}||||||| base\n=======\n{theirs}>>>>>>> branch\n");
    fs::write(file.path(), text.replacen(&line, &both, 1)).unwrap();
    let message = file.read().unwrap_err().to_string();
    assert!(message.contains("conflicts of a merge"), "{message}");
    let (ours, theirs) = file.read_sides().unwrap().unwrap();
    assert_eq!(ours, sample());
    assert_eq!(theirs.servers["shop"].tools["orders"], "f".repeat(64));
}

#[test]
fn many_harmless_changes_hide_no_other_package() {
    let one = |name: Option<&str>, libc: &[&str]| ClosurePackage {
        version: "1.0.0".into(),
        hash: "sha512-a".into(),
        name: name.map(Into::into),
        libc: libc.iter().map(|text| (*text).to_owned()).collect(),
        ..ClosurePackage::default()
    };
    let entry = |last: ClosurePackage, libc: &[&str]| {
        let mut packages: std::collections::BTreeMap<String, ClosurePackage> =
            (0..100).map(|n| (format!("a{n:03}"), one(None, libc))).collect();
        packages.insert("z".into(), last);
        let mut entry = sample().servers["my.server"].clone();
        let closure = PackageClosure { packages };
        entry.package.as_mut().unwrap().closures = [(ANY_PLATFORM.to_owned(), closure)].into();
        entry
    };
    let before = entry(one(None, &[]), &[]);
    let now = entry(one(Some("evil"), &[]), &["glibc"]);
    let differences = before.differences(&now, "p");
    let after = differences[0].after.as_deref().unwrap();
    assert!(after.starts_with("z is evil 1.0.0"), "{after}");
    assert!(after.ends_with("and 61 more"), "{after}");
}

#[test]
fn every_part_that_decides_is_in_the_digest_and_in_the_differences() {
    let before = sample().servers["my.server"].clone();
    let changes: [fn(&mut LockedServer); 9] = [
        |it| it.launch.push('!'),
        |it| it.folder = Some("x".into()),
        |it| it.given.push("X".into()),
        |it| it.install_scripts = false,
        |it| drop(it.files.insert("./a".into(), SHA.into())),
        |it| it.package.as_mut().unwrap().version = "1.2.4".into(),
        |it| it.package.as_mut().unwrap().integrity = None,
        |it| it.package.as_mut().unwrap().spec.push('0'),
        |it| {
            let package = it.package.as_mut().unwrap();
            let closure = package.closures.get_mut(ANY_PLATFORM).unwrap();
            closure.packages.get_mut("y").unwrap().hash = "sha512-other".into();
        },
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let mut now = before.clone();
        change(&mut now);
        assert_ne!(now.digest("p"), before.digest("p"), "change {index}");
        let differences = before.differences(&now, "p");
        assert_eq!(differences.len(), 1, "change {index}: {differences:?}");
    }
    // Every part of every package counts, also one that a person would overlook.
    let parts: [fn(&mut ClosurePackage); 10] = [
        |it| it.version = "9.9.9".into(),
        |it| it.hash.push_str(" sha512-another"),
        |it| it.name = Some("evil".into()),
        |it| it.file = Some("evil.whl".into()),
        |it| it.needs.push("evil".into()),
        |it| it.may_need.push("evil".into()),
        |it| it.optional = true,
        |it| it.os.push("evil".into()),
        |it| it.cpu.push("evil".into()),
        |it| it.libc.push("evil".into()),
    ];
    for (index, change) in parts.into_iter().enumerate() {
        let mut now = before.clone();
        let package = now.package.as_mut().unwrap();
        let closure = package.closures.get_mut(ANY_PLATFORM).unwrap();
        change(closure.packages.get_mut("y").unwrap());
        let differences = before.differences(&now, "p");
        assert_eq!(differences.len(), 1, "part {index}");
        assert_ne!(differences[0].before, differences[0].after, "part {index}");
    }
    // A tool is an entry of its own.
    let mut now = before.clone();
    now.tools.insert("more".into(), SHA.into());
    assert_eq!(now.digest("p"), before.digest("p"));
    assert!(before.differences(&now, "p").is_empty());
}
