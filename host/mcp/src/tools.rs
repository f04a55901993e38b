//! The five tools that the server publishes.

use pml::text::{cut, escape, nearest};
use rmcp::ErrorData;
use rmcp::model::Tool;
use std::sync::{Arc, LazyLock};

/// Maximum number of characters of an unknown name that are repeated.
const MAX_NAME: usize = 80;

/// The tools of `tools/list`, in this order.
static TOOLS: LazyLock<Arc<[Tool]>> = LazyLock::new(|| {
    let tools: Vec<Tool> =
        serde_json::from_str(include_str!("tools.json")).expect("it is part of this program");
    tools.into()
});

/// A published tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PublishedTool {
    Execute,
    BrowseComponents,
    ListLibrary,
    DescribeWorkflow,
    SaveToLibrary,
}

impl PublishedTool {
    /// Returns the tool of that name, as listed or with the prefix `pml:` or `pml_`.
    pub(super) fn from_name(name: &str) -> Option<PublishedTool> {
        let bare = name.strip_prefix("pml:").or_else(|| name.strip_prefix("pml_"));
        Some(match bare.unwrap_or(name) {
            "execute" => PublishedTool::Execute,
            "browse_components" => PublishedTool::BrowseComponents,
            "list_library" => PublishedTool::ListLibrary,
            "describe_workflow" => PublishedTool::DescribeWorkflow,
            "save_to_library" => PublishedTool::SaveToLibrary,
            _ => return None,
        })
    }

    /// Returns the error for a name that no tool has.
    pub(super) fn unknown(name: &str) -> ErrorData {
        let shown = cut(&escape(name), MAX_NAME);
        let hint = match nearest(name, TOOLS.iter().map(|tool| tool.name.as_ref())).first() {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "tools of servers are called by programs of `execute`".into(),
        };
        ErrorData::invalid_params(format!("there is no tool `{shown}`: {hint}"), None)
    }
}

/// Returns the tools that are listed.
pub(super) fn list() -> Vec<Tool> {
    TOOLS.to_vec()
}

#[cfg(test)]
mod tests {
    use super::{PublishedTool, list};

    #[test]
    fn there_are_five_tools_that_clients_take_as_they_are() {
        let tools = list();
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(
            names,
            [
                "execute",
                "browse_components",
                "list_library",
                "describe_workflow",
                "save_to_library"
            ]
        );
        for tool in &tools {
            assert!(PublishedTool::from_name(&tool.name).is_some(), "{}", tool.name);
            let description = tool.description.as_deref().expect("a description");
            assert!(description.len() < 2_048, "{}: {}", tool.name, description.len());
            // Clients flatten or drop tools whose schema is a union at its root.
            assert_eq!(tool.input_schema["type"], "object");
            for union in ["anyOf", "oneOf", "allOf"] {
                assert!(!tool.input_schema.contains_key(union), "{}", tool.name);
            }
            assert!(tool.annotations.as_ref().is_some_and(|it| it.read_only_hint.is_some()));
        }
    }

    #[test]
    fn every_status_of_an_answer_fits_the_output_schema() {
        let tools = list();
        let schemas: Vec<_> = tools.iter().map(|tool| tool.output_schema.as_deref()).collect();
        let [Some(schema), None, None, None, None] = schemas[..] else { panic!("{schemas:?}") };
        let statuses = schema["properties"]["status"]["enum"].to_string();
        for status in ["success", "error", "approval_required", "aborted"] {
            assert!(statuses.contains(status), "{status}");
        }
        assert!(schema.get("additionalProperties").is_none());
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        insta::assert_snapshot!(PublishedTool::unknown("exec").message, @"there is no tool `exec`: did you mean `execute`?");
        insta::assert_snapshot!(PublishedTool::unknown("read\u{202e}").message, @r#"there is no tool `read\u{202e}`: tools of servers are called by programs of `execute`"#);
    }

    #[test]
    fn our_own_prefix_is_understood_and_nothing_else() {
        assert_eq!(PublishedTool::from_name("pml:execute"), Some(PublishedTool::Execute));
        assert_eq!(PublishedTool::from_name("pml_execute"), Some(PublishedTool::Execute));
        assert_eq!(PublishedTool::from_name("pml:pml:execute"), None);
        assert_eq!(PublishedTool::from_name("github:execute"), None);
    }
}
