#!/bin/sh
# Everything that must hold before a change is taken: formatting, lints, tests, documentation.
# Needs a Rust toolchain with rustfmt and clippy, and nothing else. Stops at the first step that fails; what is quick comes first.
set -eu
cd "$(dirname "$0")/.."

# What incremental builds keep for the next one costs time, and on a fresh clone there is no next one.
if [ ! -d target ]; then export CARGO_INCREMENTAL=0; fi

# Tests wait for programs, signals and time limits: more of them at once than there are cores leave no core idle.
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((cores + 2))}
export RUST_TEST_THREADS

started=$(date +%s)
step() {
    title=$1
    shift
    printf '\n== %s: %s\n' "$title" "$*"
    "$@"
    printf '== %s: done, %s s in all\n' "$title" "$(($(date +%s) - started))"
}

step 'formatting' cargo fmt --all --check
step 'lints' cargo clippy --locked --workspace --all-targets -- -D warnings
step 'library alone' cargo check --locked --quiet --package bcheck --lib --no-default-features
step 'building tests' cargo test --locked --quiet --workspace --no-run --lib --bins --test suite
step 'unit tests' cargo test --locked --quiet --workspace --lib --bins
# Of the whole workspace: for the package alone features would be others, and half of the crates would be built again.
step 'suite' cargo test --locked --quiet --workspace --test suite
step 'examples' cargo test --locked --quiet --workspace --doc
RUSTDOCFLAGS='-D warnings' step 'documentation' cargo doc --locked --workspace --no-deps --quiet

printf '\nEverything holds (%s s).\n' "$(($(date +%s) - started))"
