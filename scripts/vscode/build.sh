#!/bin/sh
# Packages the extension for VS Code: scripts/vscode/build.sh leaves target/vscode/bcheck.vsix, for `code --install-extension`.
# Needs Node.js 20 or later with npm, and npm's registry the first time; no account of a marketplace. Exit code 77: something is missing.
# All is done in a copy below target, so that no module of npm lies among the sources.
set -eu
cd "$(dirname "$0")/../.."

missing() {
    printf 'vscode/build.sh: not built: %s\n' "$1" >&2
    exit 77
}
command -v node >/dev/null 2>&1 || missing 'there is no Node.js (20 or later)'
[ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" = true ] || missing "Node.js $(node --version) is too old: 20 or later"
command -v npm >/dev/null 2>&1 || missing 'there is no npm'

sources=scripts/vscode
folder=target/vscode
mkdir -p "$folder"
if ! cmp -s "$sources/package-lock.json" "$folder/package-lock.json" || [ ! -d "$folder/node_modules/vscode-languageclient" ]; then
    cp "$sources/package.json" "$sources/package-lock.json" "$folder/"
    # Scripts of packages are not run: none that is used here needs one.
    (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel error) ||
        { rm -f "$folder/package-lock.json"; missing 'npm cannot fetch the packages of package-lock.json'; }
fi
rm -rf "$folder/source" "$folder/tests" "$folder/dist" "$folder/bcheck.vsix"
cp -R "$sources/source" "$sources/tests" "$sources/package.json" "$sources/README.md" "$sources/language-configuration.json" \
    "$sources/.vscodeignore" "$folder/"
{
    printf 'Licensed under either of Apache License 2.0 or MIT license, at your option.\n\n'
    cat LICENSE-MIT
    printf '\n'
    cat LICENSE-APACHE
} >"$folder/LICENSE.txt"

cd "$folder"
mkdir dist
node source/bundle.mjs
npx --no-install vsce package --no-dependencies --allow-missing-repository --out bcheck.vsix >dist/vsce.log 2>&1 ||
    { cat dist/vsce.log >&2; exit 1; }
printf 'vscode/build.sh: %s (%s bytes)\n' "$folder/bcheck.vsix" "$(wc -c <bcheck.vsix | tr -d ' ')"
