//! The values of constants and variables in the states of a survey: bounds of integers, sizes of sets, and the values of all other types.
//!
//! Invariant: bounds and sizes are equal for all states of an orbit; of other values those of the representatives are listed, so that each
//! value that occurs is listed up to symmetry, or the list is marked as truncated. Deliberately elsewhere: the walk (`survey`).

use bcheck_value::{Integer, Value};

/// At most this many values are listed.
const LISTED: usize = 12;

/// The values that a name takes.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueRange {
    /// The least and the greatest integer.
    Integers(Integer, Integer),
    /// The least and the greatest number of elements of a set, relation or sequence.
    Sizes(usize, usize),
    /// The values, in their order; whether there are more.
    Values(Vec<Value>, bool),
}

impl ValueRange {
    fn of(value: &Value) -> Self {
        match value {
            Value::Integer(integer) => Self::Integers(integer.clone(), integer.clone()),
            Value::Set(set) => Self::Sizes(set.len(), set.len()),
            other => Self::Values(vec![other.clone()], false),
        }
    }

    fn add(&mut self, value: &Value) {
        match (self, value) {
            (Self::Integers(least, _), Value::Integer(integer)) if integer < least => *least = integer.clone(),
            (Self::Integers(_, greatest), Value::Integer(integer)) if integer > greatest => *greatest = integer.clone(),
            (Self::Sizes(least, greatest), Value::Set(set)) => {
                *least = set.len().min(*least);
                *greatest = set.len().max(*greatest);
            }
            (Self::Values(values, is_cut), value) if !*is_cut => {
                if let Err(at) = values.binary_search(value) {
                    *is_cut = values.len() == LISTED;
                    if !*is_cut {
                        values.insert(at, value.clone());
                    }
                }
            }
            // A set that is not written out has no number of elements here.
            (range @ Self::Sizes(..), Value::Symbolic(_)) => *range = Self::Values(vec![value.clone()], true),
            // An integer between the bounds, or one more value of a list that is cut.
            _ => {}
        }
    }
}

/// Adds a state to the ranges of its names.
pub(super) fn add_state(ranges: &mut Vec<ValueRange>, state: &[Value]) {
    for (at, value) in state.iter().enumerate() {
        match ranges.get_mut(at) {
            Some(range) => range.add(value),
            None => ranges.push(ValueRange::of(value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_bounds_sizes_or_values() {
        let set = |count: i64| Value::set((0..count).map(Value::integer).collect());
        let mut ranges = Vec::new();
        for (number, count, truth) in [(3, 2, true), (-1, 0, true), (2, 5, false)] {
            add_state(&mut ranges, &[Value::integer(number), set(count), Value::Bool(truth)]);
        }
        let values = vec![Value::Bool(false), Value::Bool(true)];
        let expected =
            [ValueRange::Integers(Integer::from(-1), Integer::from(3)), ValueRange::Sizes(0, 5), ValueRange::Values(values, false)];
        assert_eq!(ranges, expected);
        let mut ranges = Vec::new();
        (0..20).for_each(|count| add_state(&mut ranges, &[Value::string(&format!("{count}"))]));
        assert!(matches!(&ranges[0], ValueRange::Values(values, true) if values.len() == LISTED));
    }
}
