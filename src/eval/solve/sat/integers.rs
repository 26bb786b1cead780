//! Integer variables: their bounds, present and past, and literals `x <= v` that are made when a bound is first needed.
//!
//! Invariant: a literal `x <= v` that exists is true where the upper bound is at most `v`, false where the lower bound is above `v`, and
//! unassigned between them. So no clauses join the literals of one variable: whichever is assigned assigns those that follow.
//! After O. Ohrimenko, P. J. Stuckey and M. Codish, *Propagation via lazy clause generation*, Constraints 14, 2009. Deliberately elsewhere:
//! the assignment of literals that follow (`assignment`), what makes bounds narrower (`inequalities`, `products`, `disequalities`), which
//! literals are decided (`models`).

use super::agenda::{Agenda, Propagator};
use super::trail::Trail;
use super::{Lit, TrailPlace};
use std::collections::BTreeMap;

bcheck_source::numbers! {
    /// The number of an integer variable.
    pub(in crate::solve) IntegerVariable;
}

/// A bound that a variable has, or had before a narrower one.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntegerBound {
    pub(super) value: i64,
    /// The literal whose assignment made it the bound; true for those of level 0.
    pub(super) literal: Lit,
    /// The place of that literal on the trail.
    place: TrailPlace,
}

impl IntegerBound {
    /// A bound of level 0.
    fn for_good(value: i64) -> Self {
        IntegerBound { value, literal: Lit::TRUE, place: TrailPlace::default() }
    }
}

/// A constraint that is propagated again when a bound becomes narrower.
#[derive(Clone, Copy)]
struct BoundWatch {
    propagator: Propagator,
    /// If this is permanently false, the constraint is vacuous.
    condition: Lit,
}

struct IntegerState {
    /// In order of tightness; the first one is that of level 0.
    lower: Vec<IntegerBound>,
    upper: Vec<IntegerBound>,
    /// The literals `x <= v` that exist, by `v`.
    at_most: BTreeMap<i64, Lit>,
    /// The propagators that watch its lower bound, and its upper one.
    watches: [Vec<BoundWatch>; 2],
}

/// A side of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BoundSide {
    Lower,
    Upper,
}

impl IntegerState {
    fn least(&self) -> i64 {
        self.lower[self.lower.len() - 1].value
    }

    fn greatest(&self) -> i64 {
        self.upper[self.upper.len() - 1].value
    }
}

/// All integer variables.
#[derive(Default)]
pub(super) struct Integers {
    states: Vec<IntegerState>,
    /// The current bounds of each variable, in one place, as propagation reads little else.
    ranges: Vec<[i64; 2]>,
    /// By variable of the trail, as far as any is a bound: the integer is at most the number.
    bounded: Vec<Option<(IntegerVariable, i64)>>,
}

impl Integers {
    /// A new variable with these bounds, both of which it can have.
    pub(super) fn add(&mut self, least: i64, greatest: i64) -> IntegerVariable {
        debug_assert!(least <= greatest);
        let variable = IntegerVariable::at(self.states.len());
        let (lower, upper) = (vec![IntegerBound::for_good(least)], vec![IntegerBound::for_good(greatest)]);
        self.ranges.push([least, greatest]);
        self.states.push(IntegerState { lower, upper, at_most: BTreeMap::new(), watches: Default::default() });
        variable
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The least and the greatest value of a variable at present.
    #[inline]
    pub(super) fn range(&self, variable: IntegerVariable) -> [i64; 2] {
        self.ranges[variable.index()]
    }

    #[inline]
    pub(super) fn is_fixed(&self, variable: IntegerVariable) -> bool {
        let [least, greatest] = self.range(variable);
        least == greatest
    }

    /// The least and the greatest value of a sum within the bounds of the moment.
    pub(super) fn range_of_sum(&self, summands: &[(i64, IntegerVariable)]) -> (i128, i128) {
        summands.iter().fold((0, 0), |(least, greatest), &(factor, variable)| {
            let [one, other] = self.range(variable).map(|bound| i128::from(factor) * i128::from(bound));
            (least + one.min(other), greatest + one.max(other))
        })
    }

    /// The literal that is true where a variable is at most `value`, unless it is yet to be made.
    pub(super) fn at_most(&self, variable: IntegerVariable, value: i64) -> Option<Lit> {
        let state = &self.states[variable.index()];
        if let Some(&literal) = state.at_most.get(&value) {
            return Some(literal);
        }
        // Bounds of level 0 hold for good. A literal is made during the search only for a value between the bounds of the moment.
        if value >= state.upper[0].value {
            return Some(Lit::TRUE);
        }
        if value < state.lower[0].value {
            return Some(Lit::FALSE);
        }
        debug_assert!(state.least() <= value && value < state.greatest(), "a new literal is unassigned");
        None
    }

    /// Makes a new variable of the trail the literal that is true where an integer is at most `value`.
    pub(super) fn define(&mut self, literal: Lit, variable: IntegerVariable, value: i64) {
        self.states[variable.index()].at_most.insert(value, literal);
        self.bounded.resize(literal.variable().index() + 1, None);
        self.bounded[literal.variable().index()] = Some((variable, value));
    }

    /// The bound encoded by the variable of a literal: the integer is at most the number where the variable is true.
    #[inline]
    pub(super) fn bound_of(&self, literal: Lit) -> Option<(IntegerVariable, i64)> {
        self.bounded.get(literal.variable().index()).copied().flatten()
    }

    /// The first variable that may still have several values.
    pub(super) fn open(&self) -> Option<IntegerVariable> {
        self.ranges.iter().position(|[least, greatest]| least < greatest).map(IntegerVariable::at)
    }

    /// New bounds at level 0, as far as they are narrower, which need no literals of their own. Returns the literals that follow, some of
    /// which may be true already, and which sides are narrower.
    pub(super) fn narrow_for_good(&mut self, variable: IntegerVariable, lower: Option<i64>, upper: Option<i64>) -> (Vec<Lit>, [bool; 2]) {
        let state = &mut self.states[variable.index()];
        let lower = lower.filter(|lower| *lower > state.least());
        let upper = upper.filter(|upper| *upper < state.greatest());
        if let Some(lower) = lower {
            state.lower = vec![IntegerBound::for_good(lower)];
        }
        if let Some(upper) = upper {
            state.upper = vec![IntegerBound::for_good(upper)];
        }
        let (least, greatest) = (state.least(), state.greatest());
        debug_assert!(least <= greatest);
        self.ranges[variable.index()] = [least, greatest];
        let follows = |(value, literal): (&i64, &Lit)| {
            if *value < least { Some(!*literal) } else { (*value >= greatest).then_some(*literal) }
        };
        (state.at_most.iter().filter_map(follows).collect(), [lower.is_some(), upper.is_some()])
    }

    /// Narrows the bound denoted by a literal that has been assigned at this position of the trail. Returns the implied literals.
    pub(super) fn narrow(&mut self, variable: IntegerVariable, value: i64, literal: Lit, place: TrailPlace) -> Vec<Lit> {
        let state = &mut self.states[variable.index()];
        let (least, greatest) = (state.least(), state.greatest());
        let followers = if literal.is_positive() {
            state.upper.push(IntegerBound { value, literal, place });
            // Those from the old bound on are true already.
            state.at_most.range(value + 1..greatest).map(|(_, follower)| *follower).collect()
        } else {
            state.lower.push(IntegerBound { value: value + 1, literal, place });
            state.at_most.range(least..value).map(|(_, follower)| !*follower).collect()
        };
        self.ranges[variable.index()] = [state.least(), state.greatest()];
        followers
    }

    /// Takes back the bounds that came with a literal at this place of the trail or behind it.
    pub(super) fn widen(&mut self, literal: Lit, end: TrailPlace) {
        let Some((variable, _)) = self.bound_of(literal) else { return };
        let state = &mut self.states[variable.index()];
        for bounds in [&mut state.lower, &mut state.upper] {
            // The first one, of level 0, stays: its place is 0, and so may be `end` only where there is nothing to take back.
            while bounds.len() > 1 && bounds[bounds.len() - 1].place >= end {
                bounds.pop();
            }
        }
        self.ranges[variable.index()] = [state.least(), state.greatest()];
    }

    /// Propagates a constraint again whenever this bound has become narrower, unless its condition is permanently false.
    pub(super) fn watch(&mut self, variable: IntegerVariable, side: BoundSide, propagator: Propagator, condition: Lit) {
        self.states[variable.index()].watches[side as usize].push(BoundWatch { propagator, condition });
    }

    /// Schedules the propagators that depend on a bound of a variable, except those that are satisfied for good.
    pub(super) fn wake(&mut self, variable: IntegerVariable, side: BoundSide, trail: &Trail, agenda: &mut Agenda) {
        self.states[variable.index()].watches[side as usize].retain(|watch| {
            let is_void = trail.is_refuted(watch.condition);
            if !is_void {
                agenda.enqueue(watch.propagator);
            }
            !is_void
        });
    }

    /// The bounds that a variable has had on one side since level 0, ever narrower, up to this place of the trail.
    pub(super) fn bounds_until(&self, variable: IntegerVariable, side: BoundSide, place: TrailPlace) -> &[IntegerBound] {
        let state = &self.states[variable.index()];
        let bounds = if side == BoundSide::Lower { &state.lower } else { &state.upper };
        &bounds[..bounds.partition_point(|bound| bound.literal == Lit::TRUE || bound.place < place)]
    }

    /// The literals that gave a variable the bounds that it had at this place of the trail.
    pub(super) fn bounds_at(&self, variable: IntegerVariable, place: TrailPlace) -> [Lit; 2] {
        [BoundSide::Lower, BoundSide::Upper].map(|side| {
            let bounds = self.bounds_until(variable, side, place);
            bounds[bounds.len() - 1].literal
        })
    }
}
