//! Conjuncts of PROPERTIES that contradict each other, when no valuation of the constants satisfies them all.
//!
//! Invariant: the conjuncts have no solution together: a conjunct is dropped only where a search has shown that the others have none. If
//! they are called irreducible, a search has shown that without any one of them the others are satisfiable or ill-defined. Budgets count
//! work, not time, so the result is always the same. The algorithm is QuickXplain: U. Junker, *QuickXplain: Preferred Explanations and
//! Relaxations for Over-Constrained Problems*, AAAI 2004; what it calls a consistency check is a query here, and may remain unanswered.
//! Deliberately elsewhere: that PROPERTIES have no solution (`explore`).

use super::other_sizes;
use crate::compile::Compiler;
use crate::plan::Slot;
use crate::run::context::Context;
use crate::run::frame::{Flow, Frame};
use crate::thresholds::{
    CONTRADICTION_WORK, CONTRADICTIONS_WORK, SMALL_CONTRADICTION_WORK, SMALL_CONTRADICTIONS, SMALL_CONTRADICTIONS_WORK, SOLVED_PROPERTIES,
};
use bcheck_ir::{Comparison, ConstantId, Expr, ExprKind, Model, Node, Pred, PredKind, SetId, Type, walk_pred};
use bcheck_source::Span;
use std::cell::Cell;
use std::collections::BTreeSet;

/// Conjuncts of PROPERTIES that no valuation of the constants satisfies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contradiction {
    /// Indices of [`Model::properties`], ascending.
    pub conjuncts: Vec<usize>,
    /// Whether all of them are needed: without any one, the others are known to be satisfiable or ill-defined.
    pub is_irreducible: bool,
    /// Sizes of deferred sets with which PROPERTIES have a solution, for the sets that would have to change; empty if none were found.
    pub satisfiable_with: Vec<(SetId, u32)>,
}

/// Conjuncts that contradict each other, as few as could be found.
pub(crate) fn contradiction(context: &Context) -> Contradiction {
    let model = &context.model;
    let left = Cell::new(CONTRADICTIONS_WORK.get());
    let subproblem = Subproblem { model, context, left: &left, folding_work: None };
    // Without the equations that define names, queries get hard. So equations are background until the other conjuncts are reduced; those
    // not needed by the remaining conjuncts are then dropped at once.
    let (equations, others): (Vec<usize>, Vec<usize>) = (0..model.properties.len()).partition(|&at| defined(model, at).is_some());
    let found = subproblem.explain(&equations, !equations.is_empty(), &others);
    // If the equations needed do not suffice for the contradiction (or that cannot be decided), all equations are candidates.
    let mut needed = subproblem.needed(&found, &equations);
    if subproblem.ask(&[found.as_slice(), &needed].concat(), CONTRADICTION_WORK.get()) != Answer::Contradictory {
        needed = equations;
    }
    let mut found = [subproblem.explain(&found, !found.is_empty(), &needed), found].concat();
    found.sort_unstable();
    let is_irreducible = (0..found.len()).all(|at| {
        let others = [&found[..at], &found[at + 1..]].concat();
        matches!(subproblem.ask(&others, CONTRADICTION_WORK.get()), Answer::Satisfiable | Answer::IllDefined)
    });
    // QuickXplain finds an irreducible set, which need not be a smallest one: small sets are tried as well.
    left.set(SMALL_CONTRADICTIONS_WORK.get());
    let (conjuncts, is_irreducible) = subproblem.smaller_than(&found).unwrap_or((found, is_irreducible));
    Contradiction { conjuncts, is_irreducible, satisfiable_with: other_sizes::nearest(context) }
}

/// The constant that a conjunct defines by an equation.
fn defined(model: &Model, conjunct: usize) -> Option<ConstantId> {
    let PredKind::Compare(Comparison::Equal, left, right) = &model.properties[conjunct].pred.kind else { return None };
    [left, right].into_iter().find_map(|side| if let ExprKind::Constant(id) = side.kind { Some(id) } else { None })
}

/// The answer to a query: have some conjuncts a solution?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Contradictory,
    Satisfiable,
    /// No solution was found, and for some values they have no truth value.
    IllDefined,
    /// They could not be decided, or not within the budget.
    Unknown,
}

/// PROPERTIES, parts of which are queried.
pub(super) struct Subproblem<'q> {
    pub(super) model: &'q Model,
    pub(super) context: &'q Context,
    /// The budget left for all queries together.
    pub(super) left: &'q Cell<u32>,
    /// See [`Compiler::folding_work`].
    pub(super) folding_work: Option<u32>,
}

impl Subproblem<'_> {
    /// A part of `candidates` that contradicts `background`, given that all of them do. It is irreducible as far as queries are decided.
    /// `is_new`: the background has grown since the last query about it.
    ///
    /// For k conjuncts found among n, about k * log(n / k) queries are made.
    fn explain(&self, background: &[usize], is_new: bool, candidates: &[usize]) -> Vec<usize> {
        if is_new && self.ask(background, CONTRADICTION_WORK.get()) == Answer::Contradictory {
            return Vec::new();
        }
        // The background alone is not known to be contradictory, so a single candidate is needed.
        if candidates.len() <= 1 {
            return candidates.to_vec();
        }
        let (first, second) = candidates.split_at(candidates.len() / 2);
        // First a part of the second half that contradicts the background with the whole first half; then a part of the first half that
        // contradicts the background with the part just found. Neither call loses conjuncts that the other needs: after both, the whole is
        // still contradictory.
        let from_second = self.explain(&[background, first].concat(), true, second);
        let from_first = self.explain(&[background, &from_second].concat(), !from_second.is_empty(), first);
        [from_first, from_second].concat()
    }

    /// The equations that define the constants that these conjuncts mention, and those that the equations mention.
    fn needed(&self, conjuncts: &[usize], equations: &[usize]) -> Vec<usize> {
        let mut needed: Vec<usize> = Vec::new();
        let mut open = conjuncts.to_vec();
        while let Some(conjunct) = open.pop() {
            walk_pred(&self.model.properties[conjunct].pred, &mut |node| {
                let Node::Expr(Expr { kind: ExprKind::Constant(id), .. }) = node else { return };
                for &equation in equations {
                    if defined(self.model, equation) == Some(*id) && !needed.contains(&equation) {
                        needed.push(equation);
                        open.push(equation);
                    }
                }
            });
        }
        needed.sort_unstable();
        needed
    }

    /// A contradiction of fewer conjuncts, and whether all smaller sets are known not to be contradictory. Sets are tried by size, until
    /// there would be too many of them.
    fn smaller_than(&self, known: &[usize]) -> Option<(Vec<usize>, bool)> {
        let mut tried = 0;
        let mut is_decided = true;
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 1..known.len() {
            let mut larger = Vec::new();
            for set in &sets {
                // Only later conjuncts are added, so each set is made once.
                let from = set.last().map_or(0, |last| last + 1);
                larger.extend((from..self.model.properties.len()).map(|next| [set.as_slice(), &[next]].concat()));
            }
            tried += larger.len();
            if tried > SMALL_CONTRADICTIONS.get() {
                return None;
            }
            // An undecided set of this size does not make a contradiction of the same size reducible: that depends on smaller sets only.
            let mut all_decided = is_decided;
            for set in &larger {
                match self.ask(set, SMALL_CONTRADICTION_WORK.get()) {
                    Answer::Contradictory => return Some((set.clone(), is_decided)),
                    Answer::Satisfiable | Answer::IllDefined => {}
                    Answer::Unknown => all_decided = false,
                }
            }
            is_decided = all_decided;
            sets = larger;
        }
        None
    }

    /// Whether these conjuncts have a solution.
    pub(super) fn ask(&self, conjuncts: &[usize], budget: u32) -> Answer {
        let budget = budget.min(self.left.get());
        if budget == 0 {
            return Answer::Unknown;
        }
        let mut ordered = conjuncts.to_vec();
        ordered.sort_unstable();
        let preds: Vec<&Pred> = ordered.iter().map(|&at| &self.model.properties[at].pred).collect();
        let mut compiler = Compiler::resume(self.model, self.context);
        compiler.folding_work = self.folding_work;
        // Constants that no conjunct mentions can have any value.
        let mentioned: BTreeSet<Slot> = preds.iter().flat_map(|pred| compiler.names().slots_of_pred(pred)).collect();
        let constants: Vec<(Slot, Type)> = self.model.constants.values().map(|constant| constant.ty.clone()).enumerate().collect();
        let constants: Vec<(Slot, Type)> = constants.into_iter().filter(|(slot, _)| mentioned.contains(slot)).collect();
        let search = compiler.constants(&constants, &preds, Span::nowhere(), SOLVED_PROPERTIES.get());
        let mut frame = Frame::new(&compiler.context, &[]);
        frame.limits.limit_work(budget);
        let mut is_satisfied = false;
        let visited = frame.run_guard(&search, &mut |_| {
            is_satisfied = true;
            Ok(Flow::Stop)
        });
        // A query without loops uses no fuel, but must not be free.
        self.left.set(self.left.get().saturating_sub((budget - frame.limits.work_left()).max(1)));
        match visited {
            _ if is_satisfied => Answer::Satisfiable,
            Ok(_) if frame.doubts.guard_error.is_some() => Answer::IllDefined,
            // Integers outside of a window have not been tried: perhaps only conjuncts that are left out bound them. An unknown conjunct
            // contradicts nothing.
            Ok(_) if compiler.notes.tried.is_empty() && frame.doubts.undecided.is_none() => Answer::Contradictory,
            _ => Answer::Unknown,
        }
    }
}
