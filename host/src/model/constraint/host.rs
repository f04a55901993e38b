//! Hosts of URLs.
//!
//! **Invariant:** a URL has a host here only if every program reads the same host in it. A URL
//! parser reads it, and its result must be the written text. Readers differ about user names,
//! backslashes, blanks, other alphabets, numeric addresses and the end of a host; a URL with any of
//! these has no host here.

use crate::model::is_hidden;
use url::Url;

/// Longest URL that is parsed.
const URL_LIMIT: usize = 8 << 10;

/// The longest name that the DNS allows.
const NAME_LIMIT: usize = 253;

/// The origin of a URL. Another scheme or port is another origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UrlOrigin {
    scheme: String,
    /// In lower case.
    name: String,
    port: u16,
}

/// Reports whether the host of a URL is the one that a condition names.
pub(super) fn is_at_host(url: &str, host: &str) -> bool {
    origin_of_url(url).is_some_and(|at| origin_of_host(host).is_some_and(|wanted| at == wanted))
}

/// Returns the origin that `name` or `name:port` stands for: by `https`, or by `http` after
/// `http://`.
pub(super) fn origin_of_host(text: &str) -> Option<UrlOrigin> {
    let (scheme, rest) = text.split_once("://").unwrap_or(("https", text));
    (!rest.contains(['/', '?', '#'])).then(|| origin_of_url(&format!("{scheme}://{rest}/")))?
}

/// Returns the host of a URL in the form of a condition.
pub(super) fn host_condition(url: &str) -> Option<String> {
    let UrlOrigin { scheme, name, port } = origin_of_url(url)?;
    Some(match (scheme.as_str(), port) {
        ("https", 443) => name,
        ("https", port) => format!("{name}:{port}"),
        (scheme, 80) => format!("{scheme}://{name}"),
        (scheme, port) => format!("{scheme}://{name}:{port}"),
    })
}

/// Returns the origin of a URL.
fn origin_of_url(text: &str) -> Option<UrlOrigin> {
    let odd = |c: char| is_hidden(c) || c.is_whitespace() || c == '\\';
    if text.len() > URL_LIMIT || text.chars().any(odd) {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let scheme = Some(url.scheme()).filter(|scheme| matches!(*scheme, "http" | "https"))?;
    let (name, port) = (url.host_str()?, url.port_or_known_default()?);
    let (written, rest) = text.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, after) = rest.split_at(end);
    // Some readers end a host only at a slash, and take everything before an `@` for a user name.
    if !after.starts_with('/') && after.contains('@') {
        return None;
    }
    let authority = authority.to_ascii_lowercase();
    let read_alike = written.eq_ignore_ascii_case(scheme)
        && (authority == name || authority == format!("{name}:{port}"));
    (read_alike && (name.starts_with('[') || is_name(name))).then(|| UrlOrigin {
        scheme: scheme.to_owned(),
        name: name.to_owned(),
        port,
    })
}

fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    name.len() <= NAME_LIMIT && name.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::{host_condition, is_at_host, origin_of_host};

    #[test]
    fn a_url_of_the_host_is_covered() {
        for url in [
            "https://good.example",
            "https://good.example/",
            "https://good.example/a/b?c=d@e#f",
            "HTTPS://GOOD.example/x",
            "https://good.example:443/x",
            "https://good.example?x=1",
            "https://good.example/@evil.example",
            "https://good.example/日本",
        ] {
            assert!(is_at_host(url, "good.example"), "{url}");
            assert!(is_at_host(url, "Good.Example"), "{url}");
            assert!(is_at_host(url, "https://good.example"), "{url}");
            assert!(!is_at_host(url, "http://good.example"), "{url}");
        }
        assert!(is_at_host("http://localhost:8080/x", "http://localhost:8080"));
        assert!(is_at_host("https://good.example/", "good.example:443"));
        assert!(is_at_host("http://good.example/", "http://good.example:80"));
        assert!(is_at_host("http://[::1]:3000/x", "http://[::1]:3000"));
        assert!(
            is_at_host("https://[::1]/", "[::1]") && is_at_host("https://127.0.0.1/", "127.0.0.1")
        );
        assert!(is_at_host("https://xn--bcher-kva.example/", "xn--bcher-kva.example"));
    }

    #[test]
    fn a_url_that_leads_or_might_lead_elsewhere_is_not() {
        for url in [
            "",
            "good.example",
            "//good.example/",
            "https:/good.example/",
            "https:good.example",
            "https:///good.example/",
            "http://good.example/",
            "http://good.example:443/",
            "ftp://good.example/",
            "ws://good.example/",
            "file://good.example/etc/passwd",
            "javascript://good.example/%0aalert(1)",
            "https://evil.example/good.example",
            "https://good.example@evil.example/",
            "https://good.example:443@evil.example/",
            "https://evil@good.example/",
            "https://@good.example/",
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
            "https://ｇood.example/",
            "https://good。example/",
            "https://good.example\u{ff0f}evil.example/",
            "https://good.example\u{200b}/",
            "https://go\u{ad}od.example/",
            "https://good.ex\nample/",
            "https://good.ex\tample/",
            " https://good.example/",
            "https://good.example /",
            "https://good.example\t.evil.example/",
            "https://[good.example]/",
            "https://good.example,evil.example/",
            "https://good.example;evil.example/",
            "https://https://good.example/",
        ] {
            assert!(!is_at_host(url, "good.example"), "{url:?}");
        }
        // A numeric address has many spellings; only the plain one is accepted.
        for url in ["https://0x7f000001/", "https://127.1/", "https://0177.0.0.1/"] {
            assert!(!is_at_host(url, "127.0.0.1"), "{url}");
        }
        assert!(!is_at_host("https://[0:0:0:0:0:0:0:1]/", "[::1]"));
        assert!(!is_at_host("https://bücher.example/", "xn--bcher-kva.example"));
    }

    #[test]
    fn a_host_is_shown_as_it_is_named() {
        for (url, host) in [
            ("https://A.Example:443/x", "a.example"),
            ("https://a.example:8443/x", "a.example:8443"),
            ("http://a.example/x", "http://a.example"),
            ("http://localhost:3000", "http://localhost:3000"),
        ] {
            assert_eq!(host_condition(url).as_deref(), Some(host));
            assert!(is_at_host(url, host), "{url}");
        }
        assert_eq!(host_condition("https://u@a.example/"), None);
        for text in [
            "",
            "a.example.",
            "a..b",
            "a b",
            "a/b",
            "https://a.example/",
            "ftp://a.example",
            "u@a.example",
            "a.example?x",
            "[x]",
            "[::1",
            "a:",
            "a:x",
            "a:+1",
            "ä.example",
        ] {
            assert_eq!(origin_of_host(text), None, "{text}");
        }
    }
}
