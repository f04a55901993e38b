//! Known programs, options and file endings.

/// Programs that run a file given as an argument.
pub(super) const INTERPRETERS: &[&str] = &[
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

/// Options that load the named file.
pub(super) const LOADERS: &[&str] = &[
    "config",
    "build-constraint",
    "build-constraints",
    "constraint",
    "constraints",
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
    "override",
    "overrides",
    "plugin",
    "prefix",
    "preload",
    "print",
    "project",
    "rcfile",
    "require",
    "requirement",
    "requirements",
    "run",
    "script",
    "startup",
    "tsconfig",
    "with-requirements",
];

/// Short options without a value.
pub(super) const BARE: &[&str] = &["-u", "-B", "-E", "-I", "-O", "-OO", "-q", "-s", "-y"];

/// Endings of data files. Such files change all the time when they are passed to a program.
pub(super) const DATA: &[&str] = &[
    "avro", "bin", "csv", "db", "db3", "duckdb", "gif", "jpeg", "jpg", "jsonl", "lancedb", "log",
    "md", "ndjson", "parquet", "pdf", "png", "rst", "sqlite", "sqlite3", "svg", "tsv", "txt",
    "webp", "xlsx",
];

/// Endings of files that are most likely programs.
pub(super) const PROGRAMS: &[&str] = &[
    "cjs", "cts", "jar", "js", "jsx", "lua", "mjs", "mts", "php", "pl", "py", "pyz", "rb", "sh",
    "ts", "tsx", "wasm",
];

/// Shells.
pub(super) const SHELLS: &[&str] =
    &["ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "mksh", "sh", "tcsh", "zsh"];
