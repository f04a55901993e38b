//! Calls that a person decides about, in runs that stay in this process.

use pml::json::{Value, json};
use pml::{
    Answer, Decision, Ending, Engine, Event, Outcome, Question, Run, Script, approval::AskKind,
    approver_from_fn, journal::AnswerOutcome,
};
use pml_kit::sandbox::{TestTools, engine};
use pml_kit::{ManualClock, outlast_async, wait_until_async};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;

/// An engine that asks before `t:later` is called, and allows the rest.
fn asking() -> Engine {
    engine(|config| config.ask_tool("t:later"))
}

/// Counts when it is dropped.
struct Bell(Arc<AtomicUsize>);

impl Drop for Bell {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn run(engine: &Engine, code: &str) -> Run {
    engine.run(Script::ts(code)).tools(TestTools::default())
}

async fn outcome(run: Run) -> Outcome {
    run.await.expect("the sandbox works")
}

/// Runs to its first question.
async fn question(engine: &Engine, code: &str) -> Question {
    let outcome = outcome(run(engine, code)).await;
    let [question] = outcome.questions() else { panic!("{:?}", outcome.ending) };
    question.clone()
}

fn say(question: &Question, decision: Decision) -> Answer {
    Answer::all(question, decision, "tester", "a test")
}

async fn answer(engine: &Engine, question: &Question, decision: Decision) -> AnswerOutcome {
    engine.answer(question.id, say(question, decision)).await.expect("the journal works")
}

async fn resume(engine: &Engine, question: &Question) -> Outcome {
    outcome(engine.resume(question.run).tools(TestTools::default())).await
}

#[tokio::test]
async fn a_run_that_only_a_person_can_help_waits_and_goes_on_where_it_was() {
    let engine = asking();
    let code = "const a = Math.random(); const b = await mcp.t.later({ a }); return a === b.a";
    let question = question(&engine, code).await;
    assert_eq!(question.asks.len(), 1);
    assert_eq!(
        (question.asks[0].kind, question.asks[0].tool.as_str()),
        (AskKind::ToolPermission, "t:later")
    );
    // Nobody has answered: it waits for the same question.
    let again = resume(&engine, &question).await;
    assert_eq!(again.questions(), std::slice::from_ref(&question));
    assert!(matches!(
        answer(&engine, &question, Decision::Approve).await,
        AnswerOutcome::Recorded { open: 0, .. }
    ));
    assert_eq!(resume(&engine, &question).await.value(), Some(json!(true)));
    let over = engine.resume(question.run).await.expect_err("it is over");
    assert_eq!(over.kind().as_str(), "RUN_ENDED");
}

#[tokio::test]
async fn one_question_collects_all_asks_and_every_question_has_an_id_of_its_own() {
    let engine = asking();
    let code = "const [x, y, z] = await Promise.all([mcp.t.later({ n: 1 }), mcp.t.echo({ n: 2 }), mcp.t.later({ n: 3 })]);
        const last = await mcp.t.later({ n: 4 }); return [x.n, y.n, z.n, last.n]";
    let first = question(&engine, code).await;
    let asked: Vec<_> = first.asks.iter().map(|ask| ask.arguments["n"].clone()).collect();
    assert_eq!(asked, [json!(1), json!(3)]);
    answer(&engine, &first, Decision::Approve).await;
    let outcome = resume(&engine, &first).await;
    let [second] = outcome.questions() else { panic!("{:?}", outcome.ending) };
    assert_ne!(first.id, second.id);
    assert_eq!(first.run, second.run);
    // The first id approves nothing more.
    assert!(matches!(
        answer(&engine, &first, Decision::Approve).await,
        AnswerOutcome::Late { decided, .. } if decided.len() == 2 && decided[0].who == "tester"
    ));
    answer(&engine, second, Decision::Approve).await;
    assert_eq!(resume(&engine, second).await.value(), Some(json!([1, 2, 3, 4])));
}

#[tokio::test]
async fn always_asks_no_more_in_this_run_and_approve_asks_each_time() {
    let engine = asking();
    let code = "let n = 0; for (let i = 0; i < 3; i++) n += (await mcp.t.later({ i })).i; return n";
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = async |decision: Decision| {
        let (count, decision) = (asked.clone(), decision.clone());
        count.store(0, Ordering::SeqCst);
        let approver = approver_from_fn(move |question| {
            count.fetch_add(1, Ordering::SeqCst);
            std::future::ready(Some(say(&question, decision.clone())))
        });
        let outcome = outcome(run(&engine, code).approver(approver)).await;
        assert_eq!(outcome.value(), Some(json!(3)));
        asked.load(Ordering::SeqCst)
    };
    assert_eq!(counted(Decision::Approve).await, 3);
    assert_eq!(counted(Decision::Always).await, 1);
}

#[tokio::test]
async fn a_declined_call_throws_and_an_approval_is_never_thrown() {
    let engine = asking();
    let code = "const seen = []; try { await mcp.t.later({}); seen.push('made') } catch (e) { seen.push(e.code) } finally { seen.push('end') }
        return seen";
    for (decision, seen) in [
        (Decision::Decline, json!(["APPROVAL_DECLINED", "end"])),
        (Decision::Approve, json!(["made", "end"])),
    ] {
        let question = question(&engine, code).await;
        answer(&engine, &question, decision).await;
        assert_eq!(resume(&engine, &question).await.value(), Some(seen));
    }
}

#[tokio::test]
async fn abort_and_replan_end_the_run_and_say_what_was_completed() {
    let engine = asking();
    let code = "await mcp.t.echo({}); try { await mcp.t.later({}) } catch {} return 'swallowed'";
    for (decision, replan) in [(Decision::Abort, false), (Decision::Replan, true)] {
        let question = question(&engine, code).await;
        answer(&engine, &question, decision).await;
        let outcome = resume(&engine, &question).await;
        let Ending::Aborted(aborted) = &outcome.ending else { panic!("{:?}", outcome.ending) };
        assert_eq!(aborted.message, "Workflow aborted by user");
        assert_eq!((aborted.replan, aborted.who.as_str()), (replan, "tester"));
        let completed: Vec<_> = aborted.completed.iter().map(|call| call.tool.as_str()).collect();
        assert_eq!(completed, ["t:echo"]);
    }
}

#[tokio::test]
async fn a_question_can_be_answered_in_part() {
    let engine = asking();
    let code =
        "const settled = await Promise.allSettled([mcp.t.later({ n: 1 }), mcp.t.later({ n: 2 })]);
        return settled.map((one) => one.value?.n ?? one.reason.code)";
    let question = question(&engine, code).await;
    let each = |n: usize, decision| {
        Answer::each(&question, [(question.asks[n].id, decision)], "tester", "a test")
    };
    let answered = engine.answer(question.id, each(1, Decision::Approve)).await;
    assert!(matches!(answered, Ok(AnswerOutcome::Recorded { open: 1, .. })));
    let waits = resume(&engine, &question).await;
    assert_eq!(waits.questions(), std::slice::from_ref(&question), "the rest is still open");
    let answered = engine.answer(question.id, each(0, Decision::Decline)).await;
    assert!(matches!(answered, Ok(AnswerOutcome::Recorded { open: 0, .. })));
    assert_eq!(resume(&engine, &question).await.value(), Some(json!(["APPROVAL_DECLINED", 2])));
}

#[tokio::test]
async fn a_question_expires_and_its_run_with_it() {
    let engine = engine(|config| {
        config.ask_tool("t:later").question_lifetime(Some(Duration::from_millis(30)))
    });
    // In memory: the approver never answers.
    let approver = approver_from_fn(|_| std::future::pending());
    let outcome = outcome(run(&engine, "await mcp.t.later({})").approver(approver)).await;
    assert!(matches!(outcome.ending, Ending::Expired(_)), "{:?}", outcome.ending);
    // Left alone: an answer comes too late.
    let clock = Arc::new(ManualClock::default());
    let hour = Duration::from_secs(3600);
    let engine = pml_kit::sandbox::engine(|config| {
        config.ask_tool("t:later").clock(clock.clone()).question_lifetime(Some(hour))
    });
    for closed in [false, true] {
        let question = question(&engine, "await mcp.t.later({})").await;
        clock.forward(hour);
        // An owner that died after it had closed the question changes nothing.
        for _ in 0..if closed { 2 } else { 0 } {
            let expired = engine.journal().expire(question.id, pml::Clock::now(&*clock)).await;
            assert!(expired.expect("the journal works"));
        }
        assert_eq!(answer(&engine, &question, Decision::Approve).await, AnswerOutcome::Gone);
        assert!(matches!(resume(&engine, &question).await.ending, Ending::Expired(_)));
    }
}

#[tokio::test]
async fn an_unknown_question_is_gone() {
    let engine = asking();
    let other = question(&engine, "await mcp.t.later({})").await;
    let yes = say(&other, Decision::Approve);
    let unknown = engine.answer(pml::QuestionId::new(), yes).await;
    assert_eq!(unknown.expect("the journal works"), AnswerOutcome::Gone);
}

#[tokio::test]
async fn whoever_answers_first_wins_and_the_other_is_let_go() {
    let engine = asking();
    let (shown, dropped) = (Arc::new(Mutex::new(None)), Arc::new(AtomicUsize::new(0)));
    let (show, bell) = (shown.clone(), dropped.clone());
    let approver = approver_from_fn(move |question: Question| {
        *show.lock().expect("one thread") = Some(question);
        let bell = Bell(bell.clone());
        async move {
            let _bell = bell;
            std::future::pending().await
        }
    });
    let running =
        tokio::spawn(outcome(run(&engine, "(await mcp.t.later({ n: 5 })).n").approver(approver)));
    wait_until_async("it asks", || async { shown.lock().expect("one thread").is_some() }).await;
    let question = shown.lock().expect("one thread").clone().expect("it asked");
    answer(&engine, &question, Decision::Approve).await;
    assert_eq!(running.await.expect("no panic").value(), Some(json!(5)));
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_race_and_timers_go_on_while_a_call_waits_for_a_person() {
    let engine = asking();
    let approver = || approver_from_fn(|_| std::future::pending());
    let race =
        "return Promise.race([mcp.t.later({}), mcp.pml.sleep({ ms: 20 }).then(() => 'slept')])";
    let outcome_ = outcome(run(&engine, race).approver(approver())).await;
    assert_eq!(outcome_.value(), Some(json!("slept")));
    assert_eq!(outcome_.abandoned.len(), 1);
    assert!(!outcome_.abandoned[0].sent, "a call that nobody approved never leaves");
    // A call that is out is waited for before anybody is asked.
    let both = "const p = mcp.t.later({ n: 1 }); const q = await mcp.t.echo({ n: 2 }); return [q.n, (await p).n]";
    assert_eq!(question(&engine, both).await.asks.len(), 1);
}

#[tokio::test]
async fn waiting_for_people_does_not_count_as_time() {
    let timeout = Duration::from_secs(2);
    let engine = engine(|config| config.ask_tool("t:later").timeout(timeout));
    let approver = approver_from_fn(move |question| async move {
        outlast_async(timeout).await;
        Some(say(&question, Decision::Approve))
    });
    let outcome = outcome(run(&engine, "(await mcp.t.later({ n: 1 })).n").approver(approver)).await;
    assert_eq!(outcome.value(), Some(json!(1)));
    assert!(outcome.usage.wall_time < timeout, "{:?}", outcome.usage);
}

#[tokio::test]
async fn confirm_asks_a_person_with_the_programs_own_words() {
    let engine = engine(|config| config);
    let confirm = "try { return await mcp.pml.confirm({ message: 'delete 3 files?' }) } catch (e) { return e.code }";
    for (decision, value) in [
        (Decision::Approve, json!({ "approved": true })),
        (Decision::Decline, json!("APPROVAL_DECLINED")),
    ] {
        let question = question(&engine, confirm).await;
        assert_eq!(question.asks[0].arguments, json!({ "message": "delete 3 files?" }));
        answer(&engine, &question, decision).await;
        assert_eq!(resume(&engine, &question).await.value(), Some(value));
    }
    let wrong = "await mcp.pml.confirm({}).catch((e) => e.code)";
    assert_eq!(outcome(run(&engine, wrong)).await.value(), Some(json!("ARGUMENTS")));
    let denied = pml_kit::sandbox::engine(|config| config.deny_tool("pml:confirm"));
    let refused = "await mcp.pml.confirm({ message: 'x' }).catch((e) => e.message)";
    let refused = outcome(run(&denied, refused)).await.value();
    assert_eq!(refused, Some(json!("Tool pml:confirm is denied by user config")));
}

#[tokio::test]
async fn a_denied_tool_is_refused_without_asking() {
    let engine = engine(|config| config.ask_tool("t:*").deny_tool("t:later"));
    let code = "await mcp.t.later({}).catch((e) => [e.code, e.message])";
    let refused = outcome(run(&engine, code)).await.value();
    assert_eq!(refused, Some(json!(["TOOL_DENIED", "Tool t:later is denied by user config"])));
}

#[tokio::test]
async fn events_tell_of_questions_and_of_answers_once() {
    let engine = asking();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = |log: Arc<Mutex<Vec<String>>>| {
        move |event: &Event| {
            let name = pml::json::to_value(event).expect("JSON")["event"].clone();
            log.lock().expect("one thread").push(name.as_str().expect("a name").to_owned());
        }
    };
    let code =
        "console.log('a'); await mcp.t.later({}); console.log('b'); await mcp.t.later({ n: 2 })";
    let waiting = outcome(run(&engine, code).events(sink(seen.clone()))).await;
    let question = waiting.questions()[0].clone();
    answer(&engine, &question, Decision::Approve).await;
    let resumed = engine.resume(question.run).tools(TestTools::default());
    let waiting = self::outcome(resumed.events(sink(seen.clone()))).await;
    let question = waiting.questions()[0].clone();
    answer(&engine, &question, Decision::Approve).await;
    let resumed = engine.resume(question.run).tools(TestTools::default());
    let outcome = self::outcome(resumed.events(sink(seen.clone()))).await;
    assert_eq!(
        *seen.lock().expect("one thread"),
        [
            "started",
            "console",
            "asked",
            "decided",
            "resumed",
            "call_started",
            "call_settled",
            "console",
            "asked",
            "decided",
            "resumed",
            "call_started",
            "call_settled",
            "ended"
        ]
    );
    let lines: Vec<_> = outcome.console.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(lines, ["a", "b"], "the outcome has every line once");
}

#[tokio::test]
async fn waiting_never_starves_running() {
    let engine = engine(|config| config.ask_tool("t:later").runs(2));
    let approvals = Arc::new(tokio::sync::Semaphore::new(0));
    let mut waiting = Vec::new();
    let evicted = Arc::new(AtomicUsize::new(0));
    for n in 0..20 {
        let gate = approvals.clone();
        let approver = approver_from_fn(move |question| {
            let gate = gate.clone();
            async move {
                gate.acquire().await.ok()?.forget();
                Some(say(&question, Decision::Approve))
            }
        });
        let count = evicted.clone();
        let code = "const r = Math.random(); console.log(r); const x = await mcp.t.later({ n: inputs, r }); return [x.n, x.r === r]";
        let run =
            run(&engine, code).inputs(json!(n)).approver(approver).events(move |event: &Event| {
                if matches!(event, Event::Evicted { .. }) {
                    count.fetch_add(1, Ordering::SeqCst);
                }
            });
        waiting.push(tokio::spawn(outcome(run)));
    }
    // All twenty wait, with two slots; another still runs.
    let value = pml_kit::sandbox::value(&engine, "1 + 1").await;
    assert_eq!(value, json!(2));
    let journal = engine.journal();
    wait_until_async("all twenty wait", || async {
        journal.questions(None, pml::Timestamp(0)).await.expect("a list").len() == 20
    })
    .await;
    assert!(evicted.load(Ordering::SeqCst) >= 18, "{evicted:?}");
    approvals.add_permits(20);
    for (n, run) in waiting.into_iter().enumerate() {
        let outcome = run.await.expect("no panic");
        assert_eq!(outcome.value(), Some(json!([n, true])), "{:?}", outcome.ending);
        assert_eq!(outcome.console.len(), 1);
    }
}

#[tokio::test]
async fn runs_that_hold_too_much_memory_are_put_away_and_rebuilt() {
    let engine = engine(|config| config.ask_tool("t:later").waiting_memory(0));
    let evicted = Arc::new(AtomicUsize::new(0));
    let count = evicted.clone();
    let (put_away, answered) = (evicted.clone(), Arc::new(AtomicUsize::new(0)));
    let approver = approver_from_fn(move |question| {
        let put_away = put_away.clone();
        let questions = answered.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            let enough = || async { put_away.load(Ordering::SeqCst) == questions };
            wait_until_async("it is put away", enough).await;
            Some(say(&question, Decision::Approve))
        }
    });
    let code = "const lines: Value[] = []; for (let n = 0; n < 5; n++) { lines.push((await mcp.t.later({ n })).n); console.log(n); await mcp.t.echo({}) }
        return lines";
    let run = run(&engine, code).approver(approver).events(move |event: &Event| {
        if matches!(event, Event::Evicted { .. }) {
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    let outcome = outcome(run).await;
    assert_eq!(outcome.value(), Some(json!([0, 1, 2, 3, 4])));
    assert_eq!(outcome.console.len(), 5);
    assert_eq!(evicted.load(Ordering::SeqCst), 5);
    let _: Option<Value> = outcome.value();
}

#[tokio::test]
async fn a_question_that_nothing_waits_for_is_taken_back() {
    // The clock stands still, so that no timer is overdue before anything is asked.
    let engine =
        engine(|config| config.ask_tool("t:later").clock(Arc::new(ManualClock::default())));
    // A timer gives the first call up; the second asks anew.
    let code = "const stop = new AbortController(); setTimeout(() => stop.abort(), 5);
        await mcp.t.later({ n: 1 }, { signal: stop.signal }).catch(() => {}); return (await mcp.t.later({ n: 2 })).n";
    let (asked, mut questions) = tokio::sync::mpsc::unbounded_channel();
    let dropped = Arc::new(AtomicUsize::new(0));
    let bell = dropped.clone();
    let approver = approver_from_fn(move |question: Question| {
        asked.send(question).expect("the test listens");
        let bell = Bell(bell.clone());
        async move {
            let _bell = bell;
            std::future::pending().await
        }
    });
    let running = tokio::spawn(outcome(run(&engine, code).approver(approver)));
    let first = questions.recv().await.expect("it asks");
    let second = questions.recv().await.expect("it asks again");
    assert_eq!(dropped.load(Ordering::SeqCst), 1, "nobody is asked the first any more");
    let open = engine.journal().questions(Some(first.run), pml::Timestamp(0)).await;
    let open: Vec<_> = open.expect("a list").iter().map(|asked| asked.question.id).collect();
    assert_eq!(open, [second.id]);
    assert_eq!(answer(&engine, &first, Decision::Approve).await, AnswerOutcome::Gone);
    answer(&engine, &second, Decision::Approve).await;
    let outcome = running.await.expect("no panic");
    assert_eq!(outcome.value(), Some(json!(2)), "{:?}", outcome.ending);
}

#[tokio::test]
async fn always_says_nothing_about_other_words_of_the_program() {
    let engine = engine(|config| config);
    let code = "await mcp.pml.confirm({ message: 'tidy up?' }); await mcp.pml.confirm({ message: 'delete everything?' })";
    let first = question(&engine, code).await;
    answer(&engine, &first, Decision::Always).await;
    let outcome = resume(&engine, &first).await;
    let [second] = outcome.questions() else { panic!("{:?}", outcome.ending) };
    assert_eq!(second.asks[0].arguments["message"], "delete everything?");
    let same = "for (let i = 0; i < 3; i++) await mcp.pml.confirm({ message: 'one more?' }); return 'done'";
    let asked = question(&engine, same).await;
    answer(&engine, &asked, Decision::Always).await;
    assert_eq!(resume(&engine, &asked).await.value(), Some(json!("done")));
}

#[tokio::test]
async fn a_replay_finds_a_slot_while_runs_wait_for_people() {
    let engine = engine(|config| config.ask_tool("t:later").runs(1));
    let done = outcome(run(&engine, "await mcp.t.echo({}); return 1")).await;
    let approver = approver_from_fn(|_| std::future::pending());
    let waiting = tokio::spawn(outcome(run(&engine, "await mcp.t.later({})").approver(approver)));
    let journal = engine.journal();
    wait_until_async("it waits", || async {
        !journal.questions(None, pml::Timestamp(0)).await.expect("a list").is_empty()
    })
    .await;
    let replay = engine.replay_run(done.run_id).await.expect("the sandbox works");
    assert_eq!(replay.diverged, None);
    waiting.abort();
}

#[tokio::test]
async fn a_run_that_was_put_away_is_not_rebuilt_for_every_timer() {
    let engine = engine(|config| config.ask_tool("t:later").waiting_memory(0));
    let evicted = Arc::new(AtomicUsize::new(0));
    let count = evicted.clone();
    let code = "let ticks = 0; const every = setInterval(() => ticks++, 1);
        await mcp.t.later({}); clearInterval(every); return ticks > 0";
    let approver = approver_from_fn(|question| async move {
        outlast_async(Duration::from_millis(200)).await;
        Some(say(&question, Decision::Approve))
    });
    let run = run(&engine, code).approver(approver).events(move |event: &Event| {
        count.fetch_add(usize::from(matches!(event, Event::Evicted { .. })), Ordering::SeqCst);
    });
    assert_eq!(outcome(run).await.value(), Some(json!(true)));
    assert!(evicted.load(Ordering::SeqCst) < 150, "{evicted:?}");
}

#[tokio::test]
async fn waiting_for_a_slot_is_not_the_programs_time() {
    let clock = Arc::new(ManualClock::default());
    let engine = engine(|config| config.runs(1).clock(clock.clone()));
    let (tools, out) = (TestTools::default(), Arc::new(Notify::new()));
    let (release, called) = (tools.release.clone(), out.clone());
    let first = engine.run(Script::ts("await mcp.t.wait({})")).tools(tools);
    let first = first.events(move |event: &Event| {
        if matches!(event, Event::CallStarted { .. }) {
            called.notify_one();
        }
    });
    let later = async {
        out.notified().await;
        let second = engine.run(Script::ts("return Date.now()")).into_future();
        let (second, ()) = tokio::join!(second, async {
            clock.forward(Duration::from_secs(3600));
            release.notify_one();
        });
        second.expect("the sandbox works").value()
    };
    let (first, second) = tokio::join!(first.into_future(), later);
    first.expect("the sandbox works");
    assert_eq!(second, Some(json!(3_600_000)), "its clock is read when it starts");
}
