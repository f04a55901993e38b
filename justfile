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

# Checks format, lints and documents.
check:
    cargo fmt --all --check
    cargo fmt --manifest-path guest-runtime/Cargo.toml --check
    cargo clippy --release --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --release --no-deps -p pml

# Runs all tests.
test:
    cargo test --release --workspace
