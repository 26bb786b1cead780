//! Substitutions over words.
//!
//! A substitution runs in one of two forms. `exec` backtracks over all choices and calls a continuation in each outcome; `apply` is for
//! bodies with at most one outcome, and leaves it in the frame.
//! Invariant: as in the general tier, slots assigned by `exec` have their previous contents when it returns. Any ill-definedness of a body
//! bails out: the general tier finds out which of the other choices remain.

use super::comprehension::Components;
use super::operand::Operand;
use super::places::Places;
use super::search::PackedSearch;
use super::value::{Move, PackedBinding, PackedValue, assignment, packed_bindings, packed_operand};
use super::while_loop::{PackedLoop, packed_loop};
use super::{BailOut, Next, Packer, Pred, Words};
use crate::plan::{ExprPlan, PredPlan, Slot, SubstPlan, SubstPlanKind};
use crate::run::frame::Flow;
use bcheck_value::packing::{Packing, Universe};
use smallvec::SmallVec;

/// A packed substitution.
pub(super) enum PackedSubst {
    Skip,
    /// The usual case: one target of one word.
    Assign1(usize, Operand),
    /// All values are computed into separate places, then moved to their targets.
    Assign(Vec<PackedBinding>, Vec<Move>),
    /// The element is taken apart, then the parts are moved to their targets.
    BecomesIn(PackedValue, Components, Vec<Move>),
    BecomesSuchThat(PackedSearch, Vec<Move>),
    Parallel(Vec<Part>),
    Sequence(Vec<PackedSubst>),
    Pre {
        pred: Pred,
        body: Box<PackedSubst>,
        is_guard: bool,
    },
    Choice(Vec<PackedSubst>),
    If(Vec<(Pred, PackedSubst)>, Option<Box<PackedSubst>>),
    Select(Vec<(Pred, PackedSubst)>, Option<Box<PackedSubst>>),
    Any(PackedSearch, Box<PackedSubst>),
    Let(Vec<PackedBinding>, Box<PackedSubst>),
    /// The places of locals that have no value at first.
    Var(Vec<usize>, Box<PackedSubst>),
    While(Box<PackedLoop>),
}

/// A part of a parallel substitution, and the targets that it may write.
pub(super) struct Part {
    body: PackedSubst,
    writes: Vec<Written>,
}

/// A target that a part of a parallel substitution may write.
#[derive(Clone, Copy)]
struct Written {
    to: usize,
    words: usize,
    /// Places that store its contents before and after the part; no other part uses them.
    before: usize,
    after: usize,
}

impl Written {
    /// Whether the part has changed the target. One that it left alone, or gave its old value, is free for other parts.
    #[inline(always)]
    fn has_changed(&self, words: &Words) -> bool {
        words.defined[self.after] && !words.same(self.before, self.after, self.words)
    }
}

/// Marks the slots of VAR locals, which may be read before they are assigned.
pub(super) fn mark_checked(places: &mut Places, plan: &SubstPlan) {
    match &plan.kind {
        SubstPlanKind::Var(slots, body) => {
            slots.iter().for_each(|&slot| places.check(slot));
            mark_checked(places, body);
        }
        SubstPlanKind::Skip
        | SubstPlanKind::Cut(_)
        | SubstPlanKind::Assign(_)
        | SubstPlanKind::BecomesIn(..)
        | SubstPlanKind::BecomesSuchThat(..) => {}
        SubstPlanKind::Parallel(parts) => parts.iter().for_each(|(part, _)| mark_checked(places, part)),
        SubstPlanKind::Sequence(parts) | SubstPlanKind::Choice(parts) => parts.iter().for_each(|part| mark_checked(places, part)),
        SubstPlanKind::Pre { body, .. } | SubstPlanKind::Assert(_, body) | SubstPlanKind::Any(_, body) | SubstPlanKind::Let(_, body) => {
            mark_checked(places, body)
        }
        SubstPlanKind::If(branches, otherwise) | SubstPlanKind::Select(branches, otherwise) => {
            branches.iter().for_each(|(_, body)| mark_checked(places, body));
            if let Some(body) = otherwise {
                mark_checked(places, body);
            }
        }
        SubstPlanKind::While(plan) => mark_checked(places, &plan.body),
        // Not packed.
        SubstPlanKind::Follow(_) => {}
    }
}

pub(super) fn subst(packer: &mut Packer<'_>, plan: &SubstPlan) -> Option<PackedSubst> {
    Some(match &plan.kind {
        SubstPlanKind::Skip | SubstPlanKind::Cut(_) => PackedSubst::Skip,
        SubstPlanKind::Assign(assignments) => assign(packer, assignments)?,
        SubstPlanKind::BecomesIn(slots, set, _) => {
            let (set, universe) = packer.mask(set)?;
            let components = components_of(slots.len(), &universe)?;
            // An element is split into staging places before any target is written, so all targets change together.
            let (staged, moves): (Vec<usize>, Vec<Move>) =
                slots.iter().zip(components).map(|(&slot, universe)| word_move(&mut packer.places, slot, universe)).unzip();
            PackedSubst::BecomesIn(set, Components::of(&staged, &universe)?, moves)
        }
        SubstPlanKind::BecomesSuchThat(targets, search) => {
            let search = packer.search(search)?;
            let moves = targets.iter().map(|&(target, local)| {
                let packing = packer.places.held(local)?.clone();
                let words = packing.words();
                Some(Move {
                    from: packer.places.hold(local, &packing),
                    to: packer.places.hold(target, &packing),
                    saved: packer.places.take(words),
                    words,
                })
            });
            PackedSubst::BecomesSuchThat(search, moves.collect::<Option<_>>()?)
        }
        SubstPlanKind::Parallel(parts) => {
            PackedSubst::Parallel(parts.iter().map(|(part, writes)| packed_part(packer, part, writes)).collect::<Option<_>>()?)
        }
        SubstPlanKind::Sequence(parts) => PackedSubst::Sequence(packed_substs(packer, parts)?),
        SubstPlanKind::Pre { pred, body, is_guard } => {
            PackedSubst::Pre { pred: packer.pred(pred)?, body: Box::new(packer.subst(body)?), is_guard: *is_guard }
        }
        SubstPlanKind::Assert(pred, body) => {
            PackedSubst::Pre { pred: packer.pred(pred)?, body: Box::new(packer.subst(body)?), is_guard: false }
        }
        SubstPlanKind::Choice(parts) => PackedSubst::Choice(packed_substs(packer, parts)?),
        SubstPlanKind::If(branches, otherwise) => {
            PackedSubst::If(packed_branches(packer, branches)?, optional(packer, otherwise.as_deref())?)
        }
        SubstPlanKind::Select(branches, otherwise) => {
            PackedSubst::Select(packed_branches(packer, branches)?, optional(packer, otherwise.as_deref())?)
        }
        SubstPlanKind::Any(search, body) => PackedSubst::Any(packer.search(search)?, Box::new(packer.subst(body)?)),
        SubstPlanKind::Let(bindings, body) => PackedSubst::Let(packed_bindings(packer, bindings)?, Box::new(packer.subst(body)?)),
        SubstPlanKind::Var(slots, body) => {
            let body = packer.subst(body)?;
            // A local that the body neither reads nor writes has no words.
            let met = slots.iter().filter(|&&slot| packer.places.held(slot).is_some());
            PackedSubst::Var(met.map(|&slot| packer.places.place(slot).start).collect(), Box::new(body))
        }
        SubstPlanKind::While(plan) => PackedSubst::While(Box::new(packed_loop(packer, plan)?)),
        SubstPlanKind::Follow(_) => return None,
    })
}

fn assign(packer: &mut Packer<'_>, assignments: &[(Slot, ExprPlan)]) -> Option<PackedSubst> {
    if let [(slot, value)] = assignments
        && let Some(packing) = packer.types.packing(&value.ty).filter(|packing| packing.words() == 1)
    {
        let value = packed_operand(packer, value)?;
        return Some(PackedSubst::Assign1(packer.places.hold(*slot, &packing), value));
    }
    let (bindings, moves): (Vec<PackedBinding>, Vec<Move>) =
        assignments.iter().map(|(slot, value)| assignment(packer, *slot, value)).collect::<Option<Vec<_>>>()?.into_iter().unzip();
    Some(PackedSubst::Assign(bindings, moves))
}

/// A place for the new value of a target of one word, and the move from there to the target.
fn word_move(places: &mut Places, slot: Slot, universe: &Universe) -> (usize, Move) {
    let (from, saved) = (places.take(1), places.take(1));
    (from, Move { from, to: places.hold(slot, &Packing::Index(universe.clone())), saved, words: 1 })
}

fn packed_part(packer: &mut Packer<'_>, part: &SubstPlan, writes: &[Slot]) -> Option<Part> {
    // First the body, which allocates the words of its targets.
    let body = packer.subst(part)?;
    let writes = writes.iter().map(|&slot| {
        let place = packer.places.place(slot);
        Written { to: place.start, words: place.len(), before: packer.places.take(place.len()), after: packer.places.take(place.len()) }
    });
    Some(Part { body, writes: writes.collect() })
}

fn packed_substs(packer: &mut Packer<'_>, plans: &[SubstPlan]) -> Option<Vec<PackedSubst>> {
    plans.iter().map(|plan| packer.subst(plan)).collect()
}

fn packed_branches(packer: &mut Packer<'_>, branches: &[(PredPlan, SubstPlan)]) -> Option<Vec<(Pred, PackedSubst)>> {
    branches.iter().map(|(pred, body)| Some((packer.pred(pred)?, packer.subst(body)?))).collect()
}

#[allow(clippy::option_option, reason = "no branch, or a branch that cannot be packed")]
fn optional(packer: &mut Packer<'_>, plan: Option<&SubstPlan>) -> Option<Option<Box<PackedSubst>>> {
    match plan {
        None => Some(None),
        Some(plan) => packer.subst(plan).map(|plan| Some(Box::new(plan))),
    }
}

/// The universes of the components of a left-nested tuple.
fn components_of(parts: usize, universe: &Universe) -> Option<Vec<&Universe>> {
    if parts == 1 {
        return Some(vec![universe]);
    }
    let (front, last) = universe.rows_and_columns()?;
    let mut components = components_of(parts - 1, front)?;
    components.push(last);
    Some(components)
}

impl PackedSubst {
    /// Runs a substitution, in continuation-passing style: `next` is called with each outcome in the frame. Afterwards assignments are
    /// undone, so that the next choice starts from the same state. A bail-out, which ends the run, may leave some behind.
    // A list: an arm for each substitution. The twin of `apply`, with a continuation: as one function over both forms, each would pay for
    // the other, and bodies with one outcome, the usual ones, measurably so.
    pub(super) fn exec(&self, words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
        match self {
            PackedSubst::Skip => next(words),
            PackedSubst::Assign1(slot, value) => {
                let value = value.get(words)?;
                let before = (words.slots[*slot], words.defined[*slot]);
                (words.slots[*slot], words.defined[*slot]) = (value, true);
                let flow = next(words);
                (words.slots[*slot], words.defined[*slot]) = before;
                flow
            }
            PackedSubst::Assign(values, moves) => {
                values.iter().try_for_each(|value| value.bind(words))?;
                moved(moves, words, next)
            }
            PackedSubst::BecomesIn(set, components, moves) => {
                // The elements are read from the frame while `next` runs. That is sound even where the set is a variable that `next`
                // assigns, as in `x :: s ; s := {}`: its words are restored when the next element is taken.
                let mut elements = set.elements(words)?;
                while let Some(element) = elements.next(words) {
                    words.tick()?;
                    components.bind(words, element);
                    if moved(moves, words, next)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Continue)
            }
            PackedSubst::BecomesSuchThat(search, moves) => search.run_guard(words, &mut |words| moved(moves, words, next)),
            PackedSubst::Parallel(parts) => parallel(parts, &mut SmallVec::new(), words, next),
            // The rest of the sequence is the continuation of its first part, so choices nest without an explicit stack.
            PackedSubst::Sequence(parts) => sequence(parts, words, next),
            PackedSubst::Pre { pred, body, is_guard } => match pred(words) {
                Ok(true) => body.exec(words, next),
                Ok(false) if *is_guard => Ok(Flow::Continue),
                // A called operation's precondition or an ASSERT is violated: a finding, which the general tier reports.
                Ok(false) => Err(BailOut::IllDefined),
                Err(bail_out) => guard_bail_out(*is_guard, bail_out, words),
            },
            PackedSubst::Choice(parts) => {
                for part in parts {
                    if part.exec(words, next)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Continue)
            }
            PackedSubst::If(branches, otherwise) => {
                for (pred, body) in branches {
                    if pred(words)? {
                        return body.exec(words, next);
                    }
                }
                match otherwise {
                    Some(body) => body.exec(words, next),
                    None => next(words),
                }
            }
            PackedSubst::Select(branches, otherwise) => {
                // Whether a guard holds, even if its branch has no outcome: ELSE is for states in which none holds.
                let mut any = false;
                for (pred, body) in branches {
                    let holds = match pred(words) {
                        Err(BailOut::IllDefined) => {
                            words.ill_defined_guard = true;
                            false
                        }
                        holds => holds?,
                    };
                    if holds {
                        any = true;
                        if body.exec(words, next)? == Flow::Stop {
                            return Ok(Flow::Stop);
                        }
                    }
                }
                match otherwise {
                    Some(body) if !any => body.exec(words, next),
                    _ => Ok(Flow::Continue),
                }
            }
            PackedSubst::Any(search, body) => search.run_guard(words, &mut |words| body.exec(words, next)),
            PackedSubst::Let(bindings, body) => {
                bindings.iter().try_for_each(|binding| binding.bind(words))?;
                body.exec(words, next)
            }
            PackedSubst::Var(slots, body) => {
                // Not undone: nothing outside the block reads its locals, and the next run of it begins here again.
                for &slot in slots {
                    words.defined[slot] = false;
                }
                body.exec(words, next)
            }
            PackedSubst::While(plan) => plan.exec(words, next),
        }
    }

    /// Runs a substitution with at most one outcome, whose writes stay; false when it has none.
    ///
    /// The direct form of [`Self::exec`]: nothing is saved for a next choice and no continuation is called, so a run takes no more calls
    /// than the substitution has parts. The caller restores the state, also after false, when some writes may have happened.
    // A list, as `exec`: see there why there are two.
    pub(super) fn apply(&self, words: &mut Words) -> Result<bool, BailOut> {
        match self {
            PackedSubst::Skip => {}
            PackedSubst::Assign1(slot, value) => {
                words.slots[*slot] = value.get(words)?;
                words.defined[*slot] = true;
            }
            PackedSubst::Assign(values, moves) => {
                values.iter().try_for_each(|value| value.bind(words))?;
                for one in moves {
                    words.copy(one.from, one.to, one.words);
                    words.defined[one.to] = true;
                }
            }
            PackedSubst::Parallel(parts) => return apply_side_by_side(parts, words),
            PackedSubst::Sequence(parts) => {
                for part in parts {
                    if !part.apply(words)? {
                        return Ok(false);
                    }
                }
            }
            PackedSubst::Pre { pred, body, is_guard } => {
                return match pred(words) {
                    Ok(true) => body.apply(words),
                    Ok(false) if *is_guard => Ok(false),
                    Ok(false) => Err(BailOut::IllDefined),
                    Err(bail_out) => guard_bail_out(*is_guard, bail_out, words).map(|_| false),
                };
            }
            PackedSubst::If(branches, otherwise) => {
                for (pred, body) in branches {
                    if pred(words)? {
                        return body.apply(words);
                    }
                }
                return otherwise.as_ref().map_or(Ok(true), |body| body.apply(words));
            }
            PackedSubst::Select(branches, otherwise) => {
                // There is one branch only (`is_deterministic`), so none after it can hold as well.
                for (pred, body) in branches {
                    match pred(words) {
                        Ok(true) => return body.apply(words),
                        Ok(false) => {}
                        Err(bail_out) => _ = guard_bail_out(true, bail_out, words)?,
                    }
                }
                return otherwise.as_ref().map_or(Ok(false), |body| body.apply(words));
            }
            PackedSubst::Let(bindings, body) => {
                bindings.iter().try_for_each(|binding| binding.bind(words))?;
                return body.apply(words);
            }
            PackedSubst::Var(slots, body) => {
                for &slot in slots {
                    words.defined[slot] = false;
                }
                return body.apply(words);
            }
            PackedSubst::While(plan) => return plan.apply(words),
            PackedSubst::BecomesIn(..) | PackedSubst::BecomesSuchThat(..) | PackedSubst::Choice(_) | PackedSubst::Any(..) => {
                unreachable!("only what leads to at most one state is applied")
            }
        }
        Ok(true)
    }
}

/// Disables a choice whose guard is ill-defined; propagates other bail-outs.
fn guard_bail_out(is_guard: bool, bail_out: BailOut, words: &mut Words) -> Result<Flow, BailOut> {
    if is_guard && bail_out == BailOut::IllDefined {
        words.ill_defined_guard = true;
        return Ok(Flow::Continue);
    }
    Err(bail_out)
}

/// Continues with the new values in their targets, and puts the old ones back.
fn moved(moves: &[Move], words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
    // `copy` also copies whether a target is defined: a local that had no value before has none afterwards.
    for one in moves {
        words.copy(one.to, one.saved, one.words);
    }
    for one in moves {
        words.copy(one.from, one.to, one.words);
        words.defined[one.to] = true;
    }
    let flow = next(words);
    for one in moves {
        words.copy(one.saved, one.to, one.words);
    }
    flow
}

fn sequence(parts: &[PackedSubst], words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
    match parts.split_first() {
        None => next(words),
        Some((first, rest)) => first.exec(words, &mut |words| sequence(rest, words, next)),
    }
}

/// Runs parts with at most one outcome each: all from the same state, then their changes are written.
fn apply_side_by_side(parts: &[Part], words: &mut Words) -> Result<bool, BailOut> {
    // At the start of each part all targets hold what they held at the start of the first: `x := y || y := x` swaps.
    for part in parts {
        for write in &part.writes {
            words.copy(write.to, write.before, write.words);
        }
        let is_feasible = part.body.apply(words)?;
        for write in &part.writes {
            words.copy(write.to, write.after, write.words);
            words.copy(write.before, write.to, write.words);
        }
        if !is_feasible {
            return Ok(false);
        }
    }
    // Each pair of parts is compared once, at the later one. Where both changed a target and agree, the write is only repeated.
    for (number, part) in parts.iter().enumerate() {
        for write in &part.writes {
            if !write.has_changed(words) {
                continue;
            }
            let mut others = parts[..number].iter().flat_map(|part| &part.writes);
            if others.any(|other| other.to == write.to && other.has_changed(words) && !words.same(other.after, write.after, write.words)) {
                return Err(BailOut::IllDefined);
            }
            words.copy(write.after, write.to, write.words);
        }
    }
    Ok(true)
}

/// Runs the remaining parts from the same state as those before, whose changes are collected, and continues with all changes made.
///
/// Invariant: whenever a part starts, all targets of all parts have their contents from the start of the whole; `changes` has each target
/// that an earlier part changed once, with the place of its new value. The parts are nested, each within the continuation of the one
/// before, so all combinations of their choices occur, those of the last part varying fastest.
fn parallel(parts: &[Part], changes: &mut SmallVec<[Written; 8]>, words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
    let Some((part, rest)) = parts.split_first() else {
        // `before` was saved when the target held what it does now, so it serves to undo.
        for change in changes.iter() {
            words.copy(change.after, change.to, change.words);
        }
        let flow = next(words);
        for change in changes.iter() {
            words.copy(change.before, change.to, change.words);
        }
        return flow;
    };
    // Once for all choices of the part, since it starts from the same state with each.
    for write in &part.writes {
        words.copy(write.to, write.before, write.words);
    }
    part.body.exec(words, &mut |words| {
        let mark = changes.len();
        let mut clash = false;
        // Keep what the part wrote, and hide it from the parts to come.
        for write in &part.writes {
            words.copy(write.to, write.after, write.words);
            words.copy(write.before, write.to, write.words);
            if !write.has_changed(words) {
                continue;
            }
            match changes.iter().find(|change| change.to == write.to) {
                Some(other) => clash |= !words.same(other.after, write.after, write.words),
                None => changes.push(*write),
            }
        }
        // Two values for one variable: `||` has no meaning then.
        let flow = if clash { Err(BailOut::IllDefined) } else { parallel(rest, changes, words, next) };
        changes.truncate(mark);
        // The part is still running: it reads, and undoes when it returns, its own writes.
        for write in &part.writes {
            words.copy(write.after, write.to, write.words);
        }
        flow
    })
}
