//! `--check-symmetry`: tests equivariance of the machine on a sample of reachable states before the search relies on it.
//!
//! Invariant: the search never uses a group with a generator that the test refuted: it falls back to symmetries of unnamed elements, then
//! to none at all, with a warning.

use bcheck_eval::Machine;
use bcheck_explore::refine::{self, Demands};
use bcheck_explore::{Difference, Doubt, Options, SampleLimits, doubt};
use bcheck_ir::{Model, Refinement};
use bcheck_source::{Code, Diagnostic};
use bcheck_symmetry::{Mode, Permutation, Symmetry};

/// The symmetry of a machine that the test did not refute, with warnings about those that it refuted.
pub(crate) fn checked(machine: &Machine, options: &Options) -> (Symmetry, Vec<Diagnostic>) {
    first_unrefuted(machine, options, &|generators| doubt(machine, generators, SampleLimits::default()))
}

/// As [`checked`], for a refinement check.
pub(crate) fn checked_refinement(
    machine: &Machine,
    refinement: &Refinement,
    demands: Demands,
    options: &Options,
) -> (Symmetry, Vec<Diagnostic>) {
    first_unrefuted(machine, options, &|generators| refine::doubt(machine, refinement, demands, generators, SampleLimits::default()))
}

/// A test of generators: the first doubt about one of them, if any.
type Test<'a> = &'a dyn Fn(&[Permutation]) -> Option<Doubt>;

fn first_unrefuted(machine: &Machine, options: &Options, test: Test<'_>) -> (Symmetry, Vec<Diagnostic>) {
    let all = options.symmetry_of(machine);
    let unnamed = Symmetry::of_unnamed(machine.model(), machine.scope(), options.symmetry);
    let none = Symmetry::new(machine.model(), machine.scope(), Mode::Off);
    // Largest group first: a refuted symmetry of named elements does not rule out exchanging unnamed ones.
    let candidates = [(all, "elements that the machine names are fixed"), (unnamed, "the search is not reduced")];
    unrefuted(machine, candidates, none, test)
}

/// The first candidate that the test does not refute, or the last resort. Each comes with the consequence of its refutation, for the
/// warning.
fn unrefuted(machine: &Machine, candidates: [(Symmetry, &str); 2], last: Symmetry, test: Test<'_>) -> (Symmetry, Vec<Diagnostic>) {
    let mut warnings = Vec::new();
    for (symmetry, instead) in candidates {
        // Generators suffice: equivariance under them carries over to products, that is to the whole group.
        match test(&symmetry.generators()) {
            None => return (symmetry, warnings),
            Some(doubt) => warnings.push(warning(machine.model(), &doubt, instead)),
        }
    }
    (last, warnings)
}

fn warning(model: &Model, doubt: &Doubt, instead: &str) -> Diagnostic {
    let cycles = doubt.permutation.in_names(model);
    let state = doubt.state.replace('\n', ", ");
    let (what, span) = match doubt.difference {
        Difference::SetUp => ("its image does not satisfy PROPERTIES".to_owned(), None),
        Difference::Initial => ("it and its image have other initial states".to_owned(), Some(model.initialisation.span)),
        Difference::Steps(id) => {
            let span = model.operations.get_index(id.index()).map(|(_, operation)| operation.span);
            (format!("`{}` does something else in its image", model.operation_name(id)), span)
        }
        Difference::Invariant => ("the invariant holds in one of it and its image".to_owned(), None),
        Difference::Assertions => ("the assertions hold in one of it and its image".to_owned(), None),
        Difference::Goal => ("the goal holds in one of it and its image".to_owned(), None),
        Difference::Refusals => ("calls are refused wrongly in one of it and its image".to_owned(), None),
    };
    // At the initialisation if the difference has no place of its own.
    Diagnostic::warning(Code::SymmetryRefuted, span.unwrap_or(model.initialisation.span), format!("{cycles} is not a symmetry: {what}"))
        .label(format!("where {state}"))
        .help(format!("{instead}; this is a fault of bcheck: please report it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_explore::refine::Matching;
    use bcheck_ir::{OperationId, Precondition, Scope};
    use bcheck_sema::{Files, LoadError, RefinementRequest, analyse, analyse_refinement};
    use bcheck_source::{FileId, SourceMap};
    use bcheck_syntax::ast::{self, Definition, Parsed};
    use bcheck_syntax::parse_machine;
    use std::sync::Arc;

    /// A machine whose first operation opens these doors.
    fn machine(doors: &str) -> Machine {
        let text = format!(
            "MACHINE m SETS DOOR = {{one, two}} VARIABLES v INVARIANT v <: DOOR INITIALISATION v := {{}} \
             OPERATIONS open = BEGIN v := {doors} END; shut = BEGIN v := {{}} END END"
        );
        let file = SourceMap::new().add("m.mch", text.as_str());
        let (model, _) = analyse(&parse_machine(file, &text).tree.unwrap());
        Machine::compile(Arc::new(model.unwrap()), Scope { sizes: vec![2], minint: -1, maxint: 3 })
    }

    #[test]
    fn a_symmetry_of_another_machine_is_refuted_and_the_search_does_without() {
        let (asymmetric, symmetric) = (machine("{one}"), machine("{one, two}"));
        let of = |machine: &Machine, mode| Symmetry::new(machine.model(), machine.scope(), mode);
        let wrong = || of(&symmetric, Mode::Exact);
        assert_eq!(wrong().group_order(), 2u32.into());
        let none = || of(&asymmetric, Mode::Off);
        let test = |machine| move |generators: &[Permutation]| doubt(machine, generators, SampleLimits::default());
        let (symmetry, warnings) = unrefuted(&asymmetric, [(wrong(), "first"), (wrong(), "second")], none(), &test(&asymmetric));
        assert!(symmetry.is_trivial());
        let shown: Vec<String> = warnings.iter().map(|warning| format!("{} {:?}", warning.title, warning.help)).collect();
        assert!(shown[0].starts_with("(one two) is not a symmetry: `open` does something else in its image"), "{shown:?}");
        assert!(shown.len() == 2 && shown[0].contains("first") && shown[1].contains("second"));
        let (symmetry, warnings) = unrefuted(&symmetric, [(wrong(), "first"), (none(), "second")], none(), &test(&symmetric));
        assert_eq!((symmetry.group_order(), warnings.len()), (2u32.into(), 0));
    }

    /// The machine that is refined.
    struct Refined<'a>(&'a mut SourceMap, &'a str);

    impl Files for Refined<'_> {
        fn machine(&mut self, _: FileId, _: &str, _: Option<&str>) -> Result<Parsed<Option<ast::Machine>>, LoadError> {
            Ok(parse_machine(self.0.add("a.mch", self.1), self.1))
        }

        fn definitions(&mut self, _: FileId, _: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
            Err(LoadError::NotFound(Vec::new()))
        }
    }

    /// The doubt about exchanging the first two of three doors; both machines have an operation with this guard.
    fn doubted(concrete: &str, abstracts: &str, refusals: bool) -> Option<Difference> {
        let of = |guard: &str| {
            format!(
                "VARIABLES v INVARIANT v <: DOOR INITIALISATION v := {{}} \
                 OPERATIONS open(d) = SELECT d : DOOR - v & {guard} THEN v := v \\/ {{d}} END END"
            )
        };
        let refined = format!("MACHINE a SETS DOOR = {{one, two, three}} {}", of(abstracts));
        let text = format!("REFINEMENT c REFINES a {}", of(concrete));
        let mut sources = SourceMap::new();
        let tree = parse_machine(sources.add("c.ref", text.as_str()), &text).tree.expect("it parses");
        let request = RefinementRequest { precondition: Precondition::Contract, hidden: &[] };
        let analysis = analyse_refinement(&tree, &mut Refined(&mut sources, &refined), request);
        let (model, refinement) = analysis.refinement.expect("a refinement");
        let machine = Machine::compile(Arc::new(model), Scope { sizes: vec![3], minint: -1, maxint: 3 });
        let demands = Demands { matching: Matching::Simulation, refusals, divergence: false };
        let exchange = [Permutation::from_images(vec![vec![1, 0, 2]])];
        refine::doubt(&machine, &refinement, demands, &exchange, SampleLimits::default()).map(|doubt| doubt.difference)
    }

    #[test]
    fn what_one_of_both_machines_does_with_one_element_is_doubted() {
        let open = Some(Difference::Steps(OperationId(0)));
        assert_eq!(doubted("1 = 1", "1 = 1", true), None);
        assert_eq!(doubted("d /= three", "d /= three", true), None);
        assert_eq!(doubted("d /= one", "1 = 1", false), open, "the steps of the refinement");
        assert_eq!(doubted("1 = 1", "(v = {} or d /= one)", false), open, "whether the refined machine follows");
    }

    #[test]
    fn refusals_that_depend_on_an_element_are_doubted_where_they_are_looked_at() {
        let doubted = |refusals| doubted("v = {}", "(v = {} or v = {one})", refusals);
        assert_eq!(doubted(true), Some(Difference::Refusals));
        assert_eq!(doubted(false), None);
    }
}
