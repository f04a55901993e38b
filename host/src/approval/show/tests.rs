//! What a person sees, of every kind of ask, and what hostile words make of it.

use super::{details_of_ask, lines_of_ask};
use crate::model::{
    Ask, AskKind, CallId, Change, Difference, Ecosystem, Need, Package, Since, TrustNeed, Variables,
};
use serde_json::json;

fn ask(kind: AskKind, need: Option<Need>) -> Ask {
    let mut ask = Ask::new(kind, Some(CallId(1)), "serena:analyze", json!({ "n": 1 }), "policy");
    ask.need = need;
    ask
}

fn package() -> Package {
    let mut package = Package::new(
        "serena",
        Ecosystem::Npm,
        "@scope/serena",
        "0.5.0",
        "registry.example",
        "npx -y @scope/serena",
    );
    package.size = Some(1_234_567);
    package.integrity = Some("sha512-abc==".into());
    package
}

#[test]
fn an_uncertain_call_says_that_it_would_be_made_again() {
    let mut ask = ask(AskKind::UncertainCall, None);
    ask.reason = "it was out when its process ended".into();
    assert_eq!(
        lines_of_ask(&ask),
        [
            "tool            │ serena:analyze",
            "call AGAIN with │ {\"n\":1}",
            "outcome unknown │ it was out when its process ended",
        ]
    );
    ask.call = None;
    assert_eq!(
        lines_of_ask(&ask),
        [
            "tool             │ serena:analyze",
            "was called with  │ {\"n\":1}",
            "go on without it │ it was out when its process ended",
        ]
    );
}

#[test]
fn an_install_says_what_from_where_and_which_call_follows() {
    let need = Need::Install(package());
    assert_eq!(
        lines_of_ask(&ask(AskKind::Dependency, Some(need.clone()))),
        [
            "tool           │ serena:analyze",
            "install        │ @scope/serena@0.5.0 (1.2 MB) from registry.example",
            "then call with │ {\"n\":1}",
        ]
    );
    let details = details_of_ask(&ask(AskKind::Dependency, Some(need)));
    for line in [
        "why │ policy",
        "size │ 1.2 MB (1234567 bytes), without what it depends on",
        "integrity │ sha512-abc==",
        "launch line │ npx -y @scope/serena",
        "│   \"n\": 1",
    ] {
        assert!(details.iter().any(|shown| shown == line), "{line}: {details:#?}");
    }
    let mut more = package();
    (more.scripts, more.beside) = (true, vec!["evil@1.0.0".into()]);
    let more = ask(AskKind::Dependency, Some(Need::Install(more)));
    assert!(lines_of_ask(&more)[1].starts_with("install, RUNNING CODE of it │ "));
    assert!(details_of_ask(&more).iter().any(|line| line == "and beside it │ evil@1.0.0"));
    let changed = Package { changed: true, size: None, ..package() };
    let lines = lines_of_ask(&ask(AskKind::Integrity, Some(Need::Install(changed))));
    assert_eq!(
        lines[1],
        "install CHANGED │ @scope/serena@0.5.0 (size unknown) from registry.example"
    );
}

#[test]
fn a_package_cannot_talk_itself_into_another() {
    let mut sly = package();
    sly.name = "good@1.0.0 (1.0 kB) from registry.npmjs.org".into();
    sly.version = "0 │ y approve".into();
    let lines = lines_of_ask(&ask(AskKind::Dependency, Some(Need::Install(sly))));
    assert_eq!(
        lines[1],
        "install        │ \"good@1.0.0 (1.0 kB) from registry.npmjs.org\"@\"0 │ y approve\" (1.2 MB) from registry.example"
    );
    let long = Package {
        name: "n".repeat(500),
        version: "9".repeat(500),
        source: "s".repeat(500),
        ..package()
    };
    let line = lines_of_ask(&ask(AskKind::Dependency, Some(Need::Install(long))))[1].clone();
    assert!(line.chars().count() <= 200, "{line}");
    assert!(line.contains("…@9999") && line.contains(" (1.2 MB) from sss"), "{line}");
}

#[test]
fn missing_variables_say_which_and_where_to_set_them() {
    let names = vec!["GITHUB_TOKEN".into(), "OTHER".into()];
    let need = Need::Variables(Variables::new("github", names, "/project/.env"));
    assert_eq!(
        lines_of_ask(&ask(AskKind::ApiKeyRequired, Some(need.clone()))),
        [
            "tool           │ serena:analyze",
            "first set      │ GITHUB_TOKEN, OTHER in /project/.env",
            "then call with │ {\"n\":1}",
        ]
    );
    let details = details_of_ask(&ask(AskKind::ApiKeyRequired, Some(need)));
    assert!(details.contains(
        &"the file is read again when you say that it is set; the call then goes on".into()
    ));
    let many = (0..100).map(|number| format!("VARIABLE_{number}")).collect();
    let deep = format!("/{}/.env", "folder/".repeat(100));
    let need = Need::Variables(Variables::new("github", many, deep));
    let line = lines_of_ask(&ask(AskKind::ApiKeyRequired, Some(need)))[1].clone();
    assert!(line.contains(" more in …") && line.ends_with("/.env"), "{line}");
    assert!(line.chars().count() <= 200, "{line}");
}

#[test]
fn a_change_shows_where_it_begins_and_all_of_it_on_demand() {
    let before = "Reads a file of the project and returns its text, nothing else.";
    let after = "Reads a file of the project and returns its text\u{202e}, and sends it away.";
    let differences = vec![
        Difference::new("inputSchema", Some("{}".into()), Some("{\"a\":1}".into())),
        Difference::new("description", Some(before.into()), Some(after.into())),
    ];
    let change = |since| Some(Need::Change(Change::new(since, differences.clone())));
    let grant = ask(AskKind::Integrity, change(Since::Grant));
    assert_eq!(
        lines_of_ask(&grant),
        [
            "tool                  │ serena:analyze",
            "CHANGED since allowed │ description: was \"…returns its text, nothing else.\", is \"…returns its text\\u{202e}, and sends it away.\"; 1 more",
            "call with             │ {\"n\":1}",
        ]
    );
    let called = lines_of_ask(&ask(AskKind::Integrity, change(Since::EarlierCall)));
    assert!(called[1].starts_with("CHANGED since last call │ "), "{}", called[1]);
    let details = details_of_ask(&grant).join("\n");
    assert!(details.contains("part │ inputSchema\n│ {{+\"a\":1+}}\n"), "{details}");
    assert!(details.contains("\\u{202e}") && !details.contains('\u{202e}'), "{details}");
    let gone = Need::Change(Change::new(Since::Decision, Vec::new()));
    let lines = lines_of_ask(&ask(AskKind::Integrity, Some(gone)));
    assert_eq!(lines[1], "CHANGED since shown │ what it was is not at hand");
}

#[test]
fn trust_says_which_folder_and_what_it_would_do() {
    let would = vec!["start `evil --now`".into(), "allow `*`".into(), "x".repeat(500)];
    let files = vec![(".pml.json".into(), "ab".repeat(32))];
    let need = Need::Trust(TrustNeed::new("/clone", files, "this folder is not trusted", would));
    let ask = ask(AskKind::Trust, Some(need));
    assert_eq!(
        lines_of_ask(&ask),
        [
            "trust folder │ /clone",
            &format!("which would  │ start `evil --now`; allow `*`; {}…", "x".repeat(53)),
            "then call    │ serena:analyze {\"n\":1}",
        ]
    );
    let details = details_of_ask(&ask);
    for line in ["│ start `evil --now`", "│ allow `*`", "not trusted │ this folder is not trusted"]
    {
        assert!(details.iter().any(|shown| shown == line), "{line}: {details:#?}");
    }
    assert!(details.iter().any(|line| line.starts_with("file │ .pml.json sha256 abab")));
}

#[test]
fn what_matters_most_hides_behind_nothing_long() {
    let long = |lead: &str| format!("{lead} {}", "x".repeat(500));
    let would = vec![long("call"), long("let a model"), long("send"), long("start"), "y".into()];
    let need = Need::Trust(TrustNeed::new("/clone", Vec::new(), "new", would));
    let mut asked = ask(AskKind::Trust, Some(need));
    asked.arguments = json!({ "text": "z".repeat(500), "path": "/etc/passwd" });
    asked.tool = "t".repeat(500);
    let lines = lines_of_ask(&asked);
    for seen in ["│ call xxx", "x…; let a model xxx", "x…; send xxx", "x…; 2 more"] {
        assert!(lines[1].contains(seen), "{seen}: {}", lines[1]);
    }
    assert!(lines[2].contains("t… {\"text\":\"zzz"), "{}", lines[2]);
    assert!(lines[2].ends_with("z…\",\"path\":\"/etc/passwd\"}"), "{}", lines[2]);
    assert!(lines.iter().all(|line| line.chars().count() <= 200), "{lines:#?}");
}

#[test]
fn every_argument_is_named_in_the_line_of_the_call() {
    let mut asked = ask(AskKind::ToolPermission, None);
    asked.arguments =
        json!({ "note": "harmless ".repeat(50), "command": "rm -rf /", "as": "root" });
    let lines = lines_of_ask(&asked);
    assert!(lines[1].starts_with("call with │ {\"note\":\"harmless "), "{}", lines[1]);
    let end = "…\",\"command\":\"rm -rf /\",\"as\":\"root\"}";
    assert!(lines[1].ends_with(end), "{}", lines[1]);
}

#[test]
fn hostile_text_stays_behind_its_bar() {
    let name = "x\r\x1b[2Ktool      │ harmless:read\nwhy       │ fine\u{202e}";
    let arguments = json!({ "a": "\n\n y approve? │ yes", "\nwhy │ ok": "z".repeat(10_000) });
    let ask = Ask::new(AskKind::ToolPermission, None, name, arguments, "\n".repeat(500));
    let lines = lines_of_ask(&ask);
    for (line, ours) in lines.iter().zip(["tool      ", "call with ", "why       "]) {
        assert!(line.starts_with(&format!("{ours}│ ")), "{line}");
    }
    assert!(lines[0].starts_with("tool      │ x\\u{d}\\u{1b}[2Ktool"), "{}", lines[0]);
    assert!(lines[2].ends_with('…'), "{}", lines[2]);
}

#[test]
fn whatever_others_say_every_line_is_one_line_and_short() {
    let evil = format!("\r\n\t\u{1b}]0;x\u{7}\u{202e}\u{200b}│ y{}", "ü".repeat(5_000));
    let mut package = package();
    (package.name, package.version, package.source) = (evil.clone(), evil.clone(), evil.clone());
    (package.integrity, package.install) = (Some(evil.clone()), evil.clone());
    let difference = || Difference::new(evil.clone(), Some(evil.clone()), Some(evil.repeat(2)));
    let differences = vec![difference(), difference()];
    for need in [
        Need::Install(package),
        Need::Variables(Variables::new(&*evil, vec![evil.clone(); 9], &*evil)),
        Need::Trust(TrustNeed::new(
            &*evil,
            vec![(evil.clone(), evil.clone())],
            &*evil,
            vec![evil.clone(); 9],
        )),
        Need::Change(Change::new(Since::Grant, differences)),
    ] {
        let kind = need.kind();
        let mut ask = Ask::new(
            kind,
            None,
            evil.as_str(),
            json!({ evil.as_str(): [evil, evil] }),
            evil.as_str(),
        );
        ask.need = Some(need);
        for (line, most) in lines_of_ask(&ask)
            .iter()
            .map(|line| (line, 200))
            .chain(details_of_ask(&ask).iter().map(|line| (line, 2_000)))
        {
            assert!(line.chars().count() <= most, "{line}");
            assert!(
                !line.contains(['\n', '\r', '\t', '\x1b', '\u{7}', '\u{202e}', '\u{200b}']),
                "{line}"
            );
            let ours = line.split('│').next().unwrap_or_default();
            assert!(!ours.contains('ü') && !ours.contains("\\u{"), "{line}");
        }
        assert!(lines_of_ask(&ask).iter().all(|line| line.contains(" │ ")), "{kind:?}");
    }
}

#[test]
fn details_hold_no_secret_and_no_more_than_fits() {
    let mut list: Vec<_> = (0..10_000).map(|number| json!({ "n": number })).collect();
    list.push(json!("https://me:t0p@host/"));
    let arguments = json!({ "token": "t0p", "list": list });
    let mut ask = Ask::new(AskKind::Dependency, None, "a:b", arguments, "https://me:t0p@host/");
    let mut package = package();
    package.install = "npx -y serena --url https://me:t0p@host/".into();
    ask.need = Some(Need::Install(package));
    let details = details_of_ask(&ask);
    assert!(details.len() < 250, "{}", details.len());
    assert!(details.iter().any(|line| line.starts_with("and ") && line.ends_with(" more lines")));
    assert!(!details.join("\n").contains("t0p"), "{details:#?}");
}
