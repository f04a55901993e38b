//! No process of a server outlives this one.

use super::{assert_works, eventually, fake, upstreams, with_argument};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// The variable that turns this test into the host to be killed.
const VICTIM: &str = "PML_TEST_ORPHANS";

/// The pids of the stubborn server and of its child.
fn pids(file: &Path) -> Vec<i32> {
    let text = std::fs::read_to_string(file).expect("it wrote its pids");
    text.split(' ').map(|pid| pid.parse().expect("a number")).collect()
}

/// Reports whether a process exists and is not a zombie.
fn is_alive(pid: i32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => !stat[stat.rfind(')').unwrap_or(0)..].starts_with(") Z"),
        Err(_) if Path::new("/proc/self").exists() => false,
        Err(_) => {
            let pid = rustix::process::Pid::from_raw(pid).expect("not zero");
            rustix::process::test_kill_process(pid).is_ok()
        }
    }
}

#[tokio::test]
async fn closing_ends_what_ignores_the_end_of_its_stdin_and_what_it_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pids");
    let upstreams = upstreams(with_argument(fake("stubborn"), &file));
    assert_works(&upstreams).await;
    let pids = pids(&file);
    assert!(pids.len() == 2 && pids.iter().all(|pid| is_alive(*pid)));
    upstreams.close().await;
    eventually("all are gone", || !pids.iter().any(|pid| is_alive(*pid))).await;
}

#[tokio::test]
async fn dropping_ends_them_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pids");
    let upstreams = upstreams(with_argument(fake("stubborn"), &file));
    assert_works(&upstreams).await;
    let pids = pids(&file);
    drop(upstreams);
    eventually("all are gone", || !pids.iter().any(|pid| is_alive(*pid))).await;
}

#[tokio::test]
async fn a_host_that_is_killed_leaves_nobody_behind() {
    #[expect(clippy::disallowed_methods, reason = "it tells the two processes of this test apart")]
    if let Some(file) = std::env::var_os(VICTIM) {
        return be_killed(Path::new(&file)).await;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pids");
    let mut host = Command::new(std::env::current_exe().expect("this test"))
        .args([
            "upstream::tests::orphans::a_host_that_is_killed_leaves_nobody_behind",
            "--exact",
            "--nocapture",
        ])
        .env(VICTIM, &file)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(host.stdout.take().expect("piped")).lines();
    let ready = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("ready ")));
    let ready = ready.expect("it says so").expect("UTF-8");
    let group: i32 = ready.rsplit(' ').next().expect("a word").parse().expect("a number");
    let mut pids = pids(&file);
    pids.push(group);
    assert!(pids.len() == 3 && pids.iter().all(|pid| is_alive(*pid)), "{pids:?}");
    host.kill().expect("SIGKILL");
    host.wait().expect("it ends");
    eventually("all are gone", || !pids.iter().any(|pid| is_alive(*pid))).await;
}

/// The host of the test above: starts the server, prints that, and waits.
async fn be_killed(file: &Path) {
    let upstreams = upstreams(with_argument(fake("stubborn"), file));
    assert_works(&upstreams).await;
    let pid = upstreams.status()[0].pid.expect("a process");
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).expect("small")).expect("not zero");
    let group = rustix::process::getpgid(Some(pid)).expect("it is there");
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "ready {}", group.as_raw_nonzero()).expect("written");
    stdout.flush().expect("written");
    std::future::pending().await
}
