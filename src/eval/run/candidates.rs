//! Names whose values the solver finds: each candidate is tried, or a plain search runs where that is better.
//!
//! Invariant: what is left out of the candidates is noted, as in `choices`; of names that nothing reads as many bindings are enough as the
//! limit on set-ups allows. Deliberately elsewhere: the actions of a search (`search`), finding candidates (`eval::solve`).

use super::frame::{Flow, Frame};
use super::search::{Progress, Visitor};
use crate::EvalError;
use crate::error::unbounded;
use crate::plan::problem::Problem;
use crate::plan::{Action, Search, Slot, Wanted};
use crate::solve::Solved;
use crate::thresholds::{FULL_CHOICE, HOPELESS_COST, VISITED_SET, most_candidates};
use bcheck_value::Renaming;
use std::cell::Cell;

impl<'m> Frame<'m> {
    /// Binds names to each candidate of a problem; where it is not solved, to what a plain search finds.
    pub(super) fn each_candidate(
        &mut self,
        search: &Search,
        (problem, plain, wanted): (&Problem, &Search, Wanted),
        progress: Progress<'_>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        // The solver takes a conjunct without value for false, but here it is unknown.
        if progress.without_value.is_some() {
            if plain.cost > HOPELESS_COST.get() {
                return self.give_up(progress, None);
            }
            return self.run_from(plain, Progress { at: 0, ..progress }, visitor);
        }
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let is_beyond = |limit: u64| plain.cost > limit as f64;
        let is_choice = search.is_choice && self.limits_choices() && is_beyond(FULL_CHOICE.get());
        let rest: Vec<Slot> = if is_choice { search.slots_from(progress.at) } else { Vec::new() };
        let rest: Vec<Slot> = match search.unread.is_empty() {
            true => rest,
            // Names of lengths and the like are derived from constants.
            false => rest.into_iter().filter(|slot| *slot < self.context.model.constants.len()).collect(),
        };
        let is_unread = !rest.is_empty() && rest.iter().all(|slot| search.unread.contains(slot));
        // Without a conjunct that rejects anything, candidates are all values: the ones taken are the first ones of the sets. Set-ups are
        // explored batch by batch, so that more of them than first ones may count.
        let takes_first = progress.renamings.is_empty() && (wanted.defined || plain.cost > HOPELESS_COST.get());
        if is_choice && (is_unread || takes_first) && plain.takes_all() {
            return self.run_plain(plain, progress, is_unread.then_some((&rest, 1)), visitor);
        }
        // A candidate is accepted when the actions that are left, all conjuncts among them, lead it to the visitor.
        let accepted = Cell::new(false);
        // Nobody waits for all values where a plain search would never end, and each may be a solution.
        let is_hopeless = plain.cost > HOPELESS_COST.get();
        let limit = (is_hopeless || is_beyond(VISITED_SET.get())).then(|| most_candidates(wanted.defined, is_hopeless));
        let limit = limit.filter(|_| is_choice && self.may_leave_out()).map(|limit| limit.max(self.most_choices()));
        let (mut tried, mut is_cut) = (0, false);
        let mut candidate = |frame: &mut Self| {
            if limit.is_some_and(|limit| tried >= limit) {
                is_cut = true;
                // The others would do the same.
                if is_unread && frame.leaves_unread(&rest) {
                    return Ok(Flow::Stop);
                }
                return frame.leave_out_rest(&rest, tried, plain.span);
            }
            let before = frame.chosen.accepted;
            let flow = frame.run_from(search, progress.next(), &mut |frame| {
                accepted.set(true);
                visitor(frame)
            })?;
            // Of set-ups only those count that fit: they are explored, batch by batch.
            tried += usize::from(wanted.defined || frame.chosen.accepted > before);
            Ok(flow)
        };
        let renamings: Vec<&Renaming> =
            progress.renamings.iter().filter(|renaming| self.keeps_bound(search, progress.at, renaming)).collect();
        match self.solve(problem, &plain.source, (wanted, &renamings), &accepted, &mut candidate)? {
            // Values of other names, and other choices, are tried all the same.
            Solved::Visited(_) if is_cut => Ok(Flow::Continue),
            Solved::Visited(flow) => Ok(flow),
            // Nothing was visited yet. `plain` binds all names and tests all conjuncts itself, so the search does not continue at the next
            // action.
            Solved::Unsupported if self.limits.refuses_hopeless && plain.cost > HOPELESS_COST.get() => {
                unbounded("all bindings".to_owned(), plain.span)
            }
            Solved::Unsupported => {
                let unread = limit.filter(|_| is_unread).map(|limit| (&rest, limit as u64));
                self.run_plain(plain, progress, unread, visitor)
            }
        }
    }

    /// Runs the plain search instead of the solver. If names are unread, it stops after the given number of accepted bindings.
    fn run_plain(
        &mut self,
        plain: &Search,
        progress: Progress<'_>,
        unread: Option<(&Vec<Slot>, u64)>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        let start = Progress { at: 0, ..progress };
        let Some((unread, limit)) = unread else { return self.run_from(plain, start, visitor) };
        let (before, mut is_cut) = (self.chosen.accepted, false);
        let flow = self.run_from(plain, start, &mut |frame| {
            let flow = visitor(frame)?;
            is_cut = flow == Flow::Continue && frame.chosen.accepted - before >= limit && frame.leaves_unread(unread);
            Ok(if is_cut { Flow::Stop } else { flow })
        })?;
        Ok(if is_cut { Flow::Continue } else { flow })
    }

    /// Whether a renaming fixes the values bound by the actions before this place. Then the bindings of the other names that complete these
    /// are images of each other as well.
    fn keeps_bound(&self, search: &Search, at: usize, renaming: &Renaming) -> bool {
        let mut bound = search.actions[..at].iter().flat_map(Action::slots);
        bound.all(|slot| self.content(slot).is_some_and(|value| renaming(value) == *value))
    }
}
