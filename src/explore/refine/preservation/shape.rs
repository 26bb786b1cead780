//! Formulas reduced to the data that decide whether they are passed on: operators over kinds of propositions.
//!
//! Invariant: as many nodes as the formula; both polarities are computed for each node at once, so nested equivalences cost no more than
//! other operators. Deliberately elsewhere: the rules themselves (`positions`), construction (`reader`).

use super::positions::{Positions, Situation};

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

/// A formula without its propositions' contents. Other operators are written by these.
#[derive(Clone, Debug)]
pub enum FormulaShape {
    Constant(bool),
    Atom(Atom),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Equivalent(Box<Self>, Box<Self>),
    Next(Box<Self>),
    Until(Box<Self>, Box<Self>),
    WeakUntil(Box<Self>, Box<Self>),
    Release(Box<Self>, Box<Self>),
    Yesterday(Box<Self>),
    Since(Box<Self>, Box<Self>),
    Trigger(Box<Self>, Box<Self>),
    /// Of branching time: on all runs from here.
    AllRuns(Box<Self>),
}

/// Where a formula is passed on, and where its negation is.
#[derive(Clone, Copy)]
struct Both {
    plus: Positions,
    minus: Positions,
}

impl Atom {
    fn both(self, situation: Situation) -> Both {
        // Any step of the refinement is one of some state of the refined machine; if there is only one, it is that of the run. Its steps
        // are taken by the refinement if that refuses nothing, which is checked where no internal step is possible.
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

impl FormulaShape {
    pub(super) fn not(self) -> Self {
        Self::Not(Box::new(self))
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self::And(Box::new(self), Box::new(other))
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self::Or(Box::new(self), Box::new(other))
    }

    pub(super) fn next(self) -> Self {
        Self::Next(Box::new(self))
    }

    pub(super) fn globally(self) -> Self {
        Self::Release(Box::new(Self::Constant(false)), Box::new(self))
    }

    pub(super) fn finally(self) -> Self {
        Self::Until(Box::new(Self::Constant(true)), Box::new(self))
    }

    /// On all runs, or on some.
    pub(super) fn on_runs(self, is_existential: bool) -> Self {
        if is_existential { Self::AllRuns(Box::new(self.not())).not() } else { Self::AllRuns(Box::new(self)) }
    }

    fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Constant(_) | Self::Atom(_) => Vec::new(),
            Self::Not(one) | Self::Next(one) | Self::Yesterday(one) | Self::AllRuns(one) => vec![&**one],
            Self::And(one, other)
            | Self::Or(one, other)
            | Self::Equivalent(one, other)
            | Self::Until(one, other)
            | Self::WeakUntil(one, other)
            | Self::Release(one, other)
            | Self::Since(one, other)
            | Self::Trigger(one, other) => vec![&**one, &**other],
        }
    }

    /// Whether runs are quantified in it.
    pub(super) fn has_runs(&self) -> bool {
        matches!(self, Self::AllRuns(_)) || self.parts().into_iter().any(Self::has_runs)
    }

    /// Whether it, or its negation, requires some run to exist.
    pub(super) fn asks_for_runs(&self, is_wanted: bool) -> bool {
        match self {
            // The negation of "on all runs" is "on some run", and no lemma shows that the refinement has it.
            Self::AllRuns(body) => !is_wanted || body.asks_for_runs(is_wanted),
            Self::Not(body) => body.asks_for_runs(!is_wanted),
            // Both sides occur positively and negatively.
            Self::Equivalent(..) => self.has_runs(),
            _ => self.parts().into_iter().any(|part| part.asks_for_runs(is_wanted)),
        }
    }

    /// Whether the formula, or its negation, says the same without the quantifiers of runs but an outermost one.
    ///
    /// It does if parts with quantifiers are joined by conjunction, or by disjunction with a part that the state decides, and stand
    /// only behind X, G, or to the right of R, where the states before decide that they must hold.
    pub(super) fn is_linear(&self, is_wanted: bool) -> bool {
        let alone = |one: &Self, other: &Self| !one.has_runs() && other.is_linear(is_wanted);
        match self {
            // After the deterministic fragment of ACTL (Maidl 2000), whose formulas mean the same without the inner quantifiers.
            _ if !self.has_runs() => true,
            Self::Not(body) => body.is_linear(!is_wanted),
            Self::And(one, other) if is_wanted => one.is_linear(true) && other.is_linear(true),
            Self::Or(one, other) if !is_wanted => one.is_linear(false) && other.is_linear(false),
            Self::And(one, other) | Self::Or(one, other) => alone(one, other) || alone(other, one),
            Self::AllRuns(body) => is_wanted && body.is_linear_inside(true),
            _ => false,
        }
    }

    /// Likewise for the formula after a quantifier of runs.
    fn is_linear_inside(&self, is_wanted: bool) -> bool {
        match self {
            _ if !self.has_runs() => true,
            Self::Not(body) => body.is_linear_inside(!is_wanted),
            Self::Next(body) => body.is_linear(is_wanted),
            Self::Release(before, held) if is_wanted => !before.has_runs() && held.is_linear(true),
            // The negation is R of the negations.
            Self::Until(before, after) if !is_wanted => !before.has_runs() && after.is_linear(false),
            // AX of steps of an operation.
            Self::And(step, next) if !is_wanted => !step.has_runs() && next.is_linear_inside(false),
            _ => false,
        }
    }

    /// Whether it is passed on from every run of the refined machine to the runs of the refinement that it follows.
    pub(super) fn is_kept(&self, situation: Situation) -> bool {
        self.both(situation, self.is_linear(true)).plus.all()
    }

    fn both(&self, situation: Situation, is_linear: bool) -> Both {
        let of = |shape: &Self| shape.both(situation, is_linear);
        let found = match self {
            Self::Constant(value) => {
                let (plus, minus) = (Positions::TRUE, Positions::STATE);
                if *value { Both { plus, minus } } else { Both { plus: minus, minus: plus } }
            }
            Self::Atom(atom) => atom.both(situation),
            Self::Not(body) => {
                let Both { plus, minus } = of(body);
                Both { plus: minus, minus: plus }
            }
            Self::Next(body) => {
                let body = of(body);
                Both { plus: body.plus.next(), minus: body.minus.weak_next() }
            }
            Self::Yesterday(body) => {
                let body = of(body);
                Both { plus: body.plus.yesterday(situation), minus: body.minus.yesterday(situation) }
            }
            Self::AllRuns(body) => {
                let body = of(body);
                // Without the quantifier the rules for runs apply. With it, from a state of the refinement the run may go on in another
                // way than that of the refined machine, so each way must be followed from the one state, from any kind of position.
                let plus = if is_linear { body.plus } else { Positions::as_one(!situation.chooses && body.plus.all()) };
                Both { plus, minus: Positions::NONE }
            }
            Self::And(one, other)
            | Self::Or(one, other)
            | Self::Equivalent(one, other)
            | Self::Until(one, other)
            | Self::WeakUntil(one, other)
            | Self::Release(one, other)
            | Self::Since(one, other)
            | Self::Trigger(one, other) => self.of_two(of(one), of(other), situation),
        };
        Both { plus: found.plus.within(situation), minus: found.minus.within(situation) }
    }

    /// A binary operator; the negation of each is written by the dual one.
    fn of_two(&self, one: Both, other: Both, situation: Situation) -> Both {
        let (plus, minus) = match self {
            Self::And(..) => (one.plus.and(other.plus), one.minus.or(other.minus)),
            Self::Or(..) => (one.plus.or(other.plus), one.minus.and(other.minus)),
            // As `(f & g) or (not f & not g)`, from the sentences about both polarities: the formula itself is not copied.
            Self::Equivalent(..) => {
                (one.plus.and(other.plus).or(one.minus.and(other.minus)), one.plus.and(other.minus).or(one.minus.and(other.plus)))
            }
            Self::Until(..) => (one.plus.until(other.plus, situation), one.minus.release(other.minus)),
            Self::WeakUntil(..) => (one.plus.weak_until(other.plus), other.minus.until(one.minus.and(other.minus), situation)),
            Self::Release(..) => (one.plus.release(other.plus), one.minus.until(other.minus, situation)),
            Self::Since(..) => (one.plus.since(other.plus), one.minus.trigger(other.minus)),
            Self::Trigger(..) => (one.plus.trigger(other.plus), one.minus.since(other.minus)),
            _ => unreachable!("an operator of two operands"),
        };
        Both { plus, minus }
    }
}
