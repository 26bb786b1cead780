#!/bin/sh
# Fuzzes for some seconds: scripts/fuzz.sh parse|evaluate|machines|readers|formulas|automata|checkpoints|processes [SECONDS, 60 unless
# given]. The parser with the type checker; the evaluator; whole random machines, each in all modes; the readers of traces and graphs; texts of
# temporal formulas, printed and read again; automata of formulas against the definition; files of checkpoints; what processes say to each
# other.
# Needs a nightly toolchain and cargo-fuzz (cargo install cargo-fuzz). What is found stays in tests/fuzz/artifacts; what takes longer than 10 s is
# found too: instrumented, everything is several times slower, and so is a busy machine.
set -eu
cd "$(dirname "$0")/.."

target=${1:?parse, evaluate, machines, readers, formulas, automata, checkpoints or processes}
seconds=${2:-60}
case $target in
    parse) more='machines/classic machines/project machines/tour machines/rejected' ;;
    evaluate) more='' ;;
    machines) more='' ;;
    readers) more='tests/cli/traces' ;;
    formulas) more='' ;;
    automata) more='' ;;
    checkpoints) more='' ;;
    processes) more='' ;;
    *) printf 'no such target: %s\n' "$target" >&2; exit 2 ;;
esac
# A machine takes many runs.
timeout=10
if [ "$target" = machines ]; then timeout=60; fi
mkdir -p "tests/fuzz/corpus/$target"
# shellcheck disable=SC2086 # folders, none with a blank in its name
cargo +nightly fuzz run --fuzz-dir tests/fuzz --sanitizer none "$target" "tests/fuzz/corpus/$target" "tests/fuzz/seeds/$target" $more -- \
    -dict=tests/fuzz/b.dict -max_total_time="$seconds" -timeout="$timeout" -rss_limit_mb=2048 -max_len=2000 -print_final_stats=1
