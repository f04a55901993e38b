//! Keys whose values are secrets.

/// Words that make the value of a key a secret.
const SECRET_WORDS: &[&str] = &[
    "apikey",
    "apikeys",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "jwt",
    "otp",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "pwd",
    "secret",
    "secrets",
    "token",
    "tokens",
];

/// Words that make the value a secret if `key` follows.
const SECRET_KEY_KINDS: &[&str] = &[
    "access",
    "account",
    "api",
    "auth",
    "encryption",
    "master",
    "private",
    "service",
    "shared",
    "signing",
    "ssh",
    "storage",
];

/// Endings of keys that are written as one word and have a secret value.
const SECRET_ENDS: &[&str] = &[
    "accesskey",
    "accesstoken",
    "apikey",
    "authtoken",
    "passwd",
    "password",
    "privatekey",
    "refreshtoken",
    "secret",
    "secretkey",
    "sessionid",
    "sessiontoken",
];

/// Words that make the value something about a secret, or a count, and not a secret itself:
/// `max_tokens`, `token_type`.
const DESCRIPTIVE_WORDS: &[&str] = &[
    "allowed",
    "banner",
    "budget",
    "consent",
    "cost",
    "count",
    "counts",
    "enabled",
    "endpoint",
    "expiration",
    "expires",
    "expiry",
    "file",
    "filename",
    "input",
    "length",
    "limit",
    "limits",
    "max",
    "maximum",
    "min",
    "minimum",
    "name",
    "names",
    "num",
    "number",
    "output",
    "path",
    "per",
    "policy",
    "price",
    "remaining",
    "required",
    "size",
    "total",
    "ttl",
    "type",
    "uri",
    "url",
    "usage",
    "used",
];

/// Reports whether a value under this key is a secret.
pub(crate) fn names_secret(key: &str) -> bool {
    let words = split_words(key);
    if words.iter().any(|word| DESCRIPTIVE_WORDS.contains(&word.as_str())) {
        return false;
    }
    let plain = words.iter().any(|word| SECRET_WORDS.contains(&word.as_str()));
    let pair = words.windows(2).any(|pair| match (pair[0].as_str(), pair[1].as_str()) {
        ("session", "id" | "key") | ("auth", "header" | "code") => true,
        (kind, "key" | "keys") => SECRET_KEY_KINDS.contains(&kind),
        _ => false,
    });
    // A session may have notes and speakers; on its own, or at the end of a key, it is a browser's
    // session.
    let last = words.last().is_some_and(|word| word == "session");
    let whole = words.len() == 1 && words[0] == "auth";
    let run_together = || {
        let joined = words.concat();
        SECRET_ENDS.iter().any(|end| joined.ends_with(end))
    };
    plain || pair || last || whole || run_together()
}

/// Reports whether the key names things that are more often counted than listed.
pub(super) fn may_count(key: &str) -> bool {
    split_words(key).iter().any(|word| word == "tokens")
}

/// Splits a key at every character that is not a letter or digit, and where camel case begins a
/// word; in lower case.
fn split_words(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut characters = key.chars().peekable();
    let mut before = ' ';
    while let Some(c) = characters.next() {
        if !c.is_alphanumeric() {
            words.push(String::new());
        } else {
            let next_is_small = characters.peek().is_some_and(|next| next.is_lowercase());
            let begins = c.is_uppercase()
                && (before.is_lowercase() || before.is_uppercase() && next_is_small);
            if begins {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::{names_secret, split_words};

    #[test]
    fn keys_are_split_as_people_write_them() {
        assert_eq!(split_words("X-Api-Key"), ["x", "api", "key"]);
        assert_eq!(split_words("clientSecret"), ["client", "secret"]);
        assert_eq!(split_words("APIKey"), ["api", "key"]);
        assert_eq!(split_words("GITHUB_TOKEN"), ["github", "token"]);
        assert_eq!(split_words("__"), Vec::<String>::new());
    }

    #[test]
    fn keys_of_secrets_are_known() {
        for key in [
            "password",
            "PASSWORD",
            "dbPassword",
            "user_passwd",
            "secret",
            "clientSecret",
            "token",
            "access_token",
            "GITHUB_TOKEN",
            "tokens",
            "api_key",
            "apiKey",
            "api-key",
            "apikey",
            "X-API-Key",
            "myapikey",
            "Authorization",
            "Proxy-Authorization",
            "cookie",
            "Set-Cookie",
            "credential",
            "aws_credentials",
            "private_key",
            "privateKey",
            "accessKey",
            "access_key",
            "client_secret",
            "bearer",
            "session",
            "sessionId",
            "session_id",
            "PHPSESSION_ID",
            "auth",
            "userpassword",
            "refreshtoken",
            "signing-key",
            "token_v2",
        ] {
            assert!(names_secret(key), "{key}");
        }
    }

    #[test]
    fn other_keys_are_left_alone() {
        for key in [
            "",
            "tokens_used",
            "max_tokens",
            "maxTokens",
            "token_count",
            "tokenizer",
            "token_type",
            "author",
            "authors",
            "key",
            "keyboard",
            "primary_key",
            "secretary",
            "session_notes",
            "sessions",
            "passenger",
            "cookie_policy",
            "password_length",
            "token_url",
            "monkey",
            "authorization_endpoint",
            "private_key_path",
            "input_tokens",
            "secret_name",
        ] {
            assert!(!names_secret(key), "{key}");
        }
    }
}
