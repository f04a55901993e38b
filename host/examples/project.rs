//! Runs a program by the rules of a project.
//!
//! A folder has a `.pml.json` that allows one tool and denies another. As long as nobody trusts the
//! folder, only what restricts counts: the tool that would be allowed is asked about, and with
//! nobody to ask, the run waits. Once the folder is trusted, the same program gets its answer.
//!
//! Prints what becomes of the program before and after:
//!
//! ```text
//! not trusted: waits for a person
//! trusted: {"price":8,"refused":"TOOL_DENIED"}
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use pml::json::json;
use pml::{Config, Ending, Engine, Environment, Project, Script, project::GrantStorage};
use std::path::Path;

const SETTINGS: &str = r#"{
  "permissions": { "allow": ["shop:price"], "deny": ["shop:refund"] },
  "limits": { "cpuTime": "1s" },
}"#;

const PROGRAM: &str = r#"
const refused = await mcp.shop.refund({}).catch((error) => error.code);
const { price } = (await mcp.shop.price({ item: "cup" })) as { price: number };
return { price, refused };
"#;

/// Runs the program by the rules that the project in a folder has now.
async fn run(folder: &Path, environment: &Environment) -> Result<String, pml::Error> {
    let project = Project::load_with_environment(folder, environment)?;
    let mut config = Config::new();
    // What the caller adds comes after what the project says.
    project.configure(&mut config, GrantStorage::Run).runs(1);
    let tools = pml::tools_from_fn(|_| async { Ok(json!({ "price": 8 })) });
    let outcome = Engine::new(&config)?.run(Script::ts(PROGRAM)).tools(tools).await?;
    Ok(match &outcome.ending {
        Ending::Waiting(_) => "waits for a person".into(),
        _ => outcome.value().unwrap_or_default().to_string(),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let place = tempfile::tempdir()?;
    let home = place.path().canonicalize()?;
    let folder = home.join("project");
    std::fs::create_dir(&folder)?;
    std::fs::write(folder.join(".pml.json"), SETTINGS)?;
    // An environment of its own: what is trusted here is recorded in the folder that is thrown
    // away.
    let environment: Environment =
        ["HOME", "USERPROFILE"].map(|name| (name, home.to_string_lossy())).into_iter().collect();

    println!("not trusted: {}", run(&folder, &environment).await?);
    Project::load_with_environment(&folder, &environment)?.grant_trust(&environment)?;
    let result = run(&folder, &environment).await?;
    println!("trusted: {result}");
    assert_eq!(result, r#"{"price":8,"refused":"TOOL_DENIED"}"#);
    Ok(())
}
