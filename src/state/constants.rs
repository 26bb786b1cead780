//! Valuations of constants that all states of a set-up share, by number.
//!
//! Invariant: numbers count from 0 in the order of insertion, which ends before the parallel search begins; so they are the
//! same in every run and for any number of workers. Deliberately elsewhere: which constants all states share (`explore`).

use bcheck_value::Value;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

bcheck_source::numbers! {
    /// The number of a valuation of the shared constants: that of a set-up, but for what is not shared.
    pub ConstantsNumber;
}

/// The distinct valuations of the shared constants.
#[derive(Clone, Debug, Default)]
pub struct ConstantsTable {
    rows: Vec<Box<[Value]>>,
    numbers: HashTable<ConstantsNumber>,
}

fn hash<'a>(row: impl Iterator<Item = &'a Value>) -> u64 {
    let mut hasher = FxHasher::default();
    row.for_each(|value| value.hash(&mut hasher));
    hasher.finish()
}

impl ConstantsTable {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of a row, whether new or not.
    pub fn insert<'a>(&mut self, row: impl Iterator<Item = &'a Value> + Clone) -> ConstantsNumber {
        if let Some(number) = self.get(row.clone()) {
            return number;
        }
        // The table has numbers only, and rehashes the rows when it grows: `get` has shown that this row is not in it.
        let number = ConstantsNumber::at(self.rows.len());
        self.rows.push(row.clone().cloned().collect());
        // A single row is found without a hash, so the first one is not hashed until there is a second.
        let only = ConstantsNumber::new(0);
        let first = if number == only.next() { only } else { number };
        for number in ConstantsNumber::each(first..number.next()).filter(|_| number > only) {
            let row = self.rows[number.index()].iter();
            self.numbers.insert_unique(hash(row), number, |number| hash(self.rows[number.index()].iter()));
        }
        number
    }

    /// The number of a row that was inserted.
    pub fn get<'a>(&self, row: impl Iterator<Item = &'a Value> + Clone) -> Option<ConstantsNumber> {
        let is_row = |number: &ConstantsNumber| self.rows[number.index()].iter().eq(row.clone());
        match self.rows.len() {
            0 => None,
            // With one row, comparing is a few pointer comparisons, and hashing would walk through the values.
            1 => Some(ConstantsNumber::new(0)).filter(is_row),
            _ => self.numbers.find(hash(row.clone()), is_row).copied(),
        }
    }

    /// The row with this number.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub(crate) fn row(&self, number: ConstantsNumber) -> &[Value] {
        &self.rows[number.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_numbered_by_first_insertion() {
        let mut table = ConstantsTable::new();
        let rows: Vec<[Value; 2]> = (0..20).map(|number| [Value::integer(number % 7), Value::Bool(number % 2 == 0)]).collect();
        let numbers: Vec<u32> = rows.iter().map(|row| table.insert(row.iter()).number()).collect();
        assert_eq!(&numbers[..14], &(0..14).collect::<Vec<u32>>()[..]);
        assert_eq!(&numbers[14..], &[0, 1, 2, 3, 4, 5]);
        assert_eq!(table.rows.len(), 14);
        assert_eq!(table.row(ConstantsNumber::new(3)), &rows[3]);
        assert_eq!(table.get([Value::integer(9)].iter()), None);
    }
}
