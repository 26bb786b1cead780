#!/bin/sh
# Builds the extension for VS Code and tests it: the grammar on texts that state their scopes, on the parser's tokens, on all machines; the
# manifest against the code; the client against the server, in a stand-in for VS Code; the package. What it needs: as build.sh.
# BCHECK=PATH names the program that serves; without it, one is built. Exit code 77: something is missing, nothing was tested.
set -eu
cd "$(dirname "$0")/../.."

scripts/vscode/build.sh
if [ -z "${BCHECK:-}" ]; then
    cargo build --locked --quiet
    BCHECK=target/debug/bcheck
fi
# Tests run in other folders.
BCHECK=$(cd "$(dirname "$BCHECK")" && pwd)/$(basename "$BCHECK")
export BCHECK

cd target/vscode
npx --no-install vscode-tmgrammar-test 'tests/grammar/*'
node --test --test-reporter=spec tests/*.test.mjs
