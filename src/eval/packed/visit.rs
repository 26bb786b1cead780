//! Running packed searches: every binding is visited once, action by action.
//!
//! Invariant: bindings are visited in the order of the general tier. An ill-defined test disables its binding in a guard, as there;
//! elsewhere it bails out, and the general tier decides by evaluating in source order. Deliberately elsewhere: how actions are compiled
//! (`search`), the orbits of parameters (`orbit`).

use super::branches::Branches;
use super::operand::{Operand, signed, unsigned};
use super::search::{PackedAction, PackedPattern, PackedRoots, PackedSearch, ParameterChoice};
use super::value::{Elements, PackedValue, Wide};
use super::{BailOut, Next, Words, wide_matrix};
use crate::run::frame::Flow;
use crate::run::roots::small_roots;
use crate::thresholds::{PACKED_CHOICE_BITS, PACKED_SUBSETS_BASE};
use bcheck_value::Element;
use std::ops::RangeInclusive;

/// How a search treats ill-definedness.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// It is left to the general tier, because the value of the search depends on it.
    Value,
    /// It continues and records the fact: a quantifier may still be false, or true, because of another binding.
    Note,
    /// It continues and records the fact: the binding is disabled.
    Guard,
}

impl PackedPattern {
    /// Whether a word matches; binds the places of the pattern.
    #[inline]
    fn matches(&self, words: &mut Words, word: u64) -> Result<bool, BailOut> {
        match self {
            PackedPattern::Slot(slot) => {
                words.slots[*slot] = word;
                Ok(true)
            }
            PackedPattern::Slots(first, second, columns) => {
                (words.slots[*first], words.slots[*second]) = columns.split(word);
                Ok(true)
            }
            PackedPattern::Pair(first, second, columns) => {
                let (row, column) = columns.split(word);
                Ok(first.matches(words, row)? && second.matches(words, column)?)
            }
            PackedPattern::Equal(operand) => Ok(operand.get(words)? == word),
        }
    }
}

impl PackedSearch {
    /// Visits every binding; bails out at ill-definedness.
    pub(super) fn run(&self, words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
        self.run_from(0, Mode::Value, words, next)
    }

    /// Visits every binding for a search around this one.
    pub(super) fn run_in(&self, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
        self.run_from(0, mode, words, next)
    }

    /// Visits every binding of a guard.
    pub(super) fn run_guard(&self, words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
        self.run_from(0, Mode::Guard, words, next)
    }

    /// Visits every binding, and returns whether anything was ill-defined.
    pub(super) fn run_noting(&self, words: &mut Words, next: Next<'_>) -> Result<bool, BailOut> {
        // The flag may be set already by the guard around this search, which must not count here.
        let outer = std::mem::replace(&mut words.ill_defined_guard, false);
        let run = self.run_from(0, Mode::Note, words, next);
        let noted = std::mem::replace(&mut words.ill_defined_guard, outer);
        run.map(|_| noted)
    }

    /// Runs the actions from an index on, and then the continuation of the search. The calls nest as the loops do, so a binding takes one
    /// call for each action that binds something, and none is stored.
    fn run_from(&self, mut at: usize, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
        // Consecutive tests are run in a loop: only an action that binds something needs a call for what follows it.
        while let Some(PackedAction::Test(pred)) = self.actions.get(at) {
            match pred(words) {
                Ok(true) => at += 1,
                Ok(false) => return Ok(Flow::Continue),
                // The test may come earlier here than in the source, where `x : dom(f)` protects `f(x) = y`. In source order the
                // conjunction is then false before the test is reached, or ill-defined: a guard disables its binding either way. Elsewhere
                // it makes a difference, which the general tier decides.
                Err(BailOut::IllDefined) if mode == Mode::Guard => return Ok(disabled(words)),
                Err(_) => return Err(BailOut::Left),
            }
        }
        let Some(action) = self.actions.get(at) else { return next(words) };
        match action {
            PackedAction::Test(_) => unreachable!("tests were passed above"),
            PackedAction::Bind(pattern, value) => {
                let matched = value.get(words).and_then(|value| pattern.matches(words, value));
                self.go_on(matched, at, mode, words, next)
            }
            PackedAction::BindSet(binding) => {
                let bound = binding.bind(words).map(|()| true);
                self.go_on(bound, at, mode, words, next)
            }
            PackedAction::Same(pred) => {
                let same = pred(words);
                self.go_on(same, at, mode, words, next)
            }
            PackedAction::EachInRow(pattern, set, row, columns) => {
                let elements = match set.elements(words) {
                    Err(bail_out) => return without_value(bail_out, mode, words),
                    Ok(elements) => elements,
                };
                // In the plan the row is part of a pattern, which is evaluated for each pair: over an empty relation never.
                match row.get(words) {
                    Ok(row) => self.each(pattern, elements.row(words, row, *columns), at, mode, words, next),
                    Err(_) if elements.is_empty(words) => Ok(Flow::Continue),
                    Err(bail_out) => self.go_on(Err(bail_out), at, mode, words, next),
                }
            }
            PackedAction::Each(pattern, set) => {
                let elements = match set.elements(words) {
                    Err(bail_out) => return without_value(bail_out, mode, words),
                    Ok(elements) => elements,
                };
                self.each(pattern, elements, at, mode, words, next)
            }
            // The elements of a subset have no order, and branches may bind anything: which swaps fix it is not known, so the following
            // choices are enumerated in full.
            PackedAction::EachSubset(own, set) => self.in_full(words, |words| self.each_subset(*own, set, at, mode, words, next)),
            PackedAction::EachOf(branches) => self.in_full(words, |words| self.each_of(branches, at, mode, words, next)),
            PackedAction::EachNumber(own, numbers) => self.each_number(*own, numbers.iter().copied(), at, mode, words, next),
            PackedAction::Range { at: own, lower, upper } => self.each_between(*own, (lower, upper), at, mode, words, next),
            PackedAction::Roots(roots) => self.each_root(roots, at, mode, words, next),
        }
    }

    /// Binds a name to each integer between bounds and runs the rest of the search.
    fn each_between(
        &self,
        own: usize,
        (lower, upper): (&[Operand], &[Operand]),
        at: usize,
        mode: Mode,
        words: &mut Words,
        next: Next<'_>,
    ) -> Result<Flow, BailOut> {
        match numbers_between(lower, upper, words) {
            Err(bail_out) => without_value(bail_out, mode, words),
            Ok(numbers)
                if mode == Mode::Guard
                    && numbers.end().abs_diff(*numbers.start()) > 1 << PACKED_CHOICE_BITS.get()
                    && self.takes_all(at + 1) =>
            {
                Err(BailOut::Left)
            }
            Ok(numbers) => self.each_number(own, numbers.map(unsigned), at, mode, words, next),
        }
    }

    /// Whether the actions from an index on reject nothing, so that each value chosen before yields a step.
    fn takes_all(&self, place: usize) -> bool {
        self.actions[place..].iter().all(|action| match action {
            PackedAction::Each(pattern, _) | PackedAction::EachInRow(pattern, ..) => {
                matches!(pattern, PackedPattern::Slot(_) | PackedPattern::Slots(..))
            }
            PackedAction::EachSubset(..) | PackedAction::Range { .. } | PackedAction::EachNumber(..) => true,
            _ => false,
        })
    }

    /// The largest base whose subsets are enumerated here.
    fn largest_base(&self, at: usize, mode: Mode) -> u32 {
        if mode == Mode::Guard && self.takes_all(at + 1) { PACKED_CHOICE_BITS.get() } else { PACKED_SUBSETS_BASE.get() }
    }

    /// Binds a name to each solution of an equation and runs the rest of the search.
    fn each_root(&self, roots: &PackedRoots, at: usize, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
        let sides = roots.value.get(words).and_then(|value| Ok((signed(value), signed(roots.factor.get(words)?))));
        match sides {
            Err(bail_out) => without_value(bail_out, mode, words),
            // Each number between the bounds may solve it.
            Ok((0, 0)) => self.each_between(roots.at, (&roots.lower, &roots.upper), at, mode, words, next),
            Ok((_, 0)) => Ok(Flow::Continue),
            Ok((value, factor)) => {
                let solutions = small_roots(value, factor, roots.exponent).ok_or(BailOut::Left)?;
                self.each_number(roots.at, solutions.into_iter().map(unsigned), at, mode, words, next)
            }
        }
    }

    /// Binds a name to each of these integers and runs the rest of the search.
    #[inline]
    fn each_number(
        &self,
        own: usize,
        numbers: impl Iterator<Item = u64>,
        at: usize,
        mode: Mode,
        words: &mut Words,
        next: Next<'_>,
    ) -> Result<Flow, BailOut> {
        // No parameter of an operation is reduced here: permutations of elements keep every integer.
        for number in numbers {
            words.tick()?;
            words.slots[own] = number;
            if self.run_from(at + 1, mode, words, next)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// Matches each of these numbers against a pattern and runs the rest of the search.
    #[inline]
    fn each(
        &self,
        pattern: &PackedPattern,
        mut elements: Elements,
        at: usize,
        mode: Mode,
        words: &mut Words,
        next: Next<'_>,
    ) -> Result<Flow, BailOut> {
        // Only the guard of an operation has choices: searches inside its tests, which bind no parameter, enumerate in full.
        let has_orbits = words.orbits.is_on && !self.choices.is_empty();
        if let (PackedPattern::Slot(_) | PackedPattern::Slots(..), false) = (pattern, has_orbits) {
            // The usual case: the pattern always matches and every binding is run. Behind the last action there is nothing to look
            // up, and the last two actions together may be a product.
            let is_last = at + 1 == self.actions.len();
            if let (PackedPattern::Slot(outer), true) = (pattern, self.ends_in_product && at + 2 == self.actions.len()) {
                return self.product(*outer, elements, mode, words, next);
            }
            while let Some(element) = elements.next(words) {
                words.tick()?;
                match pattern {
                    PackedPattern::Slots(first, second, columns) => {
                        (words.slots[*first], words.slots[*second]) = columns.split(element);
                    }
                    PackedPattern::Slot(own) => words.slots[*own] = element,
                    PackedPattern::Pair(..) | PackedPattern::Equal(_) => unreachable!("only patterns that always match"),
                }
                let flow = if is_last { next(words)? } else { self.run_from(at + 1, mode, words, next)? };
                if flow == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            return Ok(Flow::Continue);
        }
        while let Some(element) = elements.next(words) {
            words.tick()?;
            let matched = pattern.matches(words, element);
            if has_orbits && matched == Ok(true) {
                // The mark undoes all choices made below, and those of a pair whose second part was rejected: the next element is compared
                // under the group that fixes only the names bound before this action.
                let mark = words.orbits.mark();
                let flow = if self.choose(at, words) { self.run_from(at + 1, mode, words, next) } else { Ok(Flow::Continue) };
                words.orbits.go_back(mark);
                if flow? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                continue;
            }
            if self.go_on(matched, at, mode, words, next)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// The last two actions in one: for each of these numbers, written to a place, the elements of a set that does not depend on it,
    /// or of the row of a relation that belongs to it.
    fn product(&self, outer: usize, mut elements: Elements, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
        let (inner, set, columns) = match self.actions.last() {
            Some(PackedAction::Each(PackedPattern::Slot(inner), set)) => (*inner, set, None),
            Some(PackedAction::EachInRow(PackedPattern::Slot(inner), set, _, columns)) => (*inner, set, Some(*columns)),
            _ => unreachable!("a product ends in a loop over the values of a name"),
        };
        // Evaluated at the first element, and cached: without any element the inner set, which may be ill-defined, is not evaluated in the
        // general tier either. Its words stay in place, because the body undoes its writes.
        let mut all = None;
        while let Some(element) = elements.next(words) {
            words.slots[outer] = element;
            let all = match all {
                Some(all) => all,
                None => match set.elements(words) {
                    Err(bail_out) => return without_value(bail_out, mode, words),
                    Ok(set) => *all.insert(set),
                },
            };
            let mut own = columns.map_or(all, |columns| all.row(words, element, columns));
            while let Some(second) = own.next(words) {
                words.tick()?;
                words.slots[inner] = second;
                if next(words)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        Ok(Flow::Continue)
    }

    fn each_of(&self, branches: &Branches, at: usize, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
        let values = branches.values(mode, words)?;
        let mut number = 0;
        while branches.bind(&values, number, words) {
            words.tick()?;
            if self.run_from(at + 1, mode, words, next)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            number += 1;
        }
        Ok(Flow::Continue)
    }

    /// Runs the rest of a search without orbits of parameters: every further binding is run, with the weight of the choices before it.
    fn in_full(&self, words: &mut Words, run: impl FnOnce(&mut Words) -> Result<Flow, BailOut>) -> Result<Flow, BailOut> {
        let mark = words.orbits.mark();
        // Searches inside the tests of a guard do not affect the orbits: their bindings are not arguments.
        if !self.choices.is_empty() {
            words.orbits.switch_off();
        }
        let flow = run(words);
        words.orbits.go_back(mark);
        flow
    }

    /// Visits the subsets of a set, the empty one first, in the order of their masks, as the general tier does.
    fn each_subset(
        &self,
        own: usize,
        set: &PackedValue,
        at: usize,
        mode: Mode,
        words: &mut Words,
        next: Next<'_>,
    ) -> Result<Flow, BailOut> {
        match set {
            PackedValue::Word(set) => {
                let set = match set.get(words) {
                    Err(bail_out) => return without_value(bail_out, mode, words),
                    Ok(set) => set,
                };
                if set.count_ones() > self.largest_base(at, mode) {
                    return Err(BailOut::Left);
                }
                let mut subset = 0u64;
                loop {
                    words.tick()?;
                    words.slots[own] = subset;
                    if self.run_from(at + 1, mode, words, next)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                    // The carry rippler: subtracting the set adds its complement and 1. The bits outside are then all ones and propagate
                    // the carry, so the bits inside count by themselves, and return to 0 after the whole set.
                    subset = subset.wrapping_sub(set) & set;
                    if subset == 0 {
                        return Ok(Flow::Continue);
                    }
                }
            }
            PackedValue::Wide(set) => {
                match set.evaluate(words) {
                    Err(BailOut::IllDefined) if mode != Mode::Value => return Ok(disabled(words)),
                    evaluated => evaluated?,
                }
                if wide_matrix::count(set.read(words)) > self.largest_base(at, mode) {
                    return Err(BailOut::Left);
                }
                words.slots[own..own + set.range().len()].fill(0);
                loop {
                    words.tick()?;
                    if self.run_from(at + 1, mode, words, next)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                    if !next_subset(words, own, set) {
                        return Ok(Flow::Continue);
                    }
                }
            }
        }
    }

    /// Whether one binding of the parameters can represent others.
    pub(super) fn has_choices(&self) -> bool {
        !self.choices.is_empty()
    }

    /// Records the new bindings of an action as a choice from orbits; false when another binding represents it.
    fn choose(&self, at: usize, words: &mut Words) -> bool {
        match &self.choices[at] {
            ParameterChoice::Nothing => true,
            // Part by part: the orbit of the second part of a pair is one under the swaps that keep the first. After a rejected second
            // part the first stays bound until the caller goes back.
            ParameterChoice::Elements(elements) => elements.iter().all(|&(set, place)| {
                let index = u32::try_from(words.slots[place]).expect("a place of an element holds its index");
                words.orbits.choose(Element { set, index })
            }),
            // A movable value whose orbit is not known, such as a tuple: earlier choices retain their weight, the following ones are
            // enumerated in full.
            ParameterChoice::Other => {
                words.orbits.switch_off();
                true
            }
        }
    }

    /// Runs the rest of the search after a match; an ill-defined one is treated as the mode demands.
    fn go_on(&self, matched: Result<bool, BailOut>, at: usize, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, BailOut> {
        match matched {
            Ok(true) => self.run_from(at + 1, mode, words, next),
            Ok(false) => Ok(Flow::Continue),
            Err(bail_out) => without_value(bail_out, mode, words),
        }
    }
}

/// Replaces a subset of a set by the next larger one; false after the last.
fn next_subset(words: &mut Words, own: usize, set: &Wide) -> bool {
    let (mut borrow, mut any) = (false, false);
    // The carry rippler on several words, lowest first. The borrow is that of the difference before it is masked; at most one of the two
    // subtractions underflows.
    for (at, base) in (own..).zip(set.range()) {
        let base = words.slots[base];
        let (less, first) = words.slots[at].overflowing_sub(base);
        let (less, second) = less.overflowing_sub(u64::from(borrow));
        borrow = first || second;
        words.slots[at] = less & base;
        any |= words.slots[at] != 0;
    }
    any
}

/// Skips the current binding and records that it was ill-defined.
fn disabled(words: &mut Words) -> Flow {
    words.ill_defined_guard = true;
    Flow::Continue
}

/// Treats an action whose expressions have no value according to the mode. It yields no binding, but whether that is an error depends on
/// the other conjuncts: one that is false wins.
fn without_value(bail_out: BailOut, mode: Mode, words: &mut Words) -> Result<Flow, BailOut> {
    match (bail_out, mode) {
        // Where the answer depends on it, the general tier finds out whether it is an error.
        (BailOut::IllDefined, Mode::Guard | Mode::Note) | (BailOut::IllDefinedTest, Mode::Guard) => Ok(disabled(words)),
        _ => Err(BailOut::Left),
    }
}

/// The integers between the tightest of some bounds; bails out where there are more than this tier enumerates.
fn numbers_between(lower: &[Operand], upper: &[Operand], words: &mut Words) -> Result<RangeInclusive<i64>, BailOut> {
    let (low, high) = (bound(lower, words, i64::max)?, bound(upper, words, i64::min)?);
    // The general tier has a limit of its own, and a message for it. A difference that overflows is beyond any limit; bounds that cross are
    // an empty range, however far apart.
    if high.checked_sub(low).is_none_or(|count| count > 1 << 30) && low <= high {
        return Err(BailOut::Left);
    }
    Ok(low..=high)
}

/// The tightest of several bounds; all of them are evaluated, because each may be ill-defined.
fn bound(bounds: &[Operand], words: &mut Words, pick: fn(i64, i64) -> i64) -> Result<i64, BailOut> {
    let mut best: Option<i64> = None;
    for bound in bounds {
        let value = signed(bound.get(words)?);
        best = Some(best.map_or(value, |best| pick(best, value)));
    }
    Ok(best.expect("a range has bounds on both sides"))
}
