//! Hosts of URLs.
//!
//! **Invariant:** only a URL whose host every program reads alike has one. Readers differ about users' names, backslashes,
//! blanks, other alphabets and what ends a host; a URL with any of these has none here, whatever it would be for one of them.

use crate::model::is_hidden;

/// Longest URL that is looked at.
const URL_LIMIT: usize = 8 << 10;

/// As long as a name in the DNS may be.
const NAME_LIMIT: usize = 253;

/// A host, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Host {
    name: String,
    /// Nothing where it is the usual one.
    port: Option<u16>,
}

/// Returns whether a URL leads to the host that a condition names: `name`, or `name:port`.
pub(super) fn is_at(url: &str, host: &str) -> bool {
    let (Some((at, usual)), Some(wanted)) = (of_url(url), named(host)) else { return false };
    at.name == wanted.name && at.port.unwrap_or(usual) == wanted.port.unwrap_or(usual)
}

/// Returns the host that `name` or `name:port` stands for.
pub(super) fn named(text: &str) -> Option<Host> {
    let (name, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (address, after) = rest.split_once(']')?;
            if !is_address(address) {
                return None;
            }
            let port = if after.is_empty() { None } else { Some(after.strip_prefix(':')?) };
            (&text[..address.len() + 2], port)
        }
        None => match text.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (text, None),
        },
    };
    let port = match port {
        Some(port) if port.is_empty() || port.starts_with('0') => return None,
        Some(port) if !port.bytes().all(|byte| byte.is_ascii_digit()) => return None,
        Some(port) => Some(port.parse().ok()?),
        None => None,
    };
    let valid = name.starts_with('[') || is_name(name);
    valid.then(|| Host { name: name.to_ascii_lowercase(), port })
}

/// Returns the host of a URL as a condition names it.
pub(super) fn shown(url: &str) -> Option<String> {
    let (host, usual) = of_url(url)?;
    Some(match host.port.filter(|port| *port != usual) {
        Some(port) => format!("{}:{port}", host.name),
        None => host.name,
    })
}

/// Returns the host of a URL, and the port that is usual for its scheme.
fn of_url(url: &str) -> Option<(Host, u16)> {
    let odd = |c: char| is_hidden(c) || c.is_whitespace() || c == '\\';
    if url.len() > URL_LIMIT || url.chars().any(odd) {
        return None;
    }
    let (scheme, rest) = url.split_once("://")?;
    let usual = match scheme.to_ascii_lowercase().as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, after) = rest.split_at(end);
    // To some readers only a slash ends a host, and all before an `@` is a user's name.
    if !after.starts_with('/') && after.contains('@') {
        return None;
    }
    Some((named(authority)?, usual))
}

fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    name.len() <= NAME_LIMIT && name.split('.').all(label)
}

fn is_address(text: &str) -> bool {
    text.parse::<std::net::Ipv6Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::{is_at, named, shown};

    #[test]
    fn a_url_of_the_host_is_covered() {
        for url in [
            "https://good.example",
            "https://good.example/",
            "http://good.example/a/b?c=d@e#f",
            "HTTPS://GOOD.example/x",
            "https://good.example:443/x",
            "http://good.example:80",
            "https://good.example?x=1",
            "https://good.example/@evil.example",
            "https://good.example/日本",
        ] {
            assert!(is_at(url, "good.example"), "{url}");
            assert!(is_at(url, "Good.Example"), "{url}");
        }
        assert!(is_at("http://localhost:8080/x", "localhost:8080"));
        assert!(is_at("https://good.example/", "good.example:443"));
        assert!(is_at("http://[::1]:3000/x", "[::1]:3000") && is_at("http://[::1]/", "[::1]"));
    }

    #[test]
    fn a_url_that_leads_or_might_lead_elsewhere_is_not() {
        for url in [
            "",
            "good.example",
            "//good.example/",
            "https:/good.example/",
            "https:good.example",
            "ftp://good.example/",
            "file://good.example/etc/passwd",
            "javascript://good.example/%0aalert(1)",
            "https://evil.example/good.example",
            "https://good.example@evil.example/",
            "https://good.example:443@evil.example/",
            "https://evil@good.example/",
            "https://user:password@good.example/",
            "https://good.example.evil.example/",
            "https://evilgood.example/",
            "https://evil.good.example/",
            "https://good.example./",
            "https://good.example:8443/",
            "https://good.example:80/",
            "https://good.example:0443/",
            "https://good.example:/",
            "https://good.example:99999/",
            "https://good.example\\@evil.example/",
            "https://good.example\\.evil.example/",
            "https:\\\\good.example\\",
            "https://good.example#@evil.example/",
            "https://good.example?@evil.example/",
            "https://evil.example#good.example",
            "https://evil.example?good.example",
            "https://good.example%2eevil.example/",
            "https://good%2eexample/",
            "https://gооd.example/",
            "https://good。example/",
            "https://good.example\u{ff0f}evil.example/",
            "https://good.example\u{200b}/",
            "https://good.ex\nample/",
            " https://good.example/",
            "https://good.example /",
            "https://good.example\t.evil.example/",
            "https://[good.example]/",
            "https://good.example,evil.example/",
            "https://good.example;evil.example/",
            "https://https://good.example/",
        ] {
            assert!(!is_at(url, "good.example"), "{url:?}");
        }
        // What a machine is called in numbers has many spellings; only the one that was agreed to counts.
        assert!(!is_at("http://0x7f000001/", "127.0.0.1") && !is_at("http://127.1/", "127.0.0.1"));
    }

    #[test]
    fn a_host_is_shown_as_it_is_named() {
        assert_eq!(shown("https://A.Example:443/x").as_deref(), Some("a.example"));
        assert_eq!(shown("https://a.example:8443/x").as_deref(), Some("a.example:8443"));
        assert_eq!(shown("https://u@a.example/"), None);
        for text in [
            "",
            "a.example.",
            "a..b",
            "a b",
            "a/b",
            "[x]",
            "[::1",
            "a:",
            "a:x",
            "a:+1",
            "ä.example",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
