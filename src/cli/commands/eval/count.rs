//! `bcheck eval --count` of a predicate with free names over deferred sets: the number of answers, and their number up to renaming of
//! elements.
//!
//! Invariant: permutations move only elements that the predicate does not name, and fix every value that it mentions, so the image of an
//! answer is an answer. Images may be left out by the solver; the sum over the orbits of those visited is the number of all. Deliberately
//! elsewhere: canonical forms (`symmetry`), which images are left out (`eval`).

use bcheck_eval::{EvalError, Machine, Question};
use bcheck_ir::{ExprKind, LocalId, Model, Node, Pred, Subst, SubstKind, Type, walk_pred};
use bcheck_symmetry::{Mode, Scratch, Symmetry};
use bcheck_value::{Renaming, Valuation, Value};
use num_bigint::BigUint;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// The number of answers.
#[derive(Debug, Default)]
pub(crate) struct AnswerCount {
    /// Including the images of those visited.
    pub(crate) answers: BigUint,
    /// The number of their orbits; none where no element moves.
    pub(crate) orbits: Option<usize>,
}

/// Counts the answers to a question in a state; if the visit ends early, those found until then.
pub(crate) fn count(
    machine: &Machine,
    (names, pred): (&[(LocalId, Type)], &Pred),
    question: &Question,
    state: &[Value],
) -> (AnswerCount, Result<(), EvalError>) {
    let symmetry = symmetry_of(machine, pred);
    if names.iter().any(|(_, ty)| symmetry.moves_type(ty))
        && let Some(counted) = count_orbits(&symmetry, question, (state, mentioned(machine.model(), pred, state)))
    {
        return counted;
    }
    let mut answers = 0_u64;
    let visited = question.for_each_answer(state, &mut |_| {
        answers += 1;
        ControlFlow::Continue(())
    });
    (AnswerCount { answers: answers.into(), orbits: None }, visited)
}

/// The permutations of elements that preserve the truth value of a predicate about a machine's constants and variables.
fn symmetry_of(machine: &Machine, pred: &Pred) -> Symmetry {
    let initialisation = Subst { kind: SubstKind::Skip, span: pred.span };
    // The machine's own formulas are left out: only its sets matter, and the names of the predicate.
    let asked = Model {
        properties: Vec::new(),
        invariant: Vec::new(),
        assertions: Vec::new(),
        operations: Default::default(),
        expanded: None,
        temporal: Vec::new(),
        initialisation,
        goal: Some(pred.clone()),
        ..machine.model().clone()
    };
    Symmetry::of_unnamed(&asked, machine.scope(), Mode::Exact)
}

/// The values of the constants and variables that a predicate mentions.
fn mentioned(model: &Model, pred: &Pred, state: &[Value]) -> Valuation {
    let mut places: Vec<usize> = Vec::new();
    walk_pred(pred, &mut |node| {
        let Node::Expr(expr) = node else { return };
        match expr.kind {
            ExprKind::Constant(id) => places.push(id.0 as usize),
            ExprKind::Variable(id) | ExprKind::OldVariable(id) => places.push(model.constants.len() + id.0 as usize),
            _ => {}
        }
    });
    places.sort_unstable();
    places.dedup();
    places.into_iter().map(|place| state[place].clone()).collect()
}

/// Counts answers by their orbits; `None` if some answer has no canonical form within the budget.
fn count_orbits(
    symmetry: &Symmetry,
    question: &Question,
    (state, mentioned): (&[Value], Valuation),
) -> Option<(AnswerCount, Result<(), EvalError>)> {
    let keeps = |renaming: &Renaming| mentioned.iter().all(|value| renaming(value) == *value);
    let renamings: Vec<Renaming> = symmetry.renamings().into_iter().filter(keeps).collect();
    let mut scratch = Scratch::default();
    // Orbit-stabiliser: |orbit of (mentioned values, answer)| = |orbit of the mentioned values| × |orbit of the answer under their
    // stabiliser|. The quotient of the two orbit sizes is the number of answers wanted.
    let context = symmetry.canonical(&mentioned, &mut scratch);
    if !context.is_exact {
        return None;
    }
    let context = symmetry.orbit_size(&context.automorphisms);
    let (mut sum, mut seen, mut is_exact) = (BigUint::ZERO, FxHashSet::default(), true);
    let visited = question.for_each_answer_but_images(state, &renamings, &mut |answer| {
        let together: Valuation = mentioned.iter().chain(&answer).cloned().collect();
        let canonical = symmetry.canonical(&together, &mut scratch);
        is_exact = canonical.is_exact;
        if is_exact && seen.insert(canonical.state) {
            sum += symmetry.orbit_size(&canonical.automorphisms);
        }
        if is_exact { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    is_exact.then(|| (AnswerCount { answers: sum / context, orbits: Some(seen.len()) }, visited))
}
