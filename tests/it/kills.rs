//! Processes that are killed with SIGKILL in the middle of a run, and others that go on with it.

use crate::support::{example, soak};
use pml::json::{self, Value};
use pml::{Effects, Journal, RunId, Store, What};
use pml_kit::{Counter, Generated, effects, generate};
use std::io::{BufRead, BufReader, Lines};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

/// A project, and tools in this process that count what reaches them.
struct Bench {
    folder: TempDir,
    counter: Arc<Counter>,
}

impl Bench {
    fn new() -> Bench {
        let folder = TempDir::new().expect("a folder");
        let counter = Arc::new(Counter::default());
        counter.serve(&folder.path().join("tools"));
        Bench { folder, counter }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts another process on this project.
    fn start(&self, verb: &str, what: &str, cut: Option<(usize, &str)>) -> Survivor {
        let mut command = Command::new(example("survivor"));
        command.arg(verb).arg(self.path(".pml")).arg(self.path("tools")).arg(what);
        if let Some((write, when)) = cut {
            command.args([&write.to_string(), when]);
        }
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the example starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        Survivor { child, lines }
    }

    async fn check_calls(&self, run: RunId, program: &Generated) {
        let store = Store::open(self.path(".pml"), pml::Durability::Process).expect("it opens");
        let stored = store.load(run).await.expect("it is kept");
        for entry in stored.entries {
            let What::Requested { call, tool, .. } = entry.what else { continue };
            if effects(&tool) == Effects::Unknown {
                let seen = self.counter.seen(run, call);
                assert!(seen <= 1, "call {call} of {tool} was made {seen} times\n{}", program.code);
            }
        }
    }
}

struct Survivor {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Survivor {
    fn line(&mut self) -> Option<String> {
        self.lines.next().map(|line| line.expect("UTF-8"))
    }

    fn kill(mut self) {
        self.child.kill().expect("it is there");
        self.child.wait().expect("it ends");
    }

    /// How it ended, unless it is to be killed.
    fn end(mut self) -> Option<Value> {
        match self.line().as_deref() {
            Some("cut") => {
                self.kill();
                None
            }
            ending => {
                assert!(self.child.wait().expect("it ends").success());
                Some(json::from_str(ending.expect("a line")).expect("JSON"))
            }
        }
    }
}

/// Kills a program at every `step`-th write, before or after it, and goes on with it in another process.
async fn kill_everywhere(program: &Generated, step: usize) -> usize {
    let bench = Bench::new();
    let script = bench.path("program.ts");
    std::fs::write(&script, &program.code).expect("written");
    let script = script.to_str().expect("UTF-8");
    let mut uncut = bench.start("run", script, None);
    let id: RunId = uncut.line().expect("an id").parse().expect("an id");
    let ending = uncut.end().expect("it ends");
    bench.check_calls(id, program).await;
    let mut kills = 0;
    for at in (1..).step_by(step) {
        let when = if at % 2 == 0 { "before" } else { "after" };
        let mut run = bench.start("run", script, Some((at, when)));
        let id = run.line().expect("an id");
        if run.end().is_some() {
            break;
        }
        kills += 1;
        // Every third is killed again while it is resumed.
        if at % 3 == 0 {
            let mut again = bench.start("resume", &id, Some((at % 4, "after")));
            again.line().expect("an id");
            if again.end().is_none() {
                kills += 1;
            }
        }
        let mut resumed = bench.start("resume", &id, None);
        resumed.line().expect("an id");
        let run: RunId = id.parse().expect("an id");
        let found = resumed.end().expect("it goes on to its end");
        bench.check_calls(run, program).await;
        if !program.racy {
            assert_eq!(found, ending, "killed {when} write {at}\n{}", program.code);
        }
    }
    kills
}

#[test]
fn a_killed_process_loses_nothing_and_repeats_nothing() {
    const LANES: u64 = 4;
    let programs = soak(60);
    let lanes = (0..LANES).map(|lane| {
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("a runtime");
            let seeds = (1_000..1_000 + programs).filter(|seed| seed % LANES == lane);
            let kills = seeds.map(|seed| runtime.block_on(kill_everywhere(&generate(seed), 2)));
            kills.sum::<usize>()
        })
    });
    let lanes: Vec<_> = lanes.collect();
    let kills: usize = lanes.into_iter().map(|lane| lane.join().expect("no panic")).sum();
    assert!(kills > 600, "{kills} kills");
}
