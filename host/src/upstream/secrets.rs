//! The secret values that a server was given. They are hidden in all its texts.
//!
//! **Invariant:** texts of a server are shortened only after that. Otherwise the beginning of a
//! value at the cut would remain.

use crate::config::{Launch, ServerConfig};
use crate::model::{KnownSecrets, Secret, escape, fold_middle};
use serde_json::Value;
use std::borrow::Cow;

/// Minimum length of hidden values. Shorter ones would hide parts of ordinary words.
const MIN_LENGTH: usize = 6;

/// Maximum length of a server's texts in our messages.
const MAX_TEXT: usize = 500;

/// The values to hide.
#[derive(Debug, Default)]
pub(super) struct ServerSecrets(KnownSecrets);

impl ServerSecrets {
    /// Returns the values that a server was given: those of variables, its whole environment and
    /// its headers.
    pub(super) fn of(config: &ServerConfig) -> ServerSecrets {
        let mut values: Vec<&str> = config.secrets.iter().map(Secret::reveal).collect();
        match &config.launch {
            Launch::Stdio { environment, .. } => {
                values.extend(environment.iter().map(|(_, value)| value.reveal()));
            }
            Launch::Http { headers, .. } => {
                for (_, value) in headers {
                    values.push(value.reveal());
                    // The key alone, without its `Bearer`.
                    values.extend(value.reveal().split_once(' ').map(|(_, key)| key));
                }
            }
        }
        values.retain(|value| value.trim().len() >= MIN_LENGTH);
        ServerSecrets(KnownSecrets::new(values))
    }

    /// Returns a text with the values hidden.
    pub(super) fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.0.hide(text)
    }

    /// Returns a text with the values hidden, for a text that was cut already. The beginning of a
    /// value at its end is hidden, too.
    pub(super) fn hide_cut(&self, text: &str) -> String {
        self.0.hide_cut(text)
    }

    /// Hides the values in all texts of a JSON value, including keys.
    pub(super) fn hide_all(&self, value: &mut Value) {
        self.0.hide_all(value);
    }

    /// Returns a text of a server, or of the OS about it, safe for a message.
    pub(super) fn safe_text(&self, text: &str) -> String {
        escape(&fold_middle(&self.hide(text.trim()), MAX_TEXT)).into_owned()
    }

    /// Returns the innermost error of a chain, safe for a message.
    pub(super) fn root_cause(&self, error: &(dyn std::error::Error + 'static)) -> String {
        let mut root_cause = error;
        while let Some(source) = root_cause.source() {
            root_cause = source;
        }
        self.safe_text(&root_cause.to_string())
    }
}

#[cfg(test)]
impl<'v, const N: usize> From<[&'v str; N]> for ServerSecrets {
    fn from(values: [&'v str; N]) -> ServerSecrets {
        ServerSecrets(KnownSecrets::new(values))
    }
}

#[cfg(test)]
mod tests {
    use super::ServerSecrets;
    use crate::config::{Launch, ServerConfig};
    use crate::model::Secret;

    #[test]
    fn what_variables_put_in_is_hidden_and_so_is_every_line_of_it() {
        let mut config = ServerConfig::stdio("x", "serve", ["--key", "hunter22"], "/").unwrap();
        config.secrets = vec![Secret::new("hunter22"), Secret::new("first\nsecond\n")];
        let secrets = ServerSecrets::of(&config);
        assert_eq!(secrets.hide("argv: --key hunter22"), "argv: --key [hidden: 8 characters]");
        assert_eq!(secrets.hide("at second: x"), "at [hidden: 6 characters]: x");
    }

    #[test]
    fn a_key_is_hidden_without_its_scheme_too() {
        let mut config = ServerConfig::http("x", "http://localhost/").unwrap();
        if let Launch::Http { headers, .. } = &mut config.launch {
            headers.push(("Authorization".into(), Secret::new("Bearer hunter22")));
        }
        let secrets = ServerSecrets::of(&config);
        assert_eq!(
            secrets.hide("Bearer hunter22, token=hunter22"),
            "[hidden: 6 characters] [hidden: 8 characters], token=[hidden: 8 characters]"
        );
    }

    #[test]
    fn short_values_are_words_like_any_other() {
        let mut config = ServerConfig::stdio("x", "serve", ["x"], "/").unwrap();
        config.secrets = vec![Secret::new("true"), Secret::new("")];
        assert_eq!(ServerSecrets::of(&config).hide("it is true"), "it is true");
    }

    #[test]
    fn words_are_folded_after_the_values_are_gone() {
        let secrets = ServerSecrets::from(["hunter22"]);
        let safe_text = secrets.safe_text(&format!("{}hunter22 and more", "x".repeat(495)));
        assert!(!safe_text.contains("hunt"), "{safe_text}");
    }
}
