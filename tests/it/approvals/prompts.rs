//! Programs that ask a person on the terminal from which they were started.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::insta::assert_snapshot;
use pml_kit::{
    Terminal, TerminalColours, TestEnv, json_of, lines_of, newest_state, open_question, redacted,
    toolbox_server, trusted_project,
};

const CONFIRM: &str = "\
console.log('before')
try {
  return await mcp.pml.confirm({ message: 'go on?', token: 's3cret', note: 'n1' })
} catch (error) {
  return error.code
}
";

fn asked(program: &str) -> (TestEnv, Terminal) {
    let env = pml();
    env.write("main.ts", program);
    let mut terminal = Terminal::start(&env, &["run", "main.ts"]);
    let shown = terminal.sees("> ");
    assert!(
        shown.contains("pml: the program asks you a question\n  tool      │ pml:confirm\n"),
        "{shown}"
    );
    assert!(
        shown.ends_with(
            "  y approve · a always · n decline · p replan: end, for a better program\n  \
             q abort · r reveal · ? help > "
        ),
        "{shown}"
    );
    assert!(!shown.contains("s3cret"), "{shown}");
    (env, terminal)
}

#[test]
fn y_makes_the_call_and_the_program_goes_on() {
    let (env, mut terminal) = asked(CONFIRM);
    terminal.types("y\n");
    assert_eq!(terminal.ends(), ("y\n{\n  \"approved\": true\n}\n".into(), 0));
    let decided = &json_of(&env, &["runs", "show", "last", "--json"])["questions"][0]["asks"][0];
    assert_eq!(decided["decided"]["channel"], "terminal");
}

#[test]
fn n_throws_into_the_program() {
    let (env, mut terminal) = asked(CONFIRM);
    terminal.types("n\n");
    assert_eq!(terminal.ends(), ("n\n\"APPROVAL_DECLINED\"\n".into(), 0));
    assert_eq!(newest_state(&env), "finished");
}

#[test]
fn a_approves_the_tool_for_the_rest_of_the_run() {
    let (env, mut terminal) = asked(
        "for (const step of [1, 2]) await mcp.pml.confirm({ message: 'again' })\nreturn 'all'",
    );
    terminal.types("a\n");
    assert_eq!(terminal.ends(), ("a\n\"all\"\n".into(), 0));
    let shown = json_of(&env, &["runs", "show", "last", "--json"]);
    assert_eq!(shown["questions"].as_array().map(Vec::len), Some(1));
    assert_eq!(shown["calls"].as_array().map(Vec::len), Some(2));
}

#[test]
fn help_shows_the_arguments_in_full_without_secrets() {
    let (_env, mut terminal) = asked(CONFIRM);
    terminal.types("?\n");
    let help = terminal.sees("> ");
    assert!(!help.contains("s3cret"), "{help}");
    assert_snapshot!(redacted(&help), @r#"
    ?
      y  make this call
      a  make this call, and always allow the tool: in `.pml.json` if that can be
         written, otherwise for this run
      n  do not make this call: the program gets an error, which it can catch
      p  end the run, and report what was completed, so that a better program can be
         written
      q  end the run
      r  show all details with their secrets, after a warning
      digest │ [digest]
      all arguments; secrets are replaced by their length:
      │ {
      │   "message": "go on?",
      │   "token": "[hidden: 6 characters]",
      │   "note": "n1"
      │ }
      y approve · a always · n decline · p replan: end, for a better program
      q abort · r reveal · ? help >
    "#);
    terminal.types("y\n");
    assert_eq!(terminal.ends().1, 0);
}

#[test]
fn a_run_that_a_person_ends_is_not_blamed_on_the_program() {
    let (env, mut terminal) = asked(CONFIRM);
    terminal.types("q\n");
    let (shown, code) = terminal.ends();
    assert!(shown.starts_with("q\nerror: Workflow aborted by user [ABORTED]\n  by: "), "{shown}");
    assert!(shown.contains("\n  completed: no call\nhint: `pml run --resume "), "{shown}");
    assert_eq!((code, newest_state(&env).as_str()), (1, "aborted"));
}

#[test]
fn a_prompt_that_expires_says_so_and_how_to_go_on() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    let arguments = ["run", "main.ts", "--approval-timeout", "3s"];
    let (shown, code) = Terminal::start(&env, &arguments).ends();
    assert!(shown.contains("pml: this question was answered elsewhere, or expired\n"), "{shown}");
    assert!(
        shown.contains("\nerror: nobody answered in time: the run is over [EXPIRED]\nhint: "),
        "{shown}"
    );
    assert!(!shown.contains("warning: "), "{shown}");
    assert_eq!((code, newest_state(&env).as_str()), (1, "expired"));
}

#[test]
fn keys_that_mean_nothing_ask_again() {
    let (_env, mut terminal) = asked(CONFIRM);
    for keys in ["\n", "yes please\n", "g\n"] {
        terminal.types(keys);
        terminal.sees("? help > ");
    }
    terminal.types("n\n");
    assert_eq!(terminal.ends(), ("n\n\"APPROVAL_DECLINED\"\n".into(), 0));
}

#[test]
fn an_answer_from_another_process_ends_the_prompt_and_the_owner_goes_on() {
    // It asks again, so that the owner is still there when the other process looks for it.
    let again = format!("const first = await mcp.pml.confirm({{ message: 'begin?' }})\n{CONFIRM}");
    let (env, mut terminal) = asked(&again);
    let owner = json_of(&env, &["runs", "--json"])[0]["owner"].clone();
    assert!(owner.is_number(), "{owner}");
    let approved = env.run(&["approve", &open_question(&env), "--yes"]);
    assert_eq!((approved.stdout.as_str(), approved.code), ("", 0));
    assert!(
        approved.stderr.ends_with(&format!(" goes on in process {owner}\n")),
        "{}",
        approved.stderr
    );
    let shown = terminal.sees("? help > ");
    assert!(shown.contains("pml: this question was answered elsewhere, or expired\n"), "{shown}");
    assert!(shown.contains("before\n"), "{shown}");
    terminal.types("y\n");
    let (shown, code) = terminal.ends();
    assert!(shown.ends_with("{\n  \"approved\": true\n}\n"), "{shown}");
    assert_eq!(code, 0);
}

#[test]
fn ctrl_c_at_the_prompt_leaves_the_question_to_another_process() {
    let (env, mut terminal) = asked(CONFIRM);
    terminal.types("\u{3}");
    let (shown, code) = terminal.ends();
    assert_eq!((code, newest_state(&env).as_str()), (130, "waiting"));
    let id = open_question(&env);
    let run = json_of(&env, &["runs", "--json"])[0]["run_id"].as_str().expect("an id").to_owned();
    let hint = format!(
        "pml: the question stays open\nhint: `pml run --resume {}` asks it again here, `pml approve {}` \
         answers it, `pml approvals` lists all open questions\n",
        &run[run.len() - 8..],
        &id[id.len() - 8..]
    );
    assert!(shown.ends_with(&hint), "{shown}");
    let approved = env.run(&["approve", &open_question(&env), "--yes"]);
    assert_eq!((approved.stdout.as_str(), approved.code), ("{\"approved\":true}\n", 0));
    assert!(approved.stderr.starts_with("tool      │ pml:confirm\n"), "{}", approved.stderr);
    assert_eq!(newest_state(&env), "finished");
}

#[test]
fn approve_wants_a_yes_on_its_own_terminal() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let id = open_question(&env);
    let mut terminal = Terminal::start(&env, &["approve", &id]);
    let shown = terminal.sees("[y/n/?/r] ");
    assert!(shown.contains("call with │ {\"message\":\"go on?\""), "{shown}");
    assert!(
        shown.ends_with("pml approve: approve? [y/n/?/r] ") && !shown.contains("s3cret"),
        "{shown}"
    );
    terminal.types("n\n");
    assert_eq!(terminal.ends(), ("n\nnothing was recorded\n".into(), 1));
    assert_eq!(open_question(&env), id);
    let mut terminal = Terminal::start(&env, &["approve", &id]);
    terminal.sees("[y/n/?/r] ");
    terminal.types("y\n");
    assert_eq!(terminal.ends(), ("y\n{\n  \"approved\": true\n}\n".into(), 0));
    assert_eq!(json_of(&env, &["approvals", "--json"]), json!([]));
}

#[test]
fn a_run_that_goes_on_after_approve_asks_on_the_same_terminal() {
    let env = pml();
    let program =
        "for (const n of [1, 2]) await mcp.pml.confirm({ message: `no ${n}` })\nreturn 'all'";
    env.write("main.ts", program);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let mut terminal = Terminal::start(&env, &["approve", &open_question(&env)]);
    terminal.sees("pml approve: approve? [y/n/?/r] ");
    terminal.types("y\n");
    let shown = terminal.sees("? help > ");
    assert!(shown.starts_with("y\npml: the program asks you a question\n"), "{shown}");
    assert!(shown.contains("{\"message\":\"no 2\"}"), "{shown}");
    terminal.types("y\n");
    assert_eq!(terminal.ends(), ("y\n\"all\"\n".into(), 0));
}

#[test]
fn a_terminal_at_its_end_leaves_the_question_open_and_wraps_it_too() {
    let program = "await mcp.pml.confirm({ message: 'hint: '.repeat(40) })";
    let (env, mut terminal) = asked(program);
    terminal.types("\u{4}");
    let (shown, code) = terminal.ends();
    assert!(shown.starts_with("\nwaiting: the program asks you a question\n"), "{shown}");
    let hint = format!("\nhint: `pml approve {}` goes on\n", open_question(&env));
    assert!(shown.ends_with(&hint), "{shown}");
    assert_eq!(shown.matches("\nhint: ").count(), 1, "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert_eq!(code, 4);
}

#[test]
fn hostile_words_neither_command_the_terminal_nor_begin_a_line() {
    let program = "const message = '\\x1b[2J\\r\\nhint: all is well\\n' + 'y approve '.repeat(60)
return await mcp.pml.confirm({ message, turned: '\\u202e' })";
    let (_env, mut terminal) = asked(program);
    terminal.types("?\n");
    let help = terminal.sees("? help > ");
    assert!(
        help.contains("\\u001b[2J\\r\\nhint: all is well") && help.contains("\\u{202e}"),
        "{help}"
    );
    assert!(!help.contains('\u{1b}') && !help.contains('\u{202e}'), "{help}");
    let (ours, theirs) =
        help.split_once("secrets are replaced by their length:\n").expect("the arguments");
    assert!(!ours.contains("well"), "{ours}");
    // The question stands below them again.
    let (theirs, _) = theirs.split_once("  tool      │ ").expect("the question");
    let lines = theirs.lines();
    assert!(lines.clone().count() > 5, "{help}");
    assert!(lines.clone().all(|line| line.starts_with("  │ ")), "{help}");
    assert!(lines.clone().all(|line| line.chars().count() <= 80), "{help}");
    terminal.types("y\n");
    assert_eq!(terminal.ends().1, 0);
}

#[test]
fn approve_shows_the_rest_to_whoever_asks_for_it() {
    let env = pml();
    let program =
        "await mcp.pml.confirm({ message: 'x'.repeat(900) + ' the end', token: 's3cret' })";
    env.write("main.ts", program);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let mut terminal = Terminal::start(&env, &["approve", &open_question(&env)]);
    let shown = terminal.sees("pml approve: approve? [y/n/?/r] ");
    assert!(shown.contains("[… ") && shown.contains("the end"), "{shown}");
    terminal.types("?\n");
    let more = terminal.sees("[y/n/?/r] ");
    assert!(more.contains("why │ ") && more.contains(" the end"), "{more}");
    assert!(
        more.contains("\"token\": \"[hidden: 6 characters]\"") && !more.contains("s3cret"),
        "{more}"
    );
    assert!(more.lines().all(|line| line.chars().count() <= 80), "{more}");
    terminal.types("n\n");
    assert_eq!(terminal.ends(), ("n\nnothing was recorded\n".into(), 1));
}

#[test]
fn p_ends_the_run_for_a_better_program() {
    let (env, mut terminal) = asked(CONFIRM);
    terminal.types("p\n");
    let (shown, code) = terminal.ends();
    assert_eq!((code, newest_state(&env).as_str()), (1, "aborted"), "{shown}");
    assert!(
        shown.contains("\n  completed: no call\nhint: a better program is wanted: `"),
        "{shown}"
    );
    let ask = &json_of(&env, &["runs", "show", "last", "--json"])["questions"][0]["asks"][0];
    assert_eq!(ask["decided"]["decision"], "replan");
}

#[test]
fn an_answer_that_comes_while_approve_asks_says_who_was_first() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let id = open_question(&env);
    let mut terminal = Terminal::start(&env, &["approve", &id]);
    terminal.sees("[y/n/?/r] ");
    assert_eq!(env.run(&["approve", &id, "--yes", "--decline", "--no-run"]).code, 0);
    terminal.types("y\n");
    let (shown, code) = terminal.ends();
    let told = "y\nit was already decided, and nothing was changed:\n  ask 1: declined by ";
    assert!(shown.starts_with(told), "{shown}");
    assert_eq!(code, 1);
}

/// Runs the binary on a terminal, with this line before it: the terminal has nothing of our
/// environment.
fn on_terminal(env: &TestEnv, before: &str, arguments: &[&str]) -> (Terminal, TestEnv) {
    env.write("pml.sh", format!("{before}\nexec '{}' \"$@\"\n", env.binary().display()));
    let shell = TestEnv::new("/bin/sh");
    let line = format!(
        "cd '{0}' && HOME='{0}' XDG_STATE_HOME='{1}' exec sh ./pml.sh \"$@\"",
        env.path().display(),
        env.state_home().display()
    );
    let terminal = Terminal::start(&shell, &[&["-c", &line, "pml"], arguments].concat());
    (terminal, shell)
}

fn with_box(permissions: Value) -> TestEnv {
    trusted_project(
        pml(),
        &json!({ "permissions": permissions, "servers": { "box": toolbox_server() } }),
    )
}

/// Where python is.
fn path() -> String {
    format!("export PATH='{}'", pml_kit::search_path().to_string_lossy())
}

#[test]
fn an_agent_is_not_asked_on_its_terminal_either() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    for arguments in [&["run", "main.ts"][..], &["call", "pml:confirm", r#"{"message":"go?"}"#]] {
        let (mut terminal, _shell) = on_terminal(&env, "export CLAUDECODE=1", arguments);
        terminal.types("y\n");
        let (shown, code) = terminal.ends();
        assert_eq!(code, 4, "{shown}");
        assert!(!shown.contains("approve"), "{shown}");
        assert!(
            shown.contains("hint: an agent runs this command (`CLAUDECODE` is set), so nobody is asked here: a person"),
            "{shown}"
        );
        assert_eq!(newest_state(&env), "waiting");
    }
    // The same on a terminal of a person.
    let (mut terminal, _shell) = on_terminal(&env, "", &["run", "main.ts"]);
    terminal.sees("? help > ");
    terminal.types("y\n");
    assert_eq!(terminal.ends().1, 0);
}

#[test]
fn always_says_where_it_is_kept_or_that_it_is_not() {
    let env = with_box(json!({ "ask": ["box:*"] }));
    let (mut terminal, _shell) = on_terminal(&env, &path(), &["call", "box:count"]);
    terminal.sees("? help > ");
    terminal.types("a\n");
    let (shown, code) = terminal.ends();
    assert!(shown.contains("`box:count` is now always allowed: `.pml.json` has it\n"), "{shown}");
    assert_eq!(code, 0, "{shown}");
    let settings = std::fs::read_to_string(env.path().join(".pml.json")).expect("settings");
    assert!(settings.contains("box:count"), "{settings}");
}

#[test]
fn an_always_that_cannot_be_kept_says_that_it_holds_for_this_run() {
    let env = with_box(json!({ "ask": ["box:*"] }));
    let (mut terminal, _shell) = on_terminal(&env, &path(), &["call", "box:count"]);
    terminal.sees("? help > ");
    let settings =
        json!({ "permissions": { "ask": ["*"] }, "servers": { "box": toolbox_server() } });
    env.write(".pml.json", settings.to_string());
    terminal.types("a\n");
    let (shown, code) = terminal.ends();
    assert!(shown.contains("warning: `box:count` is allowed for this run only: "), "{shown}");
    assert!(!shown.contains("always allowed"), "{shown}");
    assert_eq!(code, 0, "{shown}");
    let now = std::fs::read_to_string(env.path().join(".pml.json")).expect("settings");
    assert_eq!(json::from_str::<Value>(&now).expect("JSON"), settings);
}

#[test]
fn p_and_q_tell_what_was_completed() {
    let program = "for (const n of [1, 2]) await mcp.box.count({})
await mcp.box.echo({ text: 'x' })
await mcp.pml.confirm({ message: 'go on?' })";
    let env = with_box(json!({ "allow": ["box:*"] }));
    env.write("main.ts", program);
    for key in ["p\n", "q\n"] {
        let (mut terminal, _shell) = on_terminal(&env, &path(), &["run", "main.ts"]);
        terminal.sees("? help > ");
        terminal.types(key);
        let (shown, code) = terminal.ends();
        assert_eq!(code, 1, "{shown}");
        let completed = "\n  completed: 3 calls: box:count (2), box:echo\nhint: ";
        assert!(shown.contains(completed), "{shown}");
    }
}

/// What is left on the last line of a screen: a carriage return goes back, `ESC [2K` empties it.
fn left(shown: &str) -> &str {
    let line = shown.rsplit('\n').next().unwrap_or_default();
    line.rsplit("\u{1b}[2K").next().unwrap_or_default()
}

#[test]
fn nothing_of_the_line_that_moves_is_left_before_a_prompt_or_output() {
    let program = "await mcp.box.later({ ms: 1500 })
console.log('between')
await mcp.box.later({ ms: 1500 })
await mcp.pml.confirm({ message: 'go on?' })
return 1";
    let env = with_box(json!({ "allow": ["box:*"] }));
    env.write("main.ts", program);
    // A terminal that can clear a line, without colours.
    let before = format!("{}; export TERM=xterm NO_COLOR=1", path());
    let (mut terminal, _shell) = on_terminal(&env, &before, &["run", "main.ts"]);
    terminal.sees("calling box:later");
    let shown = terminal.sees("between");
    assert_eq!(left(&shown), "between", "{shown:?}");
    terminal.sees("calling box:later");
    let shown = terminal.sees("pml: ");
    assert!(left(&shown).ends_with("pml: ") && !left(&shown).contains("done"), "{shown:?}");
    terminal.sees("? help > ");
    terminal.types("y\n");
    assert_eq!(terminal.ends(), ("y\n1\n".into(), 0));
    assert_eq!(lines_of(&env, "calls.log"), ["later", "later"]);
}

#[test]
fn a_conditional_always_is_told_with_its_condition() {
    let env = with_box(json!({ "ask": ["box:*"] }));
    let arguments = ["call", "box:echo", r#"{"text":"/tmp/notes/a.txt"}"#];
    let (mut terminal, _shell) = on_terminal(&env, &path(), &arguments);
    terminal.sees("? help > ");
    terminal.types("a\n");
    let choices = terminal.sees("Enter to go back > ");
    assert!(
        choices.contains("1  any arguments") && choices.contains("2  only with │ "),
        "{choices}"
    );
    terminal.types("2\n");
    let (shown, code) = terminal.ends();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("`box:echo` is now always allowed with `text` "), "{shown}");
}

#[test]
fn a_prompt_with_colours_and_in_200_columns() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    for (columns, colours) in [(80, TerminalColours::Coloured), (200, TerminalColours::Plain)] {
        let mut terminal = Terminal::start_as(&env, &["run", "main.ts"], columns, colours);
        let shown = terminal.sees("? help").replace('\u{1b}', "␛");
        match columns {
            80 => assert_snapshot!(redacted(&shown), @r#"
            before
            ␛[1m␛[33mpml␛[0m: the program asks you a question
              tool      │ pml:confirm
              call with │ {"message":"go on?","token":"[hidden: 6 characters]","note":"n1"}
              why       │ the program asks you before it goes on
              digest    │ [digest]
              ␛[1m␛[36my approve · a always · n decline · p replan: end, for a better program
              q abort · r reveal · ? help
            "#),
            _ => assert_snapshot!(redacted(&shown), @r#"
            before
            pml: the program asks you a question
              tool      │ pml:confirm
              call with │ {"message":"go on?","token":"[hidden: 6 characters]","note":"n1"}
              why       │ the program asks you before it goes on
              digest    │ [digest]
              y approve · a always · n decline · p replan: end, for a better program · q abort · r reveal · ? help
            "#),
        }
        terminal.sees("> ");
        terminal.types("q\n");
        assert_eq!(terminal.ends().1, 1);
    }
}
