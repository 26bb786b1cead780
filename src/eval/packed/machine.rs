//! Packing a machine: which of its operations, conjuncts and assertions run on words.
//!
//! Invariant: an operation is packed as a whole or not at all. A construct without a packed form is reported
//! (`BCHECK_LOG=bcheck::eval::packed=debug`), for each bound of the integers in sets that is tried. Deliberately elsewhere: what a single
//! construct needs to be packed (`expression`, `set`, `predicate`, `substitution` and their neighbours), running packed plans (`run`).

use super::frame_layout::FrameLayout;
use super::search::guard;
use super::substitution::mark_checked;
use super::{BailOut, PackedState, Packer, Pred, Words, search, substitution};
use crate::plan::SubstPlanKind as Kind;
use crate::plan::{PredPlan, Search, Slot, SubstPlan};
use bcheck_ir::{Scope, Type};
use bcheck_source::Span;
use bcheck_value::packing::Packing;
use std::fmt;
use std::ops::Range;

/// The log target of reports about what is not packed.
const TARGET: &str = "bcheck::eval::packed";

/// An operation all of whose values fit words.
pub(super) struct PackedOperation {
    pub(super) guard: search::PackedSearch,
    pub(super) body: substitution::PackedSubst,
    /// The words of the parameters in the frame.
    pub(super) parameters: Vec<Range<usize>>,
    /// The words of the results in the frame.
    pub(super) results: Vec<Range<usize>>,
    pub(super) is_deterministic: bool,
    /// Assigns no variable: every step is a self-loop.
    pub(super) is_query: bool,
}

/// The parts of a machine that are packed; made only if all its variables fit words.
pub(crate) struct PackedMachine {
    pub(super) layout: FrameLayout,
    pub(super) variables: Vec<Packing>,
    /// Sets and pairs have room for the integers below it.
    pub(super) integers: u32,
    pub(super) operations: Vec<Option<PackedOperation>>,
    /// By operation: the part that has no packed form, for explanations.
    pub(super) unpacked: Vec<Option<Span>>,
    pub(super) invariant: Vec<Option<Pred>>,
    /// The assertions that are about states.
    pub(super) assertions: Vec<Option<Pred>>,
}

impl fmt::Debug for PackedMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedMachine").field("variables", &self.variables).finish_non_exhaustive()
    }
}

/// The plans of one operation.
pub(crate) struct OperationParts<'p> {
    pub(crate) name: &'p str,
    pub(crate) guard: &'p Search,
    pub(crate) body: &'p SubstPlan,
    pub(crate) parameters: &'p [Slot],
    pub(crate) results: &'p [Slot],
    /// Types of the parameters, then of the results.
    pub(crate) types: Vec<&'p Type>,
    /// Whether the body assigns no variable.
    pub(crate) is_query: bool,
}

impl PackedMachine {
    /// Packs what can be packed; `None` when some variable does not fit words. Sets and pairs have room for the integers `0..integers`.
    pub(crate) fn new(
        scope: &Scope,
        integers: u32,
        constant_types: &[&Type],
        variables: &[(&String, &Type)],
        operations: &[OperationParts<'_>],
        [invariant, assertions]: [&[&PredPlan]; 2],
        slots: usize,
    ) -> Option<Self> {
        // Without words for all variables there is no packed state: everything stays on the general tier.
        let variables = variable_packings(variables, scope, integers)?;
        let constants: Vec<Option<Packing>> = constant_types.iter().map(|ty| Packing::of(ty, scope, integers)).collect();
        let mut packer = Packer::new((scope, integers), constant_types, &constants, &variables, slots);
        // Before anything is compiled, because it is then that a read gets its check; a slot may be read in several operations.
        for operation in operations {
            operation.results.iter().for_each(|&slot| packer.places.check(slot));
            mark_checked(&mut packer.places, operation.body);
        }
        let packed = operations
            .iter()
            .map(|parts| whole(&mut packer, format_args!("operation {}", parts.name), |packer| packed_operation(packer, parts)));
        let (operations, unpacked) = packed.unzip();
        let mut conjuncts = |preds: &[&PredPlan], what: &str| -> Vec<Option<Pred>> {
            let packed =
                (1..).zip(preds).map(|(number, pred)| whole(&mut packer, format_args!("{what} {number}"), |packer| packer.pred(pred)).0);
            packed.collect()
        };
        // Conjunct by conjunct: those that fit are tested on words, and one that does not sends only new states to the general tier.
        let (invariant, assertions) = (conjuncts(invariant, "conjunct of the invariant"), conjuncts(assertions, "assertion"));
        // Last, when it is known how many words the operations need.
        let layout = FrameLayout::new(packer, constants, &variables);
        Some(Self { layout, variables, integers, operations, unpacked, invariant, assertions })
    }

    /// Whether all of these surely hold in a state.
    pub(super) fn hold(&self, preds: &[Option<Pred>], state: &mut PackedState, variables: &[u64]) -> bool {
        // A conjunct that is not packed, or bails out, does not certainly hold: the general tier examines the state.
        state.words.set(self.layout.state.start, variables);
        preds.iter().all(|pred| pred.as_ref().is_some_and(|pred| pred(&mut state.words) == Ok(true)))
    }

    /// Reports what is packed in the end.
    pub(crate) fn report(&self) {
        let (operations, conjuncts) = self.extent();
        tracing::debug!(target: TARGET, operations, of = self.operations.len(), conjuncts, "states are packed into words");
    }

    /// The numbers of packed operations, and of packed conjuncts of the invariant and assertions.
    pub(crate) fn extent(&self) -> (usize, usize) {
        (self.operations.iter().flatten().count(), self.invariant.iter().chain(&self.assertions).flatten().count())
    }
}

/// How the variables are packed; `None`, with a report of each that does not fit words, unless all do.
fn variable_packings(variables: &[(&String, &Type)], scope: &Scope, integers: u32) -> Option<Vec<Packing>> {
    let packings: Vec<Option<Packing>> = variables.iter().map(|(_, ty)| Packing::of(ty, scope, integers)).collect();
    for ((name, ty), _) in variables.iter().zip(&packings).filter(|(_, packing)| packing.is_none()) {
        tracing::debug!(target: TARGET, variable = %name, ?ty, integers, "not packed: the values do not fit words");
    }
    packings.into_iter().collect()
}

/// Packs an operation or conjunct as a whole; else reports, and returns, the part that has no packed form. There is no such part where
/// a parameter or result has a type that does not fit.
fn whole<T>(
    packer: &mut Packer<'_>,
    name: fmt::Arguments<'_>,
    pack: impl FnOnce(&mut Packer<'_>) -> Option<T>,
) -> (Option<T>, Option<Span>) {
    packer.unpacked = None;
    let packed = pack(packer);
    let integers = packer.types.integers;
    match packer.unpacked {
        _ if packed.is_some() => {}
        Some(Span { file, start, end }) => {
            let file = file.0;
            tracing::debug!(target: TARGET, integers, "{name} is not packed: bytes {start}..{end} of file {file} do not fit words");
        }
        None => tracing::debug!(target: TARGET, integers, "{name} is not packed: a parameter or result does not fit words"),
    }
    (packed, packer.unpacked)
}

fn packed_operation(packer: &mut Packer<'_>, parts: &OperationParts<'_>) -> Option<PackedOperation> {
    // First, so that parameters and results have words even if neither guard nor body mentions them: they are part of a step.
    for (&slot, ty) in parts.parameters.iter().chain(parts.results).zip(&parts.types) {
        let packing = packer.types.packing(ty)?;
        packer.places.hold(slot, &packing);
    }
    let parameters: Vec<(Slot, &Type)> = parts.parameters.iter().copied().zip(parts.types.iter().copied()).collect();
    Some(PackedOperation {
        guard: guard(packer, parts.guard, &parameters)?,
        body: packer.subst(behind_guards(parts.body))?,
        parameters: parts.parameters.iter().map(|&slot| packer.places.place(slot)).collect(),
        results: parts.results.iter().map(|&slot| packer.places.place(slot)).collect(),
        is_deterministic: is_deterministic(parts.body),
        is_query: parts.is_query,
    })
}

/// A body without the guards at its top: the search for the parameters visits only bindings that satisfy them.
fn behind_guards(plan: &SubstPlan) -> &SubstPlan {
    match &plan.kind {
        Kind::Pre { body, is_guard: true, .. } => behind_guards(body),
        Kind::Select(branches, None) => match branches.as_slice() {
            [(_, body)] => behind_guards(body),
            _ => plan,
        },
        _ => plan,
    }
}

/// Whether a substitution has at most one outcome, so that its steps need no comparison with each other.
fn is_deterministic(plan: &SubstPlan) -> bool {
    match &plan.kind {
        Kind::Skip | Kind::Cut(_) | Kind::Assign(_) | Kind::Follow(_) => true,
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
    /// Leaves all results without a value.
    pub(super) fn forget_results(&self, words: &mut Words) {
        for result in &self.results {
            words.defined[result.start] = false;
        }
    }

    /// Traps where a result has no value.
    #[inline]
    pub(super) fn check_results(&self, words: &Words) -> Result<(), BailOut> {
        let all_set = self.results.iter().all(|result| words.defined[result.start]);
        if all_set { Ok(()) } else { Err(BailOut::IllDefined) }
    }
}
