//! The journal as a file: several processes on it, disks that fail, and journals of other versions.

use crate::pml;
use pml::json::{self, Value, json};
use pml::{
    Answer, Config, Decision, Engine, Event, Journal, MemoryJournal, Question, RunId, Script,
    Store, SystemClock, Timestamp,
    approval::AskKind,
    approver_from_fn,
    journal::{AnswerOutcome, Durability, JournalEvent, RunState},
};
use pml_kit::sandbox::TestTools;
use pml_kit::{Output, Survivor, SurvivorProject, TestEnv, project_root, wait_until_async};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use tokio::sync::Notify;

fn store(folder: &Path) -> Arc<Store> {
    Arc::new(Store::open(folder, Durability::Process).expect("it opens"))
}

fn engine(journal: Arc<dyn Journal>) -> Engine {
    let mut config = Config::new();
    config.allow_tool("*").ask_tool("t:later").runs(4).question_lifetime(None);
    Engine::with_journal(&config, journal).expect("an engine")
}

fn yes(question: &Question) -> Answer {
    Answer::all(question, Decision::Approve, "tester", "a test")
}

#[tokio::test]
async fn a_waiting_run_goes_on_when_another_journal_records_the_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let (owner, other) = (store(folder.path()), store(folder.path()));
    let approver = approver_from_fn(|_| std::future::pending());
    let run = engine(owner)
        .run(Script::ts("(await mcp.t.later({ n: 4 })).n"))
        .tools(TestTools::default())
        .approver(approver);
    let id = run.id();
    let running = tokio::spawn(run.into_future());
    let open = || async { other.questions(Some(id), Timestamp(0)).await.expect("it reads") };
    wait_until_async("it asks", || async { open().await.len() == 1 }).await;
    let question = open().await.remove(0).question;
    // The run has an owner, which lives: nobody else gets it.
    let refused = other.claim(id).await.expect_err("it is owned");
    assert!(refused.to_string().contains("is being run by process"), "{refused}");
    let answered =
        other.answer(question.id, yes(&question), Timestamp(0)).await.expect("it records");
    assert!(matches!(answered, AnswerOutcome::Recorded { open: 0, .. }));
    let outcome = running.await.expect("no panic").expect("the sandbox works");
    assert_eq!(outcome.value(), Some(json!(4)));
}

#[tokio::test]
async fn a_dead_owners_write_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = engine(store(folder.path()));
    let waiting = engine.run(Script::ts("await mcp.t.later({})")).await.expect("it waits");
    let journal = engine.journal();
    let first = journal.claim(waiting.run_id).await.expect("nobody has it");
    let stale = pml::journal::Lease::new(first.run, first.fence, || {});
    drop(first);
    let second = journal.claim(waiting.run_id).await.expect("it was given up");
    assert!(second.fence > stale.fence);
    let mut batch = pml::journal::JournalBatch::default();
    batch.state = Some(RunState::Running);
    let refused = journal.append(&stale, batch.clone()).await.expect_err("it is fenced off");
    assert_eq!(refused.code().as_str(), "RUN_OWNED");
    journal.append(&second, batch).await.expect("its owner writes");
}

/// Runs a program whose process is killed at a write of its journal.
fn killed(project: &SurvivorProject, code: &str, write: usize, when: &str) -> RunId {
    let script = project.path("main.ts");
    std::fs::write(&script, code).expect("written");
    let mut run = project.start("run", script.to_str().expect("UTF-8"), Some((write, when)));
    let id = run.line().expect("an id").parse().expect("an id");
    assert_eq!(run.line().as_deref(), Some("cut"));
    run.kill();
    id
}

/// Goes on with a run in another process, and to its end.
fn resume(project: &SurvivorProject, run: RunId) -> Survivor {
    let mut resumed = project.start("resume", &run.to_string(), None);
    assert_eq!(resumed.line(), Some(run.to_string()));
    resumed
}

const TWO_CALLS: &str = "await mcp.t.echo({ n: 1 }); return (await mcp.t.slow({ n: 2 })).n";

#[tokio::test]
async fn an_owner_killed_between_executing_and_settled_leaves_a_question_and_no_second_call() {
    let project = SurvivorProject::new();
    // Its writes: the run, call 1 out, call 1 settled, call 2 out, call 2 settled, the end.
    let id = killed(&project, TWO_CALLS, 4, "before");
    let second = pml::CallId::numbered(2);
    assert_eq!(project.seen(id, second), 1, "the call was made");
    assert_eq!(resume(&project, id).outcome(), Ok(json!({ "finished": 2 })));
    assert_eq!(project.seen(id, second), 1, "it was not made again");
    let stored = store(&project.path(".pml")).load(id).await.expect("it is kept");
    let asks = stored.entries.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Asked { question } => Some(question.asks[0].kind),
        _ => None,
    });
    assert_eq!(asks.collect::<Vec<_>>(), [AskKind::UncertainCall]);
}

#[tokio::test]
async fn processes_that_race_to_resume_end_with_one_owner_and_one_call() {
    for write in 1..=4 {
        let project = SurvivorProject::new();
        let id = killed(&project, TWO_CALLS, write, "before");
        let racers: Vec<_> = (0..4).map(|_| resume(&project, id)).collect();
        let mut done = 0;
        for racer in racers {
            match racer.outcome() {
                Ok(ending) => {
                    assert_eq!(ending, json!({ "finished": 2 }));
                    done += 1;
                }
                Err(stderr) => assert!(stderr.contains("RunOwned"), "{stderr}"),
            }
        }
        assert!(done >= 1);
        for call in [1, 2] {
            assert_eq!(project.seen(id, pml::CallId::numbered(call)), 1, "call {call}");
        }
    }
}

/// A project with a run in its journal, all of it in one file.
fn project() -> TestEnv {
    let env = pml();
    env.write("main.ts", "await mcp.pml.confirm({ message: 'ok?' }); return 1");
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    assert_eq!(env.run(&["runs"]).code, 0);
    assert!(!env.journal().join("state.db-wal").exists(), "the last to close tidies up");
    env
}

fn refused(output: Output, what: &str) {
    assert_eq!((output.stdout.as_str(), output.code), ("", 1), "{}", output.stderr);
    assert!(output.stderr.contains(what), "{}", output.stderr);
    assert!(output.stderr.contains("$TEST_STATE/pml/projects/"), "{}", output.stderr);
    assert!(output.stderr.contains("hint: "), "{}", output.stderr);
}

#[test]
fn a_damaged_journal_is_refused_by_name_and_left_as_it_is() {
    type Damage = fn(&Path);
    let damages: [(Damage, &str); 4] = [
        (|file| std::fs::write(file, "not a database".repeat(1000)).expect("written"), "damaged"),
        (
            |file| {
                let length = std::fs::metadata(file).expect("it is there").len();
                let file = std::fs::File::options().write(true).open(file).expect("it opens");
                file.set_len(length / 2).expect("shorter");
            },
            "damaged",
        ),
        (
            |file| {
                // The schema's version: four bytes at 60, by SQLite's file format.
                let mut bytes = std::fs::read(file).expect("it reads");
                bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
                std::fs::write(file, bytes).expect("written");
            },
            "format 99",
        ),
        (
            |file| {
                let mut bytes = std::fs::read(file).expect("it reads");
                let length = bytes.len();
                bytes[4096..length].fill(0xab);
                std::fs::write(file, bytes).expect("written");
            },
            "damaged",
        ),
    ];
    for (damage, what) in damages {
        let env = project();
        damage(&env.journal().join("state.db"));
        let before = std::fs::read(env.journal().join("state.db")).expect("it reads");
        for command in [&["run", "main.ts"][..], &["runs"], &["approvals"], &["replay", "last"]] {
            refused(env.run(command), what);
        }
        let after = std::fs::read(env.journal().join("state.db")).expect("it reads");
        assert!(before == after, "the file is kept: {what}");
        // Without a journal the program still runs.
        assert_eq!(env.run(&["eval", "1 + 1", "--no-journal"]).stdout, "2\n");
    }
}

#[test]
fn processes_that_make_the_journal_at_the_same_time_make_one() {
    for _ in 0..10 {
        let env = pml();
        let commands = (0..6).map(|n| if n % 3 == 0 { &["runs"][..] } else { &["eval", "1"] });
        let started: Vec<_> =
            commands.map(|command| env.command(command).spawn().expect("it starts")).collect();
        for child in started {
            let output = env.finish(child);
            assert_eq!(output.code, 0, "{}", output.stderr);
        }
        let listed: Value = json::from_str(&env.run(&["runs", "--json"]).stdout).expect("JSON");
        assert_eq!(listed.as_array().map(Vec::len), Some(4));
    }
}

#[test]
fn a_file_where_the_folder_should_be_is_named() {
    let env = pml();
    env.write(".pml", "mine");
    let output = env.run(&["eval", "1"]);
    assert_eq!((output.stdout.as_str(), output.code), ("", 1));
    assert!(output.stderr.contains("$TEST_ENV/.pml"), "{}", output.stderr);
    assert!(
        output.stderr.contains("hint: a file has the name of this folder"),
        "{}",
        output.stderr
    );
    assert_eq!(std::fs::read_to_string(env.path().join(".pml")).expect("it is kept"), "mine");
}

/// Runs a shell script in a mount namespace of its own, where the state folder can be any file
/// system.
fn in_namespace(env: &TestEnv, script: &str) -> Output {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-euc", script]);
    std::fs::create_dir(env.state()).expect("a folder");
    command.env("PML", env.binary()).env("PML_STATE_DIR", env.state());
    command.env_remove("XDG_STATE_HOME").current_dir(env.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    env.finish(command.spawn().expect("unshare starts"))
}

#[test]
fn a_full_disk_stops_the_run_and_loses_nothing() {
    let env = pml();
    let fill = "for (let i = 0; i < 40; i++) { await mcp.pml.sleep({ ms: 0 }); await mcp.t.x({ i, s: 'x'.repeat(50_000) }).catch(() => {}) } return 'all'";
    env.write("fill.ts", fill);
    let output = in_namespace(
        &env,
        "mount -t tmpfs -o size=700k,mode=700 tmpfs $PML_STATE_DIR
         code=0; $PML run fill.ts 2>full || code=$?
         echo code $code; $PML runs --json | tr ',' '\\n' | grep state
         mount -o remount,size=50m $PML_STATE_DIR
         $PML run --resume last; $PML replay last",
    );
    assert_eq!(
        output.stdout.lines().collect::<Vec<_>>(),
        [
            "code 1",
            "\"state\":\"interrupted\"",
            "\"all\"",
            "same: 81 steps and 80 calls, as in the journal"
        ],
        "{}",
        output.stderr
    );
    let full = std::fs::read_to_string(env.path().join("full")).expect("written");
    assert!(full.contains("the disk is full") && full.contains("hint: free some space"), "{full}");
}

#[test]
fn a_read_only_folder_is_refused_by_name() {
    for prepare in ["", "$PML run main.ts >/dev/null; $PML runs >/dev/null;"] {
        let env = pml();
        env.write("main.ts", "return 1");
        let script = format!(
            "mount -t tmpfs -o mode=700 tmpfs $PML_STATE_DIR; {prepare} mount -o remount,ro $PML_STATE_DIR
             $PML run --no-journal main.ts; code=0; $PML run main.ts || code=$?; echo code $code"
        );
        let output = in_namespace(&env, &script);
        assert_eq!(output.stdout, "1\ncode 1\n", "{}", output.stderr);
        assert!(output.stderr.contains("$TEST_STATE/pml"), "{}", output.stderr);
        assert!(output.stderr.contains("hint: ") && output.stderr.contains("--no-journal"));
    }
}

/// Writes one run of each kind: finished, failed, waiting for a person, cut off.
async fn write_journal(folder: &Path) {
    let engine = engine(store(folder));
    let run = |code: &str| engine.run(Script::ts(code)).seed([1; 32]).tools(TestTools::default());
    let finished = "console.log('hi'); const [a] = await Promise.all([mcp.t.echo({ s: 'é\\u0000' }), mcp.pml.sleep({ ms: 1 })]);
        await mcp.t.fail({ n: 1 }).catch(() => {}); return { a, r: Math.random() }";
    run(finished).await.expect("it runs");
    run("await mcp.t.echo({ n: 1 }); throw new TypeError('no')").await.expect("it runs");
    run("const x = await mcp.t.echo({ n: 1 }); return [x.n, (await mcp.t.later({ n: 2 })).n]")
        .await
        .expect("it waits");
    let hangs = Arc::new(Notify::new());
    let tell = hangs.clone();
    let cut = run("await mcp.t.echo({ n: 1 }); return mcp.t.wait({ n: 2 })");
    let cut = cut.events(move |event: &Event| {
        if matches!(event, Event::CallStarted { tool, .. } if tool.as_str() == "t:wait") {
            tell.notify_one();
        }
    });
    tokio::select! {
        () = hangs.notified() => {}
        _ = cut.into_future() => panic!("it hangs"),
    }
}

/// Journals that were written by released formats. A new format adds one; none is ever written
/// again.
fn kept() -> PathBuf {
    project_root().join("tests/kit/journals")
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a switch for developers, not a setting of pml")]
async fn a_journal_of_every_format_there_was_opens_for_ever() {
    let newest = kept().join(format!("format-{}.db", pml::journal::FORMAT));
    if std::env::var_os("PML_BLESS").is_some() && !newest.exists() {
        let folder = tempfile::tempdir().expect("a folder");
        write_journal(folder.path()).await;
        std::fs::create_dir_all(kept()).expect("a folder");
        std::fs::copy(folder.path().join("state.db"), &newest).expect("copied");
    }
    for format in 1..=pml::journal::FORMAT {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = kept().join(format!("format-{format}.db"));
        std::fs::copy(&journal, folder.path().join("state.db")).expect("it is kept for ever");
        let engine = engine(store(folder.path()));
        let list = engine
            .journal()
            .runs(pml::journal::RunFilter::default(), Timestamp(0))
            .await
            .expect("a list");
        let states: Vec<_> = list.iter().rev().map(|run| run.state).collect();
        let expected =
            [RunState::Finished, RunState::Failed, RunState::Waiting, RunState::Interrupted];
        assert_eq!(states, expected, "format {format}");
        for run in &list {
            let replay = engine.replay_run(run.run).await.expect("it replays");
            assert_eq!(replay.diverged, None, "format {format}: {:?}", run.state);
        }
        let waiting = list[1].run;
        let open = engine.journal().questions(Some(waiting), Timestamp(0)).await.expect("a list");
        let question = &open[0].question;
        engine.answer(question.id, yes(question)).await.expect("it records");
        let outcome = engine.resume(waiting).tools(TestTools::default()).await.expect("it goes on");
        assert_eq!(outcome.value(), Some(json!([1, 2])));
        let cut = engine.resume(list[0].run).tools(TestTools::default()).await.expect("it goes on");
        assert_eq!(cut.questions()[0].asks[0].kind, AskKind::UncertainCall);
    }
}

#[tokio::test]
async fn the_process_level_does_not_wait_for_the_disk_and_the_power_level_does() {
    for (durability, synced) in [(Durability::Process, 0), (Durability::Power, 3)] {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Arc::new(Store::open(folder.path(), durability).expect("it opens"));
        let code = "for (let n = 0; n < 3; n++) await mcp.t.echo({ n }); return 1";
        let run = engine(store.clone()).run(Script::ts(code)).tools(TestTools::default());
        assert_eq!(run.await.expect("it runs").value(), Some(json!(1)));
        assert_eq!(store.statistics().synced, synced, "{durability:?}");
    }
}

#[tokio::test]
async fn the_power_level_waits_for_the_disk_unless_a_call_only_reads() {
    struct Says(pml::tool::Effects);
    impl pml::Tools for Says {
        fn call(&self, _: pml::Call) -> pml::BoxFuture<'_, pml::Reply> {
            Box::pin(std::future::ready(Ok(json!(1))))
        }

        fn effects(&self, _: &pml::ToolName) -> pml::tool::Effects {
            self.0
        }
    }
    for (effects, synced) in
        [(pml::tool::Effects::Idempotent, 2), (pml::tool::Effects::ReadOnly, 0)]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Arc::new(Store::open(folder.path(), Durability::Power).expect("it opens"));
        let code = "await mcp.a.b({}); await mcp.a.b({}); return 1";
        let run = engine(store.clone()).run(Script::ts(code)).tools(Says(effects));
        assert_eq!(run.await.expect("it runs").value(), Some(json!(1)));
        assert_eq!(store.statistics().synced, synced, "{effects:?}");
    }
}

#[tokio::test]
async fn runs_are_forgotten_by_count_and_never_while_they_wait() {
    let engine = engine(Arc::new(MemoryJournal::with_retained_runs(3)));
    let waiting = engine.run(Script::ts("await mcp.t.later({})")).await.expect("it waits").run_id;
    for _ in 0..10 {
        engine.run(Script::ts("1")).await.expect("it runs");
    }
    let now = pml::Clock::now(&SystemClock);
    let list =
        engine.journal().runs(pml::journal::RunFilter::default(), now).await.expect("a list");
    assert_eq!(list.len(), 4);
    assert!(list.iter().any(|run| run.run == waiting));
    let text: Value = json::to_value(&list[0]).expect("JSON");
    assert_eq!(text["state"], "finished");
}
