//! Negation normal form: formulas as numbered nodes, each formula once, built by constructors that rewrite (`rewrite`).
//!
//! Invariant: a node is made of nodes with smaller numbers, negation occurs at propositions only, and each connective and its dual are
//! both there, so that the negation of a normal form is a normal form of the same size. Next is strong or weak: at the end of a finite path
//! a strong one is false and a weak one is true; the same with yesterday at the beginning. `F f` is `true U f`, `G f` is `false R f`,
//! `O f` is `true S f`, `H f` is `false T f`. Deliberately elsewhere: which formulas imply others (`implication`), past as bits (`past`).

use super::formula::{Formula, Proposition};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The number of a formula in normal form.
pub(super) type Id = u32;

/// A formula in normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    True,
    False,
    /// A proposition of the state, or its negation.
    State(Proposition, bool),
    /// A proposition of the step, or its negation.
    Step(Proposition, bool),
    /// A bit of the automaton (`past`), or its negation.
    Bit(u8, bool),
    /// All of at least two, in order of their numbers.
    And(Box<[Id]>),
    /// One of at least two, in order of their numbers.
    Or(Box<[Id]>),
    Next(Id),
    WeakNext(Id),
    Until(Id, Id),
    Release(Id, Id),
    Yesterday(Id),
    WeakYesterday(Id),
    Since(Id, Id),
    Trigger(Id, Id),
}

/// Syntactic traits of a node (`implication`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    pub(super) is_eventual: bool,
    pub(super) is_universal: bool,
    pub(super) speaks_of_future: bool,
}

/// Formulas in normal form.
#[derive(Clone, Debug)]
pub(super) struct Normal {
    nodes: IndexSet<Form, FxBuildHasher>,
    /// By node. Found when it is made: nodes are shared, so a walk over all that one is made of may be exponentially long.
    traits: Vec<Traits>,
    negations: FxHashMap<Id, Id>,
    /// Implications decided so far (`implication`).
    pub(super) implications: FxHashMap<(Id, Id), bool>,
}

impl Normal {
    pub(super) const TRUE: Id = 0;
    pub(super) const FALSE: Id = 1;

    /// The two constants.
    pub(crate) fn new() -> Self {
        let mut normal =
            Self { nodes: IndexSet::default(), traits: Vec::new(), negations: FxHashMap::default(), implications: FxHashMap::default() };
        normal.intern(Form::True);
        normal.intern(Form::False);
        normal
    }

    /// The number of a node, as it is.
    pub(super) fn intern(&mut self, form: Form) -> Id {
        let (index, is_new) = self.nodes.insert_full(form);
        if is_new {
            self.traits.push(self.traits_of(&self.nodes[index]));
        }
        u32::try_from(index).expect("memory ends before the numbers do")
    }

    /// The node of a number.
    pub(super) fn form(&self, id: Id) -> &Form {
        &self.nodes[id as usize]
    }

    /// The syntactic traits of a node.
    pub(super) fn traits(&self, id: Id) -> Traits {
        self.traits[id as usize]
    }

    /// Its conjuncts; itself, if it is not a conjunction.
    pub(super) fn conjuncts(&self, id: Id) -> Vec<Id> {
        match self.form(id) {
            Form::And(parts) => parts.to_vec(),
            Form::True => Vec::new(),
            _ => vec![id],
        }
    }

    /// Its direct subformulas.
    pub(super) fn arguments(&self, id: Id) -> Vec<Id> {
        Self::arguments_of(self.form(id))
    }

    /// The direct subformulas of a form that is not interned yet.
    pub(super) fn arguments_of(form: &Form) -> Vec<Id> {
        match form {
            Form::True | Form::False | Form::State(..) | Form::Step(..) | Form::Bit(..) => Vec::new(),
            Form::And(parts) | Form::Or(parts) => parts.to_vec(),
            Form::Next(argument) | Form::WeakNext(argument) | Form::Yesterday(argument) | Form::WeakYesterday(argument) => vec![*argument],
            Form::Until(first, second) | Form::Release(first, second) | Form::Since(first, second) | Form::Trigger(first, second) => {
                vec![*first, *second]
            }
        }
    }

    /// The negation: the dual of each connective.
    pub(super) fn negation(&mut self, id: Id) -> Id {
        if let Some(&known) = self.negations.get(&id) {
            return known;
        }
        let arguments: Vec<Id> = self.arguments(id).into_iter().map(|argument| self.negation(argument)).collect();
        // The order of numbers is not that of their negations, but equal conjunctions must be equal nodes.
        let sorted = || {
            let mut parts = arguments.clone();
            parts.sort_unstable();
            parts.into_boxed_slice()
        };
        let dual = match *self.form(id) {
            Form::True => Form::False,
            Form::False => Form::True,
            Form::State(proposition, value) => Form::State(proposition, !value),
            Form::Step(proposition, value) => Form::Step(proposition, !value),
            Form::Bit(bit, value) => Form::Bit(bit, !value),
            Form::And(_) => Form::Or(sorted()),
            Form::Or(_) => Form::And(sorted()),
            Form::Next(_) => Form::WeakNext(arguments[0]),
            Form::WeakNext(_) => Form::Next(arguments[0]),
            Form::Until(..) => Form::Release(arguments[0], arguments[1]),
            Form::Release(..) => Form::Until(arguments[0], arguments[1]),
            Form::Yesterday(_) => Form::WeakYesterday(arguments[0]),
            Form::WeakYesterday(_) => Form::Yesterday(arguments[0]),
            Form::Since(..) => Form::Trigger(arguments[0], arguments[1]),
            Form::Trigger(..) => Form::Since(arguments[0], arguments[1]),
        };
        // Interned without rewriting: `dual` constructors rely on it that the negation of a negation is the very same node.
        let negation = self.intern(dual);
        self.negations.insert(id, negation);
        self.negations.insert(negation, id);
        negation
    }

    /// The normal form of a formula.
    pub(crate) fn of(&mut self, formula: &Formula) -> Id {
        // Bottom up, so every constructor sees arguments that are rewritten already and need not look at them again.
        let arguments: Vec<Id> = formula.arguments().into_iter().map(|argument| self.of(argument)).collect();
        let (first, second) = (arguments.first().copied().unwrap_or(Self::TRUE), arguments.get(1).copied().unwrap_or(Self::TRUE));
        match formula {
            Formula::True => Self::TRUE,
            Formula::False => Self::FALSE,
            Formula::State(proposition) => self.intern(Form::State(*proposition, true)),
            Formula::Step(proposition) => self.intern(Form::Step(*proposition, true)),
            Formula::Not(_) => self.negation(first),
            Formula::And(..) => self.and(&[first, second]),
            Formula::Or(..) => self.or(&[first, second]),
            Formula::Implies(..) => {
                let refuted = self.negation(first);
                self.or(&[refuted, second])
            }
            Formula::Equivalent(..) => {
                // The one operator that needs both polarities of its arguments: nested, its formula as a tree is exponential. Nodes are
                // shared, so the number of nodes is not.
                let (not_first, not_second) = (self.negation(first), self.negation(second));
                let (both, neither) = (self.and(&[first, second]), self.and(&[not_first, not_second]));
                self.or(&[both, neither])
            }
            Formula::Next(_) => self.next(first),
            Formula::Globally(_) => self.release(Self::FALSE, first),
            Formula::Finally(_) => self.until(Self::TRUE, first),
            Formula::Until(..) => self.until(first, second),
            Formula::WeakUntil(..) => {
                // `f W g` is `g R (f or g)`: a separate node for W would need separate rules.
                let either = self.or(&[first, second]);
                self.release(second, either)
            }
            Formula::Release(..) => self.release(first, second),
            Formula::Yesterday(_) => self.yesterday(first),
            Formula::Historically(_) => self.trigger(Self::FALSE, first),
            Formula::Once(_) => self.since(Self::TRUE, first),
            Formula::Since(..) => self.since(first, second),
            Formula::Trigger(..) => self.trigger(first, second),
        }
    }

    /// The formula of a normal form. Weak operators are negations of strong ones.
    #[cfg(test)]
    fn formula(&self, id: Id) -> Formula {
        let argument = |id: &Id| Box::new(self.formula(*id));
        let refuted = |id: &Id| Box::new(Formula::Not(argument(id)));
        let literal = |proposition: Formula, value: bool| if value { proposition } else { Formula::Not(Box::new(proposition)) };
        let joined = |parts: &[Id], join: fn(Box<Formula>, Box<Formula>) -> Formula| {
            let parts = parts.iter().map(|part| self.formula(*part));
            parts.reduce(|left, right| join(Box::new(left), Box::new(right))).expect("at least two parts")
        };
        match self.form(id) {
            Form::True => Formula::True,
            Form::False => Formula::False,
            Form::State(proposition, value) => literal(Formula::State(*proposition), *value),
            Form::Step(proposition, value) => literal(Formula::Step(*proposition), *value),
            Form::Bit(..) => unreachable!("bits replace past operators in `past` only"),
            Form::And(parts) => joined(parts, Formula::And),
            Form::Or(parts) => joined(parts, Formula::Or),
            Form::Next(next) => Formula::Next(argument(next)),
            Form::WeakNext(next) => Formula::Not(Box::new(Formula::Next(refuted(next)))),
            // Read back in the operators that people write.
            Form::Until(Self::TRUE, second) => Formula::Finally(argument(second)),
            Form::Until(first, second) => Formula::Until(argument(first), argument(second)),
            Form::Release(Self::FALSE, second) => Formula::Globally(argument(second)),
            Form::Release(first, second) => Formula::Release(argument(first), argument(second)),
            Form::Yesterday(before) => Formula::Yesterday(argument(before)),
            Form::WeakYesterday(before) => Formula::Not(Box::new(Formula::Yesterday(refuted(before)))),
            Form::Since(Self::TRUE, second) => Formula::Once(argument(second)),
            Form::Since(first, second) => Formula::Since(argument(first), argument(second)),
            Form::Trigger(Self::FALSE, second) => Formula::Historically(argument(second)),
            Form::Trigger(first, second) => Formula::Trigger(argument(first), argument(second)),
        }
    }
}

/// A formula with the same value at all positions of all paths: in negation normal form, without implications and equivalences, and
/// usually smaller. Weak next is written `not X not`.
#[cfg(test)]
pub(super) fn normal_form(formula: &Formula) -> Formula {
    let mut normal = Normal::new();
    let id = normal.of(formula);
    normal.formula(id)
}
