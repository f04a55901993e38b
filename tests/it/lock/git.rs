//! The lock in a repository: clones, differences between revisions, and merges with conflicts.

use super::shared::{COUNTING, lock_text, locked_count};
use crate::pml;
use pml::json::json;
use pml_kit::{TestEnv, json_with_path, run_with_path, search_path};
use std::fs;
use std::path::Path;
use std::process::Command;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.com"])
        .args(arguments)
        .output()
        .expect("git");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Makes a shared project with a script of its own, locked and committed.
fn committed_project(env: TestEnv) -> TestEnv {
    let script = fs::read(pml_kit::toolbox_script()).expect("the toolbox");
    env.write("box.py", script);
    env.write("count.ts", COUNTING);
    git(env.path(), &["init", "-q"]);
    let init = run_with_path(&env, &["init", "--yes", "--no-import", "--shared"]);
    assert_eq!(init.code, 0, "{}", init.stderr);
    let added =
        run_with_path(&env, &["add", "box", "--yes", "--", "python3", "box.py", "calls.log"]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let settings = fs::read_to_string(env.path().join(".pml.json")).expect("settings");
    env.write(".pml.json", settings.replacen("\"allow\": []", "\"allow\": [\"box:*\"]", 1));
    assert_eq!(run_with_path(&env, &["trust", "--yes"]).code, 0);
    let locked = run_with_path(&env, &["lock", "--yes"]);
    assert_eq!(locked.code, 0, "{}", locked.stderr);
    git(env.path(), &["add", "-A"]);
    git(env.path(), &["commit", "-qm", "one"]);
    env
}

fn cloned(env: &TestEnv) -> TestEnv {
    let clone = pml();
    git(clone.path(), &["clone", "-q", &env.path().to_string_lossy(), "."]);
    clone
}

#[test]
fn a_clone_on_another_machine_runs_frozen_without_a_change() {
    let env = committed_project(pml());
    assert!(git(env.path(), &["ls-files"]).contains(".pml/mcp.lock"));
    let clone = cloned(&env);
    let mut command = clone.command(&["run", "count.ts", "--trust", "--yes"]);
    command.env("PATH", search_path()).env("CI", "true");
    let done = clone.finish(command.spawn().expect("it starts"));
    assert_eq!((done.code, done.stdout.as_str()), (0, "1\n"), "{}", done.stderr);
    let changed = git(clone.path(), &["status", "--short"]);
    assert!(!changed.contains("mcp.lock"), "{changed}");
    // A script that was changed after the lock was written does not run.
    let script = fs::read_to_string(clone.path().join("box.py")).expect("the script");
    clone.write("box.py", script + "\n# evil\n");
    let mut command = clone.command(&["run", "count.ts", "--trust", "--yes"]);
    command.env("PATH", search_path()).env("CI", "true");
    let refused = clone.finish(command.spawn().expect("it starts"));
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("file ./box.py"), "{}", refused.stderr);
    // Not frozen, a person is asked; the clone's lock allowed nothing.
    let waiting = run_with_path(&clone, &["run", "count.ts", "--trust", "--yes"]);
    assert_eq!(waiting.code, 4, "{}", waiting.stderr);
    assert!(waiting.stderr.contains("DIFFERS from the lock"), "{}", waiting.stderr);
}

#[test]
fn the_lock_is_compared_with_that_of_a_revision() {
    let env = committed_project(pml());
    let same = run_with_path(&env, &["lock", "diff"]);
    assert_eq!((same.code, same.stdout.as_str()), (0, "the lock is as in `HEAD`\n"));
    env.write("calls.log.says", "Counts otherwise.");
    assert_eq!(run_with_path(&env, &["lock", "--yes"]).code, 0);
    let changed = json_with_path(&env, &["lock", "diff", "HEAD", "--json"], 0);
    assert_eq!(changed["changes"][0]["tool"], "count", "{changed}");
    assert_eq!(changed["changes"][0]["change"], "changed", "{changed}");
    for wrong in ["nothing-of-the-kind", "HEAD:box.py", "--output=x", ""] {
        let refused = run_with_path(&env, &["lock", "diff", "--", wrong]);
        assert_ne!(refused.code, 0, "{wrong}: {}", refused.stdout);
    }
    assert!(!env.path().join("x").exists());
}

#[test]
fn a_repository_of_somebody_else_starts_and_fetches_nothing() {
    let env = committed_project(pml());
    // A folder of the clone that is a repository of its own, and lacks the lock: git would fetch it,
    // with a command that the repository names.
    let inner = env.path().join("inner");
    fs::create_dir_all(inner.join(".pml")).expect("a folder");
    fs::write(inner.join(".pml.json"), "{}").expect("settings");
    fs::write(inner.join(".pml/mcp.lock"), lock_text(&env)).expect("a lock");
    git(&inner, &["init", "-q"]);
    git(&inner, &["add", "-A", "-f"]);
    git(&inner, &["commit", "-qm", "one"]);
    let blob = git(&inner, &["rev-parse", "HEAD:.pml/mcp.lock"]);
    let (start, rest) = blob.trim().split_at(2);
    fs::remove_file(inner.join(".git/objects").join(start).join(rest)).expect("the object");
    let mark = env.path().join("started");
    let config = format!(
        "[core]\nrepositoryformatversion=1\nsshCommand=\"touch {}; false\"\n\
         [extensions]\npartialClone=origin\n[remote \"origin\"]\nurl=ssh://x.example/y\npromisor=true\n",
        mark.display()
    );
    fs::write(inner.join(".git/config"), config).expect("settings of git");
    let mut command = env.command(&["lock", "diff"]);
    command.env("PATH", search_path()).current_dir(&inner);
    let refused = env.finish(command.spawn().expect("it starts"));
    assert_eq!(refused.code, 1, "{}{}", refused.stdout, refused.stderr);
    assert!(refused.stderr.contains("git cannot read the lock of `HEAD`"), "{}", refused.stderr);
    assert!(!mark.exists(), "a command of the repository was started");
}

#[test]
fn a_conflict_is_refused_and_settled_from_both_sides() {
    let env = committed_project(pml());
    let own = locked_count(&env);
    let theirs = format!("count = \"sha256:{}\"", "a".repeat(64));
    let both = format!("<<<<<<< HEAD\n{own}\n=======\n{theirs}\n>>>>>>> branch");
    let conflict = lock_text(&env).replace(&own, &both);
    env.write(".pml/mcp.lock", &conflict);
    let refused = run_with_path(&env, &["run", "count.ts"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    for part in ["LOCK_INVALID", "conflicts of a merge", "`pml lock` settles it"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    assert_eq!(lock_text(&env), conflict);
    let settled = run_with_path(&env, &["lock", "--yes"]);
    assert_eq!(settled.code, 0, "{}", settled.stderr);
    assert_eq!(locked_count(&env), own);
    assert_eq!(json_with_path(&env, &["run", "count.ts", "--json"], 0), json!(1));
}

#[test]
fn what_two_people_add_is_merged_by_git() {
    let env = committed_project(pml());
    let branch = git(env.path(), &["branch", "--show-current"]);
    let add = |name: &str, branch: &str| {
        git(env.path(), &["checkout", "-q", "-b", branch]);
        let added = run_with_path(
            &env,
            &["add", name, "--yes", "--", "python3", "box.py", &format!("{name}.log")],
        );
        assert_eq!(added.code, 0, "{}", added.stderr);
        let locked = run_with_path(&env, &["lock", "--yes"]);
        assert_eq!(locked.code, 0, "{}", locked.stderr);
        // The settings stay this person's own.
        git(env.path(), &["checkout", "-q", ".pml.json"]);
        git(env.path(), &["commit", "-qam", branch]);
        assert_eq!(run_with_path(&env, &["trust", "--yes"]).code, 0);
    };
    add("alpha", "one");
    git(env.path(), &["checkout", "-q", branch.trim()]);
    add("zeta", "two");
    git(env.path(), &["merge", "-q", "one", "-m", "both"]);
    let text = lock_text(&env);
    for server in ["[servers.alpha]", "[servers.box]", "[servers.zeta]"] {
        assert!(text.contains(server), "{server}: {text}");
    }
    assert_eq!(run_with_path(&env, &["trust", "--yes"]).code, 0);
    assert_eq!(json_with_path(&env, &["run", "count.ts", "--json"], 0), json!(1));
}
