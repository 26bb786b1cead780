//! Predicates over names to be solved, as pairs of literals.
//!
//! Invariant: that of [`super::grounding::Truth`]. `&`, `or` and `=>` stop where evaluation from left to right would.

use super::grounding::{Ground, Grounded, Grounding, Open, Stop, Truth, literal_of, sides};
use super::sat::Lit;
use crate::plan::problem::{Bindings, Formula, FormulaKind, Term, TermKind};
use bcheck_ir::{Comparison, FunctionKind, UnaryOp};
use bcheck_source::Span;
use bcheck_value::{SequenceKind, Symbolic, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

impl Grounding<'_, '_> {
    /// Where a predicate holds and where it is false.
    pub(super) fn truth(&mut self, formula: &Formula) -> Grounded<Truth> {
        match &formula.kind {
            // No name to be solved occurs in it, so it has one truth value in all models.
            FormulaKind::Known(plan) => match self.frame.holds(plan) {
                Ok(holds) => Ok(Truth::known(holds)),
                Err(error) if error.kind.is_ill_defined() => Ok(Truth::UNDEFINED),
                Err(error) => Err(error.into()),
            },
            FormulaKind::And(parts) => self.conjunction(parts, false),
            FormulaKind::Or(parts) => Ok(self.conjunction(parts, true)?.negated()),
            FormulaKind::Not(inner) => Ok(self.truth(inner)?.negated()),
            FormulaKind::Implies(left, right) => {
                let (left, right) = (self.truth(left)?, self.truth(right)?);
                Ok(self.implied(left, right))
            }
            FormulaKind::Equivalent(left, right) => {
                let (left, right) = (self.truth(left)?, self.truth(right)?);
                Ok(self.equivalent(left, right))
            }
            FormulaKind::Compare(comparison, left, right) => self.comparison(*comparison, left, right, formula.span),
            FormulaKind::Forall(bindings, body) => self.for_all(bindings, body),
            FormulaKind::Exists(bindings) => self.exists(bindings),
            FormulaKind::If(condition, then, otherwise) => {
                let (condition, then, otherwise) = (self.truth(condition)?, self.truth(then)?, self.truth(otherwise)?);
                Ok(self.either_side(condition, then, otherwise))
            }
            FormulaKind::Let(bindings, body) => {
                self.bind(bindings)?;
                self.truth(body)
            }
            FormulaKind::Partition(set, parts) => self.partition(set, parts),
        }
    }

    /// `P => Q`: where P is false, Q is not evaluated and may be ill-defined.
    fn implied(&mut self, left: Truth, right: Truth) -> Truth {
        // Where all sides are total, `fails` is the negation of `holds` and needs no gates of its own; the same below.
        if left.is_total() && right.is_total() {
            return Truth::total(self.circuit.implies(left.holds, right.holds));
        }
        let then = self.circuit.and(left.holds, right.holds);
        Truth { holds: self.circuit.or(left.fails, then), fails: self.circuit.and(left.holds, right.fails) }
    }

    /// `P <=> Q`: both sides are evaluated in every case.
    fn equivalent(&mut self, left: Truth, right: Truth) -> Truth {
        if left.is_total() && right.is_total() {
            return Truth::total(self.circuit.same(left.holds, right.holds));
        }
        let mut either = |a: Lit, b: Lit, c: Lit, d: Lit| {
            let (one, other) = (self.circuit.and(a, b), self.circuit.and(c, d));
            self.circuit.or(one, other)
        };
        let holds = either(left.holds, right.holds, left.fails, right.fails);
        Truth { holds, fails: either(left.holds, right.fails, left.fails, right.holds) }
    }

    /// `IF P THEN Q ELSE R END`: the side that is not chosen may be ill-defined.
    fn either_side(&mut self, condition: Truth, then: Truth, otherwise: Truth) -> Truth {
        let mut either = |a: Lit, b: Lit| {
            let (one, other) = (self.circuit.and(condition.holds, a), self.circuit.and(condition.fails, b));
            self.circuit.or(one, other)
        };
        let holds = either(then.holds, otherwise.holds);
        if condition.is_total() && then.is_total() && otherwise.is_total() {
            return Truth::total(holds);
        }
        Truth { holds, fails: either(then.fails, otherwise.fails) }
    }

    /// `!x.(P => Q)`: true where each binding with P has Q, false where one has not, whatever is ill-defined for others.
    fn for_all(&mut self, bindings: &Bindings, body: &Formula) -> Grounded<Truth> {
        let (mut holds, mut fails) = (Vec::new(), Vec::new());
        let mut is_total = true;
        self.each_binding(bindings, &mut |grounding, condition| {
            let body = grounding.truth(body)?;
            holds.push(grounding.circuit.or(condition.fails, body.holds));
            if condition.is_total() && body.is_total() {
                // The counterexample is the negation of the gate just made. Kept, in case that a later binding is not total.
                fails.push(!holds[holds.len() - 1]);
            } else {
                is_total = false;
                fails.push(grounding.circuit.and(condition.holds, body.fails));
            }
            Ok(())
        })?;
        let holds = self.circuit.all(holds);
        Ok(if is_total { Truth::total(holds) } else { Truth { holds, fails: self.circuit.any(fails) } })
    }

    /// `#x.(P)`: true where a binding has P, false where P is false for every one of them.
    fn exists(&mut self, bindings: &Bindings) -> Grounded<Truth> {
        let (mut holds, mut fails) = (Vec::new(), Vec::new());
        let mut is_total = true;
        self.each_binding(bindings, &mut |_, condition| {
            holds.push(condition.holds);
            fails.push(condition.fails);
            is_total &= condition.is_total();
            Ok(())
        })?;
        let holds = self.circuit.any(holds);
        Ok(if is_total { Truth::total(holds) } else { Truth { holds, fails: self.circuit.all(fails) } })
    }

    /// `P & Q & …`, or `not(P or Q or …)`: evaluation stops at the first part that is false (or true).
    fn conjunction(&mut self, parts: &[Formula], negated: bool) -> Grounded<Truth> {
        let (mut holds, mut fails) = (Lit::TRUE, Vec::new());
        let mut is_total = true;
        for part in parts {
            let truth = self.truth(part)?;
            let truth = if negated { truth.negated() } else { truth };
            is_total &= truth.is_total();
            // It is reached only where all parts before it hold.
            fails.push((holds, truth.fails));
            holds = self.circuit.and(holds, truth.holds);
        }
        if is_total {
            return Ok(Truth::total(holds));
        }
        let fails = fails.into_iter().map(|(before, fails)| self.circuit.and(before, fails)).collect();
        Ok(Truth { holds, fails: self.circuit.any(fails) })
    }

    /// The truth of a literal where all operands are defined, and ill-defined elsewhere.
    pub(super) fn decided(&mut self, literal: Lit, defined: &[Lit]) -> Truth {
        let mut holds = defined.to_vec();
        if holds.iter().all(|literal| *literal == Lit::TRUE) {
            return Truth::total(literal);
        }
        let mut fails = holds.clone();
        holds.push(literal);
        fails.push(!literal);
        Truth { holds: self.circuit.all(holds), fails: self.circuit.all(fails) }
    }

    fn comparison(&mut self, comparison: Comparison, left: &Term, right: &Term, span: Span) -> Grounded<Truth> {
        // Before the sides are encoded as values, which would list all sums.
        if let Some(truth) = self.linear(comparison, left, right, span)? {
            return Ok(truth);
        }
        let negated = |truth: Truth, negate: bool| if negate { truth.negated() } else { truth };
        let a = self.term(left)?;
        if let Comparison::Member | Comparison::NotMember = comparison {
            // The right side is not encoded as a value: `S --> T` is never enumerated.
            return Ok(negated(self.membership(&a, right, span)?, comparison == Comparison::NotMember));
        }
        let b = self.term(right)?;
        let defined = [a.defined, b.defined];
        let (literal, negate) = match comparison {
            Comparison::Equal | Comparison::NotEqual => (self.equal(&a.value, &b.value, span)?, comparison == Comparison::NotEqual),
            Comparison::Subset | Comparison::NotSubset => (self.included(&a.value, &b.value, span)?, comparison == Comparison::NotSubset),
            Comparison::StrictSubset | Comparison::NotStrictSubset => {
                let (included, equal) = (self.included(&a.value, &b.value, span)?, self.equal(&a.value, &b.value, span)?);
                (self.circuit.and(included, !equal), comparison == Comparison::NotStrictSubset)
            }
            Comparison::Less => (self.less(&a.value, &b.value)?, false),
            Comparison::GreaterEqual => (self.less(&a.value, &b.value)?, true),
            Comparison::Greater => (self.less(&b.value, &a.value)?, false),
            Comparison::LessEqual => (self.less(&b.value, &a.value)?, true),
            Comparison::Member | Comparison::NotMember => unreachable!("handled above"),
        };
        Ok(negated(self.decided(literal, &defined), negate))
    }

    /// Whether one integer is less than another, with a number of gates linear in their possible values.
    fn less(&mut self, left: &Open, right: &Open) -> Grounded<Lit> {
        let (left, right) = (self.choices(left)?, self.choices(right)?);
        let mut cases = Vec::new();
        // Whether the right side is one of the values taken from `rest` so far, which are all those above `value`: both lists are walked
        // from their greatest value down.
        let mut above = Lit::FALSE;
        let mut rest = right.iter().rev().peekable();
        for (value, literal) in left.iter().rev() {
            while let Some((_, own)) = rest.next_if(|(other, _)| other > value) {
                above = self.circuit.or(above, *own);
            }
            cases.push(self.circuit.and(*literal, above));
        }
        Ok(self.circuit.any(cases))
    }

    fn equal(&mut self, left: &Open, right: &Open, span: Span) -> Grounded<Lit> {
        let is_set = |value: &Open| matches!(value, Open::Set(_) | Open::Function(_));
        if !is_set(left) && !is_set(right) {
            let (left, right) = (self.choices(left)?, self.choices(right)?);
            // Descriptions of the same set may differ as values, and finding out is for the test of the conjunct.
            if left.iter().chain(right.iter()).any(|(value, _)| value.holds_description()) {
                return Err(Stop::Unsupported);
            }
            // A value that only one side can have makes no case.
            let (few, many) = if left.len() <= right.len() { (left, right) } else { (right, left) };
            let cases = few.iter().map(|(value, literal)| self.circuit.and(*literal, literal_of(&many, value))).collect();
            return Ok(self.circuit.any(cases));
        }
        let (left, right) = (self.members(left, span)?, self.members(right, span)?);
        // Extensionality: every value that either side may have is in both or in neither.
        let mut cases = Vec::new();
        for (value, literal) in left.iter() {
            cases.push(self.circuit.same(*literal, literal_of(&right, value)));
            self.is_room(span)?;
        }
        for (value, literal) in right.iter() {
            if left.binary_search_by(|(other, _)| other.cmp(value)).is_err() {
                // Only the right side can have it.
                cases.push(!*literal);
            }
        }
        Ok(self.circuit.all(cases))
    }

    /// Whether one set is included in another: each element that the part may have is one of the whole wherever it has it.
    fn included(&mut self, part: &Open, whole: &Open, span: Span) -> Grounded<Lit> {
        let members = self.members(part, span)?;
        let mut cases = Vec::with_capacity(members.len());
        for (value, literal) in members.iter() {
            let inside = self.contains(whole, value, span)?;
            cases.push(self.circuit.implies(*literal, inside));
            self.is_room(span)?;
        }
        Ok(self.circuit.all(cases))
    }

    /// Membership, decided from the form of the set where that describes a set of sets or functions.
    fn membership(&mut self, element: &Ground, set: &Term, span: Span) -> Grounded<Truth> {
        if let TermKind::Binary(op, from, to) = &set.kind
            && let Some(kind) = FunctionKind::of(*op)
        {
            let (from, to) = (self.term(from)?, self.term(to)?);
            let literal = self.function(kind, &element.value, &from.value, &to.value, span)?;
            return Ok(self.decided(literal, &[element.defined, from.defined, to.defined]));
        }
        match &set.kind {
            TermKind::Unary(op @ (UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1), base) => {
                let base = self.term(base)?;
                let literal = self.subset_member(&element.value, &base.value, matches!(op, UnaryOp::Pow1 | UnaryOp::Fin1), span)?;
                Ok(self.decided(literal, &[element.defined, base.defined]))
            }
            _ => {
                let set = self.term(set)?;
                let literal = self.member(&element.value, &set.value, span)?;
                Ok(self.decided(literal, &[element.defined, set.defined]))
            }
        }
    }

    fn subset_member(&mut self, element: &Open, base: &Open, nonempty: bool, span: Span) -> Grounded<Lit> {
        let included = self.included(element, base, span)?;
        if !nonempty {
            return Ok(included);
        }
        let members = self.members(element, span)?;
        let any = self.circuit.any(members.iter().map(|(_, literal)| *literal).collect());
        Ok(self.circuit.and(included, any))
    }

    fn member(&mut self, element: &Open, set: &Open, span: Span) -> Grounded<Lit> {
        // A known set of sets may be symbolic: then it is decided by its definition and never expanded.
        if let (Open::Integer(variable), Open::Known(set)) = (element, set) {
            return self.integer_member(*variable, set, span);
        }
        if let (Open::Set(_) | Open::Function(_), Open::Known(Value::Symbolic(symbolic))) = (element, set) {
            let known = |value: &Value| Open::Known(value.clone());
            return match &**symbolic {
                Symbolic::Power { base, nonempty, .. } => self.subset_member(element, &known(base), *nonempty, span),
                Symbolic::Functions(kind, from, to) => self.function(*kind, element, &known(from), &known(to), span),
                Symbolic::Sequences(SequenceKind::Perm, base) => {
                    let length = self.written_out(base, span)?.len();
                    // A permutation of S, as a sequence, is a total bijection from `1 .. card(S)` to S.
                    let places = (1..=i64::try_from(length).expect("a set in memory")).map(Value::integer).collect();
                    self.function(FunctionKind::TotalBijections, element, &Open::Known(Value::set(places)), &known(base), span)
                }
                _ => Err(Stop::Unsupported),
            };
        }
        let mut cases = Vec::new();
        if let Open::Set(_) | Open::Function(_) = element {
            // An explicit set of sets: the element equals one of its possible elements, compared element by element.
            let candidates = self.members(set, span)?;
            for (candidate, literal) in candidates.iter() {
                let equal = self.equal(element, &Open::Known(candidate.clone()), span)?;
                self.is_room(span)?;
                cases.push(self.circuit.and(equal, *literal));
            }
        } else {
            for (value, literal) in self.choices(element)?.iter() {
                let inside = self.contains(set, value, span)?;
                cases.push(self.circuit.and(*literal, inside));
            }
        }
        Ok(self.circuit.any(cases))
    }

    /// Whether a relation belongs to a set of relations or functions.
    fn function(&mut self, kind: FunctionKind, relation: &Open, from: &Open, to: &Open, span: Span) -> Grounded<Lit> {
        if let Open::Function(arguments) = relation
            && !((kind.is_injective() || kind.is_surjective()) && self.is_crowded(arguments))
        {
            return self.function_member(kind, arguments, from, to, span);
        }
        let pairs = self.members(relation, span)?;
        // The relation as a matrix of literals: a function has at most one true literal in each row, an injection in each column.
        let mut rows: BTreeMap<&Value, Vec<Lit>> = BTreeMap::new();
        let mut columns: BTreeMap<&Value, Vec<Lit>> = BTreeMap::new();
        for (pair, literal) in pairs.iter() {
            let (first, second) = sides(pair);
            rows.entry(first).or_default().push(*literal);
            columns.entry(second).or_default().push(*literal);
        }
        let mut cases = Vec::new();
        for (lines, side, functional, whole) in
            [(&rows, from, kind.is_functional(), kind.is_total()), (&columns, to, kind.is_injective(), kind.is_surjective())]
        {
            for (value, literals) in lines {
                let inside = self.contains(side, value, span)?;
                // The pair must lie in `from * to`.
                if inside != Lit::TRUE {
                    cases.extend(literals.iter().map(|literal| self.circuit.implies(*literal, inside)));
                }
                if functional {
                    cases.push(self.circuit.at_most_one(literals));
                }
            }
            if whole {
                for (value, literal) in self.members(side, span)?.iter() {
                    // `exactly_one` is the gate that `apply` needs for its result to be defined, and an element without pairs is not
                    // reached.
                    let literals = lines.get(value).map(Vec::as_slice).unwrap_or_default();
                    let reached = match functional {
                        true => self.circuit.exactly_one(literals),
                        false => self.circuit.any(literals.to_vec()),
                    };
                    cases.push(self.circuit.implies(*literal, reached));
                }
            }
        }
        self.is_room(span)?;
        Ok(self.circuit.all(cases))
    }

    /// The parts are pairwise disjoint and their union is the set.
    fn partition(&mut self, set: &Term, parts: &[Term]) -> Grounded<Truth> {
        let whole = self.term(set)?;
        let mut defined = vec![whole.defined];
        // By element: the literals that put it into a part.
        let mut owners: BTreeMap<Value, Vec<Lit>> = BTreeMap::new();
        for part in parts {
            let ground = self.term(part)?;
            defined.push(ground.defined);
            for (value, literal) in self.members(&ground.value, part.span)?.iter() {
                owners.entry(value.clone()).or_default().push(*literal);
            }
        }
        let elements: BTreeSet<Value> = owners.keys().cloned().collect();
        let mut union = Vec::new();
        let mut cases = Vec::new();
        for value in elements {
            let literals = owners.remove(&value).unwrap_or_default();
            cases.push(self.circuit.at_most_one(&literals));
            union.push((value, self.circuit.any(literals)));
        }
        cases.push(self.equal(&whole.value, &Open::Set(Rc::new(union)), set.span)?);
        let literal = self.circuit.all(cases);
        Ok(self.decided(literal, &defined))
    }
}
