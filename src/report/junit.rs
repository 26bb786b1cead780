//! JUnit XML: what a CI shows as tests.
//!
//! Invariant: the text is well-formed XML whatever the messages hold; a property that was not decided is a skipped test, never a
//! passed one.

use super::trace::text as trace_text;
use super::{CheckReport, RefinementReport, named_steps, violation};
use crate::explore::refine::Obligation;
use crate::explore::{PropertyKind, Verdict};
use std::fmt::Write;

/// One test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestCase {
    /// What it belongs to, such as a file.
    pub class: String,
    /// Its name.
    pub name: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// What came out.
    pub result: TestResult,
}

/// What came out of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestResult {
    /// As it should be.
    Passed,
    /// Not as it should be: one sentence, and more text.
    Failed(String, String),
    /// Not decided, and why.
    Skipped(String),
}

/// The file.
#[must_use]
pub fn render(suite: &str, cases: &[TestCase]) -> String {
    let count = |wanted: fn(&TestResult) -> bool| cases.iter().filter(|case| wanted(&case.result)).count();
    let failures = count(|result| matches!(result, TestResult::Failed(..)));
    let skipped = count(|result| matches!(result, TestResult::Skipped(_)));
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{seconds:.3}\"", cases.len());
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut line = |depth: usize, content: String| {
        writeln!(text, "{:1$}{content}", "", 2 * depth).expect("writing to a string cannot fail");
    };
    line(0, format!("<testsuites name=\"bcheck\" {counts}>"));
    line(1, format!("<testsuite name=\"{}\" {counts}>", escaped(suite)));
    for case in cases {
        let head =
            format!("<testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"", escaped(&case.class), escaped(&case.name), case.seconds);
        match &case.result {
            TestResult::Passed => line(2, format!("{head}/>")),
            TestResult::Failed(message, body) => {
                line(2, format!("{head}>"));
                line(3, format!("<failure message=\"{}\">{}</failure>", escaped(message), escaped(body)));
                line(2, "</testcase>".to_owned());
            }
            TestResult::Skipped(reason) => {
                line(2, format!("{head}>"));
                line(3, format!("<skipped message=\"{}\"/>", escaped(reason)));
                line(2, "</testcase>".to_owned());
            }
        }
    }
    line(1, "</testsuite>".to_owned());
    line(0, "</testsuites>".to_owned());
    text
}

/// Text for an attribute or between tags. XML has no way to write most control characters.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push('\n'),
            '\t' => escaped.push(' '),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// The properties of a check as tests: set-up, each conjunct of the invariant, each assertion, deadlock, well-definedness; of a refinement
/// check its obligations.
#[must_use]
pub fn of_check(report: &CheckReport<'_>) -> Vec<TestCase> {
    let model = report.model;
    let found = report.outcome.finding.as_ref().map(|finding| &finding.property);
    let mut properties: Vec<(String, bool)> = vec![(
        "set-up and initialisation".to_owned(),
        matches!(found, Some(PropertyKind::NoSetup(_) | PropertyKind::NoInitialState | PropertyKind::IllDefinedProperties(_))),
    )];
    match &report.refinement {
        None => properties.extend(of_machine(report)),
        Some(refinement) => properties.extend(of_refinement(report, refinement)),
    }
    let is_ill_defined = report.outcome.verdict == Verdict::IllDefined && !matches!(found, Some(PropertyKind::IllDefinedProperties(_)));
    properties.push(("every expression has a value".to_owned(), is_ill_defined));
    let seconds = report.times.load_s + report.times.search_s;
    let violation = violation(report);
    let steps = report.outcome.finding.as_ref().map(|finding| named_steps(model, &finding.trace)).unwrap_or_default();
    // A goal that is reached says nothing against the machine, but the search stopped there.
    let undecided = match report.outcome.verdict {
        Verdict::Verified => None,
        Verdict::Incomplete => Some("the search was incomplete and found nothing".to_owned()),
        verdict => Some(format!("only the first finding is told: {}", verdict.as_str())),
    };
    let mut cases = Vec::with_capacity(properties.len());
    for (index, (name, is_violated)) in properties.into_iter().enumerate() {
        let result = match (&violation, &undecided) {
            (Some(violation), _) if is_violated => {
                let place = violation.span.map(|span| super::diagnostics::place(span, report.sources)).unwrap_or_default();
                TestResult::Failed(violation.message.clone(), format!("{place}\n{}", trace_text(&steps)))
            }
            (_, Some(reason)) => TestResult::Skipped(reason.clone()),
            _ => TestResult::Passed,
        };
        // All were checked in one run; its time is that of the first.
        cases.push(TestCase { class: report.file.to_owned(), name, seconds: if index == 0 { seconds } else { 0.0 }, result });
    }
    cases.extend(report.not_checked().map(|stated| TestCase {
        class: report.file.to_owned(),
        name: format!("{}: {}", stated.name, stated.formula),
        seconds: 0.0,
        result: TestResult::Skipped(format!("not checked: {}", stated.reason)),
    }));
    cases
}

/// The properties of a machine, and which one was found violated.
fn of_machine(report: &CheckReport<'_>) -> Vec<(String, bool)> {
    let model = report.model;
    let found = report.outcome.finding.as_ref().map(|finding| &finding.property);
    let mut properties = Vec::new();
    let titled = |what: &str, index: usize, label: &Option<String>, span| {
        let formula = super::finding::one_line(report.sources, span);
        label.as_ref().map_or_else(|| format!("{what} {}: {formula}", index + 1), |label| format!("{what} @{label}: {formula}"))
    };
    if report.options.invariant {
        for (index, conjunct) in model.invariant.iter().enumerate() {
            let title = titled("invariant", index, &conjunct.label, conjunct.pred.span);
            properties.push((title, found == Some(&PropertyKind::Invariant(index))));
        }
    }
    if report.options.assertions {
        for (index, assertion) in model.assertions.iter().enumerate() {
            let title = titled("assertion", index, &assertion.label, assertion.pred.span);
            let is_it = matches!(found, Some(PropertyKind::Assertion(other) | PropertyKind::StaticAssertion(other)) if *other == index);
            properties.push((title, is_it));
        }
    }
    if report.options.deadlock {
        properties.push(("no deadlock".to_owned(), found == Some(&PropertyKind::Deadlock)));
    }
    properties
}

/// The obligations of a refinement, and which one was found to fail.
fn of_refinement(report: &CheckReport<'_>, refinement: &RefinementReport<'_>) -> Vec<(String, bool)> {
    let found = match report.outcome.finding.as_ref().map(|finding| &finding.property) {
        Some(PropertyKind::Refinement(mismatch)) => Some(mismatch),
        _ => None,
    };
    let fails = |obligation| found.is_some_and(|mismatch| mismatch.obligation == obligation);
    let refined = &refinement.refinement.refined;
    let mut properties = vec![(format!("the initialisation refines that of {refined}"), fails(Obligation::Initialisation))];
    for own in &refinement.refinement.operations {
        let name = report.model.operation_name(own.operation);
        let title = match own.refined {
            Some(other) => format!("{name} refines {}", report.model.operation_name(other)),
            None => format!("{name} refines skip"),
        };
        let of_steps = [Obligation::Operation, Obligation::Internal, Obligation::Precondition];
        let is_it = found.is_some_and(|found| found.operation == Some(own.operation) && of_steps.contains(&found.obligation));
        properties.push((title, is_it));
    }
    if refinement.demands.refusals {
        properties.push((format!("no call is refused that {refined} takes"), fails(Obligation::Refusal)));
    }
    if refinement.demands.divergence {
        properties.push(("no run goes on for ever by internal steps".to_owned(), fails(Obligation::Divergence)));
    }
    properties
}
