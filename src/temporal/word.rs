//! Words: paths as letters, and what a formula is worth on them, by the definition: the oracle of everything else on this floor.
//!
//! Invariant: values are those that the definitions of the operators give position by position; a test compares them. Deliberately
//! elsewhere: automata, which say the same of all words at once (`expand`).
//!
//! On a loop the past differs from round to round: `O p` may be false in the first round and true ever after. So the loop is unrolled `d`
//! times, where `d` is how deep past operators are nested, and the values in the last round are those of all later ones. Proof by induction
//! on the formula: let the arguments of a past operator repeat from round `k` on. `Y` reads the position before and repeats one position
//! later, so from round `k + 1` on. For `S` and `T` the value at the end of a round is a monotone function of the value at its begin, the
//! same function in each round: it is constant or the identity, so the values at the begins of rounds are equal from round `k + 1` on.
//! Future operators see later positions only and repeat as soon as their arguments do. (Markey and Schnoebelen, Model checking a path,
//! CONCUR 2003, bound the rounds in the same way.)

use super::formula::Formula;
use rustc_hash::FxHashMap;

/// A position of a path: the propositions of its state, and those of the step taken in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Letter {
    /// Propositions of the state, one bit each.
    pub state: u64,
    /// Propositions of the step. In the last position of a finite path there is no step: this is not read.
    pub step: u64,
}

/// A path: finite, or one that ends in a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its positions; at least one.
    pub letters: Vec<Letter>,
    /// The position that follows the last one; `None` if the path ends there.
    pub back: Option<usize>,
}

impl Word {
    /// The propositions of the step at a position; zero where a finite path ends.
    #[must_use]
    pub fn step(&self, position: usize) -> u64 {
        if self.next(position).is_some() { self.letters[position].step } else { 0 }
    }

    /// The position after one.
    #[must_use]
    pub fn next(&self, position: usize) -> Option<usize> {
        if position + 1 < self.letters.len() { Some(position + 1) } else { self.back }
    }

    /// This path with more rounds of its loop written out.
    #[must_use]
    pub fn unrolled(&self, rounds: usize) -> Self {
        let Some(back) = self.back else { return self.clone() };
        // The new rounds follow the old one, and the step back moves with them: the path is the same, only its finite description is
        // longer.
        let round = &self.letters[back..];
        let letters = self.letters.iter().chain((0..rounds).flat_map(|_| round)).copied().collect();
        Self { letters, back: Some(back + rounds * round.len()) }
    }
}

/// The values of all subformulas at the positions of a path.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    /// The distinct subformulas, each after those it is made of, the formula itself last; with its values, position by position. There
    /// are more positions than the word has if rounds of its loop differ: then the word is to be read as [`Word::unrolled`].
    pub rows: Vec<(&'a Formula, Vec<bool>)>,
    /// How many further rounds of the loop were written out: the fewest after which all later rounds repeat the last one.
    pub rounds: usize,
}

/// Whether a formula holds at the first position of a path.
#[must_use]
pub fn holds(formula: &Formula, word: &Word) -> bool {
    all_values(formula, word).rows.last().is_some_and(|(_, values)| values[0])
}

/// The values of a formula and its subformulas. Rounds of a loop that are like the one before are left out.
///
/// # Panics
/// When the word has no letter.
#[must_use]
pub fn values<'a>(formula: &'a Formula, word: &Word) -> Values<'a> {
    let mut values = all_values(formula, word);
    let round = word.letters.len() - word.back.unwrap_or(0);
    // All rows must repeat: one of them may agree by chance while another one that it depends on still changes.
    let is_repeated = |row: &[bool]| row[row.len() - round..] == row[row.len() - 2 * round..row.len() - round];
    while values.rounds > 0 && values.rows.iter().all(|(_, row)| is_repeated(row)) {
        for (_, row) in &mut values.rows {
            row.truncate(row.len() - round);
        }
        values.rounds -= 1;
    }
    values
}

fn all_values<'a>(formula: &'a Formula, word: &Word) -> Values<'a> {
    assert!(!word.letters.is_empty(), "a path has a first state");
    // A finite path has one past for each position: nothing is to be written out.
    let rounds = if word.back.is_some() { past_depth(formula) } else { 0 };
    let mut table = Table { word: word.unrolled(rounds), rows: Vec::new(), known: FxHashMap::default() };
    table.row(formula);
    Values { rows: table.rows, rounds }
}

/// How deep past operators are nested.
fn past_depth(formula: &Formula) -> usize {
    use Formula as F;
    let is_past = matches!(formula, F::Yesterday(_) | F::Historically(_) | F::Once(_) | F::Since(..) | F::Trigger(..));
    formula.arguments().iter().map(|argument| past_depth(argument)).max().unwrap_or(0) + usize::from(is_past)
}

/// Values in the order of computation, subformulas first.
struct Table<'a> {
    word: Word,
    rows: Vec<(&'a Formula, Vec<bool>)>,
    known: FxHashMap<&'a Formula, usize>,
}

impl<'a> Table<'a> {
    /// The number of the row of a formula.
    fn row(&mut self, formula: &'a Formula) -> usize {
        if let Some(&row) = self.known.get(formula) {
            return row;
        }
        let arguments: Vec<usize> = formula.arguments().into_iter().map(|argument| self.row(argument)).collect();
        // Operators with one argument read it as their second one too.
        let argument = |number: usize| arguments.get(number).or(arguments.first()).map_or(&[][..], |&row| &self.rows[row].1);
        let values = row(formula, &self.word, argument(0), argument(1));
        self.rows.push((formula, values));
        self.known.insert(formula, self.rows.len() - 1);
        self.rows.len() - 1
    }
}

/// The values of a formula at all positions, given those of its arguments.
fn row(formula: &Formula, word: &Word, first: &[bool], second: &[bool]) -> Vec<bool> {
    use Formula as F;
    let each = |value: &dyn Fn(usize) -> bool| (0..word.letters.len()).map(value).collect();
    // "Until" and its relatives advance through the positions until the second argument decides, or the first one stops them. If no
    // position decides, an until is false and a release is true: least and greatest fixed point.
    let until = |i: usize| (second[i] || !first[i]).then_some(second[i]);
    let release = |i: usize| (first[i] || !second[i]).then_some(second[i]);
    let never = |i: usize| (!first[i]).then_some(false);
    let ever = |i: usize| first[i].then_some(true);
    match formula {
        F::True => each(&|_| true),
        F::False => each(&|_| false),
        F::State(proposition) => each(&|at| word.letters[at].state >> proposition & 1 == 1),
        F::Step(proposition) => each(&|at| word.step(at) >> proposition & 1 == 1),
        F::Not(_) => each(&|at| !first[at]),
        F::And(..) => each(&|at| first[at] && second[at]),
        F::Or(..) => each(&|at| first[at] || second[at]),
        F::Implies(..) => each(&|at| !first[at] || second[at]),
        F::Equivalent(..) => each(&|at| first[at] == second[at]),
        F::Next(_) => each(&|at| word.next(at).is_some_and(|next| first[next])),
        F::Globally(_) => later(word, never, true),
        F::Finally(_) => later(word, ever, false),
        F::Until(..) => later(word, until, false),
        F::WeakUntil(..) => later(word, until, true),
        F::Release(..) => later(word, release, true),
        F::Yesterday(_) => each(&|at| at > 0 && first[at - 1]),
        F::Historically(_) => earlier(word, never, true),
        F::Once(_) => earlier(word, ever, false),
        F::Since(..) => earlier(word, until, false),
        F::Trigger(..) => earlier(word, release, true),
    }
}

/// At each position, the value that the first later position with a decision has; `undecided` if there is none.
fn later(word: &Word, decides: impl Fn(usize) -> Option<bool>, undecided: bool) -> Vec<bool> {
    let mut after = undecided;
    if let Some(back) = word.back {
        // Once round the loop from its beginning: either a position in it decides or none does, so this is the value there, and after the
        // last position.
        after = (back..word.letters.len()).find_map(&decides).unwrap_or(undecided);
    }
    let mut values: Vec<bool> = (0..word.letters.len())
        .rev()
        .map(|at| {
            after = decides(at).unwrap_or(after);
            after
        })
        .collect();
    values.reverse();
    values
}

/// As [`later`], backwards from each position. It does not go round the loop: earlier rounds are written out, so all positions before are
/// there.
fn earlier(word: &Word, decides: impl Fn(usize) -> Option<bool>, undecided: bool) -> Vec<bool> {
    let mut before = undecided;
    (0..word.letters.len())
        .map(|at| {
            before = decides(at).unwrap_or(before);
            before
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::random;
    use bcheck_source::SplitMix64;

    /// The positions from one on, each once: all that a path visits.
    fn from(word: &Word, position: usize) -> impl Iterator<Item = usize> + '_ {
        // As many positions as there are letters: from inside the loop that is more than one round at most, and a position that comes twice
        // changes neither `all` nor `any`, nor which one decides first.
        std::iter::successors(Some(position), |&at| word.next(at)).take(word.letters.len())
    }

    /// The definition: the value of a formula at a position, given the values of its arguments at all positions.
    fn value(formula: &Formula, word: &Word, at: usize, first: &[bool], second: &[bool]) -> bool {
        use Formula as F;
        // "Until" and its relatives go through positions until the second argument decides, or the first one does not let them go on.
        let until = |i: &usize| second[*i] || !first[*i];
        let release = |i: &usize| first[*i] || !second[*i];
        // Where no position decides, an until waits in vain and a release was never needed: least and greatest fixed point.
        let decided = |found: Option<usize>, at_end: bool| found.map_or(at_end, |i| second[i]);
        match formula {
            F::True => true,
            F::False => false,
            F::State(proposition) => word.letters[at].state >> proposition & 1 == 1,
            F::Step(proposition) => word.step(at) >> proposition & 1 == 1,
            F::Not(_) => !first[at],
            F::And(..) => first[at] && second[at],
            F::Or(..) => first[at] || second[at],
            F::Implies(..) => !first[at] || second[at],
            F::Equivalent(..) => first[at] == second[at],
            F::Next(_) => word.next(at).is_some_and(|next| first[next]),
            F::Globally(_) => from(word, at).all(|i| first[i]),
            F::Finally(_) => from(word, at).any(|i| first[i]),
            F::Until(..) => decided(from(word, at).find(until), false),
            F::WeakUntil(..) => decided(from(word, at).find(until), true),
            F::Release(..) => decided(from(word, at).find(release), true),
            F::Yesterday(_) => at > 0 && first[at - 1],
            F::Historically(_) => (0..=at).all(|i| first[i]),
            F::Once(_) => (0..=at).any(|i| first[i]),
            // Past operators do not go round the loop: rounds before this one are written out, so the positions before are all there are.
            F::Since(..) => decided((0..=at).rev().find(until), false),
            F::Trigger(..) => decided((0..=at).rev().find(release), true),
        }
    }

    fn word(states: &[u64], back: Option<usize>) -> Word {
        Word { letters: states.iter().map(|&state| Letter { state, step: 0 }).collect(), back }
    }

    #[test]
    fn values_of_unrolled_positions_are_given_where_rounds_differ() {
        let once = Formula::Once(Box::new(Formula::State(0)));
        let found = values(&once, &word(&[0, 0, 1], Some(1)));
        assert_eq!((found.rounds, found.rows[1].1.clone()), (1, vec![false, false, true, true, true]));
        let found = values(&once, &word(&[1, 0, 1], Some(1)));
        assert_eq!((found.rounds, found.rows[1].1.clone()), (0, vec![true, true, true]));
    }

    #[test]
    fn values_are_those_of_the_definition_at_every_position() {
        let mut random = SplitMix64::new(7);
        for _ in 0..3_000 {
            let formula = random::formula(&mut random, 9, random::Kind::Mixed);
            let word = random::word(&mut random, 6).unrolled(past_depth(&formula));
            let mut table = Table { word, rows: Vec::new(), known: FxHashMap::default() };
            table.row(&formula);
            for (formula, row) in &table.rows {
                let arguments: Vec<usize> = formula.arguments().into_iter().map(|argument| table.known[argument]).collect();
                let argument = |number: usize| arguments.get(number).map_or(&[][..], |&row| &table.rows[row].1);
                let defined: Vec<bool> = (0..row.len()).map(|at| value(formula, &table.word, at, argument(0), argument(1))).collect();
                assert_eq!(*row, defined, "{formula:?} on {:?}", table.word);
            }
        }
    }

    #[test]
    fn a_long_loop_takes_time_in_proportion_to_its_length() {
        // By the definition, 10^10 looks at positions.
        let word = word(&[0; 100_000], Some(0));
        assert!(!holds(&Formula::Finally(Box::new(Formula::State(0))), &word));
        assert!(holds(&Formula::Historically(Box::new(Formula::Not(Box::new(Formula::State(0))))), &word));
    }
}
