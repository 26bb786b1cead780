//! `bcheck eval --unsat-core`: conjuncts of a false predicate that contradict each other.
//!
//! Invariant: they are called needed only if, with each left out in turn, the others could be true. Deliberately elsewhere: how a small set
//! is found (`eval::diagnose`), whether the predicate is false (`question`).

use crate::io::console::Console;
use bcheck_eval::{Contradiction, Machine};
use bcheck_ir::{LocalId, Pred, Type, as_properties};
use bcheck_report::{PERHAPS_FEWER, contradicting};
use bcheck_source::{Code, Diagnostic};
use std::sync::Arc;

/// Shows the conjuncts that make a predicate in these names false, whatever their values; it mentions no constants and no variables.
pub(crate) fn show(machine: &Machine, (names, pred): (&[(LocalId, Type)], &Pred), console: &Console) {
    let model = as_properties(machine.model(), names, pred);
    let machine = Machine::compile(Arc::new(model), machine.scope().clone());
    let Contradiction { conjuncts, is_irreducible, .. } = machine.contradiction();
    let spans: Vec<_> = conjuncts.iter().filter_map(|&at| machine.model().properties.get(at)).map(|conjunct| conjunct.pred.span).collect();
    let Some((first, others)) = spans.split_first() else { return };
    let mut note = Diagnostic::note(Code::Contradiction, *first, contradicting(spans.len()));
    note = others.iter().fold(note, |note, span| note.also(*span, ""));
    if !is_irreducible {
        note = note.help(PERHAPS_FEWER);
    }
    console.show_one(&note);
}
