//! Processes that are killed with SIGKILL in the middle of a run, and others that go on with it.

use pml::{
    Journal, RunId, Store,
    journal::{Durability, JournalEvent},
    tool::Effects,
};
use pml_kit::{Generated, SurvivorProject, generate, soak, tool_effects};

/// No call that must not be repeated was made twice.
async fn check_calls(project: &SurvivorProject, run: RunId, program: &Generated) {
    let store = Store::open(project.path(".pml"), Durability::Process).expect("it opens");
    let stored = store.load(run).await.expect("it is kept");
    for entry in stored.entries {
        let JournalEvent::Requested { call, tool, .. } = entry.event else { continue };
        if tool_effects(&tool) == Effects::Unknown {
            let seen = project.seen(run, call);
            assert!(seen <= 1, "call {call} of {tool} was made {seen} times\n{}", program.code);
        }
    }
}

/// Kills a program at every `step`-th write, before or after it, and goes on with it in another
/// process.
async fn kill_everywhere(program: &Generated, step: usize) -> usize {
    let project = SurvivorProject::new();
    let script = project.path("program.ts");
    std::fs::write(&script, &program.code).expect("written");
    let script = script.to_str().expect("UTF-8");
    let mut uncut = project.start("run", script, None);
    let id: RunId = uncut.line().expect("an id").parse().expect("an id");
    let ending = uncut.end().expect("it ends");
    check_calls(&project, id, program).await;
    let mut kills = 0;
    for at in (1..).step_by(step) {
        let when = if at % 2 == 0 { "before" } else { "after" };
        let mut run = project.start("run", script, Some((at, when)));
        let id = run.line().expect("an id");
        if run.end().is_some() {
            break;
        }
        kills += 1;
        // Every third is killed again while it is resumed.
        if at % 3 == 0 {
            let mut again = project.start("resume", &id, Some((at % 4, "after")));
            again.line().expect("an id");
            if again.end().is_none() {
                kills += 1;
            }
        }
        let mut resumed = project.start("resume", &id, None);
        resumed.line().expect("an id");
        let run: RunId = id.parse().expect("an id");
        let found = resumed.end().expect("it goes on to its end");
        check_calls(&project, run, program).await;
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
