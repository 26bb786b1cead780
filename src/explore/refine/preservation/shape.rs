//! Formulas reduced to the data that decide whether they are passed on: operators over kinds of propositions.
//!
//! Invariant: as many nodes as the formula; both polarities are computed for each node at once, so nested equivalences cost no more than
//! other operators. Deliberately elsewhere: the rules themselves (`positions`), construction (`reader`).

use super::positions::{Positions, Situation};
use bcheck_source::{TemporalBinary, TemporalUnary};

/// A kind of proposition.
#[derive(Clone, Copy, Debug)]
pub enum Atom {
    /// About the state.
    State,
    /// True of more enabled operations if of fewer.
    Enabled,
    /// True of fewer enabled operations if of more.
    AtMost,
    /// `controller`: exactly one is enabled.
    Exactly,
    /// `deadlock`
    Deadlock,
    /// `[op]`
    Taken,
    /// `unchanged`
    Unchanged,
    /// `changed`, `increasing`, `decreasing`: false of internal steps.
    Changed,
    /// `BA`
    BeforeAfter,
}

/// On all runs from here, in branching time. That some run does something is written by it.
#[derive(Clone, Copy, Debug)]
pub struct AllRuns;

/// A formula without its propositions' contents.
pub(super) type FormulaShape = bcheck_source::Temporal<Atom, AllRuns, ()>;

/// The kinds of such formulas.
pub(super) type ShapeKind = bcheck_source::TemporalKind<Atom, AllRuns, ()>;

/// Where a formula is passed on, and where its negation is.
#[derive(Clone, Copy)]
struct Both {
    plus: Positions,
    minus: Positions,
}

impl Atom {
    fn both(self, situation: Situation) -> Both {
        // What the refinement takes, some state of the refined machine takes; if there is one only, it is that of the run. What that
        // takes, the refinement takes if it refuses nothing, which is checked where no internal step is possible.
        let fewer = Positions::as_one(!situation.chooses);
        let more = Positions::as_one(!situation.chooses && !situation.internal && !situation.refuses);
        let (plus, minus) = match self {
            Self::State => (Positions::STATE, Positions::STATE),
            Self::Enabled => (more, fewer),
            Self::AtMost => (fewer, more),
            Self::Exactly => (more.and(fewer), more.and(fewer)),
            Self::Deadlock => (Positions::STOPS, Positions::GOES_ON),
            Self::Taken | Self::Changed => (Positions::STEP, Positions::NO_STEP),
            Self::Unchanged => (Positions::UNCHANGED, Positions::NOT_UNCHANGED),
            // Values before and after an internal step are those of one state of the refined machine, not of a step of it.
            Self::BeforeAfter => (Positions::STEP, Positions::STOPS),
        };
        Both { plus, minus }
    }
}

/// A formula of this kind.
pub(super) fn of_kind(kind: ShapeKind) -> FormulaShape {
    FormulaShape { kind, span: () }
}

/// A unary operator with its operand.
pub(super) fn unary(operator: TemporalUnary, body: FormulaShape) -> FormulaShape {
    of_kind(ShapeKind::Unary(operator, Box::new(body)))
}

/// A binary operator with its operands.
pub(super) fn binary(operator: TemporalBinary, left: FormulaShape, right: FormulaShape) -> FormulaShape {
    of_kind(ShapeKind::Binary(operator, Box::new(left), Box::new(right)))
}

impl Both {
    fn constant(value: bool) -> Self {
        let (plus, minus) = (Positions::TRUE, Positions::STATE);
        if value { Self { plus, minus } } else { Self { plus: minus, minus: plus } }
    }

    fn negated(self) -> Self {
        Self { plus: self.minus, minus: self.plus }
    }

    fn within(self, situation: Situation) -> Self {
        Self { plus: self.plus.within(situation), minus: self.minus.within(situation) }
    }
}

/// On all runs, or on some.
pub(super) fn on_runs(path: FormulaShape, is_existential: bool) -> FormulaShape {
    let all = |path| of_kind(ShapeKind::Prefixed(AllRuns, Box::new(path)));
    let not = |shape| unary(TemporalUnary::Not, shape);
    if is_existential { not(all(not(path))) } else { all(path) }
}

/// Whether runs are quantified in it.
pub(super) fn has_runs(shape: &FormulaShape) -> bool {
    matches!(shape.kind, ShapeKind::Prefixed(..)) || shape.parts().any(has_runs)
}

/// Whether a formula, or its negation, asks for some run to exist.
pub(super) fn asks_for_runs(shape: &FormulaShape, is_wanted: bool) -> bool {
    match &shape.kind {
        // The negation of "on all runs" is "on some run", of which no lemma says that the refinement has it.
        ShapeKind::Prefixed(AllRuns, body) => !is_wanted || asks_for_runs(body, is_wanted),
        ShapeKind::Unary(TemporalUnary::Not, body) => asks_for_runs(body, !is_wanted),
        ShapeKind::Binary(TemporalBinary::Implies, premise, conclusion) => {
            asks_for_runs(premise, !is_wanted) || asks_for_runs(conclusion, is_wanted)
        }
        // Both sides occur positively and negatively.
        ShapeKind::Binary(TemporalBinary::Equivalent, ..) => has_runs(shape),
        _ => shape.parts().any(|part| asks_for_runs(part, is_wanted)),
    }
}

/// Whether a formula, or its negation, says the same without the quantifiers of runs but an outermost one.
///
/// It does if parts with quantifiers are joined by conjunction, or by disjunction with a part that the state decides, and stand
/// only behind X, G, or to the right of R, where the states before decide that they must hold.
pub(super) fn is_linear(shape: &FormulaShape, is_wanted: bool) -> bool {
    use TemporalBinary::{And, Implies, Or};
    let alone = |one: &FormulaShape, other: &FormulaShape| !has_runs(one) && is_linear(other, is_wanted);
    match &shape.kind {
        // After the deterministic fragment of ACTL (Maidl 2000), whose formulas mean the same without the inner quantifiers.
        _ if !has_runs(shape) => true,
        ShapeKind::Unary(TemporalUnary::Not, body) => is_linear(body, !is_wanted),
        ShapeKind::Binary(And, one, other) if is_wanted => is_linear(one, true) && is_linear(other, true),
        ShapeKind::Binary(Or, one, other) if !is_wanted => is_linear(one, false) && is_linear(other, false),
        ShapeKind::Binary(And | Or, one, other) => alone(one, other) || alone(other, one),
        // A disjunction whose first side is negated.
        ShapeKind::Binary(Implies, one, other) if !is_wanted => is_linear(one, true) && is_linear(other, false),
        ShapeKind::Binary(Implies, one, other) => alone(one, other) || !has_runs(other) && is_linear(one, !is_wanted),
        ShapeKind::Prefixed(AllRuns, body) => is_wanted && is_linear_inside(body, true),
        _ => false,
    }
}

/// Likewise for the formula after a quantifier of runs.
fn is_linear_inside(shape: &FormulaShape, is_wanted: bool) -> bool {
    match &shape.kind {
        _ if !has_runs(shape) => true,
        ShapeKind::Unary(TemporalUnary::Not, body) => is_linear_inside(body, !is_wanted),
        ShapeKind::Unary(TemporalUnary::Next, body) => is_linear(body, is_wanted),
        ShapeKind::Unary(TemporalUnary::Globally, held) if is_wanted => is_linear(held, true),
        ShapeKind::Binary(TemporalBinary::Release, before, held) if is_wanted => !has_runs(before) && is_linear(held, true),
        // The negations of these are G and R of the negations.
        ShapeKind::Unary(TemporalUnary::Finally, after) if !is_wanted => is_linear(after, false),
        ShapeKind::Binary(TemporalBinary::Until, before, after) if !is_wanted => !has_runs(before) && is_linear(after, false),
        // AX of steps of an operation.
        ShapeKind::Binary(TemporalBinary::And, step, next) if !is_wanted => !has_runs(step) && is_linear_inside(next, false),
        _ => false,
    }
}

/// Whether a formula is passed on from every run of the refined machine to the runs of the refinement that it follows.
pub(super) fn is_kept(shape: &FormulaShape, situation: Situation) -> bool {
    both(shape, situation, is_linear(shape, true)).plus.all()
}

fn both(shape: &FormulaShape, situation: Situation, is_linear: bool) -> Both {
    let of = |part: &FormulaShape| both(part, situation, is_linear);
    let found = match &shape.kind {
        ShapeKind::Constant(value) => Both::constant(*value),
        ShapeKind::Proposition(atom) => atom.both(situation),
        ShapeKind::Unary(operator, body) => of_one(*operator, of(body), situation),
        ShapeKind::Binary(operator, one, other) => of_two(*operator, of(one), of(other), situation),
        ShapeKind::Prefixed(AllRuns, body) => {
            let body = of(body);
            // Without the quantifier the rules for runs apply. With it, from a state of the refinement the run may go on in another
            // way than that of the refined machine, so each way must be followed from the one state, from any kind of position.
            let plus = if is_linear { body.plus } else { Positions::as_one(!situation.chooses && body.plus.all()) };
            Both { plus, minus: Positions::NONE }
        }
    };
    found.within(situation)
}

/// A unary operator: G, F, H and O are R, U, T and S with a constant.
fn of_one(operator: TemporalUnary, body: Both, situation: Situation) -> Both {
    let constant = |value| Both::constant(value).within(situation);
    match operator {
        TemporalUnary::Not => body.negated(),
        TemporalUnary::Next => Both { plus: body.plus.next(), minus: body.minus.weak_next() },
        TemporalUnary::Yesterday => Both { plus: body.plus.yesterday(situation), minus: body.minus.yesterday(situation) },
        TemporalUnary::Globally => of_two(TemporalBinary::Release, constant(false), body, situation),
        TemporalUnary::Finally => of_two(TemporalBinary::Until, constant(true), body, situation),
        TemporalUnary::Historically => of_two(TemporalBinary::Trigger, constant(false), body, situation),
        TemporalUnary::Once => of_two(TemporalBinary::Since, constant(true), body, situation),
    }
}

/// A binary operator; the negation of each is written by the dual one.
fn of_two(operator: TemporalBinary, one: Both, other: Both, situation: Situation) -> Both {
    let (plus, minus) = match operator {
        TemporalBinary::And => (one.plus.and(other.plus), one.minus.or(other.minus)),
        TemporalBinary::Or => (one.plus.or(other.plus), one.minus.and(other.minus)),
        TemporalBinary::Implies => return of_two(TemporalBinary::Or, one.negated(), other, situation),
        // As `(f & g) or (not f & not g)`, from the sentences about both polarities: the formula itself is not copied.
        TemporalBinary::Equivalent => {
            (one.plus.and(other.plus).or(one.minus.and(other.minus)), one.plus.and(other.minus).or(one.minus.and(other.plus)))
        }
        TemporalBinary::Until => (one.plus.until(other.plus, situation), one.minus.release(other.minus)),
        TemporalBinary::WeakUntil => (one.plus.weak_until(other.plus), other.minus.until(one.minus.and(other.minus), situation)),
        TemporalBinary::Release => (one.plus.release(other.plus), one.minus.until(other.minus, situation)),
        TemporalBinary::Since => (one.plus.since(other.plus), one.minus.trigger(other.minus)),
        TemporalBinary::Trigger => (one.plus.trigger(other.plus), one.minus.since(other.minus)),
    };
    Both { plus, minus }
}
