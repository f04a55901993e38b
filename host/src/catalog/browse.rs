//! Lists tools for an agent within a budget: the best ones with their signatures, the rest by name,
//! and the total number.

use super::observed::ObservedResults;
use super::search::ToolIndex;
use super::typescript::{call_signature, first_sentence};
use crate::model::{Annotations, ToolName};
use serde::Serialize;

/// Approximate characters per token.
const TOKEN: usize = 4;
/// The cost of a node's field names and punctuation, and of the policy's decision on it, in
/// characters.
const FRAME: usize = 80;

/// One tool, as an agent sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BrowsedTool {
    /// `server:tool`.
    pub tool: ToolName,
    /// The TypeScript signature of the call and its result; `None` if there was no space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The description, in one sentence; empty if there was no space.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The server's annotations about its effects.
    #[serde(skip_serializing_if = "is_empty_annotations")]
    pub annotations: Annotations,
}

fn is_empty_annotations(annotations: &Annotations) -> bool {
    *annotations == Annotations::default()
}

/// The tools that fit into a budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BrowseResult {
    /// The tools, the best first.
    pub nodes: Vec<BrowsedTool>,
    /// The number of tools in `nodes`.
    pub shown: usize,
    /// The number of tools that match the query.
    pub total: usize,
}

impl BrowseResult {
    /// Returns `COMPLETE`, or `PARTIAL n of m`.
    pub fn coverage(&self) -> String {
        match self.shown == self.total {
            true => "COMPLETE".into(),
            false => format!("PARTIAL {} of {}", self.shown, self.total),
        }
    }

    /// Returns the result as text: the coverage, then one tool per line.
    pub fn text(&self) -> String {
        let mut text = self.coverage();
        for node in &self.nodes {
            text.push('\n');
            text.push_str(node.signature.as_deref().unwrap_or(node.tool.as_str()));
            if node.signature.is_some() && !node.description.is_empty() {
                text.push_str(" // ");
                text.push_str(&node.description);
            }
        }
        text
    }
}

/// Returns the tools that match a query, as many as fit into a budget of tokens.
///
/// The best tools get signatures, and the rest get names while there is space. Some space is
/// reserved for names, so that one long signature does not hide the other tools. The first tool is
/// always named, whatever the budget.
pub fn browse(
    index: &ToolIndex,
    query: &str,
    budget_tokens: usize,
    observed: Option<&ObservedResults>,
) -> BrowseResult {
    let found = index.search(query);
    let budget = budget_tokens.saturating_mul(TOKEN);
    let names: usize = found.iter().map(|it| it.tool.as_str().len() + FRAME).sum();
    // If all names take less than a third of the budget, they get that space; else tools with
    // signatures get two thirds.
    let crowded = names > budget / 3;
    let mut for_signatures = budget - names.min(budget / 3);
    let mut remaining = budget;
    let mut nodes = Vec::new();
    for definition in &found {
        let name = definition.tool.as_str().len() + FRAME;
        if !nodes.is_empty() && remaining < name {
            break;
        }
        let mut node = BrowsedTool {
            tool: definition.tool.clone(),
            signature: None,
            description: String::new(),
            annotations: definition.annotations,
        };
        let mut cost = name;
        if for_signatures > 0 {
            let signature = call_signature(definition, observed);
            let description = first_sentence(&definition.description);
            let extra = signature.len() + description.len();
            let needed = if crowded { extra + name } else { extra };
            if needed <= for_signatures {
                for_signatures -= needed;
                cost += extra;
                node.signature = Some(signature);
                node.description = description;
            } else {
                // Later tools rank lower than this one: they do not get the space that was too
                // small for it.
                for_signatures = 0;
            }
        }
        remaining = remaining.saturating_sub(cost);
        nodes.push(node);
    }
    BrowseResult { shown: nodes.len(), total: found.len(), nodes }
}

#[cfg(test)]
mod tests {
    use super::{BrowseResult, browse};
    use crate::catalog::ToolIndex;
    use crate::model::Definition;
    use serde_json::json;
    use std::sync::Arc;

    fn browsed(tools: usize, budget: usize) -> BrowseResult {
        let tool = |n: usize| {
            let input = json!({
                "type": "object",
                "properties": { "path": { "type": "string" }, "limit": { "type": "integer" } },
                "required": ["path"],
            });
            let name = format!("files:read_{n:03}").parse().expect("a tool");
            Arc::new(Definition::new(name, "Reads a file. And more.", input))
        };
        browse(&ToolIndex::new((0..tools).map(tool)), "read", budget, None)
    }

    #[test]
    fn what_fits_is_complete() {
        let all = browsed(2, 1_000);
        assert_eq!(
            all.text(),
            "COMPLETE\n\
             mcp.files.read_000(args: { path: string; limit?: number }): Promise<any> // Reads a file.\n\
             mcp.files.read_001(args: { path: string; limit?: number }): Promise<any> // Reads a file."
        );
        assert_eq!((all.shown, all.total), (2, 2));
    }

    #[test]
    fn what_does_not_fit_is_named_and_then_left_out() {
        let some = browsed(200, 1_000);
        assert!(some.coverage().starts_with("PARTIAL "), "{}", some.coverage());
        assert!(some.nodes.first().is_some_and(|node| node.signature.is_some()));
        assert!(some.nodes.last().is_some_and(|node| node.signature.is_none()));
        assert_eq!(some.nodes.len(), some.shown);
        let size = some.text().len();
        assert!(size <= 4_000, "{size}");
    }

    #[test]
    fn there_is_never_nothing() {
        let one = browsed(5, 0);
        assert_eq!(one.text(), "PARTIAL 1 of 5\nfiles:read_000");
        assert_eq!(browsed(0, 0).text(), "COMPLETE");
    }
}
