//! The packed tier: plans whose values all fit machine words, compiled to closures over words.
//!
//! Whatever does not fit is left to the general tier: an operation is compiled here as a whole or not at all, and a run that meets
//! something without a value (ill-definedness, overflow) gives up with a [`Trap`], after which the general tier runs the same
//! operation in the same state and reports what is wrong, and where. So this tier needs no source places and no error texts.
//! Invariant: it gives the same steps in the same order as the general tier, or traps.
//! Deliberately elsewhere: the layout of the frame (`packer`), the encoding of values (`value::packing`), the storage of packed states
//! (`state::word_layout`), when this tier is used (`explore::search::packed`).

mod branches;
mod expression;
mod integers;
mod loops;
mod matrix;
mod membership;
mod orbit;
mod packer;
mod pair;
mod predicate;
mod search;
mod sequences;
mod set;
mod substitution;
mod table;
mod value;
mod visit;
mod while_loop;
mod wide_matrix;

use super::plan::{PredPlan, Search, Slot, SubstPlan};
use super::run::frame::Flow;
use crate::ir::{Scope, Type};
use crate::source::Span;
use crate::value::packing::Packing;
use crate::value::{Valuation, Value};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) use integers::integers_in_sets;
pub use orbit::Blocks;

/// Why a packed run has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trap {
    /// Something is ill-defined, in the general tier as well: a guard may take this for false.
    IllDefined,
    /// A test that was moved into the set of a loop is ill-defined: as where a test of its own is, only the guard of an operation may take
    /// it for false.
    IllDefinedTest,
    /// Only the general tier can tell: a value does not fit its word, or the run was interrupted. Nothing may catch this.
    Left,
}

/// The frame of a packed run: the words of the constants, then of the variables, then of everything else (see `packer`).
pub(super) struct Words {
    slots: Vec<u64>,
    /// Which places hold a value: looked at only for results, VAR locals and constants with integers, by the first word of each.
    defined: Vec<bool>,
    /// A guard was ill-defined: its binding is disabled.
    ill_defined_guard: bool,
    /// Counts down to the next look at the interrupt flag.
    fuel: u32,
    interrupt: Arc<AtomicBool>,
    /// The orbits of parameters in the current state.
    orbits: orbit::ParameterOrbits,
}

impl Words {
    /// Writes words from a place on.
    #[inline]
    fn set(&mut self, at: usize, words: &[u64]) {
        // Mostly one word, which is not worth the call of a copy.
        match words {
            [word] => self.slots[at] = *word,
            _ => self.slots[at..at + words.len()].copy_from_slice(words),
        }
    }
}

/// The number of elements visited between two looks at the interrupt flag.
const FUEL: u32 = 1 << 16;

impl Words {
    /// Called by every loop: leaves the packed tier soon after the interrupt flag was set.
    #[inline]
    fn tick(&mut self) -> Result<(), Trap> {
        self.fuel -= 1;
        if self.fuel == 0 {
            self.fuel = FUEL;
            // The flag guards no other data, so no ordering is needed.
            if self.interrupt.load(Ordering::Relaxed) {
                return Err(Trap::Left);
            }
        }
        Ok(())
    }
}

/// A compiled predicate.
type Pred = Box<dyn Fn(&mut Words) -> Result<bool, Trap> + Send + Sync>;
/// The continuation of a run: called in each state that a substitution leads to, or with each binding of a search.
type Next<'n> = &'n mut dyn FnMut(&mut Words) -> Result<Flow, Trap>;

/// The compiler of this tier: the facts about the machine that it needs, and the frame as far as it is laid out.
pub(super) struct Packer<'c> {
    scope: &'c Scope,
    /// Integers in sets and pairs are those of `0..integers`.
    integers: u32,
    /// The number of constants, whose slots are the first.
    constants: usize,
    /// By slot of the plans: whether it may be without a value, so that reads check this.
    checked: Vec<bool>,
    /// By slot of the plans: its words.
    homes: Vec<Home>,
    /// The frame before a run: the known values, and zeros.
    image: Vec<u64>,
    /// Constants that are functions to sets, which have no words but a table.
    tables: Vec<(Slot, table::Table)>,
    /// The innermost part that could not be packed, since something last could.
    unpacked: Option<Span>,
}

/// Where the value of a slot is in the frame, and how it is packed; a local gets its home when it is first compiled.
struct Home {
    at: usize,
    packing: Option<Packing>,
}

/// An operation all values of which fit words.
pub(super) struct PackedOperation {
    guard: search::PackedSearch,
    body: substitution::PackedSubst,
    /// The words of the parameters in the frame.
    parameters: Vec<Range<usize>>,
    /// The words of the results in the frame.
    results: Vec<Range<usize>>,
    is_deterministic: bool,
    /// Assigns no variable: every step leads back.
    is_query: bool,
}

/// The parts of a machine that are packed; made only if all its variables fit words.
pub(super) struct PackedMachine {
    constants: Vec<Option<Packing>>,
    variables: Vec<Packing>,
    operations: Vec<Option<PackedOperation>>,
    /// By operation: the part that keeps it off this tier, for explanations.
    unpacked: Vec<Option<Span>>,
    invariant: Vec<Option<Pred>>,
    /// The assertions that are about states.
    assertions: Vec<Option<Pred>>,
    /// Where the words of each constant begin in the frame.
    constant_places: Vec<usize>,
    /// Constants without words that are functions to sets.
    tables: Vec<(Slot, table::Table)>,
    /// Where the words of the variables are in the frame.
    state: Range<usize>,
    /// The frame before a run, with the known values.
    image: Vec<u64>,
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
    /// Types of the parameters, then of the results.
    pub(super) types: Vec<&'p Type>,
    /// Whether the body assigns no variable.
    pub(super) is_query: bool,
}

impl PackedMachine {
    /// Packs what can be packed; `None` when some variable does not fit words. Sets and pairs have room for the integers `0..integers`.
    pub(super) fn new(
        scope: &Scope,
        integers: u32,
        constant_types: &[&Type],
        variables: &[&Type],
        operations: &[OperationParts<'_>],
        [invariant, assertions]: [&[&PredPlan]; 2],
        slots: usize,
    ) -> Option<Self> {
        let variables = variables.iter().map(|ty| Packing::of(ty, scope, integers)).collect::<Option<Vec<_>>>()?;
        let constants: Vec<Option<Packing>> = constant_types.iter().map(|ty| Packing::of(ty, scope, integers)).collect();
        let mut packer = Packer::new((scope, integers), &constants, &variables, slots);
        let constant_places = (0..constants.len()).map(|slot| packer.place(slot).start).collect();
        // The frame begins with constants and variables, side by side in the order of slots, so a state is one range of it.
        let start = constants.iter().flatten().map(Packing::words).sum();
        let state = start..start + variables.iter().map(Packing::words).sum::<usize>();
        for (slot, ty) in constant_types.iter().enumerate().filter(|(slot, _)| constants[*slot].is_none()) {
            let table = packer.new_table(ty).map(|table| (slot, table));
            packer.tables.extend(table);
        }
        // Before anything is compiled, because it is then that a read gets its check; a slot may be read in several operations.
        for operation in operations {
            operation.results.iter().for_each(|&slot| packer.checked[slot] = true);
            packer.mark_checked(operation.body);
        }
        let mut unpacked = Vec::new();
        let mut packed = Vec::new();
        for operation in operations {
            packer.unpacked = None;
            packed.push(packer.operation(operation));
            unpacked.push(packer.unpacked);
        }
        let operations = packed;
        let invariant = invariant.iter().map(|pred| packer.pred(pred)).collect();
        let assertions = assertions.iter().map(|pred| packer.pred(pred)).collect();
        let Packer { image, tables, .. } = packer;
        Some(Self { constants, variables, operations, unpacked, invariant, assertions, constant_places, tables, state, image })
    }

    fn hold(&self, preds: &[Option<Pred>], state: &mut PackedState, variables: &[u64]) -> bool {
        // A conjunct that is not packed, or traps, does not surely hold: the general tier examines the state.
        state.words.set(self.state.start, variables);
        preds.iter().all(|pred| pred.as_ref().is_some_and(|pred| pred(&mut state.words) == Ok(true)))
    }

    /// The numbers of packed operations, and of packed conjuncts of the invariant and assertions.
    pub(super) fn extent(&self) -> (usize, usize) {
        (self.operations.iter().flatten().count(), self.invariant.iter().chain(&self.assertions).flatten().count())
    }
}

impl Packer<'_> {
    /// Remembers the part if it could not be packed and no part inside of it is remembered.
    fn noted<T>(&mut self, span: Span, packed: Option<T>) -> Option<T> {
        self.unpacked = if packed.is_some() { None } else { self.unpacked.or(Some(span)) };
        packed
    }

    fn operation(&mut self, parts: &OperationParts<'_>) -> Option<PackedOperation> {
        // First, so that parameters and results have words even if neither guard nor body mentions them: they are part of a step.
        for (&slot, ty) in parts.parameters.iter().chain(parts.results).zip(&parts.types) {
            let packing = self.packing(ty)?;
            self.hold(slot, &packing);
        }
        let parameters: Vec<(Slot, &Type)> = parts.parameters.iter().copied().zip(parts.types.iter().copied()).collect();
        Some(PackedOperation {
            guard: self.guard(parts.guard, &parameters)?,
            body: self.subst(behind_guards(parts.body))?,
            parameters: parts.parameters.iter().map(|&slot| self.place(slot)).collect(),
            results: parts.results.iter().map(|&slot| self.place(slot)).collect(),
            is_deterministic: is_deterministic(parts.body),
            is_query: parts.is_query,
        })
    }
}

/// A body without the guards at its top: the search for the parameters visits only bindings that satisfy them.
fn behind_guards(plan: &SubstPlan) -> &SubstPlan {
    use super::plan::SubstPlanKind as Kind;
    match &plan.kind {
        Kind::Pre { body, is_guard: true, .. } => behind_guards(body),
        Kind::Select(branches, None) => match branches.as_slice() {
            [(_, body)] => behind_guards(body),
            _ => plan,
        },
        _ => plan,
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
        // With more branches, several guards may hold at once.
        Kind::Select(branches, otherwise) => {
            branches.len() == 1
                && branches.iter().all(|(_, body)| is_deterministic(body))
                && otherwise.as_ref().is_none_or(|body| is_deterministic(body))
        }
        Kind::While(plan) => is_deterministic(&plan.body),
        Kind::BecomesIn(..) | Kind::BecomesSuchThat(..) | Kind::Choice(_) | Kind::Any(..) => false,
    }
}

impl PackedOperation {
    /// Traps where a result has no value.
    #[inline]
    fn check_results(&self, words: &Words) -> Result<(), Trap> {
        let all_set = self.results.iter().all(|result| words.defined[result.start]);
        if all_set { Ok(()) } else { Err(Trap::IllDefined) }
    }
}

/// The memory of packed runs of one worker, with the constants of one set-up.
pub struct PackedState {
    words: Words,
    /// The (arguments, results, successor) of all steps of the current operation so far, if its body can lead to a step twice.
    seen: rustc_hash::FxHashSet<Vec<u64>>,
    results: Vec<u64>,
}

/// One packed step, seen by a visitor.
#[derive(Clone, Copy, Debug)]
pub struct PackedStep<'s> {
    /// Words of the successor's variables.
    pub next: &'s [u64],
    /// The successor is the state itself, because the operation assigns no variable.
    pub leads_back: bool,
    /// The number of its binding of the parameters, from 0 on in each run.
    pub instance: u64,
    /// The number of steps it stands for, which exchanges of elements make of it (see [`PackedState::exchange`]).
    pub weight: u64,
    /// The words of the results, of an operation that can have several steps with the same arguments.
    pub results: Option<&'s [u64]>,
}

/// The result of running an operation in one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedRun {
    /// Whether a guard was ill-defined (and its instance disabled).
    pub ill_defined_guard: bool,
    /// The number of bindings of the parameters that were run.
    pub instances: u64,
}

impl PackedState {
    /// Sets the blocks by which bindings of parameters are reduced: of those that exchanges of blocks make of each other, one is run. The
    /// caller guarantees that exchanges keep the state whose successors are asked for. Without blocks every binding is run.
    pub fn exchange(&mut self, blocks: &Blocks) {
        self.words.orbits.start(blocks);
    }
}

impl super::Machine {
    /// Whether orbits of parameters can save bindings of an operation.
    #[must_use]
    pub fn has_parameter_orbits(&self, operation: crate::ir::OperationId) -> bool {
        let plan = self.packed.as_ref().and_then(|packed| packed.operations[operation.index()].as_ref());
        plan.is_some_and(|plan| plan.guard.has_choices())
    }

    /// A frame for packed runs with the constants of a valuation; `None` when the machine is not packed or a constant does not fit. A
    /// constant that does not fit because of its integers is left undefined, and a run that reads it traps.
    #[must_use]
    pub fn packed_state(&self, constants: &[Value]) -> Option<PackedState> {
        let packed = self.packed.as_ref()?;
        let mut slots = packed.image.clone();
        let mut defined = vec![true; slots.len()];
        for ((&place, packing), value) in packed.constant_places.iter().zip(&packed.constants).zip(constants) {
            let Some(packing) = packing else { continue };
            // The integers in sets are guessed (`integers`), so a constant with others is to be expected, and only runs that read it are
            // lost. Any other constant that does not fit rules out packed runs as a whole.
            if !packing.pack(value, &mut slots[place..place + packing.words()]) {
                if !packing.has_integers() {
                    return None;
                }
                defined[place] = false;
            }
        }
        packed.tables.iter().for_each(|(constant, table)| table.write(&constants[*constant], &mut slots));
        let interrupt = self.interrupt().clone();
        let words = Words { defined, slots, ill_defined_guard: false, fuel: FUEL, interrupt, orbits: orbit::ParameterOrbits::default() };
        Some(PackedState { words, seen: rustc_hash::FxHashSet::default(), results: Vec::new() })
    }

    /// Whether an operation runs on this tier, or the part of it that keeps it off, if one does.
    pub(super) fn tier_of(&self, operation: crate::ir::OperationId) -> Result<(), Option<Span>> {
        let packed = self.packed.as_ref().ok_or(None)?;
        packed.operations[operation.index()].as_ref().map(|_| ()).ok_or(packed.unpacked[operation.index()])
    }

    /// Whether states can be stored as words.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    /// How each constant and each variable is packed; `None` for constants that words cannot hold.
    ///
    /// # Panics
    /// When the machine is not packed.
    #[must_use]
    pub fn packings(&self) -> (&[Option<Packing>], &[Packing]) {
        let packed = self.packed.as_ref().expect("asked of packed machines only");
        (&packed.constants, &packed.variables)
    }

    /// Writes the words of a constant into a frame.
    ///
    /// # Panics
    /// When the machine is not packed.
    pub fn set_packed_constant(&self, state: &mut PackedState, constant: usize, words: &[u64]) {
        let packed = self.packed.as_ref().expect("only packed machines have frames");
        let place = packed.constant_places[constant];
        state.words.slots[place..place + words.len()].copy_from_slice(words);
        state.words.defined[place] = true;
    }

    /// Appends the words of the variables of a state, unless one of them does not fit.
    pub fn pack(&self, state: &[Value], out: &mut Vec<u64>) -> bool {
        let Some(packed) = &self.packed else { return false };
        packed.variables.iter().zip(&state[packed.constants.len()..]).all(|(packing, value)| {
            let start = out.len();
            out.resize(start + packing.words(), 0);
            packing.pack(value, &mut out[start..])
        })
    }

    /// The state with these constants whose variables have these words.
    ///
    /// # Panics
    /// When the machine is not packed.
    #[must_use]
    pub fn unpack(&self, constants: &[Value], words: &[u64]) -> Valuation {
        let packed = self.packed.as_ref().expect("only words of a packed machine are unpacked");
        let mut rest = words;
        let variables = packed.variables.iter().map(|packing| {
            let (own, others) = rest.split_at(packing.words());
            rest = others;
            packing.unpack(own)
        });
        constants.iter().cloned().chain(variables).collect()
    }

    /// Visits the steps of an operation in a state, in the order of [`super::Machine::successors`]; `None` when the operation is
    /// not packed or the run trapped: the steps visited so far are then not all, and the general tier must run.
    pub fn packed_successors(
        &self,
        operation: crate::ir::OperationId,
        state: &mut PackedState,
        variables: &[u64],
        visit: &mut dyn FnMut(PackedStep<'_>),
    ) -> Option<PackedRun> {
        let packed = self.packed.as_ref()?;
        let plan = packed.operations[operation.index()].as_ref()?;
        let all = packed.state.clone();
        let PackedState { words, seen, results } = state;
        let mut instances = 0;
        words.set(all.start, variables);
        words.ill_defined_guard = false;
        seen.clear();
        let run = plan.guard.run_guard(words, &mut |words| {
            let instance = instances;
            instances += 1;
            // A result that the last instance left behind must not pass for one of this instance.
            for result in &plan.results {
                words.defined[result.start] = false;
            }
            if plan.is_deterministic {
                if plan.body.apply(words)? {
                    plan.check_results(words)?;
                    let weight = words.orbits.weight();
                    visit(PackedStep { next: &words.slots[all.clone()], leads_back: plan.is_query, instance, weight, results: None });
                }
                // `apply` leaves its writes where they are: the state is put back as a whole before the next binding, also after a body
                // that leads nowhere. Locals and results need not be: they are written before they are read, or checked.
                if !plan.is_query {
                    words.set(all.start, variables);
                }
                return Ok(Flow::Continue);
            }
            plan.body.exec(words, &mut |words| {
                plan.check_results(words)?;
                // A step counts once, however many choices of the body lead to it. The arguments are part of the key because the set
                // is that of all bindings.
                let all_of = |place: &Range<usize>| words.slots[place.clone()].iter().copied();
                let places = plan.parameters.iter().chain(&plan.results).chain(std::iter::once(&all));
                if !seen.insert(places.flat_map(all_of).collect()) {
                    return Ok(Flow::Continue);
                }
                results.clear();
                results.extend(plan.results.iter().flat_map(all_of));
                let weight = words.orbits.weight();
                visit(PackedStep { next: &words.slots[all.clone()], leads_back: plan.is_query, instance, weight, results: Some(results) });
                Ok(Flow::Continue)
            })
        });
        // A run that trapped may leave writes behind. The next one does not see them: it begins by setting all variables.
        run.ok().map(|_| PackedRun { ill_defined_guard: words.ill_defined_guard, instances })
    }

    /// Whether the whole invariant surely holds; `false` also when only the general tier can tell.
    pub fn packed_invariant_holds(&self, state: &mut PackedState, variables: &[u64]) -> bool {
        self.packed.as_ref().is_some_and(|packed| packed.hold(&packed.invariant, state, variables))
    }

    /// Whether all assertions about states surely hold.
    pub fn packed_assertions_hold(&self, state: &mut PackedState, variables: &[u64]) -> bool {
        self.packed.as_ref().is_some_and(|packed| packed.hold(&packed.assertions, state, variables))
    }
}
