//! Programs and servers that try to make the host pay: with memory, with CPU time, with the disk.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::{TestEnv, files_under, json_of, project_root, run_with_path, trusted_project};
use std::process::Command;

/// A project with a server whose answers are costly to read.
fn with_heavy() -> TestEnv {
    let script = project_root().join("tests/kit/fakes/heavy.py");
    let server = json!({ "command": "python3", "args": [script] });
    trusted_project(
        pml(),
        &json!({ "permissions": { "allow": ["*"] }, "servers": { "heavy": server } }),
    )
}

/// What a command took at most, its children's included.
struct Costs {
    stdout: String,
    stderr: String,
    /// MiB of memory.
    memory: u64,
    /// Seconds of CPU time.
    cpu: f64,
}

/// Runs the binary and measures it, by what the OS says of its processes.
fn measured(env: &TestEnv, arguments: &[&str]) -> Costs {
    let watch = "import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.stdout, done.stderr, used.ru_maxrss // 1024, used.ru_utime + used.ru_stime]))";
    let output = Command::new("python3")
        .args(["-c", watch])
        .arg(env.binary())
        .args(arguments)
        .current_dir(env.path())
        .env("HOME", env.path())
        .env("XDG_STATE_HOME", env.state_home())
        // What is measured is a first use, also where the tests run in continuous integration.
        .env_remove("CI")
        .output()
        .expect("python3 starts");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let said: Value = pml::json::from_str(&said)
        .unwrap_or_else(|_| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)));
    Costs {
        stdout: said[0].as_str().expect("text").into(),
        stderr: said[1].as_str().expect("text").into(),
        memory: said[2].as_u64().expect("MiB"),
        cpu: said[3].as_f64().expect("seconds"),
    }
}

/// The bytes of all journals of a place.
fn journal_bytes(env: &TestEnv) -> u64 {
    let files = files_under(env.path());
    let journals = files.iter().filter(|file| {
        file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("state.db"))
    });
    journals.map(|file| std::fs::metadata(file).map_or(0, |found| found.len())).sum()
}

#[test]
fn an_answer_of_many_small_lists_does_not_fill_the_hosts_memory() {
    let env = with_heavy();
    for (way, end) in [("value", "MEMORY"), ("text", "MEMORY"), ("error", "TOOL_FAILED")] {
        // Sixteen megabytes of text; as values of the host, more than a gigabyte.
        let program = format!("await mcp.heavy.lists({{ n: 4_000_000, as: '{way}' }})");
        let costs = measured(&env, &["eval", &program]);
        assert!(costs.stderr.contains(end), "{way}: {}", costs.stderr);
        assert!(costs.memory < 600, "{way}: {} MiB", costs.memory);
    }
    let small = run_with_path(
        &env,
        &["eval", "(await mcp.heavy.lists({ n: 100_000, as: 'text' })).length"],
    );
    assert_eq!((small.code, small.stdout.as_str()), (0, "100000\n"), "{}", small.stderr);
    let failed = "await mcp.heavy.lists({ n: 10, as: 'error' }).catch((e) => e.data.structuredContent.length)";
    let failed = run_with_path(&env, &["eval", failed]);
    assert_eq!((failed.code, failed.stdout.as_str()), (0, "10\n"), "{}", failed.stderr);
}

#[test]
fn a_long_text_is_no_more_than_its_length() {
    let env = with_heavy();
    let long = "(await mcp.heavy.text({ n: 15_000_000 })).length";
    let costs = measured(&env, &["eval", long, "--memory", "128M"]);
    assert_eq!(costs.stdout, "15000000\n", "{}", costs.stderr);
    let longer = "mcp.heavy.text({ n: 17_000_000 }).catch((e) => e.code + ' ' + e.message)";
    let costs = measured(&env, &["eval", longer]);
    assert_eq!(
        costs.stdout,
        "\"REPLY_SIZE the answer has 17000002 bytes of JSON, more than the limit of 16777216\"\n"
    );
}

#[test]
fn arguments_of_many_small_lists_do_not_fill_the_hosts_memory() {
    let env = with_heavy();
    // Small in the program, where one list stands in a million places.
    let send = |rows: u32| {
        format!(
            "const row = Array(1000).fill([0]); \
             return mcp.heavy.take({{ x: Array({rows}).fill(row) }}).then((r) => r.length > 0, (e) => e.code)"
        )
    };
    let costs = measured(&env, &["eval", &send(1000)]);
    assert_eq!(costs.stdout, "\"ARGUMENTS_SIZE\"\n", "{}", costs.stderr);
    assert!(costs.memory < 400, "{} MiB", costs.memory);
    let fits = run_with_path(&env, &["eval", &send(100)]);
    assert_eq!((fits.code, fits.stdout.as_str()), (0, "true\n"), "{}", fits.stderr);
}

#[test]
fn open_calls_share_what_their_arguments_may_take() {
    let env = with_heavy();
    let program = "const row = Array(1000).fill([0]); const x = Array(200).fill(row);
        const all = await Promise.allSettled([1, 2, 3, 4, 5].map(() => mcp.heavy.take({ x })));
        return all.map((one) => one.reason?.code ?? 'sent')";
    let output = run_with_path(&env, &["eval", program, "--json"]);
    let codes: Value = pml::json::from_str(&output.stdout).expect("JSON");
    assert_eq!(
        codes,
        json!(["sent", "ARGUMENTS_SIZE", "ARGUMENTS_SIZE", "ARGUMENTS_SIZE", "ARGUMENTS_SIZE"])
    );
    let one_by_one = "const row = Array(1000).fill([0]); const x = Array(200).fill(row);
        for (let i = 0; i < 3; i++) await mcp.heavy.take({ x }); return 'sent'";
    let output = run_with_path(&env, &["eval", one_by_one]);
    assert_eq!(output.stdout, "\"sent\"\n", "{}", output.stderr);
}

#[test]
fn a_program_cannot_fill_the_disk() {
    for (fills, size) in [
        ("for (;;) await mcp.no.where({ s: 'x'.repeat(1e6) }).catch(() => {})", "8M"),
        ("for (;;) await new Promise((done) => setTimeout(done, 0))", "64K"),
        ("for (;;) await mcp.pml.sleep({ ms: -1 }).catch(() => {})", "64K"),
        (
            "await Promise.allSettled(Array(9000).fill(0).map(() => mcp.no.where({ s: 'x'.repeat(400) })))",
            "1M",
        ),
        ("return 'x'.repeat(1e6)", "512K"),
    ] {
        let env = pml();
        let output = env.run(&["eval", fills, "--journal-size", size]);
        assert_eq!(output.code, 1, "{fills}: {}", output.stdout);
        assert!(output.stderr.contains("[JOURNAL_SIZE]"), "{fills}: {}", output.stderr);
        assert!(output.stderr.contains("`--journal-size 1G`"), "{fills}: {}", output.stderr);
        // The write-ahead log holds the same once more.
        assert!(journal_bytes(&env) < 24 << 20, "{fills}: {}", journal_bytes(&env));
        let runs = json_of(&env, &["runs", "--json"]);
        assert_eq!(runs[0]["state"], "failed", "{runs}");
    }
}

#[test]
fn a_server_cannot_fill_the_disk() {
    let env = with_heavy();
    let program = "for (let i = 0; ; i++) await mcp.heavy.text({ n: 1e6 })";
    let output = run_with_path(&env, &["eval", program, "--journal-size", "4M"]);
    assert!(output.stderr.contains("[JOURNAL_SIZE]"), "{}", output.stderr);
    let three = "for (let i = 0; i < 3; i++) await mcp.heavy.text({ n: 1e6 }); return 1";
    let output = run_with_path(&env, &["eval", three, "--journal-size", "4M"]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "1\n"), "{}", output.stderr);
}

/// A program that takes long to parse.
fn long_source(env: &TestEnv) {
    env.write("long.ts", "a;".repeat(2_000_000));
}

#[test]
fn parsing_a_program_counts_as_its_time() {
    let env = pml();
    long_source(&env);
    let cpu = env.run(&["run", "long.ts", "--cpu-time", "50ms"]);
    assert_eq!(cpu.code, 1);
    assert!(cpu.stderr.contains("[CPU_TIME]"), "{}", cpu.stderr);
    let wall = env.run(&["run", "long.ts", "--timeout", "20ms"]);
    assert_eq!(wall.code, 1);
    assert!(wall.stderr.contains("the run took longer than 20ms [TIMEOUT]"), "{}", wall.stderr);
    env.write("short.ts", "return 1");
    let short = env.run(&["run", "short.ts", "--cpu-time", "500ms"]);
    assert_eq!((short.code, short.stdout.as_str()), (0, "1\n"), "{}", short.stderr);
}

#[test]
fn placing_a_thousand_errors_in_a_long_program_has_an_end() {
    let env = pml();
    // Each is placed by parsing the program anew.
    let errors = "for (let i = 0; i < 1000; i++) Promise.reject(new Error(`e${i}`));\n";
    env.write("errors.ts", format!("{}\n{errors}return 1", "0;".repeat(200_000)));
    let costs = measured(&env, &["run", "errors.ts", "--cpu-time", "2s"]);
    assert_eq!(costs.stdout, "", "{}", costs.stderr);
    assert!(costs.stderr.contains("(errors.ts:2:"), "{}", costs.stderr);
    assert!(costs.cpu < 20.0, "{} s", costs.cpu);
}
