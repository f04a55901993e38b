//! One server as it is typed, in `.pml.json` or `.mcp.json`.

use super::document::Document;
use super::fields::{FieldReader, LocatedText, Scalar, UnknownKeys, shown};
use crate::error::Error;
use jsonc_parser::ast::Value;

/// Maximum number of servers: a file with more is not a list of servers.
pub(super) const SERVERS: usize = 1_000;

/// The keys of a server.
pub(super) const SERVER_KEYS: &[&str] = &[
    "type",
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "startTimeout",
    "timeout",
    "idleTimeout",
    "background",
    "installScripts",
    "disabled",
];

/// A server as typed.
#[derive(Clone, Debug, Default)]
pub(super) struct RawServer {
    pub(super) name: String,
    /// Its key in the file, safe to show: `servers.NAME` or `mcpServers.NAME`.
    pub(super) key: String,
    /// The position of its name.
    pub(super) at: usize,
    pub(super) kind: Option<LocatedText>,
    pub(super) command: Option<LocatedText>,
    pub(super) arguments: Vec<LocatedText>,
    pub(super) environment: Vec<(LocatedText, LocatedText)>,
    pub(super) folder: Option<LocatedText>,
    pub(super) url: Option<LocatedText>,
    pub(super) headers: Vec<(LocatedText, LocatedText)>,
    pub(super) start_timeout: Option<Scalar>,
    pub(super) call_timeout: Option<Scalar>,
    pub(super) idle_timeout: Option<Scalar>,
    pub(super) background: bool,
    pub(super) install_scripts: bool,
    pub(super) disabled: bool,
}

impl RawServer {
    /// Reports whether it would start pml itself.
    pub(super) fn is_pml(&self) -> bool {
        self.command.as_ref().is_some_and(|command| is_pml(&command.value))
    }
}

/// Reports whether a command starts pml itself.
pub(super) fn is_pml(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    matches!(name, "pml" | "pml.exe")
}

/// Reads `.mcp.json`, which also contains data of other programs.
pub(super) fn claude_servers(document: &Document) -> Result<Vec<RawServer>, Error> {
    let reader = FieldReader { document, unknown: UnknownKeys::Ignored };
    let Some(tree) = document.tree()? else {
        return Err(document.error_at(0, "the file is empty").with_hint("write `{}`"));
    };
    match reader.fields(&tree, "`.mcp.json`", &["mcpServers"])?.first() {
        Some((_, property)) => {
            let mut servers = servers(reader, &property.value, "`mcpServers`")?;
            // Claude Code lists pml there under its own name, which no other server can have.
            servers.retain(|server| server.name != "pml");
            Ok(servers)
        }
        None => Ok(Vec::new()),
    }
}

/// Reads servers by their names.
pub(super) fn servers(
    reader: FieldReader<'_>,
    value: &Value<'_>,
    what: &str,
) -> Result<Vec<RawServer>, Error> {
    let properties = &reader.object(value, what)?.properties;
    if let Some(first) = properties.get(SERVERS) {
        let message = format!("{what} has more than {SERVERS} servers, which is the most");
        return Err(reader.document.error_at(first.range.start, message));
    }
    let read = |property: &jsonc_parser::ast::ObjectProp<'_>| {
        let name = property.name.as_str().to_owned();
        let key = format!("{}.{}", what.trim_matches('`'), shown(&name).trim_matches('`'));
        let raw = RawServer { name, key, at: property.range.start, ..RawServer::default() };
        server(reader, &property.value, raw)
    };
    properties.iter().map(read).collect()
}

fn server(
    reader: FieldReader<'_>,
    value: &Value<'_>,
    mut raw: RawServer,
) -> Result<RawServer, Error> {
    let of = raw.key.clone();
    for (key, property) in reader.fields(value, &format!("`{of}`"), SERVER_KEYS)? {
        let (value, what) = (&property.value, format!("`{of}.{key}`"));
        match key {
            "type" => raw.kind = Some(reader.text(value, &what)?),
            "command" => raw.command = Some(reader.text(value, &what)?),
            "args" => raw.arguments = reader.texts(value, &what)?,
            "env" => raw.environment = reader.pairs(value, &what)?,
            "cwd" => raw.folder = Some(reader.text(value, &what)?),
            "url" => raw.url = Some(reader.text(value, &what)?),
            "headers" => raw.headers = reader.pairs(value, &what)?,
            "startTimeout" => raw.start_timeout = Some(reader.scalar(value, &what)?),
            "timeout" => raw.call_timeout = Some(reader.scalar(value, &what)?),
            "idleTimeout" => raw.idle_timeout = Some(reader.scalar(value, &what)?),
            "background" => raw.background = reader.boolean(value, &what)?,
            "installScripts" => raw.install_scripts = reader.boolean(value, &what)?,
            _ => raw.disabled = reader.boolean(value, &what)?,
        }
    }
    Ok(raw)
}
