//! The parts of a project, as plain data.

use crate::config::Config;
use crate::model::{Grant, Secret, ToolPattern};
use std::path::PathBuf;
use std::time::Duration;

/// Tools that may be called, that are asked about first, or that are never called. Deny wins;
/// between ask and allow the more specific pattern wins, and a tie asks; a tool that no pattern
/// covers is asked about.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Permissions {
    /// Called without asking.
    pub allow: Vec<ToolPattern>,
    /// Asked about first.
    pub ask: Vec<ToolPattern>,
    /// Never called.
    pub deny: Vec<ToolPattern>,
    /// Permanent grants. Calls of a tool that is allowed and has grants are sent only while one of
    /// them covers the call.
    pub grants: Vec<Grant>,
}

/// Where the calls of some tools are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoutingRule {
    /// The tools.
    pub pattern: ToolPattern,
    /// The target.
    pub to: RouteTarget,
}

/// Where a call is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RouteTarget {
    /// To a local server.
    Client,
    /// To the cloud.
    Server,
}

/// The cloud that carries out server-routed calls.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cloud {
    /// Its URL.
    pub url: String,
    /// The variable that contains the key.
    pub api_key_env: Option<String>,
    /// The key, if that variable is set.
    pub api_key: Option<Secret>,
}

/// Settings for asking people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalSettings {
    /// How long a question can be answered; `None` means without limit.
    pub timeout: Option<Duration>,
    /// Whether a `continue_workflow` written by the model counts even if the client could have
    /// asked a person.
    pub model_may_approve: bool,
}

impl Default for ApprovalSettings {
    /// Five minutes, and only people answer.
    fn default() -> ApprovalSettings {
        ApprovalSettings { timeout: Some(Config::QUESTION_LIFETIME), model_may_approve: false }
    }
}

/// The permissive declarations of project files, trusted or not, about which a person decides.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ProjectDeclarations {
    /// The servers, as written.
    pub servers: Vec<DeclaredServer>,
    /// Tools that are called without asking.
    pub allow: Vec<ToolPattern>,
    /// Permanent grants.
    pub grants: Vec<Grant>,
    /// The cloud's URL.
    pub cloud: Option<String>,
    /// Whether the model's own approvals count.
    pub model_may_approve: bool,
    /// The files of the project that launch lines name, by server and name.
    pub files: Vec<DeclaredFile>,
    /// The variables that decide something and that `.env` could set, by name.
    pub variables: Vec<DeclaredVariable>,
}

/// A file of the project that a launch line names. Its name may contain anything: escape it before
/// it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredFile {
    /// The server.
    pub server: String,
    /// The file, relative to the project's folder: `./tools/docs.py`.
    pub name: String,
    /// Its state.
    pub state: DeclaredFileState,
}

/// The state of a file that a launch line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredFileState {
    /// It is trusted at its content: a change asks again.
    Pinned,
    /// It is a link to a file outside the project: the link's target path is trusted, the content
    /// there is not checked.
    LinksOutside {
        /// The target.
        to: String,
    },
    /// It does not exist. Its appearance asks again.
    Absent,
    /// It is a file outside the project: it is not checked.
    Outside,
    /// It is data that is passed to the program: a change does not ask.
    Data,
    /// A shell assembles its name at run time: the file is not known.
    Unresolved,
    /// It is a folder from which a variable makes programs load: new files in it do not ask.
    LoadFolder,
}

/// A variable that decides something, and that `.env` could set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredVariable {
    /// Its name.
    pub name: String,
    /// The recipients: `server: NAME`.
    pub given_to: Vec<String>,
    /// Whether it controls what is loaded.
    pub steers_loading: bool,
    /// Whether it overrides a default of the settings.
    pub overrides_default: bool,
    /// Whether `.env` sets it: then its value is trusted as it is, and a change asks again.
    pub in_env_file: bool,
}

/// A server as a project file declares it, without expanded variables. The file may not be trusted;
/// escape the texts before they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredServer {
    /// Its name.
    pub name: String,
    /// Its launch line or URL, as written.
    pub launch: String,
    /// The folder it runs in, as written.
    pub folder: Option<String>,
    /// The variables or headers that are passed to it, as written: a name, and a value that may be
    /// a secret.
    pub given: Vec<(String, Secret)>,
    /// Whether code of its package may run during installation.
    pub install_scripts: bool,
    /// The file that declares it.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
    /// The reason why it cannot be used, if that is known without starting it.
    pub unusable: Option<String>,
}

/// A server whose calls fail, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusableServer {
    /// Its name.
    pub name: String,
    /// The reason, as the end of a sentence: "… cannot be used: it is disabled".
    pub reason: String,
    /// Whether somebody wanted it so.
    pub cause: UnusableCause,
}

/// Why a server cannot be used: wanted so, or by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnusableCause {
    /// Its entry disables it.
    Disabled,
    /// It is pml itself, which does not start itself.
    PmlItself,
    /// Its entry, or a file that it names, is wrong.
    Mistake,
}
