//! The objects of JSON documents that more than one of them contains: steps, violations, diagnostics, places, counts and limits.
//!
//! Invariant: fields are added, never renamed or removed; a field without a value is left out or null, as it was in the first version.
//! Deliberately elsewhere: the documents (`json`, `replay`, `compare`, `sarif` and others).

use super::diagnostics::severity_word;
use super::ending::{loop_of, word};
use super::text::stopped;
use super::{NamedStep, Violation, deferred};
use bcheck_explore::{Counts, FullCounts, LimitHit, TraceEnd};
use bcheck_ir::{Model, Scope};
use bcheck_source::{Diagnostic, SourceMap, Span};
use serde::{Serialize, Serializer};
use serde_json::Number;

/// An object with these names and values, in this order.
pub(super) struct Object<'a, V>(Vec<(&'a str, V)>);

impl<'a, V> FromIterator<(&'a str, V)> for Object<'a, V> {
    fn from_iter<I: IntoIterator<Item = (&'a str, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl<V: Serialize> Serialize for Object<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A map of serde_json would sort the names.
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The sizes that a machine was examined with.
#[derive(Serialize)]
pub(super) struct SizeFields<'a> {
    deferred: Object<'a, u32>,
    minint: i64,
    maxint: i64,
}

impl<'a> SizeFields<'a> {
    pub(crate) fn of(model: &'a Model, scope: &'a Scope) -> Self {
        Self { deferred: deferred(model, scope).collect(), minint: scope.minint, maxint: scope.maxint }
    }
}

pub(super) fn texts(pairs: &[(String, String)]) -> Object<'_, &str> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[derive(Serialize)]
pub(super) struct LimitObject {
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}

pub(super) fn limit_object(limit: &LimitHit) -> LimitObject {
    // The kinds that an option sets have a value, the others may have a message.
    let of = |kind, value: u64| LimitObject { kind, value: Some(value.into()), message: None };
    match limit {
        LimitHit::States(value) => of("max_states", *value),
        LimitHit::SetUps(value) => of("max_setups", *value),
        LimitHit::Depth(value) => of("max_depth", *value),
        LimitHit::Runs(value) => of("runs", *value),
        // Whole seconds stay integers, as which they were typed.
        LimitHit::Time(limit) if limit.subsec_nanos() == 0 => of("time_limit", limit.as_secs()),
        LimitHit::Time(limit) => LimitObject { kind: "time_limit", value: Number::from_f64(limit.as_secs_f64()), message: None },
        LimitHit::Memory(value) => of("memory_limit", *value),
        LimitHit::DiskFull => LimitObject { kind: "disk_full", value: None, message: None },
        LimitHit::DiskLimit(value) => of("disk_limit", *value),
        LimitHit::Interrupted => LimitObject { kind: "interrupted", value: None, message: None },
        // One kind for both, as in the first version: programs that read it know no other.
        LimitHit::Enumeration(error) | LimitHit::Partial(error) => {
            LimitObject { kind: "enumeration", value: None, message: Some(error.kind.to_string()) }
        }
        LimitHit::Undecided(error) => LimitObject { kind: "undecided", value: None, message: Some(error.kind.to_string()) },
        LimitHit::Assumed(error) => LimitObject { kind: "assumed", value: None, message: Some(error.kind.to_string()) },
        LimitHit::Scope => LimitObject { kind: "scope", value: None, message: Some(stopped(limit)) },
    }
}

#[derive(Serialize)]
pub(super) struct ExploredObject {
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

pub(super) fn explored_object(counts: &Counts) -> ExploredObject {
    ExploredObject {
        setups: counts.setups,
        initial: counts.initial,
        states: counts.states,
        transitions: counts.transitions,
        depth: counts.depth,
        deadlocks: counts.deadlocks,
        // Only with a definition SCOPE: reports of other machines are as they were before there was this field.
        unexpanded: (counts.unexpanded > 0).then_some(counts.unexpanded),
        invariant_violations: counts.invariant_violations,
        assertion_violations: counts.assertion_violations,
        goals: counts.goals,
        ill_defined: counts.ill_defined,
        prob: ProbObject { states: counts.prob_states, transitions: counts.prob_transitions },
    }
}

#[derive(Serialize)]
pub(super) struct FullObject<'a> {
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

pub(super) fn full_object(counts: &FullCounts) -> FullObject<'_> {
    FullObject {
        exact: counts.exact,
        why: &counts.why,
        // As text: full counts outgrow 64 bits, and readers of JSON take numbers for doubles.
        setups: counts.setups.to_string(),
        initial: counts.initial.to_string(),
        states: counts.states.to_string(),
        transitions: counts.transitions.to_string(),
        deadlocks: counts.deadlocks.to_string(),
        invariant_violations: counts.invariant_violations.to_string(),
        prob: ProbObject { states: counts.prob_states.to_string(), transitions: counts.prob_transitions.to_string() },
    }
}

#[derive(Serialize)]
struct ProbObject<T> {
    states: T,
    transitions: T,
}

#[derive(Serialize)]
pub(super) struct ViolationObject<'a> {
    kind: &'static str,
    message: &'a str,
    /// `temporal`, with the formula; other kinds have a conjunct.
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<&'a str>,
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

/// One of several conjuncts that contradict each other.
#[derive(Serialize)]
struct PartObject<'a> {
    conjunct: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(flatten)]
    place: PlaceObject,
}

pub(super) fn violation_object<'a>(violation: &'a Violation, sources: &SourceMap) -> ViolationObject<'a> {
    // `conjunct` is the name in version 1; a temporal formula is not one, so it has a separate field.
    let is_temporal = violation.kind == "temporal";
    let formula = violation.formula.as_deref();
    ViolationObject {
        kind: violation.kind,
        message: &violation.message,
        property: is_temporal.then_some(violation.kind),
        formula: formula.filter(|_| is_temporal),
        conjunct: formula.filter(|_| !is_temporal),
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
        // Meaningful for a contradiction only.
        irreducible: (!violation.contradiction.is_empty()).then_some(violation.is_irreducible),
        notes: &violation.notes,
        place: violation.span.map(|span| place_object(span, sources)),
    }
}

#[derive(Serialize)]
pub(super) struct StepObject<'a> {
    operation: &'a str,
    arguments: Object<'a, &'a str>,
    results: Object<'a, &'a str>,
    state: Object<'a, &'a str>,
    /// The changes by the step, as lines for each name; only on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Object<'a, Vec<String>>>,
}

pub(super) fn step_object(step: &NamedStep) -> StepObject<'_> {
    let (arguments, results, state) = (texts(&step.arguments), texts(&step.results), texts(&step.state));
    StepObject { operation: &step.name, arguments, results, state, changes: None }
}

/// As [`step_object`], with the changes by the step.
pub(super) fn changing_step_object<'a>((step, changes): (&'a NamedStep, Vec<(&'a str, Vec<String>)>)) -> StepObject<'a> {
    StepObject { changes: Some(changes.into_iter().collect()), ..step_object(step) }
}

/// The end of a trace; absent where it just ends.
#[derive(Serialize)]
pub(super) struct EndObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u64>,
}

pub(super) fn end_object(end: Option<TraceEnd>) -> EndObject {
    let rounds = loop_of(end).map(|(_, rounds)| rounds);
    EndObject { end: end.map(word), loop_start: end.and_then(TraceEnd::loop_start), rounds }
}

#[derive(Serialize)]
pub(super) struct DiagnosticObject<'a> {
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<FixObject<'a>>,
}

#[derive(Serialize)]
struct RelatedObject<'a> {
    message: &'a str,
    #[serde(flatten)]
    place: PlaceObject,
}

pub(super) fn diagnostic_object<'a>(diagnostic: &'a Diagnostic, sources: &SourceMap) -> DiagnosticObject<'a> {
    DiagnosticObject {
        code: diagnostic.code.as_str(),
        severity: severity_word(diagnostic.severity),
        message: &diagnostic.title,
        place: place_object(diagnostic.span(), sources),
        // Every diagnostic has a first label, at its own place; the others point to related places.
        label: &diagnostic.labels[0].text,
        related: diagnostic.labels[1..]
            .iter()
            .map(|label| RelatedObject { message: &label.text, place: place_object(label.span, sources) })
            .collect(),
        help: &diagnostic.help,
        fixes: fix_objects(diagnostic, sources),
    }
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

pub(super) fn place_object(span: Span, sources: &SourceMap) -> PlaceObject {
    let start = sources.line_column(span);
    // The end is exclusive, as in SARIF; offsets count bytes, lines and columns begin at 1.
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

#[derive(Serialize)]
pub(super) struct FixObject<'a> {
    pub(super) title: &'a str,
    pub(super) edits: Vec<EditObject>,
}

#[derive(Serialize)]
pub(super) struct EditObject {
    #[serde(flatten)]
    pub(super) place: PlaceObject,
    pub(super) text: String,
}

/// The fixes of a diagnostic that fit the text.
pub(super) fn fix_objects<'a>(diagnostic: &'a Diagnostic, sources: &SourceMap) -> Vec<FixObject<'a>> {
    let objects = diagnostic.fixes.iter().filter_map(|fix| {
        let edits = fix.replacements(sources)?.into_iter();
        let edits = edits.map(|edit| EditObject { place: place_object(edit.span, sources), text: edit.text });
        Some(FixObject { title: &fix.title, edits: edits.collect() })
    });
    objects.collect()
}
