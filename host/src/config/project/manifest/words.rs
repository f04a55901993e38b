//! The words of a launch line that may name a file.
//!
//! **Invariant:** it takes too many words rather than too few: a word that names no file does nothing.

use std::collections::HashSet;

/// What ends a word of a line of commands, and most of these the command too.
const ENDS: &[char] = &[';', '|', '&', '(', ')', '`', '<', '>'];

/// Lines within lines that are taken apart as such.
const DEPTH: usize = 4;

/// Words of a launch line that are looked at; a line of more cannot be used.
const WORDS: usize = 10_000;

/// What words are separated by inside an argument, as in `sh -c 'python tools/x.py; true'` or `--require=./x.js`.
const BETWEEN: &[char] = &[
    ' ', '\t', '\n', '\r', ';', '|', '&', '(', ')', '<', '>', '"', '\'', '`', '=', ',', ':', '{',
    '}', '[', ']',
];

/// Programs that run a file which they are given.
const INTERPRETERS: &[&str] = &[
    "ash",
    "awk",
    "bash",
    "bun",
    "busybox",
    "cmd",
    "csh",
    "dash",
    "deno",
    "dotnet",
    "elixir",
    "env",
    "fish",
    "gawk",
    "go",
    "ipython",
    "java",
    "jshell",
    "julia",
    "ksh",
    "lua",
    "luajit",
    "make",
    "nice",
    "node",
    "nodejs",
    "nohup",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "pypy",
    "python",
    "rscript",
    "ruby",
    "sh",
    "source",
    "sudo",
    "swift",
    "tclsh",
    "timeout",
    "ts-node",
    "tsx",
    "xargs",
    "zsh",
];

/// Options that have the named file loaded.
const LOADERS: &[&str] = &[
    "config",
    "cookbook",
    "directory",
    "entry",
    "env-file",
    "eval",
    "exec",
    "experimental-loader",
    "file",
    "import",
    "import-map",
    "init",
    "init-file",
    "loader",
    "main",
    "module",
    "plugin",
    "preload",
    "print",
    "project",
    "rcfile",
    "require",
    "run",
    "script",
    "startup",
    "tsconfig",
];

/// Short options that take no value.
const BARE: &[&str] = &["-u", "-B", "-E", "-I", "-O", "-OO", "-q", "-s", "-y"];

/// How files that hold data end. What is called so and is given to a program changes all the time.
const DATA: &[&str] = &[
    "avro", "bin", "csv", "db", "db3", "duckdb", "gif", "jpeg", "jpg", "jsonl", "lancedb", "log",
    "md", "ndjson", "parquet", "pdf", "png", "rst", "sqlite", "sqlite3", "svg", "tsv", "txt",
    "webp", "xlsx",
];

/// How files end that are most likely programs.
const PROGRAMS: &[&str] = &[
    "cjs", "cts", "jar", "js", "jsx", "lua", "mjs", "mts", "php", "pl", "py", "pyz", "rb", "sh",
    "ts", "tsx", "wasm",
];

/// An argument of a launch line, with its variables put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) text: String,
    /// Whether it stands like this in the settings. What is not may hold a key.
    pub(super) plain: bool,
}

/// A word that may name a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether it can be shown though nothing is found under it: it is written so, and looks like the name of a program.
    pub(super) tellable: bool,
    /// Whether the file is data, and may change.
    pub(super) data: bool,
}

/// Returns the words of a launch line, unless there are too many. The first argument is the command.
pub(super) fn words(arguments: &[Argument]) -> Option<Vec<Word>> {
    let mut words = Words::default();
    // A line without an interpreter runs a program of its own, which all arguments are for.
    let interpreted = arguments.iter().any(|argument| is_interpreter(&argument.text));
    words.command(arguments, !interpreted, 0);
    (words.found.len() <= WORDS).then_some(words.found)
}

/// Words as they are found.
#[derive(Default)]
struct Words {
    found: Vec<Word>,
    known: HashSet<Word>,
}

impl Words {
    /// Takes those of one command; `program_seen` if all of its arguments are for a program that is no file of the project.
    fn command(&mut self, arguments: &[Argument], mut program_seen: bool, depth: usize) {
        for (index, argument) in arguments.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| arguments.get(before));
            match is_line(&argument.text) {
                false => self.argument(argument, before, index > 0 && program_seen),
                true => self.line(argument, depth),
            }
            // What follows a program's own file, or the module that is run, is the program's to read. What an option names may
            // be loaded before the program.
            let module = before.is_some_and(|before| before.text == "-m");
            let own =
                before.is_some_and(|it| !it.text.starts_with('-') || BARE.contains(&&*it.text));
            program_seen |= module || (own && has_ending(&argument.text, PROGRAMS));
        }
    }

    /// Takes those of a line of commands. It may be the name of one file all the same, or the value of an option.
    fn line(&mut self, argument: &Argument, depth: usize) {
        let value = argument.text.split_once('=').map(|(_, value)| value);
        for text in [Some(argument.text.as_str()), value].into_iter().flatten() {
            self.add(Word { text: text.into(), tellable: false, data: false });
        }
        for command in commands(&argument.text) {
            let argument = |text| Argument { text, plain: argument.plain };
            let arguments: Vec<_> = command.into_iter().map(argument).collect();
            match depth < DEPTH {
                true => self.command(&arguments, false, depth + 1),
                false => arguments.iter().for_each(|it| self.argument(it, None, false)),
            }
        }
    }

    fn argument(&mut self, argument: &Argument, before: Option<&Argument>, for_program: bool) {
        let value = value(before, argument);
        let data = for_program && value.is_some_and(is_data);
        for text in pieces(&argument.text) {
            let tellable = argument.plain && looks_like_a_program(text);
            self.add(Word { text: text.into(), tellable, data: data && value == Some(text) });
        }
    }

    fn add(&mut self, word: Word) {
        // One more than is looked at: then there are too many.
        if self.found.len() <= WORDS && self.known.insert(word.clone()) {
            self.found.push(word);
        }
    }
}

/// Whether an argument is a line of commands itself, as in `sh -c 'python x.py; true'`.
fn is_line(text: &str) -> bool {
    text.contains(char::is_whitespace)
}

/// The commands of a line, each as its words, as a shell would read them. What a command writes into is not what it runs.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let (mut word, mut quote, mut written) = (None::<String>, None, false);
    let mut characters = line.chars();
    loop {
        let c = characters.next();
        match (c, quote) {
            (Some(c), Some(open)) if c == open => quote = None,
            (Some(c), Some(open)) if c != '\\' || open == '\'' => {
                word.get_or_insert_default().push(c);
            }
            (Some('\\'), _) => word.get_or_insert_default().extend(characters.next()),
            (Some(c @ ('"' | '\'')), None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(c), None) if !c.is_whitespace() && !ENDS.contains(&c) => {
                word.get_or_insert_default().push(c);
            }
            (end, _) => {
                if let Some(word) = word.take()
                    && !std::mem::take(&mut written)
                    && let Some(command) = commands.last_mut()
                {
                    command.push(word);
                }
                match end {
                    None => return commands,
                    Some('>') => written = true,
                    Some(' ' | '\t' | '<') => {}
                    Some(_) => commands.push(Vec::new()),
                }
            }
        }
    }
}

/// Returns the words of a text, such as the value of a variable that steers loading.
pub(super) fn words_of(text: &str) -> Vec<Word> {
    let word = |text: &str| Word { text: text.into(), tellable: false, data: false };
    pieces(text).take(WORDS).map(word).collect()
}

/// A text, its pieces, and both without what may stand before a path.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let forms = |piece| {
        let glued = str::strip_prefix(piece, '-').filter(|rest| !rest.starts_with('-'));
        let glued = glued.and_then(|rest| rest.get(1..));
        let forms = [Some(piece), glued, piece.strip_prefix('@'), piece.strip_prefix("//")];
        forms.into_iter().flatten().filter(|form| !form.is_empty())
    };
    std::iter::once(text).chain(text.split(BETWEEN)).flat_map(forms)
}

/// An argument, or the value of an option that has nothing loaded.
fn value<'a>(before: Option<&Argument>, argument: &'a Argument) -> Option<&'a str> {
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
    let name = name.strip_suffix(".exe").unwrap_or(&name);
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
    path && !text.contains("://")
}

fn has_ending(text: &str, endings: &[&str]) -> bool {
    let ending = text.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| endings.contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use super::{Argument, Word, program, words};

    fn of(line: &[&str]) -> Vec<Word> {
        let argument = |text: &&str| Argument { text: (*text).into(), plain: true };
        words(&line.iter().map(argument).collect::<Vec<_>>()).expect("not too many")
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
        // A name may have blanks in it.
        assert!(names(&["python", "my x.py"], "my x.py"));
        for line in ["python 'my x.py'", "python my\\ x.py", "python \"my x.py"] {
            assert!(names(&["sh", "-c", line], "my x.py"), "{line}");
        }
    }

    #[test]
    fn a_line_of_too_many_words_is_refused() {
        let many = (0..20_000).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
        for line in [vec!["sh", "-c", &many], many.split(' ').collect()] {
            let argument = |text: &&str| Argument { text: (*text).into(), plain: true };
            assert_eq!(words(&line.iter().map(argument).collect::<Vec<_>>()), None);
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
