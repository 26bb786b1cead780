//! Temporal formulas of a machine judged through the library: one machine, compiled once, under any symmetry and with any number of
//! workers.
//!
//! Invariant: the space is covered whatever is found, so every formula has a verdict. Deliberately elsewhere: what the verdicts must be.

use bcheck::eval::Machine;
use bcheck::explore::{Limits, Options, Outcome, Silent, TemporalVerdict, explore};
use bcheck::sema::scope::{AskedSize, ScopeRequest, resolve};
use bcheck::sema::{FormulaContext, Logic, NoFiles, analyse_parsed, read_stated, read_temporal};
use bcheck::source::SourceMap;
use bcheck::symmetry::Mode;
use bcheck::syntax::parse_machine;
use std::sync::Arc;

/// A machine with formulas.
#[derive(Debug)]
pub(crate) struct Formulas {
    machine: Machine,
    limit: Option<u64>,
}

/// What is judged of a machine, and at which sizes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Asked {
    /// Formulas with their logic.
    pub(crate) formulas: Vec<(Logic, String)>,
    /// Whether those of DEFINITIONS are judged, too.
    pub(crate) stated: bool,
    /// The sizes of deferred sets: of one, or of all.
    pub(crate) sizes: Vec<(Option<String>, u64)>,
    /// The most states.
    pub(crate) limit: Option<u64>,
}

impl Asked {
    /// What options of the command line ask for; of others than these nothing is taken.
    pub(crate) fn of_options(options: &[String]) -> Self {
        let (mut asked, mut options_about_stated) = (Self::default(), Vec::new());
        let mut words = options.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().expect("an option with its value").clone();
            match word.as_str() {
                "--ltl" => asked.formulas.push((Logic::Ltl, value())),
                "--ctl" => asked.formulas.push((Logic::Ctl, value())),
                "--max-states" => asked.limit = Some(value().parse().expect("a number")),
                "--deferred" => {
                    let value = value();
                    let (set, size) = value.split_once('=').map_or((None, value.as_str()), |(set, size)| (Some(set.to_owned()), size));
                    asked.sizes.push((set, size.parse().expect("a size")));
                }
                word => options_about_stated.push(word),
            }
        }
        let has = |option: &str| options_about_stated.iter().any(|word| word.starts_with(option));
        asked.stated = has("--temporal") || !has("--no-temporal") && (!has("--only-temporal") || asked.formulas.is_empty());
        asked
    }
}

impl Formulas {
    /// Compiles a machine with what is asked; a text or formula that is refused is a fault of the test.
    #[track_caller]
    pub(crate) fn of_text(text: &str, asked: &Asked) -> Self {
        let mut sources = SourceMap::new();
        let file = sources.add("machine.mch", text);
        let analysis = analyse_parsed(parse_machine(file, text), &mut NoFiles);
        let mut model = analysis.model.unwrap_or_else(|| panic!("{:?}\n{text}", analysis.diagnostics));
        let sizes = asked.sizes.iter().map(|(set, size)| AskedSize::new(set.as_deref(), *size)).collect();
        let request = ScopeRequest { origin: "<test>", sizes, minint: None, maxint: None };
        let scope = resolve(&model, &request, &mut sources, &mut Vec::new()).unwrap_or_else(|_| panic!("sizes\n{text}"));
        for (logic, formula) in &asked.formulas {
            let file = sources.add("--formula", formula);
            let context = FormulaContext { model: Some(&model), scope: Some(&scope), ..FormulaContext::default() };
            let read = read_temporal(file, *logic, "--formula", formula, context, &analysis.macros);
            let (formula, extended) = read.unwrap_or_else(|faults| panic!("{formula}: {faults:?}\n{text}"));
            model = extended;
            model.temporal.push(formula);
        }
        for stated in analysis.stated.iter().filter(|_| asked.stated) {
            let context = FormulaContext { model: Some(&model), scope: Some(&scope), ..FormulaContext::default() };
            let read = read_stated(stated, &sources, context, &analysis.macros);
            let (formula, extended) = read.unwrap_or_else(|faults| panic!("{}: {faults:?}\n{text}", stated.name));
            model = extended;
            model.temporal.push(formula);
        }
        Self { machine: Machine::compile(Arc::new(model), scope), limit: asked.limit }
    }

    /// Judges them.
    pub(crate) fn outcome(&self, symmetry: Mode, workers: usize) -> Outcome {
        let limits = Limits { states: self.limit, ..Limits::default() };
        let options = Options {
            symmetry,
            workers,
            limits,
            invariant: false,
            deadlock: false,
            assertions: false,
            goal: false,
            keep_going: true,
            ..Options::default()
        };
        explore(&self.machine, &options.symmetry_of(&self.machine), &options, &mut Silent)
    }
}

/// The verdict of each, by a letter: `T` holds, `F` violated, `?` unknown, `!` ill-defined.
#[track_caller]
pub(crate) fn verdicts(outcome: &Outcome) -> String {
    assert_eq!(outcome.internal_error, None);
    let letter = |verdict: &TemporalVerdict| match verdict {
        TemporalVerdict::Holds => 'T',
        TemporalVerdict::Violated => 'F',
        TemporalVerdict::Unknown(_) => '?',
        TemporalVerdict::IllDefined(_) => '!',
    };
    outcome.temporal.iter().map(|result| letter(&result.verdict)).collect()
}
