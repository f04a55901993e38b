//! What wit-bindgen makes of `wit/`. Nothing else is written here.
#![allow(missing_docs, reason = "generated: the documents are in wit/")]
#![allow(unreachable_pub, reason = "generated")]

wit_bindgen::generate!({
    world: "guest",
    path: "../wit",
    pub_export_macro: false,
});
