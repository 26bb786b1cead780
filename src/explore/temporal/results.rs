//! The result of each formula so far, combined from its parts: its instances, each under every batch of set-ups.
//!
//! Invariant: the result of a formula is the gravest of its parts, so it holds only if all of them hold. Among final ones it is that of the
//! least instance, whichever was judged first: which instances share a graph, and are judged together, depends on the symmetries.
//! Deliberately elsewhere: how a part is judged (`judge`).

use crate::trace::TraceFault;
use crate::{LimitHit, TemporalResult, TemporalVerdict};
use num_bigint::BigUint;

/// The results of the formulas of a model.
pub(super) struct Results {
    /// By number of the formula, with the number of the instance that it is about; `None` where no part was judged.
    list: Vec<Option<(usize, TemporalResult)>>,
    /// The limit at which formulas were left undecided.
    pub(super) limit: Option<LimitHit>,
    /// A counterexample that could not be confirmed: a fault of the checker.
    pub(super) fault: Option<String>,
}

impl Results {
    pub(super) fn new(formulas: usize) -> Self {
        Self { list: vec![None; formulas], limit: None, fault: None }
    }

    /// The final results alone, for a search that may be cut.
    pub(super) fn only_final(&self) -> Self {
        let list = self.list.iter().map(|slot| slot.clone().filter(|(_, result)| is_final(&result.verdict))).collect();
        Self { list, limit: None, fault: None }
    }

    /// Adds the final results of such a search.
    pub(super) fn take_over_final(&mut self, found: Self) {
        let only = found.only_final();
        self.take_over(Self { fault: found.fault, ..only });
    }

    /// Adds all results of such a search.
    pub(super) fn take_over(&mut self, found: Self) {
        for (formula, result) in found.list.into_iter().enumerate() {
            let Some((instance, result)) = result else { continue };
            if !self.is_final(formula) {
                self.add(formula, instance, result);
            // Final results came from here already: adding one again would count its time twice.
            } else if !self.is_settled(formula, instance) {
                self.list[formula] = Some((instance, result));
            }
        }
        self.limit = self.limit.take().or(found.limit);
        self.fault = self.fault.take().or(found.fault);
    }

    /// Adds the result of one part of a formula: that of the instance with this number, under some set-ups.
    pub(super) fn add(&mut self, formula: usize, instance: usize, result: TemporalResult) {
        let is_settled = self.is_settled(formula, instance);
        let slot = &mut self.list[formula];
        let Some((of, before)) = slot else {
            *slot = Some((instance, result));
            return;
        };
        let time_s = before.time_s + result.time_s;
        if gravity(&before.verdict) < gravity(&result.verdict) || is_final(&result.verdict) && !is_settled {
            (*of, *before) = (instance, result);
        // Vacuous only if all parts are: one instance that is not makes the formula meaningful.
        } else if result.verdict == TemporalVerdict::Holds && !is_final(&before.verdict) {
            before.product = (before.product.0 + result.product.0, before.product.1 + result.product.1);
            // Where parts hold vacuously for different reasons, none of these is a reason for the whole formula.
            before.vacuity = before.vacuity.take().filter(|vacuity| result.vacuity.as_ref() == Some(vacuity));
            // For the first instance, like a reported run.
            if instance < *of && before.verdict == TemporalVerdict::Holds {
                (*of, before.witness) = (instance, result.witness);
            }
        }
        before.time_s = time_s;
    }

    /// Adds to the time that a formula took.
    pub(super) fn add_time(&mut self, formula: usize, seconds: f64) {
        if let Some((_, result)) = &mut self.list[formula] {
            result.time_s += seconds;
        }
    }

    /// Notes that some parts of a formula are not judged.
    pub(super) fn leave_open(&mut self, formula: usize, reason: &str) {
        let unknown = TemporalVerdict::Unknown(reason.to_owned());
        match &mut self.list[formula] {
            // The figures of judged parts are kept.
            Some((_, before)) if before.verdict == TemporalVerdict::Holds => {
                (before.verdict, before.vacuity, before.witness) = (unknown, None, None);
            }
            Some(_) => {}
            slot => *slot = Some((0, plain_result(formula, unknown))),
        }
    }

    /// Whether the verdict of a formula is final, if perhaps with another instance.
    pub(super) fn is_final(&self, formula: usize) -> bool {
        self.is_settled(formula, usize::MAX)
    }

    /// Whether no result of this instance of a formula can change that of the formula.
    pub(super) fn is_settled(&self, formula: usize, instance: usize) -> bool {
        self.list[formula].as_ref().is_some_and(|(of, result)| *of <= instance && is_final(&result.verdict))
    }

    /// Whether all parts of a formula that were judged hold.
    pub(super) fn holds(&self, formula: usize) -> bool {
        self.list[formula].as_ref().is_none_or(|(_, result)| result.verdict == TemporalVerdict::Holds)
    }

    /// The result where no run could be confirmed.
    pub(super) fn unconfirmed(&mut self, formula: usize, fault: &TraceFault) -> TemporalResult {
        if *fault == TraceFault::Interrupted {
            self.limit.get_or_insert(LimitHit::Interrupted);
            return plain_result(formula, TemporalVerdict::Unknown("interrupted while the trace was rebuilt".to_owned()));
        }
        debug_assert!(false, "every counterexample is confirmed by a replay: {fault}");
        let text = format!("a counterexample of a temporal formula could not be confirmed without reduction: {fault}");
        self.fault.get_or_insert(text.clone());
        plain_result(formula, TemporalVerdict::Unknown(text))
    }

    /// All results, in order. A formula without parts is an empty conjunction, and holds.
    pub(super) fn into_list(self) -> Vec<TemporalResult> {
        let holds = |formula| plain_result(formula, TemporalVerdict::Holds);
        self.list.into_iter().enumerate().map(|(formula, slot)| slot.map_or_else(|| holds(formula), |(_, result)| result)).collect()
    }
}

fn gravity(verdict: &TemporalVerdict) -> u8 {
    match verdict {
        TemporalVerdict::Holds => 0,
        TemporalVerdict::Unknown(_) => 1,
        TemporalVerdict::Violated | TemporalVerdict::IllDefined(_) => 2,
    }
}

/// Whether a verdict is final whatever else is found.
pub(super) fn is_final(verdict: &TemporalVerdict) -> bool {
    matches!(verdict, TemporalVerdict::Violated | TemporalVerdict::IllDefined(_))
}

/// A result without figures.
pub(super) fn plain_result(formula: usize, verdict: TemporalVerdict) -> TemporalResult {
    TemporalResult {
        formula,
        verdict,
        automaton: None,
        product: (0, 0),
        group_order: BigUint::from(1_u8),
        time_s: 0.0,
        trace: None,
        values: Vec::new(),
        renaming: None,
        witness: None,
        vacuity: None,
        explanation: Vec::new(),
    }
}
