//! The values that a project passes to its servers and that nobody else may see: they are hidden
//! wherever text is shown.
//!
//! **Invariant:** an obviously harmless value (a path, an address without a key, an ordinary word)
//! is not hidden, unless its name marks it as a secret: hiding it would hide what a person decides
//! about.

use crate::config::{Launch, ServerConfig};
use crate::model::{Redactor, Secret, names_secret};
use crate::project::Project;

/// Maximum number of letters of a word that is not treated as a secret.
const WORD: usize = 16;

/// Maximum number of digits of a number that is not treated as a secret: a port, a year.
const NUMBER: usize = 6;

impl Project {
    /// Returns a redactor for the values that the project passes to its servers and to its cloud.
    pub fn redactor(&self) -> Redactor {
        let servers = self.servers.iter().flat_map(ServerConfig::declared_secrets);
        let key = self.cloud.iter().filter_map(|cloud| cloud.api_key.clone());
        Redactor::with_secrets(servers.chain(key))
    }
}

impl ServerConfig {
    /// Returns the values of its variables and headers that must not be shown.
    pub(crate) fn declared_secrets(&self) -> Vec<Secret> {
        let given = match &self.launch {
            Launch::Stdio { environment, .. } => environment,
            Launch::Http { headers, .. } => headers,
        };
        let of_variables = self.secrets.iter().filter(|value| !is_ordinary(value.reveal()));
        let named = given.iter().filter(|(name, _)| names_secret(name));
        let mut secrets: Vec<Secret> = of_variables.cloned().collect();
        for (_, value) in named {
            // The key without its `Bearer` is hidden too.
            let key = value.reveal().split_once(' ').map(|(_, key)| Secret::new(key));
            secrets.push(value.clone());
            secrets.extend(key);
        }
        secrets
    }
}

/// Reports whether a value may be shown to everybody.
fn is_ordinary(value: &str) -> bool {
    let value = value.trim();
    let all = |fits: fn(u8) -> bool| value.bytes().all(fits);
    let path = value.starts_with(['/', '~', '.']) || value.get(1..3) == Some(":\\");
    let address = value.contains("://") && !value.contains(['@', '?', '#']);
    let word =
        value.len() <= WORD && all(|byte| byte.is_ascii_lowercase() || b" -_.".contains(&byte));
    let number = value.len() <= NUMBER && all(|byte| byte.is_ascii_digit() || byte == b'.');
    path || address || word || number
}

#[cfg(test)]
mod tests {
    use crate::config::{Launch, ServerConfig};
    use crate::model::{Redactor, Secret};

    #[test]
    fn what_is_given_under_the_name_of_a_secret_or_by_a_variable_is_known() {
        let mut server = ServerConfig::stdio("x", "serve", ["x"], "/").unwrap();
        server.secrets =
            ["dsn7://me:pw@db", "/home/ann", "https://api.example/v1", "production", "8080", "X7z"]
                .map(Secret::new)
                .to_vec();
        if let Launch::Stdio { environment, .. } = &mut server.launch {
            environment.push(("API_KEY".into(), Secret::new("c0rrect-horse")));
            environment.push(("LOG".into(), Secret::new("Verbose")));
        }
        let redactor = Redactor::with_secrets(server.declared_secrets());
        let plain =
            "deploy /home/ann/x to https://api.example/v1 in production at 8080, Verbose X7z";
        assert_eq!(redactor.redact_text(plain), plain);
        assert_eq!(redactor.redact_text("it is c0rrect-horse"), "it is [hidden: 13 characters]");
        let dsn = redactor.redact_text("dsn7://me:pw@db").into_owned();
        assert!(!dsn.contains("pw@db"), "{dsn}");
    }
}
