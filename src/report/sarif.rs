//! SARIF 2.1.0: findings as code hosts and editors show them, the counterexample as a code flow.
//!
//! Invariant: places are those of the machine's text; a result without one points at the first line of its file. Paths are
//! relative to where bcheck ran, or `file:` URIs.

use super::json::pretty;
use super::json_objects::{FixObject, PlaceObject, fix_objects, place_object};
use super::temporal::{Judged, judged};
use super::trace::title;
use super::{CheckReport, Violation, ending, equations, named_steps, violation, warnings};
use bcheck_explore::{TemporalVerdict, Trace, TraceEnd, Verdict};
use bcheck_ir::Model;
use bcheck_source::{Code, Diagnostic, Severity, Shown, SourceMap, Span, Vocabulary};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// The prefix of the ids of rules of temporal formulas.
const OF_FORMULA: &str = "temporal_violation/";

/// A rule of this run alone: its id and its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    id: String,
    meaning: String,
}

/// The rules of a check: one for each temporal formula, whether it holds or not.
#[must_use]
pub fn rules_of_check(report: &CheckReport<'_>) -> Vec<Rule> {
    judged(report).into_iter().map(|judged| Rule { id: rule_of(&judged), meaning: judged.text }).collect()
}

fn rule_of(judged: &Judged<'_>) -> String {
    format!("{OF_FORMULA}{}", judged.name)
}

/// The file; results as [`of_check`] and [`of_diagnostics`] give them, rules as [`rules_of_check`].
#[must_use]
pub fn render(results: &[Json], own: &[Rule]) -> Shown {
    let mut rules: BTreeMap<&str, &str> = own.iter().map(|rule| (rule.id.as_str(), rule.meaning.as_str())).collect();
    for result in results {
        let id = result["ruleId"].as_str().unwrap_or("");
        // Each rule once, in the order of the ids.
        rules.entry(id).or_insert_with(|| meaning(id));
    }
    let rules: Vec<Json> = rules.iter().map(|(id, text)| rule_object(id, text)).collect();
    let mut results = results.to_vec();
    number_fingerprints(&mut results);
    pretty(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "bcheck", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            // Stated, because many tools count UTF-16 units, and columns of bcheck are characters.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    }))
}

fn rule_object(id: &str, text: &str) -> Json {
    let mut rule = json!({ "id": id, "shortDescription": { "text": text }, "help": help(id, text) });
    if let Some(uri) = help_uri(env!("CARGO_PKG_REPOSITORY")) {
        rule["helpUri"] = json!(uri);
    }
    rule
}

/// The help that a code host shows with a result of a rule.
fn help(id: &str, text: &str) -> Json {
    match code_of(id) {
        // As `bcheck help B0203` prints it.
        Some(code) => json!({
            "text": format!("{id}: {text}. {}", code.plain_explanation()),
            "markdown": format!("**{id}**: {text}. {}", code.explanation()),
        }),
        None => json!({ "text": format!("{text}; `bcheck help verdicts` explains all verdicts with their exit codes") }),
    }
}

/// The code of a message that is the id of a rule.
fn code_of(rule: &str) -> Option<Code> {
    Code::ALL.iter().copied().find(|code| code.as_str() == rule)
}

/// The page of the project that explains verdicts and messages, if the package names its repository; the format requires an absolute URI.
fn help_uri(repository: &str) -> Option<String> {
    let repository = repository.trim_end_matches('/');
    (!repository.is_empty()).then(|| format!("{repository}/blob/v{}/README.md", env!("CARGO_PKG_VERSION")))
}

/// The name of the fingerprint; a change of its ingredients gets another number.
const FINGERPRINT: &str = "bcheckRuleAndLine/v1";

/// A fingerprint by which a result is recognised in the next run, although lines before it came or went: its rule, its file, the text of
/// its line, and its number among equal ones.
fn fingerprint(rule: &str, file: &str, line: &str) -> String {
    let mut hash = blake3::Hasher::new();
    for part in [rule, file, line.trim()] {
        hash.update(part.as_bytes());
        // No part holds it, so that parts cannot run into each other.
        hash.update(&[0]);
    }
    hash.finalize().to_hex().chars().take(32).collect()
}

/// Numbers results with equal fingerprints in their order, from 1.
fn number_fingerprints(results: &mut [Json]) {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for result in results {
        let Some(whole) = result["partialFingerprints"][FINGERPRINT].as_str() else { continue };
        // Results of the runs of a suite already have numbers, counted per run.
        let own = whole.split(':').next().unwrap_or(whole).to_owned();
        let time = times.entry(own.clone()).or_default();
        *time += 1;
        result["partialFingerprints"][FINGERPRINT] = json!(format!("{own}:{time}"));
    }
}

/// The line in which a place begins.
fn line_at(span: Span, sources: &SourceMap) -> &str {
    let text = sources.file(span.file).text.as_str();
    let start = usize::try_from(span.start).unwrap_or(usize::MAX);
    let from = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    text[from..].lines().next().unwrap_or("")
}

fn meaning(rule: &str) -> &'static str {
    if let Some(code) = code_of(rule) {
        return code.meaning();
    }
    // In a suite, whose runs have formulas of their own.
    let of_formula = rule.starts_with(OF_FORMULA).then_some(Verdict::TemporalViolation);
    // The rule of a suite, `unexpected_result`, is not a verdict.
    Verdict::of_word(rule).or(of_formula).map_or("not the expected result", Verdict::help)
}

/// The results of a check: the finding, then everything that was warned about.
#[must_use]
pub fn of_check(report: &CheckReport<'_>) -> Vec<Json> {
    let mut results = Vec::new();
    let formulas = judged(report);
    if let Some(violation) = violation(report) {
        let verdict = report.outcome.verdict;
        // A separate rule: code hosts let users hide a rule, and two formulas are two matters. If a formula is ill-defined, that is the
        // matter.
        let own = formulas.iter().find(|judged| judged.is_finding && verdict == Verdict::TemporalViolation).map(rule_of);
        let rule = own.as_deref().unwrap_or(verdict.word());
        results.push(of_violation(report, rule, &violation, report.outcome.finding.as_ref().map(|finding| &finding.trace)));
    }
    results.extend(formulas.iter().filter(|judged| !judged.is_finding).filter_map(|judged| of_formula(report, judged)));
    let found = warnings(report);
    results.extend(of_diagnostics(report.diagnostics, report.sources));
    results.extend(of_diagnostics(&found, report.sources));
    if report.outcome.verdict == Verdict::Incomplete {
        // Without a result, a code host would show the run as clean.
        results.push(result("incomplete", "warning", "the search was incomplete and found nothing so far", report.file, None));
    }
    results
}

fn of_violation(report: &CheckReport<'_>, rule: &str, violation: &Violation, trace: Option<&Trace>) -> Json {
    // A reached goal was requested; as an error it would fail the run of a code host.
    let level = if violation.kind == "goal" { "note" } else { "error" };
    let formula = violation.formula.as_ref().map(|formula| format!(": {formula}")).unwrap_or_default();
    let place = violation.span.map(|span| place_object(span, report.sources));
    let line = violation.span.map(|span| line_at(span, report.sources));
    let mut result = result(rule, level, &format!("{}{formula}", violation.message), report.file, place.as_ref().zip(line));
    if let Some(trace) = trace.filter(|trace| !trace.steps.is_empty()) {
        result["codeFlows"] = json!([code_flow(report.model, report.sources, report.file, trace)]);
    }
    result
}

/// The result for a temporal formula, unless it holds.
fn of_formula(report: &CheckReport<'_>, judged: &Judged<'_>) -> Option<Json> {
    let rule = rule_of(judged);
    match &judged.verdict {
        TemporalVerdict::Unknown(reason) => {
            let place = place_object(judged.stated.span, report.sources);
            let message = format!("the formula could not be decided: {}: {reason}", judged.text);
            Some(result(&rule, "warning", &message, report.file, Some((&place, line_at(judged.stated.span, report.sources)))))
        }
        _ => {
            let (verdict, violation) = judged.violation(report.model, report.sources)?;
            let rule = if verdict == Verdict::TemporalViolation { &rule } else { verdict.word() };
            Some(of_violation(report, rule, &violation, judged.trace()))
        }
    }
}

/// Diagnostics as results.
#[must_use]
pub fn of_diagnostics(diagnostics: &[Diagnostic], sources: &SourceMap) -> Vec<Json> {
    let of_one = |diagnostic: &Diagnostic| {
        let level = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let place = place_object(diagnostic.span(), sources);
        let message = std::iter::once(&diagnostic.title).chain(&diagnostic.help).cloned().collect::<Vec<_>>().join("; ");
        let mut result =
            result(diagnostic.code.as_str(), level, &message, &place.file, Some((&place, line_at(diagnostic.span(), sources))));
        let fixes: Vec<Json> = fix_objects(diagnostic, sources).iter().map(fix).collect();
        if !fixes.is_empty() {
            result["fixes"] = json!(fixes);
        }
        result
    };
    diagnostics.iter().map(of_one).collect()
}

/// A fix, with the edits of each file together.
fn fix(fix: &FixObject<'_>) -> Json {
    let mut changes: BTreeMap<&str, Vec<Json>> = BTreeMap::new();
    for edit in &fix.edits {
        let replacement = json!({ "deletedRegion": region(&edit.place), "insertedContent": { "text": edit.text } });
        changes.entry(&edit.place.file).or_default().push(replacement);
    }
    let of_file = |(file, replacements)| json!({ "artifactLocation": { "uri": uri(file) }, "replacements": replacements });
    json!({ "description": { "text": fix.title }, "artifactChanges": changes.into_iter().map(of_file).collect::<Vec<_>>() })
}

fn region(place: &PlaceObject) -> Json {
    json!({ "startLine": place.line, "startColumn": place.column, "endLine": place.end_line, "endColumn": place.end_column })
}

/// One result; without a place it is about the whole file.
#[must_use]
pub fn of_file(rule: &str, message: &str, file: &str) -> Json {
    result(rule, "error", message, file, None)
}

/// A result at a place with the text of its line, if it has one.
fn result(rule: &str, level: &str, message: &str, file: &str, place: Option<(&PlaceObject, &str)>) -> Json {
    let (place, line) = (place.map(|(place, _)| place), place.map_or("", |(_, line)| line));
    let fingerprint = fingerprint(rule, &uri(place.map_or(file, |place| place.file.as_str())), line);
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": message },
        "locations": [location(file, place)],
        "partialFingerprints": { FINGERPRINT: fingerprint },
    })
}

fn location(file: &str, place: Option<&PlaceObject>) -> Json {
    let region = match place {
        Some(place) => region(place),
        // Code hosts show no result without a line.
        None => json!({ "startLine": 1 }),
    };
    // A finding may lie in a file that the checked one names.
    let file = place.map_or(file, |place| place.file.as_str());
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) }, "region": region } })
}

/// The steps of a trace, each at its operation, with its changes.
fn code_flow(model: &Model, sources: &SourceMap, file: &str, trace: &Trace) -> Json {
    let last = trace.steps.len().saturating_sub(1);
    let start = trace.end.and_then(TraceEnd::loop_start);
    let steps = named_steps(model, trace).into_iter().zip(&trace.steps).enumerate().map(|(index, (named, step))| {
        let changes = equations(named.changes());
        let mut text = [title(&named), changes].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
        if start == Some(index) {
            text.push_str(&format!(" (step {index}, where the loop begins)"));
        }
        if let Some(end) = trace.end.filter(|_| index == last) {
            text.push_str(&format!(" ({})", ending::sentence(end)));
        }
        // The first line of the operation: its whole body would be highlighted at every step.
        let place = named.span(model, step).map(|span| place_object(super::first_line(sources, span), sources));
        let mut location = location(file, place.as_ref());
        location["message"] = json!({ "text": text });
        json!({ "location": location })
    });
    json!({ "threadFlows": [{ "locations": steps.collect::<Vec<_>>() }] })
}

/// A path of this system as a URI reference.
fn uri(path: &str) -> String {
    uri_of(path, cfg!(windows))
}

/// A path, of Windows or not, as a URI reference: absolute paths as URIs of files (RFC 8089), others relative.
fn uri_of(path: &str, is_windows: bool) -> String {
    // The verbatim path of the system names the same file.
    let path = if is_windows { path.strip_prefix(r"\\?\").unwrap_or(path) } else { path };
    let mut letters = path.chars();
    let has_drive = is_windows && letters.next().is_some_and(|drive| drive.is_ascii_alphabetic()) && letters.next() == Some(':');
    let (drive, rest) = path.split_at(if has_drive { 2 } else { 0 });
    let is_separator = |letter: char| letter == '/' || is_windows && letter == '\\';
    let mut separators = rest.chars().take_while(|letter| is_separator(*letter));
    let mut uri = match (separators.next(), separators.next()) {
        (Some(_), _) if has_drive => format!("file:///{drive}"),
        // The host of a shared folder follows.
        (Some(_), Some(_)) if is_windows => "file:".to_owned(),
        (Some(_), _) => "file://".to_owned(),
        // Relative to what the drive is at: a colon before the first slash would end a scheme (RFC 3986, 4.2).
        (None, _) => drive.replace(':', "%3A"),
    };
    for byte in rest.bytes() {
        match byte {
            // The unreserved characters of RFC 3986, and separators.
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            b'\\' if is_windows => uri.push('/'),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("machines/a b.mch"), "machines/a%20b.mch");
        assert_eq!(uri_of("/tmp/é.mch", false), "file:///tmp/%C3%A9.mch");
        assert_eq!(uri_of(r"C:\a.mch", false), "C%3A%5Ca.mch", "elsewhere this is a name");
        let windows = [
            (r"machines\a b.mch", "machines/a%20b.mch"),
            (r"C:\Users\é\a.mch", "file:///C:/Users/%C3%A9/a.mch"),
            ("c:/a.mch", "file:///c:/a.mch"),
            (r"\\?\C:\a.mch", "file:///C:/a.mch"),
            (r"\\host\shared\a.mch", "file://host/shared/a.mch"),
            (r"\a.mch", "file:///a.mch"),
            (r"C:a.mch", "C%3Aa.mch"),
        ];
        for (path, expected) in windows {
            assert_eq!(uri_of(path, true), expected, "{path}");
        }
    }

    #[test]
    fn each_rule_is_listed_once() {
        let results = [of_file("deadlock", "one", "a.mch"), of_file("deadlock", "two", "b.mch"), of_file("B0203", "three", "c.mch")];
        let file: Json = serde_json::from_str(&render(&results, &[])).expect("JSON");
        let rules = &file["runs"][0]["tool"]["driver"]["rules"];
        assert_eq!(rules.as_array().map(Vec::len), Some(2));
        assert_eq!(rules[0]["shortDescription"]["text"], "two types that do not fit");
        let help = |format: &str| rules[0]["help"][format].as_str().unwrap_or_default();
        assert!(help("text").contains("x <: S for a subset") && help("markdown").contains("`x <: S` for a subset"), "{}", rules[0]);
        assert!(rules[1]["help"]["text"].as_str().is_some_and(|text| text.contains("bcheck help verdicts")), "{}", rules[1]);
    }

    #[test]
    fn results_that_are_alike_have_fingerprints_of_their_own() {
        let alike = [of_file("deadlock", "one", "a.mch"), of_file("deadlock", "two", "a.mch"), of_file("deadlock", "one", "b.mch")];
        let read = |results: &[Json]| -> Vec<Json> {
            let file: Json = serde_json::from_str(&render(results, &[])).expect("JSON");
            file["runs"][0]["results"].as_array().expect("results").clone()
        };
        let of = |results: &[Json]| -> Vec<String> {
            results.iter().map(|result| result["partialFingerprints"][FINGERPRINT].as_str().expect("a text").to_owned()).collect()
        };
        let first = read(&alike);
        let found = of(&first);
        assert!(found[0].ends_with(":1") && found[1].ends_with(":2") && found[2].ends_with(":1"), "{found:?}");
        assert_eq!(found[0].split(':').next(), found[1].split(':').next());
        assert_ne!(found[0], found[2]);
        assert_eq!(of(&read(&first)), found, "a suite numbers results of its runs once more");
        assert_ne!(fingerprint("B0203", "a.mch", "x : S"), fingerprint("B0203", "a.mch", "y : S"));
        assert_eq!(fingerprint("B0203", "a.mch", "  x : S"), fingerprint("B0203", "a.mch", "x : S "), "layout does not matter");
    }

    #[test]
    fn rules_lead_to_the_page_of_the_repository() {
        assert_eq!(help_uri(""), None);
        let uri = help_uri("https://example.org/bcheck/").expect("a repository");
        assert_eq!(uri, format!("https://example.org/bcheck/blob/v{}/README.md", env!("CARGO_PKG_VERSION")));
    }
}
