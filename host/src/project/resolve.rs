//! Interprets `.pml.json`. Input: [`RawSettings`] and the document for positions. Output: valid
//! settings.

use super::document::Document;
use super::expand::is_variable;
use super::fields::{LocatedText, Scalar, shown};
use super::grants::grant;
use super::parts::{ApprovalSettings, Cloud, Permissions, RouteTarget, RoutingRule};
use super::raw::{RawCloud, RawPermissions, RawSettings};
use crate::config::settings::{CALLS_IN_FLIGHT_RANGE, SIZE_RANGE, STACK_RANGE};
use crate::error::Error;
use crate::model::{Durability, Limits, ToolPattern};
use crate::model::{check_size, parse_bytes, parse_duration};
use crate::project::launch_template::{NOT_A_URL, is_http};
use crate::project::server_entry::ServerEntry;
use std::ops::RangeInclusive;

/// The format that this version writes.
pub(super) const VERSION: &str = "0.1.0";

/// The interpreted settings of `.pml.json`.
#[derive(Debug, Default)]
pub(super) struct ResolvedSettings {
    /// `None` if the file has no `permissions`.
    pub(super) permissions: Option<Permissions>,
    pub(super) entries: Vec<ServerEntry>,
    pub(super) routing: Vec<RoutingRule>,
    pub(super) cloud: Option<Cloud>,
    pub(super) limits: Limits,
    pub(super) approvals: ApprovalSettings,
    pub(super) durability: Durability,
}

/// Interprets the file.
pub(super) fn resolve(raw: &RawSettings, document: &Document) -> Result<ResolvedSettings, Error> {
    check_version(raw.version.as_ref(), document)?;
    let entries = raw.servers.iter().map(|server| ServerEntry::new(server, document));
    Ok(ResolvedSettings {
        permissions: raw.permissions.as_ref().map(|raw| permissions(raw, document)).transpose()?,
        entries: entries.collect::<Result<_, _>>()?,
        routing: raw.routing.iter().map(|pair| route(pair, document)).collect::<Result<_, _>>()?,
        cloud: raw.cloud.as_ref().map(|raw| cloud(raw, document)).transpose()?,
        limits: limits(&raw.limits, document)?,
        approvals: approvals(raw, document)?,
        durability: durability(raw.durability.as_ref(), document)?,
    })
}

fn check_version(version: Option<&LocatedText>, document: &Document) -> Result<(), Error> {
    let Some(version) = version else { return Ok(()) };
    let mut parts = version.value.split('.');
    if (parts.next(), parts.next()) == (Some("0"), Some("1")) {
        return Ok(());
    }
    let message =
        format!("`version` is {}, a format that this pml cannot read", shown(&version.value));
    Err(document
        .error_at(version.at, message)
        .with_hint(format!("write `\"version\": \"{VERSION}\"`, or update pml")))
}

fn permissions(raw: &RawPermissions, document: &Document) -> Result<Permissions, Error> {
    let patterns = |list: &str, texts: &[LocatedText]| {
        let list = format!("permissions.{list}");
        let patterns = texts.iter().map(|text| pattern(&list, text, &text.value, document));
        patterns.collect::<Result<_, _>>()
    };
    Ok(Permissions {
        allow: patterns("allow", &raw.allow)?,
        ask: patterns("ask", &raw.ask)?,
        deny: patterns("deny", &raw.deny)?,
        grants: raw.grants.iter().map(|raw| grant(raw, document)).collect::<Result<_, _>>()?,
    })
}

fn pattern(
    key: &str,
    text: &LocatedText,
    meant: &str,
    document: &Document,
) -> Result<ToolPattern, Error> {
    meant.parse().map_err(|_| {
        let message = format!("`{key}` has {}, which is not a tool pattern", shown(&text.value));
        let hint = "write `server:tool`, `server:prefix_*`, `server:*` or `*`";
        document.error_at(text.at, message).with_hint(hint)
    })
}

fn route(
    (key, value): &(LocatedText, LocatedText),
    document: &Document,
) -> Result<RoutingRule, Error> {
    // A server's name stands for all its tools.
    let meant = match key.value.contains([':', '*']) {
        true => key.value.clone(),
        false => format!("{}:*", key.value),
    };
    let to = match value.value.as_str() {
        "client" | "local" => RouteTarget::Client,
        "server" => RouteTarget::Server,
        other => {
            let (tools, other) = (shown(&key.value), shown(other));
            let message = format!("`routing` sends {tools} to {other}, where no call can go");
            let hint = "write `client` (or `local`: this machine) or `server` (the cloud)";
            return Err(document.error_at(value.at, message).with_hint(hint));
        }
    };
    Ok(RoutingRule { pattern: pattern("routing", key, &meant, document)?, to })
}

fn cloud(raw: &RawCloud, document: &Document) -> Result<Cloud, Error> {
    let Some(url) = &raw.url else {
        return Err(document
            .error_at(raw.at, "`cloud` has no `url`")
            .with_hint("add the URL of the cloud, or remove `cloud`"));
    };
    if !is_http(&url.value) {
        return Err(document.error_at(url.at, format!("`cloud.url` {NOT_A_URL}")));
    }
    let variable = raw.api_key_env.as_ref();
    if let Some(variable) = variable.filter(|variable| !is_variable(&variable.value)) {
        let message = format!(
            "`cloud.apiKeyEnv` is {}, which is not the name of a variable",
            shown(&variable.value)
        );
        let hint = "write the name of the variable that holds the key, not the key itself";
        // The text is not shown, because it may be the key itself.
        return Err(document
            .error_at(
                raw.at,
                match variable.value.len() {
                    0..=40 => message,
                    _ => "`cloud.apiKeyEnv` is not the name of a variable".into(),
                },
            )
            .with_hint(hint));
    }
    let api_key_env = variable.map(|variable| variable.value.clone());
    Ok(Cloud { url: url.value.clone(), api_key_env, api_key: None })
}

fn approvals(raw: &RawSettings, document: &Document) -> Result<ApprovalSettings, Error> {
    let usual = ApprovalSettings::default();
    let timeout = match &raw.approval_timeout {
        None => usual.timeout,
        Some(text) if text.value == "never" => None,
        Some(text) => Some(parse_duration(&text.value).map_err(|_| {
            let written = shown(&text.value);
            let message = format!("`approvals.timeout` is {written}, which is not a duration");
            document
                .error_at(text.at, message)
                .with_hint("write it as `\"30s\"`, `\"5m\"`, `\"2h\"` or `\"never\"`")
        })?),
    };
    let model_may_approve = raw.model_may_approve.unwrap_or(usual.model_may_approve);
    Ok(ApprovalSettings { timeout, model_may_approve })
}

fn durability(text: Option<&LocatedText>, document: &Document) -> Result<Durability, Error> {
    match text.map(|text| (text.value.as_str(), text.at)) {
        None => Ok(Durability::default()),
        Some(("process", _)) => Ok(Durability::Process),
        Some(("power", _)) => Ok(Durability::Power),
        Some((other, at)) => {
            let message = format!("`durability` is {}, which is not a level", shown(other));
            Err(document.error_at(at, message).with_hint("write `process` or `power`"))
        }
    }
}

fn limits(raw: &[(&'static str, Scalar)], document: &Document) -> Result<Limits, Error> {
    let mut limits = Limits::default();
    for (key, scalar) in raw {
        let refuse = |message: String| document.error_at(scalar.at(), message);
        let time = || match scalar {
            Scalar::Text(text) => parse_duration(&text.value).map_err(|_| {
                let written = shown(&text.value);
                refuse(format!("`limits.{key}` is {written}, which is not a duration"))
                    .with_hint("write it as `\"500ms\"`, `\"2s\"` or `\"5m\"`")
            }),
            Scalar::Number(_) => Err(refuse(format!("`limits.{key}` has no unit"))
                .with_hint("write it as `\"500ms\"`, `\"2s\"` or `\"5m\"`")),
        };
        let (Scalar::Text(written) | Scalar::Number(written)) = scalar;
        let size = |range: RangeInclusive<usize>| {
            let size = parse_bytes(&written.value).map_err(|_| {
                let shown = shown(&written.value);
                refuse(format!("`limits.{key}` is {shown}, which is not a size"))
                    .with_hint("write it as `65536`, `\"512K\"`, `\"64M\"` or `\"1G\"`")
            })?;
            check_size(size, &range).map_err(|reason| refuse(format!("`limits.{key}` {reason}")))
        };
        let count = |range: RangeInclusive<usize>| {
            let count = written.value.parse::<usize>();
            let count =
                count.map_err(|_| refuse(format!("`limits.{key}` must be a whole number")))?;
            within(key, count, range).map_err(refuse)
        };
        match *key {
            "cpuTime" => limits.cpu_time = time()?,
            "timeout" => limits.timeout = time()?,
            "memory" => limits.memory = size(Limits::MEMORY_RANGE)?,
            "stack" => limits.stack = size(STACK_RANGE)?,
            "source" => limits.source = size(SIZE_RANGE)?,
            "inputs" => limits.inputs = size(SIZE_RANGE)?,
            "result" => limits.result = size(SIZE_RANGE)?,
            "console" => limits.console = size(SIZE_RANGE)?,
            "calls" => limits.calls = count(0..=usize::MAX)? as u64,
            "callsInFlight" => limits.calls_in_flight = count(CALLS_IN_FLIGHT_RANGE)?,
            "arguments" => limits.arguments = size(SIZE_RANGE)?,
            "journal" => limits.journal = size(Limits::JOURNAL_RANGE)?,
            _ => limits.reply = size(SIZE_RANGE)?,
        }
    }
    Ok(limits)
}

fn within(key: &str, value: usize, range: RangeInclusive<usize>) -> Result<usize, String> {
    match range.contains(&value) {
        true => Ok(value),
        false => {
            let (least, most) = range.into_inner();
            Err(format!("`limits.{key}` is {value}: it must be between {least} and {most}"))
        }
    }
}
