//! What wasmtime makes of `wit/`. Hand-written types meet these in `convert.rs` only.
#![allow(missing_docs, unreachable_pub, reason = "generated: the documents are in wit/")]

wasmtime::component::bindgen!({
    world: "guest",
    path: "../wit",
    imports: { default: trappable },
    exports: { default: async },
});
