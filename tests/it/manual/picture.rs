//! The picture in `README.md`: a terminal, on which a person runs a program that asks. It is drawn
//! from what pml prints; `PML_UPDATE_DOCS=1` draws it anew.

use super::console::comparable;
use crate::pml;
use pml_kit::{Document, Screen, Terminal, TestEnv, project_root, updates_documents};

const PICTURE: &str = "host/docs/first-minute.svg";

const COLUMNS: usize = 92;

/// The command of the picture. `pml init` has every tool asked about; here one need not be.
const RUN: &str = "pml run late.ts --allow shop:orders";

/// Makes the project as README does it: with the commands, and nothing changed by hand.
fn shop() -> TestEnv {
    let env = pml();
    for file in ["shop.py", "late.ts"] {
        env.write(file, Document::read(&format!("host/examples/{file}")).text);
    }
    let readme = Document::read("README.md").text;
    for command in ["pml init --yes --no-import", "pml add shop --yes -- python3 shop.py"] {
        assert!(readme.contains(&format!("$ {command}")), "README.md leaves out `{command}`");
        let arguments: Vec<_> = command.split(' ').skip(1).collect();
        assert_eq!(env.run(&arguments).code, 0, "{command}");
    }
    assert!(readme.contains(&format!("$ {RUN}")), "README.md leaves out `{RUN}`");
    env
}

/// Shows a command and what it prints. `keys` are typed when it asks.
fn show(screen: &mut Screen, env: &TestEnv, command: &str, keys: &str) {
    screen.write_command(command);
    let mut terminal = Terminal::start_shell(env, COLUMNS, command);
    if !keys.is_empty() {
        screen.write(&terminal.sees("> "));
        terminal.types(keys);
    }
    let (shown, code) = terminal.ends();
    assert_eq!(code, 0, "{shown}");
    screen.write(&shown);
}

/// Returns the words that a picture shows, line by line, without what differs from run to run.
fn words(svg: &str) -> Vec<String> {
    let mut lines: Vec<(String, String)> = Vec::new();
    for element in svg.split("<text ").skip(1) {
        let height = element.split("y=\"").nth(1).and_then(|rest| rest.split('"').next());
        let height = height.expect("a height").to_owned();
        let text = element.split_once('>').and_then(|(_, rest)| rest.split_once("</text>"));
        let text = text.expect("a text").0;
        match lines.last_mut() {
            Some((same, line)) if *same == height => *line += &format!(" {text}"),
            _ => lines.push((height, text.to_owned())),
        }
    }
    let texts: Vec<_> = lines.into_iter().map(|(_, text)| text).collect();
    comparable(&texts.join("\n"))
}

#[test]
fn the_picture_shows_what_pml_prints() {
    let env = shop();
    let mut screen = Screen::default();
    show(&mut screen, &env, "cat late.ts", "");
    show(&mut screen, &env, RUN, "y\n");
    show(&mut screen, &env, "pml runs show last", "");
    let drawn =
        screen.svg("A program lists late orders, asks before it pays one back, and goes on");
    let path = project_root().join(PICTURE);
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    if words(&drawn) == words(&stored) {
        return;
    }
    assert!(
        updates_documents(),
        "{PICTURE} is not current: `just docs` draws it\n{:#?}\n{:#?}",
        words(&stored),
        words(&drawn)
    );
    std::fs::write(path, drawn).expect("the picture is written");
}
