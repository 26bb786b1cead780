//! Searches over words: the actions of a plan, in its order.
//!
//! Invariant: bindings are visited in the order of the general evaluator. An ill-defined test disables its binding in a guard, as
//! there; elsewhere it traps, and the general evaluator decides by evaluating in source order.

use super::branches::Branches;
use super::expression::{Operand, signed, unsigned};
use super::loops::{Lookup, end_in_product};
use super::pair::Columns;
use super::value::{Binding, Elements, PackedValue, Wide};
use super::{Next, Packer, Pred, Trap, Words, wide_matrix};
use crate::eval::plan::{Action, ExprPlan, ExprPlanKind, Pattern, Search, Slot};
use crate::eval::run::frame::Flow;
use crate::ir::{BinaryOp, SetId, Type};
use crate::value::packing::{Packing, Universe};
use crate::value::{Element, Integer, Symbolic, Value};

/// The largest set all of whose subsets are visited.
const LARGEST_BASE: u32 = 30;

/// A packed search.
pub(super) struct PackedSearch {
    actions: Vec<PackedAction>,
    /// The set of the last action needs to be evaluated once only for all elements of the last but one.
    ends_in_product: bool,
    /// By action, the parameters it binds, for orbit reduction; empty if the operation has no reducible parameter.
    choices: Vec<Choice>,
}

/// What an action of a guard binds parameters to.
enum Choice {
    /// Nothing that could move.
    Nothing,
    /// Elements of these sets, at these places.
    Elements(Vec<(SetId, usize)>),
    /// Something else that moves.
    Other,
}

enum PackedAction {
    Test(Pred),
    Bind(PackedPattern, Operand),
    /// Binds a name to a set.
    BindSet(Binding),
    /// Compares a set with what it has to be.
    Same(Pred),
    Each(PackedPattern, PackedValue),
    /// The columns of one row of a relation, given by its number and the number of columns, at most 64.
    EachInRow(PackedPattern, PackedValue, Operand, u32),
    /// The subsets of a set, written to a place.
    EachSubset(usize, PackedValue),
    Range {
        at: usize,
        lower: Vec<Operand>,
        upper: Vec<Operand>,
    },
    /// These integers, written to a place.
    EachNumber(usize, Vec<u64>),
    EachOf(Branches),
}

enum PackedPattern {
    /// Written to a place.
    Slot(usize),
    /// The parts of a pair, written to places.
    Slots(usize, usize, Columns),
    /// First and second part.
    Pair(Box<PackedPattern>, Box<PackedPattern>, Columns),
    Equal(Operand),
}

/// What an ill-defined test inside a search means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// The value of the search depends on it.
    Value,
    /// Its binding is disabled; false and true elsewhere in the search win over it.
    Note,
    /// Its binding is disabled.
    Guard,
}

impl Packer<'_> {
    pub(super) fn search(&mut self, search: &Search) -> Option<PackedSearch> {
        let merged = self.merged(search);
        let actions = merged.iter().map(|(action, tests)| self.action(action, tests)).collect::<Option<Vec<_>>>()?;
        let is_loop = |last: &PackedAction| {
            matches!(last, PackedAction::Each(PackedPattern::Slot(_), _) | PackedAction::EachInRow(PackedPattern::Slot(_), ..))
        };
        let ends_in_product = actions.last().is_some_and(is_loop) && end_in_product(&merged);
        Some(PackedSearch { actions, ends_in_product, choices: Vec::new() })
    }

    /// The guard of an operation with these parameters.
    pub(super) fn guard(&mut self, search: &Search, parameters: &[(Slot, &Type)]) -> Option<PackedSearch> {
        let mut guard = self.search(search)?;
        let moves = |ty: &Type| ty.mentions(&mut |_| true);
        let choice = |action: &Action| match action {
            Action::Each(pattern, _) => {
                let mut slots = Vec::new();
                bound_slots(pattern, &mut slots);
                let types = slots.iter().map(|slot| parameters.iter().find(|(parameter, _)| parameter == slot).map(|(_, ty)| *ty));
                let Some(types) = types.collect::<Option<Vec<_>>>() else { return Choice::Other };
                let moving = slots.iter().zip(types).filter(|(_, ty)| moves(ty));
                let elements =
                    moving.map(|(slot, ty)| if let Type::Given(set) = ty { Some((*set, self.place(*slot).start)) } else { None });
                match elements.collect::<Option<Vec<_>>>() {
                    Some(elements) if elements.is_empty() => Choice::Nothing,
                    Some(elements) => Choice::Elements(elements),
                    None => Choice::Other,
                }
            }
            Action::EachSubset(..) | Action::EachOf(..) | Action::Solve { .. } => Choice::Other,
            Action::Test(_)
            | Action::Bind(..)
            | Action::Range { .. }
            | Action::Recurrence(_)
            | Action::Total(_)
            | Action::Unbounded { .. } => Choice::Nothing,
        };
        let choices: Vec<Choice> = self.merged(search).iter().map(|(action, _)| choice(action)).collect();
        if choices.iter().any(|choice| matches!(choice, Choice::Elements(_))) {
            guard.choices = choices;
        }
        Some(guard)
    }

    fn action(&mut self, action: &Action, tests: &[Lookup<'_>]) -> Option<PackedAction> {
        Some(match action {
            Action::Test(pred) => PackedAction::Test(self.pred(pred)?),
            Action::Bind(pattern, value) => match (pattern, &value.ty) {
                (Pattern::Slot(slot), Type::Set(_)) => PackedAction::BindSet(self.binding(*slot, value)?),
                (Pattern::Equal(expected), Type::Set(_)) => PackedAction::Same(self.equal(value, expected)?),
                (Pattern::Pair(..), Type::Set(_)) => return None,
                _ => PackedAction::Bind(self.pattern(pattern, self.numbered(&value.ty).as_ref())?, self.scalar(value)?),
            },
            Action::Each(Pattern::Slot(slot), set) if is_described(set) => self.each_described(*slot, set)?,
            Action::Each(pattern, set) => {
                if let (Pattern::Pair(first, second), Some(columns)) = (pattern, self.narrow_columns(set))
                    && let Pattern::Equal(row) = &**first
                {
                    let (set, universe) = self.mask(set)?;
                    let (rows, second_universe) = universe.rows_and_columns()?;
                    let pattern = self.pattern(second, Some(second_universe))?;
                    return Some(PackedAction::EachInRow(pattern, set, self.number(row, rows)?, columns));
                }
                let (mut set, universe) = self.mask(set)?;
                for test in tests {
                    let (all, other) = (set.word()?, self.set(test.set, &universe)?.word()?);
                    let is_in = test.is_in;
                    set = PackedValue::Word(Operand::new(move |words| {
                        let all = all.get(words)?;
                        // Of no element nobody asks.
                        if all == 0 {
                            return Ok(0);
                        }
                        let other = other.get(words)?;
                        Ok(all & if is_in { other } else { !other })
                    }));
                }
                PackedAction::Each(self.pattern(pattern, Some(&universe))?, set)
            }
            Action::EachSubset(slot, set) => {
                let (set, universe) = self.mask(set)?;
                PackedAction::EachSubset(self.hold(*slot, &Packing::Mask(universe)), set)
            }
            Action::Range { slot, lower, upper } => {
                let mut bounds = |plans: &[ExprPlan]| plans.iter().map(|plan| self.scalar(plan)).collect::<Option<Vec<_>>>();
                let (lower, upper) = (bounds(lower)?, bounds(upper)?);
                PackedAction::Range { at: self.hold(*slot, &Packing::Integer), lower, upper }
            }
            Action::EachOf(slots, searches) => PackedAction::EachOf(self.branches_of(slots, searches)?),
            Action::Recurrence(_) | Action::Total(_) | Action::Solve { .. } | Action::Unbounded { .. } => return None,
        })
    }

    /// Binds a name to each integer of a description, ascending.
    fn each_described(&mut self, slot: Slot, set: &ExprPlan) -> Option<PackedAction> {
        let at = self.hold(slot, &Packing::Integer);
        Some(match &set.kind {
            ExprPlanKind::Binary(BinaryOp::Interval, from, to) => {
                PackedAction::Range { at, lower: vec![self.scalar(from)?], upper: vec![self.scalar(to)?] }
            }
            ExprPlanKind::Value(Value::Symbolic(symbolic)) => match &**symbolic {
                Symbolic::Interval(from, to) => {
                    let bound = |bound: &Integer| Some(vec![Operand::Known(unsigned(bound.to_i64()?))]);
                    PackedAction::Range { at, lower: bound(from)?, upper: bound(to)? }
                }
                _ => return None,
            },
            ExprPlanKind::Value(Value::Set(set)) => {
                let numbers = set.iter().map(|number| number.as_integer().and_then(Integer::to_i64).map(unsigned));
                PackedAction::EachNumber(at, numbers.collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }

    /// The number of columns of a relation, if one word holds a row.
    fn narrow_columns(&self, set: &ExprPlan) -> Option<u32> {
        let universe = self.universe(&set.ty)?;
        universe.rows_and_columns().map(|(_, columns)| columns.size()).filter(|size| (1..=64).contains(size))
    }

    /// A pattern for numbers of a universe; for integers without one.
    fn pattern(&mut self, pattern: &Pattern, universe: Option<&Universe>) -> Option<PackedPattern> {
        Some(match pattern {
            Pattern::Slot(slot) => {
                let packing = match universe {
                    None | Some(Universe::Integers(_)) => Packing::Integer,
                    Some(universe) => Packing::Index(universe.clone()),
                };
                PackedPattern::Slot(self.hold(*slot, &packing))
            }
            Pattern::Pair(first, second) => {
                let (rows, columns) = universe?.rows_and_columns()?;
                let (first, second) = (self.pattern(first, Some(rows))?, self.pattern(second, Some(columns))?);
                let split = Columns::of(columns.size(), universe?.size());
                match (first, second) {
                    (PackedPattern::Slot(first), PackedPattern::Slot(second)) => PackedPattern::Slots(first, second, split),
                    (first, second) => PackedPattern::Pair(Box::new(first), Box::new(second), split),
                }
            }
            Pattern::Solved { .. } | Pattern::Record(_) => return None,
            Pattern::Equal(plan) => PackedPattern::Equal(match universe {
                // A number that no element has is equal to none.
                None | Some(Universe::Integers(_)) => self.scalar(plan)?,
                Some(universe) => self.number(plan, universe)?,
            }),
        })
    }
}

/// Whether a set of integers is enumerated without being written out.
pub(super) fn is_described(set: &ExprPlan) -> bool {
    set.ty == Type::set(Type::Integer) && matches!(&set.kind, ExprPlanKind::Value(_) | ExprPlanKind::Binary(BinaryOp::Interval, ..))
}

/// The slots that a pattern binds, first ones first.
fn bound_slots(pattern: &Pattern, out: &mut Vec<Slot>) {
    match pattern {
        Pattern::Slot(slot) => out.push(*slot),
        Pattern::Pair(first, second) => {
            bound_slots(first, out);
            bound_slots(second, out);
        }
        Pattern::Record(patterns) => patterns.iter().for_each(|pattern| bound_slots(pattern, out)),
        Pattern::Solved { slot, .. } => out.push(*slot),
        Pattern::Equal(_) => {}
    }
}

impl PackedPattern {
    #[inline]
    fn matches(&self, words: &mut Words, word: u64) -> Result<bool, Trap> {
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
    /// Visits every binding; ill-definedness traps.
    pub(super) fn run(&self, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
        self.run_from(0, Mode::Value, words, next)
    }

    /// Visits every binding for a search around this one.
    pub(super) fn run_in(&self, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
        self.run_from(0, mode, words, next)
    }

    /// Visits every binding of a guard.
    pub(super) fn run_guard(&self, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
        self.run_from(0, Mode::Guard, words, next)
    }

    /// Visits every binding; tells whether something ill-defined was met on the way.
    pub(super) fn run_noting(&self, words: &mut Words, next: Next<'_>) -> Result<bool, Trap> {
        let outer = std::mem::replace(&mut words.ill_defined_guard, false);
        let run = self.run_from(0, Mode::Note, words, next);
        let noted = std::mem::replace(&mut words.ill_defined_guard, outer);
        run.map(|_| noted)
    }

    fn run_from(&self, mut at: usize, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
        // Tests need no call of their own.
        while let Some(PackedAction::Test(pred)) = self.actions.get(at) {
            match pred(words) {
                Ok(true) => at += 1,
                Ok(false) => return Ok(Flow::Continue),
                // In source order the conjunction is false earlier or ill-defined: the binding of a guard is disabled either way.
                // Elsewhere it makes a difference, which the general evaluator finds out.
                Err(Trap::IllDefined) if mode == Mode::Guard => return Ok(disabled(words)),
                Err(_) => return Err(Trap::Left),
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
                    Err(Trap::IllDefined) if mode != Mode::Value => return Ok(disabled(words)),
                    elements => elements?,
                };
                if elements.is_empty() {
                    return Ok(Flow::Continue);
                }
                match row.get(words) {
                    Ok(row) => self.each(pattern, elements.row(words, row, *columns), at, mode, words, next),
                    Err(trap) => self.go_on(Err(trap), at, mode, words, next),
                }
            }
            PackedAction::Each(pattern, set) => {
                let elements = match set.elements(words) {
                    Err(Trap::IllDefined) if mode != Mode::Value => return Ok(disabled(words)),
                    elements => elements?,
                };
                self.each(pattern, elements, at, mode, words, next)
            }
            // A set names its elements in no order, and branches bind whatever they bind: what follows is enumerated in full.
            PackedAction::EachSubset(own, set) => self.in_full(words, |words| self.each_subset(*own, set, at, mode, words, next)),
            PackedAction::EachOf(branches) => self.in_full(words, |words| self.each_of(branches, at, mode, words, next)),
            PackedAction::EachNumber(own, numbers) => {
                for &number in numbers {
                    words.tick()?;
                    words.slots[*own] = number;
                    if self.run_from(at + 1, mode, words, next)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Continue)
            }
            PackedAction::Range { at: own, lower, upper } => {
                let bounds = bound(lower, words, i64::max).and_then(|low| Ok((low, bound(upper, words, i64::min)?)));
                let (low, high) = match bounds {
                    Err(Trap::IllDefined) if mode != Mode::Value => return Ok(disabled(words)),
                    bounds => bounds?,
                };
                if high.checked_sub(low).is_none_or(|count| count > 1 << 30) && low <= high {
                    return Err(Trap::Left);
                }
                for number in low..=high {
                    words.tick()?;
                    words.slots[*own] = unsigned(number);
                    if self.run_from(at + 1, mode, words, next)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Continue)
            }
        }
    }

    /// Visits what a pattern makes of each of these numbers.
    #[inline]
    fn each(
        &self,
        pattern: &PackedPattern,
        mut elements: Elements,
        at: usize,
        mode: Mode,
        words: &mut Words,
        next: Next<'_>,
    ) -> Result<Flow, Trap> {
        let has_orbits = words.orbits.is_on && !self.choices.is_empty();
        if let (PackedPattern::Slot(_) | PackedPattern::Slots(..), false) = (pattern, has_orbits) {
            // The usual case, without anything that it does not need.
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

    /// Runs the last action for each of these numbers, written to a place.
    fn product(&self, outer: usize, mut elements: Elements, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
        let (inner, set, columns) = match self.actions.last() {
            Some(PackedAction::Each(PackedPattern::Slot(inner), set)) => (*inner, set, None),
            Some(PackedAction::EachInRow(PackedPattern::Slot(inner), set, _, columns)) => (*inner, set, Some(*columns)),
            _ => unreachable!("a product ends in a loop over the values of a name"),
        };
        let mut all = None;
        while let Some(element) = elements.next(words) {
            words.slots[outer] = element;
            let all = match all {
                Some(all) => all,
                None => match set.elements(words) {
                    Err(Trap::IllDefined) if mode != Mode::Value => return Ok(disabled(words)),
                    set => *all.insert(set?),
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

    fn each_of(&self, branches: &Branches, at: usize, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
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

    /// Runs the rest of a search without letting bindings of parameters stand for others.
    fn in_full(&self, words: &mut Words, run: impl FnOnce(&mut Words) -> Result<Flow, Trap>) -> Result<Flow, Trap> {
        let mark = words.orbits.mark();
        if !self.choices.is_empty() {
            words.orbits.switch_off();
        }
        let flow = run(words);
        words.orbits.go_back(mark);
        flow
    }

    /// Visits the subsets of a set, the empty one first, in the order of their masks.
    fn each_subset(&self, own: usize, set: &PackedValue, at: usize, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
        match set {
            PackedValue::Word(set) => {
                let set = match set.get(words) {
                    Err(Trap::IllDefined) if mode != Mode::Value => return Ok(disabled(words)),
                    set => set?,
                };
                if set.count_ones() > LARGEST_BASE {
                    return Err(Trap::Left);
                }
                let mut subset = 0u64;
                loop {
                    words.tick()?;
                    words.slots[own] = subset;
                    if self.run_from(at + 1, mode, words, next)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                    subset = subset.wrapping_sub(set) & set;
                    if subset == 0 {
                        return Ok(Flow::Continue);
                    }
                }
            }
            PackedValue::Wide(set) => {
                match set.evaluate(words) {
                    Err(Trap::IllDefined) if mode != Mode::Value => return Ok(disabled(words)),
                    evaluated => evaluated?,
                }
                if wide_matrix::count(set.read(words)) > LARGEST_BASE {
                    return Err(Trap::Left);
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

    /// Whether one binding can stand for others.
    pub(super) fn has_choices(&self) -> bool {
        !self.choices.is_empty()
    }

    /// Tells the orbits what an action has just bound; false when another binding stands for it.
    fn choose(&self, at: usize, words: &mut Words) -> bool {
        match &self.choices[at] {
            Choice::Nothing => true,
            Choice::Elements(elements) => elements.iter().all(|&(set, place)| {
                let index = u32::try_from(words.slots[place]).expect("a place of an element holds its index");
                words.orbits.choose(Element { set, index })
            }),
            Choice::Other => {
                words.orbits.switch_off();
                true
            }
        }
    }

    fn go_on(&self, matched: Result<bool, Trap>, at: usize, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
        match matched {
            Ok(true) => self.run_from(at + 1, mode, words, next),
            Ok(false) => Ok(Flow::Continue),
            Err(Trap::IllDefined) if mode != Mode::Value => Ok(disabled(words)),
            Err(trap) => Err(trap),
        }
    }
}

/// Puts the next larger subset of a set in place of one; false after the last.
fn next_subset(words: &mut Words, own: usize, set: &Wide) -> bool {
    let (mut borrow, mut any) = (false, false);
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

fn disabled(words: &mut Words) -> Flow {
    words.ill_defined_guard = true;
    Flow::Continue
}

fn bound(bounds: &[Operand], words: &mut Words, pick: fn(i64, i64) -> i64) -> Result<i64, Trap> {
    let mut best: Option<i64> = None;
    for bound in bounds {
        let value = signed(bound.get(words)?);
        best = Some(best.map_or(value, |best| pick(best, value)));
    }
    Ok(best.expect("a range has bounds on both sides"))
}
