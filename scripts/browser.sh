#!/bin/sh
# Looks at reports in headless Chromium: steps through traces by keyboard; no error in the console, no request beyond the page itself;
# contrast and labels by axe-core, in light and in dark; windows of 390 to 2,560 pixels, with no word broken and a sign where something
# scrolls; print and no script. A graph of 20,000 classes: first paint, frames while zooming, search, keys, clicks. First a page full of
# faults, each of which must be found. Leaves pictures in target/browser/pictures.
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
report trace-explained 12 machines/violation/lift_doors.mch --deferred 4 --explain --changes
report trace-tiles 20 machines/pictures/shelves.mch
report trace-grid 20 machines/pictures/frogs.mch --no-deadlock
report trace-graph 20 machines/pictures/courier.mch
report trace-visb 20 machines/pictures/crossing.mch
report trace-chips 20 machines/pictures/wards.mch --deferred 3 --no-deadlock
report formulas 13 machines/temporal/filter_lock.mch --temporal --continue --only-temporal --explain
report covered 0 machines/studies/bounded_stack.mch
"$bcheck" machines/pictures/frogs.mch --no-deadlock --picture "$folder/reports/trace-album.html" --progress none >/dev/null 2>&1 || [ $? = 20 ]
cat >"$folder/reports/wide.mch" <<'MACHINE_ENDS'
MACHINE wide
SETS CAR = {ambulance, fire_engine, delivery_van, articulated_lorry, electric_tricycle}; ROAD = {northern_motorway, southern_ring_road, harbour_tunnel, old_bridge_street}
VARIABLES on_the_way_from_one_place_to_another, queue, last_seen, flags
INVARIANT on_the_way_from_one_place_to_another : CAR * ROAD --> 0..9999999 & queue : seq(CAR * ROAD) & last_seen : CAR <-> ROAD & flags : 1..40 --> BOOL & size(queue) < 3 & !(car, road).(car : CAR & road : ROAD => on_the_way_from_one_place_to_another(car, road) + size(queue) <= 1000000 or last_seen[{car}] = {road} or card(last_seen) > 4)
INITIALISATION on_the_way_from_one_place_to_another := CAR * ROAD * {1000000 - 3} || queue := [] || last_seen := CAR * ROAD || flags := (1..40) * {FALSE}
OPERATIONS drive_to_the_other_side_of_the_town(car, road) = PRE car : CAR & road : ROAD THEN queue := queue <- (car |-> road) || last_seen := {car} <<| last_seen || flags(size(queue) + 1) := TRUE || on_the_way_from_one_place_to_another(car, road) := 4711 END
END
MACHINE_ENDS
report trace-wide 12 "$folder/reports/wide.mch" --explain

# What a machine brings is data: texts, an SVG file, images, attributes.
cat >"$folder/reports/hostile.mch" <<'MACHINE_ENDS'
MACHINE hostile
DEFINITIONS
  ANIMATION_FUNCTION == {(1, 1, "<img src=x onerror=alert(3)>"), (1, 2, "\" onload=\"alert(4)")} \/ {(2, 1, s)};
  ANIMATION_FUNCTION1 == {(3, 1, 1)};
  ANIMATION_IMG1 == "hostile_image.svg";
  VISB_SVG_FILE == "hostile_picture.svg";
  VISB_SVG_OBJECTS == {rec(svg_class: "rect", `id`: "b", x: "1", y: "1", width: "9", height: "9", mask: "image-set('https://example.invalid/m.png' 1x)", onclick: "alert(5)")};
  VISB_SVG_UPDATES == rec(`id`: "a", fill: "u\\72l(https://example.invalid/f)", text: s)
VARIABLES s, t
INVARIANT s : STRING & t <: STRING & s /= "<img src=x onerror=alert(1)>&</pre><script>alert(2)</script>"
INITIALISATION s := "" || t := {"]]>", "<!--"}
OPERATIONS put = BEGIN s := "<img src=x onerror=alert(1)>&</pre><script>alert(2)</script>" END
END
MACHINE_ENDS
cat >"$folder/reports/hostile_image.svg" <<'IMAGE_ENDS'
<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" onload="alert(6)"><script>alert(7)</script><image href="https://example.invalid/i.png" width="9" height="9"/><rect width="20" height="20"/></svg>
IMAGE_ENDS
cat >"$folder/reports/hostile_picture.svg" <<'PICTURE_ENDS'
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 90 40" onload="alert(8)"><script>alert(9)</script><style>@import url(https://example.invalid/s.css); body { display: none }</style><foreignObject><iframe src="https://example.invalid/"/></foreignObject><text id="a" x="4" y="20">a</text><use xlink:href="https://example.invalid/u.svg#x"/><a href="javascript:alert(10)"><rect width="5" height="5"/></a><g style="mask: image-set('https://example.invalid/n.png' 1x); fill: red"><rect width="5" height="5" filter="url(https://example.invalid/f.svg#f)"/></g><animate attributeName="href" to="javascript:alert(11)"/><set attributeName="onload" to="alert(12)"/></svg>
PICTURE_ENDS
report trace-hostile 12 "$folder/reports/hostile.mch"
"$bcheck" "$folder/reports/hostile.mch" --picture "$folder/reports/hostile_drawn.svg" --progress none >/dev/null 2>&1 || [ $? = 12 ]
rm "$folder/reports/hostile_image.svg" "$folder/reports/hostile_picture.svg"
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
