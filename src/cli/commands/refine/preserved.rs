//! `bcheck refine --temporal`: temporal formulas of the refined machine, which is loaded by itself and judged at the sizes of the
//! refinement check.
//!
//! Invariant: the formulas are read before the search begins, so an error in one costs no search. Deliberately elsewhere: which of them the
//! refinement preserves (`explore::refine::preservation`).

use crate::args::sizes::Sizes;
use crate::args::{FolderArgs, NamedFormulas, RefineArgs, ScopeArgs, TemporalArgs};
use crate::config;
use crate::io::interrupt;
use crate::load::{self, Asked, Failure};
use crate::progress::Watcher;
use crate::scope;
use bcheck_eval::Machine;
use bcheck_explore::refine::preservation::{CheckedRefinement, PassesOn, Preserved, passes_on, preserved};
use bcheck_explore::refine::{Demands, RefinementFacts};
use bcheck_explore::{self as explore, Options, TemporalResult};
use bcheck_ir::{GivenSetKind, Model, Refinement, Scope};
use bcheck_report::PreservedReport;
use bcheck_source::SourceMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The formulas of a refined machine, their verdicts, and which of them the refinement preserves.
pub(crate) struct RefinedFormulas {
    machine: Machine,
    file: String,
    options: Options,
    /// The requested names that this machine states.
    pub(crate) names: Vec<String>,
    results: Vec<TemporalResult>,
    preserved: Vec<Preserved>,
    passes_on: Option<PassesOn>,
}

impl RefinedFormulas {
    /// Loads the refined machine by itself with the requested formulas, at its sizes beside the refinement (`model` is that of both).
    /// `None` if none was requested.
    pub(crate) fn load(
        args: &RefineArgs,
        model: &Model,
        refinement: &Refinement,
        sizes: &Scope,
        sources: &mut SourceMap,
    ) -> Result<Option<Box<Self>>, Failure> {
        let Some(asked) = &args.formulas.temporal else { return Ok(None) };
        let folders: &FolderArgs = &args.common.folders;
        let path = PathBuf::from(&sources.file(refinement.file).name);
        let is_wanted = |stated: &_| args.formulas.is_wanted(stated);
        let mut loaded = load::load(&path, folders, Asked { is_wanted: &is_wanted, ..Asked::default() }, sources)?;
        let asked_sizes = same_sizes(&loaded.model, model, sizes);
        let scope = scope::of_machine(&mut loaded, &asked_sizes, sources)?;
        let names: Vec<String> = loaded.stated.iter().map(|stated| stated.name.clone()).collect();
        // In a chain, each machine has its own formulas: a name that none of them has is refused at the end.
        let known = if args.chain { asked.iter().filter(|name| names.contains(name)).cloned().collect() } else { asked.clone() };
        let named = NamedFormulas { temporal: Some(known) };
        TemporalArgs { named, ..TemporalArgs::default() }.add_to(&mut loaded, &scope, sources)?;
        // A refinement check expands every configuration, so no state of the refined machine may be left out either.
        loaded.model.expanded = None;
        // A refinement check runs every argument beside each state of the refined machine; by itself, this machine can reduce them.
        let options = Options { orbit_parameters: true, ..config::timed(config::of_refine(args)) };
        Ok(Some(Box::new(Self {
            machine: Machine::compile(Arc::new(loaded.model), scope),
            file: path.display().to_string(),
            options,
            names,
            results: Vec::new(),
            preserved: Vec::new(),
            passes_on: None,
        })))
    }

    /// Judges them on the refined machine, and determines which the refinement preserves; `model` is that of both machines.
    pub(crate) fn judge(
        &mut self,
        model: &Model,
        refinement: &Refinement,
        demands: Demands,
        facts: &RefinementFacts,
        watcher: &mut Watcher<'_>,
    ) {
        if !self.machine.model().temporal.is_empty() {
            interrupt::watch(self.machine.interrupt());
            let symmetry = self.options.symmetry_of(&self.machine);
            self.results = explore::explore(&self.machine, &symmetry, &self.options, watcher).temporal;
        }
        let checked = CheckedRefinement { model, refinement, demands, facts };
        self.preserved = preserved(checked, &self.machine, &self.results);
        self.passes_on = passes_on(checked, &self.machine);
    }

    /// The part of a report about them.
    pub(crate) fn report<'a>(&'a self, facts: &'a RefinementFacts) -> PreservedReport<'a> {
        PreservedReport {
            model: self.machine.model(),
            file: &self.file,
            scope: self.machine.scope(),
            results: &self.results,
            preserved: &self.preserved,
            facts,
            passes_on: self.passes_on.as_ref(),
        }
    }
}

/// The options that give the sets of a refined machine the sizes that they have beside its refinement.
fn same_sizes(alone: &Model, both: &Model, scope: &Scope) -> ScopeArgs {
    let deferred = alone.sets.iter().filter(|(_, set)| matches!(set.kind, GivenSetKind::Deferred)).filter_map(|(name, _)| {
        let size = *scope.sizes.get(both.sets.get_index_of(name)?)?;
        let (from, to) = (u64::from(size), u64::from(size));
        Some(Sizes { typed: format!("{name}={size}"), set: Some(name.clone()), from, to })
    });
    ScopeArgs { deferred: deferred.collect(), minint: Some(scope.minint), maxint: Some(scope.maxint) }
}
