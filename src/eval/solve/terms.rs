//! Expressions over names to be solved, as open values.
//!
//! Invariant: in every model, an open value is the result of evaluation, and `defined` is true exactly where evaluation has a result. An
//! expression without a case here is unsupported, so its conjunct is tested instead.

use super::grounding::{Ground, Grounded, Grounding, Members, Open, Stop, Truth, row, sides};
use super::sat::Lit;
use crate::error::ill_defined;
use crate::plan::problem::{Binding, Bindings, Term, TermKind};
use crate::plan::{Fold, Slot};
use crate::thresholds::{COUNTED_ELEMENTS, GATED_SUMS};
use bcheck_ir::{BinaryOp, UnaryOp};
use bcheck_source::Span;
use bcheck_value::{IllDefined, Value};
use std::rc::Rc;

impl Grounding<'_, '_> {
    /// The open value of an expression.
    pub(super) fn term(&mut self, term: &Term) -> Grounded<Ground> {
        let span = term.span;
        match &term.kind {
            TermKind::Known(plan) => match self.frame.eval(plan) {
                Ok(value) => Ok(Ground::known(value)),
                Err(error) if error.kind.is_ill_defined() => Ok(Ground::undefined()),
                Err(error) => Err(error.into()),
            },
            TermKind::Slot(slot) => self.name(*slot),
            TermKind::Unary(op, operand) => {
                let operand = match (op, &operand.kind) {
                    (UnaryOp::Min | UnaryOp::Max, TermKind::SetExtension(items)) => {
                        let items = items.iter().map(|item| Ok((self.term(item)?, item.span))).collect::<Grounded<Vec<_>>>()?;
                        if items.iter().any(|(item, _)| matches!(item.value, Open::Integer(_))) {
                            return self.extreme(*op == UnaryOp::Max, &items);
                        }
                        self.extension(&items)?
                    }
                    _ => self.term(operand)?,
                };
                self.unary(*op, &operand, span)
            }
            TermKind::Binary(op, left, right) => {
                let left = self.term(left)?;
                let right = self.term(right)?;
                self.binary(*op, &left, &right, span)
            }
            TermKind::SetExtension(items) => {
                let items = items.iter().map(|item| Ok((self.term(item)?, item.span))).collect::<Grounded<Vec<_>>>()?;
                self.extension(&items)
            }
            TermKind::Field(record, name) => {
                let record = self.term(record)?;
                self.lifted(&[&record], span, &mut |_, values| {
                    let Value::Record(fields) = &values[0] else { unreachable!("typed as a record") };
                    match fields.iter().find(|(field, _)| field == name) {
                        Some((_, value)) => Ok(value.clone()),
                        None => ill_defined(IllDefined::NoSuchField(name.to_string()), span),
                    }
                })
            }
            TermKind::BoolOf(pred) => {
                let truth = self.truth(pred)?;
                let defined = self.circuit.or(truth.holds, truth.fails);
                // In the order of values: FALSE comes before TRUE.
                let choices = vec![(Value::Bool(false), truth.fails), (Value::Bool(true), truth.holds)];
                Ok(Ground { value: Open::Choice(Rc::new(choices)), defined })
            }
            TermKind::If(condition, then, otherwise) => {
                // Both sides are encoded; which one counts is decided by gates in each model.
                let truth = self.truth(condition)?;
                let then = self.term(then)?;
                let otherwise = self.term(otherwise)?;
                self.choose(truth, &then, &otherwise, span)
            }
            TermKind::Let(bindings, body) => {
                self.bind(bindings)?;
                self.term(body)
            }
            TermKind::Collect(bindings, element) => self.comprehension(bindings, element),
            TermKind::Fold(fold, bindings, body) => self.fold(*fold, bindings, body),
        }
    }

    /// `{a, b, …}`
    fn extension(&mut self, items: &[(Ground, Span)]) -> Grounded<Ground> {
        let (mut elements, mut defined) = (Vec::new(), Vec::new());
        for (item, span) in items {
            defined.push(item.defined);
            // Each value that an item may have is an element where the item has it.
            elements.extend(self.written_choices(&item.value, *span)?.iter().cloned());
        }
        let defined = self.circuit.all(defined);
        Ok(Ground::set(self.gathered(elements), defined))
    }

    /// `{x . P | E}`
    fn comprehension(&mut self, bindings: &Bindings, element: &Term) -> Grounded<Ground> {
        let (mut elements, mut defined) = (Vec::new(), Vec::new());
        let span = element.span;
        self.each_binding(bindings, &mut |grounding, truth| {
            let element = grounding.term(element)?;
            defined.push(grounding.well_defined(truth, element.defined));
            for (value, literal) in grounding.written_choices(&element.value, span)?.iter() {
                elements.push((value.clone(), grounding.circuit.and(*literal, truth.holds)));
            }
            Ok(())
        })?;
        // Several bindings may build one element: it is there where any of them is.
        let defined = self.circuit.all(defined);
        Ok(Ground::set(self.gathered(elements), defined))
    }

    /// Where a binding leaves its comprehension or fold well-defined: its conditions fail, or they hold and its element is defined.
    pub(super) fn well_defined(&mut self, conditions: Truth, defined: Lit) -> Lit {
        let taken = self.circuit.and(conditions.holds, defined);
        self.circuit.or(conditions.fails, taken)
    }

    /// The open value of a name: an input, or its definition, which is encoded at its first use. Definitions need only earlier ones, so
    /// this ends.
    fn name(&mut self, slot: Slot) -> Grounded<Ground> {
        if let Some(ground) = self.open.get(&slot) {
            return Ok(ground.clone());
        }
        let definition = *self.definitions.get(&slot).ok_or(Stop::Unsupported)?;
        let ground = self.term(definition)?;
        self.open.insert(slot, ground.clone());
        Ok(ground)
    }

    /// Gives names of LET their values.
    pub(super) fn bind(&mut self, bindings: &[(Slot, Binding)]) -> Grounded<()> {
        for (slot, binding) in bindings {
            match binding {
                // It depends on no name to be solved: evaluated once, here, under the bindings around it.
                Binding::Known(plan) => {
                    let value = self.frame.eval(plan)?;
                    self.frame.set(*slot, value);
                }
                Binding::Open(term) => {
                    let value = self.term(term)?;
                    self.open.insert(*slot, value);
                }
            }
        }
        Ok(())
    }

    /// The value of IF. The side that is not chosen may be ill-defined.
    fn choose(&mut self, condition: Truth, then: &Ground, otherwise: &Ground, span: Span) -> Grounded<Ground> {
        let (one, other) = (self.circuit.and(condition.holds, then.defined), self.circuit.and(condition.fails, otherwise.defined));
        let defined = self.circuit.or(one, other);
        // A known set combined with an open one becomes open too, so that both sides can be merged element by element.
        let is_set = [then, otherwise].iter().any(|side| matches!(side.value, Open::Set(_) | Open::Function(_)));
        let mut parts = Vec::new();
        for (value, literal) in [(&then.value, condition.holds), (&otherwise.value, condition.fails)] {
            let members = if is_set { self.members(value, span)? } else { self.choices(value)? };
            for (value, own) in members.iter() {
                parts.push((value.clone(), self.circuit.and(*own, literal)));
            }
        }
        let parts = Rc::new(self.gathered(parts));
        Ok(Ground { value: if is_set { Open::Set(parts) } else { Open::Choice(parts) }, defined })
    }

    fn fold(&mut self, fold: Fold, bindings: &Bindings, body: &Term) -> Grounded<Ground> {
        let mut defined = Vec::new();
        match fold {
            // Of no sets it is ill-defined, and whether there are any depends on the model: left to the test.
            Fold::Inter => Err(Stop::Unsupported),
            Fold::Union => {
                let mut elements = Vec::new();
                self.each_binding(bindings, &mut |grounding, truth| {
                    let set = grounding.term(body)?;
                    defined.push(grounding.well_defined(truth, set.defined));
                    for (value, literal) in grounding.members(&set.value, body.span)?.iter() {
                        elements.push((value.clone(), grounding.circuit.and(*literal, truth.holds)));
                    }
                    Ok(())
                })?;
                let defined = self.circuit.all(defined);
                Ok(Ground::set(self.gathered(elements), defined))
            }
            Fold::Sum | Fold::Product => {
                let unit = Value::integer(i64::from(fold == Fold::Product));
                // The values of the sum (or product) of the bindings so far, each with the literal under which it is reached.
                // Invariant: in every model exactly one of these literals is true, so the next layer is a choice as well.
                let mut total = vec![(unit.clone(), Lit::TRUE)];
                self.each_binding(bindings, &mut |grounding, truth| {
                    let body = grounding.term(body)?;
                    defined.push(grounding.well_defined(truth, body.defined));
                    let choices = grounding.choices(&body.value)?;
                    let mut next = Vec::new();
                    for (sum, before) in &total {
                        // Not in the sum, which is unchanged.
                        next.push((sum.clone(), grounding.circuit.and(*before, !truth.holds)));
                        for (value, literal) in choices.iter() {
                            let literal = grounding.circuit.all(vec![*before, *literal, truth.holds]);
                            next.push((combined(fold, sum, value)?, literal));
                        }
                    }
                    total = grounding.gathered(next);
                    if total.len() > GATED_SUMS.get() { Err(Stop::Unsupported) } else { Ok(()) }
                })?;
                let defined = self.circuit.all(defined);
                Ok(Ground { value: Open::Choice(Rc::new(total)), defined })
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Ground, span: Span) -> Grounded<Ground> {
        match &operand.value {
            Open::Set(members) => self.unary_of_set(op, members, operand.defined, span),
            Open::Function(arguments) => {
                let members = self.pairs_of(arguments)?;
                self.unary_of_set(op, &members, operand.defined, span)
            }
            Open::Integer(variable) if op == UnaryOp::Negate => self.negated_integer(*variable, operand.defined),
            _ => self.lifted(&[operand], span, &mut |frame, values| frame.unary(op, values[0].clone(), span)),
        }
    }

    fn unary_of_set(&mut self, op: UnaryOp, members: &Members, defined: Lit, span: Span) -> Grounded<Ground> {
        match op {
            UnaryOp::Domain | UnaryOp::Range => {
                let parts = members.iter().map(|(pair, literal)| {
                    let (first, second) = sides(pair);
                    (if op == UnaryOp::Domain { first.clone() } else { second.clone() }, *literal)
                });
                let parts = parts.collect::<Vec<_>>();
                Ok(Ground::set(self.gathered(parts), defined))
            }
            UnaryOp::Inverse => {
                let mut pairs: Vec<(Value, Lit)> = members
                    .iter()
                    .map(|(pair, literal)| {
                        let (first, second) = sides(pair);
                        (Value::pair(second.clone(), first.clone()), *literal)
                    })
                    .collect();
                // Different pairs have different inverses: nothing to merge.
                pairs.sort_unstable();
                Ok(Ground::set(pairs, defined))
            }
            UnaryOp::Identity => {
                let pairs = members.iter().map(|(value, literal)| (Value::pair(value.clone(), value.clone()), *literal)).collect();
                Ok(Ground::set(pairs, defined))
            }
            UnaryOp::Closure1 => Ok(Ground::set(self.transitive(members, span)?, defined)),
            UnaryOp::Card => Ok(Ground { value: Open::Choice(self.count(members, span)?), defined }),
            UnaryOp::Min | UnaryOp::Max => {
                let mut ascending: Vec<(Value, Lit)> = members.to_vec();
                if op == UnaryOp::Max {
                    ascending.reverse();
                }
                // The first element, in this order, that the set has.
                let mut before = Lit::FALSE;
                let mut choices = Vec::new();
                for (value, literal) in ascending {
                    choices.push((value, self.circuit.and(literal, !before)));
                    before = self.circuit.or(before, literal);
                }
                choices.sort_unstable();
                // The empty set has neither.
                let defined = self.circuit.and(defined, before);
                Ok(Ground { value: Open::Choice(Rc::new(choices)), defined })
            }
            // The members of the set of sets are known, only whether they are in it is open: the elements are those of a choice of sets.
            UnaryOp::GeneralUnion => {
                let union = self.members(&Open::Choice(members.clone()), span)?;
                Ok(Ground { value: Open::Set(union), defined })
            }
            _ => Err(Stop::Unsupported),
        }
    }

    /// How many elements a set has.
    fn count(&mut self, members: &Members, span: Span) -> Grounded<Members> {
        let uncertain: Vec<Lit> = members.iter().map(|(_, literal)| *literal).filter(|literal| *literal != Lit::TRUE).collect();
        if uncertain.len() > COUNTED_ELEMENTS.get() {
            return Err(Stop::Unsupported);
        }
        let certain = members.len() - uncertain.len();
        // A unary counter: `counters[k]` is true where more than `k` of them are (Sinz, Towards an optimal CNF encoding of Boolean
        // cardinality constraints, CP 2005).
        let counters = self.circuit.counters(&uncertain);
        self.is_room(span)?;
        let mut choices = Vec::new();
        for extra in 0..=uncertain.len() {
            // Exactly `extra`: at least that many, and not one more.
            let reached = if extra == 0 { Lit::TRUE } else { counters[extra - 1] };
            let more = counters.get(extra).copied().unwrap_or(Lit::FALSE);
            let number = i64::try_from(certain + extra).expect("a set in memory has fewer than 2^63 elements");
            choices.push((Value::integer(number), self.circuit.and(reached, !more)));
        }
        choices.retain(|(_, literal)| *literal != Lit::FALSE);
        Ok(Rc::new(choices))
    }

    /// `closure1(r)`, one intermediate element after the other (Warshall).
    fn transitive(&mut self, relation: &Members, span: Span) -> Grounded<Vec<(Value, Lit)>> {
        let mut closure: Vec<(Value, Lit)> = relation.to_vec();
        // An intermediate element has a successor. Composition adds no first components, so these are all.
        let firsts: Vec<Value> = {
            let mut firsts: Vec<Value> = relation.iter().map(|(pair, _)| sides(pair).0.clone()).collect();
            // Pairs are ascending, so equal first components are neighbours.
            firsts.dedup();
            firsts
        };
        // Invariant: a pair is in the closure so far where a path through intermediate elements done so far joins its components.
        for middle in &firsts {
            let out = row(&closure, middle).to_vec();
            let into: Vec<(Value, Lit)> = closure.iter().filter(|(pair, _)| sides(pair).1 == middle).cloned().collect();
            let mut pairs = closure;
            for (before, one) in &into {
                for (after, other) in &out {
                    pairs.push((Value::pair(sides(before).0.clone(), sides(after).1.clone()), self.circuit.and(*one, *other)));
                }
            }
            closure = self.gathered(pairs);
            self.is_room(span)?;
        }
        Ok(closure)
    }

    fn binary(&mut self, op: BinaryOp, left: &Ground, right: &Ground, span: Span) -> Grounded<Ground> {
        if op == BinaryOp::Apply
            && let Open::Function(arguments) = &left.value
        {
            return self.apply_to_integers(left, arguments, right, span);
        }
        if let Some(result) = self.arithmetic(op, left, right)? {
            return Ok(result);
        }
        let is_set = |value: &Open| matches!(value, Open::Set(_) | Open::Function(_));
        // Both sides have one value out of a list: the operator, whatever it is, is evaluated on each pair of values.
        if !is_set(&left.value) && !is_set(&right.value) {
            return self.lifted(&[left, right], span, &mut |frame, values| frame.binary(op, values[0].clone(), values[1].clone(), span));
        }
        if op == BinaryOp::Apply {
            return self.apply(left, right, span);
        }
        let defined = self.circuit.and(left.defined, right.defined);
        Ok(Ground::set(self.set_operation(op, &left.value, &right.value, span)?, defined))
    }

    /// `f(x)` of an open function.
    fn apply(&mut self, function: &Ground, argument: &Ground, span: Span) -> Grounded<Ground> {
        let relation = self.members(&function.value, span)?;
        let mut defined = vec![function.defined, argument.defined];
        let mut results = Vec::new();
        for (argument, chosen) in self.written_choices(&argument.value, span)?.iter() {
            // Without a pair there is no image, and `exactly_one` of nothing is false: such an argument is undefined.
            let images = row(&relation, argument);
            let literals: Vec<Lit> = images.iter().map(|(_, literal)| *literal).collect();
            let one = self.circuit.exactly_one(&literals);
            // Functionality is required only at the chosen argument: elsewhere the relation may be anything.
            defined.push(self.circuit.implies(*chosen, one));
            self.is_room(span)?;
            for (pair, literal) in images {
                results.push((sides(pair).1.clone(), self.circuit.and(*chosen, *literal)));
            }
        }
        let defined = self.circuit.all(defined);
        let results = self.gathered(results);
        Ok(Ground { value: Open::Choice(Rc::new(results)), defined })
    }
}

/// The sum or product of two integers.
fn combined(fold: Fold, left: &Value, right: &Value) -> Grounded<Value> {
    let number = |value: &Value| value.as_integer().cloned().expect("typed as an integer");
    let (left, right) = (number(left), number(right));
    let larger = if fold == Fold::Sum { Some(left.add(&right)) } else { left.multiply(&right) };
    larger.map(Value::Integer).ok_or(Stop::Unsupported)
}
