//! Sets and relations over words.
//!
//! Each operator has two forms: on one word, where the result stays in a register, and on ranges of the frame. Invariant: both give
//! the bits of their plan's value in its universe, and none beyond. Deliberately elsewhere: the bit matrices themselves (`matrix`,
//! `wide_matrix`), where results are put (`packer`).

use super::expression::{Operand, rows_and_columns, signed};
use super::value::{PackedValue, Wide};
use super::wide_matrix::{self as wide, Dimensions};
use super::{Packer, Trap, Words, matrix};
use crate::eval::plan::{ClosurePlan, ExprPlan, ExprPlanKind, Fold, Search, Shape};
use crate::eval::run::frame::Flow;
use crate::eval::run::search::WRITE_OUT_BELOW;
use crate::ir::{BinaryOp, Type, UnaryOp};
use crate::value::packing::{Packing, Universe, low_bits, set_interval};

/// The size of the matrix of a relation, unless its universe is empty.
pub(super) fn dimensions(universe: &Universe) -> Option<Dimensions> {
    rows_and_columns(universe)?;
    universe.rows_and_columns().map(|(rows, columns)| Dimensions::of(rows, columns))
}

impl Packer<'_> {
    /// A set and its universe.
    pub(super) fn mask(&mut self, plan: &ExprPlan) -> Option<(PackedValue, Universe)> {
        let universe = self.universe(&plan.ty)?;
        Some((self.set(plan, &universe)?, universe))
    }

    /// A relation and the universes of its first and second components, which are not empty.
    pub(super) fn relation(&mut self, plan: &ExprPlan) -> Option<(PackedValue, Universe, Universe)> {
        let (relation, universe) = self.mask(plan)?;
        rows_and_columns(&universe)?;
        let Universe::Pairs(rows, columns, _) = universe else { return None };
        Some((relation, *rows, *columns))
    }

    /// A set whose elements are numbered by this universe.
    pub(super) fn set(&mut self, plan: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let packed = self.set_here(plan, universe);
        self.noted(plan.span, packed)
    }

    fn set_here(&mut self, plan: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let words = universe.mask_words();
        Some(match &plan.kind {
            ExprPlanKind::Value(value) => self.known(&Packing::Mask(universe.clone()), value)?,
            ExprPlanKind::Slot(slot) => self.slot(*slot, &Packing::Mask(universe.clone())),
            ExprPlanKind::Unary(op, operand) => self.unary_set(*op, operand, universe)?,
            ExprPlanKind::Binary(op, left, right) => self.binary_set(*op, left, right, universe)?,
            ExprPlanKind::SetExtension(items) => self.extension(items, universe)?,
            ExprPlanKind::SequenceExtension(items) => self.listed(items, universe)?,
            ExprPlanKind::If(pred, then, otherwise) => {
                let pred = self.pred(pred)?;
                match (self.set(then, universe)?, self.set(otherwise, universe)?) {
                    (PackedValue::Word(then), PackedValue::Word(otherwise)) => {
                        word(move |words| if pred(words)? { then.get(words) } else { otherwise.get(words) })
                    }
                    (then, otherwise) => {
                        let (then, otherwise) = (self.wide(then), self.wide(otherwise));
                        self.own(words, move |words, at| {
                            let chosen = if pred(words)? { &then } else { &otherwise };
                            copied(chosen, words, at)
                        })
                    }
                }
            }
            ExprPlanKind::ApplyListed(pairs, argument) => self.listed_set(pairs, argument, universe)?,
            ExprPlanKind::Let(bindings, body) => {
                let bindings = self.bindings(bindings)?;
                let body = self.set(body, universe)?;
                let body = self.wide(body);
                self.own(words, move |words, at| {
                    bindings.iter().try_for_each(|binding| binding.bind(words))?;
                    copied(&body, words, at)
                })
            }
            ExprPlanKind::Comprehension(closure) if closure.cost <= WRITE_OUT_BELOW => self.comprehension(closure, universe)?,
            ExprPlanKind::Closure(closure) => {
                // The general tier does not write it out, so what is ill-defined here may have a value there.
                let set = self.comprehension(closure, universe)?;
                let set = self.wide(set);
                self.own(words, move |words, at| copied(&set, words, at).map_err(|_| Trap::Left))
            }
            ExprPlanKind::Fold(fold @ (Fold::Union | Fold::Inter), search, body) => self.fold_sets(*fold, search, body, universe)?,
            _ => return None,
        })
    }

    /// `{a, b, …}`
    fn extension(&mut self, items: &[ExprPlan], universe: &Universe) -> Option<PackedValue> {
        let items = self.numbers(items, universe)?;
        let count = universe.mask_words();
        if count == 1 {
            return Some(word(move |words| {
                let mut mask = 0;
                for item in &items {
                    // Numbers are below the size of the universe, which is at most 64 here.
                    mask |= 1 << item.get(words)?;
                }
                Ok(mask)
            }));
        }
        Some(self.own(count, move |words, at| {
            words.slots[at..at + count].fill(0);
            for item in &items {
                let number = item.get(words)?;
                wide::insert(&mut words.slots[at..at + count], number);
            }
            Ok(())
        }))
    }

    pub(super) fn numbers(&mut self, items: &[ExprPlan], universe: &Universe) -> Option<Vec<Operand>> {
        items.iter().map(|item| self.number(item, universe)).collect()
    }

    /// A comprehension or lambda, written out: each binding sets the bit of its value, however many have the same.
    fn comprehension(&mut self, closure: &ClosurePlan, universe: &Universe) -> Option<PackedValue> {
        let search = self.search(&closure.search)?;
        let number = match &closure.shape {
            Shape::Tuple { .. } => self.tuple(closure)?,
            Shape::Function { body, .. } => {
                let (_, columns) = universe.rows_and_columns()?;
                let (tuple, body, columns) = (self.tuple(closure)?, self.number(body, columns)?, u64::from(columns.size()));
                Operand::new(move |words| Ok(tuple.get(words)? * columns + body.get(words)?))
            }
            Shape::Image { value, .. } => self.number(value, universe)?,
        };
        let count = universe.mask_words();
        Some(if count == 1 {
            word(move |words| {
                let mut mask = 0;
                search.run(words, &mut |words| {
                    mask |= 1 << number.get(words)?;
                    Ok(Flow::Continue)
                })?;
                Ok(mask)
            })
        } else {
            self.own(count, move |words, at| {
                words.slots[at..at + count].fill(0);
                search.run(words, &mut |words| {
                    let number = number.get(words)?;
                    wide::insert(&mut words.slots[at..at + count], number);
                    Ok(Flow::Continue)
                })?;
                Ok(())
            })
        })
    }

    /// The number of the left-nested tuple of a comprehension's own names; of a single name, its own word.
    fn tuple(&mut self, closure: &ClosurePlan) -> Option<Operand> {
        let universes = closure.types.iter().map(|ty| self.numbered(ty)).collect::<Option<Vec<_>>>()?;
        // A local integer has a word of its own, and may be beyond the universe of the elements.
        let locals = self.own_names(closure)?.into_iter().zip(&universes).map(|(at, universe)| match universe {
            Universe::Integers(size) => (Operand::Slot(at).below(*size, Trap::Left), u64::from(*size)),
            _ => (Operand::Slot(at), u64::from(universe.size())),
        });
        let mut locals: Vec<(Operand, u64)> = locals.collect();
        if locals.len() == 1 {
            return locals.pop().map(|(only, _)| only);
        }
        Some(Operand::new(move |words| locals.iter().try_fold(0, |tuple, (part, size)| Ok(tuple * size + part.get(words)?))))
    }

    fn fold_sets(&mut self, fold: Fold, search: &Search, body: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let search = self.search(search)?;
        let body = self.set(body, universe)?;
        let (body, count) = (self.wide(body), universe.mask_words());
        Some(self.own(count, move |words, at| {
            words.slots[at..at + count].fill(0);
            let mut is_first = true;
            search.run(words, &mut |words| {
                body.evaluate(words)?;
                let (before, own) = words.slots.split_at_mut(at);
                let value = &before[body.range()];
                match fold {
                    // The first set of an intersection joins the empty start, as those of a union do.
                    Fold::Inter if !is_first => own.iter_mut().zip(value).for_each(|(all, word)| *all &= word),
                    _ => own.iter_mut().zip(value).for_each(|(all, word)| *all |= word),
                }
                is_first = false;
                Ok(Flow::Continue)
            })?;
            if is_first && fold == Fold::Inter { Err(Trap::IllDefined) } else { Ok(()) }
        }))
    }

    fn unary_set(&mut self, op: UnaryOp, plan: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let count = universe.mask_words();
        if op == UnaryOp::Identity {
            let (set, of) = self.mask(plan)?;
            let size = of.size();
            return Some(match set {
                PackedValue::Word(set) if count == 1 => word(move |words| Ok(matrix::identity(set.get(words)?, size))),
                set => self.map_one(set, count, move |set, out| wide::identity(set, size as usize, out)),
            });
        }
        if matches!(op, UnaryOp::Front | UnaryOp::Tail | UnaryOp::Reverse) {
            return self.changed_sequence(op, plan, universe);
        }
        if !matches!(op, UnaryOp::Domain | UnaryOp::Range | UnaryOp::Inverse | UnaryOp::Closure1) {
            return None;
        }
        let (relation, rows, columns) = self.relation(plan)?;
        let size = Dimensions::of(&rows, &columns);
        let (rows, columns) = (rows.size(), columns.size());
        Some(match relation {
            PackedValue::Word(relation) => match op {
                UnaryOp::Domain => word(move |words| Ok(matrix::domain(relation.get(words)?, columns))),
                UnaryOp::Range => word(move |words| Ok(matrix::range(relation.get(words)?, columns))),
                UnaryOp::Inverse => word(move |words| Ok(matrix::transpose(relation.get(words)?, columns, rows))),
                _ => word(move |words| Ok(matrix::closure1(relation.get(words)?, columns))),
            },
            relation => match op {
                UnaryOp::Domain => self.map_one(relation, count, move |relation, out| wide::domain(relation, size, out)),
                UnaryOp::Range => self.map_one(relation, count, move |relation, out| wide::range(relation, size, out)),
                UnaryOp::Inverse => self.map_one(relation, count, move |relation, out| wide::transpose(relation, size, out)),
                _ => self.map_one(relation, count, move |relation, out| wide::close(relation, size, out)),
            },
        })
    }

    /// A binary operator with a set as its result; extensions come first, since `s \/ {x}` changes one bit of a copy.
    fn binary_set(&mut self, op: BinaryOp, left: &ExprPlan, right: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        Some(match op {
            BinaryOp::Union if is_wide_extension(right, universe) => self.changed(left, right, universe, wide::insert)?,
            BinaryOp::Union => self.bitwise(left, right, universe, |a, b| a | b)?,
            BinaryOp::Difference if is_wide_extension(right, universe) => self.changed(left, right, universe, wide::remove)?,
            BinaryOp::Difference => self.bitwise(left, right, universe, |a, b| a & !b)?,
            BinaryOp::Intersection => self.bitwise(left, right, universe, |a, b| a & b)?,
            BinaryOp::Product => {
                let Universe::Pairs(rows, columns, _) = universe else { return None };
                let (columns_size, size) = (columns.size(), dimensions(universe)?);
                match (self.set(left, rows)?, self.set(right, columns)?) {
                    (PackedValue::Word(a), PackedValue::Word(b)) if universe.mask_words() == 1 => word(move |words| {
                        let rows = a.get(words)?;
                        Ok(matrix::product(rows, columns_size, b.get(words)?))
                    }),
                    (a, b) => self.map_two(a, b, universe.mask_words(), move |a, b, out| wide::product(a, b, size, out)),
                }
            }
            BinaryOp::Apply => self.row_of_table(left, right)?,
            BinaryOp::Override => self.overridden(left, right, universe)?,
            BinaryOp::Interval => self.interval(left, right, universe)?,
            BinaryOp::Concat | BinaryOp::InsertFront | BinaryOp::InsertTail | BinaryOp::TakeFirst | BinaryOp::DropFirst => {
                self.binary_sequence(op, left, right, universe)?
            }
            BinaryOp::Compose => {
                let (a, a_rows, middle) = self.relation(left)?;
                let (b, _, columns) = self.relation(right)?;
                let (first, second) = (Dimensions::of(&a_rows, &middle), Dimensions::of(&middle, &columns));
                let (middle, columns) = (middle.size(), columns.size());
                match (a, b) {
                    (PackedValue::Word(a), PackedValue::Word(b)) if universe.mask_words() == 1 => word(move |words| {
                        let relation = a.get(words)?;
                        Ok(matrix::compose(relation, middle, b.get(words)?, columns))
                    }),
                    (a, b) => self.map_two(a, b, universe.mask_words(), move |a, b, out| wide::compose(a, first, b, second, out)),
                }
            }
            BinaryOp::DomainRestrict | BinaryOp::DomainSubtract => {
                let Universe::Pairs(rows, columns, _) = universe else { return None };
                let (columns, size) = (columns.size(), dimensions(universe)?);
                let is_subtracted = op == BinaryOp::DomainSubtract;
                match (self.set(left, rows)?, self.set(right, universe)?) {
                    (PackedValue::Word(set), PackedValue::Word(relation)) => word(move |words| {
                        let rows = matrix::full_rows(set.get(words)?, columns);
                        Ok(relation.get(words)? & if is_subtracted { !rows } else { rows })
                    }),
                    (set, relation) => {
                        let restrict = if is_subtracted { wide::drop_rows } else { wide::keep_rows };
                        self.map_two(set, relation, universe.mask_words(), move |set, relation, out| restrict(relation, size, set, out))
                    }
                }
            }
            BinaryOp::RangeRestrict | BinaryOp::RangeSubtract => {
                let Universe::Pairs(rows, columns, _) = universe else { return None };
                let (rows, row, size) = (low_bits(rows.size()), columns.size(), dimensions(universe)?);
                let is_kept = op == BinaryOp::RangeRestrict;
                match (self.set(left, universe)?, self.set(right, columns)?) {
                    (PackedValue::Word(relation), PackedValue::Word(set)) => word(move |words| {
                        let relation = relation.get(words)?;
                        // A mask with the columns of the set in every row: one operation restricts all rows at once.
                        let kept = matrix::product(rows, row, set.get(words)?);
                        Ok(relation & if is_kept { kept } else { !kept })
                    }),
                    (relation, set) => self.map_two(relation, set, universe.mask_words(), move |relation, set, out| {
                        wide::keep_columns(relation, size, set, is_kept, out);
                    }),
                }
            }
            BinaryOp::Image => {
                let (relation, rows, columns) = self.relation(left)?;
                let size = Dimensions::of(&rows, &columns);
                let columns = columns.size();
                match (relation, self.set(right, &rows)?) {
                    (PackedValue::Word(relation), PackedValue::Word(set)) => word(move |words| {
                        let relation = relation.get(words)?;
                        Ok(matrix::image(relation, columns, set.get(words)?))
                    }),
                    (relation, set) => {
                        self.map_two(relation, set, universe.mask_words(), move |relation, set, out| wide::image(relation, size, set, out))
                    }
                }
            }
            _ => return None,
        })
    }

    /// `a..b`
    fn interval(&mut self, from: &ExprPlan, to: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let (from, to) = (self.scalar(from)?, self.scalar(to)?);
        let (count, size) = (universe.mask_words(), u64::from(universe.size()));
        Some(self.own(count, move |words, at| {
            let (from, to) = (from.get(words)?, to.get(words)?);
            if signed(from) > signed(to) {
                words.slots[at..at + count].fill(0);
                return Ok(());
            }
            // As unsigned words, negative integers are too large as well.
            if from.max(to) >= size {
                return Err(Trap::Left);
            }
            set_interval(&mut words.slots[at..at + count], from, to);
            Ok(())
        }))
    }

    /// Two sets, combined bit by bit; a right side that is one pair becomes its bit without a set being made.
    fn bitwise(
        &mut self,
        left: &ExprPlan,
        right: &ExprPlan,
        universe: &Universe,
        combine: impl Fn(u64, u64) -> u64 + Copy + Send + Sync + 'static,
    ) -> Option<PackedValue> {
        if universe.mask_words() == 1
            && let Some(pair) = self.only_pair(right, universe)
        {
            let set = self.set(left, universe)?.word()?;
            return Some(word(move |words| {
                let (bit, _) = pair.bit_and_row(words)?;
                Ok(combine(set.get(words)?, bit))
            }));
        }
        Some(match (self.set(left, universe)?, self.set(right, universe)?) {
            (PackedValue::Word(a), PackedValue::Word(b)) => word(move |words| {
                let a = a.get(words)?;
                Ok(combine(a, b.get(words)?))
            }),
            (a, b) => self.map_two(a, b, universe.mask_words(), move |a, b, out| {
                a.iter().zip(b).zip(out).for_each(|((&a, &b), out)| *out = combine(a, b));
            }),
        })
    }

    /// A copy of a wide set with the elements of an extension added or removed, one by one.
    fn changed(&mut self, set: &ExprPlan, items: &ExprPlan, universe: &Universe, change: fn(&mut [u64], u64)) -> Option<PackedValue> {
        let ExprPlanKind::SetExtension(items) = &items.kind else { return None };
        let count = universe.mask_words();
        let set = self.set(set, universe)?;
        let (set, items) = (self.wide(set), self.numbers(items, universe)?);
        Some(self.own(count, move |words, at| {
            copied(&set, words, at)?;
            for item in &items {
                let number = item.get(words)?;
                change(&mut words.slots[at..at + count], number);
            }
            Ok(())
        }))
    }

    fn overridden(&mut self, left: &ExprPlan, right: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let (size, count) = (dimensions(universe)?, universe.mask_words());
        let columns = universe.rows_and_columns()?.1.size();
        // `r <+ {a |-> b}`, which is the meaning of `r(a) := b`.
        if count > 1
            && let ExprPlanKind::SetExtension(items) = &right.kind
            && let [item] = items.as_slice()
        {
            let set = self.set(left, universe)?;
            let (set, pair) = (self.wide(set), self.number(item, universe)?);
            return Some(self.own(count, move |words, at| {
                copied(&set, words, at)?;
                let pair = pair.get(words)?;
                let own = &mut words.slots[at..at + count];
                wide::clear_row(own, size, pair as usize / size.columns);
                wide::insert(own, pair);
                Ok(())
            }));
        }
        if count == 1
            && let Some(pair) = self.only_pair(right, universe)
        {
            let relation = self.set(left, universe)?.word()?;
            return Some(word(move |words| {
                let (bit, row) = pair.bit_and_row(words)?;
                Ok(relation.get(words)? & !row | bit)
            }));
        }
        Some(match (self.set(left, universe)?, self.set(right, universe)?) {
            (PackedValue::Word(relation), PackedValue::Word(changes)) => word(move |words| {
                let relation = relation.get(words)?;
                let changes = changes.get(words)?;
                // Rows in which the changes have a pair are replaced as a whole.
                Ok(relation & !matrix::full_rows(matrix::domain(changes, columns), columns) | changes)
            }),
            (relation, changes) => {
                self.map_two(relation, changes, count, move |relation, changes, out| wide::override_with(relation, changes, size, out))
            }
        })
    }

    /// `lambda(argument)`, without writing the lambda out.
    pub(super) fn apply_lambda(&mut self, closure: &ClosurePlan, argument: &ExprPlan) -> Option<Operand> {
        let Shape::Function { body, .. } = &closure.shape else { return None };
        let locals = self.locals(closure, &argument.ty)?;
        let argument = self.operand(argument)?;
        let condition = self.pred(&closure.search.source)?;
        let body = self.operand(body)?;
        Some(Operand::new(move |words| {
            // The argument first: in `f(f(x))` it binds the same names.
            let argument = argument.get(words)?;
            locals.bind(words, argument);
            if condition(words)? { body.get(words) } else { Err(Trap::IllDefined) }
        }))
    }

    /// The places of a comprehension's own names, if each has one word.
    pub(super) fn own_names(&mut self, closure: &ClosurePlan) -> Option<Vec<usize>> {
        let names = closure.locals.iter().zip(&closure.types);
        names.map(|(&slot, ty)| self.packing(ty).filter(|packing| packing.words() == 1).map(|packing| self.hold(slot, &packing))).collect()
    }

    /// How a value of this type is split into a comprehension's own names.
    pub(super) fn locals(&mut self, closure: &ClosurePlan, ty: &Type) -> Option<Components> {
        let places = self.own_names(closure)?;
        match (places.as_slice(), self.numbered(ty)) {
            ([only], _) => Some(Components { first: *only, others: Vec::new() }),
            (_, Some(universe)) => Components::of(&places, &universe),
            _ => None,
        }
    }
}

/// The places of the components of a left-nested tuple.
pub(super) struct Components {
    first: usize,
    /// The places of the others, and the sizes of their universes; in numbers of tuples the last one varies fastest.
    others: Vec<(usize, u64)>,
}

impl Components {
    /// The components of tuples in a universe.
    pub(super) fn of(places: &[usize], universe: &Universe) -> Option<Self> {
        let (&last, front) = places.split_last()?;
        if front.is_empty() {
            return Some(Self { first: last, others: Vec::new() });
        }
        let (first, second) = universe.rows_and_columns()?;
        let mut components = Self::of(front, first)?;
        components.others.push((last, u64::from(second.size())));
        Some(components)
    }

    /// Writes the components of the tuple with a number to their places.
    pub(super) fn bind(&self, words: &mut Words, number: u64) {
        let mut rest = number;
        // The last component is the lowest digit; the first one is what remains, and needs no size.
        for &(at, size) in self.others.iter().rev() {
            words.slots[at] = rest % size;
            rest /= size;
        }
        words.slots[self.first] = rest;
    }
}

fn is_wide_extension(plan: &ExprPlan, universe: &Universe) -> bool {
    matches!(plan.kind, ExprPlanKind::SetExtension(_)) && universe.mask_words() > 1
}

/// A set of one word.
fn word(compute: impl Fn(&mut Words) -> Result<u64, Trap> + Send + Sync + 'static) -> PackedValue {
    PackedValue::Word(Operand::new(compute))
}

/// Evaluates a set and copies it to a place.
fn copied(set: &Wide, words: &mut Words, at: usize) -> Result<(), Trap> {
    set.evaluate(words)?;
    words.slots.copy_within(set.range(), at);
    Ok(())
}
