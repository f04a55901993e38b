# The commands of this project; CI runs these same recipes.

# Lists the recipes.
default:
    @just --list

# Builds the guest and writes the artifact that everybody else takes.
guest:
    ./guest-runtime/bundle.sh

# Fails if the artifact is not what the guest's sources give.
guest-check:
    ./guest-runtime/bundle.sh --check

# Tests the guest's own parts, built for this machine instead of wasm.
guest-test:
    cargo test --lib --manifest-path guest-runtime/Cargo.toml --locked

# Checks format, lints and documents.
check:
    cargo fmt --all --check
    cargo fmt --manifest-path guest-runtime/Cargo.toml --check
    cargo clippy --release --all-targets --locked -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --release --lib --no-deps --locked

# Checks the library alone, as an embedder gets it: without features, and with each one.
check-features:
    cargo clippy --release --package pml --lib --no-default-features --locked -- -D warnings
    cargo clippy --release --package pml --lib --no-default-features --features servers --locked -- -D warnings

# Runs all tests. Snapshots that differ are shown, not written.
test:
    INSTA_UPDATE=no cargo test --release --locked

# Writes what is generated in the manual: references, the output of commands, the picture.
docs:
    PML_UPDATE_DOCS=1 cargo test --release --locked --bin pml -- command_reference
    PML_UPDATE_DOCS=1 cargo test --release --locked --test it -- manual::console manual::picture manual::references

# Cuts and kills twenty times as many programs as the tests do; `just soak 100` a hundred times.
soak TIMES="20":
    PML_SOAK={{TIMES}} cargo test --release --locked --test it -- cuts kills

# Measures pml beside native QuickJS: a table on stdout, JSON in bench-results/.
bench *ARGUMENTS:
    cargo build --release --bin pml --locked
    cargo run --release --example bench --locked -- {{ARGUMENTS}}

# Writes man pages and completion scripts, for those who pack the binary.
package-files DIR:
    cargo run --release --bin pml --locked -- package-files {{DIR}}

# What CI does.
ci: guest-check guest-test check check-features test
