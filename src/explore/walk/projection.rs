//! The value of a formula in each state, as text: what states are merged or coloured by.
//!
//! Invariant: symmetric states have the same text, as long as the formula does not distinguish elements that move (`Symmetry::told_apart`
//! finds that out). Deliberately elsewhere: reading formulas (`sema`), the walk (`mod`).

use crate::eval::{EvalError, Machine};
use crate::ir::Node;
use crate::sema::Formula;
use crate::symmetry::{Scratch, Symmetry};
use crate::value::Value;
use crate::value::display::display;

/// A formula about states.
#[derive(Clone, Debug)]
pub struct Projection {
    /// The formula.
    pub formula: Formula,
    /// As it was typed.
    pub text: String,
}

/// The value of a formula in each state of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projected {
    /// The formula.
    pub text: String,
    /// Its values, in the order of the states.
    pub values: Vec<String>,
}

impl Projection {
    /// The formula as a node of the core language.
    #[must_use]
    pub fn node(&self) -> Node<'_> {
        match &self.formula {
            Formula::Expr(expr) => Node::Expr(expr),
            Formula::Pred(pred) => Node::Pred(pred),
        }
    }

    /// Its value in a state; `ill-defined` where it has none.
    ///
    /// # Errors
    /// When it cannot be evaluated.
    pub fn value(&self, machine: &Machine, symmetry: &Symmetry, state: &[Value], scratch: &mut Scratch) -> Result<String, EvalError> {
        let value = match &self.formula {
            Formula::Pred(pred) => machine.holds(pred, state).map(|holds| if holds { "TRUE" } else { "FALSE" }.to_owned()),
            Formula::Expr(expr) => machine.evaluate(expr, state).map(|value| {
                // Symmetric states have symmetric values, so the canonical form of a value is the same for all members of an orbit.
                let canonical = symmetry.canonical(&[value], scratch).state;
                canonical.iter().map(|value| display(value, machine.model())).collect()
            }),
        };
        match value {
            // States in which the formula has no value are a class of their own.
            Err(error) if error.kind.is_ill_defined() => Ok("ill-defined".to_owned()),
            value => value,
        }
    }
}
