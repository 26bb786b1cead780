//! The tree of temporal formulas, once for all floors: generic in its propositions and in the prefixes of formulas.
//!
//! Branching time has the operators of linear time, each below a path quantifier, which is a prefix: `EG f` is `G f` below `E`. Invariant:
//! nothing here depends on the meaning of a proposition or a prefix. Deliberately elsewhere: which formulas each logic has (`syntax`),
//! their meaning (`temporal`).

/// The logics in which formulas are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Logic {
    /// Linear time, with past and fairness.
    Ltl,
    /// Branching time.
    Ctl,
}

impl Logic {
    /// The name that people use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ltl => "LTL",
            Self::Ctl => "CTL",
        }
    }
}

/// A formula, or a part of one: `P` are its propositions, `A` the prefixes of formulas, `S` places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Temporal<P, A, S> {
    /// Its form.
    pub kind: TemporalKind<P, A, S>,
    /// Its place.
    pub span: S,
}

/// The kinds of formulas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TemporalKind<P, A, S> {
    /// `true`, `false`.
    Constant(bool),
    /// A proposition about a state or a step.
    Proposition(P),
    /// `not f`, `G f`, ….
    Unary(TemporalUnary, Box<Temporal<P, A, S>>),
    /// `f & g`, `f U g`, ….
    Binary(TemporalBinary, Box<Temporal<P, A, S>>, Box<Temporal<P, A, S>>),
    /// A path quantifier, a quantifier over values, a fairness assumption, and the formula behind it.
    Prefixed(A, Box<Temporal<P, A, S>>),
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TemporalUnary {
    /// Negation.
    Not,
    /// G: here and at all later positions.
    Globally,
    /// F: here or at a later position.
    Finally,
    /// X: there is a next position, and it holds there.
    Next,
    /// H: here and at all earlier positions.
    Historically,
    /// O: here or at an earlier position.
    Once,
    /// Y: there is a position before, and it holds there.
    Yesterday,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TemporalBinary {
    /// Both.
    And,
    /// At least one.
    Or,
    /// The first only if the second.
    Implies,
    /// Both or neither.
    Equivalent,
    /// U: the second comes, and the first holds until then.
    Until,
    /// W: until, or the first holds to the end.
    WeakUntil,
    /// R: the second holds up to and including the position where the first does, or to the end.
    Release,
    /// S: the second held, and the first has held since then.
    Since,
    /// T: the second has held since and including the position where the first did, or from the beginning.
    Trigger,
}

impl TemporalUnary {
    /// As it is written.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Not => "not",
            Self::Globally => "G",
            Self::Finally => "F",
            Self::Next => "X",
            Self::Historically => "H",
            Self::Once => "O",
            Self::Yesterday => "Y",
        }
    }
}

impl TemporalBinary {
    /// As it is written.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::And => "&",
            Self::Or => "or",
            Self::Implies => "=>",
            Self::Equivalent => "<=>",
            Self::Until => "U",
            Self::WeakUntil => "W",
            Self::Release => "R",
            Self::Since => "S",
            Self::Trigger => "T",
        }
    }

    /// How tightly it binds: `U` and its kin, then `&` and `or` on one level, then `=>`, then `<=>`.
    #[must_use]
    pub fn level(self) -> u8 {
        match self {
            Self::Equivalent => 1,
            Self::Implies => 2,
            Self::And | Self::Or => 3,
            Self::Until | Self::WeakUntil | Self::Release | Self::Since | Self::Trigger => 4,
        }
    }
}

impl<P, A, S> Temporal<P, A, S> {
    /// The formulas that it is made of, in order.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = &Self> {
        let (first, second) = match &self.kind {
            TemporalKind::Constant(_) | TemporalKind::Proposition(_) => (None, None),
            TemporalKind::Unary(_, one) | TemporalKind::Prefixed(_, one) => (Some(&**one), None),
            TemporalKind::Binary(_, one, other) => (Some(&**one), Some(&**other)),
        };
        first.into_iter().chain(second)
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let (first, second) = match &mut self.kind {
            TemporalKind::Constant(_) | TemporalKind::Proposition(_) => (None, None),
            TemporalKind::Unary(_, one) | TemporalKind::Prefixed(_, one) => (Some(&mut **one), None),
            TemporalKind::Binary(_, one, other) => (Some(&mut **one), Some(&mut **other)),
        };
        first.into_iter().chain(second)
    }
}
