//! The words of a launch line that may name a file.
//!
//! **Invariant:** it takes too many words rather than too few: a word that names no file does nothing.

use std::collections::HashSet;

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
    let interpreted = arguments.iter().any(|argument| is_interpreter(&argument.text));
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    let mut program_seen = !interpreted;
    for (index, argument) in arguments.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| arguments.get(before));
        let value = value(before, argument);
        let data = index > 0 && program_seen && value.is_some_and(is_data);
        for text in pieces(&argument.text) {
            let tellable = argument.plain && looks_like_a_program(text);
            let word = Word { text: text.into(), tellable, data: data && value == Some(text) };
            if found.len() >= WORDS {
                return None;
            }
            if known.insert(word.clone()) {
                found.push(word);
            }
        }
        // What follows a program's own file, or the module that is run, is the program's to read. What an option names may be
        // loaded before the program.
        let module = before.is_some_and(|before| before.text == "-m");
        let own = before.is_some_and(|it| !it.text.starts_with('-') || BARE.contains(&&*it.text));
        program_seen |= module || (own && has_ending(&argument.text, PROGRAMS));
    }
    Some(found)
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
            &["x.db"],
            &["server", "--config", "x.db"],
            &["npx", "server", "--require=./x.db"],
            &["npx", "server", "--tool", "x.py"],
        ] {
            assert!(!data(line), "{line:?}");
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
