#!/bin/sh
# Runs the lock-free table of states under loom: all orders of the steps of two workers with few changes between them, and all values that
# the memory model allows, over full lines and growing slots. Needs the registry of crates the first time (loom); takes a few minutes.
# It is no part of check.sh.
set -eu
cd "$(dirname "$0")/../tests/loom"

RUSTFLAGS="${RUSTFLAGS:-} --cfg loom" cargo test --target-dir ../../target/loom "$@"
