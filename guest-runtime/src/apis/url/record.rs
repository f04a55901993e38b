//! An address taken apart, and put together again: the URL record and serializer of the WHATWG standard.

use super::host;

/// An address. Every text is in its final form, percent-encoded where it has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) scheme: String,
    pub(super) username: String,
    pub(super) password: String,
    /// As it is written; empty for `file:///x`, `None` for `mailto:x`.
    pub(super) host: Option<String>,
    /// `None` also for the port that the scheme has anyway.
    pub(super) port: Option<u16>,
    pub(super) path: Path,
    pub(super) query: Option<String>,
    pub(super) fragment: Option<String>,
}

/// The path of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Path {
    /// Any text, as in `mailto:a@b`.
    Opaque(String),
    /// What stands after each slash.
    Segments(Vec<String>),
}

impl Address {
    /// An address with nothing but a scheme.
    pub(super) fn new(scheme: &str) -> Address {
        Address {
            scheme: scheme.into(),
            username: String::new(),
            password: String::new(),
            host: None,
            port: None,
            path: Path::Segments(Vec::new()),
            query: None,
            fragment: None,
        }
    }

    /// Whether the scheme is one that the standard knows: such addresses have a host, and `\` is a slash in them.
    pub(super) fn is_special(&self) -> bool {
        is_special(&self.scheme)
    }

    pub(super) fn is_file(&self) -> bool {
        self.scheme == "file"
    }

    pub(super) fn has_credentials(&self) -> bool {
        !self.username.is_empty() || !self.password.is_empty()
    }

    /// Whether a user or a port has no place in it.
    pub(super) fn takes_no_credentials(&self) -> bool {
        self.is_file() || self.host.as_deref().unwrap_or_default().is_empty()
    }

    /// The segments of the path; none if it is opaque.
    pub(super) fn segments(&mut self) -> Option<&mut Vec<String>> {
        match &mut self.path {
            Path::Opaque(_) => None,
            Path::Segments(segments) => Some(segments),
        }
    }

    /// Sets the port, unless the scheme has it anyway.
    pub(super) fn set_port(&mut self, port: u16) {
        self.port = Some(port).filter(|port| default_port(&self.scheme) != Some(*port));
    }

    /// Removes the last segment. The drive of a file path stays.
    pub(super) fn shorten(&mut self) {
        let is_file = self.is_file();
        let Some(segments) = self.segments() else { return };
        if !(is_file && segments.len() == 1 && host::is_normalized_drive(&segments[0])) {
            segments.pop();
        }
    }

    pub(super) fn pathname(&self) -> String {
        match &self.path {
            Path::Opaque(text) => text.clone(),
            Path::Segments(segments) => {
                segments.iter().fold(String::new(), |text, segment| text + "/" + segment)
            }
        }
    }

    /// Host and port.
    pub(super) fn host_and_port(&self) -> String {
        let host = self.host.clone().unwrap_or_default();
        match self.port {
            Some(port) => format!("{host}:{port}"),
            None => host,
        }
    }

    /// The whole address.
    pub(super) fn href(&self) -> String {
        let mut text = format!("{}:", self.scheme);
        match (&self.host, &self.path) {
            (Some(_), _) => {
                text += "//";
                if self.has_credentials() {
                    text += &self.username;
                    if !self.password.is_empty() {
                        text += ":";
                        text += &self.password;
                    }
                    text += "@";
                }
                text += &self.host_and_port();
            }
            // Without this, the path would read as a host.
            (None, Path::Segments(segments)) if segments.len() > 1 && segments[0].is_empty() => {
                text += "/.";
            }
            _ => {}
        }
        text += &self.pathname();
        if let Some(query) = &self.query {
            text += "?";
            text += query;
        }
        if let Some(fragment) = &self.fragment {
            text += "#";
            text += fragment;
        }
        text
    }

    /// Scheme, host and port where these say who answers, else `null`.
    pub(super) fn origin(&self) -> String {
        match (self.scheme.as_str(), &self.path) {
            ("blob", Path::Opaque(path)) => match super::parse::parse(path, None) {
                Ok(inner) if matches!(inner.scheme.as_str(), "http" | "https") => inner.origin(),
                _ => "null".into(),
            },
            ("file", _) => "null".into(),
            _ if self.is_special() => format!("{}://{}", self.scheme, self.host_and_port()),
            _ => "null".into(),
        }
    }
}

/// Whether the standard knows the scheme.
pub(super) fn is_special(scheme: &str) -> bool {
    scheme == "file" || default_port(scheme).is_some()
}

/// The port that a scheme has.
pub(super) fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}
