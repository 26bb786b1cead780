//! Symmetry breaking by lex-leader constraints, which keep at least one valuation of each orbit.
//!
//! A valuation is written as a row of literals and integers. For each renaming the row must not come after its image in the lexicographic
//! order, in which a true literal comes before a false one and a smaller integer before a greater one. Invariant: the least row of an orbit
//! satisfies all these constraints, whichever renamings they are made for, since every row is compared in the same order. After J.
//! Crawford, M. Ginsberg, E. Luks and A. Roy, *Symmetry-breaking predicates for search problems*, KR 1996, with a chain of prefixes as in
//! F. A. Aloul, I. L. Markov and K. A. Sakallah, *Shatter: efficient symmetry-breaking for Boolean satisfiability*, DAC 2003. Deliberately
//! elsewhere: which renamings are symmetries of the formulas (`symmetry`), and what becomes of further members of an orbit (`explore`).

use super::circuit::Circuit;
use super::open::{Ground, Open};
use super::sat::{IntegerVariable, Lit};
use crate::plan::Slot;
use crate::plan::problem::Problem;
use crate::thresholds::{LEADER_PLACES, LEADER_PLACES_IN_ALL};
use bcheck_value::Renaming;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A position of a row with its image.
#[derive(Clone, Copy)]
enum Compared {
    Literals(Lit, Lit),
    Integers(IntegerVariable, IntegerVariable),
}

/// Excludes valuations of the problem's names that come after one of their images under these renamings.
pub(super) fn exclude_images(circuit: &mut Circuit, open: &FxHashMap<Slot, Ground>, problem: &Problem, renamings: &[&Renaming]) {
    let mut left = LEADER_PLACES_IN_ALL.get();
    for renaming in renamings {
        if let Some(mut row) = row_with_image(open, problem, renaming) {
            row.truncate(LEADER_PLACES.get().min(left));
            left -= row.len();
            exclude_greater(circuit, &row);
        }
    }
}

/// The row of the problem's names with its image, without positions where both are equal; `None` where the image of some possible
/// value is not possible, so that images have no row.
fn row_with_image(open: &FxHashMap<Slot, Ground>, problem: &Problem, renaming: &Renaming) -> Option<Vec<Compared>> {
    let mut row = Vec::new();
    for unknown in &problem.unknowns {
        match &open.get(&unknown.slot)?.value {
            Open::Known(value) if renaming(value) == *value => {}
            Open::Known(_) => return None,
            Open::Integer(_) => {}
            Open::Set(members) | Open::Choice(members) => {
                for (value, literal) in members.iter() {
                    let image = members.binary_search_by(|(other, _)| other.cmp(&renaming(value))).ok()?;
                    row.push(Compared::Literals(*literal, members[image].1));
                }
            }
            Open::Function(images) => {
                for (argument, variable) in images.iter() {
                    let image = images.binary_search_by(|(other, _)| other.cmp(&renaming(argument))).ok()?;
                    row.push(Compared::Integers(*variable, images[image].1));
                }
            }
        }
    }
    // Where two places change with each other, they are equal in the second of them if they are in the first.
    let (mut literals, mut integers) = (BTreeSet::new(), BTreeSet::new());
    row.retain(|compared| match *compared {
        Compared::Literals(one, other) => one != other && literals.insert((one.min(other), one.max(other))),
        Compared::Integers(one, other) => one != other && integers.insert((one.min(other), one.max(other))),
    });
    Some(row)
}

/// Requires that the first row does not come after the second one.
fn exclude_greater(circuit: &mut Circuit, row: &[Compared]) {
    // True where the rows are equal so far.
    let mut are_equal = Lit::TRUE;
    for compared in row {
        let (is_less, is_greater) = match *compared {
            Compared::Literals(one, other) => (circuit.and(one, !other), circuit.and(other, !one)),
            Compared::Integers(one, other) => {
                let mut below = |one, other| circuit.solver.at_most_sum(&[(1, one), (-1, other)], -1);
                // Integers whose difference is too large for a constraint end the comparison, which only excludes less.
                let (Some(is_less), Some(is_greater)) = (below(one, other), below(other, one)) else { return };
                circuit.count_constraint(4);
                (is_less, is_greater)
            }
        };
        let excluded = circuit.and(are_equal, is_greater);
        circuit.assert(!excluded);
        are_equal = circuit.and(are_equal, !is_less);
    }
}
