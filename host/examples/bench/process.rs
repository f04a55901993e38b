//! Cold start: a process from its start to its exit, running a TypeScript file that prints `1`.

use crate::report::{Report, Samples};
use crate::{Effort, Failure, progress};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const HELLO: &str = "const x: number = 1; console.log(x)\n";

/// Commands that run a TypeScript file, and where `shared/bench` keeps them.
const PEERS: [(&str, &str, &[&str]); 2] = [
    ("bun", "js/node_modules/@oven/bun-linux-x64/bin/bun", &["run"]),
    ("deno", "js/node_modules/@deno/linux-x64-glibc/deno", &["run", "--no-check"]),
];

pub(crate) fn measure(effort: Effort, report: &mut Report) -> Result<(), Failure> {
    progress("cold start");
    let pml = std::env::var_os("PML_BIN").map_or("target/release/pml".into(), PathBuf::from);
    if !pml.exists() {
        progress(&format!("no {}: build it, or set `PML_BIN`; skipped", pml.display()));
        return Ok(());
    }
    let folder = std::env::temp_dir().join(format!("pml-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let hello = folder.join("hello.ts");
    std::fs::write(&hello, HELLO)?;

    let found = PEERS.map(|(name, path, flags)| (name, cache().join(path), flags));
    let found: Vec<_> = found.into_iter().filter(|(_, path, _)| path.exists()).collect();
    let mut ours = Samples::default();
    let mut theirs = vec![Samples::default(); found.len()];
    for round in 0..effort.pick(43, 4) {
        let took = once(&pml, &["run"], &hello)?;
        let others = found.iter().map(|(_, path, flags)| once(path, flags, &hello));
        let others = others.collect::<Result<Vec<_>, _>>()?;
        // The first three warm the page cache for everybody.
        if round >= 3 {
            ours.push(took);
            theirs.iter_mut().zip(others).for_each(|(samples, took)| samples.push(took));
        }
    }
    std::fs::remove_dir_all(&folder)?;
    if found.is_empty() {
        report.alone("cold start of `pml run hello.ts`", "ms", ours.clone());
    }
    for ((name, ..), samples) in found.iter().zip(theirs) {
        report.beside("cold start of `pml run hello.ts`", "ms", ours.clone(), name, samples);
    }
    Ok(())
}

fn cache() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/pml-bench"));
    let cache = std::env::var_os("PML_BENCH_CACHE").map(PathBuf::from);
    cache.or_else(home).unwrap_or_default()
}

/// Milliseconds from start to exit.
fn once(program: &Path, flags: &[&str], file: &Path) -> Result<f64, Failure> {
    let start = Instant::now();
    let mut command = Command::new(program);
    // What is measured leaves nothing behind among the user's own journals.
    command.args(flags).arg(file).env("PML_STATE_DIR", file.with_file_name("state"));
    let output = command.stderr(Stdio::inherit()).output()?;
    let took = start.elapsed().as_secs_f64() * 1e3;
    match output.status.success() && output.stdout.trim_ascii() == b"1" {
        true => Ok(took),
        false => Err(format!("{} did not print 1", program.display()).into()),
    }
}
