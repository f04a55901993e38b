#!/usr/bin/env bash
# Builds the guest and writes host/guest/ (or, with --check, compares). Run from anywhere.
set -euo pipefail
cd "$(dirname "$0")/.."
core=$(guest-runtime/build.sh)
toolchain=$(guest-runtime/build.sh --toolchain)
sources=(wit guest-runtime/src guest-runtime/Cargo.toml guest-runtime/Cargo.lock guest-runtime/build.sh)
cargo build --release --quiet --bin guest-bundle
exec "${CARGO_TARGET_DIR:-target}/release/guest-bundle" "$@" "$core" "$toolchain" "${sources[@]}"
