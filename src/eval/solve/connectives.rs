//! Gates of pairs of literals: the connectives of three-valued logic.
//!
//! Invariant: where all sides are total, `fails` is the negation of `holds` and needs no gates of its own.

use super::circuit::Circuit;
use super::open::Truth;
use super::sat::Lit;

/// `P => Q`: where P is false, Q is not evaluated and may be ill-defined.
pub(super) fn implied(circuit: &mut Circuit, left: Truth, right: Truth) -> Truth {
    // Where all sides are total, `fails` is the negation of `holds` and needs no gates of its own; the same below.
    if left.is_total() && right.is_total() {
        return Truth::total(circuit.implies(left.holds, right.holds));
    }
    let then = circuit.and(left.holds, right.holds);
    Truth { holds: circuit.or(left.fails, then), fails: circuit.and(left.holds, right.fails) }
}

/// `P <=> Q`: both sides are evaluated in every case.
pub(super) fn equivalent(circuit: &mut Circuit, left: Truth, right: Truth) -> Truth {
    if left.is_total() && right.is_total() {
        return Truth::total(circuit.same(left.holds, right.holds));
    }
    let mut either = |a: Lit, b: Lit, c: Lit, d: Lit| {
        let (one, other) = (circuit.and(a, b), circuit.and(c, d));
        circuit.or(one, other)
    };
    let holds = either(left.holds, right.holds, left.fails, right.fails);
    Truth { holds, fails: either(left.holds, right.fails, left.fails, right.holds) }
}

/// `IF P THEN Q ELSE R END`: the side that is not chosen may be ill-defined.
pub(super) fn either_side(circuit: &mut Circuit, condition: Truth, then: Truth, otherwise: Truth) -> Truth {
    let mut either = |a: Lit, b: Lit| {
        let (one, other) = (circuit.and(condition.holds, a), circuit.and(condition.fails, b));
        circuit.or(one, other)
    };
    let holds = either(then.holds, otherwise.holds);
    if condition.is_total() && then.is_total() && otherwise.is_total() {
        return Truth::total(holds);
    }
    Truth { holds, fails: either(then.fails, otherwise.fails) }
}

/// The truth of a literal where all operands are defined, and ill-defined elsewhere.
pub(super) fn decided(circuit: &mut Circuit, literal: Lit, defined: &[Lit]) -> Truth {
    let mut holds = defined.to_vec();
    if holds.iter().all(|literal| *literal == Lit::TRUE) {
        return Truth::total(literal);
    }
    let mut fails = holds.clone();
    holds.push(literal);
    fails.push(!literal);
    Truth { holds: circuit.all(holds), fails: circuit.all(fails) }
}

/// Where a binding leaves its comprehension or fold well-defined: its conditions fail, or they hold and its element is defined.
pub(super) fn well_defined(circuit: &mut Circuit, conditions: Truth, defined: Lit) -> Lit {
    let taken = circuit.and(conditions.holds, defined);
    circuit.or(conditions.fails, taken)
}
