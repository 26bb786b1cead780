//! The search as a whole: machines that all tests here use, known counts, and agreement of the packed search with the reference.
//!
//! Invariant: every machine is written out here as text and analysed by the real front end. Elsewhere: what is found (`findings`), what
//! ends a search early (`limits`), searches that go on with a checkpoint (`checkpoints`), or with a forged one (`forged`, messages between
//! processes `forged_messages`).

pub(super) mod checkpoints;
mod disk;
mod extents;
mod findings;
mod forged;
mod forged_messages;
mod growth;
mod inductions;
mod limits;
mod processes;
mod refinements;
mod simulations;
mod surveys;

use super::*;
use bcheck_eval::Machine;
use bcheck_ir::{GivenSetKind, Scope};
use bcheck_sema::analyse;
use bcheck_source::SourceMap;
use bcheck_symmetry::{Mode, Symmetry};
use bcheck_syntax::parse_machine;
use bcheck_value::Valuation;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Each `of`-th of these cases, beginning with the first; all of them where `scripts/long.sh` asks for that.
pub(crate) fn share<T>(cases: impl IntoIterator<Item = T>, of: usize) -> Vec<T> {
    let is_thorough = std::env::var_os("BCHECK_THOROUGH").is_some();
    cases.into_iter().step_by(if is_thorough { 1 } else { of }).collect()
}

const PHONEBOOK: &str = "
MACHINE Phonebook
SETS Name; Code
VARIABLES db
INVARIANT db : Name +-> Code
INITIALISATION db := {}
OPERATIONS
  add(nn, cc) = PRE nn : Name & cc : Code & nn /: dom(db) THEN db(nn) := cc END;
  delete(nn, cc) = PRE nn : Name & cc : Code & nn |-> cc : db THEN db := db - {nn |-> cc} END;
  cc <-- lookup(nn) = PRE nn : dom(db) THEN cc := db(nn) END
END";

/// As the phonebook, with a code that must not be given away: set-ups under symmetry.
const EMERGENCY: &str = "
MACHINE Emergency
SETS Name; Code
CONSTANTS reserved
PROPERTIES reserved : Code
VARIABLES db
INVARIANT db : Name +-> Code & reserved /: ran(db)
INITIALISATION db := {}
OPERATIONS
  add(nn, cc) = PRE nn : Name - dom(db) & cc : Code - {reserved} THEN db(nn) := cc END;
  delete(nn) = PRE nn : dom(db) THEN db := {nn} <<| db END
END";

const SCHEDULER: &str = "
MACHINE Scheduler
SETS PID
VARIABLES active, ready, waiting
INVARIANT
  active <: PID & ready <: PID & waiting <: PID & active /\\ ready = {} & active /\\ waiting = {} & ready /\\ waiting = {} &
  card(active) <= 1 & (active = {} => ready = {})
INITIALISATION active, ready, waiting := {}, {}, {}
OPERATIONS
  new(pp) = PRE pp : PID & pp /: active \\/ ready \\/ waiting THEN waiting := waiting \\/ {pp} END;
  del(pp) = PRE pp : waiting THEN waiting := waiting - {pp} END;
  ready_up(pp) = PRE pp : waiting THEN
    waiting := waiting - {pp} || IF active = {} THEN active := {pp} ELSE ready := ready \\/ {pp} END
  END;
  swap = PRE active /= {} THEN
    waiting := waiting \\/ active ||
    IF ready = {} THEN active := {} ELSE ANY pp WHERE pp : ready THEN active := {pp} || ready := ready - {pp} END END
  END
END";

/// Both initial states lead to the violation, the second one by numbers that do not fit words.
const LATE: &str = "MACHINE Late
VARIABLES xx
INVARIANT xx : 0..9 & xx /= 3
INITIALISATION xx :: {0, 1}
OPERATIONS
  small = PRE xx = 0 THEN xx := 3 END;
  large = PRE xx = 1 THEN xx := (2 ** (69 + xx) + 3) mod 8 END
END";

/// Grows a set step by step; every property can be made to fail at a size.
fn growing(invariant: &str, guard: &str, body: &str, more: &str) -> String {
    format!(
        "MACHINE Growing
SETS Item
{more}
VARIABLES kept
INVARIANT kept <: Item & {invariant}
INITIALISATION kept := {{}}
OPERATIONS
  keep(ii) = PRE ii : Item - kept & {guard} THEN {body} END;
  forget(ii) = PRE ii : kept & {guard} THEN kept := kept - {{ii}} END
END"
    )
}

const KEEP: &str = "kept := kept \\/ {ii}";
const ALWAYS: &str = "1 = 1";

pub(super) fn load(text: &str, size: u32) -> Machine {
    let mut sources = SourceMap::new();
    let file = sources.add("test.mch", text);
    let parsed = parse_machine(file, text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    let (model, diagnostics) = analyse(&parsed.tree.expect("a tree without diagnostics"));
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}: {text}"));
    let sizes = model.sets.values().map(|set| match &set.kind {
        GivenSetKind::Deferred => size,
        GivenSetKind::Enumerated(names) => u32::try_from(names.len()).unwrap(),
    });
    let scope = Scope { sizes: sizes.collect(), minint: -1, maxint: 3 };
    Machine::compile(Arc::new(model), scope)
}

fn options(symmetry: Mode) -> Options {
    Options { symmetry, ..Options::default() }
}

fn run(machine: &Machine, options: &Options) -> Outcome {
    let symmetry = Symmetry::new(machine.model(), machine.scope(), options.symmetry);
    explore(machine, &symmetry, options, &mut Silent)
}

fn check(text: &str, size: u32, mode: Mode) -> Outcome {
    run(&load(text, size), &options(mode))
}

/// Everything in an outcome but how many bindings of parameters were run, which is what a search may save, and which states are expanded,
/// which the reference search does not tell.
fn all_of(outcome: &Outcome) -> String {
    format!("{:#?}", Outcome { instances: 0, extent: None, ..outcome.clone() })
}

/// The counts in the convention of ProB: reduced states and transitions, then full ones.
fn table_row(text: &str, size: u32) -> (u64, u64, u64, u64) {
    let reduced = check(text, size, Mode::Exact);
    assert_eq!((reduced.verdict, reduced.complete, reduced.full.exact), (Verdict::Verified, true, true));
    let full = check(text, size, Mode::Off);
    assert_eq!(reduced.full, full.full, "orbit sizes give the counts of the unreduced search");
    assert_eq!(full.full.prob_states, full.explored.prob_states.into());
    assert_eq!(full.full.prob_transitions, full.explored.prob_transitions.into());
    let explored = reduced.explored;
    (explored.prob_states, explored.prob_transitions, full.explored.prob_states, full.explored.prob_transitions)
}
#[test]
fn the_phonebook_has_the_published_counts() {
    assert_eq!(table_row(PHONEBOOK, 1), (3, 4, 3, 4));
    assert_eq!(table_row(PHONEBOOK, 2), (5, 17, 10, 37));
    assert_eq!(table_row(PHONEBOOK, 3), (8, 50, 65, 433));
    assert_eq!(table_row(PHONEBOOK, 4), (13, 125, 626, 6001));
}

#[test]
fn the_phonebook_of_six_is_counted_from_its_thirty_representatives() {
    let outcome = check(PHONEBOOK, 6, Mode::Exact);
    assert_eq!((outcome.explored.states, outcome.explored.transitions, outcome.explored.depth), (30, 540, 6));
    assert_eq!(outcome.full.states, 117_649u64.into());
    assert_eq!(outcome.full.prob_transitions, 1_815_157u64.into());
}

#[test]
fn internal_choices_between_symmetric_successors_are_one_arrow_in_the_convention_of_the_paper() {
    assert_eq!(table_row(SCHEDULER, 1), (4, 5, 4, 5));
    assert_eq!(table_row(SCHEDULER, 2), (7, 16, 11, 25));
    assert_eq!(table_row(SCHEDULER, 3), (11, 37, 36, 121));
    assert_eq!(table_row(SCHEDULER, 4), (16, 71, 125, 561));
    assert_eq!(check(SCHEDULER, 3, Mode::Exact).explored.transitions, 37, "38 with the initialisation arrow");
}

#[test]
fn symmetric_valuations_of_the_constants_are_one_set_up() {
    let reduced = check(EMERGENCY, 3, Mode::Exact);
    let full = check(EMERGENCY, 3, Mode::Off);
    assert_eq!((reduced.explored.setups, full.explored.setups), (1, 3));
    assert_eq!(full.explored.states, 3 * 27);
    assert_eq!(reduced.full, full.full);
    assert_eq!(full.explored.prob_states, 1 + 3 + 81);
    assert_eq!(full.explored.prob_transitions, full.explored.transitions + 3 + 3);
}

#[test]
fn any_number_of_workers_gives_the_outcome_of_the_reference_search() {
    let violated = growing("card(kept) /= 2", ALWAYS, KEEP, "");
    let stuck = growing(ALWAYS, "card(kept) < 3", KEEP, "");
    // Nested pairs, and operations without parameters beside some with two.
    let postal = include_str!("../../machines/classic/russian_postal.mch");
    // An operation with too many calls: the first ones are taken.
    let left_out = include_str!("../../machines/violation/left_out.mch");
    // Properties that cannot be decided, in the first states and in others.
    let undecided = include_str!("../../machines/violation/undecided.mch");
    let open = growing("card(kept) < 2 or #x.(x : INTEGER & x * x * x = 33 * x + card(kept))", ALWAYS, KEEP, "");
    for text in [PHONEBOOK, EMERGENCY, SCHEDULER, LATE, &violated, &stuck, postal, left_out, undecided, &open] {
        for (mode, keep_going) in [(Mode::Off, false), (Mode::Off, true), (Mode::Exact, false), (Mode::Exact, true)] {
            let machine = load(text, if text == postal { 3 } else { 4 });
            let mut options = Options { keep_going, ..options(mode) };
            let symmetry = Symmetry::new(machine.model(), machine.scope(), mode);
            // As a search without symmetry does by itself.
            if symmetry.is_trivial() {
                machine.take_first_choices(options.max_choices);
            }
            let reference = all_of(&explore_reference(&machine, &symmetry, &options));
            for workers in [1, 2, 8] {
                options.workers = workers;
                assert_eq!(all_of(&run(&machine, &options)), reference, "{workers} workers, {mode:?}: {text}");
            }
        }
    }
}

#[test]
fn every_strategy_covers_the_same_space() {
    for mode in [Mode::Off, Mode::Exact] {
        let machine = load(SCHEDULER, 4);
        let breadth = run(&machine, &options(mode));
        for strategy in [Strategy::Depth, Strategy::Random] {
            let other = run(&machine, &Options { strategy, ..options(mode) });
            assert_eq!((other.verdict, other.complete), (Verdict::Verified, true));
            assert_eq!(other.full, breadth.full);
            assert_eq!(Counts { depth: 0, ..other.explored }, Counts { depth: 0, ..breadth.explored.clone() });
            assert_eq!(other.operations, breadth.operations);
        }
    }
}

#[test]
fn every_step_of_every_state_maps_to_a_step_of_its_representative() {
    // The claim behind counting by orbits, checked by brute force on all reachable states.
    let machine = load(SCHEDULER, 3);
    let symmetry = Symmetry::new(machine.model(), machine.scope(), Mode::Exact);
    let mut scratch = bcheck_symmetry::Scratch::default();
    let mut waiting: Vec<Valuation> = Vec::new();
    let _ = machine.for_each_initial(&[], &mut |state| {
        waiting.push(state);
        ControlFlow::Continue(())
    });
    let mut seen = std::collections::BTreeSet::new();
    while let Some(state) = waiting.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let canonical = symmetry.canonical(&state, &mut scratch);
        for operation in trace::operations(&machine) {
            let own = machine.successors(&state, operation).unwrap().steps;
            let of_representative = machine.successors(&canonical.state, operation).unwrap().steps;
            assert_eq!(own.len(), of_representative.len());
            for step in own {
                let next = canonical.permutation.apply_all(&step.next);
                let arguments = canonical.permutation.apply_all(&step.arguments);
                assert!(of_representative.iter().any(|other| other.next == next && other.arguments == arguments));
                waiting.push(step.next);
            }
        }
    }
    assert_eq!(seen.len(), 35);
}
