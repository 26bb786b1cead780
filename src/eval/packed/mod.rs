//! The fast tier: plans whose values all fit words, compiled to closures over words.
//!
//! Whatever does not fit is left to the general evaluator: an operation is compiled here as a whole or not at all, and a run that
//! meets something without a value (ill-definedness, overflow) gives up with a [`Trap`], after which the general evaluator runs
//! the same operation in the same state and says what is wrong, where. So this tier needs no places and no error texts.
//! Invariant: it gives the same steps in the same order as the general evaluator, or traps.
//! Deliberately elsewhere: the layout of the words (`state::word_layout`), when this tier is used (`explore::words`).

mod expression;
mod matrix;
mod predicate;
mod search;
mod substitution;
mod word;

use super::frame::Flow;
use super::plan::{PredPlan, Search, Slot, SubstPlan};
use crate::ir::{Scope, Type};
use crate::value::{Valuation, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use word::Word;

/// Why a packed run has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trap {
    /// Something is ill-defined.
    IllDefined,
    /// A value left its word, or the run was interrupted.
    Left,
}

/// The slots during a packed run.
pub(super) struct Words {
    slots: Vec<u64>,
    /// Which slots hold a value: only looked at for results and VAR locals.
    defined: Vec<bool>,
    /// A guard was ill-defined: its binding is disabled.
    ill_defined_guard: bool,
    /// Counts down to the next look at the interrupt flag.
    fuel: u32,
    interrupt: Arc<AtomicBool>,
}

/// Elements visited between two looks at the interrupt flag.
const FUEL: u32 = 1 << 16;

impl Words {
    /// Called by every loop: leaves the fast tier soon after the interrupt flag was set.
    #[inline]
    fn tick(&mut self) -> Result<(), Trap> {
        self.fuel -= 1;
        if self.fuel == 0 {
            self.fuel = FUEL;
            if self.interrupt.load(Ordering::Relaxed) {
                return Err(Trap::Left);
            }
        }
        Ok(())
    }
}

/// A compiled expression.
type Expr = Box<dyn Fn(&mut Words) -> Result<u64, Trap> + Send + Sync>;
/// A compiled predicate.
type Pred = Box<dyn Fn(&mut Words) -> Result<bool, Trap> + Send + Sync>;
/// What happens in each state that a substitution, or with each binding that a search leads to.
type Next<'n> = &'n mut dyn FnMut(&mut Words) -> Result<Flow, Trap>;

/// What packing needs to know of a machine.
pub(super) struct Packer<'c> {
    scope: &'c Scope,
    /// Slots whose definedness is checked when read.
    checked: Vec<bool>,
}

/// An operation whose every value fits a word.
pub(super) struct PackedOperation {
    guard: search::PackedSearch,
    body: substitution::PackedSubst,
    parameters: Vec<Slot>,
    results: Vec<Slot>,
    is_deterministic: bool,
}

/// The parts of a machine that are packed. Exists only when all variables fit words.
pub(super) struct PackedMachine {
    constants: Vec<Option<Word>>,
    variables: Vec<Word>,
    operations: Vec<Option<PackedOperation>>,
    invariant: Vec<Option<Pred>>,
    slots: usize,
}

impl std::fmt::Debug for PackedMachine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PackedMachine").field("variables", &self.variables).finish_non_exhaustive()
    }
}

/// The plans of one operation.
pub(super) struct OperationParts<'p> {
    pub(super) guard: &'p Search,
    pub(super) body: &'p SubstPlan,
    pub(super) parameters: &'p [Slot],
    pub(super) results: &'p [Slot],
    pub(super) types: Vec<&'p Type>,
}

impl PackedMachine {
    /// Packs what can be packed; `None` when some variable does not fit a word.
    pub(super) fn new(
        scope: &Scope,
        constants: &[&Type],
        variables: &[&Type],
        operations: &[OperationParts<'_>],
        invariant: &[PredPlan],
        slots: usize,
    ) -> Option<Self> {
        let words = variables.iter().map(|ty| Word::of(ty, scope)).collect::<Option<Vec<_>>>()?;
        let mut packer = Packer { scope, checked: vec![false; slots] };
        for operation in operations {
            operation.results.iter().for_each(|&slot| packer.checked[slot] = true);
            packer.mark_checked(operation.body);
        }
        let packed = operations.iter().map(|operation| packer.operation(operation)).collect();
        let invariant = invariant.iter().map(|pred| packer.pred(pred)).collect();
        let constants = constants.iter().map(|ty| Word::of(ty, scope)).collect();
        Some(Self { constants, variables: words, operations: packed, invariant, slots })
    }
}

impl Packer<'_> {
    fn operation(&self, parts: &OperationParts<'_>) -> Option<PackedOperation> {
        parts.types.iter().map(|ty| Word::of(ty, self.scope)).collect::<Option<Vec<_>>>()?;
        Some(PackedOperation {
            guard: self.search(parts.guard)?,
            body: self.subst(parts.body)?,
            parameters: parts.parameters.to_vec(),
            results: parts.results.to_vec(),
            is_deterministic: is_deterministic(parts.body),
        })
    }
}

/// Whether a substitution leads to at most one state, so that its steps need no comparison with each other.
fn is_deterministic(plan: &SubstPlan) -> bool {
    use super::plan::SubstPlanKind as Kind;
    match &plan.kind {
        Kind::Skip | Kind::Assign(_) => true,
        Kind::Parallel(parts) => parts.iter().all(|(part, _)| is_deterministic(part)),
        Kind::Sequence(parts) => parts.iter().all(is_deterministic),
        Kind::Pre { body, .. } | Kind::Assert(_, body) | Kind::Let(_, body) | Kind::Var(_, body) => is_deterministic(body),
        Kind::If(branches, otherwise) => {
            branches.iter().all(|(_, body)| is_deterministic(body)) && otherwise.as_ref().is_none_or(|body| is_deterministic(body))
        }
        Kind::Select(branches, otherwise) => {
            branches.len() == 1
                && branches.iter().all(|(_, body)| is_deterministic(body))
                && otherwise.as_ref().is_none_or(|body| is_deterministic(body))
        }
        Kind::BecomesIn(..) | Kind::BecomesSuchThat(..) | Kind::Choice(_) | Kind::Any(..) | Kind::While(_) => false,
    }
}

/// A state in words: the constants that fit (others zero, never read), then the variables; with room for all other slots.
pub struct PackedState {
    words: Words,
    /// Distinct (arguments, results, next) of the current operation, when its body can repeat itself.
    seen: rustc_hash::FxHashSet<Vec<u64>>,
}

/// One packed step, seen by a visitor.
#[derive(Clone, Copy, Debug)]
pub struct PackedStep<'s> {
    /// Words of the successor's variables.
    pub next: &'s [u64],
}

/// How an operation went in one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedRun {
    /// Whether a guard was ill-defined (and its instance disabled).
    pub ill_defined_guard: bool,
}

impl super::Machine {
    /// A frame for packed runs with the constants of a valuation; `None` when the machine is not packed or a constant does not fit.
    #[must_use]
    pub fn packed_state(&self, constants: &[Value]) -> Option<PackedState> {
        let packed = self.packed.as_ref()?;
        let mut slots = vec![0; packed.slots];
        for ((slot, word), value) in slots.iter_mut().zip(&packed.constants).zip(constants) {
            if let Some(word) = word {
                *slot = word.pack(value, self.scope())?;
            }
        }
        let interrupt = self.interrupt().clone();
        let words = Words { slots, defined: vec![true; packed.slots], ill_defined_guard: false, fuel: FUEL, interrupt };
        Some(PackedState { words, seen: rustc_hash::FxHashSet::default() })
    }

    /// Whether states can be kept as words.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    /// The number of bits of each variable's word.
    #[must_use]
    pub fn word_widths(&self) -> Vec<u32> {
        self.packed.as_ref().map_or_else(Vec::new, |packed| packed.variables.iter().map(Word::width).collect())
    }

    /// The words of the variables of a state, unless one of them does not fit.
    pub fn pack(&self, state: &[Value], out: &mut Vec<u64>) -> bool {
        let Some(packed) = &self.packed else { return false };
        out.clear();
        for (word, value) in packed.variables.iter().zip(&state[packed.constants.len()..]) {
            match word.pack(value, self.scope()) {
                Some(word) => out.push(word),
                None => return false,
            }
        }
        true
    }

    /// The state with these constants whose variables have these words.
    ///
    /// # Panics
    /// When the machine is not packed.
    #[must_use]
    pub fn unpack(&self, constants: &[Value], words: &[u64]) -> Valuation {
        let packed = self.packed.as_ref().expect("only words of a packed machine are unpacked");
        let variables = packed.variables.iter().zip(words).map(|(word, bits)| word.unpack(*bits, self.scope()));
        constants.iter().cloned().chain(variables).collect()
    }

    /// Visits the steps of an operation in a state, in the order of [`super::Machine::successors`]; `None` when the operation is
    /// not packed or the run trapped: then what was visited does not count and the general evaluator must run.
    pub fn packed_successors(
        &self,
        operation: crate::ir::OperationId,
        state: &mut PackedState,
        variables: &[u64],
        visit: &mut dyn FnMut(PackedStep<'_>),
    ) -> Option<PackedRun> {
        let packed = self.packed.as_ref()?;
        let plan = packed.operations[operation.index()].as_ref()?;
        let first = packed.constants.len();
        let all = first..first + variables.len();
        let PackedState { words, seen } = state;
        words.slots[all.clone()].copy_from_slice(variables);
        words.ill_defined_guard = false;
        seen.clear();
        let run = plan.guard.run_guard(words, &mut |words| {
            for &slot in &plan.results {
                words.defined[slot] = false;
            }
            plan.body.exec(words, &mut |words| {
                if plan.results.iter().any(|&slot| !words.defined[slot]) {
                    return Err(Trap::IllDefined);
                }
                if !plan.is_deterministic {
                    let slots = plan.parameters.iter().chain(&plan.results).copied().chain(all.clone());
                    if !seen.insert(slots.map(|slot| words.slots[slot]).collect()) {
                        return Ok(Flow::Continue);
                    }
                }
                visit(PackedStep { next: &words.slots[all.clone()] });
                Ok(Flow::Continue)
            })
        });
        // Left-over writes of an interrupted run must not leak into the next one: variables are set at its start.
        run.ok().map(|_| PackedRun { ill_defined_guard: words.ill_defined_guard })
    }

    /// Whether the whole invariant surely holds; `false` also when only the general evaluator can tell.
    pub fn packed_invariant_holds(&self, state: &mut PackedState, variables: &[u64]) -> bool {
        let Some(packed) = &self.packed else { return false };
        let first = packed.constants.len();
        state.words.slots[first..first + variables.len()].copy_from_slice(variables);
        packed.invariant.iter().all(|pred| pred.as_ref().is_some_and(|pred| pred(&mut state.words) == Ok(true)))
    }
}
