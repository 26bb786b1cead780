//! Unfolding: a graph up to symmetry and the permutations on its edges give the graph that a search without reduction writes.

use crate::graph::{MACHINES, read_csv};
use crate::program::bcheck;
use std::collections::BTreeSet;
use std::path::Path;

/// A state, as the values of its constants and variables.
type State = Vec<String>;

/// A graph without numbers: its states, with what is said of them, and its edges.
#[derive(Debug, PartialEq)]
struct Graph {
    states: BTreeSet<(State, [String; 5])>,
    edges: BTreeSet<(State, String, State)>,
}

/// A text in which the members of sets have one order, whatever that is.
fn in_order(text: &str) -> String {
    fn inside(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Vec<String> {
        let mut parts = vec![String::new()];
        while let Some(letter) = letters.next() {
            let last = parts.last_mut().expect("never empty");
            match letter {
                '{' => {
                    let mut members = inside(letters);
                    members.sort();
                    last.push_str(&format!("{{{}}}", members.join(",")));
                }
                '(' => last.push_str(&format!("({})", inside(letters).join(","))),
                '[' => last.push_str(&format!("[{}]", inside(letters).join(","))),
                '}' | ')' | ']' => break,
                ',' => parts.push(String::new()),
                ' ' => {}
                letter => last.push(letter),
            }
        }
        parts
    }
    inside(&mut text.chars().peekable()).join(",")
}

fn read(path: &Path) -> Graph {
    let table = |path: &Path| read_csv(&std::fs::read_to_string(path).expect("a table"));
    let (states, edges) = (table(&path.with_extension("states.csv")), table(path));
    assert_eq!(states[0][..6], ["id", "initial", "depth", "orbit", "deadlock", "findings"]);
    let values: Vec<State> = states[1..].iter().map(|row| row[6..].iter().map(|value| in_order(value)).collect()).collect();
    let about = |row: &Vec<String>| std::array::from_fn(|at| row[at + 1].clone());
    let number = |text: &str| text.parse::<usize>().expect("a number");
    let graph = Graph {
        states: values.iter().cloned().zip(states[1..].iter().map(about)).collect(),
        edges: edges[1..].iter().map(|row| (values[number(&row[0])].clone(), in_order(&row[3]), values[number(&row[1])].clone())).collect(),
    };
    assert_eq!((graph.states.len(), graph.edges.len()), (states.len() - 1, edges.len() - 1), "nothing is there twice");
    graph
}

#[test]
fn an_unfolded_graph_is_that_of_a_search_without_reduction() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    let named = ["cube", "ring", "tree"].map(|name| (format!("machines/symmetry/named/{name}.mch"), "2".to_owned()));
    let others = MACHINES.map(|(machine, size)| (machine.to_owned(), size.to_owned()));
    for (machine, size) in others.into_iter().chain(named) {
        let graph = |mode: &str, path: &Path| {
            let run = bcheck(&[&machine, "--deferred", &size, "--symmetry", mode, "--continue", "--graph", &path.display().to_string()]);
            assert_ne!(run.code, Some(153), "{machine}: {run:?}");
        };
        graph("exact", &file("classes.graphml"));
        graph("off", &file("plain.csv"));
        let run = bcheck(&["unfold", &file("classes.graphml").display().to_string(), &file("full.csv").display().to_string()]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{machine}: {run:?}");
        let (full, plain) = (read(&file("full.csv")), read(&file("plain.csv")));
        assert!(full.states.len() > 1, "{machine}");
        assert!(
            full == plain,
            "{machine}: {} states, {} edges; {} and {}",
            full.states.len(),
            full.edges.len(),
            plain.states.len(),
            plain.edges.len()
        );
        // Numbers and order are that of the classes, whatever the format.
        let again = bcheck(&["unfold", &file("classes.graphml").display().to_string(), &file("full.aut").display().to_string()]);
        assert_eq!(again.code, Some(0), "{again:?}");
        let text = std::fs::read_to_string(file("full.aut")).expect("a graph");
        let initial = full.states.iter().filter(|(_, about)| about[0] == "true").count();
        let (root, roots) = if initial == 1 { (0, 0) } else { (1, initial) };
        let header = format!("des (0, {}, {})", full.edges.len() + roots, full.states.len() + root);
        assert_eq!(text.lines().next().map(str::trim_end), Some(header.as_str()), "{machine}");
    }
}

#[test]
fn elements_with_blanks_in_their_names_are_renamed_as_a_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let text = "MACHINE m SETS `set of`; T = {`two words`, `a-b`, `words`} VARIABLES x, y INVARIANT x <: `set of` & y <: T
        INITIALISATION x := {} || y := {} OPERATIONS put(`in`) = PRE `in` : `set of` - x THEN x := x \\/ {`in`} END;
          mark(t) = PRE t : T - y THEN y := y \\/ {t} END END";
    std::fs::write(file("m.mch"), text).expect("written");
    let graph = |mode: &str, name: &str| {
        let run = bcheck(&[&file("m.mch"), "--deferred", "3", "--symmetry", mode, "--continue", "--graph", &file(name)]);
        assert_ne!(run.code, Some(153), "{run:?}");
    };
    graph("exact", "classes.graphml");
    graph("off", "plain.csv");
    let classes = std::fs::read_to_string(file("classes.graphml")).expect("a graph");
    assert!(classes.contains("(`set of1` `set of2`") && classes.contains("`two words`"), "{classes}");
    let run = bcheck(&["unfold", &file("classes.graphml"), &file("full.csv")]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let (full, plain) = (read(Path::new(&file("full.csv"))), read(Path::new(&file("plain.csv"))));
    assert_eq!((full.states.len(), full == plain), (64, true));
}

#[test]
fn without_permutations_a_quotient_is_ambiguous() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts = [("skip", "stays"), ("ANY y WHERE y : S & y /= x THEN x := y END", "goes")].map(|(body, name)| {
        let (machine, graph, full) =
            (folder.path().join("m.mch"), folder.path().join(format!("{name}.graphml")), folder.path().join(format!("{name}.csv")));
        std::fs::write(
            &machine,
            format!("MACHINE m SETS S VARIABLES x INVARIANT x : S INITIALISATION x :: S OPERATIONS step = {body} END"),
        )
        .expect("written");
        let run = bcheck(&[&machine.display().to_string(), "--deferred", "2", "--graph", &graph.display().to_string()]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let run = bcheck(&["unfold", &graph.display().to_string(), &full.display().to_string()]);
        assert_eq!(run.code, Some(0), "{run:?}");
        (std::fs::read_to_string(&graph).expect("a graph"), read(&full))
    });
    let [(stays, first), (goes, second)] = texts;
    let without = |text: &str| text.replace("<data key=\"permutation\">(S1 S2)</data>", "<data key=\"permutation\"></data>");
    assert_ne!(stays, goes);
    assert_eq!(without(&stays), without(&goes), "but for the permutation, the quotients are equal");
    let loops = |graph: &Graph| graph.edges.iter().filter(|(from, _, to)| from == to).count();
    assert_eq!((first.edges.len(), loops(&first), second.edges.len(), loops(&second)), (2, 2, 2, 0), "what they stand for is not");
}

#[test]
fn what_cannot_be_unfolded_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let write = |options: &[&str], name: &str| {
        let run = bcheck(&[&["machines/classic/phonebook.mch", "--deferred", "3", "--graph", &file(name)], options].concat());
        assert!(matches!(run.code, Some(0 | 152)), "{run:?}");
    };
    write(&[], "classes.graphml");
    write(&[], "classes.aut");
    write(&["--project", "card(db)"], "merged.graphml");
    write(&["--symmetry", "off"], "plain.graphml");
    write(&["--max-states", "4"], "part.graphml");
    for (graph, target, options, code, reason) in [
        ("classes.aut", "full.aut", &[][..], 120, "it is not XML"),
        ("merged.graphml", "full.aut", &[], 120, "its states are merged (--project, --merge), which nothing undoes"),
        ("plain.graphml", "full.aut", &[], 120, "it does not say what is symmetric"),
        ("classes.graphml", "full.aut", &["--max-states", "63"], 120, "the graph stands for 64 states; --max-states raises the limit"),
        ("missing.graphml", "full.aut", &[], 153, "cannot read"),
        ("classes.graphml", "no/such/full.aut", &[], 153, "cannot write"),
        ("classes.graphml", "full.txt", &[], 2, "the ending must be"),
    ] {
        let run = bcheck(&[&["unfold", &file(graph), &file(target)], options].concat());
        assert!(run.code == Some(code) && run.stderr.contains(reason), "{graph} {target}: {run:?}");
    }
    // Four to the third states.
    let just = bcheck(&["unfold", &file("classes.graphml"), &file("full.aut"), "--max-states", "64"]);
    assert_eq!(just.code, Some(0), "{just:?}");
    let part = bcheck(&["unfold", &file("part.graphml"), &file("part.aut")]);
    assert!(part.code == Some(0) && part.stderr.contains("the graph is incomplete"), "{part:?}");
    let text = std::fs::read_to_string(file("classes.graphml")).expect("a graph");
    std::fs::write(file("broken.graphml"), text.replacen("<data key=\"orbit\">9<", "<data key=\"orbit\">8<", 1)).expect("written");
    let broken = bcheck(&["unfold", &file("broken.graphml"), &file("full.aut")]);
    assert!(
        broken.code == Some(120) && broken.stderr.contains("it stands for 8 states, but the group makes at least 9 of it"),
        "{broken:?}"
    );
}

#[test]
fn a_picture_is_no_ending_of_a_full_graph() {
    let run = bcheck(&["unfold", "classes.graphml", "full.svg"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("full.svg: the ending must be .dot, .aut, .graphml or .csv"), "{run:?}");
}
