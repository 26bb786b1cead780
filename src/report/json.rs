//! The JSON report of a check, version 1.
//!
//! Invariant: fields are added, never renamed or removed; numbers of the full space are decimal strings, because they outgrow
//! 64 bits; the same run gives the same bytes but for times and memory.

use super::diagnostics::severity_word;
use super::{CheckReport, NamedStep, RefinementReport, Stated, Violation, deferred, named_steps, violation, warnings};
use crate::eval::TriedRange;
use crate::explore::{Counts, FullCounts, LimitHit, Verdict};
use crate::ir::{Model, Scope};
use crate::source::{Diagnostic, Shown, SourceMap, Span, Vocabulary};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The report of a finished check.
#[must_use]
pub fn render(report: &CheckReport<'_>) -> Shown {
    let outcome = report.outcome;
    let mut diagnostics: Vec<DiagnosticObject<'_>> = Vec::new();
    let found = warnings(report);
    for diagnostic in report.diagnostics.iter().chain(&found) {
        diagnostics.push(diagnostic_object(diagnostic, report.sources));
    }
    let steps = outcome.finding.as_ref().map(|finding| named_steps(report.model, &finding.trace)).unwrap_or_default();
    let violation = violation(report);
    let not_checked: Vec<Stated<'_>> = report.not_checked().collect();
    pretty(&Report {
        format: "bcheck-report",
        version: 1,
        bcheck: env!("CARGO_PKG_VERSION"),
        machine: &report.model.name,
        file: report.file,
        deferred: report.deferred().collect(),
        minint: report.scope.minint,
        maxint: report.scope.maxint,
        scope: ScopeObject { tried: report.tried.iter().map(|tried| tried_object(tried, report.sources)).collect() },
        symmetry: report.options.symmetry.word(),
        workers: report.options.workers,
        strategy: report.options.strategy.word(),
        refinement: report.refinement.as_ref().map(refinement_object),
        verdict: outcome.verdict.word(),
        complete: outcome.complete,
        limit: outcome.limit.as_ref().map(limit_object),
        unconfirmed: outcome.unconfirmed.map(Verdict::word),
        explored: explored_object(&outcome.explored),
        full: full_object(&outcome.full),
        operations: outcome
            .operations
            .iter()
            .map(|counts| OperationObject {
                name: report.model.operation_name(counts.operation),
                transitions: counts.transitions,
                full_transitions: counts.full_transitions.to_string(),
            })
            .collect(),
        product: report.refinement.map(|_| ProductObject {
            configurations: outcome.explored.states,
            full: outcome.full.states.to_string(),
            exact: outcome.full.exact,
        }),
        instances: outcome.instances,
        time_s: TimeObject { load: report.times.load_s, search: report.times.search_s, total: report.times.load_s + report.times.search_s },
        peak_memory_bytes: report.peak_memory_bytes,
        symmetry_detail: SymmetryObject {
            movable: report.symmetry.movable.iter().map(|(name, count)| (name.as_str(), *count)).collect(),
            fixed: report.symmetry.fixed.iter().map(|(name, elements)| (name.as_str(), elements.as_slice())).collect(),
            why: &report.symmetry.why,
            order: report.symmetry.order.to_string(),
            generators: &report.symmetry.generators,
        },
        violation: violation.as_ref().map(|violation| violation_object(violation, report.sources)),
        trace: steps.iter().map(step_object).collect(),
        not_checked: not_checked
            .into_iter()
            .map(|Stated { name, formula, place, reason }| NotCheckedObject {
                name,
                formula,
                place: place_object(place, report.sources),
                reason,
            })
            .collect(),
        diagnostics,
    })
}

/// The reports of the links of a chain of refinements as one document; `verdict` is that of the first link with a finding, nothing where
/// a link was refused.
///
/// # Panics
/// When a report is not JSON.
#[must_use]
pub fn render_chain<'a>(verdict: Option<&str>, reports: impl Iterator<Item = &'a str>) -> Shown {
    #[derive(Serialize)]
    struct Chain<'a> {
        format: &'static str,
        version: u32,
        bcheck: &'static str,
        verdict: Option<&'a str>,
        links: Vec<Box<RawValue>>,
    }
    let links = reports.map(|report| RawValue::from_string(report.trim_end().to_owned()).expect("reports are JSON"));
    pretty(&Chain { format: "bcheck-refine-chain", version: 1, bcheck: env!("CARGO_PKG_VERSION"), verdict, links: links.collect() })
}

/// What is written when the machine is refused: the same header, no verdict, all diagnostics.
#[must_use]
pub fn render_rejected(file: &str, diagnostics: &[Diagnostic], sources: &SourceMap) -> Shown {
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

/// The report of a check that was ended at a limit while it was doing this, before there was anything to report.
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
        diagnostics: [(); 0],
    }
    pretty(&Unfinished {
        format: "bcheck-report",
        version: 1,
        bcheck: env!("CARGO_PKG_VERSION"),
        file,
        verdict: crate::explore::Verdict::Incomplete.word(),
        complete: false,
        limit: LimitObject { message: Some(format!("while {doing}")), ..limit_object(limit) },
        diagnostics: [],
    })
}

/// A trace alone, as `--trace FILE.json` saves it.
#[must_use]
pub fn render_trace(model: &Model, scope: &Scope, steps: &[NamedStep]) -> Shown {
    #[derive(Serialize)]
    struct Saved<'a> {
        format: &'static str,
        version: u32,
        machine: &'a str,
        deferred: Object<'a, u32>,
        minint: i64,
        maxint: i64,
        trace: Vec<StepObject<'a>>,
    }
    pretty(&Saved {
        format: "bcheck-trace",
        version: 1,
        machine: &model.name,
        deferred: deferred(model, scope).collect(),
        minint: scope.minint,
        maxint: scope.maxint,
        trace: steps.iter().map(step_object).collect(),
    })
}

/// Plain data as JSON, over several lines.
///
/// # Panics
/// When the data has keys that are no strings.
#[must_use]
pub fn pretty(value: &impl Serialize) -> Shown {
    let text = serde_json::to_string_pretty(value).expect("plain data with string keys is always JSON");
    Shown::json(&(text + "\n"))
}

/// Names with values, written as an object in this order.
pub(super) struct Object<'a, V>(Vec<(&'a str, V)>);

impl<'a, V> FromIterator<(&'a str, V)> for Object<'a, V> {
    fn from_iter<I: IntoIterator<Item = (&'a str, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl<V: Serialize> Serialize for Object<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[derive(Serialize)]
struct Report<'a> {
    format: &'static str,
    version: u32,
    bcheck: &'static str,
    machine: &'a str,
    file: &'a str,
    deferred: Object<'a, u32>,
    minint: i64,
    maxint: i64,
    scope: ScopeObject<'a>,
    symmetry: &'static str,
    workers: usize,
    strategy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    refinement: Option<RefinementObject<'a>>,
    verdict: &'static str,
    complete: bool,
    limit: Option<LimitObject>,
    /// The verdict of a finding that is not shown, because no time was left to rebuild its trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    unconfirmed: Option<&'static str>,
    explored: ExploredObject,
    full: FullObject<'a>,
    operations: Vec<OperationObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    product: Option<ProductObject>,
    /// Bindings of parameters that were run.
    instances: u64,
    time_s: TimeObject,
    peak_memory_bytes: u64,
    symmetry_detail: SymmetryObject<'a>,
    violation: Option<ViolationObject<'a>>,
    trace: Vec<StepObject<'a>>,
    /// Properties that the machine states and that were not checked.
    not_checked: Vec<NotCheckedObject<'a>>,
    diagnostics: Vec<DiagnosticObject<'a>>,
}

#[derive(Serialize)]
struct ScopeObject<'a> {
    tried: Vec<TriedObject<'a>>,
}

/// An integer that nothing bounds; `moves` where the range is another one of the same length in each state.
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

#[derive(Serialize)]
struct RefinementObject<'a> {
    refines: &'a str,
    mode: &'static str,
    precondition: &'static str,
    refusals: bool,
    divergence: bool,
}

/// Pairs of a state of the refinement and what the refined machine may be in.
#[derive(Serialize)]
struct ProductObject {
    configurations: u64,
    full: String,
    exact: bool,
}

#[derive(Serialize)]
struct LimitObject {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

#[derive(Serialize)]
struct ExploredObject {
    setups: u64,
    initial: u64,
    states: u64,
    transitions: u64,
    depth: u64,
    deadlocks: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    unexpanded: Option<u64>,
    invariant_violations: u64,
    assertion_violations: u64,
    goals: u64,
    ill_defined: u64,
    prob: ProbObject<u64>,
}

#[derive(Serialize)]
struct FullObject<'a> {
    exact: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    why: &'a [String],
    setups: String,
    initial: String,
    states: String,
    transitions: String,
    deadlocks: String,
    invariant_violations: String,
    prob: ProbObject<String>,
}

#[derive(Serialize)]
struct ProbObject<T> {
    states: T,
    transitions: T,
}

#[derive(Serialize)]
struct OperationObject<'a> {
    name: &'a str,
    transitions: u64,
    full_transitions: String,
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

#[derive(Serialize)]
pub(super) struct ViolationObject<'a> {
    kind: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    conjunct: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    obligation: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Object<'a, &'a str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradiction: Vec<PartObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    irreducible: Option<bool>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(flatten)]
    place: Option<PlaceObject>,
}

/// One of the conjuncts that contradict each other.
#[derive(Serialize)]
struct PartObject<'a> {
    conjunct: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(flatten)]
    place: PlaceObject,
}

#[derive(Serialize)]
pub(super) struct PlaceObject {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) end_line: usize,
    pub(super) end_column: usize,
    start: u32,
    end: u32,
}

#[derive(Serialize)]
pub(super) struct StepObject<'a> {
    operation: &'a str,
    arguments: Object<'a, &'a str>,
    results: Object<'a, &'a str>,
    state: Object<'a, &'a str>,
}

#[derive(Serialize)]
struct DiagnosticObject<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    #[serde(flatten)]
    place: PlaceObject,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<RelatedObject<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    help: &'a [String],
}

#[derive(Serialize)]
struct RelatedObject<'a> {
    message: &'a str,
    #[serde(flatten)]
    place: PlaceObject,
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

fn limit_object(limit: &LimitHit) -> LimitObject {
    let of = |kind, value| LimitObject { kind, value: Some(value), message: None };
    match limit {
        LimitHit::States(value) => of("max_states", *value),
        LimitHit::Depth(value) => of("max_depth", *value),
        LimitHit::Time(value) => of("time_limit", *value),
        LimitHit::Memory(value) => of("memory_limit", *value),
        LimitHit::Interrupted => LimitObject { kind: "interrupted", value: None, message: None },
        LimitHit::Enumeration(error) | LimitHit::Partial(error) => {
            LimitObject { kind: "enumeration", value: None, message: Some(error.kind.to_string()) }
        }
        LimitHit::Undecided(error) => LimitObject { kind: "undecided", value: None, message: Some(error.kind.to_string()) },
    }
}

fn explored_object(counts: &Counts) -> ExploredObject {
    ExploredObject {
        setups: counts.setups,
        initial: counts.initial,
        states: counts.states,
        transitions: counts.transitions,
        depth: counts.depth,
        deadlocks: counts.deadlocks,
        unexpanded: (counts.unexpanded > 0).then_some(counts.unexpanded),
        invariant_violations: counts.invariant_violations,
        assertion_violations: counts.assertion_violations,
        goals: counts.goals,
        ill_defined: counts.ill_defined,
        prob: ProbObject { states: counts.prob_states, transitions: counts.prob_transitions },
    }
}

fn full_object(counts: &FullCounts) -> FullObject<'_> {
    FullObject {
        exact: counts.exact,
        why: &counts.why,
        setups: counts.setups.to_string(),
        initial: counts.initial.to_string(),
        states: counts.states.to_string(),
        transitions: counts.transitions.to_string(),
        deadlocks: counts.deadlocks.to_string(),
        invariant_violations: counts.invariant_violations.to_string(),
        prob: ProbObject { states: counts.prob_states.to_string(), transitions: counts.prob_transitions.to_string() },
    }
}

pub(super) fn violation_object<'a>(violation: &'a Violation, sources: &SourceMap) -> ViolationObject<'a> {
    ViolationObject {
        kind: violation.kind,
        message: &violation.message,
        conjunct: violation.formula.as_deref(),
        label: violation.label.as_deref(),
        number: violation.number,
        obligation: violation.obligation,
        operation: violation.operation.as_deref(),
        arguments: (!violation.arguments.is_empty()).then(|| texts(&violation.arguments)),
        contradiction: violation
            .contradiction
            .iter()
            .map(|part| PartObject { conjunct: &part.formula, label: part.label.as_deref(), place: place_object(part.span, sources) })
            .collect(),
        irreducible: (!violation.contradiction.is_empty()).then_some(violation.is_irreducible),
        notes: &violation.notes,
        place: violation.span.map(|span| place_object(span, sources)),
    }
}

fn texts(pairs: &[(String, String)]) -> Object<'_, &str> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

pub(super) fn step_object(step: &NamedStep) -> StepObject<'_> {
    StepObject { operation: &step.name, arguments: texts(&step.arguments), results: texts(&step.results), state: texts(&step.state) }
}

fn diagnostic_object<'a>(diagnostic: &'a Diagnostic, sources: &SourceMap) -> DiagnosticObject<'a> {
    DiagnosticObject {
        code: diagnostic.code.as_str(),
        severity: severity_word(diagnostic.severity),
        message: &diagnostic.title,
        place: place_object(diagnostic.span(), sources),
        label: &diagnostic.labels[0].text,
        related: diagnostic.labels[1..]
            .iter()
            .map(|label| RelatedObject { message: &label.text, place: place_object(label.span, sources) })
            .collect(),
        help: &diagnostic.help,
    }
}

pub(super) fn place_object(span: Span, sources: &SourceMap) -> PlaceObject {
    let start = sources.line_column(span);
    let end = sources.line_column(span.after());
    PlaceObject {
        file: sources.file(span.file).name.clone(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        start: span.start,
        end: span.end,
    }
}
