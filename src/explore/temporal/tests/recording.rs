//! The graph that the search records is that of the plain recorder, and what is found at on-the-fly checks is final.

use super::plain_record::{PlainRecording, plain_record};
use super::{check_with, machine};
use crate::search::record_states;
use crate::search::recording::{Judging, Record, Recording, Stage};
use crate::search::watch::Control;
use crate::temporal::groups::{Group, groups};
use crate::temporal::letters::LetterBit;
use crate::temporal::results::Results;
use crate::{Limits, Options, TemporalVerdict, TraceEnd, Verdict};
use bcheck_eval::{EvalError, Machine};
use bcheck_symmetry::Mode;
use bcheck_temporal::graph::{Graph, StateNumber};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

/// What a search has recorded.
struct Recorded {
    graph: Graph,
    left_out: Option<EvalError>,
    without_value: BTreeMap<LetterBit, (StateNumber, EvalError)>,
    edges: u64,
}

/// Keeps what is recorded.
struct Keeper(Option<Recorded>);

impl Judging for Keeper {
    fn judge(&mut self, recording: &mut Recording<'_>, stage: Stage) -> ControlFlow<()> {
        assert_eq!(stage, Stage::End, "one batch, and no on-the-fly checks");
        let (graph, without_value) = (recording.graph.clone(), recording.without_value.clone());
        self.0 = Some(Recorded { graph, left_out: recording.left_out.clone(), without_value, edges: recording.edges });
        ControlFlow::Continue(())
    }

    fn is_turn_due(&self, _states: u64) -> bool {
        false
    }

    fn turn(&mut self, _states: u64) -> ControlFlow<()> {
        unreachable!("none is due")
    }
}

fn recorded(machine: &Machine, group: &Group<'_>, options: &Options) -> Recorded {
    let mut keeper = Keeper(None);
    let control = Control::new(machine, &options.limits);
    let record = Record { letters: Some(&group.propositions.letters), is_on_the_fly: false, judge: &mut keeper };
    record_states(machine, &group.symmetry, options, &control, record);
    keeper.0.expect("the end of a search is judged")
}

/// Asserts that two graphs are the same, number by number.
#[track_caller]
fn assert_same(plain: &PlainRecording, recorded: &Recorded, what: &str) {
    let (left, right) = (&plain.graph, &recorded.graph);
    assert_eq!((left.known(), left.size(), left.initial()), (right.known(), right.size(), right.initial()), "{what}");
    let row = |graph: &Graph, state: StateNumber| {
        let edges: Vec<(StateNumber, u64)> = graph.edges(state).map(|edge| (edge.to, graph.step(edge.letter))).collect();
        (graph.letter(state), graph.is_open(state), edges)
    };
    for state in left.states() {
        assert_eq!(row(left, state), row(right, state), "state {state} of {what}");
    }
    assert_eq!(plain.edges, recorded.edges, "{what}");
    assert_eq!(plain.left_out.is_some(), recorded.left_out.is_some(), "{what}");
    let places = |without: &BTreeMap<LetterBit, (StateNumber, EvalError)>| {
        without.iter().map(|(bit, (state, _))| (*bit, *state)).collect::<Vec<_>>()
    };
    assert_eq!(places(&plain.without_value), places(&recorded.without_value), "{what}");
}

/// Compares the recorders on a machine with formulas, under all modes of symmetry; returns the number of states that were compared.
#[track_caller]
fn agree(name: &str, text: &str, size: u32, formulas: &[&str]) -> u32 {
    let machine = machine(text, size, formulas);
    let mut states = 0;
    for symmetry in [Mode::Off, Mode::Exact, Mode::Fast, Mode::Sorted, Mode::Exhaustive] {
        // Several representatives of one orbit: which of them rows lead to depends on which bindings of parameters are run.
        let orbit_parameters = !matches!(symmetry, Mode::Fast | Mode::Sorted);
        let set_ups_at_once = usize::MAX;
        let options = Options { symmetry, orbit_parameters, set_ups_at_once, ..Options::default() };
        let mut results = Results::new(formulas.len());
        for group in groups(&machine, &options, &mut results) {
            let plain = plain_record(&machine, &group.symmetry, &options, &group.propositions.letters);
            assert_eq!(plain.limit, None, "{name}");
            states += plain.graph.known().number();
            for workers in [1, 3] {
                let options = Options { workers, ..options.clone() };
                let what = format!("{name}, {symmetry:?}, {workers} workers, {formulas:?}");
                assert_same(&plain, &recorded(&machine, &group, &options), &what);
            }
        }
    }
    states
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Formulas that make sense of any machine with these operations: words, patterns, and comparisons that ask for the values of steps.
fn of_any(operations: &[&str]) -> Vec<String> {
    let all = operations.join(", ");
    let mut formulas = vec![
        "G (deadlock or sink)".to_owned(),
        "CTL AG EF deadlock".to_owned(),
        format!("G (deterministic({all}) or deadlock({all}))"),
        "G BA({0 = 0})".to_owned(),
    ];
    for operation in operations {
        formulas.push(format!("GF [{operation}] or F e({operation})"));
    }
    formulas
}

/// The texts of the formulas that a machine states, and of those in the expectations at its top.
fn stated(text: &str) -> Vec<String> {
    let mut formulas = Vec::new();
    for (marker, prefix) in [("--ltl \"", ""), ("--ctl \"", "CTL "), ("ASSERT_LTL", ""), ("ASSERT_CTL", "CTL ")] {
        for (at, _) in text.match_indices(marker) {
            let rest = &text[at + marker.len()..];
            // Of a definition the name goes on, then comes the string; an option that only names one is not it.
            let line = rest.lines().next().unwrap_or_default();
            let quoted = if marker.starts_with('-') { Some(line) } else { line.split_once("== \"").map(|(_, quoted)| quoted) };
            if let Some((formula, _)) = quoted.and_then(|quoted| quoted.split_once('"')) {
                formulas.push(format!("{prefix}{formula}"));
            }
        }
    }
    formulas
}

#[test]
fn machines_with_formulas_are_recorded_as_the_plain_recorder_does() {
    let mut states = 0;
    for name in ["forks", "instances", "lossy_channels", "starving_lock", "ticket_lock"] {
        let text = read(&format!("temporal/{name}.mch"));
        let formulas = stated(&text);
        assert!(formulas.len() > 2, "{name}: {formulas:?}");
        // Fairness of every call is an assumption about each, which other tests are about.
        let formulas: Vec<&str> = formulas.iter().map(String::as_str).filter(|text| !text.contains("EF =>")).collect();
        states += agree(name, &text, 3, &formulas);
    }
    assert!(states > 300, "{states} states");
}

#[test]
fn other_machines_are_recorded_as_the_plain_recorder_does() {
    let machines: [(&str, u32, &[&str], &[&str]); 7] = [
        ("classic/phonebook.mch", 4, &["add", "delete"], &["GF {db = {}}", "!n.({n : Name} => G ({n : dom(db)} => F {n /: dom(db)}))"]),
        ("classic/scheduler.mch", 3, &["create", "swap"], &["CTL AG EF {active = {}}", "F {card(waiting) = 2}"]),
        ("classic/russian_postal.mch", 2, &[], &["G sink"]),
        ("classic/two_phase_commit.mch", 2, &[], &["F deadlock"]),
        ("violation/left_out.mch", 2, &[], &["F deadlock or G sink"]),
        ("violation/ill_defined_body.mch", 2, &[], &["F deadlock or G sink"]),
        ("violation/deadlock.mch", 2, &[], &["F deadlock or G sink"]),
    ];
    for (path, size, operations, own) in machines {
        let of_any = if operations.is_empty() { Vec::new() } else { of_any(operations) };
        let formulas: Vec<&str> = of_any.iter().map(String::as_str).chain(own.iter().copied()).collect();
        assert!(agree(path, &read(path), size, &formulas) > 0, "{path}");
    }
}

#[test]
fn states_of_bytes_and_states_of_words_are_recorded_alike() {
    // Sets of sets do not fit words; of integers in sets those beyond the guess do not; an ill-defined guard leaves words for one state.
    let sets = "MACHINE m SETS S VARIABLES x INVARIANT x : POW(POW(S)) INITIALISATION x := {}
        OPERATIONS add(s) = PRE s : POW(S) & s /: x THEN x := x \\/ {s} END; drop(s) = PRE s : x THEN x := x - {s} END END";
    agree("sets of sets", sets, 2, &["GF {x = {}}", "F {S : x}", "GF [drop]", "!e.({e : S} => F {{e} : x})", "G BA({card(x) > 0})"]);
    let integers = "MACHINE m VARIABLES s, n INVARIANT s <: NATURAL & n : 0..9 INITIALISATION s := {} || n := 0
        OPERATIONS put = SELECT n < 6 THEN n := n + 1 || s := s \\/ {n * n * n} END;
          back = SELECT n > 3 & 60 / (n - 3) > 20 THEN n := 0 END; stay = SELECT n > 2 THEN skip END END";
    agree("integers", integers, 1, &["GF {s = {}}", "F {max(s) > 9}", "F [back]", "G ([stay] => e(put))", "G not sink"]);
}

#[test]
fn slices_that_overlap_are_recorded_in_order() {
    // The initial states are more than one slice, and the second one is expanded while the first one is numbered.
    let text = "MACHINE m VARIABLES x, y INVARIANT x : 0..17999 & y : 0..1 INITIALISATION x :: 0..17999 || y := 0
        OPERATIONS up = SELECT y = 0 THEN y := 1 || x := (x * 7) mod 18000 END; back = SELECT y = 1 & x mod 5 = 0 THEN y := 0 END;
          stay = SELECT x mod 3 = 0 THEN skip END END";
    let formulas = ["GF {x mod 2 = 0}", "F [back]", "G (sink => F e(up))"];
    let machine = machine(text, 1, &formulas);
    let options = Options { symmetry: Mode::Off, ..Options::default() };
    let mut results = Results::new(formulas.len());
    for group in groups(&machine, &options, &mut results) {
        let plain = plain_record(&machine, &group.symmetry, &options, &group.propositions.letters);
        assert!(plain.graph.states().len() > 18_000, "{}", plain.graph.known());
        for workers in [1, 2, 4] {
            assert_same(&plain, &recorded(&machine, &group, &Options { workers, ..options.clone() }), &format!("{workers} workers"));
        }
    }
}

#[test]
fn a_scope_leaves_states_open() {
    let text = "MACHINE m DEFINITIONS SCOPE == n < 2 VARIABLES n INVARIANT n : NATURAL INITIALISATION n := 0
        OPERATIONS inc = n := n + 1; stay = SELECT n = 1 THEN skip END END";
    agree("scope", text, 1, &["F deadlock", "GF e(inc)", "F {n = 2}"]);
}

/// Counts without end, and may go back to 0 from small numbers.
const ENDLESS: &str = "MACHINE m VARIABLES n INVARIANT n : NATURAL INITIALISATION n := 0
    OPERATIONS inc = n := n + 1; twice = n := n + n; reset = SELECT n < 9 THEN n := 0 END END";

#[test]
fn an_early_error_of_an_endless_space_is_found_by_an_on_the_fly_check() {
    for (formula, end) in [("G {n < 7}", TraceEnd::Prefix), ("F {n = 8}", TraceEnd::Loop { start: 0, rounds: 1 })] {
        let mut outcomes = Vec::new();
        for workers in [1, 3] {
            let outcome = check_with(ENDLESS, 1, &[formula, "G {n >= 0}"], &Options { workers, ..Options::default() });
            assert_eq!((outcome.verdict, outcome.complete, &outcome.limit), (Verdict::TemporalViolation, false, &None));
            assert!((4096..40_000).contains(&outcome.explored.states), "{}", outcome.explored.states);
            assert!(matches!(outcome.temporal[1].verdict, TemporalVerdict::Unknown(_)), "{:?}", outcome.temporal[1].verdict);
            let trace = outcome.finding.expect("a finding").trace;
            assert_eq!(trace.end, Some(end));
            outcomes.push((trace, outcome.explored));
        }
        assert_eq!(outcomes[0], outcomes[1], "{formula}");
    }
}

#[test]
fn a_finding_does_not_wait_for_the_calls_that_a_formula_is_about() {
    // The calls of an endless space are never all known.
    let text = ENDLESS.replace("n : NATURAL", "n : 0..50");
    let outcome = check_with(&text, 1, &["WEF => F {n = 3}", "F {n = 3}"], &Options::default());
    assert_eq!(outcome.verdict, Verdict::InvariantViolation);
    assert!(outcome.temporal.iter().all(|result| matches!(result.verdict, TemporalVerdict::Unknown(_))));
}

#[test]
fn whoever_keeps_going_has_no_on_the_fly_checks() {
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    let outcome = check_with(ENDLESS, 1, &["G {n < 7}", "G {n >= 0}"], &Options { keep_going: true, limits, ..Options::default() });
    assert_eq!(outcome.explored.states, 20_000);
    let verdicts: Vec<&TemporalVerdict> = outcome.temporal.iter().map(|result| &result.verdict).collect();
    assert!(matches!(verdicts[..], [TemporalVerdict::Violated, TemporalVerdict::Unknown(_)]), "{verdicts:?}");
}

#[test]
fn set_ups_are_judged_batch_by_batch() {
    let text = "MACHINE m CONSTANTS c PROPERTIES c : 0..3 VARIABLES n INVARIANT n : 0..9 INITIALISATION n := 0
        OPERATIONS inc = SELECT n < c THEN n := n + 1 END END";
    let run = |set_ups_at_once, keep_going, formulas: &[&str]| {
        let outcome = check_with(text, 1, formulas, &Options { set_ups_at_once, keep_going, ..Options::default() });
        let letter = |verdict: &TemporalVerdict| match verdict {
            TemporalVerdict::Holds => 'T',
            TemporalVerdict::Violated => 'F',
            TemporalVerdict::Unknown(_) => '?',
            TemporalVerdict::IllDefined(_) => '!',
        };
        let verdicts: String = outcome.temporal.iter().map(|result| letter(&result.verdict)).collect();
        (verdicts, outcome.explored.states, outcome.temporal[0].product)
    };
    assert_eq!(run(4, false, &["G {n <= c}", "G {n < 2}"]).0, "TF");
    // Under the third set-up the second formula fails, and nobody looks at the fourth.
    assert_eq!(run(1, false, &["G {n <= c}", "G {n < 2}"]), ("?F".to_owned(), 6, (6, 3)));
    assert_eq!(run(1, true, &["G {n <= c}", "G {n < 2}"]), ("TF".to_owned(), 10, (10, 6)));
    assert_eq!(run(1, false, &["G {n <= c}", "F deadlock"]), ("TT".to_owned(), 10, (10, 6)));
}

#[test]
fn a_formula_without_a_value_does_not_keep_others_from_being_judged() {
    let text = "MACHINE m VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0 OPERATIONS inc = SELECT n < 3 THEN n := n + 1 END END";
    let formulas = ["G {6 / (2 - n) > 0}", "F {n = 3}", "G {n < 3}", "F BA({1 / (n - 2) = 1})"];
    let outcome = check_with(text, 1, &formulas, &Options { keep_going: true, ..Options::default() });
    let verdicts: Vec<&TemporalVerdict> = outcome.temporal.iter().map(|result| &result.verdict).collect();
    use TemporalVerdict::{Holds, IllDefined, Violated};
    assert!(matches!(verdicts[..], [IllDefined(_), Holds, Violated, IllDefined(_)]), "{verdicts:?}");
    let length = |formula: usize| outcome.temporal[formula].trace.as_ref().map(|trace| trace.steps.len());
    assert_eq!((length(0), length(3)), (Some(3), Some(2)));
}
