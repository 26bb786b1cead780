#!/bin/sh
# Builds a binary to be handed out, without any dynamic library (target x86_64-unknown-linux-musl, or that of this machine's architecture)
# and with all features, and shows that it has none and runs: target/TARGET/dist/bcheck. Needs rustup to fetch the target unless it is
# installed, and a C compiler for musl (musl-gcc: apt-get install musl-tools) for the allocator; without one, it is built without mimalloc,
# which is slower.
# Exit code 77: the target cannot be had here, nothing was built.
set -eu
cd "$(dirname "$0")/.."

target="$(uname -m)-unknown-linux-musl"
if ! rustc --print target-libdir --target "$target" 2>/dev/null | xargs -r ls >/dev/null 2>&1; then
    command -v rustup >/dev/null 2>&1 ||
        { printf 'static.sh: the target %s is not installed, and there is no rustup to fetch it\n' "$target" >&2; exit 77; }
    rustup target add "$target" ||
        { printf 'static.sh: rustup cannot fetch the target %s\n' "$target" >&2; exit 77; }
fi

if command -v musl-gcc >/dev/null 2>&1; then
    features='--features png'
else
    printf 'static.sh: no musl-gcc (apt-get install musl-tools): built with the allocator of musl, which is slower\n' >&2
    features='--no-default-features --features cli,png,screen'
fi
# shellcheck disable=SC2086 # several words on purpose
cargo build --profile dist --locked --target "$target" $features

binary="target/$target/dist/bcheck"
# ldd says so by its exit code too, in its own way on each system: the words are the same.
if ldd "$binary" 2>&1 | grep -q '=>'; then
    printf 'static.sh: %s needs dynamic libraries:\n' "$binary" >&2
    ldd "$binary" >&2
    exit 1
fi
"$binary" machines/classic/phonebook.mch --deferred 3 --format short
printf '%s: %s bytes, no dynamic libraries\n' "$binary" "$(wc -c <"$binary")"
