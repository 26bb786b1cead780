#!/bin/sh
# The tests that take minutes: scripts/long.sh [MACHINES, 20000 unless given] [FIRST SEED, 1000 unless given].
# First the unit tests as users get the code, optimised (a compiler has been seen to lose an update from opt-level 2 on), with those that
# take long, such as ten thousand edits of texts that the language server holds; then the suite in full: what `cargo test` leaves out as
# ignored, such as each machine of the project shared by several processes, and the cases of which it takes a share (BCHECK_THOROUGH).
# Then random machines, each run in all modes, tiers and orders, and
# written in other ways; what disagrees is printed with its seed and text as it is found, figures at the end. About 20 machines a second;
# refinements, a quarter as many, after them. At last what is for editors, where npm and Neovim are to be had. Ends with an error if
# anything fails or disagrees.
set -eu
cd "$(dirname "$0")/.."

BCHECK_MACHINES=${1:-20000}
BCHECK_FIRST_SEED=${2:-1000}
BCHECK_REFINEMENTS=$((BCHECK_MACHINES / 4))
BCHECK_CHAINS=${BCHECK_CHAINS:-1000}
BCHECK_THOROUGH=1
export BCHECK_THOROUGH BCHECK_MACHINES BCHECK_FIRST_SEED BCHECK_REFINEMENTS BCHECK_CHAINS
status=0
profile=${PROFILE:-quick}
cargo test --locked --profile "$profile" --workspace --lib -- --include-ignored || status=1
cargo test --locked --profile "$profile" --workspace --test suite -- --include-ignored --skip random_machines::many_ || status=1
for test in many_random_machines_agree many_random_refinements_agree; do
    cargo test --locked --profile "$profile" --workspace --test suite "random_machines::$test" -- --exact --ignored --nocapture || status=1
done
# Pictures as PNG are drawn with a feature that is off unless asked for.
cargo test --locked --profile "$profile" --workspace --features png --lib raster || status=1
cargo test --locked --profile "$profile" --workspace --features png --test suite as_pixels || status=1

# The tests above have built it.
case $profile in dev) BCHECK=target/debug/bcheck ;; *) BCHECK=target/$profile/bcheck ;; esac
export BCHECK
for script in scripts/vscode/test.sh scripts/neovim.sh; do
    code=0
    "$script" || code=$?
    # 77: not tested, as something that it needs is missing.
    if [ "$code" != 0 ] && [ "$code" != 77 ]; then status=1; fi
done
exit "$status"
