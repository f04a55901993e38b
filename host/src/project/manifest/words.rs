//! Finds the words of a launch line that may name a file.
//!
//! **Invariant:** it returns too many words rather than too few: a word that names no file has no
//! effect.

use super::lists::{BARE, DATA, INTERPRETERS, LOADERS, PROGRAMS, SHELLS};
use super::shell::{commands, is_command_line};
use std::collections::HashSet;

/// Maximum depth of command lines inside command lines.
const MAX_DEPTH: usize = 4;

/// Maximum number of words of a launch line; a line with more cannot be used.
const MAX_WORDS: usize = 10_000;

/// Maximum size of a word that is shown although its file is not known.
const MAX_SHOWN: usize = 200;

/// Characters that separate words inside an argument, as in `sh -c 'python tools/x.py; true'` or
/// `--require=./x.js`.
const SEPARATORS: &[char] = &[
    ' ', '\t', '\n', '\r', ';', '|', '&', '(', ')', '<', '>', '"', '\'', '`', '=', ',', ':', '{',
    '}', '[', ']',
];

/// An argument of a launch line, with its variables expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LaunchArgument {
    pub(super) text: String,
    /// Whether the settings have it literally. Any other argument may contain a key.
    pub(super) plain: bool,
}

/// A word that may name a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LaunchWord {
    pub(super) text: String,
    /// Whether it can be shown if no file is found: it is literal, and looks like the name of a
    /// program.
    pub(super) showable: bool,
    /// Whether the file is data, which may change.
    pub(super) data: bool,
}

/// Returns the words of a launch line, or `None` if there are too many. The first argument is the
/// command.
pub(super) fn words(arguments: &[LaunchArgument]) -> Option<LaunchWords> {
    let shell = arguments.iter().any(|it| SHELLS.contains(&program(&it.text).as_str()));
    let mut words = LaunchWords { shell, ..LaunchWords::default() };
    // A line without an interpreter runs a program directly, and all arguments are for that
    // program.
    let interpreted = arguments.iter().any(|argument| is_interpreter(&argument.text));
    words.command(arguments, !interpreted, 0);
    let read: usize = words.commands.iter().map(Vec::len).sum();
    (words.found.len() <= MAX_WORDS && read <= MAX_WORDS).then_some(words)
}

/// The words of a launch line.
#[derive(Debug, Default)]
pub(super) struct LaunchWords {
    /// Words that may name a file.
    pub(super) found: Vec<LaunchWord>,
    /// Every command at any depth, as its words.
    pub(super) commands: Vec<Vec<String>>,
    /// Words whose file only a shell can determine.
    pub(super) unresolved: Vec<String>,
    known: HashSet<LaunchWord>,
    /// Whether a shell reads some of the words.
    shell: bool,
}

impl LaunchWords {
    /// Adds the words of one command. `program_seen` means that all of its arguments are for a
    /// program that is no file of the project.
    fn command(&mut self, arguments: &[LaunchArgument], mut program_seen: bool, depth: usize) {
        self.commands.push(arguments.iter().map(|it| it.text.clone()).collect());
        for (index, argument) in arguments.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| arguments.get(before));
            if !argument.text.contains(char::is_whitespace) {
                self.argument(argument, before, index > 0 && program_seen);
                self.unresolved(argument, depth);
            }
            if is_command_line(&argument.text) {
                self.command_line(argument, depth);
            }
            // Arguments after a program's own file or module are read by that program. A file that
            // an option names may be loaded before the program.
            let module = before.is_some_and(|before| before.text == "-m");
            let own =
                before.is_some_and(|it| !it.text.starts_with('-') || BARE.contains(&&*it.text));
            program_seen |= module || (own && has_ending(&argument.text, PROGRAMS));
        }
    }

    /// Adds the words of a command line. It may still be the name of one file, or the value of an
    /// option.
    fn command_line(&mut self, argument: &LaunchArgument, depth: usize) {
        let value = argument.text.split_once('=').map(|(_, value)| value);
        for text in [Some(argument.text.as_str()), value].into_iter().flatten() {
            self.add(LaunchWord { text: text.into(), showable: false, data: false });
        }
        for command in commands(&argument.text) {
            let argument = |text| LaunchArgument { text, plain: argument.plain };
            let arguments: Vec<_> = command.into_iter().map(argument).collect();
            match depth < MAX_DEPTH {
                true => self.command(&arguments, false, depth + 1),
                false => {
                    arguments.iter().for_each(|it| self.argument(it, None, false));
                    self.commands.push(arguments.into_iter().map(|it| it.text).collect());
                }
            }
        }
    }

    /// Adds a word that may be a path and that a shell assembles at run time.
    fn unresolved(&mut self, argument: &LaunchArgument, depth: usize) {
        let text = &argument.text;
        let path = text.contains('/') && !text.contains("://") && text.len() <= MAX_SHOWN;
        let put_together = text.contains(['$', '*', '?', '[', '`']);
        if self.shell && depth > 0 && argument.plain && path && put_together {
            self.unresolved.push(text.clone());
        }
    }

    fn argument(
        &mut self,
        argument: &LaunchArgument,
        before: Option<&LaunchArgument>,
        for_program: bool,
    ) {
        let value = value(before, argument);
        let data = for_program && value.is_some_and(is_data);
        for text in pieces(&argument.text) {
            let showable = argument.plain
                && looks_like_a_program(text)
                && !is_within_absolute(&argument.text, text);
            self.add(LaunchWord { text: text.into(), showable, data: data && value == Some(text) });
        }
    }

    fn add(&mut self, word: LaunchWord) {
        // One word above the limit is stored, so that the excess is detected.
        if self.found.len() <= MAX_WORDS && self.known.insert(word.clone()) {
            self.found.push(word);
        }
    }
}

/// Returns the words of a text, such as the value of a variable that controls loading.
pub(super) fn words_of(text: &str) -> Vec<LaunchWord> {
    let word = |text: &str| LaunchWord { text: text.into(), showable: false, data: false };
    pieces(text).take(MAX_WORDS).map(word).collect()
}

/// Returns a text, its pieces, and both without prefixes that may precede a path.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let forms = |piece| {
        let glued = str::strip_prefix(piece, '-').filter(|rest| !rest.starts_with('-'));
        let glued = glued.and_then(|rest| rest.get(1..));
        // `${X:-tools/x.py}`, `$X/x.py` and the rest of `$(dirname "$0")/x.py`.
        let default = piece.trim_start_matches('-');
        let rest = piece.split_once('$').and_then(|(_, rest)| rest.split_once('/'));
        let rest = rest.map(|(_, rest)| rest);
        let within = piece.strip_prefix('/').map(|rest| rest.trim_start_matches('/'));
        let at = piece.strip_prefix('@');
        let forms = [Some(piece), glued, at, Some(default).filter(|it| *it != piece), rest, within];
        forms.into_iter().flatten().filter(|form| !form.is_empty())
    };
    std::iter::once(text).chain(text.split(SEPARATORS)).flat_map(forms)
}

/// Returns an argument, or the value of an option, unless the option loads a file.
fn value<'a>(before: Option<&LaunchArgument>, argument: &'a LaunchArgument) -> Option<&'a str> {
    let loads = |option: &str| LOADERS.contains(&option.to_ascii_lowercase().as_str());
    if let Some(option) = argument.text.strip_prefix("--") {
        return option.split_once('=').filter(|(name, _)| !loads(name)).map(|(_, value)| value);
    }
    let option = before.map(|before| before.text.as_str()).filter(|text| text.starts_with('-'));
    let loaded = match option.map(|option| (option, option.strip_prefix("--"))) {
        None => false,
        Some((_, Some(long))) => loads(long),
        Some((short, None)) => !BARE.contains(&short),
    };
    (!loaded).then_some(argument.text.as_str())
}

/// Returns the name of a program, without its folder, version and ending.
pub(super) fn program(command: &str) -> String {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command).to_ascii_lowercase();
    let endings = [".exe", ".cmd", ".bat", ".ps1"];
    let name = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    let name = name.split('@').find(|part| !part.is_empty()).unwrap_or(name);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-').to_owned()
}

fn is_interpreter(text: &str) -> bool {
    INTERPRETERS.contains(&program(text).as_str())
}

fn is_data(value: &str) -> bool {
    has_ending(value, DATA)
}

fn looks_like_a_program(text: &str) -> bool {
    let path = text.starts_with("./") || text.starts_with("../") || has_ending(text, PROGRAMS);
    // An option with its value is no name; the value is a piece of its own.
    path && !text.contains("://") && !text.starts_with('-') && !text.contains('=')
}

/// Reports whether a piece of a text is an absolute path, or the rest of a URL, without its start.
fn is_within_absolute(text: &str, piece: &str) -> bool {
    let before = (piece.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
    let before = before.and_then(|length| text.get(..length)).unwrap_or_default();
    let start = before.trim_end_matches('/');
    let starts = start.is_empty() || start.ends_with(['=', ':', ',']);
    let absolute = start.len() < before.len() && starts;
    absolute || piece.starts_with("//")
}

fn has_ending(text: &str, endings: &[&str]) -> bool {
    let ending = text.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| endings.contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use super::{LaunchArgument, LaunchWord, program, words};

    fn of(line: &[&str]) -> Vec<LaunchWord> {
        let argument = |text: &&str| LaunchArgument { text: (*text).into(), plain: true };
        words(&line.iter().map(argument).collect::<Vec<_>>()).expect("not too many").found
    }

    fn names(line: &[&str], name: &str) -> bool {
        of(line).iter().any(|word| word.text == name && !word.data)
    }

    #[test]
    fn a_file_is_found_however_it_is_named() {
        for line in [
            &["./x.py"][..],
            &["python3", "x.py"],
            &["node", "--require=./x.py", "y.js"],
            &["node", "-r./x.py"],
            &["java", "@x.py"],
            &["sh", "-c", "cd tools; python 'x.py' && true"],
            &["python", "-c", "exec(open(\"x.py\").read())"],
            &["node", "--import", "file://x.py"],
            &["docker", "run", "-v", "x.py:/x"],
            &["sh", "-c", "python x'.'py; true"],
            &["sh", "-c", "bash -c 'exec python x.py'"],
            &["sh", "-c", "sleep 1 >out & python x.py"],
            &["sh", "-c", "echo `cat x.py`"],
            &["sh", "-c", "./x'.'py"],
            &["sh", "-c", "D=tools; $D/x.py"],
            &["sh", "-c", "exec ${X:-x.py}"],
            &["sh", "-c", "exec $(dirname $0)/x.py"],
        ] {
            assert!(names(line, "x.py") || names(line, "./x.py"), "{line:?}");
        }
    }

    #[test]
    fn data_is_what_an_option_of_a_program_names_and_nothing_else() {
        let data = |line: &[&str]| of(line).iter().any(|word| word.data);
        for line in [
            &["uvx", "mcp-server-sqlite", "--db-path", "./x.db"][..],
            &["npx", "-y", "server", "--log=out.log"],
            &["python", "server.py", "--db", "x.sqlite"],
            &["python3.12", "-m", "server", "--db", "x.sqlite"],
            &["python3", "-u", "server.py", "calls.log"],
            &["npx", "-y", "server", "x.db"],
            &["sh", "-c", "echo x; exec python3 server.py calls.log"],
        ] {
            assert!(data(line), "{line:?}");
        }
        for line in [
            &["python", "x.db"][..],
            &["bash", "--norc", "x.db"],
            &["npx", "tsx", "--inspect", "x.db"],
            &["node", "--require", "a.js", "x.db"],
            &["node", "-r", "a.js", "x.db"],
            &["bash", "--rcfile", "a.sh", "--norc", "x.db"],
            &["sh", "-c", "python server.py && sh x.db"],
            &["sh", "-c", "cat x.db | sh"],
            &["sh", "-c", "sh < x.db"],
            &["python", "-c", "exec(open('x.db').read()); x = 1"],
            &["x.db"],
            &["server", "--config", "x.db"],
            &["npx", "server", "--require=./x.db"],
            &["npx", "server", "--tool", "x.py"],
            &["uvx", "--with-requirements", "x.txt", "server"],
            &["uvx", "--constraints=x.txt", "server"],
            &["uv", "run", "-r", "x.txt", "server"],
        ] {
            assert!(!data(line), "{line:?}");
        }
    }

    #[test]
    fn what_a_line_writes_into_is_not_what_it_runs() {
        for line in ["x >> out.sh", "x >out.sh y", "x 2>out.sh", "x &> out.sh", "x 2> out.sh"] {
            assert!(!names(&["sh", "-c", line], "out.sh"), "{line}");
        }
        assert!(names(&["sh", "-c", "x > out.sh; sh out.sh"], "out.sh"));
        assert!(names(&["sh", "-c", "x > out.log run.sh"], "run.sh"));
        // A name may contain blanks.
        assert!(names(&["python", "my x.py"], "my x.py"));
        for line in ["python 'my x.py'", "python my\\ x.py", "python \"my x.py"] {
            assert!(names(&["sh", "-c", line], "my x.py"), "{line}");
        }
    }

    #[test]
    fn a_line_of_too_many_words_is_refused() {
        let many = (0..20_000).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
        for line in [vec!["sh", "-c", &many], many.split(' ').collect()] {
            let argument = |text: &&str| LaunchArgument { text: (*text).into(), plain: true };
            assert!(words(&line.iter().map(argument).collect::<Vec<_>>()).is_none());
        }
    }

    #[test]
    fn a_program_is_known_by_its_name() {
        for (command, name) in
            [("/usr/bin/python3.12", "python"), ("node.exe", "node"), ("tsx@4.1", "tsx")]
        {
            assert_eq!(program(command), name);
        }
    }
}
