//! VisB: files in JSON, hovers, events; images as pixels; pictures of refinements and replays.
//!
//! Deliberately elsewhere: other pictures by definitions (`state_pictures`).

use crate::html::page;
use crate::program::{Run, bcheck, command, ended, root, start};
use crate::xml::{Element, parse};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// An animation of a machine by a script.
fn animate(machine: &str, script: &str) -> Run {
    let mut command = command(&["animate", machine]);
    command.stdin(Stdio::piped());
    let mut child = start(command);
    child.stdin.take().expect("piped").write_all(script.as_bytes()).expect("written");
    ended(child)
}

/// The first line of the answer to a command that occurs once in a script.
fn answer<'a>(run: &'a Run, command: &str) -> &'a str {
    let after = run.stdout.split(&format!("> {command}\n")).nth(1).unwrap_or_else(|| panic!("{command}: {run:?}"));
    after.lines().next().unwrap_or_default()
}

fn read(path: &Path) -> Element {
    parse(&std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The elements of a picture with ids, by the part of the id behind the number of the step.
fn objects(element: &Element) -> BTreeMap<String, &Element> {
    let own = element.attributes.iter().find(|(name, value)| name == "id" && value.contains("step"));
    let own = own.and_then(|(_, id)| id.split_once('-')).map(|(_, id)| (id.to_owned(), element));
    own.into_iter().chain(element.children.iter().flat_map(objects)).collect()
}

/// The frames of a strip.
fn frames(strip: &Element) -> Vec<&Element> {
    strip.all("g").into_iter().filter(|group| group.attributes.iter().any(|(name, value)| name == "class" && value == "frame")).collect()
}

fn has(objects: &BTreeMap<String, &Element>, id: &str, attribute: &str, value: &str) {
    let object = objects.get(id).unwrap_or_else(|| panic!("no object {id}: {:?}", objects.keys()));
    assert_eq!(object.attribute(attribute), value, "{attribute} of {id}");
}

/// The titles of the cells of a picture.
fn cells(picture: &Element) -> Vec<String> {
    let is_cell = |group: &&Element| group.attributes.iter().any(|(name, value)| name == "class" && value == "cell");
    picture.all("g").into_iter().filter(is_cell).map(|cell| cell.all("title")[0].text.clone()).collect()
}

/// A folder with a machine whose VisB file is `v.json`.
fn with_file(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = "MACHINE m SETS S = {a, b} DEFINITIONS GOAL == n = 1; VISB_JSON_FILE == \"v.json\" VARIABLES n INVARIANT n : 0..1 \
                   INITIALISATION n := 0 OPERATIONS up(s) = PRE s : S & n = 0 THEN n := 1 END END";
    std::fs::write(folder.path().join("m.mch"), machine).expect("written");
    std::fs::write(folder.path().join("v.json"), text).expect("written");
    folder
}

/// What a check with a strip says about the VisB file in a folder; the strip.
fn drawn(folder: &Path) -> (String, Option<Element>) {
    let strip = folder.join("s.svg");
    let run = bcheck(&[&folder.join("m.mch").display().to_string(), "--picture", &strip.display().to_string()]);
    assert_eq!(run.code, Some(20), "a picture stops no check: {run:?}");
    (run.stderr, strip.exists().then(|| read(&strip)))
}

#[test]
fn objects_of_a_file_are_what_its_formulas_evaluate_to_in_random_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let strip = folder.path().join("run.svg");
    for seed in 1..=8 {
        let script = format!(
            "random 7 {seed}\neval floor\neval bool(door = open)\neval {{0 |-> 132, 1 |-> 92, 2 |-> 52, 3 |-> 12}}(floor)\neval called\n\
             save {}\nquit\n",
            strip.display()
        );
        let run = animate("machines/pictures/lift_panel.mch", &script);
        let floor = answer(&run, "eval floor");
        let is_open = answer(&run, "eval bool(door = open)") == "TRUE";
        let called = answer(&run, "eval called");
        let picture = read(&strip);
        let all = frames(&picture);
        let last = objects(all.last().expect("a frame"));
        has(&last, "cabin", "y", answer(&run, "eval {0 |-> 132, 1 |-> 92, 2 |-> 52, 3 |-> 12}(floor)"));
        has(&last, "cabin", "fill", if is_open { "white" } else { "silver" });
        assert!(last["sign"].text.trim().ends_with(floor), "{:?}", last["sign"]);
        for button in 0..4 {
            let (id, is_called) = (format!("button{button}"), called.contains(&button.to_string()));
            has(&last, &id, "fill", if is_called { "gold" } else { "white" });
            has(&last, &id, "cy", &(152 - 40 * button).to_string());
            // An item of the included file says black; that of the file itself overrides it.
            has(&last, &id, "stroke", if button == 0 && floor == "0" { "crimson" } else { "black" });
        }
    }
}

#[test]
fn objects_of_definitions_are_what_they_evaluate_to_in_random_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let strip = folder.path().join("run.svg");
    for seed in 1..=8 {
        let script = format!("random 6 {seed}\neval 30 * level\neval opened\nsave {}\nquit\n", strip.display());
        let run = animate("machines/pictures/valves.mch", &script);
        let picture = read(&strip);
        let all = frames(&picture);
        let last = objects(all.last().expect("a frame"));
        has(&last, "water", "height", answer(&run, "eval 30 * level"));
        for valve in ["inflow", "outflow"] {
            let is_open = answer(&run, "eval opened").contains(valve);
            has(&last, &format!("valve_{valve}"), "fill", if is_open { "lime" } else { "white" });
        }
        let run = animate(
            "machines/pictures/rooks.mch",
            &format!("random 3 {seed}\neval rooks \\/ {{0 |-> 0}}\nsave {}\nquit\n", strip.display()),
        );
        let picture = read(&strip);
        let last = cells(frames(&picture).last().expect("a frame"));
        // A pair that keeps the set from being written as a sequence.
        let rooks = answer(&run, "eval rooks \\/ {0 |-> 0}");
        let places: Vec<(u8, u8)> = (1..=4).flat_map(|row| (1..=4).map(move |column| (row, column))).collect();
        let is_rook = |(row, column): (u8, u8)| rooks.contains(&format!("{row}|->{column}"));
        for (row, column) in &places {
            let content = match (*row, *column) {
                place if is_rook(place) => "rook",
                (row, column) if places.iter().any(|place| is_rook(*place) && (place.0 == row || place.1 == column)) => "x",
                (row, column) => [".", ":"][usize::from((row + column) % 2)],
            };
            assert!(last.contains(&format!("row {row}, column {column}: {content}")), "{rooks}: {last:?}");
        }
        assert!(last.contains(&"row 0, column 4: d".to_owned()), "{last:?}");
    }
}

#[test]
fn a_graph_of_records_has_the_fields_of_its_records_in_random_runs() {
    for seed in 1..=6 {
        let run = animate("machines/pictures/pipeline.mch", &format!("random 4 {seed}\neval stage\npicture\nquit\n"));
        let stage = answer(&run, "eval stage");
        let lines: Vec<&str> = run.stdout.split("> picture\n").nth(1).expect("an answer").lines().map(str::trim).collect();
        for job in ["fetch", "build", "test", "ship"] {
            let is_in = |of: &str| stage.contains(&format!("{job}|->{of}"));
            let (of, colour) =
                [("waiting", "white"), ("running", "gold"), ("done", "lightgreen")].into_iter().find(|(of, _)| is_in(of)).expect("a stage");
            let node = format!("{job} fillcolor = {colour}, shape = box, tooltip = {of}");
            assert!(lines.contains(&node.as_str()), "{node}: {lines:?}");
            assert_eq!(lines.contains(&format!("{job} -[runs]-> {job}").as_str()), of == "running", "{lines:?}");
        }
        assert!(lines.contains(&"fetch -[before]-> build"), "{lines:?}");
    }
}

#[test]
fn what_is_wrong_in_a_file_is_said_at_its_line_with_a_remedy_and_stops_nothing() {
    let text = "{\n\"model-name\": \"other\",\n\"svg_objects\": [{\"svg_class\": \"rect\", \"id\": \"r\"}],\n\"items\": [\n\
        {\"id\": \"r\", \"attr\": \"fill\", \"value\": \"red\"},\n\
        {\"id\": \"r\", \"x\": \"n + TRUE\"},\n\
        {\"id\": \"r\", \"y\": \"n +\"},\n\
        {\"attr\": \"x\", \"value\": \"1\"},\n\
        {\"id\": \"r\", \"attr\": \"x\"},\n\
        {\"id\": \"r\", \"height\": \"n\"},\n\
        {\"id\": \"r\", \"height\": \"n + 1\"},\n\
        {\"id\": \"r\", \"width\": \"%0 + m\", \"repeat\": [\"1\", \"2\"]},\n\
        {\"id\": \"r\", \"rx\": \"unknown\", \"optional\": true},\n\
        {\"id\": \"r\", \"ry\": 1, \"for\": {\"from\": 1, \"to\": 3, \"step\": 0}}\n],\n\"events\": [\n\
        {\"id\": \"r\", \"event\": \"upp\"},\n\
        {\"id\": \"r\", \"event\": \"up\", \"predicates\": [\"s = 1\"]},\n\
        {\"id\": \"r\", \"hovers\": {}}\n]\n}\n";
    let folder = with_file(text);
    let (said, strip) = drawn(folder.path());
    for (line, part, remedy) in [
        (2, "this VisB file is for the machine `other`", "change model-name"),
        (5, "the attribute `fill` of `r` is left out of pictures: ", "a string has its own quotes: \"\\\"red\\\"\""),
        (6, "the attribute `x` of `r` is left out of pictures: ", ""),
        (7, "the attribute `y` of `r` is left out of pictures: ", ""),
        (8, "an item is left out of pictures: it has no `id`", "write the id of an object"),
        (9, "the attribute `x` of `r` is left out of pictures: it has no `value`", "write a formula"),
        (11, "the attribute `height` of `r` is given once more", "\"override\": true"),
        (12, "the attribute `width` of `r` is left out of pictures: ", ""),
        (14, "an item is left out of pictures: the step of `for` is no positive number", "`for` is written {\"from\": 1"),
        (17, "the event of `r` is left out of pictures: the machine has no operation `upp`", "a similar name is `up`"),
        (18, "the event of `r` is left out of pictures: ", ""),
        (19, "the event of `r` is left out of pictures: its hovers are no list", "write \"hovers\": ["),
    ] {
        let place = format!("v.json:{line}:");
        let about = said.split("\n\n").find(|one| one.contains(&place)).unwrap_or_else(|| panic!("line {line}: {said}"));
        assert!(about.contains(part) && about.contains(remedy), "line {line}: {about}");
    }
    assert_eq!(said.matches("B0410").count(), 12, "each once: {said}");
    let strip = strip.expect("a picture");
    has(&objects(frames(&strip)[1]), "r", "height", "2");
}

#[test]
fn files_are_read_only_below_the_folder_of_the_machine_and_circles_end() {
    let folder = with_file(
        "{\"svg_objects\": [{\"svg_class\": \"rect\", \"id\": \"top\"}],\n\"include\": [\"sub/a.json\", \"none.json\", \"/etc/passwd\"]}",
    );
    std::fs::create_dir(folder.path().join("sub")).expect("a folder");
    let included = "{\"svg\": \"../p.svg\", \"svg_objects\": [{\"svg_class\": \"rect\", \"id\": \"below\"}], \"include\": [\"../v.json\", \"b.json\"]}";
    std::fs::write(folder.path().join("sub/a.json"), included).expect("written");
    std::fs::write(folder.path().join("sub/b.json"), "{\"items\": [").expect("written");
    let (said, strip) = drawn(folder.path());
    for part in [
        "v.json is not read: it includes itself",
        "none.json is not read: there is no such file",
        "/etc/passwd is not read: it is not below",
        "this is not JSON",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(said.contains("sub/b.json:1:") && said.contains("v.json:2:") && !said.contains("root:"), "{said}");
    let strip = strip.expect("a picture");
    assert_eq!(objects(frames(&strip)[0]).keys().collect::<Vec<_>>(), ["below", "top"]);
    // A text that is not JSON is not quoted.
    std::fs::write(folder.path().join("v.json"), "secret words").expect("written");
    let (said, strip) = drawn(folder.path());
    assert!(said.contains("the VisB file v.json is not read: it is not a JSON object") && !said.contains("secret"), "{said}");
    assert!(strip.is_some(), "states are drawn by their values then");
}

#[test]
fn nothing_of_a_file_runs_or_loads() {
    let text = "{\"svg_objects\": [{\"svg_class\": \"script\", \"id\": \"s\", \"text\": \"alert(1)\"}, {\"svg_class\": \"rect\", \"id\": \"r\", \"onclick\": \"alert(1)\"}],\n\
        \"items\": [{\"id\": \"r\", \"onload\": \"\\\"alert(1)\\\"\", \"fill\": \"\\\"url(http://x/y)\\\"\"}],\n\
        \"events\": [{\"id\": \"r\", \"event\": \"up\", \"hovers\": [{\"attr\": \"onclick\", \"enter\": \"alert(1)\"}, {\"attr\": \"fill\", \"enter\": \"url(//x)\"},\n\
        {\"attr\": \"stroke\", \"enter\": \"\\\"></rect>\"}]}]}";
    let folder = with_file(text);
    let machine = folder.path().join("m.mch").display().to_string();
    let (text, page, code) = page(&[&machine]);
    assert_eq!(code, Some(20));
    let step = page.all("article")[0];
    let all = objects(step);
    let names: Vec<&str> = all["r"].attributes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((all.len(), names), (1, vec!["data-hover", "class", "id"]));
    let hover: serde_json::Value = serde_json::from_str(all["r"].attribute("data-hover")).expect("JSON");
    assert_eq!(hover, serde_json::json!([["step0-r", "stroke", "\"></rect>"]]));
    let said: String = step.all("p").iter().map(|paragraph| paragraph.text.as_str()).collect();
    for part in ["attribute onclick", "attribute onload", "element script", "value of fill"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!text.contains("http://x/y") && !text.contains("alert(1)"));
}

#[test]
fn an_object_names_the_operation_that_it_stands_for_and_whether_the_run_goes_on_with_it() {
    let (_, page, code) = page(&["machines/pictures/valves.mch"]);
    assert_eq!(code, Some(20));
    let steps = page.all("article");
    let title = |step: usize, id: &str| objects(steps[step])[id].all("title")[0].text.clone();
    assert_eq!(title(0, "valve_inflow"), "turn where v = inflow (the next step)");
    assert_eq!(title(0, "valve_outflow"), "turn where v = outflow");
    assert_eq!((title(1, "valve_inflow"), title(1, "tank")), ("turn where v = inflow".to_owned(), "fill (the next step)".to_owned()));
    let rows: Vec<&Element> = steps[1].all("li");
    assert!(rows.iter().any(|row| row.text.contains("fill (the next step)")), "{rows:?}");
    // The script puts these attributes on an object while the pointer is on it.
    let hover = |step: usize, id: &str| -> serde_json::Value {
        serde_json::from_str(objects(steps[step])[id].attribute("data-hover")).expect("JSON")
    };
    assert_eq!(
        hover(2, "valve_inflow"),
        serde_json::json!([["step2-valve_inflow", "stroke", "orange"], ["step2-valve_inflow", "stroke-width", "4"]])
    );
    let run = animate("machines/pictures/valves.mch", "turn(inflow)\npicture\nquit\n");
    let lines: Vec<&str> = run.stdout.split("> picture\n").nth(1).expect("an answer").lines().collect();
    let all = [
        "clickable:",
        "  valve_inflow: turn where v = inflow: 2) turn(v = inflow)",
        "  valve_outflow: turn where v = outflow: 3) turn(v = outflow)",
        "  tank: fill: 1) fill",
    ];
    assert!(all.iter().all(|line| lines.iter().any(|one| one.split(':').next() == line.split(':').next())), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.starts_with("  valve_inflow: turn where v = inflow: ") && line.ends_with("turn(v = inflow)")),
        "{lines:?}"
    );
    let run = animate("machines/pictures/lift_panel.mch", "picture\nquit\n");
    assert!(run.stdout.contains("  button2: call where f = 2: ") && run.stdout.contains("  sign: up: not enabled\n"), "{run:?}");
}

#[test]
#[cfg(feature = "png")]
fn images_of_a_machine_are_drawn_as_pixels() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.png");
    let run = bcheck(&["machines/pictures/ferry.mch", "--picture", &path.display().to_string()]);
    assert!(run.code == Some(20) && run.stderr.is_empty(), "{run:?}");
    let pixels = || {
        let mut reader =
            png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).expect("a picture"))).read_info().expect("a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("its size")];
        reader.next_frame(&mut bytes).expect("pixels");
        bytes
    };
    let count = |bytes: &[u8], colour: [u8; 3]| bytes.chunks(4).filter(|pixel| pixel[..3] == colour).count();
    let drawn = pixels();
    // Water and sand of PNG, the hull of the boat of GIF.
    assert!(count(&drawn, [40, 110, 190]) > 1000 && count(&drawn, [222, 200, 140]) > 1000 && count(&drawn, [120, 70, 30]) > 300);
    // Without the files there are tiles.
    let machine = folder.path().join("ferry.mch");
    std::fs::copy(root().join("machines/pictures/ferry.mch"), &machine).expect("a copy");
    let run = bcheck(&[&machine.display().to_string(), "--picture", &path.display().to_string()]);
    assert!(run.stderr.contains("3 of 3 images do not exist"), "{run:?}");
    assert_eq!(count(&pixels(), [120, 70, 30]), 0);
}

/// A machine and a refinement of it with pictures, which counts too far.
fn refinement(folder: &Path) -> String {
    let machine = "MACHINE A VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0 OPERATIONS inc = PRE n < 3 THEN n := n + 1 END END";
    let refining = "REFINEMENT B REFINES A DEFINITIONS ANIMATION_FUNCTION == {(1, 1, m), (1, 2, n)}; ANIMATION_FUNCTION1 == {(2, 1, m)}; \
        ANIMATION_IMG0 == \"zero.gif\"\nVARIABLES m INVARIANT m = n INITIALISATION m := 0 \
        OPERATIONS inc = BEGIN IF m = 2 THEN m := 0 ELSE m := m + 1 END END END";
    std::fs::write(folder.join("A.mch"), machine).expect("written");
    std::fs::write(folder.join("B.ref"), refining).expect("written");
    std::fs::write(folder.join("zero.gif"), std::fs::read(root().join("machines/pictures/images/boat.gif")).expect("an image"))
        .expect("written");
    folder.join("B.ref").display().to_string()
}

#[test]
fn states_of_a_refinement_and_of_a_replay_are_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = refinement(folder.path());
    let named = |name: &str| folder.path().join(name).display().to_string();
    let (strip, html, trace) = (named("s.svg"), named("r.html"), named("t.json"));
    let run = bcheck(&["refine", &machine, "--picture", &strip, "--html", &html, "--trace", &trace]);
    assert_eq!(run.code, Some(13), "{run:?}");
    assert!(
        run.stderr.contains("ANIMATION_FUNCTION is left out of pictures: "),
        "the refined machine's variable has one name only: {run:?}"
    );
    let expected = |steps: &[&str]| -> Vec<Vec<String>> { steps.iter().map(|step| vec![(*step).to_owned()]).collect() };
    let all = expected(&["row 2, column 1: image 0, zero", "row 2, column 1: 1", "row 2, column 1: 2", "row 2, column 1: image 0, zero"]);
    let picture = read(Path::new(&strip));
    assert_eq!(frames(&picture).into_iter().map(cells).collect::<Vec<_>>(), all);
    let page = read(Path::new(&html));
    assert_eq!(page.all("article").into_iter().map(cells).collect::<Vec<_>>(), all);
    assert_eq!(page.all("image").len(), 1);
    let (strip, html) = (named("s2.svg"), named("r2.html"));
    let run = bcheck(&["replay", &trace, &machine, "--picture", &strip, "--html", &html]);
    let picture = read(Path::new(&strip));
    assert_eq!(frames(&picture).into_iter().map(cells).collect::<Vec<_>>(), all, "{run:?}");
    let page = read(Path::new(&html));
    assert_eq!(page.all("article").into_iter().map(cells).collect::<Vec<_>>(), all);
    let verdict = page.all("header")[0].all("span")[0].text.clone();
    assert!(run.stdout.trim_end().ends_with(&verdict) && ["perfect", "partial"].contains(&verdict.as_str()), "{verdict}: {run:?}");
    // Nobody asks for pictures here.
    let run = bcheck(&["replay", &trace, &machine, "--html", &html, "--pictures", "none"]);
    assert!(read(Path::new(&html)).all("article").into_iter().all(|step| cells(step).is_empty()), "{run:?}");
}

#[test]
fn ids_of_pictures_are_distinct_in_the_page_of_a_chain() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = refinement(folder.path());
    let lower = "REFINEMENT C REFINES B DEFINITIONS ANIMATION_FUNCTION == {(1, 1, k)}; ANIMATION_IMG0 == \"zero.gif\"\n\
        VARIABLES k INVARIANT k = m INITIALISATION k := 0 OPERATIONS inc = BEGIN k := k + 1 END END";
    std::fs::write(folder.path().join("C.ref"), lower).expect("written");
    let html = folder.path().join("r.html").display().to_string();
    let run = bcheck(&["refine", &folder.path().join("C.ref").display().to_string(), "--chain", "--html", &html]);
    assert!(run.stdout.contains("C refines B") && run.stdout.contains("B refines A"), "{machine}: {run:?}");
    let page = read(Path::new(&html));
    fn ids(element: &Element, found: &mut Vec<String>) {
        found.extend(element.attributes.iter().filter(|(name, _)| name == "id").map(|(_, id)| id.clone()));
        element.children.iter().for_each(|child| ids(child, found));
    }
    let mut all = Vec::new();
    ids(&page, &mut all);
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count, "an id stands there twice");
    assert_eq!(page.all("image").len(), 2);
    for used in page.all("use") {
        assert!(all.binary_search(&used.attribute("href").trim_start_matches('#').to_owned()).is_ok(), "{used:?}");
    }
}
