//! Constraints of integers by number: which one is propagated, and which one explains a conclusion.
//!
//! Invariant: what a constraint assigns has its number and the length of the trail before it as the reason, so that it can be explained
//! when a conflict asks for it. Deliberately elsewhere: what each kind concludes (`inequalities`, `products`, `disequalities`).

use super::agenda::{InequalityNumber, ProductNumber, Propagator};
use super::assignment::Assignment;
use super::heuristics::Heuristics;
use super::inequalities::Inequality;
use super::integers::IntegerVariable;
use super::products::Product;
use super::{Lit, Reason, TrailPlace};

/// All constraints but disequalities, which are part of the assignment as they watch it.
#[derive(Default)]
pub(super) struct Constraints {
    inequalities: Vec<Inequality>,
    products: Vec<Product>,
}

impl Constraints {
    /// Demands that a sum is at most `limit` where the condition holds.
    pub(super) fn inequality(&mut self, condition: Lit, summands: Vec<(i64, IntegerVariable)>, limit: i64, assignment: &mut Assignment) {
        let at = InequalityNumber::at(self.inequalities.len());
        self.inequalities.push(Inequality::new(condition, summands, limit, at, assignment));
    }

    /// Demands that one variable is the product of two others.
    pub(super) fn product(&mut self, product: IntegerVariable, left: IntegerVariable, right: IntegerVariable, assignment: &mut Assignment) {
        let at = ProductNumber::at(self.products.len());
        self.products.push(Product::new(product, left, right, at, assignment));
    }

    /// Propagates one constraint; whether it can hold.
    pub(super) fn propagate(&self, propagator: Propagator, assignment: &mut Assignment, heuristics: &mut Heuristics) -> bool {
        match propagator {
            Propagator::Inequality(at) => self.inequalities[at.index()].propagate(at, assignment, heuristics),
            Propagator::Product(at) => self.products[at.index()].propagate(at, assignment, heuristics),
            Propagator::Disequality(at) => {
                let reason = Reason::Propagator(propagator, assignment.trail.end());
                assignment.propagate_disequality(at, reason, heuristics)
            }
        }
    }

    /// The literals, all false, of which a conclusion at this place of the trail is the consequence; without it they are a conflict.
    pub(super) fn explain(
        &self,
        propagator: Propagator,
        assignment: &Assignment,
        place: TrailPlace,
        conclusion: Option<Lit>,
        literals: &mut Vec<Lit>,
    ) {
        let integers = &assignment.integers;
        match propagator {
            Propagator::Inequality(at) => self.inequalities[at.index()].explain(integers, place, conclusion, literals),
            Propagator::Product(at) => self.products[at.index()].explain(integers, place, literals),
            Propagator::Disequality(at) => assignment.disequalities.explain(at, integers, place, conclusion, literals),
        }
    }
}
