//! The parts of a project: plain data.

use crate::config::Config;
use crate::model::{Grant, Secret, ToolPattern};
use std::path::PathBuf;
use std::time::Duration;

/// Which tools may be called, asked about first, or never called. Deny wins; between ask and allow
/// the more specific pattern, a tie asks; what nothing covers asks.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Permissions {
    /// Called without asking.
    pub allow: Vec<ToolPattern>,
    /// Asked about first.
    pub ask: Vec<ToolPattern>,
    /// Never called.
    pub deny: Vec<ToolPattern>,
    /// What was allowed for good: a tool that is allowed and has some goes only while one of them
    /// holds.
    pub grants: Vec<Grant>,
}

/// Where the calls of some tools go.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoutingRule {
    /// Which tools.
    pub pattern: ToolPattern,
    /// Where.
    pub to: RouteTarget,
}

/// Where a call goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RouteTarget {
    /// It is made here.
    Client,
    /// It is made by the cloud.
    Server,
}

/// The cloud that server-routed calls go to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cloud {
    /// Where.
    pub url: String,
    /// The variable that holds the key.
    pub api_key_env: Option<String>,
    /// The key, if that variable is set.
    pub api_key: Option<Secret>,
}

/// How people are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalSettings {
    /// How long a question can be answered; `None` for ever.
    pub timeout: Option<Duration>,
    /// Whether a `continue_workflow` written by the model counts where the client could have asked
    /// a person.
    pub model_may_approve: bool,
}

impl Default for ApprovalSettings {
    /// Five minutes, and only people answer.
    fn default() -> ApprovalSettings {
        ApprovalSettings { timeout: Some(Config::QUESTION_LIFETIME), model_may_approve: false }
    }
}

/// What project files say that loosens something, trusted or not: what a person decides about.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ProjectDeclarations {
    /// The servers, as written.
    pub servers: Vec<DeclaredServer>,
    /// What is called without asking.
    pub allow: Vec<ToolPattern>,
    /// What was allowed for good.
    pub grants: Vec<Grant>,
    /// The cloud's URL.
    pub cloud: Option<String>,
    /// Whether the model's own approvals count.
    pub model_may_approve: bool,
    /// The files of the project that launch lines name, by server and name.
    pub files: Vec<DeclaredFile>,
    /// The variables that decide something and that `.env` could feed, by name.
    pub variables: Vec<DeclaredVariable>,
}

/// A file of the project that a launch line names. Its name may be anything: escape it before it is
/// shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredFile {
    /// The server.
    pub server: String,
    /// The file, seen from the project's folder: `./tools/docs.py`.
    pub name: String,
    /// How it is with it.
    pub state: DeclaredFileState,
}

/// How it is with a file that a launch line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredFileState {
    /// It is trusted as it is: a change asks again.
    Pinned,
    /// It is a link to something outside the project: that it leads there is trusted, what is there
    /// is not looked at.
    LinksOutside {
        /// Where.
        to: String,
    },
    /// It is not there. That it comes asks again.
    Absent,
    /// It is data that the program is given: a change asks nothing.
    Data,
    /// A shell puts its name together while it runs: nobody knows which file it is.
    Unresolved,
    /// It is a folder that a variable has programs load from: what comes into it asks nothing.
    LoadFolder,
}

/// A variable that decides something, and that `.env` could feed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredVariable {
    /// Its name.
    pub name: String,
    /// What gets it: `server: NAME`.
    pub given: Vec<String>,
    /// Whether it steers what is loaded.
    pub loading: bool,
    /// Whether it takes the place of a default of the settings.
    pub default: bool,
    /// Whether `.env` sets it: then its value is trusted as it is, and a change asks again.
    pub in_file: bool,
}

/// A server as a project file declares it: nothing in it is expanded. It comes from a file that may
/// not be trusted; escape it before it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredServer {
    /// Its name.
    pub name: String,
    /// Its launch line or URL, as written.
    pub launch: String,
    /// The folder it runs in, as written.
    pub folder: Option<String>,
    /// The variables or headers it is given, as written: a name, and a value that may be a secret.
    pub given: Vec<(String, Secret)>,
    /// Whether it lets code of its package run while that is installed.
    pub install_scripts: bool,
    /// The file that declares it.
    pub file: PathBuf,
    /// Where in it, from 1.
    pub line: usize,
    /// Where in the line, from 1.
    pub column: usize,
    /// Why it cannot be used, where that shows without starting it.
    pub unusable: Option<String>,
}

/// A server that calls of it fail for, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusableServer {
    /// Its name.
    pub name: String,
    /// Why: a sentence's end, as in "… cannot be used: it is disabled".
    pub reason: String,
}
