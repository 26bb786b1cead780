//! Orbits of argument tuples: which steps of a state are images of each other under the exchanges that preserve it.
//!
//! An exchange `g` in the stabiliser of the state maps each step with arguments `a` to a step with arguments `g·a`, whose successor has the
//! same representative. So only the steps of the first tuple of each orbit need a canonical form; the others are counted. Invariant: the
//! first tuple in the order of enumeration leads its orbit, so that leaving out the others changes no number, count or trace. Deliberately
//! elsewhere: evaluation, which still enumerates all tuples.

use bcheck_eval::{Machine, Step};
use bcheck_ir::{OperationId, SetId, Type};
use bcheck_symmetry::Exchangeable;
use bcheck_value::Value;
use rustc_hash::FxHashMap;

/// Whether the arguments of an operation have a shape that [`Exchangeable::normal`] can bring to a normal form.
pub(super) fn has_flat_parameters(machine: &Machine, operation: OperationId) -> bool {
    let (_, operation) = machine.model().operations.get_index(operation.index()).expect("an operation of the machine");
    !operation.parameters.is_empty() && operation.parameters.iter().all(|(_, _, ty)| is_flat(ty))
}

fn is_flat(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Integer | Type::String | Type::Given(_) => true,
        Type::Pair(first, second) => is_flat(first) && is_flat(second),
        Type::Record(fields) => fields.iter().all(|(_, ty)| is_flat(ty)),
        // The elements of a set have no order, so renaming by first occurrence is not a normal form; sets without elements of given sets
        // are unaffected.
        Type::Set(_) | Type::Free(_) => !ty.mentions(&mut |_: SetId| true),
    }
}

/// One orbit of argument tuples.
struct Orbit {
    /// Position of the first step with the leading tuple.
    leader: usize,
    /// Steps with the leading tuple, and with any tuple of the orbit.
    leading: u64,
    all: u64,
}

/// The orbits of the steps of one operation in one state.
#[derive(Default)]
pub(super) struct ArgumentOrbits {
    orbits: Vec<Orbit>,
    by_normal: FxHashMap<Vec<Value>, usize>,
    /// By step: its orbit, and whether it has the leading tuple.
    of_step: Vec<(usize, bool)>,
}

impl ArgumentOrbits {
    /// Sorts steps into orbits.
    pub(super) fn new(exchangeable: &Exchangeable, steps: &[Step]) -> Self {
        let mut found = ArgumentOrbits::default();
        for (index, step) in steps.iter().enumerate() {
            let (orbit, leads) = match index.checked_sub(1) {
                // The steps of one binding (internal choices) follow each other: no need to normalise its arguments again.
                Some(before) if steps[before].arguments == step.arguments => found.of_step[before],
                // Equal normal forms are one orbit of the group that the exchanges generate. It may be a proper subgroup of the stabiliser:
                // then an orbit counts as several, which costs time and changes no count.
                _ => {
                    let next = found.orbits.len();
                    let orbit = *found.by_normal.entry(exchangeable.normal(&step.arguments)).or_insert(next);
                    if orbit == next {
                        found.orbits.push(Orbit { leader: index, leading: 0, all: 0 });
                    }
                    (orbit, steps[found.orbits[orbit].leader].arguments == step.arguments)
                }
            };
            found.of_step.push((orbit, leads));
            found.orbits[orbit].all += 1;
            found.orbits[orbit].leading += u64::from(leads);
        }
        found
    }

    /// Whether this step has the leading tuple of its orbit.
    pub(super) fn leads(&self, step: usize) -> bool {
        self.of_step[step].1
    }

    /// How many tuples the leading tuple of this step's orbit represents.
    pub(super) fn weight(&self, step: usize) -> u64 {
        // An exchange is a bijection between the steps of two tuples of an orbit, so each tuple has as many as the leading one. That one
        // has at least one: no division by zero.
        let orbit = &self.orbits[self.of_step[step].0];
        debug_assert_eq!(orbit.all % orbit.leading, 0, "symmetric arguments have equally many steps");
        orbit.all / orbit.leading
    }
}
