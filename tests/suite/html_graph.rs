//! The graph of states in the report for a browser: its data is the graph of the search, and no text of a machine is more than a text.

use crate::html::page;
use crate::program::{bcheck, json, thorough};
use crate::xml::Element;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The phonebook without reduction: small, and more states than a picture shows.
const PHONEBOOK: [&str; 5] = ["machines/classic/phonebook.mch", "--deferred", "3", "--symmetry", "off"];

/// Two counters that can be exchanged: 136 classes of 256 states.
const COUNTERS: &str = "MACHINE m SETS S VARIABLES f INVARIANT f : S --> 0..15 INITIALISATION f := S * {0}\n\
    OPERATIONS up(s) = SELECT s : S & f(s) < 15 THEN f(s) := f(s) + 1 END; down(s) = SELECT s : S & f(s) > 0 THEN f(s) := f(s) - 1 END END";

/// The data of the graphs of a page.
fn graphs(page: &Element) -> Vec<Value> {
    let is_data = |script: &&&Element| script.attributes.iter().any(|(_, value)| value == "application/json");
    page.all("script").iter().filter(is_data).map(|script| serde_json::from_str(&script.text).expect("data")).collect()
}

fn numbers(list: &Value) -> Vec<usize> {
    let number = |value: &Value| usize::try_from(value.as_u64().expect("a number")).expect("a small one");
    list.as_array().expect("a list").iter().map(number).collect()
}

/// The values of a column, state by state.
fn column(graph: &Value, kind: &str, name: &str) -> Vec<String> {
    let columns = graph[kind].as_array().expect("columns");
    let column = columns.iter().find(|column| column["name"] == name).unwrap_or_else(|| panic!("{name}: {columns:?}"));
    numbers(&column["of"]).iter().map(|value| column["values"][value].as_str().expect("a text").to_owned()).collect()
}

fn machine(folder: &Path, text: &str) -> String {
    let path = folder.join("m.mch");
    std::fs::write(&path, text).expect("written");
    path.display().to_string()
}

#[test]
fn nodes_are_the_states_and_edges_the_transitions_of_the_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let counters = machine(folder.path(), COUNTERS);
    for symmetry in ["off", "exact"] {
        let arguments = [counters.as_str(), "--deferred", "2", "--symmetry", symmetry];
        let report = json(&arguments).json();
        let (text, page, _) = page(&arguments);
        let [graph] = &graphs(&page)[..] else { panic!("one graph: {text:.200}") };
        let states = numbers(&graph["distances"]).len();
        assert_eq!(states as u64, report["explored"]["states"].as_u64().expect("states"), "{symmetry}");
        let steps = &graph["steps"];
        let (from, to) = (numbers(&steps["from"]), numbers(&steps["to"]));
        assert_eq!(numbers(&steps["count"]).iter().sum::<usize>() as u64, report["explored"]["transitions"].as_u64().expect("transitions"));
        // An edge is all steps of one operation between two states.
        let edges: BTreeSet<(usize, usize, usize)> =
            from.iter().zip(&to).zip(numbers(&steps["operation"])).map(|((from, to), operation)| (*from, *to, operation)).collect();
        assert_eq!(edges.len(), from.len());
        let distances = numbers(&graph["distances"]);
        assert!(from.iter().zip(&to).all(|(from, to)| distances[*to] <= distances[*from] + 1), "distances are shortest");
        assert_eq!(numbers(&graph["initial"]), [0]);
    }
}

#[test]
fn values_and_steps_are_those_of_the_states() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("g.graphml").display().to_string();
    let arguments = [&PHONEBOOK[..], &["--graph", &file, "--html-project", "card(db)", "--html-project", "db = {}"]].concat();
    let (_, page, code) = page(&arguments);
    assert_eq!(code, Some(0));
    let graph = &graphs(&page)[0];
    let written = crate::xml::parse(&std::fs::read_to_string(&file).expect("the graph"));
    let values: Vec<String> = column(graph, "columns", "db");
    for (at, node) in written.all("node").iter().enumerate() {
        let state = &node.all("data").iter().find(|data| data.attribute("key") == "state").expect("a state").text;
        assert!(state.contains(&format!("db = {}", values[at])), "{state}: {}", values[at]);
        let size = values[at].matches("|->").count();
        assert_eq!(column(graph, "formulas", "card(db)")[at], size.to_string());
        assert_eq!(column(graph, "formulas", "db = {}")[at], if size == 0 { "TRUE" } else { "FALSE" });
    }
    let labels = graph["steps"]["labels"].as_array().expect("labels");
    assert!(labels.iter().any(|label| label == "add(n = Name1, c = Code1)"), "{labels:?}");
}

#[test]
fn only_a_page_with_a_large_graph_has_its_script() {
    let policy = |page: &Element| {
        let metas = page.all("meta");
        let named = metas.iter().find(|meta| meta.attributes.iter().any(|(_, value)| value == "Content-Security-Policy"));
        named.expect("a policy").attribute("content").to_owned()
    };
    let (_, small, _) = page(&["machines/classic/phonebook.mch", "--deferred", "3"]);
    let (_, large, _) = page(&PHONEBOOK);
    assert_eq!((small.all("script").len(), large.all("script").len()), (1, 3), "the data, and the script");
    assert_eq!(large.all("style").len(), small.all("style").len(), "a style in place of that of the picture");
    let hashes = |page: &Element| policy(page).matches("sha256-").count();
    assert_eq!(hashes(&large), hashes(&small) + 2, "{}", policy(&large));
    assert!(!policy(&large).contains("unsafe"), "{}", policy(&large));
}

#[test]
fn texts_of_the_machine_stay_texts_in_the_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let evil = "</script><img src=x onerror=alert(1)>&amp;";
    let text = format!(
        "MACHINE m VARIABLES s, n INVARIANT s : STRING & n : 0..50 INITIALISATION s := \"\" || n := 0\n\
         OPERATIONS up(t) = SELECT n < 50 & t : {{\"{evil}\", \"x\"}} THEN n := n + 1 || s := t END END"
    );
    let (page_text, page, _) = page(&[&machine(folder.path(), &text), "--no-deadlock"]);
    let graph = &graphs(&page)[0];
    assert!(column(graph, "columns", "s").contains(&format!("\"{evil}\"")));
    let data = page_text.split("<script type=\"application/json\">").nth(1).and_then(|rest| rest.split("</script>").next()).expect("data");
    assert!(!data.contains(['<', '>', '&']) && data.contains("\\u003c/script\\u003e"));
}

#[test]
fn a_search_that_stopped_is_said_to_lack_states() {
    let (_, page, code) = page(&["machines/classic/phonebook.mch", "--deferred", "5", "--symmetry", "off", "--max-states", "100"]);
    assert_eq!(code, Some(152));
    assert_eq!(numbers(&graphs(&page)[0]["distances"]).len(), 100);
    let words: Vec<&str> = page.all("p").iter().map(|part| part.text.as_str()).collect();
    let said = "The 100 states that were explored, and the steps between them. Not all are known: what lies beyond is not there.";
    assert!(words.contains(&said), "{words:?}");
}

#[test]
fn the_graph_of_a_refinement_has_the_states_of_both_machines() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("A.mch", "MACHINE A VARIABLES n INVARIANT n : 0..90 INITIALISATION n := 0 OPERATIONS up = SELECT n < 90 THEN n := n + 1 END END");
    write(
        "B.ref",
        "REFINEMENT B REFINES A VARIABLES m INVARIANT m : 0..90 & n = m INITIALISATION m := 0 OPERATIONS up = SELECT m < 90 THEN m := m + 1 END END",
    );
    let target = folder.path().join("r.html").display().to_string();
    let machine = folder.path().join("B.ref").display().to_string();
    let formulas = ["--html-project", "m mod 3", "--html-project", "m > 45"];
    let run = bcheck(&[&["refine", &machine, "--html", &target][..], &formulas].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    let page = crate::xml::parse(&std::fs::read_to_string(&target).expect("a page"));
    let graph = &graphs(&page)[0];
    assert_eq!(graph["noun"], "configuration");
    let (own, refined) = (column(graph, "columns", "m"), column(graph, "columns", "states of A"));
    assert_eq!(own.len(), 91);
    let (rests, large) = (column(graph, "formulas", "m mod 3"), column(graph, "formulas", "m > 45"));
    for (((own, refined), rest), is_large) in own.iter().zip(&refined).zip(&rests).zip(&large) {
        assert_eq!(refined, &format!("n = {own}"));
        let number: usize = own.parse().expect("a number");
        assert_eq!((rest, is_large), (&(number % 3).to_string(), &if number > 45 { "TRUE" } else { "FALSE" }.to_owned()));
    }
    // The other machine may be in several states.
    let run = bcheck(&["refine", &machine, "--html", &target, "--html-project", "n"]);
    assert!(run.code == Some(120) && run.stderr.contains("--html-project:1:1"), "{run:?}");
}

#[test]
fn formulas_that_distinguish_symmetric_elements_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("r.html").display().to_string();
    let named = ["machines/classic/phonebook.mch", "--deferred", "3", "--html-project", "CHOOSE(Name) : dom(db)"];
    let run = bcheck(&[&named[..], &["--html", &target]].concat());
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(
        run.stderr.contains("CHOOSE in --html-project can tell the elements of Name apart") && run.stderr.contains("--symmetry off"),
        "{run:?}"
    );
    let run = bcheck(&[&named[..], &["--html", &target, "--symmetry", "off"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    let run = bcheck(&named);
    assert!(run.code == Some(2) && run.stderr.contains("--html"), "an option about the page needs one: {run:?}");
}

/// Asserts that page, graph file and report of one run have the same number of states, whatever the workers; the number, if it is whole.
fn same_states_everywhere(path: &str, more: &[&str]) -> Option<u64> {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let mut seen = BTreeSet::new();
    for workers in ["1", "2"] {
        let (page_file, graph_file) = (at("g.html"), at("g.aut"));
        let files = ["--html", &page_file, "--graph", &graph_file, "--workers", workers];
        let run = json(&[&[path][..], more, &files].concat());
        let report = run.json();
        if !report["limit"].is_null() {
            return None;
        }
        let explored = report["explored"]["states"].as_u64().expect("states");
        let page = crate::xml::parse(&std::fs::read_to_string(&page_file).expect("the page"));
        if let [graph] = &graphs(&page)[..] {
            assert_eq!(numbers(&graph["distances"]).len() as u64, explored.min(20_000), "{path}: the page");
        }
        let looked_at = page.all("p").iter().find_map(|part| {
            let (_, rest) = part.text.split_once(" that were explored (")?;
            rest.split_once(')')?.0.parse::<u64>().ok()
        });
        assert!(looked_at.is_none_or(|states| states == explored), "{path}: {looked_at:?} of {explored}");
        let header = std::fs::read_to_string(&graph_file).expect("the graph");
        let states =
            header.lines().next().and_then(|line| line.trim_end().rsplit([',', ' ']).next()?.strip_suffix(')')?.parse::<u64>().ok());
        assert_eq!(states, Some(explored), "{path}: --graph");
        seen.insert(explored);
    }
    assert_eq!(seen.len(), 1, "{path}: workers");
    seen.pop_first()
}

#[test]
fn every_format_has_the_graph_of_the_run() {
    let wards = "machines/symmetry/named/wards.mch";
    let small = ["cube", "ring", "tree", "two_bays"].map(|machine| format!("machines/symmetry/named/{machine}.mch"));
    for path in small.into_iter().chain(thorough().then(|| wards.to_owned())) {
        let stopped = same_states_everywhere(&path, &[]);
        let whole = same_states_everywhere(&path, &["--continue"]);
        assert!(stopped.is_some() && stopped <= whole, "{path}: {stopped:?}, {whole:?}");
    }
    // The run of one, with symmetries of named elements, is not that of a plain search.
    let [reduced, plain] =
        ["exact", "off"].map(|symmetry| json(&[wards, "--continue", "--symmetry", symmetry]).json()["explored"]["states"].as_u64());
    assert!(reduced.map(|states| states * 4) < plain, "{reduced:?} of {plain:?}");
}

#[test]
#[ignore = "every machine four times: scripts/long.sh"]
fn every_format_of_every_machine_has_the_graph_of_the_run() {
    let compared = crate::program::files_below(&crate::program::root().join("machines"), "mch")
        .iter()
        .filter(|path| json(&[&path.display().to_string(), "--time-limit", "5"]).stdout.starts_with('{'))
        .filter_map(|path| same_states_everywhere(&path.display().to_string(), &["--time-limit", "20"]))
        .count();
    assert!(compared > 100, "{compared} machines");
}
