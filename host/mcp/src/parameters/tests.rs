//! All wrong parameters, and what is said about them.

use super::{
    BrowseParameters, ContinueParameters, DescribeWorkflowParameters, ExecuteParameters,
    ListLibraryParameters, SaveToLibraryParameters, read, wrong_call,
};
use rmcp::ErrorData;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

const ID: &str = "00000000-0000-4000-8000-000000000001";

/// Returns what is said about the arguments of a tool. A name with a colon is a tool of a server.
fn refusal(tool: &str, arguments: JsonObject) -> String {
    let given = Some(arguments.clone());
    let refused: Result<(), ErrorData> = match tool {
        "execute" => ExecuteParameters::read(given).map(drop),
        "browse_components" => read::<BrowseParameters>(BrowseParameters::KNOWN, given).map(drop),
        "list_library" => {
            read::<ListLibraryParameters>(ListLibraryParameters::KNOWN, given).map(drop)
        }
        "describe_workflow" => {
            read::<DescribeWorkflowParameters>(DescribeWorkflowParameters::KNOWN, given).map(drop)
        }
        "save_to_library" => {
            read::<SaveToLibraryParameters>(SaveToLibraryParameters::KNOWN, given).map(drop)
        }
        _ => ContinueParameters::from_arguments(&arguments).map(drop),
    };
    match refused {
        Ok(()) => "fine".into(),
        Err(error) => {
            assert_eq!(error.code.0, -32602);
            error.message.into_owned()
        }
    }
}

#[test]
fn wrong_parameters_are_refused_in_words_that_a_model_can_act_on() {
    let continued = |mut answer: Value| {
        answer["workflow_id"] = json!(ID);
        json!({ "continue_workflow": answer })
    };
    let table = [
        ("execute", json!({})),
        ("execute", json!({ "inputs": {} })),
        ("execute", json!({ "code": "1", "inputs": [1, 2] })),
        ("execute", json!({ "code": "1", "inputs": "{\"a\":1}" })),
        ("execute", json!({ "code": "1", "inputs": null })),
        ("execute", json!({ "code": 1 })),
        ("execute", json!({ "code": ["return 1"] })),
        ("execute", json!({ "kode": "1" })),
        ("execute", json!({ "program": "1" })),
        ("execute", json!({ "\u{202e}\n": 1 })),
        ("execute", json!({ "code": "1", "name": "x" })),
        ("execute", json!({ "code": "1", "name": "x", "handle": "h" })),
        ("execute", json!({ "code": "1", "resume_from": "last" })),
        ("execute", json!({ "name": "x", "resume_from": ID })),
        ("execute", json!({ "code": "1", "offset": 1 })),
        ("execute", json!({ "handle": "x", "offset": -1 })),
        ("execute", json!({ "handle": "x", "offset": 1.5 })),
        ("execute", json!({ "handle": "x", "inputs": {} })),
        ("execute", json!({ "continue_workflow": ID })),
        ("execute", json!({ "continue_workflow": {} })),
        ("execute", json!({ "continue_workflow": { "approved": true } })),
        ("execute", continued(json!({}))),
        ("execute", continued(json!({ "approved": "yes" }))),
        ("execute", continued(json!({ "approve": true }))),
        ("execute", continued(json!({ "approved": true, "action": "abort" }))),
        ("execute", continued(json!({ "action": "stop" }))),
        ("execute", continued(json!({ "approved": true, "answers": {} }))),
        ("execute", continued(json!({ "answers": { "one": "approve" } }))),
        ("execute", continued(json!({ "answers": { "1": "yes" } }))),
        ("execute", continued(json!({ "answers": ["approve"] }))),
        ("execute", continued(json!({ "approved": true, "digest": "abc" }))),
        ("files:read", json!({ "continue_workflow": "yes" })),
        ("files:read", json!({ "continue_workflow": { "approved": true } })),
        ("files:read", json!({ "path": "/a" })),
        ("browse_components", json!({ "query": ["files"] })),
        ("browse_components", json!({ "budget": "4000" })),
        ("browse_components", json!({ "search": "files" })),
        ("list_library", json!({ "pattern": 7 })),
        ("list_library", json!({ "pattern": null })),
        ("describe_workflow", json!({})),
        ("save_to_library", json!({ "draft_name": "a", "final_name": "b" })),
    ];
    let lines = table.map(|(tool, arguments)| {
        let Value::Object(given) = &arguments else { panic!("an object") };
        let shown = pml::text::escape(&arguments.to_string()).replace(ID, "ID");
        format!("{tool} {shown}\n  {}\n", refusal(tool, given.clone()))
    });
    insta::assert_snapshot!(lines.concat(), @r#"
    execute {}
      give `code`, the program to run; or `name`, `continue_workflow` or `handle`
    execute {"inputs":{}}
      give `code`, the program to run; or `name`, `continue_workflow` or `handle`
    execute {"code":"1","inputs":[1,2]}
      `inputs` must be an object, not an array
    execute {"code":"1","inputs":"{\"a\":1}"}
      `inputs` must be an object, not the string "{"a":1}"
    execute {"code":"1","inputs":null}
      fine
    execute {"code":1}
      `code` must be a string, not 1
    execute {"code":["return 1"]}
      `code` must be a string, not an array
    execute {"kode":"1"}
      there is no parameter `kode`: did you mean `code`?
    execute {"program":"1"}
      there is no parameter `program`: there are `code`, `name`, `inputs`, `resume_from`, `continue_workflow`, `handle` and `offset`
    execute {"\u{202e}\n":1}
      there is no parameter `\u{202e}\n`: there are `code`, `name`, `inputs`, `resume_from`, `continue_workflow`, `handle` and `offset`
    execute {"code":"1","name":"x"}
      give only one of `code` and `name`
    execute {"code":"1","name":"x","handle":"h"}
      give only one of `code`, `name` and `handle`
    execute {"code":"1","resume_from":"last"}
      `resume_from` must be the `run_id` of an earlier answer
    execute {"name":"x","resume_from":"ID"}
      `resume_from` goes with `code` only: the program that goes on
    execute {"code":"1","offset":1}
      `offset` goes with `handle` only
    execute {"handle":"x","offset":-1}
      `offset` must be a whole number from 0 on, not -1
    execute {"handle":"x","offset":1.5}
      `offset` must be a whole number from 0 on, not 1.5
    execute {"handle":"x","inputs":{}}
      `inputs` goes with `code` or `name` only
    execute {"continue_workflow":"ID"}
      `continue_workflow` must be an object, not the string "00000000-0000-4000-8000-000000000001"
    execute {"continue_workflow":{}}
      `continue_workflow.workflow_id` is missing: it must be a string
    execute {"continue_workflow":{"approved":true}}
      `continue_workflow.workflow_id` is missing: it must be a string
    execute {"continue_workflow":{"workflow_id":"ID"}}
      `continue_workflow`: `approved` is missing: it must be true or false
    execute {"continue_workflow":{"approved":"yes","workflow_id":"ID"}}
      `continue_workflow.approved` must be true or false, not the string "yes"
    execute {"continue_workflow":{"approve":true,"workflow_id":"ID"}}
      there is no parameter `continue_workflow.approve`: did you mean `continue_workflow.approved`?
    execute {"continue_workflow":{"approved":true,"action":"abort","workflow_id":"ID"}}
      `continue_workflow`: give `approved` or `action`, not both
    execute {"continue_workflow":{"action":"stop","workflow_id":"ID"}}
      `continue_workflow.action` must be one of `continue`, `always`, `abort`, `replan`, not the string "stop"
    execute {"continue_workflow":{"approved":true,"answers":{},"workflow_id":"ID"}}
      `continue_workflow`: give `answers` for each ask, or one answer for all, not both
    execute {"continue_workflow":{"answers":{"one":"approve"},"workflow_id":"ID"}}
      `continue_workflow`: `answers` are by the id of an ask: {"1": "approve"}
    execute {"continue_workflow":{"answers":{"1":"yes"},"workflow_id":"ID"}}
      `continue_workflow`: an answer is `approve`, `always`, `always_1`, `decline`, `abort`, `{"result": …}`, `{"always": n}` or one of these with what it is about: `{"answer": …, "digest": …}`
    execute {"continue_workflow":{"answers":["approve"],"workflow_id":"ID"}}
      `continue_workflow.answers` must be an object, not an array
    execute {"continue_workflow":{"approved":true,"digest":"abc","workflow_id":"ID"}}
      `continue_workflow`: a digest is 8 to 64 hex digits
    files:read {"continue_workflow":"yes"}
      `continue_workflow` must be an object
    files:read {"continue_workflow":{"approved":true}}
      `continue_workflow.workflow_id` is missing: it must be a string
    files:read {"path":"/a"}
      fine
    browse_components {"query":["files"]}
      `query` must be a string, not an array
    browse_components {"budget":"4000"}
      `budget` must be a whole number from 0 on, not the string "4000"
    browse_components {"search":"files"}
      there is no parameter `search`: there are `query`, `budget` and `include_workflows`
    list_library {"pattern":7}
      `pattern` must be a string, not 7
    list_library {"pattern":null}
      fine
    describe_workflow {}
      `name` is missing: it must be a string
    save_to_library {"draft_name":"a","final_name":"b"}
      `description` is missing: it must be a string
    "#);
}

#[test]
fn a_call_that_is_no_call_says_what_is_wrong_with_it() {
    let said = |params: Option<Value>| wrong_call(params.as_ref()).message.into_owned();
    let lines = [
        said(None),
        said(Some(json!({ "arguments": {} }))),
        said(Some(json!({ "name": 7, "_meta": {} }))),
        said(Some(json!({ "name": "execute", "arguments": [1] }))),
        said(Some(json!({ "name": "execute", "arguments": "{}" }))),
        said(Some(json!({ "name": "execute", "_meta": 1 }))),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    `name` is missing: it must be a string
    `name` is missing: it must be a string
    `name` must be a string, not 7
    `arguments` must be an object, not an array
    `arguments` must be an object, not the string "{}"
    the parameters of `tools/call` are wrong
    "#);
}
