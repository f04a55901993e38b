//! Tests of the whole module: files in, a project out.

mod configure;
mod edit;
mod fixture;
mod granting;
mod grants;
mod import;
mod loading;
mod schema;
#[cfg(unix)]
mod state_folder;

use fixture::{ProjectFixture, project_fixture};
