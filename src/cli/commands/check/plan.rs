//! The plan of a check, phase by phase: the only place that reads its options.
//!
//! Invariant: each phase receives its part, and none consults the command line again. Deliberately elsewhere: which options exclude each
//! other (`conflicts`), the options of the search itself (`config`), the phases (`check`).

use crate::args::{
    CheckArgs, CheckpointArgs, CommonArgs, ExpectationArgs, LabelsArg, MergeArg, PageArgs, ProgressArg, ReportArgs, ScopeArgs, TemporalArgs,
};
use crate::commands::check::temporal::LeftOut;
use crate::config;
use crate::io::console::Console;
use crate::io::run_files::FilePlan;
use crate::load::{Asked, Failure, Loaded};
use crate::session::graph_walk::{self, Merge};
use crate::session::re_exploration::Surveyed;
use bcheck_explore::{Options, Projection};
use bcheck_ir::{Precondition, Scope};
use bcheck_sema::StatedFormula;
use bcheck_source::Vocabulary;
use std::path::Path;

/// A check as requested by its options.
pub(crate) struct Plan<'a> {
    pub(crate) files: FilePlan<'a>,
    pub(crate) input: CheckInput<'a>,
    pub(crate) options: Options,
    pub(crate) search: SearchPlan<'a>,
    pub(crate) report: ReportPlan<'a>,
}

/// The input of a check.
pub(crate) struct CheckInput<'a> {
    pub(crate) path: &'a Path,
    common: &'a CommonArgs,
    scope: &'a ScopeArgs,
    goal: Option<&'a str>,
    precondition: Precondition,
    pub(crate) temporal: &'a TemporalArgs,
    left_out: Option<LeftOut>,
    /// Whether states are drawn, so that VisB files are read.
    is_drawn: bool,
    has_graph: bool,
    merge: Option<MergeArg>,
    page: &'a PageArgs,
}

/// How the machine is searched, besides the options of the search itself.
pub(crate) struct SearchPlan<'a> {
    /// Show the plan of this operation instead.
    pub(crate) explain_plan: Option<&'a str>,
    pub(crate) tests_symmetry: bool,
    pub(crate) checkpoints: &'a CheckpointArgs,
    /// What a resumed run must have in common with this one, besides the search itself.
    pub(crate) kept: Vec<(String, String)>,
}

/// What is shown during the search and of its findings.
pub(crate) struct ReportPlan<'a> {
    pub(crate) form: &'a ReportArgs,
    pub(crate) progress: ProgressArg,
    pub(crate) has_page: bool,
    pub(crate) has_coverage: bool,
    pub(crate) has_statistics: bool,
    pub(crate) is_explained: bool,
    pub(crate) shows_changes: bool,
    /// Whether states are drawn, and if so, whether also those that no definition describes.
    pub(crate) draws: Option<bool>,
    pub(crate) labels: LabelsArg,
    pub(crate) expected: &'a ExpectationArgs,
}

/// A machine with its sizes, the criterion for merging states of a graph, and the formulas that colour the graph of a page.
pub(crate) type Prepared = ((Loaded, Scope), Option<Merge>, Vec<Projection>);

impl<'a> Plan<'a> {
    /// The plan of a check of this machine; `is_shared`: by several processes.
    pub(crate) fn of(args: &'a CheckArgs, path: &'a Path, is_shared: bool) -> Self {
        let has_page = args.files.html.is_some();
        let draws = args.drawing.draws(has_page);
        // A symmetry that one process rejects must not be used by another one.
        let tested = ("--check-symmetry".to_owned(), if args.check_symmetry { "on" } else { "off" }.to_owned());
        let guards = (args.pre == Precondition::Guard).then(|| ("--pre".to_owned(), args.pre.word().to_owned()));
        Self {
            files: FilePlan {
                graph: args.graph.as_deref().map(|file| (file, args.labels)),
                ..FilePlan::of_search("check", &args.report, &args.files, &args.drawing, &args.watch)
            },
            input: CheckInput {
                path,
                common: &args.common,
                scope: &args.scope,
                goal: args.goal.as_deref(),
                precondition: args.pre,
                temporal: &args.temporal,
                left_out: args.temporal.left_out(args.strategy, &args.checkpoints),
                is_drawn: draws.is_some(),
                has_graph: args.graph.is_some(),
                merge: args.merge,
                page: &args.page,
            },
            options: config::of_check(args),
            search: SearchPlan {
                explain_plan: args.explain_plan.as_deref(),
                tests_symmetry: args.check_symmetry,
                checkpoints: &args.checkpoints,
                kept: is_shared.then_some(tested).into_iter().chain(guards).collect(),
            },
            report: ReportPlan {
                form: &args.report,
                progress: args.watch.progress,
                has_page,
                has_coverage: args.coverage,
                has_statistics: args.explaining.stats,
                is_explained: args.explaining.explain,
                shows_changes: args.explaining.changes,
                draws,
                labels: args.labels.unwrap_or_default(),
                expected: &args.expected,
            },
        }
    }
}

impl ReportPlan<'_> {
    /// The reasons to explore states again after the search.
    pub(crate) fn surveyed<'p>(&self, projections: &'p [Projection]) -> Option<Surveyed<'p>> {
        self.has_page.then_some(Surveyed::Graph(projections)).or(self.has_coverage.then_some(Surveyed::Coverage))
    }
}

impl CheckInput<'_> {
    /// The console of the check, for reports of this form.
    pub(crate) fn console(&self, form: &ReportArgs) -> Console {
        Console::open(&self.common.messages, form.format)
    }

    /// Reads the whole input.
    pub(crate) fn read(&self, console: &mut Console) -> Result<Prepared, Failure> {
        let is_wanted = |stated: &StatedFormula| self.temporal.is_wanted(stated, self.left_out);
        let asked = Asked { goal: self.goal, precondition: self.precondition, is_wanted: &is_wanted };
        let (mut loaded, scope) = console.load(self.path, self.common, asked, self.scope)?;
        self.temporal.add_to_check(&mut loaded, &scope, &mut console.sources, self.left_out)?;
        if self.is_drawn {
            loaded.read_visb(self.path, &mut console.sources);
        }
        let merge = Merge::of((self.common.folders.merging(), self.merge), self.has_graph, &mut loaded, &mut console.sources)?;
        let projections = graph_walk::projections(self.page, &mut loaded, &mut console.sources)?;
        Ok(((loaded, scope), merge, projections))
    }
}
