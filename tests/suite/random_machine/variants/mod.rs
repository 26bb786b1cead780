//! The same machine written in another way: renamed, in another order, or with other constructs.
//!
//! Invariant: every variant has the same state space up to names, so verdict and counts are the same where nothing is ill-defined.
//! (What is ill-defined may depend on the order in which parts are evaluated.)

mod copy;
mod desugar;
mod rename;
mod rewrite;
mod shuffle;

use crate::dice::Dice;
use bcheck::source::SourceMap;
use bcheck::syntax::ast::Machine;
use bcheck::syntax::parse_machine;

/// How a variant differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// All names are others, in another alphabetical order.
    Renamed,
    /// Conjuncts, operands, branches, clauses, declarations, parameters in another order.
    Shuffled,
    /// Operators and substitutions by their definitions.
    Desugared,
    /// Parts of formulas as DEFINITIONS.
    Abbreviated,
}

impl Variant {
    pub(crate) const ALL: [Variant; 4] = [Variant::Renamed, Variant::Shuffled, Variant::Desugared, Variant::Abbreviated];

    /// A machine in this way.
    pub(crate) fn of(self, text: &str, dice: &mut Dice) -> String {
        match self {
            Variant::Renamed => rename::renamed(text),
            Variant::Shuffled => shuffle::shuffled(tree(text), dice).to_string(),
            Variant::Desugared => desugar::desugared(tree(text), dice).to_string(),
            Variant::Abbreviated => desugar::abbreviated(tree(text), dice).to_string(),
        }
    }
}

/// A refinement of a machine by a copy of itself, or by one with one change.
pub(crate) fn refinement_of(text: &str, is_changed: bool, dice: &mut Dice) -> String {
    copy::refinement_of(text, is_changed, dice).to_string()
}

/// The syntax tree of a correct machine.
fn tree(text: &str) -> Machine {
    let mut sources = SourceMap::new();
    let file = sources.add("random.mch", text);
    parse_machine(file, text).tree.expect("only machines that were checked have variants")
}
