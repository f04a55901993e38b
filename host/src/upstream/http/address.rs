//! Checks the address of a server, and the headers that are sent to it.

use super::HttpError;
use crate::model::{Secret, escape};
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// Headers that belong to the protocol or to HTTP itself.
const RESERVED: &[&str] = &[
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Parses a URL. Fails unless it is an `http` or `https` URL with a host.
pub(super) fn url(text: &str) -> Result<Url, HttpError> {
    let url = Url::parse(text).map_err(|error| HttpError::Url(error.to_string()))?;
    match url.scheme() {
        "http" | "https" if url.host_str().is_some() => Ok(url),
        _ => Err(HttpError::Url("it must begin with `https://` or `http://`".into())),
    }
}

/// Returns the headers for every request, marked as sensitive so that they are not printed.
pub(super) fn headers(url: &Url, headers: &[(String, Secret)]) -> Result<HeaderMap, HttpError> {
    let secret = !headers.is_empty() || !url.username().is_empty() || url.password().is_some();
    if secret && url.scheme() == "http" && !is_loopback(url) {
        return Err(HttpError::Plain);
    }
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let refused = || HttpError::Header(escape(name).into_owned());
        let name: HeaderName = name.parse().map_err(|_| refused())?;
        let value = HeaderValue::from_str(value.reveal());
        let (false, Ok(mut value)) = (RESERVED.contains(&name.as_str()), value) else {
            return Err(refused());
        };
        value.set_sensitive(true);
        map.append(name, value);
    }
    Ok(map)
}

/// Reports whether a URL leads to this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Returns the part of a URL that is safe to show.
pub(super) fn shown_origin(url: &Url) -> String {
    format!("`{}`", escape(&url.origin().ascii_serialization()))
}

#[cfg(test)]
mod tests {
    use super::{headers, is_loopback, shown_origin, url};
    use crate::model::Secret;
    use crate::upstream::http::HttpError;

    fn keyed(text: &str) -> Result<(), HttpError> {
        let key = [("Authorization".to_owned(), Secret::new("Bearer x"))];
        headers(&url(text)?, &key).map(drop)
    }

    #[test]
    fn keys_travel_over_tls_or_not_at_all() {
        assert_eq!(keyed("https://example.com/mcp"), Ok(()));
        assert_eq!(keyed("http://127.0.0.1:8000/mcp"), Ok(()));
        assert_eq!(keyed("http://[::1]:8000/mcp"), Ok(()));
        assert_eq!(keyed("http://localhost/mcp"), Ok(()));
        for text in ["http://example.com/mcp", "http://10.0.0.1/", "http://localhost.example.com/"]
        {
            assert_eq!(keyed(text), Err(HttpError::Plain), "{text}");
        }
        let with = |text: &str| headers(&url(text).expect("a URL"), &[]).map(drop);
        assert_eq!(with("http://user:key@example.com/"), Err(HttpError::Plain));
        assert_eq!(with("http://example.com/"), Ok(()));
    }

    #[test]
    fn the_protocols_own_headers_cannot_be_set() {
        let local = url("http://localhost/").expect("a URL");
        for (name, value) in [("Host", "x"), ("Mcp-Session-Id", "x"), ("a b", "x"), ("ok", "a\nb")]
        {
            let refused = headers(&local, &[(name.into(), Secret::new(value))]);
            assert!(matches!(refused, Err(HttpError::Header(_))), "{name}");
        }
        let map = headers(&local, &[("X-Key".into(), Secret::new("hunter2"))]).expect("headers");
        assert!(!format!("{map:?}").contains("hunter2"));
    }

    #[test]
    fn no_more_than_the_origin_is_shown() {
        let secret = url("https://user:key@example.com:8443/mcp?token=1").expect("a URL");
        assert_eq!(shown_origin(&secret), "`https://example.com:8443`");
        assert!(!is_loopback(&secret));
        assert!(url("file:///etc/passwd").is_err() && url("nonsense").is_err());
    }
}
