//! Linear disequalities of integer variables, `sum /= limit` under a condition: propagated when at most one variable is not fixed.
//!
//! Invariant: two variables of a disequality are watched, and where a watched one is fixed, all that are not watched were fixed before it.
//! So nothing is missed, and nothing is to be done when backtracking takes bounds back. As there are bounds only, a number between them is
//! excluded when a bound reaches it.
//! After the watched literals of clauses (see `sat`), which I. P. Gent, C. Jefferson and I. Miguel, *Watched literals for constraint
//! propagation in Minion*, CP 2006, use for such constraints. Deliberately elsewhere: sums of wide ranges, of which one is less or greater
//! (`inequalities`).

use super::integers::{IntegerVariable, Propagator};
use super::{Conflict, Lit, Reason, Solver};

/// Where `equal` is false, the sum of the summands is not `limit`; where it is, `equal` is true.
#[derive(Debug)]
pub(super) struct Disequality {
    equal: Lit,
    /// Factors other than 0, each variable once; at least two.
    summands: Vec<(i64, IntegerVariable)>,
    limit: i64,
    watched: [IntegerVariable; 2],
    /// Whether it is in the queue of propagation.
    pub(super) waits: bool,
}

impl Solver {
    /// Demands that a sum is not `limit` where a literal is false. That the literal is false where the sum is another number is up to the
    /// caller.
    pub(super) fn disequality(&mut self, equal: Lit, summands: &[(i64, IntegerVariable)], limit: i64) {
        let at = u32::try_from(self.disequalities.len()).expect("fewer than 2^32 disequalities");
        let mut variables: Vec<IntegerVariable> = summands.iter().map(|(_, variable)| *variable).collect();
        // Stable: the first ones of those that may still have several values.
        variables.sort_by_key(|variable| self.is_fixed(*variable));
        let watched = [variables[0], variables[1]];
        watched.iter().for_each(|variable| self.integers[variable.0 as usize].disequalities.push(at));
        self.conditional(!equal, Propagator::Disequality(at));
        self.disequalities.push(Disequality { equal, summands: summands.to_vec(), limit, watched, waits: true });
        self.waiting.push_back(Propagator::Disequality(at));
    }

    fn is_fixed(&self, variable: IntegerVariable) -> bool {
        let [least, greatest] = self.ranges[variable.0 as usize];
        least == greatest
    }

    /// Visits the disequalities that watch a variable one of whose bounds has become narrower.
    pub(super) fn wake_disequalities(&mut self, variable: IntegerVariable) {
        let is_fixed = self.is_fixed(variable);
        // Taken out meanwhile: another variable is watched instead, never the same one.
        let mut watching = std::mem::take(&mut self.integers[variable.0 as usize].disequalities);
        watching.retain(|&at| self.is_still_watched(at, variable, is_fixed));
        self.integers[variable.0 as usize].disequalities = watching;
    }

    /// Whether a disequality goes on watching this variable; it waits for propagation if there is no more than one that is not fixed.
    #[inline]
    fn is_still_watched(&mut self, at: u32, variable: IntegerVariable, is_fixed: bool) -> bool {
        let disequality = &self.disequalities[at as usize];
        let [one, other] = disequality.watched;
        let (place, other) = if one == variable { (0, other) } else { (1, one) };
        if is_fixed {
            let open = |(_, summand): &&(i64, IntegerVariable)| *summand != other && !self.is_fixed(*summand);
            if let Some(&(_, next)) = disequality.summands.iter().find(open) {
                self.disequalities[at as usize].watched[place] = next;
                self.integers[next.0 as usize].disequalities.push(at);
                return false;
            }
        } else if !self.is_fixed(other) {
            return true;
        }
        self.enqueue(Propagator::Disequality(at));
        true
    }

    /// Propagates one disequality.
    pub(super) fn propagate_disequality(&mut self, at: u32) -> Option<Conflict> {
        let Disequality { equal, ref summands, limit, .. } = self.disequalities[at as usize];
        let holds = self.value(equal);
        if holds == Some(true) {
            return None;
        }
        let mut open = None;
        let mut rest = i128::from(limit);
        for &(factor, variable) in summands {
            let [least, greatest] = self.ranges[variable.0 as usize];
            if least == greatest {
                rest -= i128::from(factor) * i128::from(least);
            } else if open.replace((factor, variable)).is_some() {
                return None;
            }
        }
        let reason = Reason::Propagator(Propagator::Disequality(at), self.place());
        match open {
            None if rest != 0 => {}
            None if holds == Some(false) => return Some(Conflict::Propagator(Propagator::Disequality(at))),
            None => self.assign(equal, reason),
            Some((factor, variable)) if holds == Some(false) && rest % i128::from(factor) == 0 => {
                let excluded = rest / i128::from(factor);
                let [least, greatest] = self.ranges[variable.0 as usize];
                if excluded == i128::from(least) {
                    self.narrow_below(variable, least + 1, reason);
                } else if excluded == i128::from(greatest) {
                    self.narrow_above(variable, greatest - 1, reason);
                }
            }
            Some(_) => {}
        }
        None
    }

    /// The literals, all false, of which a conclusion at this place of the trail is the consequence; without it they are a conflict.
    pub(super) fn explain_disequality(&self, at: u32, place: usize, conclusion: Option<Lit>, literals: &mut Vec<Lit>) {
        let Disequality { equal, ref summands, .. } = self.disequalities[at as usize];
        if conclusion != Some(equal) {
            literals.push(equal);
        }
        let about = conclusion.and_then(|literal| self.bound_of(literal)).filter(|_| conclusion != Some(equal));
        for &(_, variable) in summands {
            let [lower, upper] = self.bounds_at(variable, place);
            // Of the variable that is not fixed, the bound that was excluded; a true literal makes the upper one less.
            let is_upper = conclusion.is_some_and(|literal| literal == Lit::positive(literal.variable()));
            let of_bounds = match about {
                Some((own, _)) if own == variable && is_upper => [Lit::TRUE, upper],
                Some((own, _)) if own == variable => [lower, Lit::TRUE],
                _ => [lower, upper],
            };
            literals.extend(of_bounds.into_iter().filter(|literal| *literal != Lit::TRUE).map(|literal| !literal));
        }
    }
}
