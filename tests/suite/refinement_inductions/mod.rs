//! The proof obligations of refinements on all pairs of states within the invariants: random ones against pairs that are enumerated one by
//! one (`oracle`), chains and limits by hand, and the runs, reports and refusals of `bcheck induct`.

mod oracle;

use crate::dice::Dice;
use crate::program::{Run, bcheck, part};
use bcheck::eval::FIRST_CHOICES;
use bcheck::explore::{Induction, InductionCheck, Obligations, PreservationRow, Silent, refine};
use bcheck::ir::{GivenSetKind, Model, Precondition, Refinement, Scope};
use bcheck::sema::{Files, LoadError, RefinementRequest, analyse_refinement};
use bcheck::source::{FileId, SourceMap};
use bcheck::symmetry::{Mode, Symmetry};
use bcheck::syntax::ast::{Definition, Machine as Tree, Parsed};
use bcheck::syntax::parse_machine;
use num_bigint::BigUint;
use oracle::{case, counted};

const EVERYTHING: Obligations =
    Obligations { operations: Vec::new(), conjuncts: Vec::new(), deadlock: false, assertions: false, well_defined: false, states: None };

/// Machines written out here, by name.
struct Texts<'s> {
    sources: &'s mut SourceMap,
    texts: &'s [(&'s str, &'s str)],
}

impl Files for Texts<'_> {
    fn machine(&mut self, _: FileId, name: &str, _: Option<&str>) -> Result<Parsed<Option<Tree>>, LoadError> {
        let (_, text) = self.texts.iter().find(|(own, _)| *own == name).ok_or(LoadError::NotFound(Vec::new()))?;
        let known = self.sources.files().position(|file| file.name == name);
        let file = known.map_or_else(|| self.sources.add(name, *text), |at| FileId(u32::try_from(at).expect("few files")));
        Ok(parse_machine(file, text))
    }

    fn definitions(&mut self, _: FileId, _: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
        Err(LoadError::NotFound(Vec::new()))
    }
}

/// The model of both sides.
fn both_sides(text: &str, above: &[(&str, &str)], precondition: Precondition) -> (Model, Refinement) {
    let mut sources = SourceMap::new();
    let file = sources.add("low.ref", text);
    let tree = parse_machine(file, text).tree.unwrap_or_else(|| panic!("{text}"));
    let request = RefinementRequest { precondition, hidden: &[] };
    let analysis = analyse_refinement(&tree, &mut Texts { sources: &mut sources, texts: above }, request);
    analysis.refinement.unwrap_or_else(|| panic!("{:?}\n{text}", analysis.diagnostics))
}

fn examined((model, refinement): &(Model, Refinement), size: u32, mode: Mode, (workers, obligations): (usize, &Obligations)) -> Induction {
    let sizes = model.sets.values().map(|set| match &set.kind {
        GivenSetKind::Deferred => size,
        GivenSetKind::Enumerated(names) => u32::try_from(names.len()).expect("few"),
    });
    let scope = Scope { sizes: sizes.collect(), minint: -1, maxint: 3 };
    let (machine, question) = refine::within_invariants(model.clone(), refinement, scope);
    let symmetry = &Symmetry::of_unnamed(machine.model(), machine.scope(), mode);
    let check = InductionCheck { machine: &machine, question: &question, symmetry, obligations, workers, max_choices: FIRST_CHOICES };
    refine::induction(check, refinement, &mut Silent).expect("all pairs can be enumerated")
}

/// By cell of a row: a refused call, no such step, each conjunct, all at once.
type Cells = Vec<BigUint>;

/// Pairs within the invariants, then a row for the initialisation and for each operation.
type Matrix = (BigUint, Vec<Cells>);

fn matrix(found: &Induction) -> Matrix {
    let row = |row: &PreservationRow| {
        let unmatched = &row.unmatched;
        let cells = [&unmatched.calls, &unmatched.steps].into_iter().chain(&row.violated).chain([&unmatched.pairs]);
        cells.map(|cell| cell.full_states.clone()).collect()
    };
    (found.full_states.clone(), found.effects().map(|(_, effect)| row(effect)).collect())
}

/// Compares random refinements of these seeds; how many pairs there were, how many refinements were reduced, inductive, and violated a
/// cell of each kind.
fn compare(seeds: std::ops::Range<u64>) -> [u64; 6] {
    let [mut pairs, mut reduced, mut inductive, mut calls, mut steps, mut others] = [0; 6];
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let case = case(&mut dice);
        // Of three elements there are 15,552 pairs.
        let size = if !case.shares && dice.once_in(12) { 3 } else { 2 };
        let [above, low] = case.texts();
        let expected = counted(&case, size);
        let sides = both_sides(&low, &[("Above", &above)], Precondition::Contract);
        let told = format!("seed {seed}, size {size}\n{above}\n{low}");
        let off = examined(&sides, size, Mode::Off, (1, &EVERYTHING));
        assert_eq!(matrix(&off), expected, "{told}");
        let exact = examined(&sides, size, Mode::Exact, (1, &EVERYTHING));
        assert!(exact.is_exact && exact.is_complete, "{told}");
        assert_eq!(matrix(&exact), expected, "up to symmetry, {told}");
        let shared = examined(&sides, size, Mode::Exact, (3, &EVERYTHING));
        assert_eq!(format!("{shared:?}"), format!("{exact:?}"), "three threads, {told}");
        let sum = |at: &dyn Fn(&Cells) -> bool| expected.1.iter().any(at);
        let any = |cells: &[BigUint]| cells.iter().any(|cell| *cell > BigUint::default());
        assert_eq!(exact.is_proved(), !sum(&|cells| any(cells)), "{told}");
        pairs += u64::try_from(expected.0).expect("few");
        reduced += u64::from(exact.states < off.states);
        inductive += u64::from(exact.is_proved());
        calls += u64::from(sum(&|cells| any(&cells[..1])));
        steps += u64::from(sum(&|cells| any(&cells[1..2])));
        others += u64::from(sum(&|cells| any(&cells[2..])));
    }
    [pairs, reduced, inductive, calls, steps, others]
}

#[test]
fn random_refinements_have_the_matrix_of_all_pairs() {
    let seen = compare(0..part(40, 2));
    // Hardly any random one is inductive: those are written by hand below.
    let least = [1_000, 20, 0, 4, 8, 15].map(|least| part(least, 3));
    assert!(seen.iter().zip(least).all(|(seen, least)| *seen >= least), "{seen:?}");
}

#[test]
#[ignore = "minutes"]
fn many_random_refinements_have_the_matrix_of_all_pairs() {
    let seen = compare(10_000..10_600);
    let least = [15_000, 300, 0, 60, 120, 250];
    assert!(seen.iter().zip(least).all(|(seen, least)| *seen >= least), "{seen:?}");
}

const TOP: &str = "MACHINE Top SETS S VARIABLES ss INVARIANT ss <: S & card(ss) <= 1 INITIALISATION ss := {}
    OPERATIONS add(xx) = PRE xx : S & ss = {} THEN ss := {xx} END; clear = ss := {} END";

const MIDDLE: &str = "REFINEMENT Middle REFINES Top VARIABLES ff INVARIANT ff : S +-> 0..1 & dom(ff) = ss INITIALISATION ff := {}
    OPERATIONS add(xx) = ff := {xx |-> 0}; clear = ff := {} END";

/// A slot for one element at most, which is enough only as `Top` has one at most.
const BOTTOM: &str = "REFINEMENT Bottom REFINES Middle VARIABLES slot INVARIANT slot <: S & slot = dom(ff) INITIALISATION slot := {}
    OPERATIONS add(xx) = slot := {xx}; clear = ANY yy WHERE slot = {yy} or slot = {} THEN slot := slot - {yy} END END";

#[test]
fn invariants_of_machines_further_up_are_assumed() {
    let sides = both_sides(BOTTOM, &[("Middle", MIDDLE), ("Top", TOP)], Precondition::Contract);
    for mode in [Mode::Off, Mode::Exact] {
        let found = examined(&sides, 3, mode, (1, &EVERYTHING));
        // No element, or one with one of two numbers: `Middle` alone would allow three elements.
        assert_eq!(found.full_states, 7u32.into(), "{mode:?}");
        assert!(found.is_proved(), "{mode:?} {:?}", matrix(&found));
    }
    // Without them `clear` finds several elements, and has no step.
    let free = TOP.replace(" & card(ss) <= 1", "");
    let sides = both_sides(BOTTOM, &[("Middle", MIDDLE), ("Top", &free)], Precondition::Contract);
    assert_eq!(examined(&sides, 3, Mode::Exact, (1, &EVERYTHING)).full_states, 27u32.into());
}

#[test]
fn a_variable_that_all_machines_of_a_chain_have_is_one() {
    // `nn` of all three is one variable; `kk` of `Top` is kept by `Bottom` without a word of `Middle`, as it is concrete.
    let top = "MACHINE Top CONCRETE_VARIABLES kk VARIABLES nn INVARIANT nn : 0..3 & kk : 0..2 & kk <= nn INITIALISATION nn, kk := 0, 0
        OPERATIONS up = PRE nn < 3 THEN nn := nn + 1 END END";
    let middle = "REFINEMENT Middle REFINES Top VARIABLES nn, oo INVARIANT oo : 0..3 & oo >= nn INITIALISATION nn, oo, kk := 0, 0, 0
        OPERATIONS up = PRE nn < 3 THEN nn := nn + 1 || oo := nn + 1 END END";
    let bottom = "REFINEMENT Bottom REFINES Middle VARIABLES nn, pp INVARIANT pp : 0..3 & pp = oo INITIALISATION nn, pp, kk := 0, 0, 0
        OPERATIONS up = BEGIN nn := nn + 1 || pp := nn + 1 END END";
    let found = examined(&both_sides(bottom, &[("Middle", middle), ("Top", top)], Precondition::Contract), 1, Mode::Off, (1, &EVERYTHING));
    let expected = (0..=3u32).flat_map(|nn| (nn..=3).map(move |_| nn.min(2) + 1)).sum::<u32>();
    assert_eq!(found.full_states, expected.into(), "0 <= kk <= nn <= oo, kk at most 2");
    assert!(found.is_proved(), "{:?}", matrix(&found));
}

#[test]
fn what_is_ill_defined_or_left_out_is_not_proved() {
    let above = "MACHINE Above VARIABLES nn INVARIANT nn : 0..3 INITIALISATION nn := 0 OPERATIONS rr <-- share = PRE nn : 0..2 THEN rr := 2 / nn || nn :: 0..3 END END";
    let low = "REFINEMENT Low REFINES Above VARIABLES kk INVARIANT kk : 0..3 & kk = nn INITIALISATION kk := 0 OPERATIONS rr <-- share = BEGIN rr := 2 / (kk - 1) || kk := 0 END END";
    let found = examined(&both_sides(low, &[("Above", above)], Precondition::Contract), 1, Mode::Off, (1, &EVERYTHING));
    let share = &found.operations[0].1;
    // The body of the refinement where kk = 1, that of the refined machine where nn = 0.
    assert_eq!(share.ill_defined.full_states, 2u32.into());
    assert!(found.is_ill_defined() && !found.is_proved());
    let sides = both_sides(BOTTOM, &[("Middle", MIDDLE), ("Top", TOP)], Precondition::Contract);
    let cut = examined(&sides, 3, Mode::Exact, (2, &Obligations { states: Some(1), ..EVERYTHING }));
    assert_eq!((cut.states, cut.is_complete, cut.is_proved()), (1, false, false));
}

#[test]
fn an_interrupt_leaves_the_rest_open() {
    let (model, refinement) = both_sides(BOTTOM, &[("Middle", MIDDLE), ("Top", TOP)], Precondition::Contract);
    let (machine, question) = refine::within_invariants(model, &refinement, Scope { sizes: vec![3], minint: -1, maxint: 3 });
    machine.interrupt().store(true, std::sync::atomic::Ordering::Relaxed);
    let symmetry = &Symmetry::of_unnamed(machine.model(), machine.scope(), Mode::Exact);
    let check = InductionCheck {
        machine: &machine,
        question: &question,
        symmetry,
        obligations: &EVERYTHING,
        workers: 2,
        max_choices: FIRST_CHOICES,
    };
    let found = refine::induction(check, &refinement, &mut Silent).expect("no error");
    assert!(!found.is_complete && !found.is_proved());
}

/// Opens each trace that a run has written: all steps are possible, and the conjunct that the file is named after is false in the end.
fn opened(machine: &str, options: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let traces = folder.path().join("traces");
    let traces = traces.to_str().expect("a path");
    let run = bcheck(&[&["induct", machine, "--traces", traces][..], options].concat());
    assert_eq!(run.code, Some(16), "{run:?}");
    let mut names: Vec<String> = std::fs::read_dir(traces)
        .expect("written")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in &names {
        let file = format!("{traces}/{name}");
        let replayed = bcheck(&["replay", &file, machine]);
        assert_eq!(replayed.code, Some(0), "{name}: {replayed:?}");
        let animated = animate(&[machine, "--from", &file], "trace\n");
        assert_eq!(animated.code, Some(0), "{name}: {animated:?}");
        assert!(!animated.stdout.contains("cannot be replayed"), "{name}: {animated:?}");
        let title = if name.starts_with("INITIALISATION") { "INITIALISATION" } else { "a state within the invariant" };
        assert!(animated.stdout.contains(title), "{name}: {animated:?}");
    }
    names
}

fn animate(arguments: &[&str], script: &str) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("script.txt");
    std::fs::write(&path, script).expect("written");
    let mut command = crate::program::command(&[&["animate"], arguments].concat());
    command.stdin(std::fs::File::open(&path).expect("just written"));
    crate::program::finish(command)
}

#[test]
fn counterexamples_are_runs_of_one_step() {
    assert_eq!(opened("machines/classic/phonebook_err.mch", &["--deferred", "3"]), ["delete_3.json"]);
    let names = opened("machines/studies/peterson.mch", &["--deferred", "2", "--assertions", "--deadlock"]);
    assert!(names.contains(&"pass_5.json".to_owned()) && names.contains(&"pass_ill_defined.json".to_owned()), "{names:?}");
    // With constants, and an initialisation that violates the invariant.
    let names = opened("machines/violation/invariant.mch", &["--deferred", "2"]);
    assert!(!names.is_empty());
    assert_eq!(opened("machines/violation/initial_invariant.mch", &[]).first().map(|name| name.starts_with("INITIALISATION_")), Some(true));
    let names = ["count_step", "enter_3", "enter_all", "leave_3", "leave_all"].map(|name| format!("{name}.json"));
    assert_eq!(opened("machines/refinement/LineCached.ref", &["--deferred", "3"]), names);
}

#[test]
fn a_run_that_begins_within_the_invariant_is_compared_with_the_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.json");
    let file = file.to_str().expect("a path");
    let replay = |state: &str| {
        let text = format!(
            r#"{{"format": "bcheck-trace", "version": 1, "deferred": {{"GUEST": 2}}, "trace": [{{"operation": "$within_invariant", "state": {{{state}}}}}]}}"#
        );
        std::fs::write(file, text).expect("written");
        bcheck(&["replay", file, "machines/tour/tour1_guests.mch"])
    };
    let found = replay(r#""inside": "{GUEST2}""#);
    assert_eq!(found.code, Some(0), "{found:?}");
    assert!(found.stdout.contains("which need not be reachable"), "{found:?}");
    let open = replay("");
    assert!(open.code == Some(31) && open.stdout.contains("needs all values, and `inside` has none"), "{open:?}");
    // Formats of other tools have no name for such a run.
    let script = format!("save {file}.prob2trace\nsave {file}.txt\n");
    replay(r#""inside": "{GUEST1}""#);
    let saved = animate(&["machines/tour/tour1_guests.mch", "--from", file], &script);
    assert!(saved.stdout.contains("can be saved as .json or .txt only") && saved.stdout.contains("saved 1 steps"), "{saved:?}");
    let again = bcheck(&["replay", &format!("{file}.txt"), "machines/tour/tour1_guests.mch"]);
    assert_eq!(again.code, Some(0), "{again:?}");
}

#[test]
fn options_that_cannot_be_combined_are_refused() {
    let low = "machines/refinement/Line.ref";
    for (options, reason) in [
        (&[low, "--deadlock"][..], "--deadlock is about one machine"),
        (&[low, "--assertions"], "--assertions is about one machine"),
        (&[low, "--wd"], "--wd is about one machine"),
        (&[low, "--reachable"], "--reachable is about one machine"),
        (&[low, "--hide", "nothing"], "has no operation `nothing`"),
        (&[low, "--operation", "nothing"], "has no operation `nothing`"),
        (&["machines/refinement/Queue.mch", "--pre", "guard"], "--pre is about refinements"),
    ] {
        let run = bcheck(&[&["induct"], options].concat());
        assert!(run.code == Some(2) && run.stderr.contains(reason), "{options:?} {run:?}");
    }
    let alone = bcheck(&["induct", low, "--alone", "--deadlock", "--deferred", "2"]);
    assert!(alone.stdout.contains("satisfy the invariant\n") || alone.stdout.contains("satisfy the invariant ("), "{alone:?}");
}

#[test]
fn reports_are_the_same_for_any_number_of_threads_and_parts_of_a_matrix() {
    let low = ["machines/refinement/LineCached.ref", "--deferred", "3"];
    let report = |options: &[&str]| bcheck(&[&["induct"][..], &low, options].concat());
    let one = report(&["--workers", "1", "--format", "json"]);
    assert_eq!(one.stdout, report(&["--workers", "3", "--format", "json"]).stdout);
    let whole = one.json();
    let part = report(&["--operation", "enter", "--conjunct", "3", "--format", "json"]).json();
    let row = |report: &serde_json::Value| {
        let rows = report["effects"].as_array().expect("rows").clone();
        rows.into_iter().find(|row| row["operation"] == "enter").expect("a row")
    };
    assert_eq!(row(&whole)["conjuncts"][2], row(&part)["conjuncts"][0]);
    assert_eq!((part["effects"].as_array().map(Vec::len), &part["states"]), (Some(2), &whole["states"]));
}
