//! The subject of a search: everything in which a check and a refinement check differ on their way to a report.
//!
//! Invariant: no other file distinguishes the two kinds of session, except for parts that one of them lacks. Deliberately elsewhere: the
//! phases themselves (`session`).

use crate::commands::checkpoint::Kept;
use crate::commands::refine::preserved::RefinedFormulas;
use crate::io::interrupt;
use crate::progress::Watcher;
use crate::session::growing::Growing;
use crate::session::re_exploration::{Surveyed, second_look};
use crate::session::symmetry_check;
use bcheck_eval::Machine;
use bcheck_explore::refine::{self, Demands, RefinementCheck, RefinementFacts};
use bcheck_explore::{self as explore, CheckpointFault, Finding, Options, Outcome, Survey};
use bcheck_ir::{Model, Refinement};
use bcheck_report::{FindingEvidence, RefinementReport, evidence_of, evidence_of_mismatch};
use bcheck_source::Diagnostic;
use bcheck_symmetry::Symmetry;
use std::borrow::Cow;

/// The subject of a search.
pub(crate) enum Task {
    /// The states of a machine.
    Check,
    /// The configurations of a refinement and the machine that it refines.
    Refine(Box<RefinementTask>),
}

/// A refinement check, perhaps with temporal formulas of the refined machine.
pub(crate) struct RefinementTask {
    pub(crate) refinement: Refinement,
    pub(crate) demands: Demands,
    pub(crate) formulas: Option<Box<RefinedFormulas>>,
    /// What the search found out besides its outcome.
    pub(crate) facts: RefinementFacts,
}

/// The arguments of a search.
pub(super) type SearchSubject<'s> = (&'s Machine, &'s Symmetry, &'s Options);

impl Task {
    pub(super) fn is_check(&self) -> bool {
        matches!(self, Self::Check)
    }

    /// The activity of compiling it.
    pub(super) fn compiling(&self) -> &'static str {
        match self {
            Self::Check => "the machine was compiled",
            Self::Refine(_) => "the refinement was compiled",
        }
    }

    /// The symmetries that a sample of the states does not refute, and warnings about those refuted.
    pub(super) fn tested_symmetry(&self, machine: &Machine, options: &Options) -> (Symmetry, Vec<Diagnostic>) {
        match self {
            Self::Check => symmetry_check::checked(machine, options),
            Self::Refine(task) => symmetry_check::checked_refinement(machine, &task.refinement, task.demands, options),
        }
    }

    /// Searches, writing checkpoints if requested.
    pub(super) fn search(
        &mut self,
        (machine, symmetry, options): SearchSubject<'_>,
        kept: Option<&mut Kept>,
        watcher: &mut Watcher<'_>,
    ) -> Result<Outcome, CheckpointFault> {
        match self {
            // Growth is reported during the search, since an endless search would never report it at its end.
            Self::Check => Growing::new(machine).beside(watcher, |watcher| match kept {
                None => Ok(explore::explore(machine, symmetry, options, watcher)),
                Some(kept) => explore::explore_with_checkpoints(machine, symmetry, options, watcher, &mut kept.checkpoints),
            }),
            Self::Refine(task) => task.search((machine, symmetry, options), kept, watcher),
        }
    }

    /// Re-explores a bounded part for the report.
    pub(super) fn survey(
        &self,
        (machine, symmetry, options): SearchSubject<'_>,
        (outcome, surveyed): (&Outcome, Surveyed<'_>),
        watcher: &mut Watcher<'_>,
    ) -> Option<Survey> {
        let explored = (outcome, options.limits.set_ups, surveyed);
        match self {
            Self::Check => {
                watcher.phase("exploring the states again for the report");
                second_look(machine, symmetry, explored, |symmetry, limits, is_over| {
                    explore::survey(machine, symmetry, options, (limits, surveyed.projections()), is_over)
                })
            }
            Self::Refine(task) => {
                watcher.phase("exploring the configurations again for the report");
                second_look(machine, symmetry, explored, |symmetry, limits, is_over| {
                    let wanted = (limits, surveyed.projections());
                    refine::survey(machine, &task.refinement, symmetry, task.demands, wanted, is_over)
                })
            }
        }
    }

    /// Why the property of a finding fails.
    pub(super) fn evidence(&self, machine: &Machine, finding: &Finding) -> Option<FindingEvidence> {
        match self {
            Self::Check => evidence_of(machine, finding),
            Self::Refine(task) => evidence_of_mismatch(machine, &task.refinement, finding),
        }
    }

    /// The model whose states are drawn; for a refinement, that of its own states.
    pub(super) fn drawn<'m>(&self, machine: &'m Machine) -> Cow<'m, Model> {
        match self {
            Self::Check => Cow::Borrowed(machine.model()),
            Self::Refine(task) => Cow::Owned(task.refinement.alone(machine.model())),
        }
    }

    /// The part of a report about a refinement.
    pub(super) fn refinement(&self) -> Option<RefinementReport<'_>> {
        match self {
            Self::Check => None,
            Self::Refine(task) => {
                let RefinementTask { refinement, demands, formulas, facts } = &**task;
                let formulas = formulas.as_ref().map(|formulas| formulas.report(facts));
                Some(RefinementReport { refinement, demands: *demands, formulas })
            }
        }
    }
}

impl RefinementTask {
    fn search(
        &mut self,
        (machine, symmetry, options): SearchSubject<'_>,
        kept: Option<&mut Kept>,
        watcher: &mut Watcher<'_>,
    ) -> Result<Outcome, CheckpointFault> {
        let (refinement, demands) = (&self.refinement, self.demands);
        let (check, with_facts) = (RefinementCheck { machine, refinement, symmetry, demands, options }, self.formulas.is_some());
        let (outcome, facts) = match kept {
            None if !with_facts => (check.run(watcher), RefinementFacts::default()),
            None => check.run_for_facts(watcher),
            Some(kept) => check.run_with_checkpoints(watcher, with_facts, &mut kept.checkpoints)?,
        };
        if let Some(formulas) = &mut self.formulas {
            watcher.phase("judging temporal formulas of the refined machine");
            // The refined machine by itself has its own interrupt flag, which is watched meanwhile.
            formulas.judge(machine.model(), refinement, demands, &facts, watcher);
            interrupt::watch(machine.interrupt());
            self.facts = facts;
        }
        Ok(outcome)
    }
}
