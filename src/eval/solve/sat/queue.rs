//! The order in which inputs are decided: a binary heap by activity, with the place of each variable in it.
//!
//! Invariant: nothing in the heap comes before what is above it, unless activities became equal when they were scaled down; nothing is
//! there twice. An input that is assigned stays in it until it comes out, since it is likely to be unassigned again by then.
//! After N. Eén and N. Sörensson (see `sat`). Deliberately elsewhere: activities (`conflict`), which are handed to each call.

use super::Variable;

/// The place of a variable that is not in the heap.
const ABSENT: u32 = u32::MAX;

/// Variables by activity, the lower number first among equals.
#[derive(Default)]
pub(super) struct DecisionQueue {
    heap: Vec<Variable>,
    /// By variable, as far as any has been in the heap: its place there.
    places: Vec<u32>,
}

impl DecisionQueue {
    /// Puts a variable in, unless it is there.
    pub(super) fn insert(&mut self, variable: Variable, activity: &[f64]) {
        if self.places.len() <= variable.index() {
            self.places.resize(variable.index() + 1, ABSENT);
        }
        if self.places[variable.index()] == ABSENT {
            self.heap.push(variable);
            self.move_up(self.heap.len() - 1, activity);
        }
    }

    /// Moves a variable to its place after its activity has grown, if it is there.
    pub(super) fn rise(&mut self, variable: Variable, activity: &[f64]) {
        if let Some(place) = self.places.get(variable.index()).filter(|place| **place != ABSENT) {
            self.move_up(*place as usize, activity);
        }
    }

    /// Takes the first one out.
    pub(super) fn pop(&mut self, activity: &[f64]) -> Option<Variable> {
        let last = self.heap.pop()?;
        let first = self.heap.first().copied().unwrap_or(last);
        self.places[first.index()] = ABSENT;
        if !self.heap.is_empty() {
            self.heap[0] = last;
            self.move_down(activity);
        }
        Some(first)
    }

    fn move_up(&mut self, mut place: usize, activity: &[f64]) {
        let variable = self.heap[place];
        while place > 0 {
            let above = self.heap[(place - 1) / 2];
            if !is_before(variable, above, activity) {
                break;
            }
            self.put(place, above);
            place = (place - 1) / 2;
        }
        self.put(place, variable);
    }

    /// Moves the first entry down to its place.
    fn move_down(&mut self, activity: &[f64]) {
        let (mut place, variable) = (0, self.heap[0]);
        loop {
            let left = 2 * place + 1;
            let Some(&one) = self.heap.get(left) else { break };
            let (below, at) = match self.heap.get(left + 1) {
                Some(&other) if is_before(other, one, activity) => (other, left + 1),
                _ => (one, left),
            };
            if !is_before(below, variable, activity) {
                break;
            }
            self.put(place, below);
            place = at;
        }
        self.put(place, variable);
    }

    fn put(&mut self, place: usize, variable: Variable) {
        self.heap[place] = variable;
        self.places[variable.index()] = u32::try_from(place).expect("fewer than 2^31 variables");
    }
}

fn is_before(one: Variable, other: Variable, activity: &[f64]) -> bool {
    let (of_one, of_other) = (activity[one.index()], activity[other.index()]);
    of_one > of_other || (of_one == of_other && one < other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn variables_come_out_in_order(
            entries in prop::collection::vec((0usize..40, 0u8..6), 0..80),
            raised in prop::collection::vec((0usize..40, 0u8..9), 0..40),
        ) {
            let mut activity = vec![0.0; 40];
            let mut queue = DecisionQueue::default();
            for (variable, value) in entries.iter().rev() {
                if !queue.heap.contains(&Variable::at(*variable)) {
                    activity[*variable] = f64::from(*value);
                }
                queue.insert(Variable::at(*variable), &activity);
            }
            for (variable, value) in &raised {
                activity[*variable] += f64::from(*value);
                queue.rise(Variable::at(*variable), &activity);
            }
            let mut expected: Vec<usize> = entries.iter().map(|(variable, _)| *variable).collect();
            expected.sort_by(|one, other| activity[*other].total_cmp(&activity[*one]).then(one.cmp(other)));
            expected.dedup();
            let found: Vec<usize> = std::iter::from_fn(|| queue.pop(&activity)).map(Variable::index).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
