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

impl Terminal {
    /// Starts a command on a terminal of its own, with nothing of the outer environment but the
    /// path.
    pub fn start(env: &TestEnv, arguments: &[&str]) -> Terminal {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
        let binary = env.binary().to_string_lossy();
        let words = std::iter::once(&*binary).chain(arguments.iter().copied()).map(quoted);
        Terminal::start_line(env, &format!("exec {}", words.collect::<Vec<_>>().join(" ")))
    }

    /// Starts a line of a shell, in which `pml` is the binary, on a terminal with colours and so
    /// many columns.
    pub fn start_shell(env: &TestEnv, columns: usize, line: &str) -> Terminal {
        let folder = env.binary().parent().expect("a folder").display();
        let settings =
            format!("stty cols {columns}; export USER=ann TERM=xterm-256color PATH={folder}:$PATH");
        Terminal::start_line(env, &format!("{settings}; {line}"))
    }

    fn start_line(env: &TestEnv, line: &str) -> Terminal {
        let mut command = Command::new("script");
        command.args(["-qec", line, "/dev/null"]).current_dir(env.path()).env_clear();
        command.env("HOME", env.path()).env("XDG_STATE_HOME", env.state_home());
        command.env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh");
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

fn plain(screen: &[u8]) -> String {
    String::from_utf8_lossy(screen).replace('\r', "")
}
