//! Turns the guest's core module into the component that pml embeds.
//!
//! In: the module built by `guest-runtime/build.sh`. Out: `host/guest/guest.wasm`, pre-initialised and encoded as a
//! component, and `host/guest/provenance.json`, which says what it was made of. With `--check`, nothing is written: the
//! tool fails if the sources have changed since the artifact was made, or if the same compilers give another artifact.

#![expect(clippy::print_stderr, reason = "a build tool reports to the person who called it")]

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{fs, path::Path};
use wasmtime::{Engine, Extern, Instance, Linker, Module, Store, Val};
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};

const USAGE: &str = "usage: guest-bundle [--check] CORE_MODULE TOOLCHAIN SOURCE...";

fn main() -> Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = arguments.first().is_some_and(|first| first == "--check");
    if check {
        arguments.remove(0);
    }
    let [core, toolchain, sources @ ..] = arguments.as_slice() else { bail!(USAGE) };
    ensure!(!sources.is_empty(), USAGE);
    let core = fs::read(core).with_context(|| format!("cannot read the core module: {core}"))?;
    let component = encode(&pre_initialise(&core)?)?;
    let provenance = json!({
        "sha256": sha256(&component),
        "sources_sha256": digest_of(sources)?,
        "toolchain": toolchain.lines().collect::<Vec<_>>(),
        "crates": crates(&fs::read_to_string("guest-runtime/Cargo.lock")?),
        "wizer": wizer_version(&fs::read_to_string("Cargo.lock")?),
    });
    let (artifact, note) =
        (Path::new("host/guest/guest.wasm"), Path::new("host/guest/provenance.json"));
    if check {
        return compare(&component, &fs::read(artifact)?, &provenance, &fs::read_to_string(note)?);
    }
    fs::create_dir_all("host/guest")?;
    fs::write(artifact, &component)?;
    fs::write(note, serde_json::to_string_pretty(&provenance)? + "\n")?;
    eprintln!(
        "wrote {} ({} bytes, sha256 {})",
        artifact.display(),
        component.len(),
        sha256(&component)
    );
    Ok(())
}

/// Fails unless artifact and note are what the sources give.
fn compare(built: &[u8], kept: &[u8], provenance: &Value, note: &str) -> Result<()> {
    let note: Value =
        serde_json::from_str(note).context("cannot read host/guest/provenance.json")?;
    ensure!(
        note["sha256"] == sha256(kept),
        "host/guest/guest.wasm is not the file that its provenance names\nhint: run `just guest`"
    );
    ensure!(
        note["sources_sha256"] == provenance["sources_sha256"],
        "the guest's sources have changed since host/guest/guest.wasm was made\nhint: run `just guest`"
    );
    let same_tools =
        ["toolchain", "crates", "wizer"].iter().all(|key| note[*key] == provenance[*key]);
    if !same_tools {
        eprintln!(
            "note: these are not the tools that made host/guest/guest.wasm, so only its sources are compared"
        );
        return Ok(());
    }
    ensure!(
        built == kept,
        "the same sources and tools give another guest than host/guest/guest.wasm: {}\nhint: run `just guest`",
        sha256(built)
    );
    eprintln!("the guest is what its sources give: {}", sha256(built));
    Ok(())
}

/// Runs `wizer-initialize` and keeps the memory it leaves behind as the module's own.
fn pre_initialise(core: &[u8]) -> Result<Vec<u8>> {
    let mut wizer = Wizer::new();
    wizer.init_func("wizer-initialize");
    let (context, instrumented) = wizer.instrument(core).map_err(wasmtime_error)?;
    let engine = Engine::default();
    let module = Module::new(&engine, &instrumented).map_err(wasmtime_error)?;
    let mut linker = Linker::new(&engine);
    linker.define_unknown_imports_as_traps(&module).map_err(wasmtime_error)?;
    let mut store = Store::new(&engine, ());
    let instance = linker.instantiate(&mut store, &module).map_err(wasmtime_error)?;
    for name in ["_initialize", "wizer-initialize"] {
        if let Some(Extern::Func(function)) = instance.get_export(&mut store, name) {
            function.call(&mut store, &[], &mut []).map_err(wasmtime_error)?;
        }
    }
    let mut state = State { store, instance };
    ready(wizer.snapshot(&context, &mut state))?.map_err(wasmtime_error)
}

/// The state of the instance, as wizer asks for it.
struct State {
    store: Store<()>,
    instance: Instance,
}

impl InstanceState for State {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let global =
            self.instance.get_global(&mut self.store, name).expect("wizer asks for exports");
        match global.get(&mut self.store) {
            Val::I32(value) => SnapshotVal::I32(value),
            Val::I64(value) => SnapshotVal::I64(value),
            Val::F32(value) => SnapshotVal::F32(value),
            Val::F64(value) => SnapshotVal::F64(value),
            other => unreachable!("the guest has no global of type {:?}", other.ty(&self.store)),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        let memory =
            self.instance.get_memory(&mut self.store, name).expect("wizer asks for exports");
        contents(memory.data(&self.store));
    }
}

/// Takes the value of a future that never waits.
fn ready<T>(future: impl Future<Output = T>) -> Result<T> {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
        std::task::Poll::Ready(value) => Ok(value),
        std::task::Poll::Pending => bail!("the snapshot waits for something"),
    }
}

fn encode(module: &[u8]) -> Result<Vec<u8>> {
    wit_component::ComponentEncoder::default()
        .validate(true)
        .module(module)?
        .encode()
        .context("cannot encode the component")
}

fn wasmtime_error(error: wasmtime::Error) -> anyhow::Error {
    anyhow::anyhow!("{error:?}")
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// One digest over all source files: names and contents, in the order of their names.
fn digest_of(roots: &[String]) -> Result<String> {
    let mut files = Vec::new();
    for root in roots {
        collect(Path::new(root), &mut files)?;
    }
    files.sort();
    let mut digest = Sha256::new();
    for file in files {
        let bytes = fs::read(&file).with_context(|| format!("cannot read {file}"))?;
        digest.update(format!("{file}\0{}\0", bytes.len()));
        digest.update(bytes);
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn collect(path: &Path, files: &mut Vec<String>) -> Result<()> {
    if !path.is_dir() {
        files.push(path.to_string_lossy().into_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))? {
        collect(&entry?.path(), files)?;
    }
    Ok(())
}

/// `name version` of every crate in a lock file.
fn crates(lock: &str) -> Vec<String> {
    let value = |line: &str, key: &str| {
        line.strip_prefix(key).map(|rest| rest.trim_matches(&[' ', '=', '"'][..]).to_owned())
    };
    let names = lock.lines().filter_map(|line| value(line, "name"));
    let versions = lock.lines().skip(4).filter_map(|line| value(line, "version"));
    names.zip(versions).map(|(name, version)| format!("{name} {version}")).collect()
}

fn wizer_version(lock: &str) -> Vec<String> {
    let wanted = ["wasmtime-wizer ", "wit-component "];
    crates(lock).into_iter().filter(|one| wanted.iter().any(|name| one.starts_with(name))).collect()
}
