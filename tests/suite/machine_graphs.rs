//! `bcheck graph`: the enabling relation against the full graph of states, the matrix of variables, the hierarchy of machines.

use crate::graph::read_csv;
use crate::program::bcheck;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// The numbers of steps after which an operation is enabled, disabled, and kept so, by the names of both operations.
type Relation = BTreeMap<(String, String), [u64; 4]>;

/// Of the full graph, which a check without symmetry writes.
fn relation_of_graph(machine: &str, size: &str) -> Relation {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("g.csv");
    let target = path.display().to_string();
    bcheck(&[machine, "--deferred", size, "--symmetry", "off", "--continue", "--graph", &target]);
    let rows = read_csv(&std::fs::read_to_string(&path).expect("a graph"));
    let mut enabled: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in &rows[1..] {
        enabled.entry(&row[0]).or_default().insert(&row[2]);
    }
    let operations: BTreeSet<&str> = rows[1..].iter().map(|row| row[2].as_str()).collect();
    let is_enabled = |state: &str, operation: &str| enabled.get(state).is_some_and(|set| set.contains(operation));
    let mut relation = Relation::new();
    for row in &rows[1..] {
        for other in &operations {
            let at = match (is_enabled(&row[0], other), is_enabled(&row[1], other)) {
                (false, true) => 0,
                (true, false) => 1,
                (true, true) => 2,
                (false, false) => 3,
            };
            relation.entry((row[2].clone(), (*other).to_owned())).or_default()[at] += 1;
        }
    }
    relation
}

#[test]
fn the_enabling_relation_counts_steps_of_the_full_space() {
    let machines = [
        ("machines/classic/phonebook.mch", "3"),
        ("machines/classic/scheduler.mch", "3"),
        ("machines/classic/philosophers.mch", "3"),
        ("machines/tour/tour2_lockers.mch", "3"),
        ("machines/violation/invariant.mch", "3"),
    ];
    for (machine, size) in machines {
        let wanted = relation_of_graph(machine, size);
        for mode in ["exact", "off"] {
            let report = bcheck(&["graph", machine, "--of", "enabling", "--deferred", size, "--symmetry", mode, "--format", "json"]).json();
            assert_eq!((&report["format"], &report["exact"]), (&"bcheck-enabling".into(), &true.into()));
            let mut found = Relation::new();
            for pair in report["relation"].as_array().expect("pairs") {
                let name = |field: &str| pair[field].as_str().expect("a name").to_owned();
                let number = |field: &str| pair[field]["full"].as_str().expect("digits").parse::<u64>().expect("a number");
                let counts = ["enables", "disables", "keeps_enabled", "keeps_disabled"].map(number);
                if counts.iter().sum::<u64>() > 0 {
                    found.insert((name("after"), name("operation")), counts);
                }
            }
            // Operations without any step have no edge, and are not among those of the graph.
            found.retain(|(_, other), _| wanted.keys().any(|(operation, _)| operation == other));
            assert_eq!(found, wanted, "{machine} {mode}");
        }
    }
}

#[test]
fn the_enabling_relation_is_shown_as_text_and_as_a_graph() {
    let machine = ["graph", "machines/tour/tour2_lockers.mch", "--of", "enabling", "--deferred", "LOCKER=2", "--deferred", "PERSON=1"];
    let text = bcheck(&machine).stdout;
    assert!(text.contains("3 states; all numbers are those of the full space"), "{text}");
    assert!(text.contains("\ntake\n  enables  ask 2, give_back 2\n  disables take 2\n"), "{text}");
    let dot = bcheck(&[&machine[..], &["--format", "dot"]].concat()).stdout;
    assert!(dot.starts_with("digraph \"tour2_lockers\" {") && dot.contains("  start -> o0;\n"), "{dot}");
    assert!(dot.contains("  o0 -> o1 [color=darkgreen, label=\"+2\"];\n"), "{dot}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("e.json");
    let run = bcheck(&[&machine[..], &["--output", &file.display().to_string()]].concat());
    assert!(run.code == Some(0) && run.stdout.is_empty(), "{run:?}");
    let read: Json = serde_json::from_str(&std::fs::read_to_string(&file).expect("a file")).expect("JSON");
    assert_eq!(read["machine"], "tour2_lockers");
    assert_eq!(bcheck(&[&machine[..], &["--output", "e.pdf"]].concat()).code, Some(2));
}

#[test]
fn a_walk_that_is_not_finished_gives_no_numbers() {
    let run = bcheck(&[
        "graph",
        "machines/classic/phonebook.mch",
        "--of",
        "enabling",
        "--deferred",
        "30",
        "--symmetry",
        "off",
        "--time-limit",
        "1",
    ]);
    assert!(run.code == Some(152) && run.stdout.is_empty(), "{run:?}");
}

#[test]
fn the_matrix_has_what_operations_read_and_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.mch");
    let text = "MACHINE m VARIABLES a, b, c INVARIANT a : NAT & b : NAT & c : NAT INITIALISATION a, b := 0, 0 || c :: 0..1 OPERATIONS
  swap = SELECT a < 3 THEN a := b || b := a END;
  either = CHOICE a := 1 OR SELECT c = 1 THEN b := a + 1 END END;
  r <-- look = r := c;
  pick = ANY x WHERE x : NAT & x > b THEN c : (c > c$0 & c <= x) END
END";
    std::fs::write(&path, text).expect("written");
    let machine = path.display().to_string();
    let report = bcheck(&["graph", &machine, "--of", "variables", "--format", "json"]).json();
    assert_eq!(report["variables"], serde_json::json!(["a", "b", "c"]));
    let row = |name: &str, guard: &[&str], reads: &[&str], writes: &[&str]| serde_json::json!({ "name": name, "guard": guard, "reads": reads, "writes": writes });
    let wanted = serde_json::json!([
        row("INITIALISATION", &[], &[], &["a", "b", "c"]),
        row("swap", &["a"], &["a", "b"], &["a", "b"]),
        row("either", &["c"], &["a", "c"], &["a", "b"]),
        row("look", &[], &["c"], &[]),
        row("pick", &["b"], &["b", "c"], &["c"]),
    ]);
    assert_eq!(report["operations"], wanted);
    let text = bcheck(&["graph", &machine, "--of", "variables"]).stdout;
    let line =
        |name: &str| text.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or("").split_whitespace().collect::<Vec<_>>();
    assert_eq!(line("swap"), ["swap", "gw", "rw"]);
    assert_eq!(line("look"), ["look", "r"]);
}

#[test]
fn the_hierarchy_names_every_reference() {
    let machine = ["graph", "machines/project/Workshop.mch", "--of", "machines"];
    let report = bcheck(&[&machine[..], &["--format", "json"]].concat()).json();
    let name = |position: &Json| {
        let machine = &report["machines"][usize::try_from(position.as_u64().expect("a position")).expect("small")];
        format!("{}{}", machine["prefix"].as_str().expect("a prefix"), machine["name"].as_str().expect("a name"))
    };
    let of_one = |one: &Json| (name(&one["from"]), one["clause"].as_str().expect("a clause").to_owned(), name(&one["to"]));
    let mut found: Vec<_> = report["references"].as_array().expect("references").iter().map(of_one).collect();
    found.sort();
    let mut wanted: Vec<_> = [
        ("Workshop", "SEES", "Plant"),
        ("Workshop", "INCLUDES", "shelf.Shelf"),
        ("Workshop", "INCLUDES", "bench.Shelf"),
        ("Workshop", "INCLUDES", "Crew"),
        ("Workshop", "INCLUDES", "Ledger"),
        ("Crew", "SEES", "Plant"),
        ("Ledger", "SEES", "Plant"),
    ]
    .map(|(from, clause, to)| (from.to_owned(), clause.to_owned(), to.to_owned()))
    .to_vec();
    wanted.sort();
    assert_eq!(found, wanted);
    let text = bcheck(&machine).stdout;
    assert!(text.starts_with("MACHINE Workshop (machines/project/Workshop.mch)\n  SEES Plant (machines/project/Plant.mch)\n"), "{text}");
    assert!(text.contains("\n  INCLUDES shelf.Shelf (machines/project/Shelf.mch)\n"), "{text}");
    assert!(
        text.contains("\n  INCLUDES Crew (machines/project/Crew.mch)\n    SEES Plant (machines/project/Plant.mch, see above)\n"),
        "{text}"
    );
    let chain = bcheck(&["graph", "machines/refinement/SignalHasty.ref", "--of", "machines", "--format", "dot"]).stdout;
    assert!(
        chain.contains("label=\"REFINES\"") && chain.contains("\"REFINEMENT SignalHasty\"") && chain.contains("\"MACHINE Signal\""),
        "{chain}"
    );
    assert_eq!(bcheck(&["graph", "machines/rejected/no_such.mch", "--of", "machines"]).code, Some(153));
}
