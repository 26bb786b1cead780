#!/bin/sh
# Fuzzes the parser with the type checker, or the evaluator, for some seconds: scripts/fuzz.sh parse|evaluate [SECONDS, 60 unless given].
# Needs a nightly toolchain and cargo-fuzz (cargo install cargo-fuzz). What is found stays in fuzz/artifacts; what takes longer than 10 s is
# found too: instrumented, everything is several times slower, and so is a busy machine.
set -eu
cd "$(dirname "$0")/.."

target=${1:?parse or evaluate}
seconds=${2:-60}
case $target in
    parse) more='machines/classic machines/project machines/tour machines/rejected' ;;
    evaluate) more='' ;;
    *) printf 'no such target: %s\n' "$target" >&2; exit 2 ;;
esac
mkdir -p "fuzz/corpus/$target"
# shellcheck disable=SC2086 # folders, none with a blank in its name
cargo +nightly fuzz run --sanitizer none "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" $more -- \
    -dict=fuzz/b.dict -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=2000 -print_final_stats=1
