//! `--random N`: one random run for scripts: its first finding with a trace, which operations were executed, and an exit code.
//!
//! Invariant: the same seed yields the same run and the same output; the exit code is 0 only if the run has no finding. Deliberately
//! elsewhere: many random runs, up to symmetry (`bcheck check --strategy simulate`).

use super::{Animation, show};
use crate::args::RandomRunArgs;
use crate::commands::check::expectations::uncovered;
use crate::exit::{Ended, Exit, complain, complaint};
use crate::io::files;
use crate::io::output::Output;
use bcheck_eval::EvalError;
use bcheck_explore::{Fault, Trace, TraceStep, Verdict, findings_at_end, random_walk};
use bcheck_report::covered;
use bcheck_report::recorded::RecordedTrace;
use bcheck_source::{Vocabulary, shown};
use std::collections::BTreeSet;

impl Animation {
    /// Makes a random run, continuing a saved trace if there is one.
    pub(super) fn smoke_run(&mut self, args: RandomRunArgs, recorded: Option<&RecordedTrace>) -> Ended {
        if let Some(recorded) = recorded {
            self.follow(recorded).map_err(complaint(Exit::Unexpected))?;
            files::complain(&self.remarks);
        }
        self.begin();
        let (count, seed) = (args.random.map_or(0, |count| usize::try_from(count.0).unwrap_or(usize::MAX)), args.seed.unwrap_or(1));
        // Set-up and initialisation are steps as well, but not operations.
        let first = self.machine.model().set_up_steps() + 1;
        let wanted = count.saturating_add(first.saturating_sub(self.at));
        let walked = random_walk(&self.machine, &self.run(), wanted, seed).map_err(|error| self.no_run(&error))?;
        self.steps.truncate(self.at);
        self.steps.extend(walked);
        let found = self.first_finding().map_err(|error| self.no_run(&error))?;
        self.at = found.as_ref().map_or(self.steps.len(), |(steps, _)| *steps);
        let not_covered = self.not_executed();
        let model = self.machine.model();
        let head = shown!("{}: {}\n", model.name, show::scope_text(model, self.machine.scope()));
        let trace = found.as_ref().map(|_| show::steps(model, &self.run(), 0) + self.findings()).unwrap_or_default();
        let operations = self.at.saturating_sub(first);
        let end = match &found {
            Some((_, verdict)) => shown!("{} after {} operations, seed {}\n{}\n", verdict.word(), operations, seed, verdict.word()),
            None => shown!("{} operations, seed {}\nnothing found\n", operations, seed),
        };
        Output::stdout().put(&(head + trace + covered::line(&not_covered) + end)).map_err(complaint(Exit::Io))?;
        Ok(match found {
            Some((_, verdict)) => Exit::Verdict(verdict),
            None if args.expect_covered && !not_covered.is_empty() => {
                files::complain(&(uncovered(&not_covered) + shown!("\n")));
                Exit::Unexpected
            }
            None => Exit::Done,
        })
    }

    /// The first faulty state of the run, as the number of steps to it, with the verdict. A goal is not a fault.
    fn first_finding(&self) -> Result<Option<(usize, Verdict)>, EvalError> {
        for end in 1..=self.steps.len() {
            // The step before the last one is included: it distinguishes a set-up from an initial state.
            let run = Trace::of(self.steps[end.saturating_sub(2)..end].to_vec());
            let findings = findings_at_end(&self.machine, &run)?;
            if let Some(verdict) = findings.iter().map(Fault::verdict).find(|verdict| *verdict != Verdict::GoalFound) {
                return Ok(Some((end, verdict)));
            }
        }
        // Without a step, the set-up or the initialisation failed.
        let has_set_up = !self.machine.model().constants.is_empty();
        let nothing = if has_set_up { Verdict::UnsatisfiableProperties } else { Verdict::NoInitialState };
        Ok(self.steps.is_empty().then_some((0, nothing)))
    }

    /// The operations that have no step in the run.
    fn not_executed(&self) -> Vec<&str> {
        let executed: BTreeSet<usize> =
            self.steps[..self.at].iter().filter_map(|step: &TraceStep| step.operation).map(|operation| operation.index()).collect();
        let operations = self.machine.model().operations.keys().enumerate();
        operations.filter(|(index, _)| !executed.contains(index)).map(|(_, name)| name.as_str()).collect()
    }

    /// Reports why the run could not be made or examined.
    fn no_run(&self, error: &EvalError) -> Exit {
        let verdict = if error.kind.is_ill_defined() { Verdict::IllDefined } else { Verdict::Incomplete };
        complain(&self.reason(error), Exit::Verdict(verdict))
    }
}
