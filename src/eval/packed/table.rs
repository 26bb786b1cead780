//! Functions of which only the wanted value is read: constants from numbered values to sets, such as the tracks of each route, with a
//! row of the frame for each argument, and functions that are listed where they are applied.
//!
//! Invariant: a row is a flag and the words of the mask it stands for; what cannot be a row leaves the fast tier when it is read, so
//! that a table never says what its constant does not. Deliberately elsewhere: functions to single values, which are matrices (`matrix`).

use super::expression::Operand;
use super::value::{PackedValue, Wide};
use super::{Packer, Trap, Words};
use crate::eval::plan::{ExprPlan, ExprPlanKind};
use crate::ir::Type;
use crate::value::Value;
use crate::value::packing::{Packing, Universe};

/// Larger tables are not laid out.
const MOST_WORDS: usize = 1 << 14;

/// The flags of a row: the function has no value here, has this one, or is not what fits a table.
const NO_VALUE: u64 = 0;
const HAS_VALUE: u64 = 1;
const NO_TABLE: u64 = 2;

/// Where a table is in the frame, and what its rows and their bits stand for.
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

impl Packer<'_> {
    /// Room for the functions of a type, if they fit a table.
    pub(super) fn new_table(&mut self, ty: &Type) -> Option<Table> {
        let Type::Pair(argument, result) = ty.element()? else { return None };
        let Type::Set(_) = **result else { return None };
        let mut table = Table { at: 0, rows: self.numbered(argument)?, mask: self.packing(result)? };
        if table.rows.size() as usize > MOST_WORDS || table.words() > MOST_WORDS {
            return None;
        }
        table.at = self.take(table.words());
        Some(table)
    }

    /// `f(x)`, a set.
    pub(super) fn row_of_table(&mut self, function: &ExprPlan, argument: &ExprPlan) -> Option<PackedValue> {
        let table = match &function.kind {
            ExprPlanKind::Slot(slot) => self.tables.iter().find(|(constant, _)| constant == slot)?.1.clone(),
            ExprPlanKind::Value(value) => {
                let table = self.new_table(&function.ty)?;
                table.write(value, &mut self.image);
                table
            }
            _ => return None,
        };
        let argument = self.number(argument, &table.rows)?;
        let (words, row_words) = (table.mask.words(), table.row_words());
        Some(self.own(words, move |frame, at| {
            let row = table.at + usize::try_from(argument.get(frame)?).map_err(|_| Trap::Left)? * row_words;
            match frame.slots[row] {
                HAS_VALUE => frame.slots.copy_within(row + 1..row + row_words, at),
                NO_VALUE => return Err(Trap::IllDefined),
                _ => return Err(Trap::Left),
            }
            Ok(())
        }))
    }
}

impl Packer<'_> {
    /// `{a |-> b, …}(x)`, no set.
    pub(super) fn listed_word(&mut self, pairs: &[(ExprPlan, ExprPlan)], argument: &ExprPlan) -> Option<Operand> {
        let wanted = self.wanted(pairs, argument)?;
        let values = pairs.iter().map(|(_, value)| self.scalar(value)).collect::<Option<Vec<_>>>()?;
        Some(Operand::new(move |words| values[wanted(words)?].get(words)))
    }

    /// The same, a set.
    pub(super) fn listed_set(&mut self, pairs: &[(ExprPlan, ExprPlan)], argument: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let wanted = self.wanted(pairs, argument)?;
        let values = pairs.iter().map(|(_, value)| self.set(value, universe)).collect::<Option<Vec<_>>>()?;
        let values: Vec<Wide> = values.into_iter().map(|value| self.wide(value)).collect();
        Some(self.own(universe.mask_words(), move |words, at| {
            let value = &values[wanted(words)?];
            value.evaluate(words)?;
            words.slots.copy_within(value.range(), at);
            Ok(())
        }))
    }

    /// Which of several pairs has the argument; where two have it, the general evaluator looks whether they differ.
    fn wanted(
        &mut self,
        pairs: &[(ExprPlan, ExprPlan)],
        argument: &ExprPlan,
    ) -> Option<impl Fn(&mut Words) -> Result<usize, Trap> + Send + Sync + use<>> {
        let argument = self.scalar(argument)?;
        let keys = pairs.iter().map(|(key, _)| self.scalar(key)).collect::<Option<Vec<_>>>()?;
        Some(move |words: &mut Words| {
            let argument = argument.get(words)?;
            let mut found = None;
            for (at, key) in keys.iter().enumerate() {
                if key.get(words)? == argument && found.replace(at).is_some() {
                    return Err(Trap::Left);
                }
            }
            found.ok_or(Trap::IllDefined)
        })
    }
}
