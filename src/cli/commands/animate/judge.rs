//! `ltl F`, `ctl F`: whether a temporal formula holds on the paths that begin in the current state.
//!
//! Invariant: a run is numbered like the animation, so that its first step follows the last one taken. Deliberately elsewhere: the search,
//! for a machine that begins here (`explore::temporal`).

use super::{Animation, Refusal, SEARCHED, show};
use crate::io::interrupt;
use bcheck_eval::Machine;
use bcheck_explore::{Limits, Options, Silent, TemporalVerdict, Trace, beginning_in, judge_temporal};
use bcheck_report::diagnostics::place;
use bcheck_report::named_steps;
use bcheck_report::trace::text_of_run_from;
use bcheck_sema::{FormulaContext, read_temporal};
use bcheck_source::{Shown, shown};
use bcheck_syntax::temporal::Logic;
use std::sync::Arc;

impl Animation {
    /// The verdict on a formula, with the run on which it fails.
    pub(super) fn judge(&mut self, logic: Logic, text: &str) -> Result<Shown, Refusal> {
        if self.at <= self.machine.model().set_up_steps() {
            return Err(shown!("the machine is not initialised yet"));
        }
        let name = if logic == Logic::Ltl { "ltl" } else { "ctl" };
        let file = self.sources.add(name, text);
        let scope = self.machine.scope().clone();
        let context =
            FormulaContext { model: Some(&self.loaded.model), scope: Some(&scope), has_current: true, ..FormulaContext::default() };
        let (formula, model) =
            read_temporal(file, logic, name, text, context, &self.loaded.macros).map_err(|list| show::diagnostics(&list, &self.sources))?;
        let machine = Machine::compile(Arc::new(model), scope);
        let beginning = beginning_in(&machine, self.state(), formula)?;
        interrupt::begin(beginning.interrupt());
        let limits = Limits { states: Some(SEARCHED as u64), ..Limits::default() };
        let options = Options { limits, witness: true, ..Options::default() };
        let (results, _) = judge_temporal(&beginning, &options, &mut Silent)?;
        if let Some(reason) = interrupt::reason() {
            return Err(Shown::line(&reason));
        }
        let Some(result) = results.into_iter().next() else { return Err(shown!("it was not judged")) };
        let run = |trace: Option<Trace>| trace.map(|trace| self.continued(trace)).unwrap_or_default();
        Ok(match result.verdict {
            TemporalVerdict::Holds => {
                let vacuously = result.vacuity.map(|vacuity| shown!(" (vacuously: {})", vacuity)).unwrap_or_default();
                let what = if logic == Logic::Ltl { "it holds on every path from here" } else { "it holds here" };
                let shows = if result.witness.is_some() { ", as this run shows:" } else { "" };
                shown!("{}{}{}\n", what, vacuously, shows) + run(result.witness)
            }
            TemporalVerdict::Violated => shown!("it does not hold:\n") + run(result.trace),
            TemporalVerdict::IllDefined(error) => {
                shown!("a proposition has no value: {}: {}\n", place(error.span, &self.sources), error.kind.to_string()) + run(result.trace)
            }
            TemporalVerdict::Unknown(reason) => shown!("unknown: {}\n", reason),
        })
    }

    /// A run that begins in the current state, as a continuation of the steps so far; the state itself is not repeated.
    fn continued(&self, found: Trace) -> Shown {
        let set_up = self.machine.model().set_up_steps();
        let mut steps = self.steps[..self.at].to_vec();
        steps.extend(found.steps.into_iter().skip(set_up + 1));
        // The state in which `found` begins has the number of the last step taken.
        let end = found.end.map(|end| end.renumbered(|start| start + self.at - 1 - set_up));
        let whole = Trace { steps, end, ..self.run() };
        text_of_run_from(&named_steps(self.machine.model(), &whole), self.at, end)
    }
}
