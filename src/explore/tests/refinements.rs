//! Refinement checks: any number of workers gives the outcome of the reference search, also after a stop and with a fault in the midst of a
//! level; one that was stopped goes on as if it had not been.

use super::checkpoints::{run_id, told, within};
use super::*;
use crate::refine::{Demands, Matching, RefinementCheck, RefinementFacts};
use bcheck_durable::faulty::FaultyFiles;
use bcheck_durable::folder::Folder;
use bcheck_ir::{Precondition, Refinement};
use bcheck_sema::{Files, LoadError, RefinementRequest, analyse_refinement};
use bcheck_source::FileId;
use bcheck_syntax::ast::{self, Definition, Parsed};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The machines of a folder, and machines written out here.
struct Texts<'s> {
    sources: &'s mut SourceMap,
    folder: PathBuf,
    written: &'s [(&'s str, &'s str)],
}

impl Files for Texts<'_> {
    fn machine(&mut self, _: FileId, name: &str, _: Option<&str>) -> Result<Parsed<Option<ast::Machine>>, LoadError> {
        let written = self.written.iter().find(|(own, _)| *own == name).map(|(_, text)| (*text).to_owned());
        let read = |ending| std::fs::read_to_string(self.folder.join(format!("{name}.{ending}"))).ok();
        let text = written.or_else(|| read("mch")).or_else(|| read("ref")).ok_or(LoadError::NotFound(Vec::new()))?;
        // The same file each time that it is named.
        let known = self.sources.files().position(|file| file.name == name);
        let file = known.map_or_else(|| self.sources.add(name, text.clone()), |at| FileId(u32::try_from(at).unwrap()));
        Ok(parse_machine(file, &text))
    }

    fn definitions(&mut self, _: FileId, _: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
        Err(LoadError::NotFound(Vec::new()))
    }
}

/// A refinement that can be checked.
struct Case {
    name: String,
    machine: Machine,
    refinement: Refinement,
}

fn case(name: &str, text: &str, (folder, written): (&Path, &[(&str, &str)]), size: u32, request: RefinementRequest<'_>) -> Case {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let tree = parse_machine(file, text).tree.unwrap_or_else(|| panic!("{name}"));
    let mut texts = Texts { sources: &mut sources, folder: folder.to_owned(), written };
    let analysis = analyse_refinement(&tree, &mut texts, request);
    let (model, refinement) = analysis.refinement.unwrap_or_else(|| panic!("{name}: {:?}", analysis.diagnostics));
    let sizes = model.sets.values().map(|set| match &set.kind {
        GivenSetKind::Deferred => size,
        GivenSetKind::Enumerated(names) => u32::try_from(names.len()).unwrap(),
    });
    let scope = Scope { sizes: sizes.collect(), minint: -1, maxint: 3 };
    Case { name: name.to_owned(), machine: Machine::compile(Arc::new(model), scope), refinement }
}

/// All refinements of the project, with both readings of preconditions.
fn of_project() -> Vec<Case> {
    let mut cases = Vec::new();
    for folder in ["refinement", "studies"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines").join(folder);
        let entries = std::fs::read_dir(&folder).expect("the machines").map(|entry| entry.expect("an entry").path());
        let mut paths: Vec<PathBuf> =
            entries.filter(|path| path.extension().is_some_and(|ending| ending == "ref" || ending == "imp")).collect();
        paths.sort();
        for path in paths {
            let text = std::fs::read_to_string(&path).expect("a machine");
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            for precondition in [Precondition::Contract, Precondition::Guard] {
                cases.push(case(&name, &text, (&folder, &[]), 2, RefinementRequest { precondition, hidden: &[] }));
            }
        }
    }
    cases
}

const ABOVE: &str = "MACHINE Above SETS S CONSTANTS c PROPERTIES c : S VARIABLES x INVARIANT x : 0..12 INITIALISATION x :: 0..1
    OPERATIONS up(nn) = PRE nn : 1..2 & x < 11 THEN x :: {x + nn, x} END; r <-- see = PRE x > 4 THEN r := x END; rest = BEGIN skip END END";

/// With choices, warnings, several faults of a level, deadlocks, internal steps in circles, set-ups under symmetry; and one state that
/// cannot be expanded.
const BELOW: [(&str, &str); 4] = [
    (
        "Turning",
        "REFINEMENT Turning REFINES Above VARIABLES x, k, f INVARIANT k : 0..6 & f : (0..1) <-> (0..9)
        INITIALISATION x := 0; k := 0; f := {0 |-> 1}
        OPERATIONS up(nn) = PRE nn : 1..2 & x < 11 THEN x := x + nn END; r <-- see = PRE x > 4 THEN r := x END;
          rest = SELECT f(x) = 1 THEN skip END; turn = SELECT x > 2 & k < 6 THEN k := k + 1 WHEN k = 6 & x = 7 THEN k := 2 END END",
    ),
    (
        "Wrong",
        "REFINEMENT Wrong REFINES Above VARIABLES x, k INVARIANT k : 0..60 INITIALISATION x := 0; k :: 0..9
        OPERATIONS up(nn) = PRE nn : 1..2 & x < 11 THEN x := x + nn END;
          r <-- see = PRE x > 4 THEN IF k = 7 & x > 5 THEN r := 3 ELSIF k = 4 THEN x := x - 1; r := x + 1 ELSE r := x END END;
          turn = SELECT k < 50 THEN k := k + 1 WHEN k = 27 THEN x := 1 END END",
    ),
    (
        "Ends",
        "REFINEMENT Ends REFINES Above VARIABLES x INVARIANT x : 0..12 INITIALISATION x :: 0..1
        OPERATIONS up(nn) = PRE nn : 1..2 & x < 11 THEN x := x END; r <-- see = PRE x > 4 THEN r := 1 / (x - 5) + x END END",
    ),
    (
        "Stuck",
        "REFINEMENT Stuck REFINES Above VARIABLES x, k INVARIANT k : 0..60 INITIALISATION x := 0; k :: 0..9
        OPERATIONS up(nn) = PRE nn : 1..2 & x < 11 THEN x := x + nn END;
          r <-- see = PRE x > 4 THEN IF k = 16 THEN r := SIGMA(i).(i : NATURAL & i mod 2 = 0 | i) ELSE r := x END END;
          turn = SELECT k < 50 THEN k := k + 1 WHEN k = 27 THEN x := 1 END END",
    ),
];

fn written() -> Vec<Case> {
    let hidden = ["turn".to_owned()];
    let request = RefinementRequest { precondition: Precondition::Contract, hidden: &hidden };
    BELOW.iter().map(|(name, text)| case(name, text, (Path::new(""), &[("Above", ABOVE)]), 2, request)).collect()
}

fn demands() -> Vec<Demands> {
    let of = |matching, refusals, divergence| Demands { matching, refusals, divergence };
    vec![of(Matching::Simulation, false, true), of(Matching::Trace, true, false), of(Matching::SimulationAll, true, true)]
}

impl Case {
    fn check<'c>(&'c self, symmetry: &'c Symmetry, demands: Demands, options: &'c Options) -> RefinementCheck<'c> {
        self.machine.interrupt().store(false, std::sync::atomic::Ordering::Relaxed);
        RefinementCheck { machine: &self.machine, refinement: &self.refinement, symmetry, demands, options }
    }

    /// The outcome of the reference search, which that of any number of workers must equal.
    fn agreed(&self, demands: Demands, options: &Options) -> Outcome {
        let symmetry = options.symmetry_of(&self.machine);
        let (expected, facts) = self.check(&symmetry, demands, options).run_reference();
        for workers in [1, 3] {
            let options = Options { workers, ..options.clone() };
            let (outcome, own) = self.check(&symmetry, demands, &options).run_for_facts(&mut Silent);
            let what = format!("{} {demands:?} {options:?}", self.name);
            assert_eq!((told(&outcome), own), (told(&expected), facts.clone()), "{what}");
            let outcome = self.check(&symmetry, demands, &options).run(&mut Silent);
            // Without facts nobody asks whether a deadlock is new, which may not be decidable.
            if expected.limit.is_none() {
                assert_eq!(told(&outcome), told(&expected), "{what}");
            }
        }
        expected
    }
}

#[test]
fn any_number_of_workers_gives_the_outcome_of_the_reference_search() {
    let (mut faults, mut cycles, mut limits) = (0, 0, 0);
    for case in written() {
        for demands in demands() {
            for symmetry in [Mode::Off, Mode::Exact] {
                let whole = case.agreed(demands, &within(&options(symmetry), 200));
                faults += usize::from(whole.finding.is_some());
                cycles += usize::from(format!("{:?}", whole.finding).contains("Divergence"));
                limits += usize::from(whole.limit.is_some());
            }
        }
    }
    assert!(faults >= 6 && cycles >= 2 && limits >= 6, "{faults} {cycles} {limits}");
}

#[test]
fn refinements_of_the_project_have_the_outcome_of_the_reference_search() {
    let (demands, modes) = (demands(), [Mode::Exact, Mode::Off]);
    for (index, case) in of_project().iter().enumerate() {
        // Each in some way: in all ways they take too long.
        case.agreed(demands[index % demands.len()], &within(&options(modes[index / 2 % 2]), 30));
    }
}

#[test]
fn what_counts_ends_at_the_same_step_whatever_the_limits() {
    for case in written() {
        for demands in demands() {
            let options = Options { set_ups_at_once: 1, ..options(Mode::Off) };
            for states in [1, 7, 12, 30, 31, 32, 33, 80] {
                case.agreed(demands, &within(&options, states));
            }
            for depth in [0, 1, 3] {
                let limits = Limits { depth: Some(depth), ..Limits::default() };
                case.agreed(demands, &Options { limits, ..options.clone() });
            }
        }
    }
}

/// Goes on with what a folder holds, or begins there if it holds nothing.
fn in_folder(files: &FaultyFiles, case: &Case, demands: Demands, options: &Options) -> (Outcome, RefinementFacts) {
    let folder = || Folder::with_files(Box::new(files.clone()), run_id());
    let every = Duration::ZERO;
    let mut checkpoints = match folder().manifest(&|text| Ok(Manifest::of_json(text).is_some())) {
        Ok((text, is_older)) => Checkpoints::go_on(folder(), (Manifest::of_json(&text).expect("it is asked for"), is_older), every),
        Err(_) => Checkpoints::begin(folder(), serde_json::Value::Null, every).expect("an empty folder"),
    };
    let symmetry = options.symmetry_of(&case.machine);
    let check = case.check(&symmetry, demands, options);
    check.run_with_checkpoints(&mut Silent, true, &mut checkpoints).unwrap_or_else(|fault| panic!("{}: {fault}", case.name))
}

#[test]
fn a_refinement_check_that_was_stopped_again_and_again_ends_as_one_that_was_not() {
    let project = of_project();
    let some =
        project.iter().filter(|case| ["WanderBack.ref", "BarrierBell.ref", "Seats.ref", "AccessPatrol.ref"].contains(&case.name.as_str()));
    for case in written().iter().chain(some) {
        for demands in demands() {
            for (symmetry, workers, set_ups_at_once) in [(Mode::Exact, 1, 1024), (Mode::Off, 2, 1)] {
                let way = Options { workers, set_ups_at_once, ..within(&options(symmetry), 90) };
                let group = way.symmetry_of(&case.machine);
                let whole = case.check(&group, demands, &way).run_for_facts(&mut Silent);
                let files = FaultyFiles::default();
                let step = (whole.0.explored.states / 4).max(1);
                for states in (1..whole.0.explored.states).step_by(usize::try_from(step).expect("small")) {
                    let part = in_folder(&files, case, demands, &within(&way, states));
                    let expected = case.check(&group, demands, &within(&way, states)).run_for_facts(&mut Silent);
                    assert_eq!((told(&part.0), part.1), (told(&expected.0), expected.1), "{} {states} {demands:?} {way:?}", case.name);
                }
                for _ in 0..2 {
                    let end = in_folder(&files, case, demands, &way);
                    assert_eq!((told(&end.0), &end.1), (told(&whole.0), &whole.1), "{} {demands:?} {way:?}", case.name);
                }
            }
        }
    }
}

#[test]
fn calls_are_not_lost_where_a_precondition_types_a_result_or_a_seen_machine_has_a_name_of_the_refined_one() {
    let above = "MACHINE Above VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
        OPERATIONS r <-- op(n) = PRE n : 0..3 & r : 0..3 THEN r := n || x := n END END";
    let seen = "MACHINE Seen VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 9 OPERATIONS turn = x := 8 END";
    let refinement = |sees: &str, result: &str| {
        format!(
            "REFINEMENT Below REFINES Above {sees} VARIABLES y INVARIANT y : 0..3 INITIALISATION y := 0
             OPERATIONS r <-- op(n) = BEGIN r := {result} ; y := n END END"
        )
    };
    let demands = Demands { matching: Matching::Simulation, refusals: true, divergence: false };
    for (sees, result, expected) in
        [("", "3", Verdict::RefinementViolation), ("", "n", Verdict::Verified), ("SEES Seen", "n", Verdict::Verified)]
    {
        let request = RefinementRequest { precondition: Precondition::Contract, hidden: &[] };
        let case = case("Below", &refinement(sees, result), (Path::new(""), &[("Above", above), ("Seen", seen)]), 2, request);
        assert_eq!(case.agreed(demands, &options(Mode::Off)).verdict, expected, "{sees} {result}");
    }
}
