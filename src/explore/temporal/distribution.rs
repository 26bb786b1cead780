//! Quantifiers that can stand in front of the whole formula.
//!
//! An operator *distributes over conjunction* in an argument if, on every path and at every position, `C[f1 & … & fn]` is equivalent to
//! `C[f1] & … & C[fn]` for all n ≥ 1; over disjunction likewise. On finite and infinite paths alike:
//!
//! * G, H require their argument at all positions of a set that does not depend on it: over conjunction. F, O at some: over disjunction.
//! * X, Y require it at one position, and are false if there is none. Then both sides are false, as n ≥ 1: over both.
//! * `f U g` and `f W g` require f at exactly the positions before the first g, or at all if there is none (then U is false whatever f is):
//!   over conjunction in f. They hold for a disjunction of g if for one of its members, the one that is true first: over disjunction in g.
//! * `f R g` requires g at exactly the positions up to and including the first f, or at all: over conjunction in g. It is `g W (f & g)`:
//!   over disjunction in f. S and T are mirror images of U and R.
//! * `&` and `or` distribute over both, `=>` in its right argument. The left one of `=>` and that of `not` turn conjunction to disjunction.
//! * A quantifies over all paths, E over some: A distributes over conjunction where the path operator does, E over disjunction. `AF` and
//!   `EG` distribute over neither. A formula of linear time must hold on all fair paths, and fairness does not depend on the value.
//!
//! By induction from the outside, a universal quantifier below operators that distribute over conjunction can stand in front, and so can
//! an existential one below a negation and operators that distribute over disjunction. Where a name has no values, n is 0: such a
//! quantifier stays where it is (`instances`).
//!
//! Invariant: the same formula gives the same quantifier. Deliberately elsewhere: what becomes of it (`instances`).

use bcheck_ir::temporal::{Branching, BranchingKind, Linear, LinearBinary, LinearKind, LinearUnary, TemporalBody};

/// The place of a quantifier in a formula.
pub(super) enum Quantified<'a> {
    Linear(&'a mut Linear),
    Branching(&'a mut Branching),
}

/// The first quantifier that can stand in front.
pub(super) fn distributed(body: &mut TemporalBody) -> Option<Quantified<'_>> {
    match body {
        TemporalBody::Linear(linear) => in_linear(linear, true).map(Quantified::Linear),
        TemporalBody::Branching(branching) => in_branching(branching, true).map(Quantified::Branching),
    }
}

/// The same for a part whose context distributes over conjunction or, if not `is_positive`, turns disjunction to conjunction.
fn in_linear(linear: &mut Linear, is_positive: bool) -> Option<&mut Linear> {
    if let LinearKind::Quantified { is_universal, .. } = &linear.kind {
        return (*is_universal == is_positive).then_some(linear);
    }
    match &mut linear.kind {
        LinearKind::Unary(operator, operand) => in_linear(operand, below_unary(*operator, is_positive)?),
        LinearKind::Binary(operator, left, right) => {
            let [of_left, of_right] = below_binary(*operator, is_positive);
            of_left.and_then(|sign| in_linear(left, sign)).or_else(|| in_linear(right, of_right?))
        }
        // "On all fair paths" is a conjunction over a set of paths that the body does not choose.
        LinearKind::Fair(_, body) => in_linear(body, is_positive),
        LinearKind::Constant(_) | LinearKind::State(_) | LinearKind::Step(_) | LinearKind::Quantified { .. } => None,
    }
}

fn in_branching(branching: &mut Branching, is_positive: bool) -> Option<&mut Branching> {
    if let BranchingKind::Quantified { is_universal, .. } = &branching.kind {
        return (*is_universal == is_positive).then_some(branching);
    }
    match &mut branching.kind {
        BranchingKind::Not(operand) => in_branching(operand, !is_positive),
        BranchingKind::Binary(operator, left, right) => {
            let [of_left, of_right] = below_binary(*operator, is_positive);
            of_left.and_then(|sign| in_branching(left, sign)).or_else(|| in_branching(right, of_right?))
        }
        // `E` over a conjunction would need one path for all conjuncts, `A` over a disjunction one disjunct for all paths.
        BranchingKind::Path { is_existential, .. } | BranchingKind::Until { is_existential, .. } if *is_existential == is_positive => None,
        BranchingKind::Path { operator, body, .. } => in_branching(body, below_unary(*operator, is_positive)?),
        BranchingKind::Until { before, after, .. } => {
            let [of_before, of_after] = below_binary(LinearBinary::Until, is_positive);
            of_before.and_then(|sign| in_branching(before, sign)).or_else(|| in_branching(after, of_after?))
        }
        BranchingKind::Constant(_) | BranchingKind::State(_) | BranchingKind::Quantified { .. } => None,
    }
}

/// The sign of the argument of an operator; `None` if the operator does not distribute.
fn below_unary(operator: LinearUnary, is_positive: bool) -> Option<bool> {
    match operator {
        // Negation turns a conjunction into a disjunction of negations, so the sign of what is below it changes.
        LinearUnary::Not => Some(!is_positive),
        LinearUnary::Next | LinearUnary::Yesterday => Some(is_positive),
        LinearUnary::Globally | LinearUnary::Historically => is_positive.then_some(true),
        LinearUnary::Finally | LinearUnary::Once => (!is_positive).then_some(false),
    }
}

/// The signs of both arguments.
fn below_binary(operator: LinearBinary, is_positive: bool) -> [Option<bool>; 2] {
    let (if_positive, if_negative) = (is_positive.then_some(true), (!is_positive).then_some(false));
    match operator {
        LinearBinary::And | LinearBinary::Or => [Some(is_positive); 2],
        LinearBinary::Implies => [Some(!is_positive), Some(is_positive)],
        // Both sides occur with both signs.
        LinearBinary::Equivalent => [None; 2],
        LinearBinary::Until | LinearBinary::WeakUntil | LinearBinary::Since => [if_positive, if_negative],
        LinearBinary::Release | LinearBinary::Trigger => [if_negative, if_positive],
    }
}
