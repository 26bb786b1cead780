//! Evidence in words: why a predicate is false (or a goal true, or a step ill-defined), as a tree that all formats share.
//!
//! Invariant: a part is shown as the user wrote it; where a definition was expanded, the text does not contain it, and it is printed.
//! Shortened and omitted parts are marked. Deliberately elsewhere: finding the evidence (`eval`), the tree in a page (`html`).

use super::CheckReport;
use super::bounds_origin;
use super::finding::one_line;
use super::named::equations;
use super::notation::{notations, written};
use bcheck_eval::{Clue, EvalError, Evidence, ListedValues, Machine, Side, TermValue, TriedBindings, TruthValue, Witness};
use bcheck_explore::{FaultKind, FaultyPart, Finding};
use bcheck_ir::{Expr, ExprKind, FormulaWriter, LocalId, Model, Node, OperationId, Pred, PredKind, Scope, Subst, walk_subst};
use bcheck_source::{Shown, SourceMap, Span, in_back_quotes, shown};
use bcheck_value::Value;
use bcheck_value::display::display;
use serde::Serialize;

/// A value with a longer text is shortened.
const LONGEST: usize = 240;

/// Why the property of a finding fails, or a goal holds.
#[derive(Clone, Debug, PartialEq)]
pub enum FindingEvidence {
    /// The evidence for a predicate in the last state.
    OfPred(Evidence),
    /// The values of an ill-defined expression in a step from the last state, and the step: an operation with its arguments, or the
    /// initialisation.
    OfStep(TermValue, Option<(OperationId, Vec<Value>)>),
    /// The guards of all operations in a state that enables none; `None` for an operation without a guard.
    OfDeadlock(Vec<(OperationId, Option<Evidence>)>),
}

/// The evidence for a finding of a check; nothing for one that is about no predicate.
#[must_use]
pub fn evidence_of(machine: &Machine, finding: &Finding) -> Option<FindingEvidence> {
    let model = machine.model();
    let last = finding.trace.steps.last().map(|step| step.state.as_slice()).unwrap_or_default();
    match (&finding.fault.part, &finding.fault.kind) {
        (FaultyPart::Guard(operation), _) => machine.guard_evidence(last, *operation, &[]).map(FindingEvidence::OfPred),
        (FaultyPart::Body(operation, arguments), FaultKind::IllDefined(error)) => {
            let (_, declared) = model.operations.get_index(operation.index())?;
            let bound: Vec<(LocalId, Value)> = declared.parameters.iter().map(|(_, id, _)| *id).zip(arguments.iter().cloned()).collect();
            let term = machine.term_value(expression_at(&declared.body, error)?, last, &bound);
            Some(FindingEvidence::OfStep(term, Some((*operation, arguments.clone()))))
        }
        (FaultyPart::Initialisation, FaultKind::IllDefined(error)) => {
            let term = machine.term_value(expression_at(&model.initialisation, error)?, last, &[]);
            Some(FindingEvidence::OfStep(term, None))
        }
        (FaultyPart::DeadlockFreedom, _) => Some(evidence_of_deadlock(machine, last)),
        (part, _) => Some(FindingEvidence::OfPred(machine.evidence(part.pred(model)?, last))),
    }
}

/// The guards of all operations in a state.
#[must_use]
pub fn evidence_of_deadlock(machine: &Machine, state: &[Value]) -> FindingEvidence {
    let guard = |operation: OperationId| (operation, machine.guard_evidence(state, operation, &[]));
    FindingEvidence::OfDeadlock(machine.model().operations.keys().filter_map(|name| machine.model().operation(name)).map(guard).collect())
}

/// The expression in a substitution that an error is about.
fn expression_at<'a>(body: &'a Subst, error: &EvalError) -> Option<&'a Expr> {
    let mut found = None;
    walk_subst(body, &mut |node| {
        if let Node::Expr(expr) = node
            && expr.span == error.span
        {
            found = found.or(Some(expr));
        }
    });
    found
}

/// A part of the evidence in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EvidenceText {
    /// `true`, `false`, `ill-defined`, `unknown`; nothing for a term or a remark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<&'static str>,
    /// The predicate, the term, or a remark.
    pub text: String,
    /// The value of a term, or why it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The values of bound names, for which the parts are shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<(String, String)>,
    /// The parts that decide it, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<EvidenceText>,
}

/// Puts evidence in words.
#[derive(Clone, Copy)]
pub struct Wording<'a> {
    /// The machine.
    pub model: &'a Model,
    /// The texts that it was read from.
    pub sources: &'a SourceMap,
    /// The sizes of its sets.
    pub scope: &'a Scope,
}

/// The evidence of a report in words; `None` unless requested.
pub(super) fn in_words(report: &CheckReport<'_>) -> Option<EvidenceText> {
    Some(Wording { model: report.model, sources: report.sources, scope: report.scope }.of_finding(report.evidence?))
}

/// The call whose step from the last state of the trace is ill-defined, if that is the finding and evidence was requested.
pub(super) fn ill_defined_call(report: &CheckReport<'_>) -> Option<String> {
    let text = in_words(report)?;
    matches!(report.evidence?, FindingEvidence::OfStep(..)).then_some(text.text)
}

/// The evidence of a report as a section of the text; empty unless requested.
pub(super) fn section(report: &CheckReport<'_>) -> Shown {
    let Some(text) = in_words(report) else { return Shown::new() };
    shown!("\nWhy:\n{}", lines(&text))
}

/// The lines of a tree, indented.
pub fn lines(text: &EvidenceText) -> Shown {
    let mut all = Shown::new();
    add_lines(text, 1, &mut all);
    all
}

fn add_lines(node: &EvidenceText, depth: usize, all: &mut Shown) {
    let indent = "  ".repeat(depth);
    *all += match (node.truth, &node.value) {
        (Some(truth), _) => shown!("{}{}: {}\n", indent, truth, node.text),
        (None, Some(value)) => shown!("{}{} = {}\n", indent, node.text, value),
        (None, None) => shown!("{}{}\n", indent, node.text),
    };
    for part in &node.parts {
        add_lines(part, depth + 1, all);
    }
}

impl Wording<'_> {
    /// The evidence for a finding.
    pub fn of_finding(&self, evidence: &FindingEvidence) -> EvidenceText {
        match evidence {
            FindingEvidence::OfPred(evidence) => self.evidence(evidence, None),
            FindingEvidence::OfDeadlock(guards) => self.deadlock(guards),
            FindingEvidence::OfStep(term, step) => {
                let step = step.as_ref().map_or_else(|| "INITIALISATION".to_owned(), |(id, values)| self.call(*id, values));
                let parts = vec![self.term(term, None)];
                EvidenceText { truth: Some("ill-defined"), text: step, parts, ..EvidenceText::default() }
            }
        }
    }

    /// Each operation with the false parts of its guard.
    fn deadlock(&self, guards: &[(OperationId, Option<Evidence>)]) -> EvidenceText {
        let of = |(operation, guard): &(OperationId, Option<Evidence>)| {
            let name = in_back_quotes(self.model.operation_name(*operation)).into_owned();
            let part = guard.as_ref().map_or_else(|| remark("its body has no step here".to_owned()), |guard| self.evidence(guard, None));
            EvidenceText { text: format!("{name} is not enabled"), parts: vec![part], ..EvidenceText::default() }
        };
        let text = "no operation is enabled in the last state".to_owned();
        EvidenceText { text, parts: guards.iter().map(of).collect(), ..EvidenceText::default() }
    }

    /// A predicate with what decides it; `around` is the place of the predicate that it is a part of.
    pub fn evidence(&self, evidence: &Evidence, around: Option<Span>) -> EvidenceText {
        let (truth, reason) = match &evidence.truth {
            TruthValue::True => ("true", None),
            TruthValue::False => ("false", None),
            TruthValue::IllDefined(error) => ("ill-defined", Some(error.kind.to_string())),
            TruthValue::Unknown(_) => ("unknown", Some("it was not evaluated to the end".to_owned())),
        };
        let here = Some(evidence.pred.span);
        let mut parts: Vec<EvidenceText> = Vec::new();
        // The reason is that of the innermost part, unless a term there has it.
        let is_innermost = evidence.parts.is_empty() && evidence.terms.iter().all(|term| term.value.is_ok());
        parts.extend(reason.filter(|_| is_innermost).map(remark));
        let inner: Vec<EvidenceText> = evidence.parts.iter().map(|part| self.evidence(part, here)).collect();
        match &evidence.witness {
            Some(witness) => parts.push(self.witness(witness, inner)),
            None => parts.extend(inner),
        }
        parts.extend(evidence.tried.iter().flat_map(|tried| self.tried(tried, here)));
        let text = self.pred(&evidence.pred, around);
        let terms = evidence.terms.iter().map(|term| self.term(term, here));
        // A true equation already shows the value of its name.
        parts.extend(terms.filter(|term| term.value.as_ref().is_none_or(|value| format!("{} = {value}", term.text) != text)));
        parts.extend(evidence.clues.iter().map(|clue| remark(self.clue(clue))));
        // Reported where it decides, not again for the whole.
        let is_leaf = evidence.parts.is_empty() && evidence.tried.is_none();
        if is_leaf && !matches!(evidence.truth, TruthValue::True) {
            parts.extend(bounds_origin::in_words(&evidence.pred, self.model, self.scope).into_iter().map(remark));
        }
        parts.extend((evidence.left_out > 0).then(|| remark(format!("… {} more", evidence.left_out))));
        EvidenceText { truth: Some(truth), text, parts, ..EvidenceText::default() }
    }

    fn witness(&self, witness: &Witness, parts: Vec<EvidenceText>) -> EvidenceText {
        let names = self.values_of(&witness.values);
        let more = match (witness.count, witness.is_all) {
            (0 | 1, true) => String::new(),
            (count, true) => format!(" (and for {} more)", count - 1),
            (_, false) => " (perhaps for others too)".to_owned(),
        };
        EvidenceText { text: format!("for {}{more}", equations(&names)), names, parts, ..EvidenceText::default() }
    }

    fn tried(&self, tried: &TriedBindings, around: Option<Span>) -> Vec<EvidenceText> {
        let satisfied: Vec<String> = tried.satisfied.iter().map(|pred| self.pred(pred, around)).collect();
        let candidates = match (satisfied.is_empty(), tried.satisfied.len()) {
            (true, _) => "of their types".to_owned(),
            (false, _) => format!("with {}", satisfied.join(" & ")),
        };
        if tried.count == 0 {
            return vec![remark(format!("there are no values {candidates}"))];
        }
        let least = if tried.is_all { "" } else { "at least " };
        let mut parts = vec![remark(format!("tried: {least}{} {candidates}", counted(tried.count, "binding")))];
        for rejection in &tried.rejections {
            let names = self.values_of(&rejection.example);
            let text = format!("{} rejected, such as {}", counted(rejection.count, "binding"), equations(&names));
            let evidence = self.evidence(&rejection.evidence, around);
            parts.push(EvidenceText { text, names, parts: vec![evidence], ..EvidenceText::default() });
        }
        parts
    }

    /// A term with its value and those of its parts.
    pub fn term(&self, term: &TermValue, around: Option<Span>) -> EvidenceText {
        let parts = term.parts.iter().map(|part| self.term(part, Some(term.expr.span))).collect();
        let text = self.expr(&term.expr, around);
        match &term.value {
            Ok(value) => EvidenceText { text, value: Some(self.of_term(&term.expr, value)), parts, ..EvidenceText::default() },
            Err(reason) => EvidenceText { text: format!("{text} has no value: {reason}"), parts, ..EvidenceText::default() },
        }
    }

    fn clue(&self, clue: &Clue) -> String {
        let value = |value: &Value| self.value(value);
        let set = |expr: &Expr| self.expr(expr, None);
        match clue {
            Clue::NotIn(side, of, values) => {
                let whose = match side {
                    Side::Itself => "",
                    Side::Domain => "in its domain, but ",
                    Side::Range => "in its range, but ",
                    Side::Items => "among its items, but ",
                };
                format!("{whose}not in {}: {}", set(of), self.listed(values))
            }
            Clue::OnlyIn(of, values) => format!("only in {}: {}", set(of), self.listed(values)),
            Clue::Same => "both have the same value".to_owned(),
            Clue::Images(argument, one, other) => format!("at {}: {} and {}", value(argument), value(one), value(other)),
            Clue::Field(name, one, other) => format!("field {name}: {} and {}", value(one), value(other)),
            Clue::TwoImages(argument, one, other) => {
                format!("no function: {} has the values {} and {}", value(argument), value(one), value(other))
            }
            Clue::SameImage(one, other, image) => {
                format!("no injection: {} and {} both have the value {}", value(one), value(other), value(image))
            }
            Clue::NoImage(values) => format!("without a value: {}", self.listed(values)),
            Clue::NotReached(values) => format!("not among the values: {}", self.listed(values)),
            Clue::Empty => "it is empty".to_owned(),
            Clue::NotASequence(index) => format!("no sequence: the index {index} does not have exactly one item"),
            Clue::Repeated(item) => format!("an item occurs twice: {}", value(item)),
            Clue::Overlap(one, other, values) => format!("both in {} and in {}: {}", set(one), set(other), self.listed(values)),
        }
    }

    fn listed(&self, values: &ListedValues) -> String {
        let mut texts: Vec<String> = values.first.iter().map(|value| self.value(value)).collect();
        texts.extend((values.more > 0).then(|| format!("… {} more", values.more)));
        texts.join(", ")
    }

    /// The text of the value of a term, by its type if it is a constant or variable: there an empty sequence is `[]`.
    fn of_term(&self, term: &Expr, value: &Value) -> String {
        let index = match term.kind {
            ExprKind::Constant(id) => Some(id.index()),
            ExprKind::Variable(id) => Some(self.model.constants.len() + id.index()),
            _ => None,
        };
        let notation = index.and_then(|index| notations(self.model).into_iter().nth(index)).unwrap_or_default();
        self.shortened(written(value, &notation, self.model), value)
    }

    /// The text of a value, shortened if it is long.
    fn value(&self, value: &Value) -> String {
        self.shortened(display(value, self.model), value)
    }

    fn shortened(&self, text: String, value: &Value) -> String {
        let Some((cut, _)) = text.char_indices().nth(LONGEST) else { return text };
        let size = value.as_set().map(|set| format!(" ({})", counted(set.len(), "element"))).unwrap_or_default();
        format!("{}…{size}", &text[..cut])
    }

    fn values_of(&self, values: &[(LocalId, Value)]) -> Vec<(String, String)> {
        values.iter().map(|(id, value)| (in_back_quotes(self.model.local_name(*id)).into_owned(), self.value(value))).collect()
    }

    /// `enter(u = USER1)`
    fn call(&self, operation: OperationId, arguments: &[Value]) -> String {
        let name = in_back_quotes(self.model.operation_name(operation)).into_owned();
        let Some((_, declared)) = self.model.operations.get_index(operation.index()) else { return name };
        let pairs: Vec<(String, String)> =
            declared.parameters.iter().zip(arguments).map(|((name, ..), value)| (name.clone(), self.value(value))).collect();
        if pairs.is_empty() { name } else { format!("{name}({})", equations(&pairs)) }
    }

    pub(crate) fn pred(&self, pred: &Pred, around: Option<Span>) -> String {
        // The whole guard of an operation has no text.
        match &pred.kind {
            PredKind::Exists(locals, body) if pred.span == Span::nowhere() => {
                let (mut locals, mut body) = (locals.clone(), body);
                // Parameters, and behind them the names of an ANY.
                while let PredKind::Exists(more, inner) = &only(body).kind
                    && only(body).span == Span::nowhere()
                {
                    locals.extend(more.iter().cloned());
                    body = inner;
                }
                format!("#{}.({})", FormulaWriter::new(self.model).quantified(&locals), self.pred(body, None))
            }
            PredKind::And(parts) if pred.span == Span::nowhere() => {
                parts.iter().map(|part| self.pred(part, None)).collect::<Vec<_>>().join(" & ")
            }
            _ => self.written(pred.span, around).unwrap_or_else(|| FormulaWriter::new(self.model).predicate(pred)),
        }
    }

    fn expr(&self, expr: &Expr, around: Option<Span>) -> String {
        self.written(expr.span, around).unwrap_or_else(|| FormulaWriter::new(self.model).expression(expr))
    }

    /// The user's text of a part; `None` if it equals that of the whole, because both come from the same use of a definition.
    fn written(&self, span: Span, around: Option<Span>) -> Option<String> {
        let text = one_line(self.sources, span);
        (!text.is_empty() && around != Some(span)).then_some(text)
    }
}

/// The only part of a conjunction that does not occur in the text, or the predicate itself.
fn only(pred: &Pred) -> &Pred {
    match &pred.kind {
        PredKind::And(parts) if pred.span == Span::nowhere() && parts.len() == 1 => &parts[0],
        _ => pred,
    }
}

fn remark(text: String) -> EvidenceText {
    EvidenceText { text, ..EvidenceText::default() }
}

fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}
