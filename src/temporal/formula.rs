//! Formulas of linear time with past, and of branching time.
//!
//! Invariant: plain data; a proposition is the number of a bit, below [`PROPOSITIONS`]. Deliberately elsewhere: what a formula means on a
//! path (`word`, by definition), its normal form (`normal`).

/// Propositions of states, and of steps, in one question: letters are words of 64 bits.
pub const PROPOSITIONS: u8 = 64;

/// The number of a proposition: which bit of a letter it is.
pub type Proposition = u8;

/// A formula of linear time, evaluated at a position of a path: a state, and the step that is taken next.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Formula {
    /// Holds everywhere.
    True,
    /// Holds nowhere.
    False,
    /// A proposition of the state.
    State(Proposition),
    /// A proposition of the next step; false in the last state of a finite path.
    Step(Proposition),
    /// Negation.
    Not(Box<Self>),
    /// Both.
    And(Box<Self>, Box<Self>),
    /// At least one.
    Or(Box<Self>, Box<Self>),
    /// The first only if the second.
    Implies(Box<Self>, Box<Self>),
    /// Both or neither.
    Equivalent(Box<Self>, Box<Self>),
    /// X: there is a next position, and it holds there.
    Next(Box<Self>),
    /// G: here and at all later positions.
    Globally(Box<Self>),
    /// F: here or at a later position.
    Finally(Box<Self>),
    /// U: the second comes, and the first holds until then.
    Until(Box<Self>, Box<Self>),
    /// W: until, or the first holds to the end.
    WeakUntil(Box<Self>, Box<Self>),
    /// R: the second holds up to and including the position where the first does, or to the end.
    Release(Box<Self>, Box<Self>),
    /// Y: there is a position before, and it holds there.
    Yesterday(Box<Self>),
    /// H: here and at all earlier positions.
    Historically(Box<Self>),
    /// O: here or at an earlier position.
    Once(Box<Self>),
    /// S: the second held, and the first has held since then.
    Since(Box<Self>, Box<Self>),
    /// T: the second has held since and including the position where the first did, or from the beginning.
    Trigger(Box<Self>, Box<Self>),
}

impl Formula {
    /// The formulas that it is made of, in order.
    #[must_use]
    pub fn arguments(&self) -> Vec<&Self> {
        match self {
            Self::True | Self::False | Self::State(_) | Self::Step(_) => Vec::new(),
            Self::Not(argument)
            | Self::Next(argument)
            | Self::Globally(argument)
            | Self::Finally(argument)
            | Self::Yesterday(argument)
            | Self::Historically(argument)
            | Self::Once(argument) => vec![argument],
            Self::And(first, second)
            | Self::Or(first, second)
            | Self::Implies(first, second)
            | Self::Equivalent(first, second)
            | Self::Until(first, second)
            | Self::WeakUntil(first, second)
            | Self::Release(first, second)
            | Self::Since(first, second)
            | Self::Trigger(first, second) => vec![first, second],
        }
    }
}

/// A formula of branching time, judged in a state. A path quantifier ranges over the maximal paths from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Branching {
    /// Holds everywhere.
    True,
    /// Holds nowhere.
    False,
    /// A proposition of the state.
    State(Proposition),
    /// Negation.
    Not(Box<Self>),
    /// Both.
    And(Box<Self>, Box<Self>),
    /// At least one.
    Or(Box<Self>, Box<Self>),
    /// The first only if the second.
    Implies(Box<Self>, Box<Self>),
    /// Both or neither.
    Equivalent(Box<Self>, Box<Self>),
    /// EX, EX\[op\]: a step (with this proposition) to a state where it holds.
    ExistsNext(Option<Proposition>, Box<Self>),
    /// AX: it holds in the target of every step; true where there is none.
    AllNext(Box<Self>),
    /// EF.
    ExistsFinally(Box<Self>),
    /// EG: on some maximal path it holds to the end.
    ExistsGlobally(Box<Self>),
    /// AF.
    AllFinally(Box<Self>),
    /// AG.
    AllGlobally(Box<Self>),
    /// E … U ….
    ExistsUntil(Box<Self>, Box<Self>),
    /// A … U ….
    AllUntil(Box<Self>, Box<Self>),
}

impl Branching {
    /// Whether it is, with negations moved inwards, about all paths only (`are_all`), or about some path only.
    #[must_use]
    pub fn is_about_paths(&self, are_all: bool) -> bool {
        let of = |part: &Self| part.is_about_paths(are_all);
        match self {
            Self::True | Self::False | Self::State(_) => true,
            Self::Not(inner) => inner.is_about_paths(!are_all),
            Self::And(left, right) | Self::Or(left, right) => of(left) && of(right),
            Self::Implies(left, right) => left.is_about_paths(!are_all) && of(right),
            // Each side occurs once below a negation.
            Self::Equivalent(left, right) => [left, right].iter().all(|side| side.is_about_paths(true) && side.is_about_paths(false)),
            Self::AllNext(inner) | Self::AllFinally(inner) | Self::AllGlobally(inner) => are_all && of(inner),
            Self::ExistsNext(_, inner) | Self::ExistsFinally(inner) | Self::ExistsGlobally(inner) => !are_all && of(inner),
            Self::AllUntil(left, right) => are_all && of(left) && of(right),
            Self::ExistsUntil(left, right) => !are_all && of(left) && of(right),
        }
    }
}

/// An assumption on paths: where `enabled` holds forever (weak) or infinitely often (strong), `taken` holds infinitely often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fairness {
    /// Strong fairness; otherwise weak.
    pub is_strong: bool,
    /// The proposition of states: such a step is possible.
    pub enabled: Proposition,
    /// The proposition of steps: this is such a step.
    pub taken: Proposition,
}
