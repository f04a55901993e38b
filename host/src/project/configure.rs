//! Applies a project's settings to the configuration of an engine.
//!
//! Input: a [`Project`] and a [`Config`]. Output: the `Config` with the project's policy, limits
//! and approvals.
//!
//! **Invariant:** this is the only place that translates one into the other: [`Project::configure`]
//! determines the settings of a project's engine.

use super::edit::SettingsFile;
use super::parts::{ApprovalSettings, Permissions};
use super::project::Project;
use crate::config::Config;
use crate::model::ToolPattern;

/// Where an answer of "always" is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrantStorage {
    /// In the project's `.pml.json`: it also applies to later runs.
    Project,
    /// In memory: it applies to the rest of its run.
    Run,
}

impl Project {
    /// Applies this project's settings to `config`, and returns it.
    ///
    /// | of the project | becomes |
    /// | --- | --- |
    /// | `permissions.allow`, `ask`, `deny` | [`Config::allow_tool`], [`Config::ask_tool`], [`Config::deny_tool`] |
    /// | `permissions.grants` | [`Config::grant`] |
    /// | tools that nothing names | are asked about: [`Config::ask_unnamed`] |
    /// | `limits` | [`Config::limits`] |
    /// | `approvals.timeout` | [`Config::question_lifetime`] |
    /// | its `.pml.json`, if `storage` is [`GrantStorage::Project`] | [`Config::grant_writer`] |
    ///
    /// Patterns and grants are added to those that `config` has; limits and question lifetime
    /// replace them. So the caller's own settings, such as the flags of a command, are set after
    /// this call. A project that is not trusted contributes only `ask` and `deny`.
    ///
    /// Three settings do not belong to an engine.
    /// [`Project::durability`](Project#structfield.durability) is for
    /// [`Store::open`](crate::Store::open). `approvals.model_may_approve` is for the server that
    /// offers the project to a model. The [`UserSettings`](crate::project::UserSettings) restrict
    /// the commands that an agent runs; they decide on no call.
    ///
    /// The grant writer is omitted if this user has no folder to record trust in, because its
    /// changes would never be trusted. It refuses to write into a project that is not trusted.
    ///
    /// ```no_run
    /// use pml::{Config, Engine, project::GrantStorage, Project, Script, Servers, Store};
    ///
    /// # async fn run() -> Result<(), pml::Error> {
    /// let project = Project::load(".".as_ref())?;
    /// let mut config = Config::new();
    /// project.configure(&mut config, GrantStorage::Project).runs(1);
    /// let journal = Store::open(project.journal_folder()?, project.durability)?;
    /// let engine = Engine::with_journal(&config, std::sync::Arc::new(journal))?;
    /// let outcome = engine.run(Script::file("report.ts")).tools(Servers::of(&project)?).await?;
    /// # Ok(()) }
    /// ```
    pub fn configure<'a>(&self, config: &'a mut Config, storage: GrantStorage) -> &'a mut Config {
        let Permissions { allow, ask, deny, grants } = &self.permissions;
        let ApprovalSettings { timeout, model_may_approve: _ } = &self.approvals;
        let text = |pattern: &ToolPattern| String::from(pattern.clone());
        config.limits(self.limits.clone()).question_lifetime(*timeout).ask_unnamed();
        for pattern in allow {
            config.allow_tool(text(pattern));
        }
        for pattern in ask {
            config.ask_tool(text(pattern));
        }
        for pattern in deny {
            config.deny_tool(text(pattern));
        }
        for grant in grants {
            config.grant(grant.clone());
        }
        if storage == GrantStorage::Project
            && let Ok(settings) = SettingsFile::of(&self.root, &self.environment)
        {
            config.grant_writer(settings);
        }
        config
    }

    /// Reports whether [`Project::configure`] results in the same settings for both projects, and
    /// whether both give a model the same rights.
    pub fn has_same_rules(&self, other: &Project) -> bool {
        self.permissions == other.permissions
            && self.limits == other.limits
            && self.approvals == other.approvals
    }

    /// Reports whether the [`Servers`](crate::Servers) of `other` can be used for this project. The
    /// files may differ only in a comment, or another folder may have been trusted since.
    pub fn has_same_servers(&self, other: &Project) -> bool {
        // The permissions decide which of these are started before they are called.
        let background = self.servers.iter().any(|server| server.background);
        self.root == other.root
            && self.trust == other.trust
            // An untrusted project is compared by its digests: trust applies to exact contents.
            && (self.trust.is_trusted() || self.digests().eq(other.digests()))
            && self.servers == other.servers
            && self.unusable == other.unusable
            && self.routing == other.routing
            && self.synced_routing == other.synced_routing
            && self.cloud == other.cloud
            && (!background || self.permissions == other.permissions)
    }
}
