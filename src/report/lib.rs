//! Floor 6: results → bytes; one file or folder per format. And back: `recorded` reads the formats of traces.
//!
//! Invariant: rendering is a pure function of its input, for a check a [`CheckReport`]: no clock, no terminal, no files; output order is
//! declaration order. Deliberately elsewhere: how a search works (`explore`), the destination of the bytes (`cli`).

mod bounds_origin;
mod branch_coverage;
pub mod changes;
mod corrected;
pub mod covered;
mod delta;
pub mod diagnostics;
pub mod digits;
mod ending;
pub mod evidence;
mod finding;
mod integer_bounds;
pub mod json;
mod json_coverage;
mod json_formulas;
mod json_objects;
mod json_preserved;
mod named;
pub(crate) mod never_enabled;
mod notation;
pub mod passed;
mod preserved;
mod reached_values;
pub mod recorded;
mod refinement;
mod refinement_evidence;
mod statistics;
mod subformulas;
pub mod target_text;
mod temporal;
pub mod text;
mod text_formulas;
pub mod trace;
mod tried;
pub mod unbounded;
pub mod unfold;

// Formats used by the command line only.
pub mod access_matrix;
mod chart;
pub mod compare;
pub mod cover;
pub mod drawing;
pub mod enabling;
pub mod estimate;
pub mod formula;
pub mod graph;
mod graph_attribute;
mod graphviz_look;
mod growth;
pub mod hierarchy;
pub mod html;
pub mod induction;
pub mod itf;
mod itf_shape;
pub mod junit;
mod layout;
mod markup;
pub mod picture;
pub mod plan;
pub mod prob_trace;
pub mod raster;
pub mod replay;
pub mod sarif;
pub mod short;
pub mod strategies;
pub mod value_table;

pub use branch_coverage::BranchCoverage;
pub use evidence::{EvidenceText, FindingEvidence, evidence_of, evidence_of_deadlock};
pub use finding::{PERHAPS_FEWER, contradicting};
pub use finding::{Violation, first_line, says_no_set_up, values_met, violation, violation_of, warnings};
pub use named::equations;
pub use named::{NamedStep, named_step, named_steps};
pub use preserved::PreservedReport;
pub use refinement_evidence::evidence_of_mismatch;

use bcheck_eval::TriedRange;
use bcheck_explore::refine::Demands;
use bcheck_explore::{CheckpointFacts, Growth, NeverEnabled, Options, Outcome, Survey, Verdict};
use bcheck_ir::{GivenSetKind, Model, Refinement, Scope, SetId, Settings};
use bcheck_source::{Diagnostic, SourceMap, Span, StatisticTable};
use bcheck_symmetry as symmetry;
use std::collections::BTreeSet;

/// Everything that a report about one check may contain.
#[derive(Clone, Copy, Debug)]
pub struct CheckReport<'a> {
    /// The texts that spans point into.
    pub sources: &'a SourceMap,
    /// The machine's file as the user named it.
    pub file: &'a str,
    /// The machine.
    pub model: &'a Model,
    /// Sizes and bounds.
    pub scope: &'a Scope,
    /// Ranges that were tried for unbounded integers: like the sizes, they are part of what was checked.
    pub tried: &'a BTreeSet<TriedRange>,
    /// The options of the search.
    pub options: &'a Options,
    /// The result of the search.
    pub outcome: &'a Outcome,
    /// Why the property of its finding fails, if requested.
    pub evidence: Option<&'a FindingEvidence>,
    /// Why operations are never enabled, if requested.
    pub never_enabled: &'a [NeverEnabled],
    /// The variables that only grow, of a search that did not end.
    pub growth: &'a [Growth],
    /// Whether traces show the changes by each step, by type, instead of full values.
    pub shows_changes: bool,
    /// Draws the states of traces, if requested.
    pub painter: Option<&'a picture::Painter>,
    /// In a refinement check: the two machines, and the requirements on their steps.
    pub refinement: Option<RefinementReport<'a>>,
    /// Which elements may be permuted, and why not more.
    pub symmetry: &'a symmetry::Detail,
    /// The results of a bounded second exploration, if there was one.
    pub survey: Option<&'a Survey>,
    /// The deferred sets whose size is neither requested nor implied.
    pub default_sizes: &'a [SetId],
    /// Which branches were ever taken, if requested.
    pub branches: Option<&'a BranchCoverage>,
    /// The checkpoints of the search, if it wrote any.
    pub checkpoint: Option<CheckpointReport<'a>>,
    /// Diagnostics about the text, from before the search.
    pub diagnostics: &'a [Diagnostic],
    /// Whether the header contains all details of symmetries.
    pub is_verbose: bool,
    /// How long it took.
    pub times: Times,
    /// Largest resident memory, 0 when unknown.
    pub peak_memory_bytes: u64,
    /// The counts of algorithms, if requested.
    pub statistics: &'static [&'static StatisticTable],
}

/// The checkpoints of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointReport<'a> {
    /// The folder as the user named it.
    pub folder: &'a str,
    /// The facts about it.
    pub facts: CheckpointFacts,
    /// The command that resumes it.
    pub go_on: &'a str,
}

/// The subject of a refinement check; its states are configurations of both machines.
#[derive(Clone, Copy, Debug)]
pub struct RefinementReport<'a> {
    /// The parts of the model.
    pub refinement: &'a Refinement,
    /// The obligations checked for steps.
    pub demands: Demands,
    /// Which temporal formulas of the refined machine the refinement preserves, if requested.
    pub formulas: Option<PreservedReport<'a>>,
}

/// How long the parts of a run took, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// Everything before the search: the next three together.
    pub load_s: f64,
    /// Reading, parsing, typing.
    pub read_s: f64,
    /// Making plans of formulas and substitutions.
    pub compile_s: f64,
    /// Finding the symmetries.
    pub symmetry_s: f64,
    /// The search, including the trace of its finding.
    pub search_s: f64,
    /// The second exploration, for the report in a browser.
    pub survey_s: f64,
}

impl CheckReport<'_> {
    /// The deferred sets with their sizes.
    pub fn deferred(&self) -> impl Iterator<Item = (&str, u32)> {
        deferred(self.model, self.scope)
    }

    /// The sizes of deferred sets, with a remark where the size is bcheck's default.
    fn deferred_with_remarks(&self) -> impl Iterator<Item = (&str, String)> {
        let is_default = |name: &str| {
            let id = self.model.sets.get_index_of(name);
            self.default_sizes.iter().any(|set| Some(set.index()) == id)
        };
        self.deferred().map(move |(name, size)| (name, format!("{size}{}", if is_default(name) { " (default)" } else { "" })))
    }

    /// The caveat of a verdict at default sizes; none for a refinement check, whose sizes are given one at a time.
    fn at_default_sizes(&self) -> Option<String> {
        let is_told = self.outcome.verdict == Verdict::Verified && self.refinement.is_none() && !self.default_sizes.is_empty();
        is_told.then(|| format!("deferred sets of size {} are bcheck's default; `-d 1..4` checks several sizes", Settings::DEFAULT_SIZE))
    }

    /// The word for what was explored, in the plural.
    fn states_word(&self) -> &'static str {
        if self.refinement.is_some() { "configurations" } else { "states" }
    }

    /// The properties that the machine states and that were not checked.
    pub fn not_checked(&self) -> impl Iterator<Item = Stated<'_>> {
        self.model.not_checked.iter().map(|property| {
            let text = finding::one_line(self.sources, property.formula);
            // A formula in a definition is a string; reports show its content.
            let unquoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).map(|text| text.trim().to_owned());
            Stated { name: &property.name, formula: unquoted.unwrap_or(text), place: property.span, reason: property.reason }
        })
    }

    /// Whether the run was reduced by symmetry.
    #[must_use]
    pub fn is_reduced(&self) -> bool {
        self.options.symmetry != symmetry::Mode::Off && !self.symmetry.movable.is_empty()
    }
}

/// A property that the machine states and that was not checked.
#[derive(Clone, Debug)]
pub struct Stated<'a> {
    /// Its name.
    pub name: &'a str,
    /// The formula as written, on one line and without the quotes of a string.
    pub formula: String,
    /// Where it is stated.
    pub place: Span,
    /// Why it was not checked.
    pub reason: &'static str,
}

/// The deferred sets of a machine with their sizes, in declaration order.
pub fn deferred<'a>(model: &'a Model, scope: &'a Scope) -> impl Iterator<Item = (&'a str, u32)> {
    model
        .sets
        .iter()
        .zip(&scope.sizes)
        .filter(|((_, set), _)| matches!(set.kind, GivenSetKind::Deferred))
        .map(|((name, _), size)| (name.as_str(), *size))
}
