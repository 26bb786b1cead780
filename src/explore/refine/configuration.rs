//! A state of the refinement with the possible states of the refined machine, and how the two are stored.
//!
//! A state of the refined machine is stored with one of each machine further up that may accompany it: the values of the variables of all
//! of them. A configuration is stored as a valuation: constants, variables of the refinement, then the set of these states, each a
//! left-nested tuple of values, and whether there may be more; if there is always exactly one state, its values themselves. So it is
//! canonised like any state. Invariant: the states of the refined machines are distinct and in the order of values; there is at least one.

use super::Matching;
use super::step::Product;
use bcheck_ir::Type;
use bcheck_symmetry::Permutation;
use bcheck_value::{Valuation, Value};

/// A state of both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    /// Constants, then variables of the refinement.
    pub(super) concrete: Valuation,
    /// The variables of the refined machines, in each of their possible states.
    pub(super) abstracts: Vec<Vec<Value>>,
    /// Whether the refined machine may be in others as well, because not all values of its choices were tried. A step that is matched is
    /// then still correct; an unmatched one is not a fault.
    pub(super) is_short: bool,
}

impl Configuration {
    /// A configuration with these states of the refined machine, in any order, repetitions allowed.
    pub(super) fn new(concrete: Valuation, mut abstracts: Vec<Vec<Value>>) -> Self {
        // Equality of configurations is equality of sets, so the set is stored in one order.
        abstracts.sort_unstable();
        abstracts.dedup();
        Self { concrete, abstracts, is_short: false }
    }

    /// The image under a permutation. Renaming changes the order of values, so the states are sorted again.
    pub(super) fn renamed(&self, permutation: &Permutation) -> Self {
        let abstracts = self.abstracts.iter().map(|values| permutation.apply_all(values)).collect();
        Self { is_short: self.is_short, ..Self::new(permutation.apply_all(&self.concrete), abstracts) }
    }

    /// The valuation of both sides with one of the states of the refined machine.
    pub(super) fn with(&self, values: &[Value]) -> Valuation {
        self.concrete.iter().chain(values).cloned().collect()
    }
}

impl Product<'_> {
    /// Whether the state of the refined machine is not determined, whatever the machines further up do. With each related state
    /// separately, a configuration has one; there the refined machine matches from each of them.
    pub(super) fn leaves_choice(&self, configuration: &Configuration) -> bool {
        let of_refined = |values: &[Value]| values[..self.refinement.levels[0].variables.len()].to_vec();
        let Some((first, others)) = configuration.abstracts.split_first() else { return false };
        others.iter().any(|other| of_refined(other) != of_refined(first))
    }

    /// The valuation that is stored for a configuration.
    pub(super) fn key(&self, configuration: &Configuration) -> Valuation {
        let mut key = configuration.concrete.clone();
        // The number of states differs between configurations, that of values must not: valuations are compared by position.
        match (self.matching, configuration.abstracts.as_slice()) {
            // Without a set around them, the values of the refined machine are canonised as flat relations, which need fewer vertices.
            (Matching::SimulationAll, [single]) => key.extend_from_slice(single),
            (_, several) => {
                key.push(Value::set(several.iter().map(|values| tuple(values)).collect()));
                key.push(Value::Bool(configuration.is_short));
            }
        }
        key
    }

    /// The types of the values of such a valuation.
    pub(super) fn key_types(&self) -> Vec<Type> {
        let mut types = self.machine.model().valuation_types();
        if self.matching != Matching::SimulationAll {
            let state = types.drain(self.refinement.concrete.end..).reduce(Type::pair).unwrap_or(Type::Bool);
            types.extend([Type::set(state), Type::Bool]);
        }
        types
    }

    /// The configuration of a stored valuation: the inverse of `key`.
    pub(super) fn configuration(&self, key: &[Value]) -> Configuration {
        let (concrete, rest) = key.split_at(self.refinement.concrete.end);
        let (abstracts, is_short) = match (self.matching, rest) {
            (Matching::SimulationAll, single) => (vec![single.to_vec()], false),
            (_, [Value::Set(several), Value::Bool(is_short)]) => {
                (several.iter().map(|value| components(value, self.refinement.abstracts.len())).collect(), *is_short)
            }
            _ => unreachable!("the states of the refined machine are stored as a set"),
        };
        Configuration { is_short, ..Configuration::new(concrete.to_vec(), abstracts) }
    }
}

/// The values as a left-nested tuple. A machine without variables has one state, for which any value does.
fn tuple(values: &[Value]) -> Value {
    values.iter().cloned().reduce(Value::pair).unwrap_or(Value::Bool(true))
}

/// The inverse of `tuple` for this number of values. A component may be a pair itself, so the type alone would not show where to stop.
fn components(value: Value, count: usize) -> Vec<Value> {
    match (count, &value) {
        (0, _) => Vec::new(),
        (1, _) => vec![value],
        (_, Value::Pair(pair)) => {
            let mut first = components(pair.0.clone(), count - 1);
            first.push(pair.1.clone());
            first
        }
        _ => unreachable!("a state of several variables is stored as a tuple"),
    }
}
