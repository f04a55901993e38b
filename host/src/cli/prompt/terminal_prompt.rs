//! Asks on the terminal while `pml run` waits.
//!
//! One thread reads the terminal, from the first question to the end of the process: a question that was answered
//! elsewhere leaves no second reader behind that would swallow the next answer.
//!
//! **Invariant:** only what is typed after the prompt appeared is an answer to it.

use crate::cli::terminal::Terminal;
use crate::cli::ui::{DIM, HINT, WARNING};
use crate::cli::who::user;
use crate::cli::wrap::wrap;
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
pub(in crate::cli) struct TerminalPrompt {
    terminal: Terminal,
    typed: Arc<OnceLock<Arc<Mutex<Typed>>>>,
}

/// Lines as they are typed; it ends with the terminal.
type Typed = mpsc::UnboundedReceiver<String>;

impl TerminalPrompt {
    /// Returns a prompt on the terminal of this process, if it has one.
    pub(in crate::cli) fn open() -> Option<TerminalPrompt> {
        Terminal::open().map(TerminalPrompt::on)
    }

    pub(super) fn on(terminal: Terminal) -> TerminalPrompt {
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
    format!("{WARNING}pml{WARNING:#}: {many} for you")
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
        let typed = self.typed.recv().await;
        if typed.is_none() {
            self.say("")?;
        }
        Ok(typed)
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
                "\n{DIM}pml: no longer asked: it was answered elsewhere, or expired{DIM:#}"
            ));
        }
    }
}
