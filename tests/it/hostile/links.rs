//! A cloned repository whose `.pml` leads elsewhere.

use crate::pml;
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn nothing_is_written_through_a_state_folder_that_is_a_link() {
    let env = pml();
    let victim = tempfile::tempdir().expect("a folder");
    env.write(".git/HEAD", "");
    env.write("a.js", "return 1");
    let folder = env.path().join(".pml");
    symlink(victim.path(), &folder).expect("a link");
    for command in [&["run", "a.js"][..], &["stdio"], &["init", "--yes"]] {
        let output = env.run(command);
        assert_ne!(output.code, 0, "{command:?}: {}", output.stdout);
        assert!(output.stderr.contains("symbolic link"), "{command:?}: {}", output.stderr);
        assert!(output.stderr.contains("/.pml"), "{command:?}: {}", output.stderr);
        assert_eq!(fs::read_dir(victim.path()).expect("a folder").count(), 0, "{command:?}");
    }
    fs::remove_file(&folder).expect("a link");
    let output = env.run(&["run", "a.js"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(!folder.exists() && env.journal().join("state.db").is_file());
}
