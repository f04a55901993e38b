//! Formats tools as lines and as JSON. In lines, text from servers is escaped, joined into one
//! line, and cut to the terminal's width.

use crate::present_fields::present_fields;
use crate::quantity::counted;
use crate::ui::{BAD, BOLD, DIM, GOOD, WAITING};
use crate::wrap::in_columns;
use anstyle::Style;
use pml::json::{Value, json};
use pml::{
    Policy,
    catalog::BrowsedTool,
    policy::PolicyDecision,
    text::{cut_to_columns, escape},
    tool::Definition,
};
use std::sync::Arc;

/// The order in which tools are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolOrder {
    /// Grouped by server, under its name.
    ByServer,
    /// In the given order, best match first.
    Ranked,
}

/// Columns before a signature: two, the longest decision, two.
const INDENT: usize = 9;

/// Returns the tools as lines.
pub(super) fn lines(
    nodes: &[BrowsedTool],
    policy: &Policy,
    order: ToolOrder,
    width: Option<usize>,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut server = None;
    for node in nodes {
        if order == ToolOrder::ByServer && server != Some(node.tool.server()) {
            server = Some(node.tool.server());
            let count = nodes.iter().filter(|other| Some(other.tool.server()) == server).count();
            let (name, count) = (escape(node.tool.server()), counted(count as u64, "tool"));
            lines.push(format!("{BOLD}{name}{BOLD:#} {DIM}{count}{DIM:#}"));
        }
        let decision = policy.decision(&node.tool);
        let style = colour(&decision);
        let fit = |text: &str| {
            let text = escape(text).replace(['\n', '\t'], " ");
            width.map_or(text.clone(), |width| cut_to_columns(&text, width.saturating_sub(INDENT)))
        };
        // One tool alone is shown completely; of many, each has a line.
        let whole = |text: &str| match (nodes.len(), width) {
            (1, Some(width)) => {
                let text = escape(text).replace(['\n', '\t'], " ");
                let lines = in_columns(&text, width.saturating_sub(INDENT));
                lines.join(&format!("\n{:INDENT$}", ""))
            }
            _ => fit(text),
        };
        let signature = whole(node.signature.as_deref().unwrap_or(node.tool.as_str()));
        lines.push(format!("  {style}{:5}{style:#}  {signature}", decision.as_str()));
        if let Some(note) = policy.grant_conditions(&node.tool) {
            lines.push(format!("{:INDENT$}{style}{}{style:#}", "", fit(&note)));
        }
        if !node.description.is_empty() {
            lines.push(format!("{:INDENT$}{DIM}{}{DIM:#}", "", whole(&node.description)));
        }
    }
    lines
}

fn colour(decision: &PolicyDecision) -> Style {
    match decision {
        PolicyDecision::Go => GOOD,
        PolicyDecision::Ask { .. } => WAITING,
        PolicyDecision::Deny { .. } => BAD,
    }
}

/// Returns the tools as JSON, with everything that is known about them.
pub(super) fn json(
    nodes: &[BrowsedTool],
    definitions: &[Arc<Definition>],
    policy: &Policy,
) -> Value {
    let tool = |node: &BrowsedTool| {
        let decision = policy.decision(&node.tool);
        let mut value = json!({
            "tool": node.tool,
            "server": node.tool.server(),
            "policy": decision.as_str(),
            "signature": node.signature,
        });
        if let PolicyDecision::Ask { reason } | PolicyDecision::Deny { reason } = decision {
            value["reason"] = reason.into();
        }
        if let Some(note) = policy.grant_conditions(&node.tool) {
            value["remark"] = note.into();
        }
        if let Some(definition) = definitions.iter().find(|it| it.tool == node.tool) {
            value["title"] = json!(definition.title);
            value["description"] = json!(definition.description);
            value["annotations"] = json!(definition.annotations);
            value["inputSchema"] = definition.input.clone();
            value["outputSchema"] = json!(definition.output);
        }
        present_fields(value)
    };
    nodes.iter().map(tool).collect()
}

#[cfg(test)]
mod tests {
    use super::{ToolOrder, lines};
    use pml::json::json;
    use pml::{
        Config, Policy,
        catalog::{ToolIndex, browse},
        tool::Definition,
    };
    use std::sync::Arc;

    fn shown(width: Option<usize>) -> Vec<String> {
        let tool = |name: &str, about: &str| {
            Arc::new(Definition::new(name.parse().unwrap(), about, json!({ "type": "object" })))
        };
        let index = ToolIndex::new([tool("fs:read", "Reads\u{1b}[2J."), tool("fs:write", "")]);
        let nodes = browse(&index, "", usize::MAX, None).nodes;
        let mut config = Config::new();
        config.ask_unnamed().allow_tool("fs:read").deny_tool("fs:write");
        let policy = Policy::new(&config).unwrap();
        let lines = lines(&nodes, &policy, ToolOrder::ByServer, width);
        lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
    }

    #[test]
    fn tools_stand_under_their_server_with_what_the_policy_says() {
        let lines = shown(None);
        assert_eq!(lines[0], "fs 2 tools");
        assert!(lines[1].starts_with("  allow  mcp.fs.read("), "{lines:?}");
        assert!(lines[3].starts_with("  deny   mcp.fs.write("), "{lines:?}");
        assert!(!lines.concat().contains('\u{1b}'), "{lines:?}");
    }

    #[test]
    fn one_tool_alone_is_shown_completely() {
        let about = format!("Says {}", "x".repeat(120));
        let tool = Definition::new(
            "fs:read".parse().unwrap(),
            about.as_str(),
            json!({
                "type": "object",
                "properties": { "a_long_name": { "type": "string" }, "another_name": { "type": "number" } },
            }),
        );
        let nodes = browse(&ToolIndex::new([Arc::new(tool)]), "", usize::MAX, None).nodes;
        let policy = Policy::new(&Config::new()).unwrap();
        let text = lines(&nodes, &policy, ToolOrder::ByServer, Some(60)).join("\n");
        let text = anstream::adapter::strip_str(&text).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(!text.contains('…') && text.contains("another_name"), "{text}");
        assert!(text.lines().skip(2).all(|line| line.starts_with("         ")), "{text}");
        assert_eq!(text.matches('x').count(), 120, "{text}");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let lines = shown(Some(20));
        assert!(lines.iter().all(|line| line.chars().count() <= 20), "{lines:?}");
        assert!(lines[1].ends_with('…'), "{lines:?}");
    }
}
