//! WHILE over words: a work list of the contents of the written slots between two iterations, as in the general tier.
//!
//! Invariant: a loop that violates its invariant or variant bails out; the general tier reports it. Loops end, because the variant is a
//! natural number that decreases. Deliberately elsewhere: the body (`substitution`).

use super::operand::{Operand, signed};
use super::substitution::PackedSubst;
use super::{BailOut, Next, Packer, Pred, Words};
use crate::plan::WhilePlan;
use crate::run::frame::Flow;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::ops::Range;

/// A packed loop.
pub(super) struct PackedLoop {
    condition: Pred,
    body: PackedSubst,
    invariant: Pred,
    variant: Operand,
    /// Variables, and the places that store their values at the start of the loop, for `x$0`.
    saved: Vec<(Range<usize>, usize)>,
    /// The words of the slots that the body may write.
    writes: Vec<Range<usize>>,
}

/// The words of the slots that the body may write, then one word that has a bit for each slot that is defined.
type Contents = SmallVec<[u64; 8]>;

/// The distinct contents after the same number of iterations, each with the variant before the last of them, in the order found.
type LoopStates = IndexSet<(Contents, Option<i64>), FxBuildHasher>;

pub(super) fn packed_loop(packer: &mut Packer<'_>, plan: &WhilePlan) -> Option<PackedLoop> {
    for &(variable, kept) in &plan.saved {
        let packing = packer.places.held(variable)?.clone();
        packer.places.hold(kept, &packing);
    }
    // First the body, which allocates the words of its locals.
    let body = packer.subst(&plan.body)?;
    let writes: Vec<Range<usize>> = plan.writes.iter().map(|&slot| packer.places.place(slot)).collect();
    // Contents have one word for definedness.
    if writes.len() > 64 {
        return None;
    }
    Some(PackedLoop {
        condition: packer.pred(&plan.condition)?,
        body,
        invariant: packer.pred(&plan.invariant)?,
        variant: packer.scalar(&plan.variant)?,
        saved: plan.saved.iter().map(|&(variable, kept)| (packer.places.place(variable), packer.places.place(kept).start)).collect(),
        writes,
    })
}

impl PackedLoop {
    /// Runs a loop whose body may have several outcomes: all ends of the loop are found before the first is continued from.
    pub(super) fn exec(&self, words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
        // `next` explores the rest of the operation from each final state in turn, and the caller then continues with its own alternatives:
        // both must find the frame as they left it.
        let before = self.contents(words);
        for (variable, kept) in &self.saved {
            words.copy(variable.start, *kept, variable.len());
        }
        let mut flow = Flow::Continue;
        // Collected first, since `next` may assign the very slots that the iterations are about to read.
        for result in self.results(before.clone(), words)? {
            self.restore(&result, words);
            flow = next(words)?;
            if flow == Flow::Stop {
                break;
            }
        }
        self.restore(&before, words);
        Ok(flow)
    }

    /// Runs a loop whose body has at most one outcome; false when it has none.
    pub(super) fn apply(&self, words: &mut Words) -> Result<bool, BailOut> {
        for (variable, kept) in &self.saved {
            words.copy(variable.start, *kept, variable.len());
        }
        // No contents are collected: with one outcome per iteration the loop is a loop, and its variant ends it.
        let mut previous = None;
        loop {
            words.tick()?;
            if !(self.invariant)(words)? {
                return Err(BailOut::IllDefined);
            }
            if !(self.condition)(words)? {
                return Ok(true);
            }
            let variant = signed(self.variant.get(words)?);
            if variant < 0 || previous.is_some_and(|previous| variant >= previous) {
                return Err(BailOut::IllDefined);
            }
            previous = Some(variant);
            if !self.body.apply(words)? {
                return Ok(false);
            }
        }
    }

    /// The distinct contents in which the loop can end: breadth first by iterations, so that the depth of a loop costs no stack.
    fn results(&self, start: Contents, words: &mut Words) -> Result<IndexSet<Contents, FxBuildHasher>, BailOut> {
        let mut results: IndexSet<Contents, FxBuildHasher> = IndexSet::default();
        let (mut level, mut following) = (LoopStates::default(), LoopStates::default());
        level.insert((start, None));
        while !level.is_empty() {
            for (contents, previous) in level.drain(..) {
                words.tick()?;
                self.restore(&contents, words);
                if !(self.invariant)(words)? {
                    return Err(BailOut::IllDefined);
                }
                if !(self.condition)(words)? {
                    results.insert(contents);
                    continue;
                }
                let variant = signed(self.variant.get(words)?);
                if variant < 0 || previous.is_some_and(|previous| variant >= previous) {
                    return Err(BailOut::IllDefined);
                }
                // Equal contents that were reached with different variants are distinguished: each has its own bound to stay below.
                self.body.exec(words, &mut |words| {
                    following.insert((self.contents(words), Some(variant)));
                    Ok(Flow::Continue)
                })?;
            }
            std::mem::swap(&mut level, &mut following);
        }
        Ok(results)
    }

    /// The contents of the written slots.
    fn contents(&self, words: &Words) -> Contents {
        let mut contents: Contents = self.writes.iter().flat_map(|place| &words.slots[place.clone()]).copied().collect();
        // From the last slot to the first, so that the first one has the lowest bit, as `restore` reads them.
        contents.push(self.writes.iter().rev().fold(0, |defined, place| defined << 1 | u64::from(words.defined[place.start])));
        contents
    }

    /// Puts contents back into the written slots.
    fn restore(&self, contents: &Contents, words: &mut Words) {
        let (mut rest, mut defined) = (contents.as_slice(), contents[contents.len() - 1]);
        for place in &self.writes {
            let (own, others) = rest.split_at(place.len());
            words.slots[place.clone()].copy_from_slice(own);
            words.defined[place.start] = defined & 1 == 1;
            (rest, defined) = (others, defined >> 1);
        }
    }
}
