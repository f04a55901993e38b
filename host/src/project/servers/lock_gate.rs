//! Stands between the servers and whoever uses them: nothing is started or called that differs from
//! what was locked and approved, unless a person has agreed.

use super::known_project::KnownProject;
use super::packages::ServerPackages;
use super::project_lock::{ChangedEntry, EntryCheck, LockMode, ProjectLock, ToolCheck, not_locked};
use super::records::ServerRecords;
use super::usage::shown;
use crate::config::{Launch, ServerConfig};
use crate::error::Error;
use crate::install::PackageSpec;
use crate::lock::{LockedServer, LockedServerKind};
use crate::model::{
    ChangedServer, Difference, Ecosystem, PinnedPackage, ToolChange, ToolName, ToolOrigin,
    redacted_setting, steers_loading,
};
use crate::project::Project;
use crate::upstream::{ListedTool, Upstreams};

/// Checks servers and tools against the lock.
pub(crate) struct LockGate<'a> {
    pub(crate) lock: &'a ProjectLock,
    pub(super) upstreams: &'a Upstreams,
    pub(super) known: &'a KnownProject,
    pub(super) packages: &'a ServerPackages,
    pub(super) records: &'a ServerRecords,
}

/// A server that may be started.
pub(crate) enum StartCheck {
    /// It is what was approved, or new.
    Agreed,
    /// A person has to agree to a change first.
    Changed(ToolChange),
}

impl LockGate<'_> {
    /// Checks a server before it is started. If it is frozen out, the error lists everything that
    /// the lock lacks.
    pub(crate) async fn check_start(&self, server: &str) -> Result<StartCheck, Error> {
        let Some(entry) = self.entry(server).await? else {
            return Ok(StartCheck::Agreed);
        };
        let check = self.lock.check_server(server, &entry)?;
        self.refuse_if_frozen(server, &check).await?;
        if let EntryCheck::Changed(changed) = check {
            let differences = self.server_differences(&changed, &entry);
            let digest = entry.digest(entry.platform());
            let changed_server = ChangedServer { name: server.into(), digest };
            let change = ToolChange::new(changed.since, differences);
            return Ok(StartCheck::Changed(change.before_start_of(changed_server)));
        }
        self.lock.note_started(server, entry);
        Ok(StartCheck::Agreed)
    }

    /// Records that a person has agreed to a server as it is now.
    ///
    /// # Errors
    /// If it is not what they were shown, or cannot be recorded.
    pub(crate) async fn approve_start(&self, shown: &ChangedServer) -> Result<(), Error> {
        let Some(entry) = self.entry(&shown.name).await? else {
            return Ok(());
        };
        if entry.digest(entry.platform()) != shown.digest {
            // The call is decided on again, and the person sees what it is now.
            return Ok(());
        }
        self.lock.approve_server(&shown.name, &entry)
    }

    /// Records that a server was agreed to with the package that is installed for it.
    pub(crate) async fn approve_installed(&self, server: &str) -> Result<(), Error> {
        match self.entry(server).await? {
            Some(entry) => self.lock.approve_server(server, &entry),
            None => Ok(()),
        }
    }

    /// Returns how a package that would be installed differs from what was locked or approved.
    pub(crate) async fn check_install(
        &self,
        server: &str,
        package: PinnedPackage,
    ) -> Result<Vec<Difference>, Error> {
        let Some(entry) = self.declared_entry(server, Some(package)) else { return Ok(Vec::new()) };
        let check = self.lock.check_server(server, &entry)?;
        self.refuse_if_frozen(server, &check).await?;
        Ok(match check {
            EntryCheck::Changed(changed) => self.server_differences(&changed, &entry),
            _ => Vec::new(),
        })
    }

    /// Checks a tool of a running server. Returns how it differs, or `None` if it may be called.
    pub(crate) fn check_tool(&self, tool: &ListedTool) -> Result<Option<ToolChange>, Error> {
        let name = &tool.definition.tool;
        let check = self.lock.check_tool(name, &tool.origin.definition)?;
        if self.lock.mode() == LockMode::Frozen {
            self.refuse_unlocked_tool(name, &check)?;
        }
        let ToolCheck { server, tool: definition } = check;
        let mut change = None;
        if let EntryCheck::Changed(changed) = definition {
            let before = changed.before.map(|definition| ToolOrigin {
                definition: definition.into(),
                ..tool.origin.clone()
            });
            let differences = before.map_or_else(Vec::new, |before| {
                self.records.differences(&before, &tool.origin, Some(tool), || None)
            });
            change = Some(ToolChange::new(changed.since, differences));
        }
        if let EntryCheck::Changed(changed) = server {
            let started = self.lock.started(name.server());
            let differences =
                started.map_or_else(Vec::new, |now| self.server_differences(&changed, &now));
            change
                .get_or_insert_with(|| ToolChange::new(changed.since, Vec::new()))
                .differences
                .splice(0..0, differences);
        }
        Ok(change)
    }

    /// Reports whether the use of a tool is recorded already.
    pub(crate) fn is_recorded(&self, tool: &ListedTool) -> bool {
        let check = || self.lock.check_tool(&tool.definition.tool, &tool.origin.definition);
        !self.lock.records() || check().is_ok_and(|check| check.is_recorded())
    }

    /// Returns the entry of a server as it is now: as its project declares it, with the package
    /// that is installed. `None` if it belongs to no project.
    pub(crate) async fn entry(&self, server: &str) -> Result<Option<LockedServer>, Error> {
        let package = self.packages.installed(server).await?;
        Ok(self.declared_entry(server, package))
    }

    fn declared_entry(&self, server: &str, package: Option<PinnedPackage>) -> Option<LockedServer> {
        let config = self.upstreams.config(server)?;
        let project = self.known.lock()?;
        let mut entry = entry_of(&project, &config)?;
        entry.package = package.map(|mut package| {
            // Each platform has another file of one version; the closure has its hash.
            if package.ecosystem == Ecosystem::Pypi {
                package.integrity = None;
            }
            package
        });
        Some(entry)
    }

    fn server_differences(
        &self,
        changed: &ChangedEntry<LockedServer>,
        now: &LockedServer,
    ) -> Vec<Difference> {
        let mut differences = match &changed.before {
            Some(before) => before.differences(now, now.platform()),
            None => Vec::new(),
        };
        // A change is one, also where nothing of the earlier entry can be shown.
        if differences.is_empty() {
            let digest = format!("sha256 {}", now.digest(now.platform()));
            differences.push(Difference::new("entry", None, Some(digest)));
        }
        differences
    }

    async fn refuse_if_frozen(
        &self,
        server: &str,
        check: &EntryCheck<LockedServer>,
    ) -> Result<(), Error> {
        if self.lock.mode() == LockMode::Update || check.is_in_lock() {
            return Ok(());
        }
        let mut problems = self.problems().await;
        if problems.is_empty() {
            // The package that would be installed for this machine is not there to be compared.
            problems
                .push(format!("the packages of server `{server}` are not in it for this machine"));
        }
        Err(not_locked(&problems))
    }

    /// Lists what the lock lacks, or has otherwise, of all servers.
    pub(crate) async fn problems(&self) -> Vec<String> {
        let lock = match self.lock.current() {
            Ok(lock) => lock,
            Err(error) => return vec![error.to_string()],
        };
        let mut problems = Vec::new();
        for server in self.upstreams.names() {
            let entry = match self.entry(&server).await {
                Ok(Some(entry)) => entry,
                Ok(None) => continue,
                Err(error) => {
                    problems.push(format!("server `{server}` cannot be checked: {error}"));
                    continue;
                }
            };
            let locked = lock.as_ref().and_then(|lock| lock.servers.get(&server));
            problems.extend(problem(&server, locked, &entry));
        }
        problems
    }

    fn refuse_unlocked_tool(&self, name: &ToolName, check: &ToolCheck) -> Result<(), Error> {
        let mut problems = Vec::new();
        if !check.server.is_in_lock() {
            problems.push(format!("server `{}` is not in it as it is", name.server()));
        }
        if !check.tool.is_in_lock() {
            problems.push(match &check.tool {
                EntryCheck::Changed(_) => format!("`{name}` is not defined as in it"),
                _ => format!("`{name}` is not in it"),
            });
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(not_locked(&problems)),
        }
    }
}

/// Returns what is wrong with one server, judged by the lock.
fn problem(server: &str, locked: Option<&LockedServer>, now: &LockedServer) -> Option<String> {
    let Some(locked) = locked else { return Some(format!("server `{server}` is not in it")) };
    let mut now = now.clone();
    if now.package.is_none() {
        // A package that is not installed is installed as it is locked.
        now.package = locked.package.clone();
    }
    let platform = now.platform();
    if !locked.covers_platform(platform) {
        return Some(format!("the packages of server `{server}` are not in it for {platform}"));
    }
    let parts = locked.differences(&now, platform);
    let parts: Vec<_> = parts.iter().map(|difference| difference.part.as_str()).collect();
    (!parts.is_empty()).then(|| format!("server `{server}` differs from it: {}", parts.join(", ")))
}

/// Returns a launch line without the defaults of its variables, which may be keys. Trust covers
/// them: `${TOKEN:-abc}` becomes `${TOKEN:-…}`.
fn without_defaults(launch: &str) -> String {
    let (mut text, mut rest) = (String::new(), launch);
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, behind)) = after.split_once('}') else { break };
        let name = match inside.split_once(":-") {
            Some((name, _)) => format!("{name}:-…"),
            None => inside.to_owned(),
        };
        text += &format!("{before}${{{name}}}");
        rest = behind;
    }
    text + rest
}

/// Returns the entry of a server as its project declares it, without a package.
pub(crate) fn entry_of(project: &Project, config: &ServerConfig) -> Option<LockedServer> {
    let declared = project.declared_server(&config.name)?;
    let kind = match &config.launch {
        Launch::Http { .. } => LockedServerKind::Remote,
        Launch::Stdio { command, arguments, .. } => {
            let runs_package = config.package.is_some()
                || PackageSpec::parse(command, arguments).is_ok_and(|spec| spec.is_some());
            match runs_package {
                true => LockedServerKind::Package,
                false => LockedServerKind::Command,
            }
        }
    };
    let launch = shown(&without_defaults(&declared.launch));
    // The part of a URL behind `#` is never sent.
    let launch = match kind {
        LockedServerKind::Remote => launch.split('#').next().unwrap_or_default().to_owned(),
        _ => launch,
    };
    let mut entry = LockedServer::new(kind, launch);
    entry.folder = declared.folder.clone();
    entry.install_scripts = declared.install_scripts;
    let given = declared.given.iter().map(|(name, value)| match steers_loading(name) {
        true => format!("{name}={}", redacted_setting(name, value.reveal())),
        false => name.clone(),
    });
    entry.given = given.collect();
    entry.given.sort();
    entry.files = config.pinned.contents();
    Some(entry)
}

#[cfg(test)]
mod tests {
    use super::without_defaults;

    #[test]
    fn defaults_of_variables_are_left_out_and_the_rest_stays() {
        for (launch, expected) in [
            ("serve --token ${TOKEN:-hunter2} ${A} x", "serve --token ${TOKEN:-…} ${A} x"),
            ("https://${HOST:-a.example}/mcp", "https://${HOST:-…}/mcp"),
            ("echo ${", "echo ${"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_defaults(launch), expected);
        }
    }
}
