//! Graphs of states: each format is read back by a reader of its own, and the sums are those of the report.

use crate::program::{bcheck, root, share};
use crate::xml::parse;
use num_bigint::BigUint;
use std::collections::BTreeSet;
use std::path::Path;

/// What a reader makes of a graph.
#[derive(Debug, Default, PartialEq)]
struct Graph {
    states: usize,
    edges: Vec<(usize, usize)>,
    multiplicity: u64,
    weight: BigUint,
}

impl Graph {
    fn edge(&mut self, from: usize, to: usize, multiplicity: &str, weight: &str) {
        self.edges.push((from, to));
        self.multiplicity += multiplicity.parse::<u64>().expect("a multiplicity");
        self.weight += weight.parse::<BigUint>().expect("a weight");
    }
}

/// Reads the subset of Graphviz that a graph consists of: statements on lines of their own.
fn read_dot(text: &str) -> Graph {
    let mut graph = Graph::default();
    assert!(text.trim_start_matches(|letter| letter != '{').starts_with('{') && text.contains("\n}\n"), "braces");
    for line in text.lines().map(str::trim).filter(|line| line.starts_with('s')) {
        let (subject, attributes) =
            line.strip_suffix("];").and_then(|line| line.split_once(" [")).unwrap_or_else(|| panic!("a statement: {line}"));
        assert_eq!(attributes.replace("\\\\", "").replace("\\\"", "").matches('"').count() % 2, 0, "quotes close: {line}");
        let attribute = |name: &str| {
            let (_, rest) = attributes.rsplit_once(&format!(", {name}="))?;
            Some(rest.trim_start_matches('"').split([',', '"']).next().unwrap_or("").to_owned())
        };
        let number =
            |name: &str| name.strip_prefix('s').and_then(|digits| digits.parse::<usize>().ok()).unwrap_or_else(|| panic!("{name}"));
        match subject.split_once(" -> ") {
            Some((from, to)) => {
                let one = || Some("1".to_owned());
                let (multiplicity, weight) = (attribute("multiplicity").or_else(one), attribute("weight_in_full").or_else(one));
                graph.edge(number(from), number(to), &multiplicity.expect("one"), &weight.expect("one"));
            }
            None => {
                assert_eq!(number(subject), graph.states, "numbered in order");
                graph.states += 1;
            }
        }
    }
    graph
}

/// Reads Aldebaran; a label may end in ` *N (M in full)` and cycles.
fn read_aut(text: &str) -> Graph {
    let mut lines = text.lines();
    let header = lines.next().expect("a header").trim_end();
    let numbers = header.strip_prefix("des (").and_then(|rest| rest.strip_suffix(')')).expect("des (initial, edges, states)");
    let numbers: Vec<usize> = numbers.split(", ").map(|number| number.parse().expect("a number")).collect();
    let [0, edges, states] = numbers[..] else { panic!("{header}") };
    let mut graph = Graph { states, ..Graph::default() };
    let mut roots = 0;
    for line in lines {
        let inside = line.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or_else(|| panic!("an edge: {line}"));
        let (from, rest) = inside.split_once(", \"").expect("a label");
        let (label, to) = rest.rsplit_once("\", ").expect("a target");
        assert!(!label.contains('"'), "{line}");
        let (from, to): (usize, usize) = (from.parse().expect("a state"), to.parse().expect("a state"));
        assert!(from < states && to < states, "{line}");
        if label == "INITIALISATION" {
            roots += 1;
            continue;
        }
        let counted = label.rsplit_once(" *").and_then(|(_, rest)| rest.split_once(" in full)")?.0.split_once(" ("));
        let (multiplicity, weight) = counted.unwrap_or(("1", "1"));
        graph.edge(from, to, multiplicity, weight);
    }
    assert_eq!(edges, graph.edges.len() + roots, "{header}");
    graph.states -= usize::from(roots > 0);
    graph
}

fn read_graphml(text: &str) -> Graph {
    let document = parse(text);
    assert_eq!(document.name, "graphml");
    let keys: BTreeSet<&str> = document.all("key").iter().map(|key| key.attribute("id")).collect();
    let mut graph = Graph::default();
    let mut ids = BTreeSet::new();
    for node in document.all("node") {
        assert!(ids.insert(node.attribute("id").to_owned()), "each id once");
        graph.states += 1;
    }
    for edge in document.all("edge") {
        let data = |key: &str| {
            assert!(keys.contains(key), "{key} is declared");
            edge.children.iter().find(|data| data.attribute("key") == key).unwrap_or_else(|| panic!("{key}")).text.clone()
        };
        let end = |name: &str| {
            let id = edge.attribute(name);
            assert!(ids.contains(id), "an edge of a node: {id}");
            id[1..].parse().expect("a number")
        };
        graph.edge(end("source"), end("target"), &data("multiplicity"), &data("weight"));
    }
    graph
}

/// The fields of the lines of a CSV file (RFC 4180).
pub(crate) fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            letter => field.push(letter),
        }
    }
    assert!(!quoted && row.is_empty() && field.is_empty(), "the file ends with a line");
    assert!(rows.iter().all(|row: &Vec<String>| row.len() == rows[0].len()), "all rows have as many fields");
    rows
}

fn read_tables(edges: &str, states: &str) -> Graph {
    let states = read_csv(states);
    let mut graph = Graph { states: states.len() - 1, ..Graph::default() };
    for row in &read_csv(edges)[1..] {
        let number = |index: usize| row[index].parse().expect("a number");
        graph.edge(number(0), number(1), &row[4], &row[5]);
    }
    graph
}

fn read(path: &Path) -> Graph {
    let text = std::fs::read_to_string(path).expect("a graph");
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("dot") => read_dot(&text),
        Some("aut") => read_aut(&text),
        Some("graphml") => read_graphml(&text),
        _ => read_tables(&text, &std::fs::read_to_string(path.with_extension("states.csv")).expect("the states")),
    }
}

pub(crate) const MACHINES: [(&str, &str); 10] = [
    ("machines/classic/phonebook.mch", "3"),
    ("machines/classic/scheduler.mch", "4"),
    ("machines/classic/russian_postal.mch", "2"),
    ("machines/classic/two_phase_commit.mch", "3"),
    ("machines/classic/philosophers.mch", "3"),
    ("machines/tour/tour1_guests.mch", "5"),
    ("machines/tour/tour2_lockers.mch", "3"),
    ("machines/tour/tour3_box_office.mch", "2"),
    ("machines/tour/tour4_postman.mch", "2"),
    ("machines/violation/invariant.mch", "3"),
];

#[test]
fn every_format_can_be_read_back_and_adds_up_to_the_report() {
    let folder = tempfile::tempdir().expect("a folder");
    for (machine, size) in share(MACHINES, 2) {
        for mode in ["exact", "off"] {
            let mut graphs = Vec::new();
            for ending in ["dot", "aut", "graphml", "csv"] {
                let path = folder.path().join(format!("graph.{ending}"));
                let target = path.display().to_string();
                let run = bcheck(&[machine, "--deferred", size, "--symmetry", mode, "--continue", "--format", "json", "--graph", &target]);
                let report = run.json();
                assert_eq!(report["complete"], true, "{machine}: {run:?}");
                let graph = read(&path);
                assert_eq!(report["explored"]["states"], graph.states, "{machine} {mode} {ending}");
                assert_eq!(report["explored"]["transitions"], graph.multiplicity, "{machine} {mode} {ending}");
                assert_eq!(report["full"]["transitions"], graph.weight.to_string().as_str(), "{machine} {mode} {ending}");
                if mode == "off" {
                    assert_eq!(graph.multiplicity, graph.edges.len() as u64, "an edge for each step");
                }
                graphs.push(graph);
            }
            let shift = |graph: &Graph| graph.edges.iter().map(|(from, to)| (*from, *to)).collect::<Vec<_>>();
            assert_eq!(shift(&graphs[0]), shift(&graphs[2]), "{machine}");
            assert_eq!(shift(&graphs[0]), shift(&graphs[3]), "{machine}");
        }
    }
}

#[test]
fn orbits_of_states_add_up_and_states_tell_what_is_wrong_with_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("g.csv");
    let target = path.display().to_string();
    let report =
        bcheck(&["machines/classic/phonebook_err.mch", "--deferred", "3", "--continue", "--format", "json", "--graph", &target]).json();
    let rows = read_csv(&std::fs::read_to_string(folder.path().join("g.states.csv")).expect("the states"));
    assert_eq!(rows[0], ["id", "initial", "depth", "orbit", "deadlock", "findings", "db", "used"]);
    let full: BigUint = rows[1..].iter().map(|row| row[3].parse::<BigUint>().expect("a number")).sum();
    assert_eq!(report["full"]["states"], full.to_string().as_str());
    let violating = rows.iter().filter(|row| row[5] == "invariant_violation").count();
    assert_eq!(report["explored"]["invariant_violations"], violating);
    assert_eq!(rows.iter().filter(|row| row[1] == "true").count(), 1);
}

#[test]
fn a_quotient_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    for (mode, is_quotient) in [("exact", true), ("off", false)] {
        let path = folder.path().join("g.dot");
        let target = path.display().to_string();
        bcheck(&["machines/tour/tour1_guests.mch", "--symmetry", mode, "--graph", &target]);
        let text = std::fs::read_to_string(&path).expect("a graph");
        assert_eq!(text.contains("// A quotient"), is_quotient, "{text}");
        assert_eq!(text.contains("(2 states)"), is_quotient, "{text}");
    }
}

#[test]
fn a_search_that_stopped_gives_the_part_that_it_saw() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("g.dot");
    let target = path.display().to_string();
    let run = bcheck(&["machines/classic/phonebook.mch", "--deferred", "4", "--max-states", "5", "--format", "json", "--graph", &target]);
    assert_eq!((run.code, read(&path).states), (Some(152), 5), "{run:?}");
    assert!(std::fs::read_to_string(&path).expect("a graph").contains("// incomplete"));
    let bad = bcheck(&["machines/classic/phonebook.mch", "--graph", "g.jpg"]);
    assert!(bad.code == Some(2) && bad.stderr.contains(".graphml"), "{bad:?}");
    assert_eq!(bcheck(&["machines/classic/phonebook.mch", "--graph", "no/such/folder/g.dot"]).code, Some(153));
    assert!(!root().join("g.jpg").exists());
}

#[test]
fn the_graph_of_a_search_that_stopped_has_its_steps_and_no_others() {
    let folder = tempfile::tempdir().expect("a folder");
    // The first one is stopped by a finding, with states that were found and not expanded.
    let runs = [
        ("machines/classic/phonebook_err.mch", &["--deferred", "4"][..]),
        ("machines/classic/phonebook.mch", &["--deferred", "5", "--max-depth", "3"]),
        ("machines/classic/phonebook.mch", &["--deferred", "4", "--max-depth", "2", "--symmetry", "off"]),
        ("machines/classic/phonebook.mch", &["--deferred", "4", "--max-depth", "4", "--strategy", "dfs"]),
    ];
    for (machine, more) in runs {
        let mut graphs = Vec::new();
        for ending in ["dot", "aut", "graphml", "csv"] {
            // A search in depth takes one.
            for workers in if more.contains(&"dfs") { &["1"][..] } else { &["1", "3"] } {
                let path = folder.path().join(format!("graph.{ending}"));
                let target = path.display().to_string();
                let run = bcheck(&[&[machine, "--workers", workers, "--format", "json", "--graph", &target][..], more].concat());
                let (report, graph) = (run.json(), read(&path));
                assert_eq!(report["complete"], false, "{machine}: {run:?}");
                assert_eq!(report["explored"]["states"], graph.states, "{machine} {more:?} {ending}");
                assert_eq!(report["explored"]["transitions"], graph.multiplicity, "{machine} {more:?} {ending}");
                graphs.push((graph.states, graph.edges));
            }
        }
        assert!(graphs.windows(2).all(|pair| pair[0] == pair[1]), "{machine} {more:?}");
    }
}

#[test]
fn merging_states_keeps_the_sums() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("g.csv");
    let target = path.display().to_string();
    for (machine, how, keys) in [
        ("machines/classic/phonebook.mch", ["--project", "card(db)"], vec!["0", "1", "2", "3"]),
        ("machines/classic/phonebook.mch", ["--project", "db = {}"], vec!["TRUE", "FALSE"]),
        ("machines/classic/phonebook.mch", ["--project", "ran(db)"], vec!["{}", "{Code3}", "{Code2,Code3}", "{Code1,Code2,Code3}"]),
        ("machines/classic/phonebook.mch", ["--merge", "signature"], vec!["{add}", "{add, lookup, delete}", "{lookup, delete}"]),
    ] {
        for mode in ["exact", "off"] {
            let mut arguments = vec![machine, "--deferred", "3", "--symmetry", mode, "--format", "json", "--graph", &target];
            arguments.extend(how);
            let report = bcheck(&arguments).json();
            let graph = read(&path);
            assert_eq!(report["full"]["transitions"], graph.weight.to_string().as_str(), "{how:?} {mode}");
            assert_eq!(report["explored"]["transitions"], graph.multiplicity, "{how:?} {mode}");
            let rows = read_csv(&std::fs::read_to_string(folder.path().join("g.states.csv")).expect("the states"));
            let full: BigUint = rows[1..].iter().map(|row| row[3].parse::<BigUint>().expect("a number")).sum();
            assert_eq!(report["full"]["states"], full.to_string().as_str(), "{how:?} {mode}");
            let found: Vec<&str> = rows[1..].iter().map(|row| row[6].as_str()).collect();
            if how[1] == "ran(db)" {
                // Which codes they are is not told apart up to symmetry; plainly there are all subsets.
                assert_eq!(found.len(), if mode == "exact" { 4 } else { 8 }, "{found:?}");
            } else {
                assert_eq!(found, keys, "{mode}");
            }
        }
    }
}

#[test]
fn an_expression_that_tells_symmetric_states_apart_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (machine, graph) = (folder.path().join("m.mch"), folder.path().join("g.dot"));
    let text = "MACHINE m SETS T = {red, green} VARIABLES s INVARIANT s <: T INITIALISATION s := {} OPERATIONS on(t) = PRE t : T THEN s := s \\/ {t} END END";
    std::fs::write(&machine, text).expect("written");
    let (machine, graph) = (machine.display().to_string(), graph.display().to_string());
    let arguments = [machine.as_str(), "--graph", &graph, "--project", "red : s"];
    let refused = |formula: &str, why: &str| {
        let run = bcheck(&[&machine, "--graph", &graph, "--project", formula]);
        assert!(run.code == Some(2) && run.stderr.contains(why) && run.stderr.contains("--symmetry off"), "{run:?}");
    };
    refused("red : s", "red of T is named in --project");
    refused("CHOOSE(T) : s", "CHOOSE in --project can tell the elements of T apart");
    let plain = bcheck(&[&arguments[..], &["--symmetry", "off"]].concat());
    assert_eq!(plain.code, Some(0), "{plain:?}");
    assert_eq!(bcheck(&[&machine, "--project", "s"]).code, Some(2), "without a graph there is nothing to merge");
}

#[test]
fn graphml_has_an_attribute_of_its_type_for_each_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let (machine, graph) = (folder.path().join("m.mch"), folder.path().join("g.graphml"));
    let text = "MACHINE m VARIABLES depth, b, s INVARIANT depth : INTEGER & b : BOOL & s <: 0..1 INITIALISATION depth := -1 || b := TRUE || s := {}
        OPERATIONS up = PRE depth < 9 THEN depth := 9223372036854775807 + depth + 2 || b := FALSE || s := {1} END END";
    std::fs::write(&machine, text).expect("written");
    bcheck(&[&machine.display().to_string(), "--no-deadlock", "--graph", &graph.display().to_string()]);
    let document = parse(&std::fs::read_to_string(&graph).expect("a graph"));
    let key = |name: &str| {
        let found = document.all("key").into_iter().find(|key| key.attribute("attr.name") == name && key.attribute("for") == "node");
        let key = found.unwrap_or_else(|| panic!("an attribute {name}"));
        (key.attribute("id").to_owned(), key.attribute("attr.type").to_owned())
    };
    let types = ["value of depth", "b", "s", "depth", "orbit"].map(|name| key(name).1);
    assert_eq!(types, ["long", "boolean", "string", "int", "double"]);
    let weight = document.all("key").into_iter().find(|key| key.attribute("id") == "weight").expect("weights");
    assert_eq!(weight.attribute("attr.type"), "double");
    let values = |name: &str| -> Vec<Option<String>> {
        let id = key(name).0;
        let value =
            |node: &crate::xml::Element| node.children.iter().find(|data| data.attribute("key") == id).map(|data| data.text.clone());
        document.all("node").into_iter().map(value).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(values("value of depth"), [some("-1"), None], "beyond 64 bits no type of GraphML holds it");
    assert_eq!(values("b"), [some("true"), some("false")]);
    assert_eq!(values("s"), [some("{}"), some("{1}")]);
}

#[test]
fn labels_are_plain_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    for (ending, counted) in [("aut", " in full)"), ("dot", " alike)")] {
        let path = folder.path().join(format!("g.{ending}"));
        let target = path.display().to_string();
        let run = |more: &[&str]| {
            bcheck(&[&["machines/classic/phonebook.mch", "--deferred", "3", "--graph", &target][..], more].concat());
            std::fs::read_to_string(&path).expect("a graph")
        };
        let (with, without) = (run(&[]), run(&["--labels", "plain"]));
        assert!(with.contains(counted) && !without.contains(counted), "{without}");
        assert_eq!(with.lines().count(), without.lines().count());
    }
    let labels = |text: &str| -> BTreeSet<String> {
        text.lines().filter_map(|line| Some(line.split_once('"')?.1.rsplit_once('"')?.0.to_owned())).collect()
    };
    let plain = std::fs::read_to_string(folder.path().join("g.aut")).expect("a graph");
    assert!(
        labels(&plain)
            .iter()
            .all(|label| ["add(", "delete(", "lookup("].iter().any(|name| label.starts_with(name)) && !label.contains('*'))
    );
    let picture = folder.path().join("g.svg").display().to_string();
    let run = bcheck(&["machines/classic/phonebook.mch", "--graph", &picture, "--labels", "plain"]);
    assert!(run.code == Some(2) && run.stderr.contains("--labels plain"), "{run:?}");
}
