//! Membership in sets, explicit or described.
//!
//! Invariant: nothing is enumerated that the description can decide; a closure's condition is evaluated on the element itself.
//! Deliberately elsewhere: sets of relations and functions (`function_spaces`).

use crate::EvalError;
use crate::plan::{ClosurePlan, Search, Shape, Slot};
use crate::run::frame::{Flow, Frame};
use bcheck_source::Span;
use bcheck_value::cardinality::{Cardinality, cardinality};
use bcheck_value::{SequenceKind, Set, Value, relation, sequence};
use num_bigint::BigUint;

impl Frame<'_> {
    /// Whether a value is an element of a set.
    pub(crate) fn member(&mut self, element: &Value, set: &Value, span: Span) -> Result<bool, EvalError> {
        match set {
            Value::Set(set) => self.member_of_explicit(element, set, span),
            Value::Symbolic(symbolic) => self.member_of_symbolic(element, symbolic, span),
            _ => unreachable!("the type checker only allows membership in sets"),
        }
    }

    fn member_of_explicit(&mut self, element: &Value, set: &Set, span: Span) -> Result<bool, EvalError> {
        if set.contains(element) {
            return Ok(true);
        }
        if element.is_plain() || !element.holds_description() && !set.holds_description() {
            return Ok(false);
        }
        // Descriptions may be equal to values that look different, so the order of values cannot find them. An equal
        // element wins over one of which this cannot be decided, whatever comes first.
        let mut undecided = None;
        for candidate in set.iter() {
            match self.equal(element, &candidate, span) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) if error.kind.is_undecided() => undecided = undecided.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        undecided.map_or(Ok(false), Err)
    }

    /// Runs something with a closure's captured names set, and restores all slots afterwards.
    pub(crate) fn inside<T>(
        &mut self,
        plan: &ClosurePlan,
        captured: &[Value],
        run: impl FnOnce(&mut Self) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        self.limits.enter(plan.span)?;
        // A closure may run inside itself (`recursion`), where the outer run still needs its names and what it captured.
        let bound = self.save(&plan.bound);
        let outer = self.save(&plan.captured);
        for (&slot, value) in plan.captured.iter().zip(captured) {
            self.set(slot, value.clone());
        }
        // No `?` before the slots are restored.
        let result = run(self);
        self.restore(&plan.captured, outer);
        self.restore(&plan.bound, bound);
        self.limits.leave();
        result
    }

    /// Runs a search of a closure inside of it, and calls the visitor with the result of `made` for each binding; `given` sets the starting
    /// values of the search.
    ///
    /// The visitor sees the slots as they are outside. They matter if it reads a name that the closure has captured with another value:
    /// after `x := 1; s := {y | y > x}; x := 50`, the quantifier `#z.(z : s & z < x)` compares with 50.
    pub(in crate::run) fn visit_inside(
        &mut self,
        plan: &ClosurePlan,
        captured: &[Value],
        search: &Search,
        given: impl FnOnce(&mut Self),
        made: impl Fn(&mut Self) -> Result<Value, EvalError>,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        // Most closures run where they were made, and the values that they captured are shared with the slots: comparing them is cheap.
        let is_current = plan.captured.iter().zip(captured).all(|(&slot, value)| self.content(slot) == Some(value));
        if is_current {
            return self.inside(plan, captured, |frame| {
                given(frame);
                frame.run(search, &mut |frame| {
                    let value = made(frame)?;
                    visitor(frame, value)
                })
            });
        }
        // With other captured values the visitor may also be part of another run of the same closure, which has bound the same names.
        let slots: Vec<Slot> = plan.captured.iter().chain(&plan.bound).copied().collect();
        let outside = self.save(&slots);
        self.inside(plan, captured, |frame| {
            given(frame);
            frame.run(search, &mut |frame| {
                let value = made(frame)?;
                let inside = frame.save(&slots);
                frame.restore(&slots, outside.clone());
                let flow = visitor(frame, value);
                frame.restore(&slots, inside);
                flow
            })
        })
    }

    /// Membership in a comprehension whose captured names are set.
    pub(crate) fn member_of_closure(&mut self, plan: &ClosurePlan, element: &Value, span: Span) -> Result<bool, EvalError> {
        match &plan.shape {
            Shape::Tuple { .. } => {
                // The element binds all names: no search, the condition is evaluated in the order of the text.
                self.bind_tuple(&plan.locals, element);
                self.holds(&plan.search.source)
            }
            Shape::Function { body, .. } => {
                let (argument, result) = element.as_pair().expect("elements of a lambda are pairs");
                self.bind_tuple(&plan.locals, argument);
                if !self.holds(&plan.search.source)? {
                    return Ok(false);
                }
                let value = self.eval(body)?;
                self.equal(&value, result, span)
            }
            Shape::Image { target, search, .. } => {
                self.set(*target, element.clone());
                let mut found = false;
                self.run(search, &mut |_| {
                    found = true;
                    Ok(Flow::Stop)
                })?;
                Ok(found)
            }
        }
    }

    /// Sets locals to the components of a left-nested tuple.
    pub(crate) fn bind_tuple(&mut self, locals: &[usize], value: &Value) {
        let mut rest = value.clone();
        // In `((a, b), c)` the outermost pair holds the last component.
        for (position, &slot) in locals.iter().enumerate().rev() {
            if position == 0 {
                self.set(slot, rest);
                return;
            }
            let (front, last) = rest.as_pair().map(|(a, b)| (a.clone(), b.clone())).expect("a tuple has as many parts as names");
            self.set(slot, last);
            rest = front;
        }
    }

    pub(super) fn member_of_sequences(&mut self, element: &Value, kind: SequenceKind, base: &Value, span: Span) -> Result<bool, EvalError> {
        let explicit = self.explicit(element, span)?;
        let Some(items) = sequence::as_sequence(&explicit) else { return Ok(false) };
        if kind.is_nonempty() && items.is_empty() {
            return Ok(false);
        }
        if kind.is_injective() && !self.is_injective(&explicit, span)? {
            return Ok(false);
        }
        for item in &items {
            if !self.member(item, base, span)? {
                return Ok(false);
            }
        }
        if kind == SequenceKind::Perm {
            // The items are elements of the base and differ from each other, so as many as there are elements are all of them.
            return match cardinality(base) {
                Cardinality::Finite(count) => Ok(count == BigUint::from(items.len())),
                Cardinality::Large | Cardinality::Infinite => Ok(false),
                // Not counted: whether there is another element is decided in many ways, not only by enumeration.
                Cardinality::Unknown => self.equal(base, &Value::Set(relation::range(&explicit)), span),
            };
        }
        Ok(true)
    }
}
