//! The official conformance suite, run against pml on both sides: `conformance_server` and
//! `conformance_client`, two of the examples, put pml's own server and client where the suite can
//! reach them.
//!
//! A revision of the protocol names the scenarios that count for it. All of those pass, except the
//! ones that are named here, each with its reason; one that is named and passes is an error too.

use pml::json::{self, Value};
use pml_kit::real::{self, left_out};
use pml_kit::{example, files_under};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Scenarios that count and do not pass yet.
const EXCEPTIONS: &[(Leg, &str, &str)] = &[
    (
        Leg::Client,
        "auth/",
        "a server is sent the headers that the settings name; pml does not log in for its user",
    ),
    (
        Leg::Client,
        "elicitation-sep1034-client-defaults",
        "a server behind pml cannot ask its user: pml says so, and the suite's server asks all the same",
    ),
    (Leg::Client, "sep-2322-client-request-state", "as above, in the newest revision's way"),
];

/// Which side of pml is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leg {
    Server,
    Client,
}

impl Leg {
    fn name(self) -> &'static str {
        match self {
            Leg::Server => "server",
            Leg::Client => "client",
        }
    }

    fn excepts(self, scenario: &str) -> bool {
        EXCEPTIONS.iter().any(|(leg, prefix, _)| *leg == self && scenario.starts_with(prefix))
    }
}

/// What one run of the suite is about.
struct Suite<'a> {
    leg: Leg,
    revision: &'a str,
    /// The server's address, or the client's command.
    target: [&'a str; 2],
}

impl Suite<'_> {
    /// The scenarios that count.
    fn scored(&self) -> BTreeSet<String> {
        let entry = real::conformance().args.swap_remove(0);
        let package = Path::new(&entry).ancestors().nth(2).expect("dist/index.js").to_owned();
        let path = package.join(format!("requirements/{}.yaml", self.revision));
        let text = std::fs::read_to_string(&path).expect("the suite lists what counts");
        let heading = format!("{}:", self.leg.name());
        let lines = text.lines().skip_while(|line| **line != heading).skip(1);
        let names = lines.map_while(|line| line.strip_prefix("  - ")).map(str::to_owned);
        let names: BTreeSet<_> = names.collect();
        assert!(!names.is_empty(), "nothing counts: {}", path.display());
        names
    }

    /// Runs what `arguments` choose; what went wrong in each scenario that was run.
    fn run(&self, arguments: [&str; 2], more: &[&str]) -> BTreeMap<String, Vec<String>> {
        let folder = TempDir::new().expect("a folder");
        let mut command = real::conformance().command(folder.path());
        command.arg(self.leg.name()).args(self.target).args(arguments).args(more);
        command.arg("-o").arg(folder.path().join("results")).stdin(Stdio::null());
        let output = command.output().expect("the suite runs");
        let found = results(&folder.path().join("results"), self.leg);
        assert!(!found.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        found
    }

    /// Runs all scenarios and holds what came out against what should.
    #[expect(clippy::print_stdout, reason = "the score, for whoever asks with `--nocapture`")]
    fn check(&self) {
        let scored = self.scored();
        let mut found = self.run(["--requirements", self.revision], &[]);
        let mut failed = BTreeSet::new();
        for scenario in &scored {
            let wrong = found.remove(scenario);
            // The suite waits for some messages for half a second only, which a busy machine can
            // miss: once more, alone.
            let wrong = match wrong {
                Some(wrong) if !wrong.is_empty() && !self.leg.excepts(scenario) => self
                    .run(["--scenario", scenario], &["--spec-version", self.revision])
                    .remove(scenario),
                wrong => wrong,
            };
            let wrong = wrong.unwrap_or_else(|| vec!["it was not run".into()]);
            match (wrong.is_empty(), self.leg.excepts(scenario)) {
                (true, false) => {}
                (false, true) => drop(failed.insert(scenario)),
                (true, true) => panic!("{scenario} passes: it is no exception any more"),
                (false, false) => panic!("{scenario}: {wrong:#?}"),
            }
        }
        println!(
            "{} {}: {} of {} scenarios",
            self.leg.name(),
            self.revision,
            scored.len() - failed.len(),
            scored.len()
        );
        for (scenario, wrong) in found {
            println!("  not scored: {scenario}: {} wrong", wrong.len());
        }
    }
}

/// Reads `<scenario>-<time>/checks.json` of all scenarios: what failed in each, and what only
/// should have been better.
fn results(folder: &Path, leg: Leg) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for path in files_under(folder) {
        if path.file_name().is_none_or(|name| name != "checks.json") {
            continue;
        }
        let shown = path.parent().and_then(|path| path.strip_prefix(folder).ok());
        let name = shown.and_then(Path::to_str).expect("a folder of its own for each scenario");
        let name = match leg {
            Leg::Server => name.strip_prefix("server-").expect("names of servers' scenarios"),
            Leg::Client => name,
        };
        let time = "-2026-01-01T00-00-00-000Z".len();
        let scenario = name[..name.len() - time].to_owned();
        let checks: Vec<Value> =
            json::from_slice(&std::fs::read(&path).expect("a file")).expect("JSON");
        let wrong = checks
            .iter()
            .filter(|check| check["status"] == "FAILURE" || check["status"] == "WARNING");
        let told = wrong.map(|check| format!("{}: {}", check["id"], check["errorMessage"]));
        found.insert(scenario, told.collect());
    }
    found
}

/// The example that serves, which ends when its stdin does.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start() -> Server {
        let mut command = Command::new(example("conformance_server"));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the example starts");
        let mut url = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut url).expect("it says where it listens");
        Server { child, url: url.trim_end().into() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn check_server(revision: &str) {
    let server = Server::start();
    Suite { leg: Leg::Server, revision, target: ["--url", &server.url] }.check();
}

fn check_client(revision: &str) {
    let client = example("conformance_client");
    let client = client.to_str().expect("paths of tests are UTF-8");
    Suite { leg: Leg::Client, revision, target: ["--command", client] }.check();
}

#[test]
fn the_server_conforms_to_2025_11_25() {
    if left_out() {
        return;
    }
    check_server("2025-11-25");
}

#[test]
fn the_server_conforms_to_2026_07_28() {
    if left_out() {
        return;
    }
    check_server("2026-07-28");
}

#[test]
fn the_client_conforms_to_2025_11_25() {
    if left_out() {
        return;
    }
    check_client("2025-11-25");
}

#[test]
fn the_client_conforms_to_2026_07_28() {
    if left_out() {
        return;
    }
    check_client("2026-07-28");
}
