//! Searches over words: the actions of a plan, in its order.
//!
//! Invariant: bindings are visited in the order of the general evaluator. An ill-defined test disables its binding in a guard, as
//! there; elsewhere it traps, and the general evaluator decides by evaluating in source order.

use super::expression::Operand;
use super::{Next, Packer, Pred, Trap, Words};
use crate::eval::frame::Flow;
use crate::eval::plan::{Action, Pattern, Search, Slot};
use crate::ir::{SetId, Type};
use crate::value::Element;
use crate::value::packing::{Packing, Universe, bits};

/// A packed search.
pub(super) struct PackedSearch {
    actions: Vec<PackedAction>,
    /// By action: what it binds parameters to. Empty unless this is the guard of an operation with parameters that orbits can save.
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
    Each(PackedPattern, Operand),
    EachSubset(Slot, Operand),
    Range { slot: Slot, lower: Vec<Operand>, upper: Vec<Operand> },
}

enum PackedPattern {
    Slot(Slot),
    /// First and second part, and the size of the second's universe.
    Pair(Box<PackedPattern>, Box<PackedPattern>, u64),
    Equal(Operand),
}

/// What ill-definedness inside a search means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Trap,
    Disable,
}

impl Packer<'_> {
    pub(super) fn search(&self, search: &Search) -> Option<PackedSearch> {
        let actions = search
            .actions
            .iter()
            .map(|action| {
                Some(match action {
                    Action::Test(pred) => PackedAction::Test(self.pred(pred)?),
                    Action::Bind(pattern, value) => {
                        let packing = self.word(&value.ty)?;
                        let universe = if let Packing::Index(universe) = &packing { Some(universe) } else { None };
                        PackedAction::Bind(self.pattern(pattern, universe)?, self.operand(value)?)
                    }
                    Action::Each(pattern, set) => {
                        let (operand, universe) = self.mask(set)?;
                        PackedAction::Each(self.pattern(pattern, Some(&universe))?, operand)
                    }
                    Action::EachSubset(slot, set) => PackedAction::EachSubset(self.place(*slot), self.mask(set)?.0),
                    Action::Range { slot, lower, upper } => {
                        let bounds =
                            |plans: &[crate::eval::plan::ExprPlan]| plans.iter().map(|plan| self.operand(plan)).collect::<Option<Vec<_>>>();
                        PackedAction::Range { slot: self.place(*slot), lower: bounds(lower)?, upper: bounds(upper)? }
                    }
                    Action::EachOf(..) | Action::Unbounded { .. } => return None,
                })
            })
            .collect::<Option<Vec<_>>>()?;
        Some(PackedSearch { actions, choices: Vec::new() })
    }

    /// The guard of an operation with these parameters.
    pub(super) fn guard(&self, search: &Search, parameters: &[(Slot, &Type)]) -> Option<PackedSearch> {
        let mut guard = self.search(search)?;
        let moves = |ty: &Type| ty.mentions(&mut |_| true);
        let choice = |action: &Action| match action {
            Action::Each(pattern, _) => {
                let mut slots = Vec::new();
                bound_slots(pattern, &mut slots);
                let types = slots.iter().map(|slot| parameters.iter().find(|(parameter, _)| parameter == slot).map(|(_, ty)| *ty));
                let Some(types) = types.collect::<Option<Vec<_>>>() else { return Choice::Other };
                let moving = slots.iter().zip(types).filter(|(_, ty)| moves(ty));
                let elements = moving.map(|(slot, ty)| if let Type::Given(set) = ty { Some((*set, self.place(*slot))) } else { None });
                match elements.collect::<Option<Vec<_>>>() {
                    Some(elements) if elements.is_empty() => Choice::Nothing,
                    Some(elements) => Choice::Elements(elements),
                    None => Choice::Other,
                }
            }
            Action::EachSubset(..) | Action::EachOf(..) => Choice::Other,
            Action::Test(_) | Action::Bind(..) | Action::Range { .. } | Action::Unbounded { .. } => Choice::Nothing,
        };
        let choices: Vec<Choice> = search.actions.iter().map(choice).collect();
        if choices.iter().any(|choice| matches!(choice, Choice::Elements(_))) {
            guard.choices = choices;
        }
        Some(guard)
    }

    /// A pattern for numbers of a universe; for words of another kind without one.
    fn pattern(&self, pattern: &Pattern, universe: Option<&Universe>) -> Option<PackedPattern> {
        Some(match pattern {
            Pattern::Slot(slot) => PackedPattern::Slot(self.place(*slot)),
            Pattern::Pair(first, second) => {
                let (rows, columns) = universe?.rows_and_columns()?;
                let (first, second) = (self.pattern(first, Some(rows))?, self.pattern(second, Some(columns))?);
                PackedPattern::Pair(Box::new(first), Box::new(second), u64::from(columns.size()))
            }
            Pattern::Equal(plan) => PackedPattern::Equal(self.operand(plan)?),
        })
    }
}

/// The slots that a pattern binds, first ones first.
fn bound_slots(pattern: &Pattern, out: &mut Vec<Slot>) {
    match pattern {
        Pattern::Slot(slot) => out.push(*slot),
        Pattern::Pair(first, second) => {
            bound_slots(first, out);
            bound_slots(second, out);
        }
        Pattern::Equal(_) => {}
    }
}

impl PackedPattern {
    fn matches(&self, words: &mut Words, word: u64) -> Result<bool, Trap> {
        match self {
            PackedPattern::Slot(slot) => {
                words.slots[*slot] = word;
                Ok(true)
            }
            PackedPattern::Pair(first, second, columns) => {
                Ok(first.matches(words, word / columns)? && second.matches(words, word % columns)?)
            }
            PackedPattern::Equal(operand) => Ok(operand.get(words)? == word),
        }
    }
}

impl PackedSearch {
    /// Visits every binding; ill-definedness traps.
    pub(super) fn run(&self, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
        self.run_from(0, Mode::Trap, words, next)
    }

    /// Visits every binding of a guard.
    pub(super) fn run_guard(&self, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
        self.run_from(0, Mode::Disable, words, next)
    }

    /// Visits every binding; tells whether something ill-defined was met on the way.
    pub(super) fn run_noting(&self, words: &mut Words, next: Next<'_>) -> Result<bool, Trap> {
        let outer = std::mem::replace(&mut words.ill_defined_guard, false);
        let run = self.run_from(0, Mode::Disable, words, next);
        let noted = std::mem::replace(&mut words.ill_defined_guard, outer);
        run.map(|_| noted)
    }

    fn run_from(&self, at: usize, mode: Mode, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
        let Some(action) = self.actions.get(at) else { return next(words) };
        match action {
            PackedAction::Test(pred) => match pred(words) {
                Ok(true) => self.run_from(at + 1, mode, words, next),
                Ok(false) => Ok(Flow::Continue),
                // In source order the conjunction is false earlier or ill-defined: the binding is disabled either way.
                Err(Trap::IllDefined) if mode == Mode::Disable => Ok(disabled(words)),
                Err(trap) => Err(trap),
            },
            PackedAction::Bind(pattern, value) => {
                let matched = value.get(words).and_then(|value| pattern.matches(words, value));
                self.go_on(matched, at, mode, words, next)
            }
            PackedAction::Each(pattern, set) => {
                let set = match set.get(words) {
                    Err(Trap::IllDefined) if mode == Mode::Disable => return Ok(disabled(words)),
                    set => set?,
                };
                for element in bits(set) {
                    words.tick()?;
                    let matched = pattern.matches(words, element);
                    if words.orbits.is_on && matched == Ok(true) && !self.choices.is_empty() {
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
            PackedAction::EachSubset(slot, set) => {
                let set = match set.get(words) {
                    Err(Trap::IllDefined) if mode == Mode::Disable => return Ok(disabled(words)),
                    set => set?,
                };
                if set.count_ones() > 30 {
                    return Err(Trap::Left);
                }
                if words.orbits.is_on && !self.choices.is_empty() {
                    words.orbits.switch_off();
                }
                let mut subset = 0u64;
                loop {
                    words.tick()?;
                    words.slots[*slot] = subset;
                    if self.run_from(at + 1, mode, words, next)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                    subset = subset.wrapping_sub(set) & set;
                    if subset == 0 {
                        return Ok(Flow::Continue);
                    }
                }
            }
            PackedAction::Range { slot, lower, upper } => {
                let bounds = bound(lower, words, i64::max).and_then(|low| Ok((low, bound(upper, words, i64::min)?)));
                let (low, high) = match bounds {
                    Err(Trap::IllDefined) if mode == Mode::Disable => return Ok(disabled(words)),
                    bounds => bounds?,
                };
                if high.checked_sub(low).is_none_or(|count| count > 1 << 30) && low <= high {
                    return Err(Trap::Left);
                }
                for number in low..=high {
                    words.tick()?;
                    #[allow(clippy::cast_sign_loss, reason = "two's complement is the representation of integers")]
                    {
                        words.slots[*slot] = number as u64;
                    }
                    if self.run_from(at + 1, mode, words, next)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Continue)
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
            Err(Trap::IllDefined) if mode == Mode::Disable => Ok(disabled(words)),
            Err(trap) => Err(trap),
        }
    }
}

fn disabled(words: &mut Words) -> Flow {
    words.ill_defined_guard = true;
    Flow::Continue
}

fn bound(bounds: &[Operand], words: &mut Words, pick: fn(i64, i64) -> i64) -> Result<i64, Trap> {
    let mut best: Option<i64> = None;
    for bound in bounds {
        #[allow(clippy::cast_possible_wrap, reason = "two's complement is the representation of integers")]
        let value = bound.get(words)? as i64;
        best = Some(best.map_or(value, |best| pick(best, value)));
    }
    Ok(best.expect("a range has bounds on both sides"))
}
