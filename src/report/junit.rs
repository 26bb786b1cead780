//! JUnit XML: what a CI shows as tests.
//!
//! Invariant: the text is well-formed XML whatever the messages hold; a property that was not decided is a skipped test, never a
//! passed one.

use super::markup::{Markup, markup};
use super::temporal::{Judged, judged};
use super::trace::text_of_run;
use super::{CheckReport, RefinementReport, Violation, named_steps, violation};
use bcheck_explore::refine::Obligation;
use bcheck_explore::{Fault, FaultyPart, LimitHit, TemporalVerdict, Trace, Verdict};
use bcheck_source::{Shown, Vocabulary, shown};

/// One test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestCase {
    /// The class that it belongs to, such as a file.
    pub class: String,
    /// Its name.
    pub name: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Its result.
    pub result: TestResult,
}

/// The result of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestResult {
    /// Passed.
    Passed,
    /// Failed: a one-line message and details.
    Failed(String, Shown),
    /// Not decided, and why.
    Skipped(String),
}

/// The file.
#[must_use]
pub fn render(suite: &str, cases: &[TestCase]) -> Shown {
    let count = |wanted: fn(&TestResult) -> bool| cases.iter().filter(|case| wanted(&case.result)).count();
    let failures = count(|result| matches!(result, TestResult::Failed(..)));
    let skipped = count(|result| matches!(result, TestResult::Skipped(_)));
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    let counts =
        // In JUnit's terms an error is a test that broke; here a property is violated, holds, or was not decided.
        markup!("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3}\"", cases.len(), failures, skipped, seconds);
    let mut text = markup!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"bcheck\" {}>\n", counts);
    text += markup!("  <testsuite name=\"{}\" {}>\n", suite, counts);
    text.extend(cases.iter().map(of_case));
    (text + markup!("  </testsuite>\n</testsuites>\n")).into()
}

/// Several files of this form as one: the suites of all, and the sums of their counts.
#[must_use]
pub fn merged(files: &[String]) -> String {
    let head = |file: &str| file.split_once("<testsuites").and_then(|(_, rest)| rest.split_once('>')).map(|(head, _)| head.to_owned());
    let value =
        |file: &str, name: &str| -> Option<f64> { head(file)?.split_once(&format!(" {name}=\""))?.1.split('"').next()?.parse().ok() };
    let sum = |name: &str| files.iter().filter_map(|file| value(file, name)).sum::<f64>();
    let suites: String = files.iter().filter_map(|file| Some(&file[file.find("  <testsuite ")?..file.rfind("</testsuites>")?])).collect();
    let [tests, failures, skipped] = ["tests", "failures", "skipped"].map(sum);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"bcheck\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" \
         skipped=\"{skipped}\" time=\"{:.3}\">\n{suites}</testsuites>\n",
        sum("time")
    )
}

fn of_case(case: &TestCase) -> Markup {
    let head = markup!("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"", case.class, case.name, case.seconds);
    let content = match &case.result {
        TestResult::Passed => return markup!("{}/>\n", head),
        TestResult::Failed(message, body) => markup!("<failure message=\"{}\">{}</failure>", message, body),
        TestResult::Skipped(reason) => markup!("<skipped message=\"{}\"/>", reason),
    };
    markup!("{}>\n      {}\n    </testcase>\n", head, content)
}

/// The properties of a check as tests: set-up, each conjunct of the invariant, each assertion, deadlock, well-definedness, each temporal
/// formula; for a refinement check its obligations.
#[must_use]
pub fn of_check(report: &CheckReport<'_>) -> Vec<TestCase> {
    let found = report.outcome.finding.as_ref().map(|finding| &finding.fault);
    let mut properties: Vec<(String, bool)> = vec![(
        "set-up and initialisation".to_owned(),
        found.is_some_and(|fault| match fault.part {
            FaultyPart::Properties => true,
            FaultyPart::Initialisation => !fault.is_ill_defined(),
            _ => false,
        }),
    )];
    match &report.refinement {
        None => properties.extend(of_machine(report)),
        Some(refinement) => properties.extend(of_refinement(report, refinement)),
    }
    // Ill-defined PROPERTIES fail the first test, an ill-defined formula its own test.
    let has_own_test = found.is_some_and(|fault| matches!(fault.part, FaultyPart::Properties | FaultyPart::Temporal(_)));
    let is_ill_defined = report.outcome.verdict == Verdict::IllDefined && !has_own_test;
    properties.push(("every expression has a value".to_owned(), is_ill_defined));
    let formulas = judged(report);
    let of_formulas: f64 = formulas.iter().map(seconds_of).sum();
    // The time of formulas is part of the search, and viewers add up the tests of a suite. Rounding may make the difference negative.
    let seconds = (report.times.load_s + report.times.search_s - of_formulas).max(0.0);
    let violation = violation(report);
    let undecided = undecided(report);
    let mut cases = Vec::with_capacity(properties.len());
    for (index, (name, is_violated)) in properties.into_iter().enumerate() {
        let result = match (&violation, &undecided) {
            (Some(violation), _) if is_violated => {
                failure(report, violation, report.outcome.finding.as_ref().map(|finding| &finding.trace))
            }
            (_, Some(reason)) => TestResult::Skipped(reason.clone()),
            _ => TestResult::Passed,
        };
        // All were checked in one run; its time is that of the first. Only formulas have separate times.
        cases.push(TestCase { class: report.file.to_owned(), name, seconds: if index == 0 { seconds } else { 0.0 }, result });
    }
    cases.extend(formulas.iter().map(|judged| of_formula(report, judged)));
    cases.extend(report.not_checked().map(|stated| TestCase {
        class: report.file.to_owned(),
        name: format!("{}: {}", stated.name, stated.formula),
        seconds: 0.0,
        result: TestResult::Skipped(format!("not checked: {}", stated.reason)),
    }));
    cases
}

/// Why properties of states other than the finding are not decided; `None` where they are known to hold.
fn undecided(report: &CheckReport<'_>) -> Option<String> {
    let outcome = report.outcome;
    let found = outcome.finding.as_ref().map(|finding| &finding.fault);
    // Formulas are judged when all states have been visited without a finding.
    let is_about_formulas = found.is_none_or(|fault| matches!(fault.part, FaultyPart::Temporal(_)));
    match outcome.verdict {
        Verdict::Verified => None,
        Verdict::Incomplete | Verdict::TemporalViolation | Verdict::IllDefined
            if outcome.exhausted
                && !matches!(outcome.limit, Some(LimitHit::Undecided(_) | LimitHit::Assumed(_) | LimitHit::Scope))
                && is_about_formulas =>
        {
            None
        }
        Verdict::Incomplete => Some("the search was incomplete and found nothing".to_owned()),
        // A reached goal is not a fault of the machine, but the search stopped there.
        verdict => Some(format!("only the first finding is reported: {}", verdict.word())),
    }
}

fn failure(report: &CheckReport<'_>, violation: &Violation, trace: Option<&Trace>) -> TestResult {
    let place = violation.span.map(|span| super::diagnostics::place(span, report.sources)).unwrap_or_default();
    let text = trace.map(|trace| text_of_run(&named_steps(report.model, trace), trace.end)).unwrap_or_default();
    TestResult::Failed(violation.message.clone(), shown!("{}\n{}", place, text))
}

/// How long it took to judge a formula.
fn seconds_of(judged: &Judged<'_>) -> f64 {
    judged.result.map_or(0.0, |result| result.time_s)
}

/// A temporal formula as a test.
fn of_formula(report: &CheckReport<'_>, judged: &Judged<'_>) -> TestCase {
    let result = match (&judged.verdict, judged.violation(report.model, report.sources)) {
        (_, Some((_, violation))) => failure(report, &violation, judged.trace()),
        // A test that passed would claim that the formula holds.
        (TemporalVerdict::Unknown(reason), None) => TestResult::Skipped(reason.clone()),
        _ => TestResult::Passed,
    };
    TestCase {
        class: report.file.to_owned(),
        name: format!("temporal formula {}: {}", judged.name, judged.text),
        seconds: seconds_of(judged),
        result,
    }
}

/// The properties of a machine, and which one was found violated.
fn of_machine(report: &CheckReport<'_>) -> Vec<(String, bool)> {
    let model = report.model;
    let found = report.outcome.finding.as_ref().map(|finding| &finding.fault);
    let mut properties = Vec::new();
    // The name is what CI systems follow a test by from run to run, so it does not depend on the result.
    let titled = |what: &str, part: &FaultyPart, span| {
        let formula = super::finding::one_line(report.sources, span);
        let number = || part.number().map(|number| number.to_string()).unwrap_or_default();
        let which = part.label(model).map_or_else(number, |label| format!("@{label}"));
        format!("{what} {which}: {formula}")
    };
    for part in report.options.checked(model) {
        let title = match (&part, part.pred(model)) {
            // A reached goal is not a fault of the machine.
            (FaultyPart::Goal, _) => continue,
            (FaultyPart::Assertion(_) | FaultyPart::StaticAssertion(_), Some(pred)) => titled("assertion", &part, pred.span),
            (_, Some(pred)) => titled(part.row().word, &part, pred.span),
            (_, None) => format!("no {}", part.row().word),
        };
        let is_it = found == Some(&Fault::violated(part));
        properties.push((title, is_it));
    }
    properties
}

/// The obligations of a refinement, and which one was found to fail.
fn of_refinement(report: &CheckReport<'_>, refinement: &RefinementReport<'_>) -> Vec<(String, bool)> {
    let found = match report.outcome.finding.as_ref().map(|finding| &finding.fault.part) {
        Some(FaultyPart::Obligation(mismatch)) => Some(mismatch),
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
        // The obligations of a single operation; the others have separate tests.
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
