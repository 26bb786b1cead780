//! Sets of cubes, read as disjunctions: intersection, inclusion, prime implicants.
//!
//! Invariant: no cube here demands a proposition and its negation. Deliberately elsewhere: what a cube is (`automaton`), cubes with
//! obligations (`term`).

use super::automaton::Cube;
use crate::thresholds::PRIME_CUBES;

impl Cube {
    /// The cube that every letter satisfies.
    pub const ANY: Self = Self { state_true: 0, state_false: 0, step_true: 0, step_false: 0 };

    /// Both; nothing if they contradict each other.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let both = Self {
            state_true: self.state_true | other.state_true,
            state_false: self.state_false | other.state_false,
            step_true: self.step_true | other.step_true,
            step_false: self.step_false | other.step_false,
        };
        (both.state_true & both.state_false == 0 && both.step_true & both.step_false == 0).then_some(both)
    }

    /// Whether every letter that satisfies the other one satisfies this one.
    #[must_use]
    pub(crate) fn includes(&self, other: &Self) -> bool {
        self.state_true & !other.state_true == 0
            && self.state_false & !other.state_false == 0
            && self.step_true & !other.step_true == 0
            && self.step_false & !other.step_false == 0
    }

    /// The consensus: the largest cube inside both together that neither includes, for cubes that are opposed in one proposition.
    fn consensus(&self, other: &Self) -> Option<Self> {
        let states = self.state_true & other.state_false | self.state_false & other.state_true;
        let steps = self.step_true & other.step_false | self.step_false & other.step_true;
        // Opposed in two propositions, cubes have no consensus: whatever is inside both together is inside one of them.
        (states.count_ones() + steps.count_ones() == 1).then_some(Self {
            state_true: (self.state_true | other.state_true) & !states,
            state_false: (self.state_false | other.state_false) & !states,
            step_true: (self.step_true | other.step_true) & !steps,
            step_false: (self.step_false | other.step_false) & !steps,
        })
    }

    /// Its two halves by a proposition that occurs in the other one but not in this one.
    fn split(&self, other: &Self) -> Option<[Self; 2]> {
        let lowest = |word: u64| word & word.wrapping_neg();
        let state = lowest((other.state_true | other.state_false) & !(self.state_true | self.state_false));
        let step = lowest((other.step_true | other.step_false) & !(self.step_true | self.step_false));
        let half = |state_true, state_false, step_true, step_false| Self {
            state_true: self.state_true | state_true,
            state_false: self.state_false | state_false,
            step_true: self.step_true | step_true,
            step_false: self.step_false | step_false,
        };
        if state != 0 {
            Some([half(state, 0, 0, 0), half(0, state, 0, 0)])
        } else if step != 0 {
            Some([half(0, 0, step, 0), half(0, 0, 0, step)])
        } else {
            None
        }
    }
}

/// Whether every letter of a cube satisfies one of the cubes.
pub(super) fn covers(cubes: &[Cube], cube: &Cube) -> bool {
    if cubes.iter().any(|other| other.includes(cube)) {
        return true;
    }
    // No single cube includes it, so each cube that intersects it constrains a proposition that it leaves free.
    let near: Vec<Cube> = cubes.iter().copied().filter(|other| other.intersection(cube).is_some()).collect();
    // Shannon expansion. A cube that intersects none is not covered; if it cannot be split by a cube that intersects it, that one includes
    // it.
    let halves = near.first().and_then(|other| cube.split(other));
    halves.is_some_and(|halves| halves.iter().all(|half| covers(&near, half)))
}

/// The prime implicants of a disjunction of cubes, sorted: equal for equal functions (Quine's iterated consensus).
pub(super) fn primes(mut cubes: Vec<Cube>) -> Vec<Cube> {
    absorb(&mut cubes);
    let mut first = 0;
    // Cubes are all the prime implicants exactly if none includes another one and each consensus is included in one (Quine, 1955). There
    // may be exponentially many, hence the limit.
    while first < cubes.len() && cubes.len() <= PRIME_CUBES.get() {
        let found =
            (0..first).filter_map(|second| cubes[first].consensus(&cubes[second])).find(|new| !cubes.iter().any(|old| old.includes(new)));
        match found {
            Some(new) => {
                cubes.push(new);
                absorb(&mut cubes);
                // Sorting has moved the cubes, and the new one has not been compared with those before it.
                first = 0;
            }
            None => first += 1,
        }
    }
    cubes.sort_unstable();
    cubes
}

/// Leaves out cubes that others include.
fn absorb(cubes: &mut Vec<Cube>) {
    cubes.sort_unstable();
    cubes.dedup();
    let all = cubes.clone();
    cubes.retain(|cube| !all.iter().any(|other| other != cube && other.includes(cube)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::SplitMix64;

    fn random_cubes(random: &mut SplitMix64) -> Vec<Cube> {
        let mut cubes = Vec::new();
        for _ in 0..random.below(6) {
            let [state_true, state_false, step_true, step_false] = [(); 4].map(|()| random.word() & random.word() & 3);
            let cube = Cube { state_true, state_false: state_false & !state_true, step_true, step_false: step_false & !step_true };
            cubes.push(cube);
        }
        cubes
    }

    #[test]
    fn primes_and_covers_agree_with_all_letters() {
        let mut random = SplitMix64::new(3);
        let letters: Vec<(u64, u64)> = (0..16).map(|bits| (bits & 3, bits >> 2)).collect();
        let table =
            |cubes: &[Cube]| letters.iter().map(|&(state, step)| cubes.iter().any(|cube| cube.allows(state, step))).collect::<Vec<_>>();
        for _ in 0..2_000 {
            let (left, right) = (random_cubes(&mut random), random_cubes(&mut random));
            let (left_primes, right_primes) = (primes(left.clone()), primes(right.clone()));
            assert_eq!(table(&left), table(&left_primes));
            assert_eq!(table(&left) == table(&right), left_primes == right_primes);
            let is_below = table(&left).iter().zip(table(&right)).all(|(&left, right)| !left || right);
            assert_eq!(is_below, left.iter().all(|cube| covers(&right, cube)));
        }
    }
}
