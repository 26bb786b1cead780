//! Comprehensions and lambdas over words: written out as masks, or applied to one argument.
//!
//! Invariant: an element is the number of the left-nested tuple of a comprehension's own names, which are split and composed here only.
//! Deliberately elsewhere: visiting the bindings (`search`, `visit`), membership (`membership`).

use super::operand::Operand;
use super::places::Places;
use super::types::PackedTypes;
use super::value::{PackedValue, packed_operand, word};
use super::wide_matrix as wide;
use super::{BailOut, Packer, Words};
use crate::plan::{ClosurePlan, ExprPlan, Shape};
use crate::run::frame::Flow;
use bcheck_ir::Type;
use bcheck_value::packing::Universe;

/// A comprehension or lambda, written out: each binding sets the bit of its value, however many have the same.
pub(super) fn comprehension(packer: &mut Packer<'_>, closure: &ClosurePlan, universe: &Universe) -> Option<PackedValue> {
    let search = packer.search(&closure.search)?;
    let number = match &closure.shape {
        Shape::Tuple { .. } => tuple(&packer.types, &mut packer.places, closure)?,
        Shape::Function { body, .. } => {
            let (_, columns) = universe.rows_and_columns()?;
            let (tuple, body, columns) =
                (tuple(&packer.types, &mut packer.places, closure)?, packer.number(body, columns)?, u64::from(columns.size()));
            Operand::new(move |words| Ok(tuple.get(words)? * columns + body.get(words)?))
        }
        Shape::Image { value, .. } => packer.number(value, universe)?,
    };
    // Bits are set while the search runs: nothing in it reads the mask, whose place belongs to this comprehension alone.
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
        packer.places.own(count, move |words, at| {
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
fn tuple(types: &PackedTypes<'_>, places: &mut Places, closure: &ClosurePlan) -> Option<Operand> {
    let universes = closure.types.iter().map(|ty| types.numbered(ty)).collect::<Option<Vec<_>>>()?;
    // A local integer has a separate word, and may be beyond the universe of the elements.
    let locals = own_names(types, places, closure)?.into_iter().zip(&universes).map(|(at, universe)| match universe {
        Universe::Integers(size) => (Operand::Slot(at).below(*size, BailOut::Left), u64::from(*size)),
        _ => (Operand::Slot(at), u64::from(universe.size())),
    });
    let mut locals: Vec<(Operand, u64)> = locals.collect();
    if locals.len() == 1 {
        return locals.pop().map(|(only, _)| only);
    }
    // Of `(a |-> b) |-> c` this is `(a * |B| + b) * |C| + c`.
    Some(Operand::new(move |words| locals.iter().try_fold(0, |tuple, (part, size)| Ok(tuple * size + part.get(words)?))))
}

/// `lambda(argument)`, without writing the lambda out.
pub(super) fn apply_lambda(packer: &mut Packer<'_>, closure: &ClosurePlan, argument: &ExprPlan) -> Option<Operand> {
    let Shape::Function { body, .. } = &closure.shape else { return None };
    let locals = locals(&packer.types, &mut packer.places, closure, &argument.ty)?;
    let argument = packed_operand(packer, argument)?;
    let condition = packer.pred(&closure.search.source)?;
    let body = packed_operand(packer, body)?;
    Some(Operand::new(move |words| {
        // The argument first: in `f(f(x))` it binds the same names.
        let argument = argument.get(words)?;
        locals.bind(words, argument);
        if condition(words)? { body.get(words) } else { Err(BailOut::IllDefined) }
    }))
}

/// The places of a comprehension's own names, if each has one word.
pub(super) fn own_names(types: &PackedTypes<'_>, places: &mut Places, closure: &ClosurePlan) -> Option<Vec<usize>> {
    // A name of several words, as of a large set, is not a digit of a tuple's number.
    let names = closure.locals.iter().zip(&closure.types);
    names.map(|(&slot, ty)| types.packing(ty).filter(|packing| packing.words() == 1).map(|packing| places.hold(slot, &packing))).collect()
}

/// How a value of this type is split into a comprehension's own names.
pub(super) fn locals(types: &PackedTypes<'_>, places: &mut Places, closure: &ClosurePlan, ty: &Type) -> Option<Components> {
    let places = own_names(types, places, closure)?;
    match (places.as_slice(), types.numbered(ty)) {
        ([only], _) => Some(Components { first: *only, others: Vec::new() }),
        (_, Some(universe)) => Components::of(&places, &universe),
        _ => None,
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
