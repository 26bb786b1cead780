//! Truth values of formulas as gates over inputs: a gate is a literal of the solver, and equal gates are the same literal (hash-consing).
//!
//! Invariant: clauses determine every gate from its operands by unit propagation, in both directions where one clause can, so
//! that a model of the inputs has exactly one extension to the gates. Literals whose value is known before the search are folded away.
//! After G. S. Tseitin, *On the complexity of derivation in propositional calculus*, 1968. Deliberately elsewhere: which gates a formula
//! needs (`truth`, `terms`, `linear`, `sets`).

use super::sat::{Lit, Solver};
use crate::thresholds::CIRCUIT_GATES;
use rustc_hash::FxHashMap;

/// Gates over inputs, and the clauses that define them.
pub(super) struct Circuit {
    pub(super) solver: Solver,
    /// Conjunctions by their operands, in order.
    gates: FxHashMap<Box<[Lit]>, Lit>,
    /// Gates that are true where exactly one of some literals is, keyed by these literals in the order passed.
    single: FxHashMap<Box<[Lit]>, Lit>,
    /// The gates so far; a wide one counts more than once.
    size: usize,
    /// The number of literals of the requested gates, whether new or not.
    work: u64,
}

impl Circuit {
    pub(super) fn new() -> Self {
        Circuit { solver: Solver::new(), gates: FxHashMap::default(), single: FxHashMap::default(), size: 0, work: 0 }
    }

    /// Whether the limit is reached.
    pub(super) fn is_full(&self) -> bool {
        self.size > CIRCUIT_GATES.get()
    }

    /// Charges an integer constraint over this many variables to the limit on gates.
    pub(super) fn count_constraint(&mut self, variables: usize) {
        self.size += 2 + variables;
        self.work += variables as u64;
    }

    /// The work done since the last call.
    pub(super) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    pub(super) fn input(&mut self, phase: bool) -> Lit {
        self.solver.input(phase)
    }

    /// Makes a literal true for good.
    pub(super) fn assert(&mut self, literal: Lit) {
        self.solver.clause(vec![literal]);
        // Now, so that literals which this decides are folded away in all gates made from here on.
        self.solver.propagate_root();
    }

    /// The conjunction.
    pub(super) fn all(&mut self, mut literals: Vec<Lit>) -> Lit {
        self.work += literals.len() as u64;
        literals.retain(|literal| self.solver.value(*literal) != Some(true));
        if literals.iter().any(|literal| self.solver.value(*literal) == Some(false)) {
            return Lit::FALSE;
        }
        // A canonical form, so that equal conjunctions have equal keys. A literal and its negation are neighbours in it.
        literals.sort_unstable();
        literals.dedup();
        if literals.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::FALSE;
        }
        match literals.as_slice() {
            [] => return Lit::TRUE,
            [only] => return *only,
            _ => {}
        }
        // The limit is not checked here: callers check `is_full` in each of their loops, and a few gates too many do no harm.
        let key: Box<[Lit]> = literals.into();
        if let Some(&gate) = self.gates.get(&key) {
            return gate;
        }
        // Both directions of the definition, whatever the polarity of the gate: it is never decided, so its operands must determine it.
        let gate = self.solver.variable();
        for &literal in &key {
            self.solver.clause(vec![!gate, literal]);
        }
        let mut converse: Vec<Lit> = key.iter().map(|literal| !*literal).collect();
        converse.push(gate);
        self.solver.clause(converse);
        self.size += 1 + key.len() / 4;
        self.gates.insert(key, gate);
        gate
    }

    /// The disjunction.
    pub(super) fn any(&mut self, mut literals: Vec<Lit>) -> Lit {
        literals.iter_mut().for_each(|literal| *literal = !*literal);
        !self.all(literals)
    }

    pub(super) fn and(&mut self, left: Lit, right: Lit) -> Lit {
        if left == Lit::TRUE {
            return right;
        }
        if right == Lit::TRUE {
            return left;
        }
        self.all(vec![left, right])
    }

    pub(super) fn or(&mut self, left: Lit, right: Lit) -> Lit {
        !self.and(!left, !right)
    }

    // The other connectives are made of conjunctions and negations, so that equal ones are found under one key.
    pub(super) fn implies(&mut self, left: Lit, right: Lit) -> Lit {
        !self.and(left, !right)
    }

    pub(super) fn same(&mut self, left: Lit, right: Lit) -> Lit {
        let (one, other) = (self.implies(left, right), self.implies(right, left));
        self.and(one, other)
    }

    /// Whether at most one literal is true, and whether any is.
    fn at_most_one_and_any(&mut self, literals: &[Lit]) -> (Lit, Lit) {
        // Prefix disjunctions, as in a sequential counter (C. Sinz, 2005): a number of gates linear in the literals, where forbidding each
        // pair would take a quadratic one.
        let mut any = Lit::FALSE;
        let mut clashes = Vec::new();
        for &literal in literals {
            clashes.push(!self.and(any, literal));
            any = self.or(any, literal);
        }
        (self.all(clashes), any)
    }

    pub(super) fn at_most_one(&mut self, literals: &[Lit]) -> Lit {
        self.at_most_one_and_any(literals).0
    }

    pub(super) fn exactly_one(&mut self, literals: &[Lit]) -> Lit {
        // Not left to `all`: once some of the literals are known, the rest would make other gates, and what is asserted of this gate would
        // not carry over to them.
        if let Some(&gate) = self.single.get(literals) {
            return gate;
        }
        let (most, least) = self.at_most_one_and_any(literals);
        let gate = self.and(most, least);
        self.single.insert(literals.into(), gate);
        self.solver.choice(gate, literals);
        gate
    }

    /// Unary counters: one literal for each number from 1 on, true where at least that many of the literals are.
    pub(super) fn counters(&mut self, literals: &[Lit]) -> Vec<Lit> {
        let mut counters: Vec<Lit> = Vec::with_capacity(literals.len());
        for &literal in literals {
            counters.push(Lit::FALSE);
            // Downwards, so that `counters[at - 1]` still counts without this literal.
            for at in (0..counters.len()).rev() {
                let before = if at == 0 { Lit::TRUE } else { counters[at - 1] };
                let one_more = self.and(before, literal);
                counters[at] = self.or(counters[at], one_more);
            }
        }
        counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of true inputs in all models.
    fn counts(inputs: usize, require: impl Fn(&mut Circuit, &[Lit]) -> Lit) -> Vec<usize> {
        let mut circuit = Circuit::new();
        let names: Vec<Lit> = (0..inputs).map(|_| circuit.input(false)).collect();
        let wanted = require(&mut circuit, &names);
        circuit.assert(wanted);
        let mut found = Vec::new();
        while circuit.solver.next_model::<()>(&mut || Ok(())) == Ok(true) {
            found.push(names.iter().filter(|name| circuit.solver.value(**name) == Some(true)).count());
            circuit.solver.block();
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn gates_count_their_inputs() {
        assert_eq!(counts(4, |circuit, names| circuit.at_most_one(names)), [0, 1, 1, 1, 1]);
        assert_eq!(counts(4, |circuit, names| circuit.exactly_one(names)), [1, 1, 1, 1]);
        let mut circuit = Circuit::new();
        let names: Vec<Lit> = (0..4).map(|_| circuit.input(false)).collect();
        let one = circuit.exactly_one(&names);
        circuit.assert(one);
        circuit.assert(!names[2]);
        let again = circuit.exactly_one(&names);
        assert_eq!(circuit.all(vec![again]), Lit::TRUE, "still known when one of them is");
        assert_eq!(counts(4, |circuit, names| circuit.counters(names)[2]), [3, 3, 3, 3, 4]);
        assert_eq!(counts(2, |circuit, names| circuit.same(names[0], names[1])), [0, 2]);
    }

    #[test]
    fn equal_gates_are_one_and_constants_fold() {
        let mut circuit = Circuit::new();
        let (a, b) = (circuit.input(false), circuit.input(false));
        assert_eq!(circuit.and(a, b), circuit.and(b, a));
        assert_eq!(circuit.and(a, !a), Lit::FALSE);
        assert_eq!(circuit.or(a, Lit::TRUE), Lit::TRUE);
        circuit.assert(a);
        assert_eq!(circuit.and(a, b), b);
    }
}
