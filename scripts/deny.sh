#!/bin/sh
# Looks at all dependencies: known vulnerabilities, licences, crates that are there in several versions, where they come from (deny.toml).
# Needs cargo-deny (cargo install cargo-deny) and, for the database of vulnerabilities, the network: it is no part of check.sh.
# Without the network: scripts/deny.sh licenses bans sources. Exit code 77: cargo-deny is missing, nothing was looked at.
set -eu
cd "$(dirname "$0")/.."

command -v cargo-deny >/dev/null 2>&1 ||
    { printf 'deny.sh: there is no cargo-deny (cargo install cargo-deny)\n' >&2; exit 77; }
cargo deny --locked check "$@"
