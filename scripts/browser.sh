#!/bin/sh
# Looks at reports in headless Chromium: steps through traces by keyboard; no error in the console, no request beyond the page itself;
# contrast and labels by axe-core, in light and in dark; print and no script. A graph of 20,000 classes: first paint, frames while zooming,
# search, keys, clicks. Leaves pictures in target/browser/pictures.
# Needs Chromium (CHROMIUM=PATH names one), Node.js 18 or later with npm, and for the first run the registry of npm. What is missing is
# installed where that is possible without asking (as root on Debian: chromium). Exit code 77: something is missing, nothing was tested.
# BCHECK=PATH names a program to be tested; without it, one is built.
set -eu
cd "$(dirname "$0")/.."

missing() {
    printf 'browser.sh: not tested: %s\n' "$1" >&2
    exit 77
}

find_chromium() {
    for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable chrome; do
        if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
            command -v "$name"
            return
        fi
    done
}

chromium=$(find_chromium)
if [ -z "$chromium" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    printf 'browser.sh: installing chromium\n'
    apt-get install --yes --quiet --no-install-recommends chromium >/dev/null 2>&1 ||
        { apt-get update --quiet >/dev/null 2>&1 && apt-get install --yes --quiet --no-install-recommends chromium >/dev/null 2>&1; } || true
    chromium=$(find_chromium)
fi
[ -n "$chromium" ] || missing 'there is no Chromium (apt-get install chromium, or name one by CHROMIUM=PATH)'
command -v node >/dev/null 2>&1 || missing 'there is no Node.js (18 or later)'
[ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 18')" = true ] || missing "Node.js $(node --version) is too old: 18 or later"
command -v npm >/dev/null 2>&1 || missing 'there is no npm'

folder=target/browser
mkdir -p "$folder/reports" "$folder/pictures"
if ! cmp -s scripts/browser/package-lock.json "$folder/package-lock.json" || [ ! -d "$folder/node_modules/axe-core" ]; then
    cp scripts/browser/package.json scripts/browser/package-lock.json "$folder/"
    (cd "$folder" && npm ci --no-audit --no-fund --loglevel error) ||
        { rm -f "$folder/package-lock.json"; missing 'npm cannot fetch puppeteer-core and axe-core'; }
fi
cp scripts/browser/*.mjs "$folder/"

if [ -n "${BCHECK:-}" ]; then
    bcheck=$BCHECK
else
    cargo build --locked --quiet
    bcheck=target/debug/bcheck
fi

# The name of a report, its exit code, and how it is made. Where the name begins with `trace`, there are steps to go through.
report() {
    name=$1
    expected=$2
    shift 2
    code=0
    "$bcheck" "$@" --html "$folder/reports/$name.html" --progress none >/dev/null 2>"$folder/reports/$name.log" || code=$?
    if [ "$code" != "$expected" ]; then
        printf 'browser.sh: bcheck %s ends with %s, not %s:\n' "$*" "$code" "$expected" >&2
        cat "$folder/reports/$name.log" >&2
        exit 1
    fi
}
rm -f "$folder"/reports/*
report trace-violation 12 machines/classic/phonebook_err.mch --deferred 2
report trace-deadlock 11 machines/violation/deadlock.mch
report trace-goal 20 machines/classic/phonebook.mch --deferred 3 --goal 'card(db) = 2'
report trace-refinement 13 refine machines/refinement/LateLottery.ref --mode simulation-all --deferred 3
report verified 0 machines/classic/phonebook.mch --deferred 3
report incomplete 152 machines/classic/phonebook.mch --deferred 5 --symmetry off --max-states 100
report compare 0 compare machines/classic/phonebook.mch --deferred 1..5
report trace-chain 13 refine machines/refinement/SignalHasty.ref --chain --deferred 2
cat >"$folder/reports/hostile.mch" <<'MACHINE_ENDS'
MACHINE hostile VARIABLES s, t
INVARIANT s : STRING & t <: STRING & s /= "<img src=x onerror=alert(1)>&</pre><script>alert(2)</script>"
INITIALISATION s := "" || t := {"]]>", "<!--"}
OPERATIONS put = BEGIN s := "<img src=x onerror=alert(1)>&</pre><script>alert(2)</script>" END
END
MACHINE_ENDS
report trace-hostile 12 "$folder/reports/hostile.mch"
report refinement 0 refine machines/refinement/Chain.ref --deferred 2
report graph 0 machines/classic/phonebook.mch --deferred 3 --symmetry off --html-project 'card(db)'
cat >"$folder/large.mch" <<'MACHINE_ENDS'
MACHINE large SETS S VARIABLES f
INVARIANT f : S --> 0..199
INITIALISATION f := S * {0}
OPERATIONS
  up(s) = PRE s : S & f(s) < 199 THEN f(s) := f(s) + 1 END;
  down(s) = PRE s : S & f(s) > 0 THEN f(s) := f(s) - 1 END;
  swap = PRE card(ran(f)) = 2 THEN f := %s.(s : S | max(ran(f)) + min(ran(f)) - f(s)) END
END
MACHINE_ENDS

export CHROMIUM="$chromium"
node "$folder/look.mjs" "$folder/reports" "$folder/pictures"
report large 0 "$folder/large.mch" --deferred 2 --html-project 'max(ran(f))'
node "$folder/graph.mjs" "$folder/reports/large.html" "$folder/pictures"
