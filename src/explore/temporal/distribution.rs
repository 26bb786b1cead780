//! Quantifiers that can be moved in front of the whole formula.
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
//! By induction from the outside, a universal quantifier below operators that distribute over conjunction can be moved in front, and so can
//! an existential one below a negation and operators that distribute over disjunction. Where a name has no values, n is 0: such a
//! quantifier stays where it is (`instances`).
//!
//! Invariant: the same formula gives the same quantifier. Deliberately elsewhere: its expansion (`instances`).

use bcheck_ir::temporal::{Prefix, Temporal, TemporalBinary, TemporalKind, TemporalUnary};

/// The first quantifier that can be moved to the front.
pub(super) fn distributed(formula: &mut Temporal) -> Option<&mut Temporal> {
    within(formula, true)
}

/// Likewise for a part whose context distributes over conjunction or, if not `is_positive`, turns disjunction into conjunction.
fn within(formula: &mut Temporal, is_positive: bool) -> Option<&mut Temporal> {
    if let TemporalKind::Prefixed(Prefix::Quantified { is_universal, .. }, _) = &formula.kind {
        return (*is_universal == is_positive).then_some(formula);
    }
    match &mut formula.kind {
        TemporalKind::Unary(operator, operand) => within(operand, below_unary(*operator, is_positive)?),
        TemporalKind::Binary(operator, left, right) => {
            let [of_left, of_right] = below_binary(*operator, is_positive);
            of_left.and_then(|sign| within(left, sign)).or_else(|| within(right, of_right?))
        }
        // `E` over a conjunction would need one path for all conjuncts, `A` over a disjunction one disjunct for all paths.
        TemporalKind::Prefixed(Prefix::Path { is_existential, .. }, _) if *is_existential == is_positive => None,
        // "On all fair paths" is a conjunction over a set of paths that the body does not choose.
        TemporalKind::Prefixed(_, body) => within(body, is_positive),
        TemporalKind::Constant(_) | TemporalKind::Proposition(_) => None,
    }
}

/// The sign of the argument of an operator; `None` if the operator does not distribute.
fn below_unary(operator: TemporalUnary, is_positive: bool) -> Option<bool> {
    match operator {
        // Negation turns a conjunction into a disjunction of negations, so the polarity below it changes.
        TemporalUnary::Not => Some(!is_positive),
        TemporalUnary::Next | TemporalUnary::Yesterday => Some(is_positive),
        TemporalUnary::Globally | TemporalUnary::Historically => is_positive.then_some(true),
        TemporalUnary::Finally | TemporalUnary::Once => (!is_positive).then_some(false),
    }
}

/// The signs of both arguments.
fn below_binary(operator: TemporalBinary, is_positive: bool) -> [Option<bool>; 2] {
    let (if_positive, if_negative) = (is_positive.then_some(true), (!is_positive).then_some(false));
    match operator {
        TemporalBinary::And | TemporalBinary::Or => [Some(is_positive); 2],
        TemporalBinary::Implies => [Some(!is_positive), Some(is_positive)],
        // Both sides occur with both signs.
        TemporalBinary::Equivalent => [None; 2],
        TemporalBinary::Until | TemporalBinary::WeakUntil | TemporalBinary::Since => [if_positive, if_negative],
        TemporalBinary::Release | TemporalBinary::Trigger => [if_negative, if_positive],
    }
}
