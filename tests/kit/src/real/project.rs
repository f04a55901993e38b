//! A project with published servers, and published clients that talk to `pml stdio` in it.

use super::clients::{inspector, python_driver};
use super::launch::Launch;
use crate::TestEnv;
use pml::json::{self, Value, json};
use std::io::Write;
use std::process::Command;

/// What programs may do in it.
pub enum Permissions {
    /// Every call is allowed.
    AllowAll,
    /// Every call asks.
    AskAll,
}

/// A project whose files this user trusts.
pub struct RealProject {
    /// Its folder, and the binary.
    pub env: TestEnv,
    /// What the client has in its environment, beside the least there is.
    pub variables: Vec<(&'static str, &'static str)>,
    arguments: Vec<&'static str>,
}

impl RealProject {
    /// Makes a project in `env`; `servers` is given its folder.
    pub fn new<const N: usize>(
        env: TestEnv,
        permissions: &Permissions,
        servers: impl FnOnce(&TestEnv) -> [(&'static str, Launch); N],
    ) -> RealProject {
        std::fs::create_dir(env.path().join("files")).expect("a folder");
        let named = servers(&env).map(|(name, launch)| (name.to_owned(), launch.entry()));
        let named: json::Map<_, _> = named.into_iter().collect();
        env.write(".mcp.json", json!({ "mcpServers": named }).to_string());
        let permissions = match permissions {
            Permissions::AllowAll => json!({ "allow": ["*"] }),
            Permissions::AskAll => json!({ "ask": ["*"] }),
        };
        let settings = json!({ "version": "0.1.0", "permissions": permissions });
        env.write(".pml.json", settings.to_string());
        let trusted = env.run(&["trust", "--yes"]);
        assert_eq!(trusted.code, 0, "{}", trusted.stderr);
        RealProject { env, variables: Vec::new(), arguments: vec!["stdio"] }
    }

    /// The same project, as somebody finds it who has not trusted it.
    pub fn untrusted(self) -> RealProject {
        assert_eq!(self.env.run(&["trust", "--revoke"]).code, 0);
        self
    }

    /// Drives `pml stdio` with the Python client; what it says of the server, its tools and the
    /// answers.
    pub fn drive(&self, mode: &str, calls: Value) -> Value {
        self.drive_asking(mode, calls, Value::Null)
    }

    /// The same, with a client that asks its user: `said` is what they say, one dialog after the
    /// other, and the last for ever.
    pub fn drive_asking(&self, mode: &str, calls: Value, said: Value) -> Value {
        let mut variables =
            json!({ "HOME": self.env.path(), "PATH": "/usr/local/bin:/usr/bin:/bin" });
        variables["XDG_STATE_HOME"] = json!(self.env.state_home());
        for (name, value) in &self.variables {
            variables[name] = (*value).into();
        }
        let asked = json!({
            "command": self.env.binary(),
            "args": self.arguments,
            "cwd": self.env.path(),
            "env": variables,
            "mode": mode,
            "calls": calls,
            "said": said,
        });
        let mut driver = python_driver("drive.py").command(self.env.path());
        let mut child = driver.spawn().expect("the driver starts");
        let mut stdin = child.stdin.take().expect("piped");
        writeln!(stdin, "{asked}").expect("the driver reads");
        drop(stdin);
        let output = child.wait_with_output().expect("the driver ends");
        json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// The structures that `execute` answers to programs, run one after the other over one
    /// connection.
    pub fn execute<const N: usize>(&self, programs: [&str; N]) -> [Value; N] {
        let calls: Value = programs.iter().map(|code| execute_call(code)).collect();
        let mut driven = self.drive("auto", calls);
        let mut answers = driven["answers"].as_array_mut().expect("answers").drain(..);
        programs.map(|_| answers.next().expect("one for each")["structuredContent"].take())
    }

    /// Runs the inspector on `pml stdio`; its exit code and what it says.
    pub fn inspect(&self, era: &str, arguments: &[&str]) -> (i32, Value) {
        let mut command: Command = inspector().command(self.env.path());
        command.args(["--protocol-era", era, "--format", "json", "-q"]).args(arguments);
        command.arg("--cwd").arg(self.env.path()).arg(self.env.binary()).args(&self.arguments);
        // The inspector hands no variables on.
        command.arg("--state-dir").arg(self.env.state());
        let output = command.output().expect("the inspector runs");
        let printed = json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
        });
        (output.status.code().unwrap_or(-1), printed)
    }
}

/// Returns a call of `execute` with a program.
pub fn execute_call(code: &str) -> Value {
    json!({ "tool": "execute", "arguments": { "code": code } })
}
