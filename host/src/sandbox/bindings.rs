//! The types that wasmtime generates from `wit/`. Only `convert.rs` converts them to our own types.
#![allow(missing_docs, unreachable_pub, reason = "generated: the documents are in wit/")]

wasmtime::component::bindgen!({
    world: "guest",
    path: "../wit",
    imports: { default: trappable },
    exports: { default: async },
});
