#!/usr/bin/env bash
# Builds the guest's core module for wasm32-unknown-unknown and prints its path; with --toolchain, only says with what.
#
# With rustup's wasm target where it is installed; otherwise with Debian's Rust and its library sources
# (rustc-web, cargo-web, rust-web-src). C is compiled by clang either way. All paths are remapped, so that the module does
# not depend on where it was built.
set -euo pipefail
cd "$(dirname "$0")"
target=wasm32-unknown-unknown

clang=$(command -v clang-19 || command -v clang) || { echo "hint: install clang (Debian: clang-19 lld-19 llvm-19)" >&2; exit 1; }
export CC_wasm32_unknown_unknown=$clang
export AR_wasm32_unknown_unknown=$(command -v llvm-ar-19 || command -v llvm-ar)

extra=()
if [ -z "${PML_GUEST_DEBIAN:-}" ] && rustc --print target-libdir --target $target 2>/dev/null | xargs -I{} test -d {}; then
  cargo=cargo; rustc=rustc
else
  cargo=$(dpkg -L cargo-web | grep -m1 '/bin/cargo$'); rustc=$(dpkg -L rustc-web | grep -m1 '/bin/rustc$')
  export RUSTC=$rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-19
  extra=(-Z build-std=std,panic_abort)
fi

if [ "${1:-}" = --toolchain ]; then
  $rustc --version
  $clang --version | head -n 1
  exit
fi

registry=${CARGO_HOME:-$HOME/.cargo}/registry/src
sysroot=$($rustc --print sysroot)
remap="--remap-path-prefix=$PWD=guest --remap-path-prefix=$sysroot=rust --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
for index in "$registry"/*/; do remap+=" --remap-path-prefix=${index%/}=crates"; done
export CFLAGS_wasm32_unknown_unknown="-O3 -ffile-prefix-map=$PWD=guest -ffile-prefix-map=${CARGO_HOME:-$HOME/.cargo}=cargo"
# The stack stands below everything else: an overflow leaves the memory and traps.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="$remap -C link-arg=-zstack-size=786432 -C link-arg=--stack-first"
$cargo build --release --locked --target-dir "$PWD/target" --target $target "${extra[@]}" >&2
echo "$PWD/target/$target/release/pml_guest.wasm"
