//! The JSON documents of checks, version 1: the report, also for chains of refinements, refused machines and ended checks, and a trace
//! alone.
//!
//! Invariant: fields are added, never renamed or removed; numbers of the full space are decimal strings, because they outgrow 64 bits;
//! the same run gives the same bytes but for times and memory. Deliberately elsewhere: objects that other documents have too
//! (`json_objects`).

use super::changes::named_changes;
use super::covered::not_covered;
use super::evidence::{EvidenceText, in_words};
use super::json_coverage::{CoverageObject, coverage_object};
use super::json_formulas::{FormulaObject, formula_object, formulas_with_steps};
use super::json_objects::{
    DiagnosticObject, EndObject, ExploredObject, FullObject, LimitObject, Object, PlaceObject, SizeFields, StepObject, ViolationObject,
    changing_step_object, diagnostic_object, end_object, explored_object, full_object, limit_object, place_object, step_object,
    violation_object,
};
use super::json_preserved::{PreservedObject, preserved_object};
use super::never_enabled::{self, NeverEnabledText};
use super::preserved::rows;
use super::statistics::StatisticsObject;
use super::{CheckReport, CheckpointReport, NamedStep, RefinementReport, Stated, named_steps, violation, warnings};
use bcheck_eval::TriedRange;
use bcheck_explore::{CheckpointFacts, DiskFacts, Growth, LimitHit, OperationCounts, TraceEnd, Verdict};
use bcheck_ir::{Model, Scope};
use bcheck_source::{Diagnostic, Shown, SourceMap, Vocabulary, shown};
use bcheck_symmetry::Detail;
use serde::Serialize;
use serde_json::value::RawValue;

/// The report of a finished check.
#[must_use]
pub fn render(report: &CheckReport<'_>) -> Shown {
    let outcome = report.outcome;
    let mut diagnostics: Vec<DiagnosticObject<'_>> = Vec::new();
    // Warnings of the search after those of the text, as on the terminal.
    let found = warnings(report);
    for diagnostic in report.diagnostics.iter().chain(&found) {
        diagnostics.push(diagnostic_object(diagnostic, report.sources));
    }
    // Kept here, as the objects of the document borrow their texts.
    let steps = outcome.finding.as_ref().map(|finding| named_steps(report.model, &finding.trace)).unwrap_or_default();
    let violation = violation(report);
    let formulas = formulas_with_steps(report);
    let preserved = rows(report);
    pretty(&Report {
        format: "bcheck-report",
        version: 1,
        bcheck: env!("CARGO_PKG_VERSION"),
        machine: &report.model.name,
        file: report.file,
        sizes: SizeFields::of(report.model, report.scope),
        scope: ScopeObject { tried: report.tried.iter().map(|tried| tried_object(tried, report.sources)).collect() },
        symmetry: report.options.symmetry.word(),
        workers: report.options.effective_workers(),
        strategy: report.options.strategy.word(),
        refinement: report.refinement.as_ref().map(refinement_object),
        checkpoint: report.checkpoint.map(checkpoint_object),
        verdict: outcome.verdict.word(),
        complete: outcome.complete,
        limit: outcome.limit.as_ref().map(limit_object),
        unconfirmed: outcome.unconfirmed.map(Verdict::word),
        explored: explored_object(&outcome.explored),
        full: full_object(&outcome.full),
        operations: outcome.operations.iter().map(|counts| operation_object(counts, report.model)).collect(),
        not_covered: not_covered(report.model, outcome),
        // The states of a refinement check, under the name that they have there; `explored` has the same number.
        product: report.refinement.map(|_| ProductObject {
            configurations: outcome.explored.states,
            full: outcome.full.states.to_string(),
            exact: outcome.full.exact,
        }),
        instances: outcome.instances,
        // Without the survey, which is a part of the page and not of the check.
        time_s: TimeObject { load: report.times.load_s, search: report.times.search_s, total: report.times.load_s + report.times.search_s },
        peak_memory_bytes: report.peak_memory_bytes,
        statistics: (!report.statistics.is_empty()).then_some(StatisticsObject(report.statistics)),
        symmetry_detail: symmetry_object(report.symmetry),
        violation: violation.as_ref().map(|violation| violation_object(violation, report.sources)),
        explanation: in_words(report),
        trace: trace_objects(report, &steps),
        end: end_object(outcome.finding.as_ref().and_then(|finding| finding.trace.end)),
        temporal: formulas.iter().map(|(judged, steps)| formula_object(report, judged, steps)).collect(),
        preserved: preserved.iter().map(|row| preserved_object(report, row)).collect(),
        not_checked: report.not_checked().map(|stated| not_checked_object(stated, report.sources)).collect(),
        never_enabled: never_enabled::in_words(report),
        growth: report.growth.iter().map(|growth| growth_object(report, growth)).collect(),
        coverage: coverage_object(report),
        diagnostics,
    })
}

/// The steps of the finding, with their changes if requested.
fn trace_objects<'a>(report: &CheckReport<'a>, steps: &'a [NamedStep]) -> Vec<StepObject<'a>> {
    match report.outcome.finding.as_ref().filter(|_| report.shows_changes) {
        Some(finding) => steps.iter().zip(named_changes(report.model, &finding.trace)).map(changing_step_object).collect(),
        None => steps.iter().map(step_object).collect(),
    }
}

fn checkpoint_object(checkpoint: CheckpointReport<'_>) -> CheckpointObject<'_> {
    let CheckpointReport { folder: dir, facts: CheckpointFacts { epoch, states, resumed_from, disk, processes }, .. } = checkpoint;
    let disk = disk.map(|DiskFacts { runs, bytes, passes }| DiskObject { runs, bytes, rounds: passes });
    CheckpointObject { dir, epoch, states, resumed_from, disk, processes }
}

/// The reports of the links of a chain of refinements as one document; `verdict` is that of the first link with a finding, `None` where a
/// link was refused.
///
/// # Panics
/// When a report is not JSON.
#[must_use]
pub fn render_chain<'a>(verdict: Option<&str>, reports: impl Iterator<Item = &'a str>, passed: &[super::passed::PassedRow]) -> Shown {
    #[derive(Serialize)]
    struct Chain<'a> {
        format: &'static str,
        version: u32,
        bcheck: &'static str,
        verdict: Option<&'a str>,
        links: Vec<Box<RawValue>>,
        /// Only where formulas were requested, for a chain of more than one link.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        preserved: Vec<&'a super::passed::PassedRow>,
    }
    // Each report is embedded verbatim, so numbers retain their digits and fields their order.
    let links = reports.map(|report| RawValue::from_string(report.trim_end().to_owned()).expect("reports are JSON"));
    let (format, bcheck) = ("bcheck-refine-chain", env!("CARGO_PKG_VERSION"));
    pretty(&Chain { format, version: 1, bcheck, verdict, links: links.collect(), preserved: passed.iter().collect() })
}

/// The document for a machine that is refused, or whose text alone was examined: the same header, no verdict, all diagnostics.
#[must_use]
pub fn render_unsearched(file: &str, diagnostics: &[Diagnostic], sources: &SourceMap) -> Shown {
    #[derive(Serialize)]
    struct Rejected<'a> {
        format: &'static str,
        version: u32,
        bcheck: &'static str,
        file: &'a str,
        verdict: Option<&'static str>,
        diagnostics: Vec<DiagnosticObject<'a>>,
    }
    pretty(&Rejected {
        format: "bcheck-report",
        version: 1,
        bcheck: env!("CARGO_PKG_VERSION"),
        file,
        verdict: None,
        diagnostics: diagnostics.iter().map(|diagnostic| diagnostic_object(diagnostic, sources)).collect(),
    })
}

/// The reports of a check at several sizes, each as if alone, and the overall verdict.
#[must_use]
pub fn render_sizes<'r>(verdict: Option<&str>, reports: impl Iterator<Item = &'r str>) -> Shown {
    let rows: Vec<Shown> = reports.filter(|report| !report.trim().is_empty()).map(|report| Shown::lines(report.trim_end())).collect();
    shown!(
        "{{\n  \"format\": \"bcheck-sizes\",\n  \"version\": 1,\n  \"bcheck\": \"{}\",\n  \"verdict\": {},\n  \"rows\": [\n{}\n  ]\n}}\n",
        env!("CARGO_PKG_VERSION"),
        verdict.map_or("null".to_owned(), |word| format!("\"{word}\"")),
        Shown::join(rows, ",\n")
    )
}

/// The report of a check that a limit ended during `doing`, before there was anything to report.
#[must_use]
pub fn render_unfinished(file: &str, limit: &LimitHit, doing: &str) -> Shown {
    #[derive(Serialize)]
    struct Unfinished<'a> {
        format: &'static str,
        version: u32,
        bcheck: &'static str,
        file: &'a str,
        verdict: &'static str,
        complete: bool,
        limit: LimitObject,
        // An empty list, as the field is in every document of this format.
        diagnostics: [(); 0],
    }
    pretty(&Unfinished {
        format: "bcheck-report",
        version: 1,
        bcheck: env!("CARGO_PKG_VERSION"),
        file,
        verdict: Verdict::Incomplete.word(),
        complete: false,
        limit: LimitObject { message: Some(format!("while {doing}")), ..limit_object(limit) },
        diagnostics: [],
    })
}

/// A trace alone, as `--trace FILE.json` saves it.
#[must_use]
pub fn render_trace(model: &Model, scope: &Scope, steps: &[NamedStep], end: Option<TraceEnd>) -> Shown {
    #[derive(Serialize)]
    struct Saved<'a> {
        format: &'static str,
        version: u32,
        machine: &'a str,
        #[serde(flatten)]
        sizes: SizeFields<'a>,
        trace: Vec<StepObject<'a>>,
        #[serde(flatten)]
        end: EndObject,
    }
    pretty(&Saved {
        format: "bcheck-trace",
        version: 1,
        machine: &model.name,
        sizes: SizeFields::of(model, scope),
        trace: steps.iter().map(step_object).collect(),
        end: end_object(end),
    })
}

/// Plain data as JSON, over several lines.
///
/// # Panics
/// When the data have keys that are not strings.
#[must_use]
pub fn pretty(value: &impl Serialize) -> Shown {
    // Spaces and line breaks for people who read or compare reports; programs do not mind.
    let text = serde_json::to_string_pretty(value).expect("plain data with string keys is always JSON");
    // serde escapes control characters only: marks of the direction of writing would pass.
    Shown::json(&(text + "\n"))
}

#[derive(Serialize)]
struct Report<'a> {
    format: &'static str,
    version: u32,
    bcheck: &'static str,
    machine: &'a str,
    file: &'a str,
    #[serde(flatten)]
    sizes: SizeFields<'a>,
    scope: ScopeObject<'a>,
    symmetry: &'static str,
    workers: usize,
    strategy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    refinement: Option<RefinementObject<'a>>,
    /// Absent without `--checkpoint`, `--disk` and `--resume`.
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<CheckpointObject<'a>>,
    verdict: &'static str,
    complete: bool,
    limit: Option<LimitObject>,
    /// The verdict of a finding that is not shown, because there was no time to confirm it by its trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    unconfirmed: Option<&'static str>,
    explored: ExploredObject,
    full: FullObject<'a>,
    operations: Vec<OperationObject<'a>>,
    /// Those without any transition.
    not_covered: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    product: Option<ProductObject>,
    /// Bindings of parameters that were run.
    instances: u64,
    time_s: TimeObject,
    peak_memory_bytes: u64,
    /// The counts of algorithms; only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<StatisticsObject<'a>>,
    symmetry_detail: SymmetryObject<'a>,
    violation: Option<ViolationObject<'a>>,
    /// Why the property is violated, or the goal holds; only on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<EvidenceText>,
    trace: Vec<StepObject<'a>>,
    #[serde(flatten)]
    end: EndObject,
    /// Temporal formulas.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    temporal: Vec<FormulaObject<'a>>,
    /// Which temporal formulas of the refined machine the refinement preserves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    preserved: Vec<PreservedObject<'a>>,
    /// Properties that the machine states and that were not checked.
    not_checked: Vec<NotCheckedObject<'a>>,
    /// Why operations are never enabled; only on request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    never_enabled: Vec<NeverEnabledText>,
    /// Variables that only grow; only where the search did not end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    growth: Vec<GrowthObject<'a>>,
    /// Coverage other than of operations; only on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<CoverageObject<'a>>,
    diagnostics: Vec<DiagnosticObject<'a>>,
}

/// A variable that only grows, or falls, in a random run.
#[derive(Serialize)]
struct GrowthObject<'a> {
    variable: &'a str,
    /// Whether it is the number of its elements.
    elements: bool,
    from: i64,
    to: i64,
    steps: usize,
}

fn growth_object<'a>(report: &CheckReport<'a>, growth: &Growth) -> GrowthObject<'a> {
    let variable = report.model.variables.get_index(growth.variable).map_or("", |(name, _)| name.as_str());
    let (from, to) = growth.between;
    GrowthObject { variable, elements: growth.is_size, from, to, steps: growth.steps }
}

#[derive(Serialize)]
struct CheckpointObject<'a> {
    dir: &'a str,
    epoch: u64,
    states: u64,
    resumed_from: Option<u64>,
    /// Absent where states may not go beyond memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    disk: Option<DiskObject>,
    /// Absent where one process searched alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    processes: Option<u32>,
}

#[derive(Serialize)]
struct DiskObject {
    runs: u64,
    bytes: u64,
    rounds: u64,
}

#[derive(Serialize)]
struct ScopeObject<'a> {
    tried: Vec<TriedObject<'a>>,
}

/// The range that was tried for an unbounded integer; with `moves`, another one of the same length in each state.
#[derive(Serialize)]
struct TriedObject<'a> {
    name: &'a str,
    from: String,
    to: String,
    moves: bool,
    place: PlaceObject,
}

fn tried_object<'a>(tried: &'a TriedRange, sources: &SourceMap) -> TriedObject<'a> {
    let TriedRange { name, from, to, moves, place } = tried;
    TriedObject { name, from: from.to_string(), to: to.to_string(), moves: *moves, place: place_object(*place, sources) }
}

#[derive(Serialize)]
struct NotCheckedObject<'a> {
    name: &'a str,
    formula: String,
    place: PlaceObject,
    reason: &'static str,
}

fn not_checked_object<'a>(stated: Stated<'a>, sources: &SourceMap) -> NotCheckedObject<'a> {
    let Stated { name, formula, place, reason } = stated;
    NotCheckedObject { name, formula, place: place_object(place, sources), reason }
}

#[derive(Serialize)]
struct RefinementObject<'a> {
    refines: &'a str,
    mode: &'static str,
    precondition: &'static str,
    refusals: bool,
    divergence: bool,
}

/// Numbers of configurations: pairs of a state of the refinement and the set of states in which the refined machine may be.
#[derive(Serialize)]
struct ProductObject {
    configurations: u64,
    full: String,
    exact: bool,
}

#[derive(Serialize)]
struct OperationObject<'a> {
    name: &'a str,
    transitions: u64,
    full_transitions: String,
}

fn operation_object<'a>(counts: &OperationCounts, model: &'a Model) -> OperationObject<'a> {
    let OperationCounts { operation, transitions, ref full_transitions } = *counts;
    OperationObject { name: model.operation_name(operation), transitions, full_transitions: full_transitions.to_string() }
}

#[derive(Serialize)]
struct TimeObject {
    load: f64,
    search: f64,
    total: f64,
}

#[derive(Serialize)]
struct SymmetryObject<'a> {
    movable: Object<'a, u32>,
    fixed: Object<'a, &'a [String]>,
    why: &'a [String],
    /// How many permutations are symmetries.
    order: String,
    /// Those that move elements which the text names, as cycles.
    generators: &'a [String],
}

fn symmetry_object(detail: &Detail) -> SymmetryObject<'_> {
    SymmetryObject {
        movable: detail.movable.iter().map(|(name, count)| (name.as_str(), *count)).collect(),
        fixed: detail.fixed.iter().map(|(name, elements)| (name.as_str(), elements.as_slice())).collect(),
        why: &detail.why,
        order: detail.order.to_string(),
        generators: &detail.generators,
    }
}

fn refinement_object<'a>(report: &RefinementReport<'a>) -> RefinementObject<'a> {
    RefinementObject {
        refines: &report.refinement.refined,
        mode: report.demands.matching.word(),
        refusals: report.demands.refusals,
        divergence: report.demands.divergence,
        precondition: report.refinement.precondition.word(),
    }
}
