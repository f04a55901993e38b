//! Asks on the terminal while `pml run` waits.
//!
//! One thread reads the terminal, from the first question to the end of the process: a question that was answered
//! elsewhere leaves no second reader behind that would swallow the next answer.
//!
//! **Invariant:** only what is typed after the prompt appeared is an answer to it.

use super::terminal::Terminal;
use super::ui::{DIM, HINT, WARNING};
use super::who::user;
use super::wrap::wrap;
use crate::json::{self, Value};
use crate::{
    Answer, Approver, Ask, AskId, AskKind, BoxFuture, Decision, Question, escape, lines_of_ask,
    redact,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, OnceLock};
use tokio::sync::{Mutex, mpsc};

/// How the answer reached us.
const CHANNEL: &str = "terminal";

/// Lines of arguments that help shows; more would push the question off the screen.
const FULL: usize = 200;

/// Asks on the terminal. Clones share it, and take turns; make one for a process.
#[derive(Clone)]
pub(super) struct TerminalPrompt {
    terminal: Terminal,
    typed: Arc<OnceLock<Arc<Mutex<Typed>>>>,
}

/// Lines as they are typed; it ends with the terminal.
type Typed = mpsc::UnboundedReceiver<String>;

impl TerminalPrompt {
    /// Returns a prompt on the terminal of this process, if it has one.
    pub(super) fn open() -> Option<TerminalPrompt> {
        Terminal::open().map(TerminalPrompt::on)
    }

    fn on(terminal: Terminal) -> TerminalPrompt {
        TerminalPrompt { terminal, typed: Arc::default() }
    }

    /// Starts the reader at the first question: until then the terminal is not ours.
    fn typed(&self) -> Arc<Mutex<Typed>> {
        let start = || {
            // Before the reader starts, or it would hold a line that the prompt can no longer take back.
            self.terminal.forget_typed();
            let (sender, receiver) = mpsc::unbounded_channel();
            let terminal = self.terminal.clone();
            std::thread::spawn(move || {
                let Ok(lines) = terminal.lines() else { return };
                for line in lines.map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
            Arc::new(Mutex::new(receiver))
        };
        self.typed.get_or_init(start).clone()
    }

    /// Asks every ask of the question in turn. Nothing comes back if the terminal is gone.
    async fn converse(&self, question: &Question) -> io::Result<Option<Answer>> {
        if !self.terminal.in_foreground() {
            return Ok(None);
        }
        let mut typed = self.typed().lock_owned().await;
        let mut talk = Talk { terminal: &self.terminal, typed: &mut typed, over: false };
        talk.say(&header(question))?;
        let (mut decisions, mut always) = (BTreeMap::<AskId, Decision>::new(), BTreeSet::new());
        for (ask, number) in question.asks.iter().zip(1..) {
            if ask.kind == AskKind::ToolPermission && always.contains(&ask.tool) {
                decisions.insert(ask.id, Decision::Always);
                continue;
            }
            if question.asks.len() > 1 {
                talk.say(&format!("{DIM}{number} of {}{DIM:#}", question.asks.len()))?;
            }
            talk.show(&lines_of_ask(ask))?;
            let Some(decision) = talk.decide(ask).await? else {
                talk.over = true;
                return Ok(None);
            };
            if decision.ends() {
                talk.over = true;
                return Ok(Some(Answer::all(decision, user(), CHANNEL)));
            }
            if decision == Decision::Always {
                always.insert(&ask.tool);
            }
            decisions.insert(ask.id, decision);
        }
        talk.over = true;
        Ok(Some(Answer::each(decisions, user(), CHANNEL)))
    }
}

impl Approver for TerminalPrompt {
    fn ask(&self, question: Question) -> BoxFuture<'static, Option<Answer>> {
        let prompt = self.clone();
        // A terminal that cannot be written to is one on which nobody can be asked.
        Box::pin(async move { prompt.converse(&question).await.ok().flatten() })
    }
}

fn header(question: &Question) -> String {
    let is_call = |ask: &Ask| matches!(ask.kind, AskKind::ToolPermission | AskKind::UncertainCall);
    let thing = if question.asks.iter().all(is_call) { "call" } else { "thing" };
    let many = match question.asks.len() {
        1 => format!("1 {thing} waits"),
        count => format!("{count} {thing}s wait"),
    };
    format!("{WARNING}pml run{WARNING:#}: {many} for you")
}

/// One question on its way.
struct Talk<'a> {
    terminal: &'a Terminal,
    typed: &'a mut Typed,
    over: bool,
}

impl Talk<'_> {
    fn say(&self, text: &str) -> io::Result<()> {
        self.terminal.write(&format!("{text}\n"))
    }

    /// Shows lines that hold others' words, which are never left to the terminal to wrap.
    fn show(&self, lines: &[String]) -> io::Result<()> {
        let width = self.terminal.width().saturating_sub(2);
        for line in lines
            .iter()
            .flat_map(|line| wrap(line, width).lines().map(String::from).collect::<Vec<_>>())
        {
            self.say(&format!("  {line}"))?;
        }
        Ok(())
    }

    /// Prints a prompt and waits for a line typed after it.
    async fn line(&mut self, prompt: &str) -> io::Result<Option<String>> {
        self.terminal.forget_typed();
        while self.typed.try_recv().is_ok() {}
        self.terminal.write(prompt)?;
        Ok(self.typed.recv().await)
    }

    async fn decide(&mut self, ask: &Ask) -> io::Result<Option<Decision>> {
        let uncertain = ask.kind == AskKind::UncertainCall;
        let keys = match ask.kind {
            AskKind::UncertainCall => {
                "y make it again · r go on with a result · n decline · ? help"
            }
            AskKind::ToolPermission => "y approve · a always · n decline · ? help",
            _ => "y approve · n decline · ? help",
        };
        loop {
            let Some(line) = self.line(&format!("  {HINT}{keys}{HINT:#} > ")).await? else {
                return Ok(None);
            };
            match line.trim() {
                "y" | "Y" => return Ok(Some(Decision::Approve)),
                "n" | "N" => return Ok(Some(Decision::Decline)),
                "q" | "Q" => return Ok(Some(Decision::Abort)),
                "a" | "A" if ask.kind == AskKind::ToolPermission => {
                    return Ok(Some(Decision::Always));
                }
                "r" | "R" if uncertain => {
                    let Some(line) = self.line("  the result, as JSON > ").await? else {
                        return Ok(None);
                    };
                    match json::from_str::<Value>(&line) {
                        Ok(result) => return Ok(Some(Decision::Result(result))),
                        Err(error) => self.say(&format!("  that is not JSON: {error}"))?,
                    }
                }
                "?" => self.help(ask)?,
                _ => {}
            }
        }
    }

    fn help(&self, ask: &Ask) -> io::Result<()> {
        let yes = match ask.kind {
            AskKind::UncertainCall => "make the call again: it may then have been made twice",
            _ => "make this call",
        };
        let mut text = format!("  y  {yes}\n");
        match ask.kind {
            AskKind::ToolPermission => {
                text += "  a  make it, and do not ask for this tool again in this run\n";
            }
            AskKind::UncertainCall => {
                text += "  r  make no call, and go on with a result that you type as JSON on the next line\n";
            }
            _ => {}
        }
        text += "  n  do not make it: the program gets an error, which it may handle\n";
        text += "  q  abort the run\n  the arguments in full, secrets left out:";
        self.say(&text)?;
        let pretty = json::to_string_pretty(&redact(&ask.arguments)).unwrap_or_default();
        let lines: Vec<_> =
            pretty.lines().take(FULL).map(|line| format!("│ {}", escape(line))).collect();
        self.show(&lines)?;
        match pretty.lines().count().saturating_sub(FULL) {
            0 => Ok(()),
            more => self.say(&format!("  and {more} more lines")),
        }
    }
}

/// Says so when the question went away while it stood on the screen.
impl Drop for Talk<'_> {
    fn drop(&mut self) {
        if !self.over {
            // Nobody is left to tell if the terminal is gone.
            let _ = self.say(&format!(
                "\n{DIM}pml run: no longer asked: it was answered elsewhere, or expired{DIM:#}"
            ));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{Terminal, TerminalPrompt};
    use crate::json::{Value, json};
    use crate::{
        Answer, Approver, Ask, AskId, AskKind, Decision, Decisions, Question, RunId, Timestamp,
    };
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::unix::ffi::OsStrExt;

    /// The other end of the terminal: a person.
    struct Person(File, String);

    impl Person {
        fn sits_down() -> (Person, TerminalPrompt) {
            let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
            grantpt(&master).unwrap();
            unlockpt(&master).unwrap();
            let name = ptsname(&master, Vec::new()).unwrap();
            let path = std::ffi::OsStr::from_bytes(name.as_bytes());
            let slave = File::options().read(true).write(true).open(path).unwrap();
            (Person(master.into(), String::new()), TerminalPrompt::on(Terminal::on(slave)))
        }

        fn types(&mut self, text: &str) {
            self.0.write_all(text.as_bytes()).unwrap();
        }

        /// Reads until the terminal shows this, and returns all of it.
        fn sees(&mut self, text: &str) -> String {
            let mut shown = std::mem::take(&mut self.1);
            let mut buffer = [0; 4096];
            loop {
                if let Some(at) = shown.find(text) {
                    self.1 = shown.split_off(at + text.len());
                    return shown;
                }
                let length = self.0.read(&mut buffer).unwrap();
                shown.push_str(&String::from_utf8_lossy(&buffer[..length]));
            }
        }
    }

    fn ask(kind: AskKind, tool: &str) -> Ask {
        let arguments = json!({ "amount": 1, "token": "t0p", "deep": { "er": "\u{1b}[2J" } });
        Ask::new(kind, None, tool, arguments, "policy")
    }

    fn question(asks: Vec<Ask>) -> Question {
        Question::new(RunId::new(), "main.ts", Timestamp(0), None, asks)
    }

    /// Asks on a thread of its own, as a run does, while the test is the person.
    fn asked(prompt: &TerminalPrompt, asks: Vec<Ask>) -> std::thread::JoinHandle<Option<Answer>> {
        let (prompt, question) = (prompt.clone(), question(asks));
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(prompt.ask(question))
        })
    }

    fn decisions(answer: Option<Answer>) -> Vec<(u32, Decision)> {
        match answer.unwrap().decisions {
            Decisions::Each(each) => each.into_iter().map(|(AskId(id), each)| (id, each)).collect(),
            Decisions::All(decision) => vec![(0, decision)],
        }
    }

    #[test]
    fn each_ask_is_answered_in_turn() {
        let (mut person, prompt) = Person::sits_down();
        let permission = |tool| ask(AskKind::ToolPermission, tool);
        let asking = asked(&prompt, vec![permission("a:b"), permission("c:d"), permission("a:b")]);
        let shown = person.sees("> ");
        assert!(shown.contains("3 calls wait for you") && shown.contains("1 of 3"), "{shown}");
        assert!(shown.contains("tool      │ a:b") && !shown.contains("t0p"), "{shown}");
        person.types("a\n");
        assert!(person.sees("> ").contains("│ c:d"));
        person.types("n\n");
        let answer = asking.join().unwrap();
        assert_eq!(answer.as_ref().map(|answer| answer.channel.as_str()), Some("terminal"));
        let (always, decline) = (Decision::Always, Decision::Decline);
        assert_eq!(decisions(answer), [(1, always.clone()), (2, decline), (3, always)]);
    }

    #[test]
    fn what_was_typed_before_the_prompt_is_no_answer() {
        let (mut person, prompt) = Person::sits_down();
        person.types("y\ny\n");
        let asking = asked(&prompt, vec![ask(AskKind::ToolPermission, "a:b")]);
        person.sees("> ");
        person.types("\n");
        person.sees("> ");
        person.types("what\n");
        person.sees("> ");
        person.types("n\n");
        assert_eq!(decisions(asking.join().unwrap()), [(1, Decision::Decline)]);
    }

    #[test]
    fn help_explains_the_keys_and_shows_arguments_without_secrets() {
        let (mut person, prompt) = Person::sits_down();
        let asking = asked(&prompt, vec![ask(AskKind::ToolPermission, "a:b")]);
        person.sees("> ");
        person.types("?\n");
        let shown = person.sees("> ");
        assert!(shown.contains("q  abort the run"), "{shown}");
        assert!(shown.contains("  │   \"token\": \"[redacted]\""), "{shown}");
        assert!(shown.contains("\\u001b[2J") && !shown.contains("t0p"), "{shown}");
        person.types("q\n");
        assert_eq!(decisions(asking.join().unwrap()), [(0, Decision::Abort)]);
    }

    #[test]
    fn an_uncertain_call_takes_a_result_and_no_always() {
        let (mut person, prompt) = Person::sits_down();
        let asking = asked(&prompt, vec![ask(AskKind::UncertainCall, "a:b")]);
        assert!(person.sees("> ").contains("nobody knows what became of it"));
        person.types("a\n");
        person.sees("> ");
        person.types("r\n");
        person.sees("as JSON > ");
        person.types("{oops\n");
        assert!(person.sees("> ").contains("not JSON"));
        person.types("r\n");
        person.sees("as JSON > ");
        person.types("{\"ok\":true}\n");
        let result: Value = json!({ "ok": true });
        assert_eq!(decisions(asking.join().unwrap()), [(1, Decision::Result(result))]);
    }

    #[test]
    fn a_question_answered_elsewhere_leaves_the_terminal_to_the_next() {
        let (mut person, prompt) = Person::sits_down();
        let first = prompt.ask(question(vec![ask(AskKind::ToolPermission, "a:b")]));
        assert_eq!(futures_util::FutureExt::now_or_never(first), None);
        assert!(person.sees("expired").contains("answered elsewhere"));
        let asking = asked(&prompt, vec![ask(AskKind::ToolPermission, "c:d")]);
        assert!(person.sees("> ").contains("│ c:d"));
        person.types("y\n");
        assert_eq!(decisions(asking.join().unwrap()), [(1, Decision::Approve)]);
    }

    #[test]
    fn nobody_is_asked_once_the_terminal_is_at_its_end() {
        let (mut person, prompt) = Person::sits_down();
        let asking = asked(&prompt, vec![ask(AskKind::ToolPermission, "a:b")]);
        person.sees("> ");
        person.types("\u{4}");
        assert_eq!(asking.join().unwrap(), None);
    }
}
