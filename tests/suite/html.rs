//! The report for a browser: well-formed, complete without a script, and unable to load anything.

use crate::program::bcheck;
use crate::xml::{Element, parse};

/// The report of a check, as text and as read.
pub(crate) fn page(arguments: &[&str]) -> (String, Element, Option<i32>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.html");
    let target = path.display().to_string();
    let mut all = arguments.to_vec();
    all.extend(["--html", &target]);
    let run = bcheck(&all);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    let read = parse(&text);
    (text, read, run.code)
}

/// All text in an element, in order of depth.
fn words(element: &Element) -> String {
    let inside: String = element.children.iter().map(words).collect();
    format!("{} {inside}", element.text)
}

#[test]
fn the_trace_is_there_step_by_step_with_what_changed() {
    let (_, page, code) = page(&["machines/classic/phonebook_err.mch", "--deferred", "2"]);
    assert_eq!(code, Some(12));
    let steps: Vec<&Element> = page.all("article");
    assert_eq!(steps.len(), 4);
    assert!(words(steps[1]).contains("add(n = Name1, c = Code1)") && words(steps[1]).contains("phonebook_err.mch:19:3"), "{:?}", steps[1]);
    // Rows of a function that is shown as a table have no word beside the value.
    let is_of_state = |row: &Element| row.all("td").get(1).is_some();
    let marked = |step: &Element, word: &str| {
        step.all("tr").iter().filter(|row| is_of_state(row) && row.all("td")[1].text.starts_with(word)).count()
    };
    assert_eq!(steps.iter().map(|step| marked(step, "changed")).collect::<Vec<_>>(), [0, 2, 1, 2]);
    assert_eq!(marked(steps[0], "new"), 2);
    for part in ["changed: ", "db: + Name1|->Code1", "was", "{}"] {
        assert!(words(steps[1]).contains(part), "{part}: {:?}", steps[1]);
    }
    let summaries: Vec<&str> = page.all("summary").iter().map(|summary| summary.text.as_str()).collect();
    assert!(summaries.contains(&"db as a table") && summaries.contains(&"Why it is false"), "{summaries:?}");
    let changed: Vec<Vec<&str>> = steps[2]
        .all("td")
        .iter()
        .filter(|cell| cell.attributes.iter().any(|(name, value)| name == "class" && value == "value changed"))
        .map(|cell| vec![cell.text.trim()])
        .collect();
    assert_eq!(changed, [["Code1"]], "the new pair is marked in the table: {:?}", steps[2]);
    let lines: Vec<&str> = steps.iter().filter_map(|step| step.all("code").first().map(|code| code.text.as_str())).collect();
    assert_eq!((lines.len(), lines[1]), (4, "add(n, c) ="), "the line of each step");
    assert!(words(steps[3]).contains("Here: the invariant is violated") && words(steps[3]).contains("ran(db) <: used"));
    assert!(!words(steps[2]).contains("Here:"));
    let hit = page.all("mark");
    assert_eq!(hit.iter().map(|span| span.text.as_str()).collect::<Vec<_>>(), ["ran(db) <: used"], "the conjunct is marked in its text");
    assert!(words(&page).contains("the invariant is violated (conjunct 3 of 3)"));
}

#[test]
fn a_loop_is_bracketed_and_the_stepper_goes_round() {
    let (text, page, code) =
        page(&["machines/temporal/starving_lock.mch", "--ltl", "G ({waiting /= {}} => F {card(waiting) = 2})", "--symmetry", "off"]);
    assert_eq!(code, Some(13));
    let trace = page.all("div").into_iter().find(|div| has(div, "data-loop")).expect("a trace with a loop");
    let start: usize = trace.attribute("data-loop").parse().expect("a number");
    assert_eq!(trace.attribute("data-ending"), format!("back to {start}"));
    let steps = trace.all("article");
    let looping: Vec<bool> = steps.iter().map(|step| step.attribute("class").split(' ').any(|class| class == "looping")).collect();
    assert!(start > 0 && start + 1 < steps.len(), "a way, and a loop of {start}..{}", steps.len());
    assert!(looping.iter().enumerate().all(|(index, inside)| *inside == (index >= start)), "{looping:?}, from {start}");
    for (index, step) in steps.iter().enumerate() {
        assert_eq!(words(step).contains("the loop begins here"), index == start, "{step:?}");
    }
    assert!(words(steps[steps.len() - 1]).contains(&format!("How it goes on: back to {start}")), "{steps:?}");
    assert!(words(&page).contains("After the last step, the right arrow goes on where the loop begins."));
    let script = &text[text.find("<script").expect("a script")..];
    assert!(
        script.contains("trace.dataset.loop") && script.contains("show(loop, "),
        "the script goes from the last step to the first of the loop"
    );
}

#[test]
fn a_run_that_ends_has_no_loop_in_its_page() {
    let (_, page, code) = page(&["machines/temporal/only_a_deadlock.mch", "--temporal=ASSERT_LTL_arrives", "--only-temporal"]);
    assert_eq!(code, Some(13));
    assert!(page.all("div").iter().all(|div| !has(div, "data-loop")) && !words(&page).contains("the loop begins here"));
    let steps = page.all("article");
    assert!(words(steps[2]).contains("How it goes on: deadlock"), "{steps:?}");
}

/// Whether an element has this attribute.
fn has(element: &Element, name: &str) -> bool {
    element.attributes.iter().any(|(known, _)| known == name)
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    let (text, page, _) = page(&["machines/classic/phonebook_err.mch", "--deferred", "2"]);
    // The name of the vocabulary of pictures is no address that anything is loaded from.
    let text = text.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    let text = text.replace("url(#", "");
    for forbidden in ["http:", "https:", "//cdn", "url(", "@import", " src=", "<link", "fetch", "XMLHttpRequest", "eval("] {
        assert!(!text.contains(forbidden), "{forbidden}");
    }
    let policy =
        page.all("meta").iter().find_map(|meta| meta.attributes.iter().find(|(name, _)| name == "content")).expect("a policy").1.clone();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
}

#[test]
fn everything_that_is_pointed_at_is_there_once_and_every_button_has_a_name() {
    let (_, page, _) = page(&["machines/violation/invariant.mch"]);
    fn ids<'a>(element: &'a Element, name: &str, found: &mut Vec<&'a str>) {
        found.extend(element.attributes.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()));
        element.children.iter().for_each(|child| ids(child, name, found));
    }
    let (mut known, mut used) = (Vec::new(), Vec::new());
    ids(&page, "id", &mut known);
    ids(&page, "aria-labelledby", &mut used);
    for id in &known {
        assert_eq!(known.iter().filter(|other| *other == id).count(), 1, "{id}");
    }
    assert!(used.len() > 5 && used.iter().all(|id| known.contains(id)), "{used:?} {known:?}");
    assert_eq!(page.attribute("lang"), "en");
    assert_eq!(page.all("button").len(), 5);
    assert!(page.all("button").iter().all(|button| !button.attribute("aria-label").is_empty()));
}

#[test]
fn a_verified_machine_tells_its_counts_and_what_can_be_exchanged() {
    let (_, page, code) = page(&["machines/classic/phonebook.mch", "--deferred", "3"]);
    assert_eq!(code, Some(0));
    let words = words(&page);
    for part in ["verified", "3 elements of Name can be exchanged", "The whole state space was searched and nothing was found."] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let row = |name: &str| {
        let rows = page.all("tr");
        let row = rows.iter().find(|row| row.all("th").first().is_some_and(|head| head.text == name)).unwrap_or_else(|| panic!("{name}"));
        row.all("td").iter().map(|cell| cell.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(row("states"), ["7", "64", "9.1x"]);
    assert_eq!(row("as ProB counts: transitions"), ["50", "433", "8.7x"]);
    assert_eq!(row("add"), ["21", "144", ""]);
    assert!(page.all("article").is_empty(), "there is no trace");
}

#[test]
fn texts_of_the_machine_are_escaped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a<b>&.mch");
    let machine =
        "MACHINE m VARIABLES s INVARIANT s /= \"<script>alert(1)</script>&\" INITIALISATION s := \"<script>alert(1)</script>&\" END";
    std::fs::write(&path, machine).expect("written");
    let (text, page, code) = page(&[&path.display().to_string()]);
    assert_eq!(code, Some(12));
    assert!(!text.contains("<script>alert"), "{text}");
    assert!(words(&page).contains("\"<script>alert(1)</script>&\""));
}

#[test]
fn conjuncts_that_contradict_each_other_are_all_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.mch");
    std::fs::write(&path, "MACHINE m\nCONSTANTS a, b\nPROPERTIES a : 1..3 & b = 0 &\n  a > 2 &\n  a < b + 2\nEND\n").expect("written");
    let (_, page, code) = page(&[&path.display().to_string()]);
    assert_eq!(code, Some(10));
    let hits: Vec<&str> = page.all("mark").iter().map(|hit| hit.text.as_str()).collect();
    assert!(hits.contains(&"a > 2") && hits.contains(&"a < b + 2"), "{hits:?}");
}

/// The rows of the table that has this head, as the words of their cells.
fn table(page: &Element, head: &str) -> Vec<Vec<String>> {
    let tables = page.all("table");
    let has_head = |table: &&&Element| table.all("th").iter().any(|cell| cell.text == head);
    let table = tables.iter().find(has_head).unwrap_or_else(|| panic!("no table has {head}"));
    table.all("tr").iter().map(|row| row.children.iter().map(|cell| words(cell).trim().to_owned()).collect()).collect()
}

/// A machine in a file of its own.
fn machine(folder: &std::path::Path, text: &str) -> String {
    let path = folder.join("m.mch");
    std::fs::write(&path, text).expect("written");
    path.display().to_string()
}

#[test]
fn a_conjunct_that_never_says_anything_is_told_from_those_that_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MACHINE m\nSETS S\nVARIABLES s, t, n\nINVARIANT\n  s <: S & t <: S & n : 0..3 &\n  (n > 3 => s = {}) &\n  (n = 2 => t = {}) &\n  !x.(x : s => n = 0) &\n  s /\\ t = {} &\n  (not(n = 1) or t = {})\nINITIALISATION s, t, n := {}, {}, 0\nOPERATIONS\n  up = PRE n < 3 THEN n := n + 1 END;\n  down = PRE n = 3 THEN n := 0 END\nEND\n";
    let (_, page, code) = page(&[&machine(folder.path(), text)]);
    assert_eq!(code, Some(0));
    let rows = table(&page, "more than vacuously true");
    let said: Vec<&str> = rows[1..].iter().map(|row| row[1].as_str()).collect();
    let never = "never: vacuously true in all 4 states";
    let always = "in all states";
    assert_eq!(said, [never, never, always, never, "in 1 of 4 states", never, never, "in 1 of 4 states"], "{rows:?}");
    assert!(rows[4][0].contains("n > 3 => s = {}") && rows[4][0].contains("m.mch:6:"), "{:?}", rows[4]);
}

#[test]
fn more_states_than_are_looked_at_are_not_passed_off_as_all() {
    let (_, page, code) = page(&["machines/classic/phonebook.mch", "--deferred", "5", "--symmetry", "off", "--max-states", "100"]);
    assert_eq!(code, Some(152));
    let text = words(&page);
    assert!(text.contains("All states that were explored (100) were looked at once more."), "{text}");
    assert!(text.contains("in all 100 states") || text.contains("of 100 states"), "{text}");
    assert!(page.all("svg").iter().all(|picture| picture.attribute("class") != "graph"), "no graph of a part");
}

#[test]
fn the_line_that_tells_elements_apart_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MACHINE m\nSETS T = {red, green, blue}\nVARIABLES s\nINVARIANT s <: T\nINITIALISATION s := {}\nOPERATIONS\n  on(t) = PRE t : T & t /= red\n  THEN s := s \\/ {t} END\nEND\n";
    let (_, page, _) = page(&[&machine(folder.path(), text), "--no-deadlock"]);
    let reasons: Vec<String> = page.all("li").iter().map(|item| words(item)).filter(|text| text.contains("is named")).collect();
    assert_eq!(reasons.len(), 1);
    assert!(reasons[0].contains("red of T is named in operation on") && reasons[0].contains("m.mch:7:"), "{reasons:?}");
    assert!(reasons[0].contains("on(t) = PRE t : T & t /= red"), "{reasons:?}");
    assert!(words(&page).contains("2 elements of T can be exchanged") && words(&page).contains("Of T, these stay where they are: red."));
}

#[test]
fn a_small_graph_is_drawn_and_distances_and_phases_are_told() {
    let (_, page, _) = page(&["machines/classic/phonebook.mch", "--deferred", "3"]);
    let pictures = page.all("svg");
    assert_eq!(pictures.iter().map(|picture| picture.attribute("class")).collect::<Vec<_>>(), ["graph", "chart"]);
    let graph = pictures[0];
    let nodes: Vec<&Element> = graph.all("g");
    assert_eq!(nodes.len(), 7);
    assert!(words(nodes[0]).contains("db = {}") && nodes[0].attribute("class") == "node initial");
    assert!(graph.all("path").len() > 7 && words(graph).contains("lookup"));
    let phases = table(&page, "phase");
    let names: Vec<&str> = phases[1..].iter().map(|row| row[0].as_str()).collect();
    assert_eq!(names[0], "reading, parsing and typing");
    assert!(names.contains(&"searching") && names.contains(&"a second look at the states"), "{names:?}");
    let share: u32 = phases[1..].iter().map(|row| row[2].trim_end_matches(" %").parse::<u32>().expect("a share")).sum();
    assert!((97..=103).contains(&share), "{share}");
}

#[test]
fn a_refinement_has_a_page_and_a_chain_has_one_for_all_its_links() {
    let (_, page, code) = page_of("refine", &["machines/refinement/LateLottery.ref", "--deferred", "3", "--mode", "simulation-all"]);
    assert_eq!(code, Some(13));
    assert!(!page.all("article").is_empty(), "the way to it");
    assert!(words(&page).contains("`Lottery` has no step with the arguments and results of `announce`"));
    let held = table(&page, "refines, of Lottery");
    assert!(held.iter().any(|row| row[..] == ["announce", "announce"]), "{held:?}");
    let (_, chain, code) = page_of("refine", &["machines/refinement/SignalHasty.ref", "--chain", "--deferred", "2"]);
    assert_eq!(code, Some(13));
    let text = words(&chain);
    assert!(text.contains("SignalHasty refines SignalLight: ") && text.contains("SignalLight refines Signal: verified"), "{text}");
    assert_eq!(chain.all("h2").iter().filter(|head| head.text.ends_with(": Counts")).count(), 2);
    assert_eq!(chain.all("marker").len(), 2, "the heads of the arrows of each picture");
    let ids: Vec<&str> = ["h2", "marker"].iter().flat_map(|tag| chain.all(tag)).map(|found| found.attribute("id")).collect();
    assert!(ids.iter().all(|id| ids.iter().filter(|other| *other == id).count() == 1), "{ids:?}");
}

#[test]
fn what_a_refinement_check_covered_is_told_of_its_configurations() {
    let (_, page, code) = page_of("refine", &["machines/refinement/Line.ref", "--deferred", "3"]);
    assert_eq!(code, Some(0));
    let rows = table(&page, "more than vacuously true");
    let said: Vec<&str> = rows[1..].iter().map(|row| row[1].as_str()).collect();
    assert!(said.contains(&"in 2 of 3 configurations") && said.contains(&"in all configurations"), "{rows:?}");
    let graph = page.all("svg").into_iter().find(|picture| picture.attribute("class") == "graph").expect("a graph of three");
    let nodes: Vec<String> = graph.all("g").into_iter().map(words).collect();
    assert_eq!(nodes.len(), 3, "{nodes:?}");
    assert!(nodes[0].contains("line = {}") && nodes[0].contains("Queue: waiting = {}"), "{nodes:?}");
    let text = words(&page);
    assert!(text.contains("All configurations that were explored (3) were looked at once more."), "{text}");
    assert!(text.contains("a line for each state in which Queue may be then"), "{text}");
    assert!(text.contains("How far configurations are"), "{text}");
    // By calls and results alone, the INVARIANT is not used; where the fault is, the box says so.
    let (_, page, code) = page_of("refine", &["machines/refinement/LineCounts.ref", "--deferred", "2", "--mode", "trace"]);
    assert_eq!(code, Some(13));
    assert!(!words(&page).contains("more than vacuously true"));
    // Parts of pictures of states need no class.
    let is_wrong = |node: &&Element| node.attributes.iter().any(|(name, value)| name == "class" && value.contains("wrong"));
    let wrong = page.all("g").into_iter().filter(is_wrong).map(words).collect::<Vec<_>>();
    assert!(!wrong.is_empty() && wrong.iter().all(|text| text.contains("refinement_violation")), "{wrong:?}");
}

fn page_of(command: &str, arguments: &[&str]) -> (String, Element, Option<i32>) {
    page(&[&[command], arguments].concat())
}
