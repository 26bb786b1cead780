//! Membership over words, in packed sets and in symbolic sets that words cannot hold, such as `S --> T`.
//!
//! Invariant: the operands of a set are evaluated as in the general tier, since each may be ill-defined, but the set itself is computed
//! only where an element cannot be looked up in the operands. Deliberately elsewhere: the sets themselves (`set`), sequences
//! (`sequences`).

use super::comprehension::{Components, locals, own_names};
use super::operand::{Operand, signed};
use super::places::Places;
use super::relation::dimensions;
use super::sequences::member_of_sequences;
use super::types::{is_symbolic_set, rows_and_columns};
use super::value::{PackedValue, packed_binding};
use super::wide_matrix::{self, Dimensions};
use super::{BailOut, Packer, Pred, Words, matrix};
use crate::plan::{ClosurePlan, ExprPlan, ExprPlanKind, Shape};
use crate::run::frame::Flow;
use bcheck_ir::{BinaryOp, FunctionKind, IntegerSet, Type, UnaryOp};
use bcheck_value::SequenceKind;
use bcheck_value::packing::{Packing, Universe};
use bcheck_value::{Symbolic, Value};

/// Whether a number is in a set.
type Test = Box<dyn Fn(&mut Words, u64) -> Result<bool, BailOut> + Send + Sync>;

/// A set that another one must be a subset of, or equal to.
struct SetBound {
    /// The part of it that lies in the universe.
    set: PackedValue,
    extent: Extent,
}

/// How a bound compares with a universe of packed values.
enum Extent {
    /// Inside the universe, and not known to be all of it.
    Part,
    /// All of it.
    Whole,
    /// With elements outside: no packed set is equal to it.
    Beyond {
        /// Whether it has all of the universe as well.
        is_whole: bool,
    },
}

impl SetBound {
    /// The set to compare with; `Some(None)` if every packed set is a subset of the bound and nothing else is required; `None` if packed
    /// sets must be equal to the bound and none is.
    #[allow(clippy::option_option, reason = "no bound, or a bound that cannot be packed")]
    fn needed(self, must_be_all: bool) -> Option<Option<PackedValue>> {
        match self.extent {
            Extent::Beyond { .. } if must_be_all => None,
            Extent::Whole if !must_be_all => Some(None),
            Extent::Beyond { is_whole: true } => Some(None),
            Extent::Part | Extent::Whole | Extent::Beyond { .. } => Some(Some(self.set)),
        }
    }
}

/// `element : set`
pub(super) fn member(packer: &mut Packer<'_>, element: &ExprPlan, set: &ExprPlan) -> Option<Pred> {
    if let ExprPlanKind::Closure(closure) = &set.kind {
        return member_of_closure(packer, element, closure);
    }
    if element.ty == Type::Integer {
        return member_of_integers(packer, element, set);
    }
    let Some(universe) = packer.types.universe(&set.ty) else { return member_of_description(packer, element, set) };
    let element = packer.number(element, &universe)?;
    if is_looked_up(set, &universe) {
        let test = test(packer, set, &universe)?;
        return Some(Box::new(move |words| {
            let element = element.get(words)?;
            test(words, element)
        }));
    }
    Some(match packer.set(set, &universe)? {
        PackedValue::Word(set) => Box::new(move |words| {
            let element = element.get(words)?;
            Ok(set.get(words)? >> element & 1 == 1)
        }),
        PackedValue::Wide(set) => Box::new(move |words| {
            let element = element.get(words)?;
            set.evaluate(words)?;
            Ok(wide_matrix::holds(set.read(words), element))
        }),
    })
}

/// `n : set`
fn member_of_integers(packer: &mut Packer<'_>, element: &ExprPlan, set: &ExprPlan) -> Option<Pred> {
    // A symbolic set of integers has no mask, but can be compared by its ends.
    let universe = match packer.types.universe(&set.ty) {
        Some(universe) if !is_symbolic_set(set) => universe,
        _ => return member_of_description(packer, element, set),
    };
    let size = u64::from(universe.size());
    let (element, test) = (packer.scalar(element)?, test(packer, set, &universe)?);
    Some(Box::new(move |words| {
        let element = element.get(words)?;
        // A number outside the universe is in no packed set, but the test runs all the same (with a number inside), because the
        // operands of the set may be ill-defined.
        Ok(test(words, if element < size { element } else { 0 })? && element < size)
    }))
}

/// A test for numbers that computes only the necessary part of a set.
fn test(packer: &mut Packer<'_>, set: &ExprPlan, universe: &Universe) -> Option<Test> {
    if !is_looked_up(set, universe) {
        return Some(match packer.set(set, universe)? {
            PackedValue::Word(set) => Box::new(move |words, number| Ok(set.get(words)? >> number & 1 == 1)),
            PackedValue::Wide(set) => Box::new(move |words, number| {
                set.evaluate(words)?;
                Ok(wide_matrix::holds(set.read(words), number))
            }),
        });
    }
    match &set.kind {
        ExprPlanKind::Unary(op, relation) => test_in_relation(packer, *op, relation),
        ExprPlanKind::Binary(BinaryOp::Image, relation, rows) => {
            let ExprPlanKind::SetExtension(items) = &rows.kind else { return None };
            let (relation, rows, columns) = packer.relation(relation)?;
            let (row, columns) = (packer.number(items.first()?, &rows)?, u64::from(columns.size()));
            let relation = packer.places.wide(relation);
            Some(Box::new(move |words, number| {
                relation.evaluate(words)?;
                let row = row.get(words)?;
                Ok(wide_matrix::holds(relation.read(words), row * columns + number))
            }))
        }
        ExprPlanKind::Binary(op, left, right) => {
            // No short cut after the first answer: the second operand may be ill-defined.
            let (a, b) = (test(packer, left, universe)?, test(packer, right, universe)?);
            let combine: fn(bool, bool) -> bool = match op {
                BinaryOp::Union => |a, b| a || b,
                BinaryOp::Intersection => |a, b| a && b,
                _ => |a, b| a && !b,
            };
            Some(Box::new(move |words, number| {
                let a = a(words, number)?;
                Ok(combine(a, b(words, number)?))
            }))
        }
        _ => None,
    }
}

/// A test for numbers in the domain, the range, or the inverse of a relation, which is not computed.
fn test_in_relation(packer: &mut Packer<'_>, op: UnaryOp, relation: &ExprPlan) -> Option<Test> {
    let (relation, rows, columns) = packer.relation(relation)?;
    let (size, row_count, columns) = (Dimensions::of(&rows, &columns), u64::from(rows.size()), columns.size());
    Some(match (op, relation) {
        (UnaryOp::Domain, PackedValue::Word(relation)) => {
            Box::new(move |words, number| Ok(matrix::row(relation.get(words)?, columns, number) != 0))
        }
        (UnaryOp::Range, PackedValue::Word(relation)) => {
            Box::new(move |words, number| Ok(matrix::range(relation.get(words)?, columns) >> number & 1 == 1))
        }
        (UnaryOp::Domain | UnaryOp::Range, PackedValue::Wide(relation)) => {
            let has = if op == UnaryOp::Domain { wide_matrix::has_row } else { wide_matrix::has_column };
            Box::new(move |words, number| {
                relation.evaluate(words)?;
                Ok(has(relation.read(words), size, number as usize))
            })
        }
        (_, relation) => {
            let relation = packer.places.wide(relation);
            Box::new(move |words, number| {
                relation.evaluate(words)?;
                // A pair of the inverse has the relation's columns for rows.
                let (column, row) = (number / row_count, number % row_count);
                Ok(wide_matrix::holds(relation.read(words), row * u64::from(columns) + column))
            })
        }
    })
}

/// `element : {x | P}`: the condition is evaluated for the element only.
fn member_of_closure(packer: &mut Packer<'_>, element: &ExprPlan, closure: &ClosurePlan) -> Option<Pred> {
    match &closure.shape {
        Shape::Tuple { .. } => {
            if let ([local], Type::Set(_)) = (closure.locals.as_slice(), &element.ty) {
                let binding = packed_binding(packer, *local, element)?;
                let condition = packer.pred(&closure.search.source)?;
                // A set has no number that could be split, but a single name can hold it directly.
                return Some(Box::new(move |words| {
                    binding.bind(words)?;
                    condition(words)
                }));
            }
            // The condition in the order of the text, since a search would bind names that have their values already.
            let locals = locals(&packer.types, &mut packer.places, closure, &element.ty)?;
            let (element, condition) = (packer.scalar(element)?, packer.pred(&closure.search.source)?);
            Some(Box::new(move |words| {
                let element = element.get(words)?;
                locals.bind(words, element);
                condition(words)
            }))
        }
        Shape::Function { body, .. } => {
            let universe = packer.types.numbered(&element.ty)?;
            let (arguments, results) = universe.rows_and_columns()?;
            let locals: Vec<usize> = own_names(&packer.types, &mut packer.places, closure)?;
            let locals = Components::of(&locals, arguments)?;
            let columns = u64::from(rows_and_columns(&universe)?.1);
            let (element, condition) = (packer.number(element, &universe)?, packer.pred(&closure.search.source)?);
            let body = packer.number(body, results)?;
            Some(Box::new(move |words| {
                let element = element.get(words)?;
                locals.bind(words, element / columns);
                Ok(condition(words)? && body.get(words)? == element % columns)
            }))
        }
        Shape::Image { target, search, .. } => {
            let (binding, search) = (packed_binding(packer, *target, element)?, packer.search(search)?);
            Some(Box::new(move |words| {
                binding.bind(words)?;
                let mut found = false;
                search.run(words, &mut |_| {
                    found = true;
                    Ok(Flow::Stop)
                })?;
                Ok(found)
            }))
        }
    }
}

/// Membership in a set without a mask; which elements of it are outside the universe does not matter.
fn member_of_description(packer: &mut Packer<'_>, element: &ExprPlan, set: &ExprPlan) -> Option<Pred> {
    match &set.kind {
        ExprPlanKind::Value(Value::Symbolic(symbolic)) => member_of_known(packer, element, symbolic),
        ExprPlanKind::Value(Value::Set(known)) if set.ty == Type::set(Type::Integer) => {
            let element = packer.scalar(element)?;
            // Ascending, as the members of a set are, so that a binary search finds them.
            let numbers =
                known.iter().map(|value| value.as_integer().and_then(bcheck_value::Integer::to_i64)).collect::<Option<Vec<_>>>()?;
            Some(Box::new(move |words| Ok(numbers.binary_search(&signed(element.get(words)?)).is_ok())))
        }
        ExprPlanKind::Unary(op @ (UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1), base) => {
            let universe = packer.types.universe(&element.ty)?;
            let base = bound_by(packer, base, &universe)?;
            member_of_power(packer, element, &universe, base, matches!(op, UnaryOp::Pow1 | UnaryOp::Fin1))
        }
        ExprPlanKind::Unary(op, base) => {
            member_of_sequences(packer, element, SequenceKind::of(*op)?, |packer, items| packer.set(base, items))
        }
        ExprPlanKind::Binary(BinaryOp::Interval, from, to) => {
            let (element, from, to) = (packer.scalar(element)?, packer.scalar(from)?, packer.scalar(to)?);
            Some(Box::new(move |words| {
                let (element, from, to) = (signed(element.get(words)?), signed(from.get(words)?), signed(to.get(words)?));
                Ok(from <= element && element <= to)
            }))
        }
        ExprPlanKind::Binary(op, from, to) => {
            let (kind, universe) = (FunctionKind::of(*op)?, packer.types.universe(&element.ty)?);
            let (rows, columns) = universe.rows_and_columns()?;
            let from = bound_by(packer, from, rows)?;
            let to = bound_by(packer, to, columns)?;
            member_of_functions(packer, element, &universe, kind, from, to)
        }
        _ => None,
    }
}

/// A set as a bound for the sets of a universe.
fn bound_by(packer: &mut Packer<'_>, plan: &ExprPlan, universe: &Universe) -> Option<SetBound> {
    match &plan.kind {
        ExprPlanKind::Value(value) => bound_by_known(&mut packer.places, value, universe),
        _ => Some(SetBound { set: packer.set(plan, universe)?, extent: Extent::Part }),
    }
}

/// A known set as a bound; only for these does the compiler know that they are the whole universe, or more.
fn bound_by_known(places: &mut Places, set: &Value, universe: &Universe) -> Option<SetBound> {
    let packing = Packing::Mask(universe.clone());
    if let (Universe::Integers(size), Value::Symbolic(symbolic)) = (universe, set) {
        let (from, to) = match &**symbolic {
            Symbolic::Integers(IntegerSet::Natural1 | IntegerSet::Nat1) => (1, None),
            Symbolic::Integers(_) => (0, None),
            Symbolic::Interval(from, to) => (from.to_i64()?, Some(to.to_i64()?)),
            _ => return None,
        };
        let last = i64::from(*size) - 1;
        let part = (from.max(0)..=to.unwrap_or(last).min(last)).map(Value::integer).collect();
        // Ranges without an upper end, such as NATURAL, have elements beyond any universe; NAT and INT occur as intervals.
        let extent = match from <= 0 && to.is_none_or(|to| to >= last) {
            // Beyond the universe, no packed set is equal to the bound: so no function is total on it.
            is_whole if from < 0 || to.is_none_or(|to| to > last) => Extent::Beyond { is_whole },
            true => Extent::Whole,
            false => Extent::Part,
        };
        return Some(SetBound { set: places.known(&packing, &Value::set(part))?, extent });
    }
    let extent = if is_whole(set, universe) { Extent::Whole } else { Extent::Part };
    Some(SetBound { set: places.known(&packing, set)?, extent })
}

fn member_of_known(packer: &mut Packer<'_>, element: &ExprPlan, symbolic: &Symbolic) -> Option<Pred> {
    match symbolic {
        // INT, NAT and NAT1 are evaluated to intervals, so only the infinite sets occur here; the others make the match exhaustive.
        Symbolic::Integers(which) => {
            let element = packer.scalar(element)?;
            let least = match which {
                IntegerSet::Natural | IntegerSet::Nat => 0,
                IntegerSet::Natural1 | IntegerSet::Nat1 => 1,
                IntegerSet::Integer | IntegerSet::Int => i64::MIN,
            };
            Some(Box::new(move |words| Ok(signed(element.get(words)?) >= least)))
        }
        Symbolic::Interval(from, to) => {
            let element = packer.scalar(element)?;
            let (from, to) = (from.to_i64()?, to.to_i64()?);
            Some(Box::new(move |words| {
                let element = signed(element.get(words)?);
                Ok(from <= element && element <= to)
            }))
        }
        Symbolic::Power { base, nonempty, .. } => {
            let universe = packer.types.universe(&element.ty)?;
            let base = bound_by_known(&mut packer.places, base, &universe)?;
            member_of_power(packer, element, &universe, base, *nonempty)
        }
        Symbolic::Sequences(kind, base) => {
            member_of_sequences(packer, element, *kind, |packer, items| packer.places.known(&Packing::Mask(items.clone()), base))
        }
        Symbolic::Functions(kind, from, to) => {
            let universe = packer.types.universe(&element.ty)?;
            let (rows, columns) = universe.rows_and_columns()?;
            let from = bound_by_known(&mut packer.places, from, rows)?;
            let to = bound_by_known(&mut packer.places, to, columns)?;
            member_of_functions(packer, element, &universe, *kind, from, to)
        }
        _ => None,
    }
}

/// `element <: set`, where only the part of the set that lies in the universe matters.
pub(super) fn bounded(packer: &mut Packer<'_>, element: &ExprPlan, set: &ExprPlan) -> Option<Pred> {
    let universe = packer.types.universe(&element.ty)?;
    let bound = bound_by(packer, set, &universe)?;
    member_of_power(packer, element, &universe, bound, false)
}

fn member_of_power(packer: &mut Packer<'_>, element: &ExprPlan, universe: &Universe, base: SetBound, nonempty: bool) -> Option<Pred> {
    let (element, base) = (packer.set(element, universe)?, base.needed(false)?);
    if universe.mask_words() == 1 {
        let element = element.word()?;
        // Inside all bits is every set: the test is the same without a bound.
        let base = base.map_or(Some(Operand::Known(u64::MAX)), PackedValue::word)?;
        return Some(Box::new(move |words| {
            let element = element.get(words)?;
            Ok(element & !base.get(words)? == 0 && !(nonempty && element == 0))
        }));
    }
    let (element, base) = (packer.places.wide(element), base.map(|base| packer.places.wide(base)));
    Some(Box::new(move |words| {
        element.evaluate(words)?;
        if let Some(base) = &base {
            base.evaluate(words)?;
        }
        let set = element.read(words);
        let fits = base.as_ref().is_none_or(|base| wide_matrix::is_subset(set, base.read(words)));
        Ok(fits && !(nonempty && set.iter().all(|word| *word == 0)))
    }))
}

fn member_of_functions(
    packer: &mut Packer<'_>,
    element: &ExprPlan,
    universe: &Universe,
    kind: FunctionKind,
    from: SetBound,
    to: SetBound,
) -> Option<Pred> {
    let (size, (rows, columns)) = (dimensions(universe)?, universe.rows_and_columns()?);
    let (row_words, column_words, columns) = (rows.mask_words(), columns.mask_words(), columns.size());
    let relation = packer.set(element, universe)?;
    // A total function needs `dom(f) = from`, a surjective one `ran(f) = to`; otherwise inclusion suffices, and with a bound that has
    // all of the universe nothing is to be tested.
    let (from, to) = (from.needed(kind.is_total())?, to.needed(kind.is_surjective())?);
    if universe.mask_words() == 1 {
        let relation = relation.word()?;
        let [from, to] = [from, to].map(|bound| bound.and_then(PackedValue::word));
        return Some(Box::new(move |words| {
            let relation = relation.get(words)?;
            let from = from.as_ref().map(|from| from.get(words)).transpose()?;
            let to = to.as_ref().map(|to| to.get(words)).transpose()?;
            let fits = |part: u64, whole: u64, all: bool| if all { part == whole } else { part & !whole == 0 };
            Ok(from.is_none_or(|from| fits(matrix::domain(relation, columns), from, kind.is_total()))
                && to.is_none_or(|to| fits(matrix::range(relation, columns), to, kind.is_surjective()))
                && (!kind.is_functional() || matrix::is_function(relation, columns))
                && (!kind.is_injective() || matrix::is_injective(relation, columns)))
        }));
    }
    let relation = packer.places.wide(relation);
    let [from, to] = [from, to].map(|bound| bound.map(|bound| packer.places.wide(bound)));
    // One place serves the domain, the range and the columns seen, one after the other.
    let scratch = packer.places.take(row_words.max(column_words));
    Some(Box::new(move |words| {
        relation.evaluate(words)?;
        for bound in from.iter().chain(&to) {
            bound.evaluate(words)?;
        }
        let (before, own) = words.slots.split_at_mut(scratch);
        let matrix = &before[relation.range()];
        let fits = |part: &[u64], whole: &[u64], all: bool| if all { part == whole } else { wide_matrix::is_subset(part, whole) };
        if let Some(from) = &from {
            wide_matrix::domain(matrix, size, &mut own[..row_words]);
            if !fits(&own[..row_words], &before[from.range()], kind.is_total()) {
                return Ok(false);
            }
        }
        if let Some(to) = &to {
            wide_matrix::range(matrix, size, &mut own[..column_words]);
            if !fits(&own[..column_words], &before[to.range()], kind.is_surjective()) {
                return Ok(false);
            }
        }
        Ok((!kind.is_functional() || wide_matrix::is_function(matrix, size))
            && (!kind.is_injective() || wide_matrix::is_injective(matrix, size, &mut own[..column_words])))
    }))
}

/// Whether an element is looked up in the operands of a set, which is not computed.
fn is_looked_up(set: &ExprPlan, universe: &Universe) -> bool {
    match &set.kind {
        // In one word, combining two sets costs no more than looking into both.
        ExprPlanKind::Binary(BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference, ..) => universe.mask_words() > 1,
        // `r[{x}]` is a row, whose bits are read in place.
        ExprPlanKind::Binary(BinaryOp::Image, _, rows) => matches!(&rows.kind, ExprPlanKind::SetExtension(items) if items.len() == 1),
        ExprPlanKind::Unary(op, _) => matches!(op, UnaryOp::Domain | UnaryOp::Range | UnaryOp::Inverse),
        _ => false,
    }
}

/// Whether a set has all values of a universe: by typing its elements are among them, so their number decides.
fn is_whole(set: &Value, universe: &Universe) -> bool {
    matches!(set, Value::Set(set) if set.len() == universe.size() as usize)
}
