//! Expected results that a machine states in its comments, and how a report differs from them.
//!
//! ```text
//! /*@ check OPTIONS: VERDICT[, fails NAME …][, N steps][, loop at N][, N states][, N transitions][; full N states[, N transitions]] */
//! /*@ check OPTIONS: rejected, B0203[, B0201 …] */
//! /*@ refine OPTIONS: VERDICT[, OBLIGATION[ of OPERATION]][, N steps][, N configurations][; full N] */
//! ```
//! `count` in place of `check` (or behind `refine`) states that the full space is too large to explore, `large` that even the reduced
//! run takes long. OPTIONS are those of the command line about scope, properties, search and limits; a comment of a machine names no
//! file. States and transitions are all in ProB's convention or all in bcheck's, `steps` is the length of the trace, `fails` names all
//! temporal formulas that do not hold.
//! Invariant: a pragma that cannot be read is an error with its line, never passed over.

use crate::args::Cli;
use crate::commands::suite::stated_counts::{StatedCounts, count_differences};
use crate::exit::Exit;
use bcheck_explore::Verdict;
use bcheck_source::Vocabulary;
use clap::CommandFactory;
use serde_json::Value as Json;
use std::any::TypeId;
use std::ffi::OsString;
use std::path::PathBuf;

/// The runs whose results are compared with a pragma.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// `check`, `refine`: reduced and plain.
    #[default]
    Both,
    /// `count`: reduced.
    Reduced,
    /// `large`: reduced, and only on request.
    Large,
}

/// The expected result stated by a pragma.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// Its line, from 1.
    pub line: usize,
    /// The runs to be compared.
    pub extent: Extent,
    /// Whether it is about `bcheck refine`.
    pub is_refinement: bool,
    /// Options of the command line.
    pub options: Vec<String>,
    /// A verdict, or `rejected`.
    pub verdict: String,
    /// The codes of all errors of a rejected machine.
    pub codes: Vec<String>,
    /// The length of the trace.
    pub steps: Option<usize>,
    /// The step of the trace where its loop begins.
    pub loop_start: Option<usize>,
    /// The names of all temporal formulas that do not hold, in the order of the report.
    pub fails: Option<Vec<String>>,
    /// States (or configurations) explored.
    pub states: Option<String>,
    /// Transitions explored.
    pub transitions: Option<String>,
    /// States (or configurations) of the full space.
    pub full_states: Option<String>,
    /// Transitions of the full space.
    pub full_transitions: Option<String>,
    /// The obligation of a refinement that fails.
    pub obligation: Option<String>,
    /// The operation of that obligation.
    pub operation: Option<String>,
}

/// A pragma that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPragma {
    /// The line on which it starts, from 1.
    pub line: usize,
    /// One sentence without a full stop.
    pub message: String,
}

/// The pragmas of a machine's text, in order.
///
/// # Errors
/// The first pragma that cannot be read.
pub fn expectations(text: &str) -> Result<Vec<Expectation>, BadPragma> {
    let mut found = Vec::new();
    // By the text alone, not by tokens: a machine stated to be rejected may not even consist of tokens.
    for (at, _) in text.match_indices("/*@") {
        let rest = text[at + 3..].trim_start();
        let word = rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or("");
        let (extent, is_refinement) = match word {
            "check" => (Extent::Both, false),
            "count" => (Extent::Reduced, false),
            "large" => (Extent::Large, false),
            "refine" => (Extent::Both, true),
            // Labels, packages and other pragmas do not state results.
            _ => continue,
        };
        let line = text[..at].matches('\n').count() + 1;
        let body = rest[word.len()..].split("*/").next().unwrap_or("").trim();
        let (extent, body) = match body.split_once(char::is_whitespace) {
            Some(("count", rest)) if is_refinement => (Extent::Reduced, rest),
            Some(("large", rest)) if is_refinement => (Extent::Large, rest),
            _ => (extent, body),
        };
        let expectation = Expectation { line, extent, is_refinement, ..Expectation::default() };
        found.push(read(body, expectation).map_err(|message| BadPragma { line, message })?);
    }
    Ok(found)
}

fn read(body: &str, mut expectation: Expectation) -> Result<Expectation, String> {
    // The last colon separates: options may contain one inside quotes (`--goal "x : S"`), results never do.
    let (options, result) = body.rsplit_once(':').ok_or_else(|| format!("an expected result is missing after a colon: {body}"))?;
    expectation.options = words(options);
    allowed(&expectation.options, expectation.is_refinement)?;
    // Counts before the semicolon are those of the reduced run, counts behind it those of the full space.
    let (here, full) = result.split_once(';').map_or((result, ""), |(here, full)| (here, full.trim()));
    let mut parts = here.split(',').map(str::trim);
    parts.next().unwrap_or("").clone_into(&mut expectation.verdict);
    let is_verdict = Verdict::of_word(&expectation.verdict).is_some();
    if !is_verdict && expectation.verdict != "rejected" {
        return Err(format!("`{}` is not a verdict", expectation.verdict));
    }
    for part in parts {
        let unreadable = || format!("cannot read `{part}`");
        match part.split_once(' ') {
            // First match wins: a single word is an obligation or a code; with a number, the unit decides; what remains is `OBLIGATION of
            // OPERATION`.
            None if expectation.is_refinement => expectation.obligation = Some(part.to_owned()),
            None => expectation.codes.push(part.to_owned()),
            Some(("loop", at)) if !expectation.is_refinement => {
                let start = at.strip_prefix("at ").and_then(|start| start.parse().ok());
                expectation.loop_start = Some(start.ok_or_else(unreadable)?);
            }
            Some(("fails", names)) if !expectation.is_refinement => {
                expectation.fails = Some(names.split_whitespace().map(str::to_owned).collect());
            }
            Some((number, "step" | "steps")) => expectation.steps = Some(number.parse().map_err(|_| unreadable())?),
            Some((number, "state" | "states" | "configuration" | "configurations")) => expectation.states = Some(number.to_owned()),
            Some((number, "transition" | "transitions")) => expectation.transitions = Some(number.to_owned()),
            Some((obligation, of)) if expectation.is_refinement => {
                expectation.obligation = Some(obligation.to_owned());
                expectation.operation = Some(of.strip_prefix("of ").ok_or_else(unreadable)?.to_owned());
            }
            Some(_) => return Err(unreadable()),
        }
    }
    for part in full.trim_start_matches("full").split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once(' ') {
            None if expectation.is_refinement => expectation.full_states = Some(part.to_owned()),
            Some((number, "state" | "states")) => expectation.full_states = Some(number.to_owned()),
            Some((number, "transition" | "transitions")) => expectation.full_transitions = Some(number.to_owned()),
            _ => return Err(format!("cannot read `{part}`")),
        }
    }
    Ok(expectation)
}

/// The groups of options that a comment may give. A test ensures that no option of these groups names a file.
const ALLOWED: &[&str] = &["Scope", "What is checked", "Search", "Limits"];

/// Whether an option may occur in a comment: it belongs to one of the groups and takes no path.
fn may_be_given(option: &clap::Arg) -> bool {
    let parser = option.get_value_parser().type_id();
    let is_path = parser == TypeId::of::<PathBuf>() || parser == TypeId::of::<OsString>();
    option.get_help_heading().is_some_and(|group| ALLOWED.contains(&group)) && !option.is_positional() && !is_path
}

/// Refuses options that a machine may not set: a comment must not name a file to be written, read or run.
fn allowed(options: &[String], is_refinement: bool) -> Result<(), String> {
    let whole = Cli::command();
    let command = whole.find_subcommand(if is_refinement { "refine" } else { "check" });
    let known: Vec<&clap::Arg> = command.into_iter().flat_map(clap::Command::get_arguments).filter(|option| may_be_given(option)).collect();
    // `known` lists what is allowed, not what is refused, so options of a new group are refused until somebody decides. Words are parsed as
    // clap parses them: `--name=value`, `--name value`, `-nvalue`, `-n value`.
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let refused = || format!("`{word}` is not allowed in a comment, which may give only options of scope, checks, search and limits");
        let (option, value) = match word.strip_prefix("--") {
            Some(long) => {
                let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                (known.iter().find(|option| option.get_long() == Some(name)), value)
            }
            None => {
                let mut letters = word.strip_prefix('-').ok_or_else(refused)?.chars();
                let letter = letters.next().ok_or_else(refused)?;
                let value = Some(letters.as_str()).filter(|value| !value.is_empty());
                (known.iter().find(|option| option.get_short() == Some(letter)), value)
            }
        };
        let option = option.ok_or_else(refused)?;
        let takes_value = option.get_action().takes_values();
        // `--temporal` may have no value; if it has one, it follows `=`.
        let may_stand_alone = option.get_num_args().is_some_and(|range| range.min_values() == 0);
        match (takes_value, value) {
            (true, None) if may_stand_alone => {}
            (false, None) | (true, Some(_)) => {}
            // Letters behind that of a switch would be more switches, each to be looked up.
            (false, Some(_)) => return Err(refused()),
            (true, None) => {
                let value = words.next().ok_or_else(|| format!("`{word}` needs a value"))?;
                // A word that begins with a minus could be an option in disguise, such as `--goal -of`; only a negative number is a value.
                let is_number = value.strip_prefix('-').is_none_or(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()));
                if !is_number {
                    return Err(format!("`{word}` needs a value, which `{value}` is not"));
                }
            }
        }
    }
    Ok(())
}

/// Splits options at white space, except inside double quotes, which may begin within a word: `--goal="n = 2"`.
fn words(text: &str) -> Vec<String> {
    // Quotes cannot be escaped, so an option that contains a string of B cannot be stated.
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for letter in text.chars() {
        match letter {
            '"' => {
                is_quoted = !is_quoted;
                // A word even if it is empty.
                word.get_or_insert_default();
            }
            _ if letter.is_whitespace() && !is_quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

impl Expectation {
    /// Whether an option is given, in any of the forms that clap accepts: `--workers 2`, `--workers=2`, `-j 2`, `-j2`.
    #[must_use]
    pub fn gives(&self, option: &str) -> bool {
        let is_long = option.starts_with("--");
        let has = |given: &String| given.strip_prefix(option).is_some_and(|rest| !is_long || rest.is_empty() || rest.starts_with('='));
        self.options.iter().any(has)
    }

    /// The differences between this and a run, given its exit code and JSON report; `plain` if the run was not reduced.
    #[must_use]
    pub fn differences(&self, code: Option<i32>, report: &Json, plain: bool) -> Vec<String> {
        let mut differences = Vec::new();
        let mut expect = |what: &str, wanted: &str, found: &str| {
            if wanted != found {
                differences.push(format!("{what} {found} instead of {wanted}"));
            }
        };
        let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let shown = |code: Option<i32>| code.map_or_else(|| "by a signal".to_owned(), |code| code.to_string());
        let is_any_error = self.verdict == "rejected" && self.codes.is_empty();
        let is_refused = [Exit::Rejected, Exit::Syntax].iter().any(|exit| code == Some(exit.code().into()));
        if !(is_any_error && is_refused) {
            expect("exit code", &shown(self.exit_code()), &shown(code));
        }
        if self.verdict == "rejected" {
            let errors: Vec<&str> = report["diagnostics"]
                .as_array()
                .into_iter()
                .flatten()
                // Warnings are not part of the statement, so a new one does not break the machines that state errors.
                .filter(|diagnostic| diagnostic["severity"] == "error")
                .filter_map(|diagnostic| diagnostic["code"].as_str())
                .collect();
            // Without codes, any error is accepted.
            if !self.codes.is_empty() {
                expect("errors", &self.codes.join(" "), &errors.join(" "));
            }
            return differences;
        }
        let verdict = report["verdict"].as_str().unwrap_or("none (the machine was refused)");
        expect("verdict", &self.verdict, verdict);
        if let Some(steps) = self.steps {
            expect("steps", &steps.to_string(), &report["trace"].as_array().map_or(0, Vec::len).to_string());
        }
        if let Some(start) = self.loop_start {
            expect("loop at", &start.to_string(), &text(&report["loop_start"]));
        }
        if let Some(names) = &self.fails {
            let formulas = report["temporal"].as_array().into_iter().flatten().filter(|formula| formula["verdict"] != "holds");
            let failed: Vec<&str> = formulas.filter_map(|formula| formula["name"].as_str()).collect();
            expect("formulas that do not hold:", &names.join(" "), &failed.join(" "));
        }
        for (what, wanted) in [("obligation", &self.obligation), ("operation", &self.operation)] {
            if let Some(wanted) = wanted {
                expect(what, wanted, &text(&report["violation"][what]));
            }
        }
        let Self { states, transitions, full_states, full_transitions, is_refinement, .. } = self;
        let stated = StatedCounts { states, transitions, full_states, full_transitions, is_refinement: *is_refinement };
        differences.extend(count_differences(&stated, report, plain));
        differences
    }

    /// The exit code that belongs to the stated result.
    fn exit_code(&self) -> Option<i32> {
        let verdict = Verdict::of_word(&self.verdict);
        let exit = match verdict {
            Some(verdict) => Exit::Verdict(verdict),
            // B01xx are the codes of lexer and parser; one of them decides even if the machine has other errors.
            None if self.codes.iter().any(|code| code.starts_with("B01")) => Exit::Syntax,
            None => Exit::Rejected,
        };
        Some(exit.code().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_a_shell_and_clap_read_them() {
        assert_eq!(words("-j2 --goal=\"n = 2\" --goal \"x : S\" \"\""), ["-j2", "--goal=n = 2", "--goal", "x : S", ""]);
        let of = |text: &str| Expectation { options: words(text), ..Expectation::default() };
        for text in ["-j2", "-j 2", "-j=2"] {
            assert!(of(text).gives("-j") && !of(text).gives("--workers"), "{text}");
        }
        assert!(of("--workers=2").gives("--workers") && of("--workers 2").gives("--workers"));
        assert!(!of("--time-limits 2").gives("--time-limit") && !of("--json").gives("-j"));
    }

    #[test]
    fn a_counterexample_may_be_stated_with_its_loop() {
        let text = "/*@ check --goal \"x : {1}\": temporal_violation, 4 steps, loop at 2 */";
        let stated = expectations(text).expect("readable").remove(0);
        assert_eq!((stated.steps, stated.loop_start, stated.exit_code()), (Some(4), Some(2), Some(13)));
        let report = serde_json::json!({ "verdict": "temporal_violation", "trace": [1, 2, 3, 4], "end": "loop", "loop_start": 1 });
        assert_eq!(stated.differences(Some(13), &report, false), ["loop at 1 instead of 2"]);
        for text in ["/*@ check: temporal_violation, loop at x */", "/*@ check: temporal_violation, loop 2 */"] {
            assert!(expectations(text).is_err(), "{text}");
        }
    }

    #[test]
    fn formulas_that_do_not_hold_are_stated_by_their_names() {
        let stated =
            expectations("/*@ check --temporal --continue: temporal_violation, fails ASSERT_LTL_a ASSERT_CTL */").expect("readable");
        let report = |verdicts: [&str; 3]| {
            let formulas: Vec<Json> = ["ASSERT_LTL_a", "ASSERT_LTL_b", "ASSERT_CTL"]
                .iter()
                .zip(verdicts)
                .map(|(name, verdict)| serde_json::json!({ "name": name, "verdict": verdict }))
                .collect();
            serde_json::json!({ "verdict": "temporal_violation", "temporal": formulas })
        };
        assert_eq!(stated[0].differences(Some(13), &report(["violated", "holds", "unknown"]), false), Vec::<String>::new());
        assert_eq!(
            stated[0].differences(Some(13), &report(["violated", "violated", "holds"]), false),
            ["formulas that do not hold: ASSERT_LTL_a ASSERT_LTL_b instead of ASSERT_LTL_a ASSERT_CTL"]
        );
        assert!(expectations("/*@ refine: refinement_violation, fails ASSERT_LTL_a */").is_err());
    }

    #[test]
    fn pragmas_are_read() {
        let text = "// first\n/*@ check --deferred 2 --goal \"x : S & y = 1\": goal_found, 4 steps, 8 states, 50 transitions; full 65 states, 433 transitions */ MACHINE";
        let expected = Expectation {
            line: 2,
            options: ["--deferred", "2", "--goal", "x : S & y = 1"].map(str::to_owned).to_vec(),
            verdict: "goal_found".to_owned(),
            steps: Some(4),
            states: Some("8".to_owned()),
            transitions: Some("50".to_owned()),
            full_states: Some("65".to_owned()),
            full_transitions: Some("433".to_owned()),
            ..Expectation::default()
        };
        assert_eq!(expectations(text), Ok(vec![expected]));
        assert_eq!(expectations("/*@ check: rejected, B0203 */").expect("readable")[0].codes, ["B0203"]);
        let refine =
            expectations("/*@ refine --mode trace: refinement_violation, operation of leave, 4 steps; full 10 */").expect("readable");
        assert!(refine[0].is_refinement);
        assert_eq!((refine[0].obligation.as_deref(), refine[0].operation.as_deref()), (Some("operation"), Some("leave")));
        assert_eq!((refine[0].steps, refine[0].full_states.as_deref()), (Some(4), Some("10")));
        let count = &expectations("/*@ refine count --deferred 9: verified */").expect("readable")[0];
        assert_eq!((count.extent, count.options.join(" ").as_str()), (Extent::Reduced, "--deferred 9"));
        assert_eq!(expectations("/*@label inv1 */ x = 1 /* a comment */"), Ok(vec![]));
    }

    #[test]
    fn a_pragma_that_cannot_be_read_has_a_line() {
        for (text, message) in [
            ("\n/*@ check --deferred 2 */", "an expected result is missing after a colon: --deferred 2"),
            ("\n/*@ check: verifed */", "`verifed` is not a verdict"),
            ("\n/*@ check: verified, many states */ /*@ check: deadlock, four steps */", "cannot read `four steps`"),
            ("\n/*@ check: verified; full 3 */", "cannot read `3`"),
        ] {
            assert_eq!(expectations(text), Err(BadPragma { line: 2, message: message.to_owned() }), "{text}");
        }
    }

    #[test]
    fn a_comment_names_no_file() {
        let read = |options: &str| expectations(&format!("\n/*@ check {options}: verified */"));
        for options in [
            "--output f",
            "-o f",
            "-of",
            "--html=f",
            "--trace f",
            "--graph f.dot",
            "--junit f",
            "--sarif f",
            "--include /",
            "-I/",
            "--format json",
            "--progress none",
            "--expect verified",
            "--project 1",
            "f.mch",
            "--",
            "-",
            "--deferred 2 f.mch",
            "--goal --output=f",
            "--goal -of",
            "--continue=1",
            "--deferred",
            "-v",
            "--color always",
            "--verbos",
            "--no-such-option",
        ] {
            assert_eq!(read(options).expect_err(options).line, 2, "{options}");
        }
        let all = "-d 2 -d3 --deferred S=2 --deferred=4 --minint -1 --maxint 5 --goal \"x = 1\" --no-deadlock --continue --symmetry off -j 2 --max-states 10k --wd strict";
        assert_eq!(read(all).map(|stated| stated.len()), Ok(1));
        assert_eq!(expectations("/*@ refine --mode trace --hide tidy --refusals: verified */").map(|stated| stated.len()), Ok(1));
        assert!(expectations("/*@ refine --mode trace --trace f: verified */").is_err());
    }

    #[test]
    fn every_option_is_in_a_group_that_is_decided() {
        let whole = Cli::command();
        for name in ["check", "refine"] {
            for option in whole.find_subcommand(name).expect("a command").get_arguments().filter(|option| !option.is_positional()) {
                let group = option.get_help_heading().unwrap_or("");
                let is_decided =
                    ALLOWED.contains(&group) || ["Files", "Checkpoints", "Processes", "Output", "Expectations", ""].contains(&group);
                assert!(is_decided, "{name} --{}: may a comment give options of the group `{group}`?", option.get_id());
                let names_file = option
                    .get_value_names()
                    .into_iter()
                    .flatten()
                    .any(|value| ["FILE", "DIR", "PATH", "COMMAND"].contains(&value.as_str()));
                assert!(!(names_file && may_be_given(option)), "{name} --{}", option.get_id());
            }
        }
    }

    #[test]
    fn counts_are_those_of_one_convention() {
        let report = serde_json::json!({
            "verdict": "verified",
            "explored": { "states": 4, "transitions": 9, "prob": { "states": 5, "transitions": 10 } },
            "full": { "states": "8", "transitions": "20", "prob": { "states": "9", "transitions": "21" } },
        });
        let differences = |counts: &str| {
            let stated = expectations(&format!("/*@ check: verified, {counts} */")).expect("readable").remove(0);
            stated.differences(Some(0), &report, false)
        };
        for counts in ["5 states, 10 transitions; full 9 states, 21 transitions", "4 states, 9 transitions; full 8 states, 20 transitions"]
        {
            assert_eq!(differences(counts), Vec::<String>::new(), "{counts}");
        }
        assert_eq!(differences("4 states, 10 transitions"), ["states 5 as ProB counts, 4 as bcheck counts, instead of 4"]);
        assert_eq!(differences("5 states; full 8 states"), ["full states 9 as ProB counts, 8 as bcheck counts, instead of 8"]);
    }

    #[test]
    fn a_difference_names_what_was_found_and_what_was_stated() {
        let stated = &expectations("/*@ check: deadlock, 3 steps, 5 states */").expect("readable")[0];
        let report = serde_json::json!({ "verdict": "deadlock", "trace": [1, 2, 3], "explored": { "states": 4, "prob": { "states": 5 } } });
        assert_eq!(stated.differences(Some(11), &report, false), Vec::<String>::new());
        let report = serde_json::json!({ "verdict": "verified", "trace": [], "explored": { "states": 7, "prob": { "states": 6 } } });
        let expected = [
            "exit code 0 instead of 11",
            "verdict verified instead of deadlock",
            "steps 0 instead of 3",
            "states 6 as ProB counts, 7 as bcheck counts, instead of 5",
        ];
        assert_eq!(stated.differences(Some(0), &report, false), expected);
        assert_eq!(stated.differences(Some(0), &report, true).len(), 3, "a plain run has other counts");
    }
}
