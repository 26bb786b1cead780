//! Terms: what one step of a path must satisfy, with the obligations that are left after it.
//!
//! Invariant: a list of terms is a disjunction in which no term is implied by another one. Deliberately elsewhere: where terms come from
//! (`expand`), obligations (`normal`).

use super::automaton::Cube;
use super::normal::Id;

/// A conjunction of requirements on a step and on the positions after it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Term {
    /// The requirement on the step.
    pub(super) reads: Cube,
    /// Bits of the past that are to be true.
    pub(super) bits_true: u64,
    /// Bits of the past that are to be false.
    pub(super) bits_false: u64,
    /// Formulas that are to hold at the next position, in order.
    pub(super) next: Vec<Id>,
    /// Acceptance sets that are postponed: those of untils whose second argument is still to come.
    pub(super) postponed: u64,
}

impl Term {
    /// Both; nothing if they contradict each other.
    fn intersection(&self, other: &Self) -> Option<Self> {
        // Contradictions among obligations are not detected: a set that cannot be satisfied has no accepting run and is removed later.
        let reads = self.reads.intersection(&other.reads)?;
        let (bits_true, bits_false) = (self.bits_true | other.bits_true, self.bits_false | other.bits_false);
        if bits_true & bits_false != 0 {
            return None;
        }
        let mut next = [&self.next[..], &other.next[..]].concat();
        next.sort_unstable();
        next.dedup();
        Some(Self { reads, bits_true, bits_false, next, postponed: self.postponed | other.postponed })
    }

    /// Whether its requirements are among those of the other one.
    fn includes(&self, other: &Self) -> bool {
        self.bits_true & !other.bits_true == 0
            && self.bits_false & !other.bits_false == 0
            && self.postponed & !other.postponed == 0
            && self.reads.includes(&other.reads)
            && self.next.iter().all(|obligation| other.next.binary_search(obligation).is_ok())
    }

    /// Whether it allows these bits of the past.
    pub(super) fn allows_bits(&self, bits: u64) -> bool {
        self.bits_true & !bits == 0 && self.bits_false & bits == 0
    }
}

/// The conjunctions of a term of one list with a term of the other.
pub(super) fn product(left: &[Term], right: &[Term]) -> Vec<Term> {
    absorbed(left.iter().flat_map(|one| right.iter().filter_map(|other| one.intersection(other))).collect())
}

/// Without terms that are implied by others.
pub(super) fn absorbed(mut terms: Vec<Term>) -> Vec<Term> {
    terms.sort_unstable();
    terms.dedup();
    let mut kept: Vec<Term> = Vec::with_capacity(terms.len());
    for term in terms {
        // A term with fewer requirements accepts more: with fewer obligations and fewer acceptance sets postponed, it replaces the other
        // one.
        if !kept.iter().any(|other| other.includes(&term)) {
            kept.retain(|other| !term.includes(other));
            kept.push(term);
        }
    }
    kept
}
