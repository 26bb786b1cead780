//! Functions of which only the selected value is read: constants from numbered values to sets, such as the tracks of each route, as a
//! lookup table in the frame, and function extensions that are applied.
//!
//! Invariant: a row is a flag and the words of a mask; reading a function that a table cannot hold bails out, so a table never differs
//! from its constant. Deliberately elsewhere: functions to single values, which are matrices (`matrix`).

use super::operand::Operand;
use super::places::Places;
use super::types::PackedTypes;
use super::value::{PackedValue, Wide};
use super::{BailOut, Packer, Words};
use crate::plan::{ExprPlan, ExprPlanKind, Slot};
use crate::thresholds::PACKED_TABLE_WORDS;
use bcheck_ir::Type;
use bcheck_value::Value;
use bcheck_value::packing::{Packing, Universe};

/// The flags of a row: the function has no value here; it has the value in the row; the table cannot hold it.
const NO_VALUE: u64 = 0;
const HAS_VALUE: u64 = 1;
const NO_TABLE: u64 = 2;

/// The place of a table in the frame, the universe of its arguments and the packing of its values.
#[derive(Clone)]
pub(super) struct Table {
    at: usize,
    rows: Universe,
    mask: Packing,
}

impl Table {
    fn row_words(&self) -> usize {
        1 + self.mask.words()
    }

    fn words(&self) -> usize {
        self.rows.size() as usize * self.row_words()
    }

    /// Writes a function into the frame.
    pub(super) fn write(&self, function: &Value, frame: &mut [u64]) {
        let own = &mut frame[self.at..self.at + self.words()];
        own.fill(0);
        if self.write_rows(function, own).is_none() {
            // A symbolic function, two values for one argument, or something outside the universes: no row may be used, not even those
            // that were written before it occurred.
            own.iter_mut().step_by(self.row_words()).for_each(|flag| *flag = NO_TABLE);
        }
    }

    fn write_rows(&self, function: &Value, own: &mut [u64]) -> Option<()> {
        let Value::Set(pairs) = function else { return None };
        for pair in pairs.iter() {
            let (argument, result) = pair.as_pair()?;
            let row = usize::try_from(self.rows.index(argument)?).ok()? * self.row_words();
            let own = &mut own[row..row + self.row_words()];
            let is_new = own[0] == NO_VALUE;
            own[0] = HAS_VALUE;
            if !is_new || !self.mask.pack(result, &mut own[1..]) {
                return None;
            }
        }
        Some(())
    }
}

/// Tables of those constants that have no words and are functions to sets.
pub(super) fn tables_of(
    types: &PackedTypes<'_>,
    places: &mut Places,
    constant_types: &[&Type],
    constants: &[Option<Packing>],
) -> Vec<(Slot, Table)> {
    let without_words = constant_types.iter().enumerate().filter(|(slot, _)| constants[*slot].is_none());
    without_words.filter_map(|(slot, ty)| Some((slot, new_table(types, places, ty)?))).collect()
}

/// A table for the functions of a type, if it is not too large.
fn new_table(types: &PackedTypes<'_>, places: &mut Places, ty: &Type) -> Option<Table> {
    let Type::Pair(argument, result) = ty.element()? else { return None };
    let Type::Set(_) = **result else { return None };
    let mut table = Table { at: 0, rows: types.numbered(argument)?, mask: types.packing(result)? };
    // The first test keeps the product of the second from overflowing.
    if table.rows.size() as usize > PACKED_TABLE_WORDS.get() || table.words() > PACKED_TABLE_WORDS.get() {
        return None;
    }
    table.at = places.take(table.words());
    Some(table)
}

/// `f(x)`, where the value is a set.
pub(super) fn row_of_table(packer: &mut Packer<'_>, function: &ExprPlan, argument: &ExprPlan) -> Option<PackedValue> {
    let table = match &function.kind {
        // A constant's table is written with each set-up (`write`), that of a known function once.
        ExprPlanKind::Slot(slot) => packer.tables.iter().find(|(constant, _)| constant == slot)?.1.clone(),
        ExprPlanKind::Value(value) => {
            let table = new_table(&packer.types, &mut packer.places, &function.ty)?;
            table.write(value, packer.places.image());
            table
        }
        _ => return None,
    };
    let argument = packer.number(argument, &table.rows)?;
    let (words, row_words) = (table.mask.words(), table.row_words());
    Some(packer.places.own(words, move |frame, at| {
        // The argument is in the universe of the rows, or the run has bailed out.
        let row = table.at + usize::try_from(argument.get(frame)?).map_err(|_| BailOut::Left)? * row_words;
        match frame.slots[row] {
            HAS_VALUE => frame.slots.copy_within(row + 1..row + row_words, at),
            NO_VALUE => return Err(BailOut::IllDefined),
            _ => return Err(BailOut::Left),
        }
        Ok(())
    }))
}

/// `{a |-> b, …}(x)`, where the value is not a set.
pub(super) fn listed_word(packer: &mut Packer<'_>, pairs: &[(ExprPlan, ExprPlan)], argument: &ExprPlan) -> Option<Operand> {
    let wanted = wanted(packer, pairs, argument)?;
    let values = pairs.iter().map(|(_, value)| packer.scalar(value)).collect::<Option<Vec<_>>>()?;
    Some(Operand::new(move |words| values[wanted(words)?].get(words)))
}

/// `{a |-> b, …}(x)`, where the value is a set.
pub(super) fn listed_set(
    packer: &mut Packer<'_>,
    pairs: &[(ExprPlan, ExprPlan)],
    argument: &ExprPlan,
    universe: &Universe,
) -> Option<PackedValue> {
    let wanted = wanted(packer, pairs, argument)?;
    let values = pairs.iter().map(|(_, value)| packer.set(value, universe)).collect::<Option<Vec<_>>>()?;
    let values: Vec<Wide> = values.into_iter().map(|value| packer.places.wide(value)).collect();
    Some(packer.places.own(universe.mask_words(), move |words, at| {
        let value = &values[wanted(words)?];
        value.evaluate(words)?;
        words.slots.copy_within(value.range(), at);
        Ok(())
    }))
}

/// The number of the pair with the argument; where two have it, the general tier finds out whether their values differ.
fn wanted(
    packer: &mut Packer<'_>,
    pairs: &[(ExprPlan, ExprPlan)],
    argument: &ExprPlan,
) -> Option<impl Fn(&mut Words) -> Result<usize, BailOut> + Send + Sync + use<>> {
    let argument = packer.scalar(argument)?;
    let keys = pairs.iter().map(|(key, _)| packer.scalar(key)).collect::<Option<Vec<_>>>()?;
    Some(move |words: &mut Words| {
        let argument = argument.get(words)?;
        let mut found = None;
        for (at, key) in keys.iter().enumerate() {
            if key.get(words)? == argument && found.replace(at).is_some() {
                return Err(BailOut::Left);
            }
        }
        found.ok_or(BailOut::IllDefined)
    })
}
