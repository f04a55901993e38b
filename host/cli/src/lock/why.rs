//! `pml lock why`: says what an entry of the lock is there for.

use crate::project;
use crate::report::HintedError;
use crate::ui::{self, BOLD};
use anyhow::Result;
use clap::Args;
use pml::json::{Value, json};
use pml::lock::{Lock, LockFile, LockedServer, PackageClosure};
use pml::project::locate;
use pml::text::{escape, in_one_line, nearest};
use pml::{Code, Environment};
use std::collections::{BTreeMap, VecDeque};
use std::process::ExitCode;

/// Number of packages that one way may have. A longer one goes in circles.
const MAX_WAY: usize = 100;

/// Say why a tool or a package is in the lock
#[derive(Args)]
pub(super) struct LockWhyCommand {
    /// A tool (`files:read`), a server, or a package
    #[arg(value_name = "TOOL|PACKAGE")]
    what: String,
    /// Print exactly one line of JSON on stdout: the `reasons`
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl LockWhyCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let folder = project::current_folder()?;
        let root = locate(&folder, &Environment::of_process());
        let lock = LockFile::in_folder(root.join(".pml")).read()?.unwrap_or_default();
        let reasons = reasons(&lock, &self.what);
        if reasons.is_empty() {
            return Err(self.unknown(&lock).into());
        }
        for reason in &reasons {
            let lines = reason.lines.iter().map(|line| format!("\n  {line}"));
            let lines: String = lines.collect();
            ui::print(&format!("{BOLD}{}{BOLD:#}{lines}", in_one_line(&reason.subject)))?;
        }
        let reasons: Value = reasons.iter().map(|reason| reason.json.clone()).collect();
        ui::document(&json!({ "reasons": reasons }))?;
        Ok(ExitCode::SUCCESS)
    }

    fn unknown(&self, lock: &Lock) -> HintedError {
        let message = format!("the lock has no `{}`", escape(&self.what));
        let tools = lock.servers.iter().flat_map(|(name, server)| {
            server.tools.keys().map(move |tool| format!("{name}:{tool}"))
        });
        let names: Vec<String> = lock.servers.keys().cloned().chain(tools).collect();
        let near = nearest(&self.what, names.iter().map(String::as_str));
        let hint = match near.first() {
            Some(near) => format!("did you mean `{}`?", escape(near)),
            None => "`pml lock` writes what all servers have; a run adds what it uses".into(),
        };
        HintedError::new(message, hint).with_code(Code::NotLocked)
    }
}

struct LockReason {
    subject: String,
    lines: Vec<String>,
    json: Value,
}

fn reasons(lock: &Lock, what: &str) -> Vec<LockReason> {
    let mut reasons = Vec::new();
    for (name, server) in &lock.servers {
        if name == what {
            reasons.push(of_server(name, server));
        }
        let tool = what.split_once(':').filter(|(server, _)| server == name);
        if let Some((tool, digest)) = tool.and_then(|(_, tool)| server.tools.get_key_value(tool)) {
            let lines = vec![
                format!("definition │ sha256:{digest}"),
                format!("server │ {}", in_one_line(name)),
                format!("started by │ {}", in_one_line(&server.launch)),
            ];
            let json = json!({ "tool": what, "definition": digest, "server": name });
            reasons.push(LockReason { subject: format!("tool {name}:{tool}"), lines, json });
        }
        let closures = server.package.iter().flat_map(|package| &package.closures);
        for (platform, closure) in closures {
            let Some(package) = &server.package else { continue };
            for (path, way) in ways(closure, &package.name, what) {
                let found = &closure.packages[&path];
                let mut lines = vec![
                    format!("server │ {}", in_one_line(&format!("{name} ({platform})"))),
                    format!("needed by │ {}", in_one_line(&way.join(" → "))),
                    format!("hash │ {}", in_one_line(&found.hash)),
                ];
                if found.optional {
                    lines.push("only where it can be installed".into());
                }
                let json = json!({
                    "package": what, "version": found.version, "path": path, "server": name,
                    "platform": platform, "way": way, "hash": found.hash,
                });
                let subject = format!("package {what}@{}", found.version);
                reasons.push(LockReason { subject, lines, json });
            }
        }
    }
    reasons
}

fn of_server(name: &str, server: &LockedServer) -> LockReason {
    let mut lines = vec![
        format!("kind │ {}", server.kind.as_str()),
        format!("started by │ {}", in_one_line(&server.launch)),
        format!("tools │ {}", server.tools.len()),
    ];
    if let Some(package) = &server.package {
        lines.push(format!(
            "package │ {}",
            in_one_line(&format!("{}@{}", package.name, package.version))
        ));
        for (platform, closure) in &package.closures {
            lines.push(format!("packages │ {} ({})", closure.len(), in_one_line(platform)));
        }
    }
    let json = json!({ "server": name, "kind": server.kind.as_str(), "launch": server.launch });
    LockReason { subject: format!("server {name}"), lines, json }
}

/// Returns the paths of a closure that hold a package, each with the shortest way to it from the
/// package that the server is started from.
fn ways(closure: &PackageClosure, root: &str, wanted: &str) -> Vec<(String, Vec<String>)> {
    let mut ways: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut next = VecDeque::new();
    if let Some(start) = closure.find(root) {
        ways.insert(start.clone(), vec![root.to_owned()]);
        next.push_back(start);
    }
    while let Some(path) = next.pop_front() {
        let way = ways[&path].clone();
        if way.len() > MAX_WAY {
            continue;
        }
        let package = &closure.packages[&path];
        for name in package.needs.iter().chain(&package.may_need) {
            let Some(target) = closure.resolve(&path, name) else { continue };
            if !ways.contains_key(&target) {
                let longer = way.iter().cloned().chain([name.clone()]).collect();
                ways.insert(target.clone(), longer);
                next.push_back(target);
            }
        }
    }
    let named = |path: &str| {
        let name = path.rsplit_once("node_modules/").map_or(path, |(_, name)| name);
        name == wanted
    };
    ways.into_iter().filter(|(path, _)| named(path)).collect()
}
