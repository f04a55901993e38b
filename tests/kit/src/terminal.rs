//! A person at a terminal of their own, on which the binary runs. `script` makes the terminal.

use crate::TestEnv;
use crate::waiting::PATIENCE;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// A terminal with a command on it.
pub struct Terminal {
    child: Child,
    keys: ChildStdin,
    shown: Receiver<Vec<u8>>,
    screen: Vec<u8>,
    read: usize,
}

/// What a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalColours {
    /// Text without colours.
    Plain,
    /// Text with colours.
    Coloured,
}

impl Terminal {
    /// Starts a command on a terminal of its own, with nothing of the outer environment but the
    /// path.
    pub fn start(env: &TestEnv, arguments: &[&str]) -> Terminal {
        Terminal::start_as(env, arguments, 80, TerminalColours::Plain)
    }

    /// Starts a command on a terminal of its own with so many columns.
    pub fn start_as(
        env: &TestEnv,
        arguments: &[&str],
        columns: usize,
        colours: TerminalColours,
    ) -> Terminal {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
        let binary = env.binary().to_string_lossy();
        let words = std::iter::once(&*binary).chain(arguments.iter().copied()).map(quoted);
        let line = format!("stty cols {columns}; exec {}", words.collect::<Vec<_>>().join(" "));
        Terminal::start_line(env, &line, colours)
    }

    /// Starts a line of a shell, in which `pml` is the binary, on a terminal with colours and so
    /// many columns.
    pub fn start_shell(env: &TestEnv, columns: usize, line: &str) -> Terminal {
        let folder = env.binary().parent().expect("a folder").display();
        let settings = format!("stty cols {columns}; export USER=ann PATH={folder}:$PATH");
        Terminal::start_line(env, &format!("{settings}; {line}"), TerminalColours::Coloured)
    }

    fn start_line(env: &TestEnv, line: &str, colours: TerminalColours) -> Terminal {
        let mut command = Command::new("script");
        command.args(["-qec", line, "/dev/null"]).current_dir(env.path()).env_clear();
        command.env("HOME", env.path()).env("XDG_STATE_HOME", env.state_home());
        command.env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh");
        if colours == TerminalColours::Coloured {
            command.env("TERM", "xterm-256color");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("`script` starts");
        let keys = child.stdin.take().expect("piped");
        let mut output = child.stdout.take().expect("piped");
        let (sender, shown) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length) = output.read(&mut buffer) {
                if length == 0 || sender.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Terminal { child, keys, shown, screen: Vec::new(), read: 0 }
    }

    /// Types keys.
    pub fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Waits until `text` is shown, after all that was seen before, and returns what is shown up to
    /// it.
    pub fn sees(&mut self, text: &str) -> String {
        loop {
            let shown = &self.screen[self.read..];
            let found = shown.windows(text.len()).position(|window| window == text.as_bytes());
            if let Some(at) = found {
                let seen = plain(&shown[..at + text.len()]);
                self.read += at + text.len();
                return seen;
            }
            match self.shown.recv_timeout(PATIENCE) {
                Ok(more) => self.screen.extend(more),
                Err(_) => panic!("`{text}` is never shown:\n{}", plain(&self.screen)),
            }
        }
    }

    /// Waits for the command to end; returns what was shown since the last look, and its exit code.
    pub fn ends(mut self) -> (String, i32) {
        while let Ok(more) = self.shown.recv_timeout(PATIENCE) {
            self.screen.extend(more);
        }
        let status = self.child.wait().expect("`script` ends");
        (plain(&self.screen[self.read..]), status.code().unwrap_or(-1))
    }
}

/// A test that fails leaves no command behind.
impl Drop for Terminal {
    fn drop(&mut self) {
        // One that has ended already needs no killing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command to its end on a terminal of its own. Returns what it shows, with `␛` for the
/// character that begins a colour.
pub fn screen(
    env: &TestEnv,
    arguments: &[&str],
    columns: usize,
    colours: TerminalColours,
) -> String {
    let (shown, _) = Terminal::start_as(env, arguments, columns, colours).ends();
    let shown = env.without_folders(&shown).replace('\u{1b}', "␛");
    let lines: Vec<_> = shown.lines().map(str::trim_end).collect();
    lines.join("\n")
}

fn plain(screen: &[u8]) -> String {
    String::from_utf8_lossy(screen).replace('\r', "")
}
