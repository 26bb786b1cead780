//! `--check-symmetry`: symmetry is tested on some reachable states before the search relies on it.
//!
//! Invariant: the search never uses a permutation that the test refuted: it falls back to elements without names, then to none at all,
//! and says so.

use crate::eval::Machine;
use crate::explore::{Difference, Doubt, Options, SampleLimits, doubt, state_lines};
use crate::ir::Model;
use crate::source::{Code, Diagnostic};
use crate::symmetry::{Mode, Symmetry};

/// The symmetry of a machine that the test did not refute, with warnings about what it did.
pub(super) fn checked(machine: &Machine, options: &Options) -> (Symmetry, Vec<Diagnostic>) {
    let all = options.symmetry_of(machine);
    let unnamed = Symmetry::of_unnamed(machine.model(), machine.scope(), options.symmetry);
    let none = Symmetry::new(machine.model(), machine.scope(), Mode::Off);
    unrefuted(machine, [(all, "elements that the machine names stay where they are"), (unnamed, "the search is not reduced")], none)
}

/// The first of these that the test does not refute, or the last resort. With each comes what is done if it is refuted.
fn unrefuted(machine: &Machine, candidates: [(Symmetry, &str); 2], last: Symmetry) -> (Symmetry, Vec<Diagnostic>) {
    let mut warnings = Vec::new();
    for (symmetry, instead) in candidates {
        match doubt(machine, &symmetry.generators(), SampleLimits::default()) {
            None => return (symmetry, warnings),
            Some(doubt) => warnings.push(warning(machine.model(), &doubt, instead)),
        }
    }
    (last, warnings)
}

fn warning(model: &Model, doubt: &Doubt, instead: &str) -> Diagnostic {
    let cycles = doubt.permutation.in_names(model);
    let state = state_lines(model, &doubt.state).replace('\n', ", ");
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
    };
    Diagnostic::warning(Code::SymmetryRefuted, span.unwrap_or(model.initialisation.span), format!("{cycles} is not a symmetry: {what}"))
        .label(format!("where {state}"))
        .help(format!("{instead}; this is a fault of bcheck: please report it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Scope;
    use crate::sema::analyse;
    use crate::source::SourceMap;
    use crate::syntax::parse_machine;
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
        let (symmetry, warnings) = unrefuted(&asymmetric, [(wrong(), "first"), (wrong(), "second")], none());
        assert!(symmetry.is_trivial());
        let said: Vec<String> = warnings.iter().map(|warning| format!("{} {:?}", warning.title, warning.help)).collect();
        assert!(said[0].starts_with("(one two) is not a symmetry: `open` does something else in its image"), "{said:?}");
        assert!(said.len() == 2 && said[0].contains("first") && said[1].contains("second"));
        let (symmetry, warnings) = unrefuted(&symmetric, [(wrong(), "first"), (none(), "second")], none());
        assert_eq!((symmetry.group_order(), warnings.len()), (2u32.into(), 0));
    }
}
