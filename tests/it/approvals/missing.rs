//! Servers of a project that lack a variable or somebody's trust, asked about while their program
//! waits in memory.

use crate::pml;
use pml::json::{Value, json};
use pml::{
    Answer, Config, Decision, Engine, Environment, Event, Outcome, Project, Question, Script,
    Servers,
    approval::{AskKind, Need},
    approver_from_fn,
    project::LockMode,
};
use pml_kit::{TestEnv, toolbox_script};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// A project whose server `box` needs `BOX_KEY`.
fn clone(permissions: Value) -> TestEnv {
    let env = pml();
    let toolbox = toolbox_script();
    let server =
        json!({ "command": "python3", "args": [toolbox], "env": { "BOX_KEY": "${BOX_KEY}" } });
    let settings = json!({ "permissions": permissions, "servers": { "box": server } });
    env.write(".pml.json", settings.to_string());
    env
}

#[expect(clippy::disallowed_methods, reason = "where this machine has its programs")]
fn environment(env: &TestEnv) -> Environment {
    let home = env.path().to_str().expect("Unicode").to_owned();
    let path = std::env::var("PATH").expect("a path");
    let state = env.state_home().to_str().expect("Unicode").to_owned();
    [("HOME", home), ("XDG_STATE_HOME", state), ("PATH", path)].into_iter().collect()
}

fn load(env: &TestEnv) -> Project {
    Project::load_with_environment(env.path(), &environment(env)).expect("it can be read")
}

/// Runs a program; `decide` is shown each question.
async fn run(
    project: &Project,
    code: &str,
    decide: impl Fn(&Question) -> Decision + Send + Sync + 'static,
) -> (Outcome, Vec<Question>) {
    let mut config = Config::new();
    config.ask_unnamed().runs(4);
    for pattern in &project.permissions.allow {
        config.allow_tool(String::from(pattern.clone()));
    }
    let engine = Engine::new(&config).expect("it starts");
    let servers = Servers::of_uncached(project, LockMode::Update).expect("no cloud");
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = asked.clone();
    let approver = approver_from_fn(move |question: Question| {
        let answer = Answer::all(&question, decide(&question), "tester", "a test");
        seen.lock().expect("no panic").push(question);
        async move { Some(answer) }
    });
    let run = engine.run(Script::ts(code)).tools(servers.clone()).approver(approver);
    let outcome = run.events(|_: &Event| {}).await.expect("the sandbox works");
    servers.close().await;
    let asked = std::mem::take(&mut *asked.lock().expect("no panic"));
    (outcome, asked)
}

const KEY: &str = "return (await mcp.box.getEnv()).BOX_KEY";

fn env_file(env: &TestEnv) -> PathBuf {
    env.path().join(".env")
}

#[tokio::test]
async fn a_missing_variable_is_named_with_its_file_which_is_read_again_after_the_answer() {
    let env = clone(json!({ "allow": ["box:*"] }));
    load(&env).grant_trust(&environment(&env)).expect("it is trusted");
    let file = env_file(&env);
    let (outcome, asked) = run(&load(&env), KEY, move |_| {
        std::fs::write(&file, "BOX_KEY=k3y\n").expect("it is written");
        Decision::Approve
    })
    .await;
    assert_eq!(outcome.value(), Some(json!("k3y")), "{:?}", outcome.ending);
    let [question] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(question.asks[0].kind, AskKind::ApiKeyRequired);
    let Some(Need::Variables(need)) = &question.asks[0].need else { panic!("{question:?}") };
    assert_eq!((need.server.as_str(), need.names.as_slice()), ("box", &["BOX_KEY".to_owned()][..]));
    assert_eq!(need.file, env_file(&env).to_string_lossy());
}

#[tokio::test]
async fn a_variable_that_nobody_sets_is_an_error_that_names_it() {
    let env = clone(json!({ "allow": ["box:*"] }));
    load(&env).grant_trust(&environment(&env)).expect("it is trusted");
    let code = "try { await mcp.box.getEnv() } catch (e) { return [e.code, e.message] }";
    let (outcome, asked) = run(&load(&env), code, |_| Decision::Approve).await;
    let value = outcome.value().expect("caught");
    assert_eq!((&value[0], asked.len()), (&json!("API_KEY_REQUIRED"), 3));
    assert!(value[1].as_str().is_some_and(|it| it.contains("`BOX_KEY`")), "{value}");
}

#[tokio::test]
async fn a_yes_trusts_the_files_that_were_shown_and_makes_the_call() {
    let env = clone(json!({ "allow": ["box:*"] }));
    env.write(".env", "BOX_KEY=k3y\n");
    let project = load(&env);
    let (outcome, asked) = run(&project, KEY, |_| Decision::Approve).await;
    assert_eq!(outcome.value(), Some(json!("k3y")), "{:?}", outcome.ending);
    let [question] = asked.as_slice() else { panic!("{asked:?}") };
    let Some(Need::Trust(need)) = &question.asks[0].need else { panic!("{question:?}") };
    assert_eq!(need.folder, project.root.to_string_lossy());
    let would = need.would.join("\n");
    assert!(would.contains("server box: python3 ") && would.contains("box:*"), "{would}");
    assert!(!would.contains("k3y"), "{would}");
    assert!(load(&env).trust.is_trusted());
}

#[tokio::test]
async fn a_no_trusts_nothing_and_starts_nothing() {
    let env = clone(json!({ "allow": ["box:*"] }));
    let code = "try { await mcp.box.count() } catch (e) { return e.code }";
    let (outcome, _) = run(&load(&env), code, |_| Decision::Decline).await;
    assert_eq!(outcome.value(), Some(json!("APPROVAL_DECLINED")));
    assert!(!load(&env).trust.is_trusted());
    assert!(!env.path().join("starts").exists());
}

#[tokio::test]
async fn files_that_change_while_they_are_shown_are_not_trusted() {
    let env = clone(json!({ "allow": ["box:*"] }));
    let file = env.path().join(".pml.json");
    let code = "try { await mcp.box.count() } catch (e) { return [e.code, e.message] }";
    let (outcome, _) = run(&load(&env), code, move |_| {
        let text = std::fs::read_to_string(&file).expect("settings");
        std::fs::write(&file, text.replace("python3", "./evil")).expect("it is written");
        Decision::Approve
    })
    .await;
    let value = outcome.value().expect("caught");
    assert_eq!(value[0], "UNTRUSTED", "{value}");
    assert!(value[1].as_str().is_some_and(|it| it.contains("have changed")), "{value}");
    assert!(!load(&env).trust.is_trusted());
}
