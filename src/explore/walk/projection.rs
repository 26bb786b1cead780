//! The value of a formula in each state, as text, by which states are merged or coloured.
//!
//! Invariant: symmetric states have the same text, as long as the formula does not distinguish elements that move (`Symmetry::told_apart`
//! determines that). Deliberately elsewhere: reading formulas (`cli::load`), the walk (`mod`).

use bcheck_eval::{EvalError, Machine};
use bcheck_ir::Expr;
use bcheck_symmetry::{Scratch, Symmetry};
use bcheck_value::Value;
use bcheck_value::display::display;

/// An expression about states; a predicate is the expression `bool(P)`.
#[derive(Clone, Debug)]
pub struct Projection {
    /// The expression.
    pub expr: Expr,
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
    /// Its value in a state; `ill-defined` where it has none.
    ///
    /// # Errors
    /// When it cannot be evaluated.
    pub fn value(&self, machine: &Machine, symmetry: &Symmetry, state: &[Value], scratch: &mut Scratch) -> Result<String, EvalError> {
        match machine.evaluate(&self.expr, state) {
            Ok(value) => {
                // Symmetric states have symmetric values, so the canonical form of a value is equal for all members of an orbit.
                let canonical = symmetry.canonical(&[value], scratch).state;
                Ok(canonical.iter().map(|value| display(value, machine.model())).collect())
            }
            // States in which the formula has no value form a separate class.
            Err(error) if error.kind.is_ill_defined() => Ok("ill-defined".to_owned()),
            Err(error) => Err(error),
        }
    }
}
