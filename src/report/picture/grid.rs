//! A grid of cells from the values of definitions, as ProB reads them.
//!
//! Invariant: each pair of a value is in the grid, or it is reported as without a place or contradicted. Deliberately elsewhere: which
//! definition overrides which (`picture`), how it looks (`drawn_grid`, `plain_grid`).

use bcheck_ir::{GridShape, Justification};
use bcheck_value::{Set, Value};
use std::collections::BTreeMap;

/// The most cells that the rectangle of a grid may have, empty ones included: nobody can look at more.
const MOST_CELLS: u64 = 10_000;
/// The most members of a definition's value that are read: more cannot fit so many cells, except for contradictions.
const MOST_MEMBERS: usize = 40_000;
/// As many letters of a text take the room of a cell.
pub(super) const LETTERS_OF_PART: usize = 200;

/// Row and column.
pub(crate) type CellPlace = (i64, i64);

/// A grid, whose rows and columns are all those from the least to the greatest that occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PictureGrid {
    /// The first row and column.
    pub(crate) first: CellPlace,
    /// The last row and column.
    pub(crate) last: CellPlace,
    /// The cells that are not empty.
    pub(crate) cells: BTreeMap<CellPlace, PictureCell>,
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PictureCell {
    pub(crate) content: CellContent,
    pub(crate) justification: Justification,
    /// The definition that has put it there.
    pub(crate) layer: String,
}

/// The content of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CellContent {
    /// The image with this number.
    Image(i64),
    /// A text.
    Text(String),
    /// A value without another meaning, in printed form.
    Value(String),
}

/// The values of one definition.
#[derive(Debug, Default)]
pub(super) struct Placed {
    pub(super) values: BTreeMap<CellPlace, Value>,
    /// A member without a place.
    pub(super) unplaced: Option<Value>,
    /// A place with several values.
    pub(super) contradicted: Option<CellPlace>,
}

/// The values of a definition by place.
pub(super) fn placed(value: &Value, shape: GridShape) -> Result<Placed, String> {
    let mut members: usize = 0;
    // Counted before they are placed: each takes memory, in each state.
    let mut listed = |value: &Value| {
        let set = value.as_set().ok_or_else(|| "it cannot be written out".to_owned())?;
        members = members.saturating_add(set.len());
        if members > MOST_MEMBERS {
            return Err(format!("more than {MOST_MEMBERS} cells are no picture: draw a part of them"));
        }
        Ok(set.clone())
    };
    let mut placed = Placed::default();
    for member in listed(value)?.iter() {
        let Some((first, second)) = member.as_pair() else { continue };
        match (shape, first.as_pair()) {
            (GridShape::Pairs, Some((row, column))) => placed.put(row, column, second, &member),
            (GridShape::Pairs, None) => placed.unplaced = placed.unplaced.or(Some(member.clone())),
            (GridShape::Rows, _) => placed.put_row(first, &listed(second)?),
        }
    }
    Ok(placed)
}

impl Placed {
    fn put_row(&mut self, row: &Value, of_row: &Set) {
        for member in of_row.iter() {
            if let Some((column, value)) = member.as_pair() {
                self.put(row, column, value, &member);
            }
        }
    }

    fn put(&mut self, row: &Value, column: &Value, value: &Value, member: &Value) {
        let Some(place) = number(row).zip(number(column)) else {
            self.unplaced.get_or_insert_with(|| member.clone());
            return;
        };
        let known = self.values.entry(place).or_insert_with(|| value.clone());
        if known != value {
            self.contradicted.get_or_insert(place);
            *known = known.clone().min(value.clone());
        }
    }
}

/// The number of a value: for an element its position in its set from 1; FALSE is 0 and TRUE is 1.
pub(super) fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(integer) => integer.to_i64(),
        Value::Element(element) => Some(i64::from(element.index) + 1),
        Value::Bool(truth) => Some(i64::from(*truth)),
        _ => None,
    }
}

impl PictureGrid {
    /// The grid with these cells; `None` without cells.
    pub(super) fn of(cells: BTreeMap<CellPlace, PictureCell>) -> Result<Option<Self>, String> {
        let bounds = |part: fn(&CellPlace) -> i64| {
            let all = || cells.keys().map(part);
            all().min().zip(all().max())
        };
        let Some((rows, columns)) = bounds(|place| place.0).zip(bounds(|place| place.1)) else { return Ok(None) };
        // The difference of any two numbers of 64 bits is one without a sign.
        let count = |(first, last): (i64, i64)| last.abs_diff(first).saturating_add(1);
        if count(rows).saturating_mul(count(columns)) > MOST_CELLS {
            return Err(format!("a grid of {} rows and {} columns is no picture: draw a part of them", count(rows), count(columns)));
        }
        Ok(Some(Self { first: (rows.0, columns.0), last: (rows.1, columns.1), cells }))
    }

    /// The number of its cells, empty ones included; long texts count for more.
    pub(super) fn parts(&self) -> usize {
        let text = |cell: &PictureCell| match &cell.content {
            CellContent::Image(_) => 0,
            CellContent::Text(text) | CellContent::Value(text) => text.len() / LETTERS_OF_PART,
        };
        self.rows().count() * self.columns().count() + self.cells.values().map(text).sum::<usize>()
    }

    /// The rows, from above.
    pub(super) fn rows(&self) -> impl Iterator<Item = i64> + use<> {
        self.first.0..=self.last.0
    }

    /// The columns, from the left.
    pub(super) fn columns(&self) -> impl Iterator<Item = i64> + use<> {
        self.first.1..=self.last.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_ir::SetId;

    fn integer(value: i64) -> Value {
        Value::integer(value)
    }

    fn at(row: Value, column: Value, value: Value) -> Value {
        Value::pair(Value::pair(row, column), value)
    }

    #[test]
    fn rows_and_columns_are_numbers_elements_or_truth_values() {
        let element = Value::element(SetId(0), 2);
        let value = Value::set(vec![at(integer(-1), Value::Bool(true), Value::string("a")), at(element, Value::Bool(false), integer(7))]);
        let placed = placed(&value, GridShape::Pairs).expect("a function");
        let places: Vec<CellPlace> = placed.values.keys().copied().collect();
        assert_eq!((places, placed.unplaced, placed.contradicted), (vec![(-1, 1), (3, 0)], None, None));
    }

    #[test]
    fn a_row_may_be_a_function_of_columns_and_of_several_values_the_least_is_taken() {
        let row = |values: &[(i64, i64)]| Value::set(values.iter().map(|(at, value)| Value::pair(integer(*at), integer(*value))).collect());
        let value = Value::set(vec![Value::pair(integer(1), row(&[(1, 5), (2, 6)])), Value::pair(integer(1), row(&[(2, 4)]))]);
        let placed = placed(&value, GridShape::Rows).expect("a function");
        assert_eq!(placed.contradicted, Some((1, 2)));
        assert_eq!(placed.values.values().cloned().collect::<Vec<_>>(), [integer(5), integer(4)]);
    }

    #[test]
    fn what_cannot_stand_in_cells_is_not_placed() {
        let members: Vec<Value> = (0..=40_000).map(|number| at(integer(number / 300), integer(number % 300), integer(0))).collect();
        assert!(placed(&Value::set(members.clone()), GridShape::Pairs).is_err_and(|why| why.contains("no picture")));
        let row = Value::set(members.iter().map(|member| Value::pair(member.clone(), integer(0))).collect());
        assert!(placed(&Value::set(vec![Value::pair(integer(1), row)]), GridShape::Rows).is_err());
        assert!(placed(&Value::set(members[..100].to_vec()), GridShape::Pairs).is_ok_and(|placed| placed.values.len() == 100));
    }

    #[test]
    fn a_grid_reaches_from_the_least_to_the_greatest_place_and_a_huge_one_is_no_picture() {
        let cell =
            || PictureCell { content: CellContent::Value("x".to_owned()), justification: Justification::Centre, layer: String::new() };
        let grid = PictureGrid::of(BTreeMap::from([((-1, 3), cell()), ((2, 0), cell())])).expect("small").expect("cells");
        assert_eq!((grid.first, grid.last, grid.rows().count(), grid.columns().count()), ((-1, 0), (2, 3), 4, 4));
        let huge = PictureGrid::of(BTreeMap::from([((i64::MIN, 0), cell()), ((i64::MAX, 0), cell())]));
        assert!(huge.is_err_and(|why| why.contains("is no picture")));
        assert_eq!(PictureGrid::of(BTreeMap::new()), Ok(None));
    }
}
