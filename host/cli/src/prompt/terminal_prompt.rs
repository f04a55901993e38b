//! Asks on the terminal while `pml run` waits.
//!
//! One thread reads the terminal, from the first question to the end of the process. A reader for
//! each question would be left behind if the question is answered elsewhere, and would swallow the
//! next answer.
//!
//! **Invariant:** only a line that is typed after the prompt appeared answers it.

use super::keys::{KeyAction, PromptKey, keys};
use crate::always_choices::{ConstraintSuggester, choices, decision_of_choice};
use crate::execute::JournalStorage;
use crate::prompt::open_questions::TerminalQuestion;
use crate::reveal::reveal_warning;
use crate::terminal::Terminal;
use crate::ui::{DIM, HINT, WARNING};
use crate::user_name::user;
use crate::wrap::{in_columns, wrap};
use pml::json::{self, Value};
use pml::{
    Answer, Approver, Ask, BoxFuture, Decision, Question,
    approval::{AskId, AskKind, details_of_ask_with, lines_of_ask_with, suggest_constraints},
    text::{Redactor, cut_to_columns, in_one_line},
};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, OnceLock};
use tokio::sync::{Mutex, mpsc};

/// The channel that is recorded with an answer.
const CHANNEL: &str = "terminal";

/// The tool with which a program asks a person itself.
const CONFIRM: &str = "pml:confirm";

/// Number of new details after which the first lines of an ask are shown again.
const MANY_DETAILS: usize = 12;

/// Most columns of a typed text that is no key.
const MAX_TYPED_COLUMNS: usize = 20;

/// Asks on the terminal. Clones share the terminal and take turns; a process needs only one.
#[derive(Clone)]
pub(crate) struct TerminalPrompt {
    terminal: Terminal,
    typed: Arc<OnceLock<Arc<Mutex<TypedLines>>>>,
    storage: JournalStorage,
    suggester: ConstraintSuggester,
    redactor: RedactorSource,
}

/// Returns the current redactor: a variable may have been set meanwhile.
type RedactorSource = Arc<dyn Fn() -> Redactor + Send + Sync>;

/// Lines as they are typed. The channel closes when the terminal is closed.
type TypedLines = mpsc::UnboundedReceiver<String>;

impl TerminalPrompt {
    /// Returns a prompt on the terminal of this process, or `None` if it has no terminal. `storage`
    /// is that of the run; the redactor hides secrets in what is shown.
    pub(crate) fn open(
        storage: JournalStorage,
        redactor: impl Fn() -> Redactor + Send + Sync + 'static,
    ) -> Option<TerminalPrompt> {
        let terminal = Terminal::open()?;
        Some(TerminalPrompt::new(terminal, storage, suggest_constraints, Arc::new(redactor)))
    }

    pub(super) fn new(
        terminal: Terminal,
        storage: JournalStorage,
        suggester: ConstraintSuggester,
        redactor: RedactorSource,
    ) -> TerminalPrompt {
        TerminalPrompt { terminal, typed: Arc::default(), storage, suggester, redactor }
    }

    /// Returns the typed lines. Starts the reader at the first question, because until then the
    /// program may use the terminal.
    fn typed_lines(&self) -> Arc<Mutex<TypedLines>> {
        let start = || {
            // This comes before the reader starts, which would otherwise hold a line that can no
            // longer be discarded.
            self.terminal.discard_typed();
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

    /// Asks every ask of the question in turn. Returns `None` if the terminal is closed.
    async fn ask_each(&self, question: &Question) -> io::Result<Option<Answer>> {
        if !self.terminal.in_foreground() {
            return Ok(None);
        }
        let mut typed = self.typed_lines().lock_owned().await;
        let (terminal, suggester) = (&self.terminal, self.suggester);
        let _open_question = TerminalQuestion::new(question, self.storage);
        let redactor = (self.redactor)();
        let mut dialog =
            PromptDialog { terminal, suggester, redactor, typed: &mut typed, finished: false };
        dialog.say(&header(question))?;
        let (mut decisions, mut always) = (BTreeMap::<AskId, Decision>::new(), BTreeSet::new());
        for (ask, number) in question.asks.iter().zip(1..) {
            if ask.kind == AskKind::ToolPermission && always.contains(&ask.tool) {
                decisions.insert(ask.id, Decision::Always);
                continue;
            }
            if question.asks.len() > 1 {
                dialog.say(&format!("{DIM}{number} of {}{DIM:#}", question.asks.len()))?;
            }
            dialog.show(&lines_of_ask_with(ask, &dialog.redactor))?;
            let Some(decision) = dialog.decide(ask).await? else {
                dialog.finished = true;
                return Ok(None);
            };
            if decision.ends_run() {
                dialog.finished = true;
                return Ok(Some(Answer::all(question, decision, user(), CHANNEL)));
            }
            if decision == Decision::Always {
                always.insert(&ask.tool);
            }
            decisions.insert(ask.id, decision);
        }
        dialog.finished = true;
        Ok(Some(Answer::each(question, decisions, user(), CHANNEL)))
    }
}

impl Approver for TerminalPrompt {
    fn ask(&self, question: Question) -> BoxFuture<'static, Option<Answer>> {
        let prompt = self.clone();
        // If the terminal cannot be written to, nobody can be asked.
        Box::pin(async move { prompt.ask_each(&question).await.ok().flatten() })
    }
}

fn header(question: &Question) -> String {
    format!("{WARNING}pml{WARNING:#}: {}", needed_answer(question))
}

/// Returns what a question needs from a person, in a few words.
pub(crate) fn needed_answer(question: &Question) -> String {
    let is_own = |ask: &Ask| ask.kind == AskKind::ToolPermission && ask.tool == CONFIRM;
    if question.asks.iter().all(is_own) {
        return match question.asks.len() {
            1 => "the program asks you a question".into(),
            count => format!("the program asks you {count} questions"),
        };
    }
    let is_call = |ask: &Ask| matches!(ask.kind, AskKind::ToolPermission | AskKind::UncertainCall);
    match (question.asks.iter().all(is_call), question.asks.len()) {
        (true, 1) => "1 call needs your approval".into(),
        (true, count) => format!("{count} calls need your approval"),
        (false, 1) => "1 question needs your answer".into(),
        (false, count) => format!("{count} questions need your answer"),
    }
}

/// The result of reading a decision.
enum TypedDecision {
    /// A decision, or `None` if the input is not one.
    Entered(Option<Decision>),
    /// The terminal is closed.
    EndOfInput,
}

/// The dialog about one question.
struct PromptDialog<'a> {
    terminal: &'a Terminal,
    suggester: ConstraintSuggester,
    redactor: Redactor,
    typed: &'a mut TypedLines,
    finished: bool,
}

impl PromptDialog<'_> {
    fn say(&self, text: &str) -> io::Result<()> {
        self.terminal.write(&format!("{text}\n"))
    }

    /// Shows lines that contain text from others. They are wrapped here, never by the terminal.
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

    /// Prints a prompt and waits for a line that is typed after it.
    async fn line(&mut self, prompt: &str) -> io::Result<Option<String>> {
        self.terminal.discard_typed();
        while self.typed.try_recv().is_ok() {}
        self.terminal.write(prompt)?;
        let typed = self.typed.recv().await;
        if typed.is_none() {
            self.say("")?;
        }
        Ok(typed)
    }

    async fn decide(&mut self, ask: &Ask) -> io::Result<Option<Decision>> {
        let keys = keys(ask);
        let shown = shown_keys(&keys, self.terminal.width());
        loop {
            let Some(line) = self.line(&format!("  {HINT}{shown}{HINT:#} > ")).await? else {
                return Ok(None);
            };
            let typed = line.trim().to_lowercase();
            let action = keys.iter().find(|key| key.key == typed).map(|key| &key.action);
            let decision = match action {
                Some(KeyAction::Decide(decision)) => Some(decision.clone()),
                Some(KeyAction::Always) => match self.choose(ask).await? {
                    TypedDecision::Entered(decision) => decision,
                    TypedDecision::EndOfInput => return Ok(None),
                },
                Some(KeyAction::Result) => match self.result().await? {
                    TypedDecision::Entered(decision) => decision,
                    TypedDecision::EndOfInput => return Ok(None),
                },
                Some(KeyAction::Reveal) => {
                    self.say(&format!("  {}", reveal_warning()))?;
                    self.show_all(ask, &Redactor::hiding_nothing())?;
                    None
                }
                None if typed == "?" => {
                    self.help(ask, &keys)?;
                    None
                }
                None => {
                    if !typed.is_empty() {
                        let typed = cut_to_columns(&in_one_line(&typed), MAX_TYPED_COLUMNS);
                        self.say(&format!("  `{typed}` is none of these"))?;
                    }
                    None
                }
            };
            if decision.is_some() {
                return Ok(decision);
            }
        }
    }

    /// Asks for which arguments a tool is allowed permanently, if the call suggests conditions.
    async fn choose(&mut self, ask: &Ask) -> io::Result<TypedDecision> {
        let choices = choices(ask, self.suggester);
        if choices.is_empty() {
            return Ok(TypedDecision::Entered(Some(Decision::Always)));
        }
        self.say("  always allow it with which arguments?")?;
        self.show(&choices)?;
        let prompt = format!("  {HINT}1 to {}, or Enter to go back{HINT:#} > ", choices.len());
        loop {
            let Some(line) = self.line(&prompt).await? else {
                return Ok(TypedDecision::EndOfInput);
            };
            if line.trim().is_empty() {
                return Ok(TypedDecision::Entered(None));
            }
            let number = line.trim().parse::<usize>().ok();
            if let Some(decision) =
                number.and_then(|number| decision_of_choice(ask, self.suggester, number))
            {
                return Ok(TypedDecision::Entered(Some(decision)));
            }
        }
    }

    /// Asks for a result as JSON.
    async fn result(&mut self) -> io::Result<TypedDecision> {
        let Some(line) = self.line("  the result, as JSON > ").await? else {
            return Ok(TypedDecision::EndOfInput);
        };
        match json::from_str::<Value>(&line) {
            Ok(result) => Ok(TypedDecision::Entered(Some(Decision::Result(result)))),
            Err(error) => {
                self.say(&format!("  this is not JSON: {error}"))?;
                Ok(TypedDecision::Entered(None))
            }
        }
    }

    fn help(&self, ask: &Ask, keys: &[PromptKey]) -> io::Result<()> {
        let width = self.terminal.width().saturating_sub(5);
        for PromptKey { key, long, .. } in keys {
            self.say(&format!("  {key}  {}", in_columns(long, width).join("\n     ")))?;
        }
        let shown = lines_of_ask_with(ask, &self.redactor);
        let mut new = details_of_ask_with(ask, &self.redactor);
        // The two are aligned differently.
        let fact = |line: &str| {
            line.split_once('│').map(|(name, text)| (name.trim().to_owned(), text.to_owned()))
        };
        let known: BTreeSet<_> = shown.iter().filter_map(|line| fact(line)).collect();
        new.retain(|line| !fact(line).is_some_and(|fact| known.contains(&fact)));
        self.show(&new)?;
        // Long details push the first lines from the screen.
        match new.iter().map(|line| wrap(line, width).lines().count()).sum::<usize>() {
            0..=MANY_DETAILS => Ok(()),
            _ => self.show(&shown),
        }
    }

    /// Shows all details, and then the first lines again, because the details may be long.
    fn show_all(&self, ask: &Ask, redactor: &Redactor) -> io::Result<()> {
        self.show(&details_of_ask_with(ask, redactor))?;
        self.show(&lines_of_ask_with(ask, redactor))
    }
}

/// Returns the keys for the prompt, in lines that fit. The last one has room for an answer.
fn shown_keys(keys: &[PromptKey], width: usize) -> String {
    let shown = keys.iter().map(|key| format!("{} {}", key.key, key.short));
    let mut lines: Vec<String> = Vec::new();
    for key in shown.chain(["? help".into()]) {
        match lines.last_mut() {
            // Two columns stand before it, and ` > ` and a letter behind it.
            Some(line) if line.chars().count() + 3 + key.chars().count() + 6 <= width => {
                *line += &format!(" · {key}");
            }
            _ => lines.push(key),
        }
    }
    lines.join("\n  ")
}

/// Prints a note if the question was closed while it was on the screen.
impl Drop for PromptDialog<'_> {
    fn drop(&mut self) {
        if !self.finished {
            // If the terminal is closed, the error cannot be reported anywhere.
            let _ = self.say(&format!(
                "\n{DIM}pml: this question was answered elsewhere, or expired{DIM:#}"
            ));
        }
    }
}
