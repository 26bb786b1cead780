//! Linear disequalities of integer variables, `sum /= limit` under a condition: propagated when at most one variable is not fixed.
//!
//! Invariant: two variables of a disequality are watched, and where a watched one is fixed, all that are not watched were fixed before it.
//! So nothing is missed, and nothing is to be done when backtracking takes bounds back. As there are bounds only, a number between them is
//! excluded when a bound reaches it.
//! After the watched literals of clauses (see `sat`), which I. P. Gent, C. Jefferson and I. Miguel, *Watched literals for constraint
//! propagation in Minion*, CP 2006, use for such constraints. Deliberately elsewhere: sums of wide ranges, of which one is less or greater
//! (`sums`).

use super::agenda::{Agenda, DisequalityNumber, Propagator};
use super::integers::{IntegerVariable, Integers};
use super::trail::Trail;
use super::{Lit, TrailPlace};

/// Where `equal` is false, the sum of the summands is not `limit`; where it is, `equal` is true.
#[derive(Debug)]
struct Disequality {
    equal: Lit,
    /// Factors other than 0, each variable once; at least two.
    summands: Vec<(i64, IntegerVariable)>,
    limit: i64,
    watched: [IntegerVariable; 2],
}

/// All disequalities, with the variables that they watch.
#[derive(Default)]
pub(super) struct Disequalities {
    all: Vec<Disequality>,
    /// By variable, as far as any has been watched: the disequalities that watch it.
    watching: Vec<Vec<DisequalityNumber>>,
}

/// The consequence of a disequality.
pub(super) enum Conclusion {
    Nothing,
    Conflict,
    /// The sum is `limit`: this literal is true.
    Equal(Lit),
    AtLeast(IntegerVariable, i64),
    AtMost(IntegerVariable, i64),
}

impl Disequalities {
    /// Demands that a sum is not `limit` where a literal is false. That the literal is false where the sum is another number is up to the
    /// caller.
    pub(super) fn add(&mut self, equal: Lit, summands: &[(i64, IntegerVariable)], limit: i64, integers: &Integers, agenda: &mut Agenda) {
        let at = DisequalityNumber::at(self.all.len());
        let mut variables: Vec<IntegerVariable> = summands.iter().map(|(_, variable)| *variable).collect();
        // Stable: the first ones of those that may still have several values.
        variables.sort_by_key(|variable| integers.is_fixed(*variable));
        let watched = [variables[0], variables[1]];
        let variables = variables.iter().map(|variable| variable.index() + 1).max().unwrap_or(0);
        self.watching.resize(self.watching.len().max(variables), Vec::new());
        watched.iter().for_each(|variable| self.watching[variable.index()].push(at));
        self.all.push(Disequality { equal, summands: summands.to_vec(), limit, watched });
        agenda.watch(!equal, Propagator::Disequality(at));
        agenda.add(Propagator::Disequality(at));
    }

    /// Visits the disequalities that watch a variable one of whose bounds has become narrower.
    pub(super) fn wake(&mut self, variable: IntegerVariable, integers: &Integers, agenda: &mut Agenda) {
        if self.watching.len() <= variable.index() {
            return;
        }
        let is_fixed = integers.is_fixed(variable);
        // Taken out meanwhile: another variable is watched instead, never the same one.
        let mut watching = std::mem::take(&mut self.watching[variable.index()]);
        watching.retain(|&at| self.is_still_watched(at, variable, is_fixed, integers, agenda));
        self.watching[variable.index()] = watching;
    }

    /// Whether a disequality still watches this variable; it waits for propagation if at most one variable is not fixed.
    #[inline]
    fn is_still_watched(
        &mut self,
        at: DisequalityNumber,
        variable: IntegerVariable,
        is_fixed: bool,
        integers: &Integers,
        agenda: &mut Agenda,
    ) -> bool {
        let disequality = &mut self.all[at.index()];
        let [one, other] = disequality.watched;
        let (place, other) = if one == variable { (0, other) } else { (1, one) };
        if is_fixed {
            let open = |(_, summand): &&(i64, IntegerVariable)| *summand != other && !integers.is_fixed(*summand);
            if let Some(&(_, next)) = disequality.summands.iter().find(open) {
                disequality.watched[place] = next;
                self.watching[next.index()].push(at);
                return false;
            }
        } else if !integers.is_fixed(other) {
            return true;
        }
        agenda.enqueue(Propagator::Disequality(at));
        true
    }

    /// The current consequence of one disequality.
    pub(super) fn conclusion(&self, at: DisequalityNumber, trail: &Trail, integers: &Integers) -> Conclusion {
        let Disequality { equal, ref summands, limit, .. } = self.all[at.index()];
        let holds = trail.value(equal);
        if holds == Some(true) {
            return Conclusion::Nothing;
        }
        let mut open = None;
        let mut rest = i128::from(limit);
        for &(factor, variable) in summands {
            let [least, greatest] = integers.range(variable);
            if least == greatest {
                rest -= i128::from(factor) * i128::from(least);
            } else if open.replace((factor, variable)).is_some() {
                return Conclusion::Nothing;
            }
        }
        match open {
            None if rest != 0 => Conclusion::Nothing,
            None if holds == Some(false) => Conclusion::Conflict,
            None => Conclusion::Equal(equal),
            Some((factor, variable)) if holds == Some(false) && rest % i128::from(factor) == 0 => {
                let excluded = rest / i128::from(factor);
                let [least, greatest] = integers.range(variable);
                if excluded == i128::from(least) {
                    Conclusion::AtLeast(variable, least + 1)
                } else if excluded == i128::from(greatest) {
                    Conclusion::AtMost(variable, greatest - 1)
                } else {
                    Conclusion::Nothing
                }
            }
            Some(_) => Conclusion::Nothing,
        }
    }

    /// The false literals that imply a conclusion at this place of the trail; without a conclusion they are a conflict.
    pub(super) fn explain(
        &self,
        at: DisequalityNumber,
        integers: &Integers,
        place: TrailPlace,
        conclusion: Option<Lit>,
        literals: &mut Vec<Lit>,
    ) {
        let Disequality { equal, ref summands, .. } = self.all[at.index()];
        if conclusion != Some(equal) {
            literals.push(equal);
        }
        let about = conclusion.and_then(|literal| integers.bound_of(literal)).filter(|_| conclusion != Some(equal));
        for &(_, variable) in summands {
            let [lower, upper] = integers.bounds_at(variable, place);
            // Of the variable that is not fixed, the bound that was excluded; a true literal makes the upper one less.
            let is_upper = conclusion.is_some_and(Lit::is_positive);
            let of_bounds = match about {
                Some((own, _)) if own == variable && is_upper => [Lit::TRUE, upper],
                Some((own, _)) if own == variable => [lower, Lit::TRUE],
                _ => [lower, upper],
            };
            literals.extend(of_bounds.into_iter().filter(|literal| *literal != Lit::TRUE).map(|literal| !literal));
        }
    }
}
