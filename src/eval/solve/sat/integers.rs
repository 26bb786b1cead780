//! Integer variables: bounds on the trail, and literals `x <= v` that are made when a bound is first needed.
//!
//! Invariant: a literal `x <= v` that exists is true where the upper bound is at most `v`, false where the lower bound is above `v`, and
//! unassigned between them. So no clauses join the literals of one variable: whichever is assigned assigns those that follow.
//! After O. Ohrimenko, P. J. Stuckey and M. Codish, *Propagation via lazy clause generation*, Constraints 14, 2009. Deliberately elsewhere:
//! what makes bounds narrower (`inequalities`, `products`), which literals are decided (`models`).

use super::{Lit, Reason, Solver};
use std::collections::BTreeMap;

/// The number of an integer variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::solve) struct IntegerVariable(pub(super) u32);

/// A bound that a variable has, or had before a narrower one.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntegerBound {
    pub(super) value: i64,
    /// The literal whose assignment made it the bound; true for those of level 0.
    pub(super) literal: Lit,
    /// The place of that literal on the trail.
    pub(super) position: usize,
}

/// A constraint by its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Propagator {
    Inequality(u32),
    Product(u32),
    Disequality(u32),
}

#[derive(Debug)]
pub(super) struct IntegerState {
    /// Ever narrower; the first one is that of level 0.
    pub(super) lower: Vec<IntegerBound>,
    pub(super) upper: Vec<IntegerBound>,
    /// The literals `x <= v` that exist, by `v`.
    at_most: BTreeMap<i64, Lit>,
    /// What its lower bound is propagated to, and what its upper one.
    watchers: [Vec<Propagator>; 2],
    /// The disequalities that watch it.
    pub(super) disequalities: Vec<u32>,
}

/// A side of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BoundSide {
    Lower,
    Upper,
}

impl IntegerState {
    pub(super) fn least(&self) -> i64 {
        self.lower[self.lower.len() - 1].value
    }

    pub(super) fn greatest(&self) -> i64 {
        self.upper[self.upper.len() - 1].value
    }
}

impl Solver {
    /// A new integer variable with these bounds, both of which it can have.
    pub(in crate::solve) fn integer(&mut self, least: i64, greatest: i64) -> IntegerVariable {
        debug_assert!(least <= greatest && self.decisions.is_empty());
        let variable = IntegerVariable(u32::try_from(self.integers.len()).expect("fewer than 2^32 integers"));
        let bound = |value| vec![IntegerBound { value, literal: Lit::TRUE, position: 0 }];
        let (lower, upper) = (bound(least), bound(greatest));
        self.ranges.push([least, greatest]);
        self.integers.push(IntegerState {
            lower,
            upper,
            at_most: BTreeMap::new(),
            watchers: Default::default(),
            disequalities: Vec::new(),
        });
        variable
    }

    pub(in crate::solve) fn has_integers(&self) -> bool {
        !self.integers.is_empty()
    }

    /// The bounds of a variable at present; equal in a model.
    pub(in crate::solve) fn bounds(&self, variable: IntegerVariable) -> (i64, i64) {
        let state = &self.integers[variable.0 as usize];
        debug_assert_eq!(self.ranges[variable.0 as usize], [state.least(), state.greatest()]);
        (state.least(), state.greatest())
    }

    /// The literal that is true where the variable is at most `value`.
    pub(in crate::solve) fn at_most(&mut self, variable: IntegerVariable, value: i64) -> Lit {
        let state = &self.integers[variable.0 as usize];
        if let Some(&literal) = state.at_most.get(&value) {
            return literal;
        }
        // Bounds of level 0 hold for good. A literal is made during the search only for a value between the bounds of the moment.
        if value >= state.upper[0].value {
            return Lit::TRUE;
        }
        if value < state.lower[0].value {
            return Lit::FALSE;
        }
        debug_assert!(state.least() <= value && value < state.greatest(), "a new literal is unassigned");
        // The lower half first, where a literal is decided.
        let literal = self.input(true);
        self.integers[variable.0 as usize].at_most.insert(value, literal);
        self.bounded.resize(literal.variable() + 1, None);
        self.bounded[literal.variable()] = Some((variable, value));
        literal
    }

    /// The bound that the variable of a literal stands for: the integer is at most the number where the variable is true.
    pub(super) fn bound_of(&self, literal: Lit) -> Option<(IntegerVariable, i64)> {
        self.bounded.get(literal.variable()).copied().flatten()
    }

    /// The first variable that may still have several values.
    pub(super) fn open_integer(&self) -> Option<IntegerVariable> {
        let open = self.integers.iter().position(|state| state.least() < state.greatest())?;
        Some(IntegerVariable(u32::try_from(open).expect("fewer than 2^32 integers")))
    }

    /// Makes the upper bound at most `value`; the variable may not be known to be greater.
    pub(super) fn narrow_above(&mut self, variable: IntegerVariable, value: i64, reason: Reason) {
        if self.decisions.is_empty() {
            self.narrow_for_good(variable, None, Some(value));
        } else {
            let literal = self.at_most(variable, value);
            self.assign(literal, reason);
        }
    }

    /// Makes the lower bound at least `value`; the variable may not be known to be less.
    pub(super) fn narrow_below(&mut self, variable: IntegerVariable, value: i64, reason: Reason) {
        if self.decisions.is_empty() {
            self.narrow_for_good(variable, Some(value), None);
        } else {
            let literal = self.at_most(variable, value - 1);
            self.assign(!literal, reason);
        }
    }

    /// New bounds at level 0, which need no literals of their own.
    fn narrow_for_good(&mut self, variable: IntegerVariable, lower: Option<i64>, upper: Option<i64>) {
        let state = &mut self.integers[variable.0 as usize];
        let bound = |value| vec![IntegerBound { value, literal: Lit::TRUE, position: 0 }];
        let lower = lower.filter(|lower| *lower > state.least());
        let upper = upper.filter(|upper| *upper < state.greatest());
        if let Some(lower) = lower {
            state.lower = bound(lower);
        }
        if let Some(upper) = upper {
            state.upper = bound(upper);
        }
        self.ranges[variable.0 as usize] = [state.least(), state.greatest()];
        let (least, greatest) = (state.least(), state.greatest());
        debug_assert!(least <= greatest);
        let decided: Vec<Lit> = state
            .at_most
            .iter()
            .filter_map(|(value, literal)| if *value < least { Some(!*literal) } else { (*value >= greatest).then_some(*literal) })
            .collect();
        for literal in decided {
            if self.value(literal).is_none() {
                self.set(literal, Reason::None);
            }
        }
        for (bound, side) in [(lower, BoundSide::Lower), (upper, BoundSide::Upper)] {
            if bound.is_some() {
                self.wake(variable, side);
            }
        }
    }

    /// After an assignment: where the literal is a bound, the bound and all literals that follow.
    pub(super) fn follow_bound(&mut self, literal: Lit) {
        let Some((variable, value)) = self.bound_of(literal) else { return };
        let is_upper = literal == Lit::positive(literal.variable());
        if self.decisions.is_empty() {
            let (lower, upper) = if is_upper { (None, Some(value)) } else { (Some(value + 1), None) };
            return self.narrow_for_good(variable, lower, upper);
        }
        let position = self.trail.len() - 1;
        let state = &mut self.integers[variable.0 as usize];
        let (least, greatest) = (state.least(), state.greatest());
        let followers: Vec<Lit> = if is_upper {
            state.upper.push(IntegerBound { value, literal, position });
            // Those from the old bound on are true already.
            state.at_most.range(value + 1..greatest).map(|(_, follower)| *follower).collect()
        } else {
            state.lower.push(IntegerBound { value: value + 1, literal, position });
            state.at_most.range(least..value).map(|(_, follower)| !*follower).collect()
        };
        self.ranges[variable.0 as usize] = [state.least(), state.greatest()];
        for follower in followers {
            self.set(follower, Reason::Literal(literal));
        }
        self.wake(variable, if is_upper { BoundSide::Upper } else { BoundSide::Lower });
    }

    /// Takes back the bounds that came with a literal at this place of the trail or behind it.
    pub(super) fn forget_bounds(&mut self, literal: Lit, length: usize) {
        let Some((variable, _)) = self.bound_of(literal) else { return };
        let state = &mut self.integers[variable.0 as usize];
        for bounds in [&mut state.lower, &mut state.upper] {
            // The first one, of level 0, stays: its place is 0, and so may be `length` only where there is nothing to take back.
            while bounds.len() > 1 && bounds[bounds.len() - 1].position >= length {
                bounds.pop();
            }
        }
        self.ranges[variable.0 as usize] = [state.least(), state.greatest()];
    }

    /// Propagates a constraint once more whenever this bound has become narrower.
    pub(super) fn watch_bound(&mut self, variable: IntegerVariable, side: BoundSide, propagator: Propagator) {
        self.integers[variable.0 as usize].watchers[side as usize].push(propagator);
    }

    /// The literals that gave a variable the bounds that it had at this place of the trail.
    pub(super) fn bounds_at(&self, variable: IntegerVariable, place: usize) -> [Lit; 2] {
        let state = &self.integers[variable.0 as usize];
        [&state.lower, &state.upper].map(|bounds| bounds[met(bounds, place)].literal)
    }

    /// Propagates once more what depends on a bound of a variable, but for what holds by itself from now on.
    fn wake(&mut self, variable: IntegerVariable, side: BoundSide) {
        // Taken out meanwhile, as nothing is added to it.
        let mut watchers = std::mem::take(&mut self.integers[variable.0 as usize].watchers[side as usize]);
        watchers.retain(|propagator| {
            let is_void = matches!(*propagator, Propagator::Inequality(at) if self.is_void(at));
            if !is_void {
                self.enqueue(*propagator);
            }
            !is_void
        });
        self.integers[variable.0 as usize].watchers[side as usize] = watchers;
        self.wake_disequalities(variable);
    }

    /// The literals, all false, of which a conclusion at this place of the trail is the consequence; without it they are a conflict.
    pub(super) fn explain(&self, propagator: Propagator, place: usize, conclusion: Option<Lit>, literals: &mut Vec<Lit>) {
        match propagator {
            Propagator::Inequality(at) => self.explain_inequality(at, place, conclusion, literals),
            Propagator::Product(at) => self.explain_product(at, place, literals),
            Propagator::Disequality(at) => self.explain_disequality(at, place, conclusion, literals),
        }
    }

    /// Puts a propagator into the queue, once.
    pub(super) fn enqueue(&mut self, propagator: Propagator) {
        if !std::mem::replace(self.waits(propagator), true) {
            self.waiting.push_back(propagator);
        }
    }

    /// Whether a propagator is in the queue.
    pub(super) fn waits(&mut self, propagator: Propagator) -> &mut bool {
        match propagator {
            Propagator::Inequality(at) => &mut self.inequalities[at as usize].waits,
            Propagator::Product(at) => &mut self.products[at as usize].waits,
            Propagator::Disequality(at) => &mut self.disequalities[at as usize].waits,
        }
    }
}

/// The bound that held at this place of the trail: the last one that came before it.
pub(super) fn met(bounds: &[IntegerBound], place: usize) -> usize {
    bounds.partition_point(|bound| bound.literal == Lit::TRUE || bound.position < place) - 1
}
